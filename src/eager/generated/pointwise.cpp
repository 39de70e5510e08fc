// Generated from the op records by tools/generate; do not edit.
#include <frit/ops.h>

#include "eager/dispatch.h"
#include "ops/record.h"
#include "ops/to_arg.h"

namespace frit {

Tensor add(const Tensor& self, const Tensor& other, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("add.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(alpha)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::add(const Tensor& other, Scalar alpha, std::source_location where) const { return frit::add(*this, other, alpha, where); }
Tensor add(const Tensor& self, Scalar other, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("add.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(alpha)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::add(Scalar other, Scalar alpha, std::source_location where) const { return frit::add(*this, other, alpha, where); }
Tensor sub(const Tensor& self, const Tensor& other, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("sub.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(alpha)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::sub(const Tensor& other, Scalar alpha, std::source_location where) const { return frit::sub(*this, other, alpha, where); }
Tensor sub(const Tensor& self, Scalar other, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("sub.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(alpha)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::sub(Scalar other, Scalar alpha, std::source_location where) const { return frit::sub(*this, other, alpha, where); }
Tensor rsub(const Tensor& self, const Tensor& other, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("rsub.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(alpha)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::rsub(const Tensor& other, Scalar alpha, std::source_location where) const { return frit::rsub(*this, other, alpha, where); }
Tensor rsub(const Tensor& self, Scalar other, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("rsub.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(alpha)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::rsub(Scalar other, Scalar alpha, std::source_location where) const { return frit::rsub(*this, other, alpha, where); }
Tensor mul(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("mul.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::mul(const Tensor& other, std::source_location where) const { return frit::mul(*this, other, where); }
Tensor mul(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("mul.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::mul(Scalar other, std::source_location where) const { return frit::mul(*this, other, where); }
Tensor addcmul(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value, std::source_location where) {
  static const OpRecord& record = find_op("addcmul");
  const Arg args[] = {to_arg(self), to_arg(tensor1), to_arg(tensor2), to_arg(value)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::addcmul(const Tensor& tensor1, const Tensor& tensor2, Scalar value, std::source_location where) const { return frit::addcmul(*this, tensor1, tensor2, value, where); }
Tensor addcdiv(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value, std::source_location where) {
  static const OpRecord& record = find_op("addcdiv");
  const Arg args[] = {to_arg(self), to_arg(tensor1), to_arg(tensor2), to_arg(value)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::addcdiv(const Tensor& tensor1, const Tensor& tensor2, Scalar value, std::source_location where) const { return frit::addcdiv(*this, tensor1, tensor2, value, where); }
Tensor div(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("div.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::div(const Tensor& other, std::source_location where) const { return frit::div(*this, other, where); }
Tensor div(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("div.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::div(Scalar other, std::source_location where) const { return frit::div(*this, other, where); }
Tensor _div_trunc(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("_div_trunc.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _div_trunc(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("_div_trunc.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _div_floor(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("_div_floor.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _div_floor(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("_div_floor.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor floor_divide(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("floor_divide");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::floor_divide(const Tensor& other, std::source_location where) const { return frit::floor_divide(*this, other, where); }
Tensor floor_divide(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("floor_divide.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::floor_divide(Scalar other, std::source_location where) const { return frit::floor_divide(*this, other, where); }
Tensor remainder(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("remainder.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::remainder(const Tensor& other, std::source_location where) const { return frit::remainder(*this, other, where); }
Tensor remainder(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("remainder.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::remainder(Scalar other, std::source_location where) const { return frit::remainder(*this, other, where); }
Tensor remainder(Scalar self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("remainder.Scalar_Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor fmod(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("fmod.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::fmod(const Tensor& other, std::source_location where) const { return frit::fmod(*this, other, where); }
Tensor fmod(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("fmod.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::fmod(Scalar other, std::source_location where) const { return frit::fmod(*this, other, where); }
Tensor sqrt(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("sqrt");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::sqrt(std::source_location where) const { return frit::sqrt(*this, where); }
Tensor rsqrt(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("rsqrt");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::rsqrt(std::source_location where) const { return frit::rsqrt(*this, where); }
Tensor reciprocal(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("reciprocal");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::reciprocal(std::source_location where) const { return frit::reciprocal(*this, where); }
Tensor square(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("square");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::square(std::source_location where) const { return frit::square(*this, where); }
Tensor exp(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("exp");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::exp(std::source_location where) const { return frit::exp(*this, where); }
Tensor exp2(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("exp2");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::exp2(std::source_location where) const { return frit::exp2(*this, where); }
Tensor expm1(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("expm1");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::expm1(std::source_location where) const { return frit::expm1(*this, where); }
Tensor log(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("log");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::log(std::source_location where) const { return frit::log(*this, where); }
Tensor log1p(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("log1p");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::log1p(std::source_location where) const { return frit::log1p(*this, where); }
Tensor log2(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("log2");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::log2(std::source_location where) const { return frit::log2(*this, where); }
Tensor log10(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("log10");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::log10(std::source_location where) const { return frit::log10(*this, where); }
Tensor sin(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("sin");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::sin(std::source_location where) const { return frit::sin(*this, where); }
Tensor cos(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("cos");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::cos(std::source_location where) const { return frit::cos(*this, where); }
Tensor tan(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("tan");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::tan(std::source_location where) const { return frit::tan(*this, where); }
Tensor asin(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("asin");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::asin(std::source_location where) const { return frit::asin(*this, where); }
Tensor acos(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("acos");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::acos(std::source_location where) const { return frit::acos(*this, where); }
Tensor atan(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("atan");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::atan(std::source_location where) const { return frit::atan(*this, where); }
Tensor sinh(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("sinh");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::sinh(std::source_location where) const { return frit::sinh(*this, where); }
Tensor cosh(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("cosh");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::cosh(std::source_location where) const { return frit::cosh(*this, where); }
Tensor tanh(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("tanh");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::tanh(std::source_location where) const { return frit::tanh(*this, where); }
Tensor sigmoid(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("sigmoid");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::sigmoid(std::source_location where) const { return frit::sigmoid(*this, where); }
Tensor erf(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("erf");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::erf(std::source_location where) const { return frit::erf(*this, where); }
Tensor erfc(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("erfc");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::erfc(std::source_location where) const { return frit::erfc(*this, where); }
Tensor atan2(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("atan2");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::atan2(const Tensor& other, std::source_location where) const { return frit::atan2(*this, other, where); }
Tensor hypot(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("hypot");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::hypot(const Tensor& other, std::source_location where) const { return frit::hypot(*this, other, where); }
Tensor floor(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("floor");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::floor(std::source_location where) const { return frit::floor(*this, where); }
Tensor ceil(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("ceil");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::ceil(std::source_location where) const { return frit::ceil(*this, where); }
Tensor round(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("round");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::round(std::source_location where) const { return frit::round(*this, where); }
Tensor trunc(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("trunc");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::trunc(std::source_location where) const { return frit::trunc(*this, where); }
Tensor _round_scaled(const Tensor& self, Scalar up, Scalar down, std::source_location where) {
  static const OpRecord& record = find_op("_round_scaled");
  const Arg args[] = {to_arg(self), to_arg(up), to_arg(down)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor frac(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("frac");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::frac(std::source_location where) const { return frit::frac(*this, where); }
Tensor neg(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("neg");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::neg(std::source_location where) const { return frit::neg(*this, where); }
Tensor abs(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("abs");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::abs(std::source_location where) const { return frit::abs(*this, where); }
Tensor sign(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("sign");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::sign(std::source_location where) const { return frit::sign(*this, where); }
Tensor sgn(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("sgn");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::sgn(std::source_location where) const { return frit::sgn(*this, where); }
Tensor copysign(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("copysign.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::copysign(const Tensor& other, std::source_location where) const { return frit::copysign(*this, other, where); }
Tensor copysign(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("copysign.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::copysign(Scalar other, std::source_location where) const { return frit::copysign(*this, other, where); }
Tensor isnan(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("isnan");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::isnan(std::source_location where) const { return frit::isnan(*this, where); }
Tensor isinf(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("isinf");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::isinf(std::source_location where) const { return frit::isinf(*this, where); }
Tensor isfinite(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("isfinite");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::isfinite(std::source_location where) const { return frit::isfinite(*this, where); }
Tensor signbit(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("signbit");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::signbit(std::source_location where) const { return frit::signbit(*this, where); }
Tensor pow(const Tensor& self, Scalar exponent, std::source_location where) {
  static const OpRecord& record = find_op("pow.Tensor_Scalar");
  const Arg args[] = {to_arg(self), to_arg(exponent)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::pow(Scalar exponent, std::source_location where) const { return frit::pow(*this, exponent, where); }
Tensor pow(const Tensor& self, const Tensor& exponent, std::source_location where) {
  static const OpRecord& record = find_op("pow.Tensor_Tensor");
  const Arg args[] = {to_arg(self), to_arg(exponent)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::pow(const Tensor& exponent, std::source_location where) const { return frit::pow(*this, exponent, where); }
Tensor pow(Scalar self, const Tensor& exponent, std::source_location where) {
  static const OpRecord& record = find_op("pow.Scalar");
  const Arg args[] = {to_arg(self), to_arg(exponent)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor relu(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("relu");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::relu(std::source_location where) const { return frit::relu(*this, where); }
Tensor threshold(const Tensor& self, Scalar threshold, Scalar value, std::source_location where) {
  static const OpRecord& record = find_op("threshold");
  const Arg args[] = {to_arg(self), to_arg(threshold), to_arg(value)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::threshold(Scalar threshold, Scalar value, std::source_location where) const { return frit::threshold(*this, threshold, value, where); }
Tensor threshold_backward(const Tensor& grad_output, const Tensor& self, Scalar threshold, std::source_location where) {
  static const OpRecord& record = find_op("threshold_backward");
  const Arg args[] = {to_arg(grad_output), to_arg(self), to_arg(threshold)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor leaky_relu(const Tensor& self, Scalar negative_slope, std::source_location where) {
  static const OpRecord& record = find_op("leaky_relu");
  const Arg args[] = {to_arg(self), to_arg(negative_slope)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::leaky_relu(Scalar negative_slope, std::source_location where) const { return frit::leaky_relu(*this, negative_slope, where); }
Tensor leaky_relu_backward(const Tensor& grad_output, const Tensor& self, Scalar negative_slope, bool self_is_result, std::source_location where) {
  static const OpRecord& record = find_op("leaky_relu_backward");
  const Arg args[] = {to_arg(grad_output), to_arg(self), to_arg(negative_slope), to_arg(self_is_result)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor hardtanh(const Tensor& self, Scalar min_val, Scalar max_val, std::source_location where) {
  static const OpRecord& record = find_op("hardtanh");
  const Arg args[] = {to_arg(self), to_arg(min_val), to_arg(max_val)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::hardtanh(Scalar min_val, Scalar max_val, std::source_location where) const { return frit::hardtanh(*this, min_val, max_val, where); }
Tensor hardtanh_backward(const Tensor& grad_output, const Tensor& self, Scalar min_val, Scalar max_val, std::source_location where) {
  static const OpRecord& record = find_op("hardtanh_backward");
  const Arg args[] = {to_arg(grad_output), to_arg(self), to_arg(min_val), to_arg(max_val)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor sigmoid_backward(const Tensor& grad_output, const Tensor& output, std::source_location where) {
  static const OpRecord& record = find_op("sigmoid_backward");
  const Arg args[] = {to_arg(grad_output), to_arg(output)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor tanh_backward(const Tensor& grad_output, const Tensor& output, std::source_location where) {
  static const OpRecord& record = find_op("tanh_backward");
  const Arg args[] = {to_arg(grad_output), to_arg(output)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor hardsigmoid(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("hardsigmoid");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::hardsigmoid(std::source_location where) const { return frit::hardsigmoid(*this, where); }
Tensor hardsigmoid_backward(const Tensor& grad_output, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("hardsigmoid_backward");
  const Arg args[] = {to_arg(grad_output), to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor hardswish(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("hardswish");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::hardswish(std::source_location where) const { return frit::hardswish(*this, where); }
Tensor hardswish_backward(const Tensor& grad_output, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("hardswish_backward");
  const Arg args[] = {to_arg(grad_output), to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor silu(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("silu");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::silu(std::source_location where) const { return frit::silu(*this, where); }
Tensor silu_backward(const Tensor& grad_output, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("silu_backward");
  const Arg args[] = {to_arg(grad_output), to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor gelu(const Tensor& self, std::string_view approximate, std::source_location where) {
  static const OpRecord& record = find_op("gelu");
  const Arg args[] = {to_arg(self), to_arg(approximate)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::gelu(std::string_view approximate, std::source_location where) const { return frit::gelu(*this, approximate, where); }
Tensor gelu_backward(const Tensor& grad_output, const Tensor& self, std::string_view approximate, std::source_location where) {
  static const OpRecord& record = find_op("gelu_backward");
  const Arg args[] = {to_arg(grad_output), to_arg(self), to_arg(approximate)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor softplus(const Tensor& self, Scalar beta, Scalar threshold, std::source_location where) {
  static const OpRecord& record = find_op("softplus");
  const Arg args[] = {to_arg(self), to_arg(beta), to_arg(threshold)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::softplus(Scalar beta, Scalar threshold, std::source_location where) const { return frit::softplus(*this, beta, threshold, where); }
Tensor softplus_backward(const Tensor& grad_output, const Tensor& self, Scalar beta, Scalar threshold, std::source_location where) {
  static const OpRecord& record = find_op("softplus_backward");
  const Arg args[] = {to_arg(grad_output), to_arg(self), to_arg(beta), to_arg(threshold)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor elu(const Tensor& self, Scalar alpha, Scalar scale, Scalar input_scale, std::source_location where) {
  static const OpRecord& record = find_op("elu");
  const Arg args[] = {to_arg(self), to_arg(alpha), to_arg(scale), to_arg(input_scale)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::elu(Scalar alpha, Scalar scale, Scalar input_scale, std::source_location where) const { return frit::elu(*this, alpha, scale, input_scale, where); }
Tensor elu_backward(const Tensor& grad_output, Scalar alpha, Scalar scale, Scalar input_scale, bool is_result, const Tensor& self_or_result, std::source_location where) {
  static const OpRecord& record = find_op("elu_backward");
  const Arg args[] = {to_arg(grad_output), to_arg(alpha), to_arg(scale), to_arg(input_scale), to_arg(is_result), to_arg(self_or_result)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor eq(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("eq.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::eq(const Tensor& other, std::source_location where) const { return frit::eq(*this, other, where); }
Tensor eq(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("eq.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::eq(Scalar other, std::source_location where) const { return frit::eq(*this, other, where); }
Tensor ne(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("ne.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::ne(const Tensor& other, std::source_location where) const { return frit::ne(*this, other, where); }
Tensor ne(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("ne.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::ne(Scalar other, std::source_location where) const { return frit::ne(*this, other, where); }
Tensor lt(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("lt.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::lt(const Tensor& other, std::source_location where) const { return frit::lt(*this, other, where); }
Tensor lt(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("lt.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::lt(Scalar other, std::source_location where) const { return frit::lt(*this, other, where); }
Tensor le(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("le.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::le(const Tensor& other, std::source_location where) const { return frit::le(*this, other, where); }
Tensor le(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("le.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::le(Scalar other, std::source_location where) const { return frit::le(*this, other, where); }
Tensor gt(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("gt.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::gt(const Tensor& other, std::source_location where) const { return frit::gt(*this, other, where); }
Tensor gt(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("gt.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::gt(Scalar other, std::source_location where) const { return frit::gt(*this, other, where); }
Tensor ge(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("ge.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::ge(const Tensor& other, std::source_location where) const { return frit::ge(*this, other, where); }
Tensor ge(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("ge.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::ge(Scalar other, std::source_location where) const { return frit::ge(*this, other, where); }
Tensor logical_and(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("logical_and");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::logical_and(const Tensor& other, std::source_location where) const { return frit::logical_and(*this, other, where); }
Tensor logical_or(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("logical_or");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::logical_or(const Tensor& other, std::source_location where) const { return frit::logical_or(*this, other, where); }
Tensor logical_xor(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("logical_xor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::logical_xor(const Tensor& other, std::source_location where) const { return frit::logical_xor(*this, other, where); }
Tensor logical_not(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("logical_not");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::logical_not(std::source_location where) const { return frit::logical_not(*this, where); }
Tensor _clamp(const Tensor& self, Scalar min, Scalar max, std::source_location where) {
  static const OpRecord& record = find_op("_clamp");
  const Arg args[] = {to_arg(self), to_arg(min), to_arg(max)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _clamp(const Tensor& self, const Tensor& min, const Tensor& max, std::source_location where) {
  static const OpRecord& record = find_op("_clamp.Tensor");
  const Arg args[] = {to_arg(self), to_arg(min), to_arg(max)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor clamp_min(const Tensor& self, Scalar min, std::source_location where) {
  static const OpRecord& record = find_op("clamp_min");
  const Arg args[] = {to_arg(self), to_arg(min)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::clamp_min(Scalar min, std::source_location where) const { return frit::clamp_min(*this, min, where); }
Tensor clamp_max(const Tensor& self, Scalar max, std::source_location where) {
  static const OpRecord& record = find_op("clamp_max");
  const Arg args[] = {to_arg(self), to_arg(max)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::clamp_max(Scalar max, std::source_location where) const { return frit::clamp_max(*this, max, where); }
Tensor clamp_min(const Tensor& self, const Tensor& min, std::source_location where) {
  static const OpRecord& record = find_op("clamp_min.Tensor");
  const Arg args[] = {to_arg(self), to_arg(min)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::clamp_min(const Tensor& min, std::source_location where) const { return frit::clamp_min(*this, min, where); }
Tensor clamp_max(const Tensor& self, const Tensor& max, std::source_location where) {
  static const OpRecord& record = find_op("clamp_max.Tensor");
  const Arg args[] = {to_arg(self), to_arg(max)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::clamp_max(const Tensor& max, std::source_location where) const { return frit::clamp_max(*this, max, where); }
Tensor maximum(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("maximum");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::maximum(const Tensor& other, std::source_location where) const { return frit::maximum(*this, other, where); }
Tensor minimum(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("minimum");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::minimum(const Tensor& other, std::source_location where) const { return frit::minimum(*this, other, where); }
Tensor fmax(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("fmax");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::fmax(const Tensor& other, std::source_location where) const { return frit::fmax(*this, other, where); }
Tensor fmin(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("fmin");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::fmin(const Tensor& other, std::source_location where) const { return frit::fmin(*this, other, where); }
Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("where.self");
  const Arg args[] = {to_arg(condition), to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor where(const Tensor& condition, const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("where.ScalarOther");
  const Arg args[] = {to_arg(condition), to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}

}  // namespace frit
