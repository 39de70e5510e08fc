// Generated from the op records by tools/generate; do not edit.
#include <frit/ops.h>

#include "eager/dispatch.h"
#include "ops/record.h"
#include "ops/to_arg.h"

namespace frit {

Tensor Tensor::nan_to_num_(std::optional<double> nan, std::optional<double> posinf, std::optional<double> neginf, std::source_location where) const { return frit::nan_to_num_(*this, nan, posinf, neginf, where); }
Tensor bitwise_and_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_and_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bitwise_and_(const Tensor& other, std::source_location where) const { return frit::bitwise_and_(*this, other, where); }
Tensor bitwise_and_(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_and_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bitwise_and_(Scalar other, std::source_location where) const { return frit::bitwise_and_(*this, other, where); }
Tensor bitwise_or_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_or_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bitwise_or_(const Tensor& other, std::source_location where) const { return frit::bitwise_or_(*this, other, where); }
Tensor bitwise_or_(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_or_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bitwise_or_(Scalar other, std::source_location where) const { return frit::bitwise_or_(*this, other, where); }
Tensor bitwise_xor_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_xor_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bitwise_xor_(const Tensor& other, std::source_location where) const { return frit::bitwise_xor_(*this, other, where); }
Tensor bitwise_xor_(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_xor_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bitwise_xor_(Scalar other, std::source_location where) const { return frit::bitwise_xor_(*this, other, where); }
Tensor bitwise_left_shift_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_left_shift_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bitwise_left_shift_(const Tensor& other, std::source_location where) const { return frit::bitwise_left_shift_(*this, other, where); }
Tensor bitwise_left_shift_(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_left_shift_.Tensor_Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bitwise_left_shift_(Scalar other, std::source_location where) const { return frit::bitwise_left_shift_(*this, other, where); }
Tensor bitwise_right_shift_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_right_shift_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bitwise_right_shift_(const Tensor& other, std::source_location where) const { return frit::bitwise_right_shift_(*this, other, where); }
Tensor bitwise_right_shift_(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_right_shift_.Tensor_Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bitwise_right_shift_(Scalar other, std::source_location where) const { return frit::bitwise_right_shift_(*this, other, where); }
Tensor bitwise_not_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_not_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bitwise_not_(std::source_location where) const { return frit::bitwise_not_(*this, where); }
Tensor cumsum_(const Tensor& self, Int dim, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("cumsum_");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(dtype)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::cumsum_(Int dim, std::optional<DType> dtype, std::source_location where) const { return frit::cumsum_(*this, dim, dtype, where); }
Tensor cumprod_(const Tensor& self, Int dim, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("cumprod_");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(dtype)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::cumprod_(Int dim, std::optional<DType> dtype, std::source_location where) const { return frit::cumprod_(*this, dim, dtype, where); }
Tensor transpose_(const Tensor& self, Int dim0, Int dim1, std::source_location where) {
  static const OpRecord& record = find_op("transpose_");
  const Arg args[] = {to_arg(self), to_arg(dim0), to_arg(dim1)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::transpose_(Int dim0, Int dim1, std::source_location where) const { return frit::transpose_(*this, dim0, dim1, where); }
Tensor t_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("t_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::t_(std::source_location where) const { return frit::t_(*this, where); }
Tensor squeeze_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("squeeze_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::squeeze_(std::source_location where) const { return frit::squeeze_(*this, where); }
Tensor squeeze_(const Tensor& self, Int dim, std::source_location where) {
  static const OpRecord& record = find_op("squeeze_.dim");
  const Arg args[] = {to_arg(self), to_arg(dim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::squeeze_(Int dim, std::source_location where) const { return frit::squeeze_(*this, dim, where); }
Tensor squeeze_(const Tensor& self, IntListRef dim, std::source_location where) {
  static const OpRecord& record = find_op("squeeze_.dims");
  const Arg args[] = {to_arg(self), to_arg(dim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::squeeze_(IntListRef dim, std::source_location where) const { return frit::squeeze_(*this, dim, where); }
Tensor Tensor::squeeze_(std::initializer_list<Int> dim, std::source_location where) const { return frit::squeeze_(*this, IntListRef(dim), where); }
Tensor squeeze_(const Tensor& self, std::initializer_list<Int> dim, std::source_location where) { return frit::squeeze_(self, IntListRef(dim), where); }
Tensor unsqueeze_(const Tensor& self, Int dim, std::source_location where) {
  static const OpRecord& record = find_op("unsqueeze_");
  const Arg args[] = {to_arg(self), to_arg(dim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::unsqueeze_(Int dim, std::source_location where) const { return frit::unsqueeze_(*this, dim, where); }
Tensor as_strided_(const Tensor& self, IntListRef size, IntListRef stride, std::optional<Int> storage_offset, std::source_location where) {
  static const OpRecord& record = find_op("as_strided_");
  const Arg args[] = {to_arg(self), to_arg(size), to_arg(stride), to_arg(storage_offset)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::as_strided_(IntListRef size, IntListRef stride, std::optional<Int> storage_offset, std::source_location where) const { return frit::as_strided_(*this, size, stride, storage_offset, where); }
Tensor addmm_(const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("addmm_");
  const Arg args[] = {to_arg(self), to_arg(mat1), to_arg(mat2), to_arg(beta), to_arg(alpha)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::addmm_(const Tensor& mat1, const Tensor& mat2, Scalar beta, Scalar alpha, std::source_location where) const { return frit::addmm_(*this, mat1, mat2, beta, alpha, where); }
Tensor baddbmm_(const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("baddbmm_");
  const Arg args[] = {to_arg(self), to_arg(batch1), to_arg(batch2), to_arg(beta), to_arg(alpha)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::baddbmm_(const Tensor& batch1, const Tensor& batch2, Scalar beta, Scalar alpha, std::source_location where) const { return frit::baddbmm_(*this, batch1, batch2, beta, alpha, where); }
Tensor scatter_(const Tensor& self, Int dim, const Tensor& index, const Tensor& src, std::source_location where) {
  static const OpRecord& record = find_op("scatter_.src");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(src)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::scatter_(Int dim, const Tensor& index, const Tensor& src, std::source_location where) const { return frit::scatter_(*this, dim, index, src, where); }
Tensor scatter_(const Tensor& self, Int dim, const Tensor& index, Scalar value, std::source_location where) {
  static const OpRecord& record = find_op("scatter_.value");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(value)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::scatter_(Int dim, const Tensor& index, Scalar value, std::source_location where) const { return frit::scatter_(*this, dim, index, value, where); }
Tensor scatter_add_(const Tensor& self, Int dim, const Tensor& index, const Tensor& src, std::source_location where) {
  static const OpRecord& record = find_op("scatter_add_");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(src)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::scatter_add_(Int dim, const Tensor& index, const Tensor& src, std::source_location where) const { return frit::scatter_add_(*this, dim, index, src, where); }
Tensor scatter_reduce_(const Tensor& self, Int dim, const Tensor& index, const Tensor& src, std::string_view reduce, bool include_self, std::source_location where) {
  static const OpRecord& record = find_op("scatter_reduce_.two");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(src), to_arg(reduce), to_arg(include_self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::scatter_reduce_(Int dim, const Tensor& index, const Tensor& src, std::string_view reduce, bool include_self, std::source_location where) const { return frit::scatter_reduce_(*this, dim, index, src, reduce, include_self, where); }
Tensor scatter_(const Tensor& self, Int dim, const Tensor& index, const Tensor& src, std::string_view reduce, std::source_location where) {
  static const OpRecord& record = find_op("scatter_.reduce");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(src), to_arg(reduce)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::scatter_(Int dim, const Tensor& index, const Tensor& src, std::string_view reduce, std::source_location where) const { return frit::scatter_(*this, dim, index, src, reduce, where); }
Tensor scatter_(const Tensor& self, Int dim, const Tensor& index, Scalar value, std::string_view reduce, std::source_location where) {
  static const OpRecord& record = find_op("scatter_.value_reduce");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(value), to_arg(reduce)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::scatter_(Int dim, const Tensor& index, Scalar value, std::string_view reduce, std::source_location where) const { return frit::scatter_(*this, dim, index, value, reduce, where); }
Tensor index_add_(const Tensor& self, Int dim, const Tensor& index, const Tensor& source, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("index_add_");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(source), to_arg(alpha)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::index_add_(Int dim, const Tensor& index, const Tensor& source, Scalar alpha, std::source_location where) const { return frit::index_add_(*this, dim, index, source, alpha, where); }
Tensor index_copy_(const Tensor& self, Int dim, const Tensor& index, const Tensor& source, std::source_location where) {
  static const OpRecord& record = find_op("index_copy_");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(source)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::index_copy_(Int dim, const Tensor& index, const Tensor& source, std::source_location where) const { return frit::index_copy_(*this, dim, index, source, where); }
Tensor index_fill_(const Tensor& self, Int dim, const Tensor& index, Scalar value, std::source_location where) {
  static const OpRecord& record = find_op("index_fill_.int_Scalar");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(value)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::index_fill_(Int dim, const Tensor& index, Scalar value, std::source_location where) const { return frit::index_fill_(*this, dim, index, value, where); }
Tensor index_fill_(const Tensor& self, Int dim, const Tensor& index, const Tensor& value, std::source_location where) {
  static const OpRecord& record = find_op("index_fill_.int_Tensor");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(value)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::index_fill_(Int dim, const Tensor& index, const Tensor& value, std::source_location where) const { return frit::index_fill_(*this, dim, index, value, where); }
Tensor _index_put_(const Tensor& self, const TensorList& indices, const Tensor& values, bool accumulate, std::source_location where) {
  static const OpRecord& record = find_op("_index_put_");
  const Arg args[] = {to_arg(self), to_arg(indices), to_arg(values), to_arg(accumulate)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor tril_(const Tensor& self, Int diagonal, std::source_location where) {
  static const OpRecord& record = find_op("tril_");
  const Arg args[] = {to_arg(self), to_arg(diagonal)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::tril_(Int diagonal, std::source_location where) const { return frit::tril_(*this, diagonal, where); }
Tensor triu_(const Tensor& self, Int diagonal, std::source_location where) {
  static const OpRecord& record = find_op("triu_");
  const Arg args[] = {to_arg(self), to_arg(diagonal)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::triu_(Int diagonal, std::source_location where) const { return frit::triu_(*this, diagonal, where); }
Tensor bernoulli_(const Tensor& self, const Tensor& p, std::shared_ptr<Generator> generator, std::source_location where) {
  static const OpRecord& record = find_op("bernoulli_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(p), to_arg(generator)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bernoulli_(const Tensor& p, std::shared_ptr<Generator> generator, std::source_location where) const { return frit::bernoulli_(*this, p, generator, where); }
Tensor copy_(const Tensor& self, const Tensor& src, bool non_blocking, std::source_location where) {
  static const OpRecord& record = find_op("copy_");
  const Arg args[] = {to_arg(self), to_arg(src), to_arg(non_blocking)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::copy_(const Tensor& src, bool non_blocking, std::source_location where) const { return frit::copy_(*this, src, non_blocking, where); }

}  // namespace frit
