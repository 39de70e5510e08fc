// Generated from the op records by tools/generate; do not edit.
#include <frit/ops.h>

#include "eager/dispatch.h"
#include "ops/record.h"
#include "ops/to_arg.h"

namespace frit {

Tensor where(const Tensor& condition, Scalar self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("where.ScalarSelf");
  const Arg args[] = {to_arg(condition), to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor where(const Tensor& condition, Scalar self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("where.Scalar");
  const Arg args[] = {to_arg(condition), to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor masked_fill(const Tensor& self, const Tensor& mask, Scalar value, std::source_location where) {
  static const OpRecord& record = find_op("masked_fill.Scalar");
  const Arg args[] = {to_arg(self), to_arg(mask), to_arg(value)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::masked_fill(const Tensor& mask, Scalar value, std::source_location where) const { return frit::masked_fill(*this, mask, value, where); }
Tensor masked_fill(const Tensor& self, const Tensor& mask, const Tensor& value, std::source_location where) {
  static const OpRecord& record = find_op("masked_fill.Tensor");
  const Arg args[] = {to_arg(self), to_arg(mask), to_arg(value)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::masked_fill(const Tensor& mask, const Tensor& value, std::source_location where) const { return frit::masked_fill(*this, mask, value, where); }
Tensor fill(const Tensor& self, Scalar value, std::source_location where) {
  static const OpRecord& record = find_op("fill.Scalar");
  const Arg args[] = {to_arg(self), to_arg(value)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::fill(Scalar value, std::source_location where) const { return frit::fill(*this, value, where); }
Tensor fill(const Tensor& self, const Tensor& value, std::source_location where) {
  static const OpRecord& record = find_op("fill.Tensor");
  const Arg args[] = {to_arg(self), to_arg(value)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::fill(const Tensor& value, std::source_location where) const { return frit::fill(*this, value, where); }
Tensor zero(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("zero");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::zero(std::source_location where) const { return frit::zero(*this, where); }
Tensor lerp(const Tensor& self, const Tensor& end, Scalar weight, std::source_location where) {
  static const OpRecord& record = find_op("lerp.Scalar");
  const Arg args[] = {to_arg(self), to_arg(end), to_arg(weight)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::lerp(const Tensor& end, Scalar weight, std::source_location where) const { return frit::lerp(*this, end, weight, where); }
Tensor lerp(const Tensor& self, const Tensor& end, const Tensor& weight, std::source_location where) {
  static const OpRecord& record = find_op("lerp.Tensor");
  const Arg args[] = {to_arg(self), to_arg(end), to_arg(weight)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::lerp(const Tensor& end, const Tensor& weight, std::source_location where) const { return frit::lerp(*this, end, weight, where); }
Tensor logaddexp(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("logaddexp");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::logaddexp(const Tensor& other, std::source_location where) const { return frit::logaddexp(*this, other, where); }
Tensor _nan_to_num(const Tensor& self, Scalar nan, Scalar posinf, Scalar neginf, std::source_location where) {
  static const OpRecord& record = find_op("_nan_to_num");
  const Arg args[] = {to_arg(self), to_arg(nan), to_arg(posinf), to_arg(neginf)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor bitwise_and(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_and.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bitwise_and(const Tensor& other, std::source_location where) const { return frit::bitwise_and(*this, other, where); }
Tensor bitwise_and(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_and.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bitwise_and(Scalar other, std::source_location where) const { return frit::bitwise_and(*this, other, where); }
Tensor bitwise_and(Scalar self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_and.Scalar_Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor bitwise_or(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_or.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bitwise_or(const Tensor& other, std::source_location where) const { return frit::bitwise_or(*this, other, where); }
Tensor bitwise_or(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_or.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bitwise_or(Scalar other, std::source_location where) const { return frit::bitwise_or(*this, other, where); }
Tensor bitwise_or(Scalar self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_or.Scalar_Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor bitwise_xor(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_xor.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bitwise_xor(const Tensor& other, std::source_location where) const { return frit::bitwise_xor(*this, other, where); }
Tensor bitwise_xor(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_xor.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bitwise_xor(Scalar other, std::source_location where) const { return frit::bitwise_xor(*this, other, where); }
Tensor bitwise_xor(Scalar self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_xor.Scalar_Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor bitwise_left_shift(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_left_shift.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bitwise_left_shift(const Tensor& other, std::source_location where) const { return frit::bitwise_left_shift(*this, other, where); }
Tensor bitwise_left_shift(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_left_shift.Tensor_Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bitwise_left_shift(Scalar other, std::source_location where) const { return frit::bitwise_left_shift(*this, other, where); }
Tensor bitwise_left_shift(Scalar self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_left_shift.Scalar_Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor bitwise_right_shift(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_right_shift.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bitwise_right_shift(const Tensor& other, std::source_location where) const { return frit::bitwise_right_shift(*this, other, where); }
Tensor bitwise_right_shift(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_right_shift.Tensor_Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bitwise_right_shift(Scalar other, std::source_location where) const { return frit::bitwise_right_shift(*this, other, where); }
Tensor bitwise_right_shift(Scalar self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_right_shift.Scalar_Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor bitwise_not(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_not");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bitwise_not(std::source_location where) const { return frit::bitwise_not(*this, where); }

}  // namespace frit
