// Generated from the op records by tools/generate; do not edit.
#include <frit/ops.h>

#include "eager/dispatch.h"
#include "ops/record.h"
#include "ops/to_arg.h"

namespace frit {

Tensor sum(const Tensor& self, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("sum");
  const Arg args[] = {to_arg(self), to_arg(dtype)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::sum(std::optional<DType> dtype, std::source_location where) const { return frit::sum(*this, dtype, where); }
Tensor sum(const Tensor& self, OptionalDimsRef dim, bool keepdim, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("sum.dim_IntList");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim), to_arg(dtype)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::sum(OptionalDimsRef dim, bool keepdim, std::optional<DType> dtype, std::source_location where) const { return frit::sum(*this, dim, keepdim, dtype, where); }
Tensor mean(const Tensor& self, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("mean");
  const Arg args[] = {to_arg(self), to_arg(dtype)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::mean(std::optional<DType> dtype, std::source_location where) const { return frit::mean(*this, dtype, where); }
Tensor mean(const Tensor& self, OptionalDimsRef dim, bool keepdim, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("mean.dim");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim), to_arg(dtype)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::mean(OptionalDimsRef dim, bool keepdim, std::optional<DType> dtype, std::source_location where) const { return frit::mean(*this, dim, keepdim, dtype, where); }
Tensor prod(const Tensor& self, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("prod");
  const Arg args[] = {to_arg(self), to_arg(dtype)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::prod(std::optional<DType> dtype, std::source_location where) const { return frit::prod(*this, dtype, where); }
Tensor prod(const Tensor& self, Int dim, bool keepdim, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("prod.dim_int");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim), to_arg(dtype)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::prod(Int dim, bool keepdim, std::optional<DType> dtype, std::source_location where) const { return frit::prod(*this, dim, keepdim, dtype, where); }
Tensor amax(const Tensor& self, DimsRef dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("amax");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::amax(DimsRef dim, bool keepdim, std::source_location where) const { return frit::amax(*this, dim, keepdim, where); }
Tensor max(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("max");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::max(std::source_location where) const { return frit::max(*this, where); }
std::tuple<Tensor, Tensor> max(const Tensor& self, Int dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("max.dim");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim)};
  Tensor outs[2];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1])};
}
std::tuple<Tensor, Tensor> Tensor::max(Int dim, bool keepdim, std::source_location where) const { return frit::max(*this, dim, keepdim, where); }
Tensor argmax(const Tensor& self, std::optional<Int> dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("argmax");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::argmax(std::optional<Int> dim, bool keepdim, std::source_location where) const { return frit::argmax(*this, dim, keepdim, where); }
Tensor amin(const Tensor& self, DimsRef dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("amin");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::amin(DimsRef dim, bool keepdim, std::source_location where) const { return frit::amin(*this, dim, keepdim, where); }
Tensor min(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("min");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::min(std::source_location where) const { return frit::min(*this, where); }
std::tuple<Tensor, Tensor> min(const Tensor& self, Int dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("min.dim");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim)};
  Tensor outs[2];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1])};
}
std::tuple<Tensor, Tensor> Tensor::min(Int dim, bool keepdim, std::source_location where) const { return frit::min(*this, dim, keepdim, where); }
Tensor argmin(const Tensor& self, std::optional<Int> dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("argmin");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::argmin(std::optional<Int> dim, bool keepdim, std::source_location where) const { return frit::argmin(*this, dim, keepdim, where); }
Tensor any(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("any");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::any(std::source_location where) const { return frit::any(*this, where); }
Tensor any(const Tensor& self, Int dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("any.dim");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::any(Int dim, bool keepdim, std::source_location where) const { return frit::any(*this, dim, keepdim, where); }
Tensor any(const Tensor& self, OptionalIntListRef dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("any.dims");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::any(OptionalIntListRef dim, bool keepdim, std::source_location where) const { return frit::any(*this, dim, keepdim, where); }
Tensor Tensor::any(std::initializer_list<Int> dim, bool keepdim, std::source_location where) const { return frit::any(*this, OptionalIntListRef(dim), keepdim, where); }
Tensor any(const Tensor& self, std::initializer_list<Int> dim, bool keepdim, std::source_location where) { return frit::any(self, OptionalIntListRef(dim), keepdim, where); }
Tensor all(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("all");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::all(std::source_location where) const { return frit::all(*this, where); }
Tensor all(const Tensor& self, Int dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("all.dim");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::all(Int dim, bool keepdim, std::source_location where) const { return frit::all(*this, dim, keepdim, where); }
Tensor all(const Tensor& self, OptionalIntListRef dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("all.dims");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::all(OptionalIntListRef dim, bool keepdim, std::source_location where) const { return frit::all(*this, dim, keepdim, where); }
Tensor Tensor::all(std::initializer_list<Int> dim, bool keepdim, std::source_location where) const { return frit::all(*this, OptionalIntListRef(dim), keepdim, where); }
Tensor all(const Tensor& self, std::initializer_list<Int> dim, bool keepdim, std::source_location where) { return frit::all(self, OptionalIntListRef(dim), keepdim, where); }
Tensor count_nonzero(const Tensor& self, IntListRef dim, std::source_location where) {
  static const OpRecord& record = find_op("count_nonzero.dim_IntList");
  const Arg args[] = {to_arg(self), to_arg(dim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::count_nonzero(IntListRef dim, std::source_location where) const { return frit::count_nonzero(*this, dim, where); }
Tensor Tensor::count_nonzero(std::initializer_list<Int> dim, std::source_location where) const { return frit::count_nonzero(*this, IntListRef(dim), where); }
Tensor count_nonzero(const Tensor& self, std::initializer_list<Int> dim, std::source_location where) { return frit::count_nonzero(self, IntListRef(dim), where); }
Tensor count_nonzero(const Tensor& self, std::optional<Int> dim, std::source_location where) {
  static const OpRecord& record = find_op("count_nonzero");
  const Arg args[] = {to_arg(self), to_arg(dim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::count_nonzero(std::optional<Int> dim, std::source_location where) const { return frit::count_nonzero(*this, dim, where); }
Tensor var(const Tensor& self, OptionalDimsRef dim, std::optional<ExactScalar> correction, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("var.correction");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(correction), to_arg(keepdim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::var(OptionalDimsRef dim, std::optional<ExactScalar> correction, bool keepdim, std::source_location where) const { return frit::var(*this, dim, correction, keepdim, where); }
Tensor std(const Tensor& self, OptionalDimsRef dim, std::optional<ExactScalar> correction, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("std.correction");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(correction), to_arg(keepdim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::std(OptionalDimsRef dim, std::optional<ExactScalar> correction, bool keepdim, std::source_location where) const { return frit::std(*this, dim, correction, keepdim, where); }
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, OptionalDimsRef dim, std::optional<ExactScalar> correction, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("var_mean.correction");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(correction), to_arg(keepdim)};
  Tensor outs[2];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1])};
}
std::tuple<Tensor, Tensor> Tensor::var_mean(OptionalDimsRef dim, std::optional<ExactScalar> correction, bool keepdim, std::source_location where) const { return frit::var_mean(*this, dim, correction, keepdim, where); }
Tensor logsumexp(const Tensor& self, DimsRef dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("logsumexp");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::logsumexp(DimsRef dim, bool keepdim, std::source_location where) const { return frit::logsumexp(*this, dim, keepdim, where); }
Tensor linalg_vector_norm(const Tensor& self, Scalar ord, OptionalDimsRef dim, bool keepdim, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("linalg_vector_norm");
  const Arg args[] = {to_arg(self), to_arg(ord), to_arg(dim), to_arg(keepdim), to_arg(dtype)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::linalg_vector_norm(Scalar ord, OptionalDimsRef dim, bool keepdim, std::optional<DType> dtype, std::source_location where) const { return frit::linalg_vector_norm(*this, ord, dim, keepdim, dtype, where); }

}  // namespace frit
