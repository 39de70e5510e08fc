// Generated from the op records by tools/generate; do not edit.
#include <frit/ops.h>

#include "eager/dispatch.h"
#include "ops/record.h"
#include "ops/to_arg.h"

namespace frit {

Tensor true_divide(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("true_divide.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::true_divide(const Tensor& other, std::source_location where) const { return frit::true_divide(*this, other, where); }
Tensor true_divide(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("true_divide.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::true_divide(Scalar other, std::source_location where) const { return frit::true_divide(*this, other, where); }
Tensor div(const Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode, std::source_location where) {
  static const OpRecord& record = find_op("div.Tensor_mode");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(rounding_mode)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::div(const Tensor& other, std::optional<std::string_view> rounding_mode, std::source_location where) const { return frit::div(*this, other, rounding_mode, where); }
Tensor div(const Tensor& self, Scalar other, std::optional<std::string_view> rounding_mode, std::source_location where) {
  static const OpRecord& record = find_op("div.Scalar_mode");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(rounding_mode)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::div(Scalar other, std::optional<std::string_view> rounding_mode, std::source_location where) const { return frit::div(*this, other, rounding_mode, where); }
Tensor round(const Tensor& self, Int decimals, std::source_location where) {
  static const OpRecord& record = find_op("round.decimals");
  const Arg args[] = {to_arg(self), to_arg(decimals)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::round(Int decimals, std::source_location where) const { return frit::round(*this, decimals, where); }
Tensor positive(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("positive");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::positive(std::source_location where) const { return frit::positive(*this, where); }
Tensor relu6(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("relu6");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::relu6(std::source_location where) const { return frit::relu6(*this, where); }
Tensor clamp(const Tensor& self, std::optional<Scalar> min, std::optional<Scalar> max, std::source_location where) {
  static const OpRecord& record = find_op("clamp");
  const Arg args[] = {to_arg(self), to_arg(min), to_arg(max)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::clamp(std::optional<Scalar> min, std::optional<Scalar> max, std::source_location where) const { return frit::clamp(*this, min, max, where); }
Tensor clamp(const Tensor& self, const Tensor& min, const Tensor& max, std::source_location where) {
  static const OpRecord& record = find_op("clamp.Tensor");
  const Arg args[] = {to_arg(self), to_arg(min), to_arg(max)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::clamp(const Tensor& min, const Tensor& max, std::source_location where) const { return frit::clamp(*this, min, max, where); }
Tensor max(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("max.other");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::max(const Tensor& other, std::source_location where) const { return frit::max(*this, other, where); }
Tensor min(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("min.other");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::min(const Tensor& other, std::source_location where) const { return frit::min(*this, other, where); }
Tensor nan_to_num(const Tensor& self, std::optional<double> nan, std::optional<double> posinf, std::optional<double> neginf, std::source_location where) {
  static const OpRecord& record = find_op("nan_to_num");
  const Arg args[] = {to_arg(self), to_arg(nan), to_arg(posinf), to_arg(neginf)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::nan_to_num(std::optional<double> nan, std::optional<double> posinf, std::optional<double> neginf, std::source_location where) const { return frit::nan_to_num(*this, nan, posinf, neginf, where); }
Tensor sum_to_size(const Tensor& self, IntListRef size, std::source_location where) {
  static const OpRecord& record = find_op("sum_to_size");
  const Arg args[] = {to_arg(self), to_arg(size)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::sum_to_size(IntListRef size, std::source_location where) const { return frit::sum_to_size(*this, size, where); }
std::tuple<Tensor, Tensor> aminmax(const Tensor& self, std::optional<Int> dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("aminmax");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim)};
  Tensor outs[2];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1])};
}
std::tuple<Tensor, Tensor> Tensor::aminmax(std::optional<Int> dim, bool keepdim, std::source_location where) const { return frit::aminmax(*this, dim, keepdim, where); }
Tensor value_selecting_reduction_backward(const Tensor& grad, Int dim, const Tensor& indices, IntListRef sizes, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("value_selecting_reduction_backward");
  const Arg args[] = {to_arg(grad), to_arg(dim), to_arg(indices), to_arg(sizes), to_arg(keepdim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor var(const Tensor& self, ExactBool unbiased, std::source_location where) {
  static const OpRecord& record = find_op("var");
  const Arg args[] = {to_arg(self), to_arg(unbiased)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::var(ExactBool unbiased, std::source_location where) const { return frit::var(*this, unbiased, where); }
Tensor var(const Tensor& self, OptionalDimsRef dim, ExactBool unbiased, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("var.dim");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(unbiased), to_arg(keepdim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::var(OptionalDimsRef dim, ExactBool unbiased, bool keepdim, std::source_location where) const { return frit::var(*this, dim, unbiased, keepdim, where); }
Tensor std(const Tensor& self, ExactBool unbiased, std::source_location where) {
  static const OpRecord& record = find_op("std");
  const Arg args[] = {to_arg(self), to_arg(unbiased)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::std(ExactBool unbiased, std::source_location where) const { return frit::std(*this, unbiased, where); }
Tensor std(const Tensor& self, OptionalDimsRef dim, ExactBool unbiased, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("std.dim");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(unbiased), to_arg(keepdim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::std(OptionalDimsRef dim, ExactBool unbiased, bool keepdim, std::source_location where) const { return frit::std(*this, dim, unbiased, keepdim, where); }
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, ExactBool unbiased, std::source_location where) {
  static const OpRecord& record = find_op("var_mean");
  const Arg args[] = {to_arg(self), to_arg(unbiased)};
  Tensor outs[2];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1])};
}
std::tuple<Tensor, Tensor> Tensor::var_mean(ExactBool unbiased, std::source_location where) const { return frit::var_mean(*this, unbiased, where); }
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, OptionalDimsRef dim, ExactBool unbiased, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("var_mean.dim");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(unbiased), to_arg(keepdim)};
  Tensor outs[2];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1])};
}
std::tuple<Tensor, Tensor> Tensor::var_mean(OptionalDimsRef dim, ExactBool unbiased, bool keepdim, std::source_location where) const { return frit::var_mean(*this, dim, unbiased, keepdim, where); }
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, OptionalDimsRef dim, std::optional<ExactScalar> correction, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("std_mean.correction");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(correction), to_arg(keepdim)};
  Tensor outs[2];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1])};
}
std::tuple<Tensor, Tensor> Tensor::std_mean(OptionalDimsRef dim, std::optional<ExactScalar> correction, bool keepdim, std::source_location where) const { return frit::std_mean(*this, dim, correction, keepdim, where); }
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, ExactBool unbiased, std::source_location where) {
  static const OpRecord& record = find_op("std_mean");
  const Arg args[] = {to_arg(self), to_arg(unbiased)};
  Tensor outs[2];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1])};
}
std::tuple<Tensor, Tensor> Tensor::std_mean(ExactBool unbiased, std::source_location where) const { return frit::std_mean(*this, unbiased, where); }
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, OptionalDimsRef dim, ExactBool unbiased, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("std_mean.dim");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(unbiased), to_arg(keepdim)};
  Tensor outs[2];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1])};
}
std::tuple<Tensor, Tensor> Tensor::std_mean(OptionalDimsRef dim, ExactBool unbiased, bool keepdim, std::source_location where) const { return frit::std_mean(*this, dim, unbiased, keepdim, where); }
Tensor norm(const Tensor& self, Scalar p, std::source_location where) {
  static const OpRecord& record = find_op("norm.Scalar");
  const Arg args[] = {to_arg(self), to_arg(p)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::norm(Scalar p, std::source_location where) const { return frit::norm(*this, p, where); }
Tensor norm(const Tensor& self, std::optional<Scalar> p, DimsRef dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("norm.ScalarOpt_dim");
  const Arg args[] = {to_arg(self), to_arg(p), to_arg(dim), to_arg(keepdim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::norm(std::optional<Scalar> p, DimsRef dim, bool keepdim, std::source_location where) const { return frit::norm(*this, p, dim, keepdim, where); }
Tensor norm(const Tensor& self, std::optional<Scalar> p, DimsRef dim, bool keepdim, DType dtype, std::source_location where) {
  static const OpRecord& record = find_op("norm.ScalarOpt_dim_dtype");
  const Arg args[] = {to_arg(self), to_arg(p), to_arg(dim), to_arg(keepdim), to_arg(dtype)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::norm(std::optional<Scalar> p, DimsRef dim, bool keepdim, DType dtype, std::source_location where) const { return frit::norm(*this, p, dim, keepdim, dtype, where); }
Tensor norm(const Tensor& self, std::optional<Scalar> p, DType dtype, std::source_location where) {
  static const OpRecord& record = find_op("norm.ScalarOpt_dtype");
  const Arg args[] = {to_arg(self), to_arg(p), to_arg(dtype)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::norm(std::optional<Scalar> p, DType dtype, std::source_location where) const { return frit::norm(*this, p, dtype, where); }
Tensor reshape(const Tensor& self, IntListRef shape, std::source_location where) {
  static const OpRecord& record = find_op("reshape");
  const Arg args[] = {to_arg(self), to_arg(shape)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::reshape(IntListRef shape, std::source_location where) const { return frit::reshape(*this, shape, where); }
Tensor flatten(const Tensor& self, Int start_dim, Int end_dim, std::source_location where) {
  static const OpRecord& record = find_op("flatten.using_ints");
  const Arg args[] = {to_arg(self), to_arg(start_dim), to_arg(end_dim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::flatten(Int start_dim, Int end_dim, std::source_location where) const { return frit::flatten(*this, start_dim, end_dim, where); }
Tensor unflatten(const Tensor& self, Int dim, IntListRef sizes, std::source_location where) {
  static const OpRecord& record = find_op("unflatten.int");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(sizes)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::unflatten(Int dim, IntListRef sizes, std::source_location where) const { return frit::unflatten(*this, dim, sizes, where); }
Tensor narrow(const Tensor& self, Int dim, Int start, Int length, std::source_location where) {
  static const OpRecord& record = find_op("narrow");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(start), to_arg(length)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::narrow(Int dim, Int start, Int length, std::source_location where) const { return frit::narrow(*this, dim, start, length, where); }
Tensor narrow(const Tensor& self, Int dim, const Tensor& start, Int length, std::source_location where) {
  static const OpRecord& record = find_op("narrow.Tensor");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(start), to_arg(length)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::narrow(Int dim, const Tensor& start, Int length, std::source_location where) const { return frit::narrow(*this, dim, start, length, where); }
TensorList split(const Tensor& self, Int split_size, Int dim, std::source_location where) {
  static const OpRecord& record = find_op("split.Tensor");
  const Arg args[] = {to_arg(self), to_arg(split_size), to_arg(dim)};
  return eager::dispatch_list(record, args, where);
}
TensorList Tensor::split(Int split_size, Int dim, std::source_location where) const { return frit::split(*this, split_size, dim, where); }
TensorList split_with_sizes(const Tensor& self, IntListRef split_sizes, Int dim, std::source_location where) {
  static const OpRecord& record = find_op("split_with_sizes");
  const Arg args[] = {to_arg(self), to_arg(split_sizes), to_arg(dim)};
  return eager::dispatch_list(record, args, where);
}
TensorList Tensor::split_with_sizes(IntListRef split_sizes, Int dim, std::source_location where) const { return frit::split_with_sizes(*this, split_sizes, dim, where); }
TensorList split(const Tensor& self, IntListRef split_size, Int dim, std::source_location where) {
  static const OpRecord& record = find_op("split.sizes");
  const Arg args[] = {to_arg(self), to_arg(split_size), to_arg(dim)};
  return eager::dispatch_list(record, args, where);
}
TensorList Tensor::split(IntListRef split_size, Int dim, std::source_location where) const { return frit::split(*this, split_size, dim, where); }
TensorList Tensor::split(std::initializer_list<Int> split_size, Int dim, std::source_location where) const { return frit::split(*this, IntListRef(split_size), dim, where); }
TensorList split(const Tensor& self, std::initializer_list<Int> split_size, Int dim, std::source_location where) { return frit::split(self, IntListRef(split_size), dim, where); }
TensorList chunk(const Tensor& self, Int chunks, Int dim, std::source_location where) {
  static const OpRecord& record = find_op("chunk");
  const Arg args[] = {to_arg(self), to_arg(chunks), to_arg(dim)};
  return eager::dispatch_list(record, args, where);
}
TensorList Tensor::chunk(Int chunks, Int dim, std::source_location where) const { return frit::chunk(*this, chunks, dim, where); }
TensorList unbind(const Tensor& self, Int dim, std::source_location where) {
  static const OpRecord& record = find_op("unbind.int");
  const Arg args[] = {to_arg(self), to_arg(dim)};
  return eager::dispatch_list(record, args, where);
}
TensorList Tensor::unbind(Int dim, std::source_location where) const { return frit::unbind(*this, dim, where); }
Tensor movedim(const Tensor& self, Int source, Int destination, std::source_location where) {
  static const OpRecord& record = find_op("movedim.int");
  const Arg args[] = {to_arg(self), to_arg(source), to_arg(destination)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::movedim(Int source, Int destination, std::source_location where) const { return frit::movedim(*this, source, destination, where); }
Tensor movedim(const Tensor& self, IntListRef source, IntListRef destination, std::source_location where) {
  static const OpRecord& record = find_op("movedim.intlist");
  const Arg args[] = {to_arg(self), to_arg(source), to_arg(destination)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::movedim(IntListRef source, IntListRef destination, std::source_location where) const { return frit::movedim(*this, source, destination, where); }
Tensor Tensor::movedim(std::initializer_list<Int> source, std::initializer_list<Int> destination, std::source_location where) const { return frit::movedim(*this, IntListRef(source), IntListRef(destination), where); }
Tensor movedim(const Tensor& self, std::initializer_list<Int> source, std::initializer_list<Int> destination, std::source_location where) { return frit::movedim(self, IntListRef(source), IntListRef(destination), where); }
Tensor moveaxis(const Tensor& self, Int source, Int destination, std::source_location where) {
  static const OpRecord& record = find_op("moveaxis.int");
  const Arg args[] = {to_arg(self), to_arg(source), to_arg(destination)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::moveaxis(Int source, Int destination, std::source_location where) const { return frit::moveaxis(*this, source, destination, where); }
Tensor moveaxis(const Tensor& self, IntListRef source, IntListRef destination, std::source_location where) {
  static const OpRecord& record = find_op("moveaxis.intlist");
  const Arg args[] = {to_arg(self), to_arg(source), to_arg(destination)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::moveaxis(IntListRef source, IntListRef destination, std::source_location where) const { return frit::moveaxis(*this, source, destination, where); }
Tensor Tensor::moveaxis(std::initializer_list<Int> source, std::initializer_list<Int> destination, std::source_location where) const { return frit::moveaxis(*this, IntListRef(source), IntListRef(destination), where); }
Tensor moveaxis(const Tensor& self, std::initializer_list<Int> source, std::initializer_list<Int> destination, std::source_location where) { return frit::moveaxis(self, IntListRef(source), IntListRef(destination), where); }
Tensor expand_as(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("expand_as");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::expand_as(const Tensor& other, std::source_location where) const { return frit::expand_as(*this, other, where); }
Tensor reshape_as(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("reshape_as");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::reshape_as(const Tensor& other, std::source_location where) const { return frit::reshape_as(*this, other, where); }
Tensor broadcast_to(const Tensor& self, IntListRef size, std::source_location where) {
  static const OpRecord& record = find_op("broadcast_to");
  const Arg args[] = {to_arg(self), to_arg(size)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::broadcast_to(IntListRef size, std::source_location where) const { return frit::broadcast_to(*this, size, where); }
Tensor mT(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("mT");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::mT(std::source_location where) const { return frit::mT(*this, where); }
Tensor view_as(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("view_as");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::view_as(const Tensor& other, std::source_location where) const { return frit::view_as(*this, other, where); }
Tensor numpy_T(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("numpy_T");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::numpy_T(std::source_location where) const { return frit::numpy_T(*this, where); }
Tensor _unsafe_view(const Tensor& self, IntListRef size, std::source_location where) {
  static const OpRecord& record = find_op("_unsafe_view");
  const Arg args[] = {to_arg(self), to_arg(size)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _reshape_alias(const Tensor& self, IntListRef size, IntListRef stride, std::source_location where) {
  static const OpRecord& record = find_op("_reshape_alias");
  const Arg args[] = {to_arg(self), to_arg(size), to_arg(stride)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor stack(const TensorList& tensors, Int dim, std::source_location where) {
  static const OpRecord& record = find_op("stack");
  const Arg args[] = {to_arg(tensors), to_arg(dim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor repeat(const Tensor& self, IntListRef repeats, std::source_location where) {
  static const OpRecord& record = find_op("repeat");
  const Arg args[] = {to_arg(self), to_arg(repeats)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::repeat(IntListRef repeats, std::source_location where) const { return frit::repeat(*this, repeats, where); }
Tensor tile(const Tensor& self, IntListRef dims, std::source_location where) {
  static const OpRecord& record = find_op("tile");
  const Arg args[] = {to_arg(self), to_arg(dims)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::tile(IntListRef dims, std::source_location where) const { return frit::tile(*this, dims, where); }
Tensor select_backward(const Tensor& grad_output, IntListRef input_sizes, Int dim, Int index, std::source_location where) {
  static const OpRecord& record = find_op("select_backward");
  const Arg args[] = {to_arg(grad_output), to_arg(input_sizes), to_arg(dim), to_arg(index)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor slice_backward(const Tensor& grad_output, IntListRef input_sizes, Int dim, Int start, Int end, Int step, std::source_location where) {
  static const OpRecord& record = find_op("slice_backward");
  const Arg args[] = {to_arg(grad_output), to_arg(input_sizes), to_arg(dim), to_arg(start), to_arg(end), to_arg(step)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor diagonal_backward(const Tensor& grad_output, IntListRef input_sizes, Int offset, Int dim1, Int dim2, std::source_location where) {
  static const OpRecord& record = find_op("diagonal_backward");
  const Arg args[] = {to_arg(grad_output), to_arg(input_sizes), to_arg(offset), to_arg(dim1), to_arg(dim2)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor unfold_backward(const Tensor& grad_in, IntListRef input_sizes, Int dim, Int size, Int step, std::source_location where) {
  static const OpRecord& record = find_op("unfold_backward");
  const Arg args[] = {to_arg(grad_in), to_arg(input_sizes), to_arg(dim), to_arg(size), to_arg(step)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor as_strided_backward(const Tensor& grad, IntListRef input_sizes, IntListRef input_strides, IntListRef size, IntListRef stride, std::optional<Int> storage_offset, std::source_location where) {
  static const OpRecord& record = find_op("as_strided_backward");
  const Arg args[] = {to_arg(grad), to_arg(input_sizes), to_arg(input_strides), to_arg(size), to_arg(stride), to_arg(storage_offset)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("addmm");
  const Arg args[] = {to_arg(self), to_arg(mat1), to_arg(mat2), to_arg(beta), to_arg(alpha)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::addmm(const Tensor& mat1, const Tensor& mat2, Scalar beta, Scalar alpha, std::source_location where) const { return frit::addmm(*this, mat1, mat2, beta, alpha, where); }
Tensor baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("baddbmm");
  const Arg args[] = {to_arg(self), to_arg(batch1), to_arg(batch2), to_arg(beta), to_arg(alpha)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::baddbmm(const Tensor& batch1, const Tensor& batch2, Scalar beta, Scalar alpha, std::source_location where) const { return frit::baddbmm(*this, batch1, batch2, beta, alpha, where); }
Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias, std::source_location where) {
  static const OpRecord& record = find_op("linear");
  const Arg args[] = {to_arg(input), to_arg(weight), to_arg(bias)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor addmv(const Tensor& self, const Tensor& mat, const Tensor& vec, Scalar beta, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("addmv");
  const Arg args[] = {to_arg(self), to_arg(mat), to_arg(vec), to_arg(beta), to_arg(alpha)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::addmv(const Tensor& mat, const Tensor& vec, Scalar beta, Scalar alpha, std::source_location where) const { return frit::addmv(*this, mat, vec, beta, alpha, where); }
Tensor mv(const Tensor& self, const Tensor& vec, std::source_location where) {
  static const OpRecord& record = find_op("mv");
  const Arg args[] = {to_arg(self), to_arg(vec)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::mv(const Tensor& vec, std::source_location where) const { return frit::mv(*this, vec, where); }
Tensor dot(const Tensor& self, const Tensor& tensor, std::source_location where) {
  static const OpRecord& record = find_op("dot");
  const Arg args[] = {to_arg(self), to_arg(tensor)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::dot(const Tensor& tensor, std::source_location where) const { return frit::dot(*this, tensor, where); }
Tensor matmul(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("matmul");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::matmul(const Tensor& other, std::source_location where) const { return frit::matmul(*this, other, where); }
Tensor outer(const Tensor& self, const Tensor& vec2, std::source_location where) {
  static const OpRecord& record = find_op("outer");
  const Arg args[] = {to_arg(self), to_arg(vec2)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::outer(const Tensor& vec2, std::source_location where) const { return frit::outer(*this, vec2, where); }
Tensor einsum(std::string_view equation, const TensorList& tensors, std::source_location where) {
  static const OpRecord& record = find_op("einsum");
  const Arg args[] = {to_arg(equation), to_arg(tensors)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor take_along_dim(const Tensor& self, const Tensor& indices, std::optional<Int> dim, std::source_location where) {
  static const OpRecord& record = find_op("take_along_dim");
  const Arg args[] = {to_arg(self), to_arg(indices), to_arg(dim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::take_along_dim(const Tensor& indices, std::optional<Int> dim, std::source_location where) const { return frit::take_along_dim(*this, indices, dim, where); }
Tensor scatter(const Tensor& self, Int dim, const Tensor& index, const Tensor& src, std::string_view reduce, std::source_location where) {
  static const OpRecord& record = find_op("scatter.reduce");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(src), to_arg(reduce)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::scatter(Int dim, const Tensor& index, const Tensor& src, std::string_view reduce, std::source_location where) const { return frit::scatter(*this, dim, index, src, reduce, where); }
Tensor scatter(const Tensor& self, Int dim, const Tensor& index, Scalar value, std::string_view reduce, std::source_location where) {
  static const OpRecord& record = find_op("scatter.value_reduce");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(value), to_arg(reduce)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::scatter(Int dim, const Tensor& index, Scalar value, std::string_view reduce, std::source_location where) const { return frit::scatter(*this, dim, index, value, reduce, where); }
Tensor index_fill(const Tensor& self, Int dim, const Tensor& index, Scalar value, std::source_location where) {
  static const OpRecord& record = find_op("index_fill.int_Scalar");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(value)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::index_fill(Int dim, const Tensor& index, Scalar value, std::source_location where) const { return frit::index_fill(*this, dim, index, value, where); }
Tensor index_fill(const Tensor& self, Int dim, const Tensor& index, const Tensor& value, std::source_location where) {
  static const OpRecord& record = find_op("index_fill.int_Tensor");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(value)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::index_fill(Int dim, const Tensor& index, const Tensor& value, std::source_location where) const { return frit::index_fill(*this, dim, index, value, where); }
Tensor index(const Tensor& self, const TensorList& indices, std::source_location where) {
  static const OpRecord& record = find_op("index.Tensor");
  const Arg args[] = {to_arg(self), to_arg(indices)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor index_put(const Tensor& self, const TensorList& indices, const Tensor& values, bool accumulate, std::source_location where) {
  static const OpRecord& record = find_op("index_put");
  const Arg args[] = {to_arg(self), to_arg(indices), to_arg(values), to_arg(accumulate)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::index_put(const TensorList& indices, const Tensor& values, bool accumulate, std::source_location where) const { return frit::index_put(*this, indices, values, accumulate, where); }
Tensor _index_put_impl(const Tensor& self, const TensorList& indices, const Tensor& values, bool accumulate, bool unsafe, std::source_location where) {
  static const OpRecord& record = find_op("_index_put_impl");
  const Arg args[] = {to_arg(self), to_arg(indices), to_arg(values), to_arg(accumulate), to_arg(unsafe)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor embedding(const Tensor& weight, const Tensor& indices, Int padding_idx, bool scale_grad_by_freq, bool sparse, std::source_location where) {
  static const OpRecord& record = find_op("embedding");
  const Arg args[] = {to_arg(weight), to_arg(indices), to_arg(padding_idx), to_arg(scale_grad_by_freq), to_arg(sparse)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor embedding_dense_backward(const Tensor& grad_output, const Tensor& indices, Int num_weights, Int padding_idx, bool scale_grad_by_freq, std::source_location where) {
  static const OpRecord& record = find_op("embedding_dense_backward");
  const Arg args[] = {to_arg(grad_output), to_arg(indices), to_arg(num_weights), to_arg(padding_idx), to_arg(scale_grad_by_freq)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
TensorList nonzero_numpy(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("nonzero_numpy");
  const Arg args[] = {to_arg(self)};
  return eager::dispatch_list(record, args, where);
}
TensorList Tensor::nonzero_numpy(std::source_location where) const { return frit::nonzero_numpy(*this, where); }
Tensor masked_select(const Tensor& self, const Tensor& mask, std::source_location where) {
  static const OpRecord& record = find_op("masked_select");
  const Arg args[] = {to_arg(self), to_arg(mask)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::masked_select(const Tensor& mask, std::source_location where) const { return frit::masked_select(*this, mask, where); }
Tensor masked_scatter(const Tensor& self, const Tensor& mask, const Tensor& source, std::source_location where) {
  static const OpRecord& record = find_op("masked_scatter");
  const Arg args[] = {to_arg(self), to_arg(mask), to_arg(source)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::masked_scatter(const Tensor& mask, const Tensor& source, std::source_location where) const { return frit::masked_scatter(*this, mask, source, where); }
Tensor tril(const Tensor& self, Int diagonal, std::source_location where) {
  static const OpRecord& record = find_op("tril");
  const Arg args[] = {to_arg(self), to_arg(diagonal)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::tril(Int diagonal, std::source_location where) const { return frit::tril(*this, diagonal, where); }
Tensor triu(const Tensor& self, Int diagonal, std::source_location where) {
  static const OpRecord& record = find_op("triu");
  const Arg args[] = {to_arg(self), to_arg(diagonal)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::triu(Int diagonal, std::source_location where) const { return frit::triu(*this, diagonal, where); }
Tensor one_hot(const Tensor& self, Int num_classes, std::source_location where) {
  static const OpRecord& record = find_op("one_hot");
  const Arg args[] = {to_arg(self), to_arg(num_classes)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::one_hot(Int num_classes, std::source_location where) const { return frit::one_hot(*this, num_classes, where); }
std::tuple<Tensor, Tensor> sort(const Tensor& self, Int dim, ExactBool descending, std::source_location where) {
  static const OpRecord& record = find_op("sort");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(descending)};
  Tensor outs[2];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1])};
}
std::tuple<Tensor, Tensor> Tensor::sort(Int dim, ExactBool descending, std::source_location where) const { return frit::sort(*this, dim, descending, where); }
Tensor argsort(const Tensor& self, Int dim, ExactBool descending, std::source_location where) {
  static const OpRecord& record = find_op("argsort");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(descending)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::argsort(Int dim, ExactBool descending, std::source_location where) const { return frit::argsort(*this, dim, descending, where); }
Tensor argsort(const Tensor& self, ExactBool stable, Int dim, bool descending, std::source_location where) {
  static const OpRecord& record = find_op("argsort.stable");
  const Arg args[] = {to_arg(self), to_arg(stable), to_arg(dim), to_arg(descending)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::argsort(ExactBool stable, Int dim, bool descending, std::source_location where) const { return frit::argsort(*this, stable, dim, descending, where); }
Tensor rand(IntListRef size, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("rand");
  const Arg args[] = {to_arg(size), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor rand(IntListRef size, std::shared_ptr<Generator> generator, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("rand.generator");
  const Arg args[] = {to_arg(size), to_arg(generator), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor rand_like(const Tensor& self, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("rand_like");
  const Arg args[] = {to_arg(self), to_arg(dtype), Arg(), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::rand_like(std::optional<DType> dtype, std::source_location where) const { return frit::rand_like(*this, dtype, where); }
Tensor rand_like(const Tensor& self, std::shared_ptr<Generator> generator, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("rand_like.generator");
  const Arg args[] = {to_arg(self), to_arg(generator), to_arg(dtype), Arg(), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::rand_like(std::shared_ptr<Generator> generator, std::optional<DType> dtype, std::source_location where) const { return frit::rand_like(*this, generator, dtype, where); }
Tensor randn(IntListRef size, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("randn");
  const Arg args[] = {to_arg(size), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor randn(IntListRef size, std::shared_ptr<Generator> generator, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("randn.generator");
  const Arg args[] = {to_arg(size), to_arg(generator), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor randn_like(const Tensor& self, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("randn_like");
  const Arg args[] = {to_arg(self), to_arg(dtype), Arg(), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::randn_like(std::optional<DType> dtype, std::source_location where) const { return frit::randn_like(*this, dtype, where); }
Tensor randn_like(const Tensor& self, std::shared_ptr<Generator> generator, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("randn_like.generator");
  const Arg args[] = {to_arg(self), to_arg(generator), to_arg(dtype), Arg(), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::randn_like(std::shared_ptr<Generator> generator, std::optional<DType> dtype, std::source_location where) const { return frit::randn_like(*this, generator, dtype, where); }
Tensor uniform(const Tensor& self, double from, double to, std::shared_ptr<Generator> generator, std::source_location where) {
  static const OpRecord& record = find_op("uniform");
  const Arg args[] = {to_arg(self), to_arg(from), to_arg(to), to_arg(generator)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::uniform(double from, double to, std::shared_ptr<Generator> generator, std::source_location where) const { return frit::uniform(*this, from, to, generator, where); }
Tensor normal_functional(const Tensor& self, double mean, double std, std::shared_ptr<Generator> generator, std::source_location where) {
  static const OpRecord& record = find_op("normal_functional");
  const Arg args[] = {to_arg(self), to_arg(mean), to_arg(std), to_arg(generator)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::normal_functional(double mean, double std, std::shared_ptr<Generator> generator, std::source_location where) const { return frit::normal_functional(*this, mean, std, generator, where); }
Tensor normal(const Tensor& mean, double std, std::shared_ptr<Generator> generator, std::source_location where) {
  static const OpRecord& record = find_op("normal.Tensor_float");
  const Arg args[] = {to_arg(mean), to_arg(std), to_arg(generator)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor normal(double mean, const Tensor& std, std::shared_ptr<Generator> generator, std::source_location where) {
  static const OpRecord& record = find_op("normal.float_Tensor");
  const Arg args[] = {to_arg(mean), to_arg(std), to_arg(generator)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor normal(const Tensor& mean, const Tensor& std, std::shared_ptr<Generator> generator, std::source_location where) {
  static const OpRecord& record = find_op("normal.Tensor_Tensor");
  const Arg args[] = {to_arg(mean), to_arg(std), to_arg(generator)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor normal(double mean, double std, IntListRef size, std::shared_ptr<Generator> generator, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("normal.float_float");
  const Arg args[] = {to_arg(mean), to_arg(std), to_arg(size), to_arg(generator), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor randint(Int high, IntListRef size, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("randint");
  const Arg args[] = {to_arg(high), to_arg(size), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor randint(Int high, std::initializer_list<Int> size, std::optional<DType> dtype, std::source_location where) { return frit::randint(high, IntListRef(size), dtype, where); }
Tensor randint(Int high, IntListRef size, std::shared_ptr<Generator> generator, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("randint.generator");
  const Arg args[] = {to_arg(high), to_arg(size), to_arg(generator), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor randint(Int high, std::initializer_list<Int> size, std::shared_ptr<Generator> generator, std::optional<DType> dtype, std::source_location where) { return frit::randint(high, IntListRef(size), generator, dtype, where); }
Tensor randint(Int low, Int high, IntListRef size, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("randint.low");
  const Arg args[] = {to_arg(low), to_arg(high), to_arg(size), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor randint_like(const Tensor& self, Int high, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("randint_like");
  const Arg args[] = {to_arg(self), to_arg(high), to_arg(dtype), Arg(), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::randint_like(Int high, std::optional<DType> dtype, std::source_location where) const { return frit::randint_like(*this, high, dtype, where); }
Tensor randint_like(const Tensor& self, Int high, std::shared_ptr<Generator> generator, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("randint_like.generator");
  const Arg args[] = {to_arg(self), to_arg(high), to_arg(generator), to_arg(dtype), Arg(), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::randint_like(Int high, std::shared_ptr<Generator> generator, std::optional<DType> dtype, std::source_location where) const { return frit::randint_like(*this, high, generator, dtype, where); }
Tensor randint_like(const Tensor& self, Int low, Int high, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("randint_like.low_dtype");
  const Arg args[] = {to_arg(self), to_arg(low), to_arg(high), to_arg(dtype), Arg(), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::randint_like(Int low, Int high, std::optional<DType> dtype, std::source_location where) const { return frit::randint_like(*this, low, high, dtype, where); }
Tensor randint_like(const Tensor& self, Int low, Int high, std::shared_ptr<Generator> generator, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("randint_like.low_generator_dtype");
  const Arg args[] = {to_arg(self), to_arg(low), to_arg(high), to_arg(generator), to_arg(dtype), Arg(), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::randint_like(Int low, Int high, std::shared_ptr<Generator> generator, std::optional<DType> dtype, std::source_location where) const { return frit::randint_like(*this, low, high, generator, dtype, where); }
Tensor bernoulli(const Tensor& self, std::shared_ptr<Generator> generator, std::source_location where) {
  static const OpRecord& record = find_op("bernoulli");
  const Arg args[] = {to_arg(self), to_arg(generator)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bernoulli(std::shared_ptr<Generator> generator, std::source_location where) const { return frit::bernoulli(*this, generator, where); }
Tensor bernoulli(const Tensor& self, double p, std::shared_ptr<Generator> generator, std::source_location where) {
  static const OpRecord& record = find_op("bernoulli.p");
  const Arg args[] = {to_arg(self), to_arg(p), to_arg(generator)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bernoulli(double p, std::shared_ptr<Generator> generator, std::source_location where) const { return frit::bernoulli(*this, p, generator, where); }
Tensor bernoulli(const Tensor& self, const Tensor& p, std::shared_ptr<Generator> generator, std::source_location where) {
  static const OpRecord& record = find_op("bernoulli.Tensor");
  const Arg args[] = {to_arg(self), to_arg(p), to_arg(generator)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bernoulli(const Tensor& p, std::shared_ptr<Generator> generator, std::source_location where) const { return frit::bernoulli(*this, p, generator, where); }
Tensor dropout(const Tensor& input, double p, bool train, std::source_location where) {
  static const OpRecord& record = find_op("dropout");
  const Arg args[] = {to_arg(input), to_arg(p), to_arg(train)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
std::tuple<Tensor, Tensor> native_dropout(const Tensor& input, double p, std::optional<bool> train, std::source_location where) {
  static const OpRecord& record = find_op("native_dropout");
  const Arg args[] = {to_arg(input), to_arg(p), to_arg(train)};
  Tensor outs[2];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1])};
}
Tensor native_dropout_backward(const Tensor& grad_output, const Tensor& mask, double scale, std::source_location where) {
  static const OpRecord& record = find_op("native_dropout_backward");
  const Arg args[] = {to_arg(grad_output), to_arg(mask), to_arg(scale)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor zeros(IntListRef size, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("zeros");
  const Arg args[] = {to_arg(size), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor ones(IntListRef size, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("ones");
  const Arg args[] = {to_arg(size), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor zeros_like(const Tensor& self, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("zeros_like");
  const Arg args[] = {to_arg(self), to_arg(dtype), Arg(), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::zeros_like(std::optional<DType> dtype, std::source_location where) const { return frit::zeros_like(*this, dtype, where); }
Tensor new_zeros(const Tensor& self, IntListRef size, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("new_zeros");
  const Arg args[] = {to_arg(self), to_arg(size), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}

}  // namespace frit
