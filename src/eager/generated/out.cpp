// Generated from the op records by tools/generate; do not edit.
#include <frit/ops.h>

#include "eager/dispatch.h"
#include "ops/record.h"
#include "ops/to_arg.h"

namespace frit {

Tensor add_out(const Tensor& out, const Tensor& self, const Tensor& other, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("add.out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(alpha), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor add_out(const Tensor& out, const Tensor& self, Scalar other, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("add.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(alpha), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor sub_out(const Tensor& out, const Tensor& self, const Tensor& other, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("sub.out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(alpha), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor sub_out(const Tensor& out, const Tensor& self, Scalar other, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("sub.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(alpha), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor rsub_out(const Tensor& out, const Tensor& self, const Tensor& other, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("rsub.Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(alpha), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor rsub_out(const Tensor& out, const Tensor& self, Scalar other, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("rsub.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(alpha), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor mul_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("mul.out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor mul_out(const Tensor& out, const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("mul.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor addcmul_out(const Tensor& out, const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value, std::source_location where) {
  static const OpRecord& record = find_op("addcmul.out");
  const Arg args[] = {to_arg(self), to_arg(tensor1), to_arg(tensor2), to_arg(value), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor addcdiv_out(const Tensor& out, const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value, std::source_location where) {
  static const OpRecord& record = find_op("addcdiv.out");
  const Arg args[] = {to_arg(self), to_arg(tensor1), to_arg(tensor2), to_arg(value), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor div_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("div.out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor div_out(const Tensor& out, const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("div.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor true_divide_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("true_divide.out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _div_trunc_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("_div_trunc.out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _div_trunc_out(const Tensor& out, const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("_div_trunc.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _div_floor_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("_div_floor.out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _div_floor_out(const Tensor& out, const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("_div_floor.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor floor_divide_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("floor_divide.out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor floor_divide_out(const Tensor& out, const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("floor_divide.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor div_out(const Tensor& out, const Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode, std::source_location where) {
  static const OpRecord& record = find_op("div.out_mode");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(rounding_mode), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor div_out(const Tensor& out, const Tensor& self, Scalar other, std::optional<std::string_view> rounding_mode, std::source_location where) {
  static const OpRecord& record = find_op("div.Scalar_mode_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(rounding_mode), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor remainder_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("remainder.Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor remainder_out(const Tensor& out, const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("remainder.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor remainder_out(const Tensor& out, Scalar self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("remainder.Scalar_Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor fmod_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("fmod.Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor fmod_out(const Tensor& out, const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("fmod.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor sqrt_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("sqrt.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor rsqrt_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("rsqrt.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor reciprocal_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("reciprocal.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor square_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("square.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor exp_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("exp.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor exp2_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("exp2.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor expm1_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("expm1.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor log_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("log.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor log1p_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("log1p.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor log2_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("log2.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor log10_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("log10.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor sin_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("sin.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor cos_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("cos.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor tan_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("tan.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor asin_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("asin.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor acos_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("acos.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor atan_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("atan.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor sinh_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("sinh.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor cosh_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("cosh.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor tanh_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("tanh.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor sigmoid_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("sigmoid.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor erf_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("erf.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor erfc_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("erfc.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor atan2_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("atan2.out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor hypot_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("hypot.out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor floor_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("floor.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor ceil_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("ceil.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor round_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("round.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor trunc_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("trunc.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor round_out(const Tensor& out, const Tensor& self, Int decimals, std::source_location where) {
  static const OpRecord& record = find_op("round.decimals_out");
  const Arg args[] = {to_arg(self), to_arg(decimals), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor frac_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("frac.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor neg_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("neg.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor abs_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("abs.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor sign_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("sign.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor sgn_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("sgn.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor copysign_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("copysign.out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor copysign_out(const Tensor& out, const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("copysign.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor isnan_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("isnan.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor isinf_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("isinf.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor isfinite_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("isfinite.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor signbit_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("signbit.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor pow_out(const Tensor& out, const Tensor& self, Scalar exponent, std::source_location where) {
  static const OpRecord& record = find_op("pow.Tensor_Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(exponent), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor pow_out(const Tensor& out, const Tensor& self, const Tensor& exponent, std::source_location where) {
  static const OpRecord& record = find_op("pow.Tensor_Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(exponent), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor pow_out(const Tensor& out, Scalar self, const Tensor& exponent, std::source_location where) {
  static const OpRecord& record = find_op("pow.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(exponent), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor relu_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("relu.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor threshold_out(const Tensor& out, const Tensor& self, Scalar threshold, Scalar value, std::source_location where) {
  static const OpRecord& record = find_op("threshold.out");
  const Arg args[] = {to_arg(self), to_arg(threshold), to_arg(value), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor threshold_backward_out(const Tensor& grad_input, const Tensor& grad_output, const Tensor& self, Scalar threshold, std::source_location where) {
  static const OpRecord& record = find_op("threshold_backward.grad_input");
  const Arg args[] = {to_arg(grad_output), to_arg(self), to_arg(threshold), to_arg(grad_input)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor leaky_relu_out(const Tensor& out, const Tensor& self, Scalar negative_slope, std::source_location where) {
  static const OpRecord& record = find_op("leaky_relu.out");
  const Arg args[] = {to_arg(self), to_arg(negative_slope), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor leaky_relu_backward_out(const Tensor& grad_input, const Tensor& grad_output, const Tensor& self, Scalar negative_slope, bool self_is_result, std::source_location where) {
  static const OpRecord& record = find_op("leaky_relu_backward.grad_input");
  const Arg args[] = {to_arg(grad_output), to_arg(self), to_arg(negative_slope), to_arg(self_is_result), to_arg(grad_input)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor hardtanh_out(const Tensor& out, const Tensor& self, Scalar min_val, Scalar max_val, std::source_location where) {
  static const OpRecord& record = find_op("hardtanh.out");
  const Arg args[] = {to_arg(self), to_arg(min_val), to_arg(max_val), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor hardtanh_backward_out(const Tensor& grad_input, const Tensor& grad_output, const Tensor& self, Scalar min_val, Scalar max_val, std::source_location where) {
  static const OpRecord& record = find_op("hardtanh_backward.grad_input");
  const Arg args[] = {to_arg(grad_output), to_arg(self), to_arg(min_val), to_arg(max_val), to_arg(grad_input)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor sigmoid_backward_out(const Tensor& grad_input, const Tensor& grad_output, const Tensor& output, std::source_location where) {
  static const OpRecord& record = find_op("sigmoid_backward.grad_input");
  const Arg args[] = {to_arg(grad_output), to_arg(output), to_arg(grad_input)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor tanh_backward_out(const Tensor& grad_input, const Tensor& grad_output, const Tensor& output, std::source_location where) {
  static const OpRecord& record = find_op("tanh_backward.grad_input");
  const Arg args[] = {to_arg(grad_output), to_arg(output), to_arg(grad_input)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor hardsigmoid_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("hardsigmoid.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor hardsigmoid_backward_out(const Tensor& grad_input, const Tensor& grad_output, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("hardsigmoid_backward.grad_input");
  const Arg args[] = {to_arg(grad_output), to_arg(self), to_arg(grad_input)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor hardswish_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("hardswish.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor silu_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("silu.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor silu_backward_out(const Tensor& grad_input, const Tensor& grad_output, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("silu_backward.grad_input");
  const Arg args[] = {to_arg(grad_output), to_arg(self), to_arg(grad_input)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor gelu_out(const Tensor& out, const Tensor& self, std::string_view approximate, std::source_location where) {
  static const OpRecord& record = find_op("gelu.out");
  const Arg args[] = {to_arg(self), to_arg(approximate), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor gelu_backward_out(const Tensor& grad_input, const Tensor& grad_output, const Tensor& self, std::string_view approximate, std::source_location where) {
  static const OpRecord& record = find_op("gelu_backward.grad_input");
  const Arg args[] = {to_arg(grad_output), to_arg(self), to_arg(approximate), to_arg(grad_input)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor softplus_out(const Tensor& out, const Tensor& self, Scalar beta, Scalar threshold, std::source_location where) {
  static const OpRecord& record = find_op("softplus.out");
  const Arg args[] = {to_arg(self), to_arg(beta), to_arg(threshold), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor softplus_backward_out(const Tensor& grad_input, const Tensor& grad_output, const Tensor& self, Scalar beta, Scalar threshold, std::source_location where) {
  static const OpRecord& record = find_op("softplus_backward.grad_input");
  const Arg args[] = {to_arg(grad_output), to_arg(self), to_arg(beta), to_arg(threshold), to_arg(grad_input)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor elu_out(const Tensor& out, const Tensor& self, Scalar alpha, Scalar scale, Scalar input_scale, std::source_location where) {
  static const OpRecord& record = find_op("elu.out");
  const Arg args[] = {to_arg(self), to_arg(alpha), to_arg(scale), to_arg(input_scale), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor elu_backward_out(const Tensor& grad_input, const Tensor& grad_output, Scalar alpha, Scalar scale, Scalar input_scale, bool is_result, const Tensor& self_or_result, std::source_location where) {
  static const OpRecord& record = find_op("elu_backward.grad_input");
  const Arg args[] = {to_arg(grad_output), to_arg(alpha), to_arg(scale), to_arg(input_scale), to_arg(is_result), to_arg(self_or_result), to_arg(grad_input)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor eq_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("eq.Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor eq_out(const Tensor& out, const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("eq.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor ne_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("ne.Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor ne_out(const Tensor& out, const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("ne.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor lt_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("lt.Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor lt_out(const Tensor& out, const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("lt.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor le_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("le.Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor le_out(const Tensor& out, const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("le.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor gt_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("gt.Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor gt_out(const Tensor& out, const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("gt.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor ge_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("ge.Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor ge_out(const Tensor& out, const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("ge.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor logical_and_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("logical_and.out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor logical_or_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("logical_or.out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor logical_xor_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("logical_xor.out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor logical_not_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("logical_not.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor clamp_out(const Tensor& out, const Tensor& self, std::optional<Scalar> min, std::optional<Scalar> max, std::source_location where) {
  static const OpRecord& record = find_op("clamp.out");
  const Arg args[] = {to_arg(self), to_arg(min), to_arg(max), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor clamp_out(const Tensor& out, const Tensor& self, const Tensor& min, const Tensor& max, std::source_location where) {
  static const OpRecord& record = find_op("clamp.Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(min), to_arg(max), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor clamp_min_out(const Tensor& out, const Tensor& self, Scalar min, std::source_location where) {
  static const OpRecord& record = find_op("clamp_min.out");
  const Arg args[] = {to_arg(self), to_arg(min), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor clamp_max_out(const Tensor& out, const Tensor& self, Scalar max, std::source_location where) {
  static const OpRecord& record = find_op("clamp_max.out");
  const Arg args[] = {to_arg(self), to_arg(max), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor clamp_min_out(const Tensor& out, const Tensor& self, const Tensor& min, std::source_location where) {
  static const OpRecord& record = find_op("clamp_min.Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(min), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor clamp_max_out(const Tensor& out, const Tensor& self, const Tensor& max, std::source_location where) {
  static const OpRecord& record = find_op("clamp_max.Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(max), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor maximum_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("maximum.out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor minimum_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("minimum.out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor fmax_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("fmax.out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor fmin_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("fmin.out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor where_out(const Tensor& out, const Tensor& condition, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("where.self_out");
  const Arg args[] = {to_arg(condition), to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor masked_fill_out(const Tensor& out, const Tensor& self, const Tensor& mask, Scalar value, std::source_location where) {
  static const OpRecord& record = find_op("masked_fill.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(mask), to_arg(value), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor masked_fill_out(const Tensor& out, const Tensor& self, const Tensor& mask, const Tensor& value, std::source_location where) {
  static const OpRecord& record = find_op("masked_fill.Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(mask), to_arg(value), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor fill_out(const Tensor& out, const Tensor& self, Scalar value, std::source_location where) {
  static const OpRecord& record = find_op("fill.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(value), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor fill_out(const Tensor& out, const Tensor& self, const Tensor& value, std::source_location where) {
  static const OpRecord& record = find_op("fill.Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(value), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor zero_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("zero.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor lerp_out(const Tensor& out, const Tensor& self, const Tensor& end, Scalar weight, std::source_location where) {
  static const OpRecord& record = find_op("lerp.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(end), to_arg(weight), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor lerp_out(const Tensor& out, const Tensor& self, const Tensor& end, const Tensor& weight, std::source_location where) {
  static const OpRecord& record = find_op("lerp.Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(end), to_arg(weight), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor logaddexp_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("logaddexp.out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor nan_to_num_out(const Tensor& out, const Tensor& self, std::optional<double> nan, std::optional<double> posinf, std::optional<double> neginf, std::source_location where) {
  static const OpRecord& record = find_op("nan_to_num.out");
  const Arg args[] = {to_arg(self), to_arg(nan), to_arg(posinf), to_arg(neginf), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor bitwise_and_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_and.Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor bitwise_and_out(const Tensor& out, const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_and.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor bitwise_and_out(const Tensor& out, Scalar self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_and.Scalar_Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}

}  // namespace frit
