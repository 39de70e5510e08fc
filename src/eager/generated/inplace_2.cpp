// Generated from the op records by tools/generate; do not edit.
#include <frit/ops.h>

#include "eager/dispatch.h"
#include "ops/record.h"
#include "ops/to_arg.h"

namespace frit {

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
Tensor uniform_(const Tensor& self, double from, double to, std::shared_ptr<Generator> generator, std::source_location where) {
  static const OpRecord& record = find_op("uniform_");
  const Arg args[] = {to_arg(self), to_arg(from), to_arg(to), to_arg(generator)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::uniform_(double from, double to, std::shared_ptr<Generator> generator, std::source_location where) const { return frit::uniform_(*this, from, to, generator, where); }
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
