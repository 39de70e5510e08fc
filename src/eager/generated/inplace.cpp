// Generated from the op records by tools/generate; do not edit.
#include <frit/ops.h>

#include "eager/dispatch.h"
#include "ops/record.h"
#include "ops/to_arg.h"

namespace frit {

Tensor addmv_(const Tensor& self, const Tensor& mat, const Tensor& vec, Scalar beta, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("addmv_");
  const Arg args[] = {to_arg(self), to_arg(mat), to_arg(vec), to_arg(beta), to_arg(alpha)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::addmv_(const Tensor& mat, const Tensor& vec, Scalar beta, Scalar alpha, std::source_location where) const { return frit::addmv_(*this, mat, vec, beta, alpha, where); }
Tensor index_put_(const Tensor& self, const TensorList& indices, const Tensor& values, bool accumulate, std::source_location where) {
  static const OpRecord& record = find_op("index_put_");
  const Arg args[] = {to_arg(self), to_arg(indices), to_arg(values), to_arg(accumulate)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _index_put_impl_(const Tensor& self, const TensorList& indices, const Tensor& values, bool accumulate, bool unsafe, std::source_location where) {
  static const OpRecord& record = find_op("_index_put_impl_");
  const Arg args[] = {to_arg(self), to_arg(indices), to_arg(values), to_arg(accumulate), to_arg(unsafe)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor masked_scatter_(const Tensor& self, const Tensor& mask, const Tensor& source, std::source_location where) {
  static const OpRecord& record = find_op("masked_scatter_");
  const Arg args[] = {to_arg(self), to_arg(mask), to_arg(source)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::masked_scatter_(const Tensor& mask, const Tensor& source, std::source_location where) const { return frit::masked_scatter_(*this, mask, source, where); }
Tensor uniform_(const Tensor& self, double from, double to, std::shared_ptr<Generator> generator, std::source_location where) {
  static const OpRecord& record = find_op("uniform_");
  const Arg args[] = {to_arg(self), to_arg(from), to_arg(to), to_arg(generator)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::uniform_(double from, double to, std::shared_ptr<Generator> generator, std::source_location where) const { return frit::uniform_(*this, from, to, generator, where); }
Tensor normal_(const Tensor& self, double mean, double std, std::shared_ptr<Generator> generator, std::source_location where) {
  static const OpRecord& record = find_op("normal_");
  const Arg args[] = {to_arg(self), to_arg(mean), to_arg(std), to_arg(generator)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::normal_(double mean, double std, std::shared_ptr<Generator> generator, std::source_location where) const { return frit::normal_(*this, mean, std, generator, where); }
Tensor bernoulli_(const Tensor& self, double p, std::shared_ptr<Generator> generator, std::source_location where) {
  static const OpRecord& record = find_op("bernoulli_.float");
  const Arg args[] = {to_arg(self), to_arg(p), to_arg(generator)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bernoulli_(double p, std::shared_ptr<Generator> generator, std::source_location where) const { return frit::bernoulli_(*this, p, generator, where); }
Tensor dropout_(const Tensor& self, double p, bool train, std::source_location where) {
  static const OpRecord& record = find_op("dropout_");
  const Arg args[] = {to_arg(self), to_arg(p), to_arg(train)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::dropout_(double p, bool train, std::source_location where) const { return frit::dropout_(*this, p, train, where); }
Tensor add_(const Tensor& self, const Tensor& other, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("add_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(alpha)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::add_(const Tensor& other, Scalar alpha, std::source_location where) const { return frit::add_(*this, other, alpha, where); }
Tensor add_(const Tensor& self, Scalar other, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("add_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(alpha)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::add_(Scalar other, Scalar alpha, std::source_location where) const { return frit::add_(*this, other, alpha, where); }
Tensor sub_(const Tensor& self, const Tensor& other, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("sub_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(alpha)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::sub_(const Tensor& other, Scalar alpha, std::source_location where) const { return frit::sub_(*this, other, alpha, where); }
Tensor sub_(const Tensor& self, Scalar other, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("sub_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(alpha)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::sub_(Scalar other, Scalar alpha, std::source_location where) const { return frit::sub_(*this, other, alpha, where); }
Tensor mul_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("mul_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::mul_(const Tensor& other, std::source_location where) const { return frit::mul_(*this, other, where); }
Tensor mul_(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("mul_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::mul_(Scalar other, std::source_location where) const { return frit::mul_(*this, other, where); }
Tensor addcmul_(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value, std::source_location where) {
  static const OpRecord& record = find_op("addcmul_");
  const Arg args[] = {to_arg(self), to_arg(tensor1), to_arg(tensor2), to_arg(value)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::addcmul_(const Tensor& tensor1, const Tensor& tensor2, Scalar value, std::source_location where) const { return frit::addcmul_(*this, tensor1, tensor2, value, where); }
Tensor addcdiv_(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value, std::source_location where) {
  static const OpRecord& record = find_op("addcdiv_");
  const Arg args[] = {to_arg(self), to_arg(tensor1), to_arg(tensor2), to_arg(value)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::addcdiv_(const Tensor& tensor1, const Tensor& tensor2, Scalar value, std::source_location where) const { return frit::addcdiv_(*this, tensor1, tensor2, value, where); }
Tensor div_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("div_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::div_(const Tensor& other, std::source_location where) const { return frit::div_(*this, other, where); }
Tensor div_(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("div_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::div_(Scalar other, std::source_location where) const { return frit::div_(*this, other, where); }
Tensor true_divide_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("true_divide_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::true_divide_(const Tensor& other, std::source_location where) const { return frit::true_divide_(*this, other, where); }
Tensor true_divide_(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("true_divide_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::true_divide_(Scalar other, std::source_location where) const { return frit::true_divide_(*this, other, where); }
Tensor _div_trunc_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("_div_trunc_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _div_trunc_(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("_div_trunc_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _div_floor_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("_div_floor_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _div_floor_(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("_div_floor_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor floor_divide_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("floor_divide_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::floor_divide_(const Tensor& other, std::source_location where) const { return frit::floor_divide_(*this, other, where); }
Tensor floor_divide_(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("floor_divide_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::floor_divide_(Scalar other, std::source_location where) const { return frit::floor_divide_(*this, other, where); }
Tensor div_(const Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode, std::source_location where) {
  static const OpRecord& record = find_op("div_.Tensor_mode");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(rounding_mode)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::div_(const Tensor& other, std::optional<std::string_view> rounding_mode, std::source_location where) const { return frit::div_(*this, other, rounding_mode, where); }
Tensor div_(const Tensor& self, Scalar other, std::optional<std::string_view> rounding_mode, std::source_location where) {
  static const OpRecord& record = find_op("div_.Scalar_mode");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(rounding_mode)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::div_(Scalar other, std::optional<std::string_view> rounding_mode, std::source_location where) const { return frit::div_(*this, other, rounding_mode, where); }
Tensor remainder_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("remainder_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::remainder_(const Tensor& other, std::source_location where) const { return frit::remainder_(*this, other, where); }
Tensor remainder_(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("remainder_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::remainder_(Scalar other, std::source_location where) const { return frit::remainder_(*this, other, where); }
Tensor fmod_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("fmod_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::fmod_(const Tensor& other, std::source_location where) const { return frit::fmod_(*this, other, where); }
Tensor fmod_(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("fmod_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::fmod_(Scalar other, std::source_location where) const { return frit::fmod_(*this, other, where); }
Tensor sqrt_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("sqrt_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::sqrt_(std::source_location where) const { return frit::sqrt_(*this, where); }
Tensor rsqrt_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("rsqrt_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::rsqrt_(std::source_location where) const { return frit::rsqrt_(*this, where); }
Tensor reciprocal_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("reciprocal_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::reciprocal_(std::source_location where) const { return frit::reciprocal_(*this, where); }
Tensor square_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("square_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::square_(std::source_location where) const { return frit::square_(*this, where); }
Tensor exp_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("exp_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::exp_(std::source_location where) const { return frit::exp_(*this, where); }
Tensor exp2_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("exp2_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::exp2_(std::source_location where) const { return frit::exp2_(*this, where); }
Tensor expm1_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("expm1_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::expm1_(std::source_location where) const { return frit::expm1_(*this, where); }
Tensor log_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("log_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::log_(std::source_location where) const { return frit::log_(*this, where); }
Tensor log1p_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("log1p_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::log1p_(std::source_location where) const { return frit::log1p_(*this, where); }
Tensor log2_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("log2_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::log2_(std::source_location where) const { return frit::log2_(*this, where); }
Tensor log10_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("log10_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::log10_(std::source_location where) const { return frit::log10_(*this, where); }
Tensor sin_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("sin_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::sin_(std::source_location where) const { return frit::sin_(*this, where); }
Tensor cos_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("cos_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::cos_(std::source_location where) const { return frit::cos_(*this, where); }
Tensor tan_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("tan_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::tan_(std::source_location where) const { return frit::tan_(*this, where); }
Tensor asin_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("asin_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::asin_(std::source_location where) const { return frit::asin_(*this, where); }
Tensor acos_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("acos_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::acos_(std::source_location where) const { return frit::acos_(*this, where); }
Tensor atan_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("atan_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::atan_(std::source_location where) const { return frit::atan_(*this, where); }
Tensor sinh_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("sinh_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::sinh_(std::source_location where) const { return frit::sinh_(*this, where); }
Tensor cosh_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("cosh_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::cosh_(std::source_location where) const { return frit::cosh_(*this, where); }
Tensor tanh_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("tanh_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::tanh_(std::source_location where) const { return frit::tanh_(*this, where); }
Tensor sigmoid_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("sigmoid_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::sigmoid_(std::source_location where) const { return frit::sigmoid_(*this, where); }
Tensor erf_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("erf_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::erf_(std::source_location where) const { return frit::erf_(*this, where); }
Tensor erfc_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("erfc_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::erfc_(std::source_location where) const { return frit::erfc_(*this, where); }
Tensor atan2_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("atan2_");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::atan2_(const Tensor& other, std::source_location where) const { return frit::atan2_(*this, other, where); }
Tensor hypot_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("hypot_");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::hypot_(const Tensor& other, std::source_location where) const { return frit::hypot_(*this, other, where); }
Tensor floor_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("floor_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::floor_(std::source_location where) const { return frit::floor_(*this, where); }
Tensor ceil_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("ceil_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::ceil_(std::source_location where) const { return frit::ceil_(*this, where); }
Tensor round_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("round_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::round_(std::source_location where) const { return frit::round_(*this, where); }
Tensor trunc_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("trunc_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::trunc_(std::source_location where) const { return frit::trunc_(*this, where); }
Tensor round_(const Tensor& self, Int decimals, std::source_location where) {
  static const OpRecord& record = find_op("round_.decimals");
  const Arg args[] = {to_arg(self), to_arg(decimals)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::round_(Int decimals, std::source_location where) const { return frit::round_(*this, decimals, where); }
Tensor frac_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("frac_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::frac_(std::source_location where) const { return frit::frac_(*this, where); }
Tensor neg_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("neg_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::neg_(std::source_location where) const { return frit::neg_(*this, where); }
Tensor abs_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("abs_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::abs_(std::source_location where) const { return frit::abs_(*this, where); }
Tensor sign_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("sign_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::sign_(std::source_location where) const { return frit::sign_(*this, where); }
Tensor sgn_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("sgn_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::sgn_(std::source_location where) const { return frit::sgn_(*this, where); }
Tensor copysign_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("copysign_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::copysign_(const Tensor& other, std::source_location where) const { return frit::copysign_(*this, other, where); }
Tensor copysign_(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("copysign_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::copysign_(Scalar other, std::source_location where) const { return frit::copysign_(*this, other, where); }
Tensor pow_(const Tensor& self, Scalar exponent, std::source_location where) {
  static const OpRecord& record = find_op("pow_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(exponent)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::pow_(Scalar exponent, std::source_location where) const { return frit::pow_(*this, exponent, where); }
Tensor pow_(const Tensor& self, const Tensor& exponent, std::source_location where) {
  static const OpRecord& record = find_op("pow_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(exponent)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::pow_(const Tensor& exponent, std::source_location where) const { return frit::pow_(*this, exponent, where); }
Tensor relu_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("relu_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::relu_(std::source_location where) const { return frit::relu_(*this, where); }
Tensor threshold_(const Tensor& self, Scalar threshold, Scalar value, std::source_location where) {
  static const OpRecord& record = find_op("threshold_");
  const Arg args[] = {to_arg(self), to_arg(threshold), to_arg(value)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::threshold_(Scalar threshold, Scalar value, std::source_location where) const { return frit::threshold_(*this, threshold, value, where); }
Tensor leaky_relu_(const Tensor& self, Scalar negative_slope, std::source_location where) {
  static const OpRecord& record = find_op("leaky_relu_");
  const Arg args[] = {to_arg(self), to_arg(negative_slope)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::leaky_relu_(Scalar negative_slope, std::source_location where) const { return frit::leaky_relu_(*this, negative_slope, where); }
Tensor hardtanh_(const Tensor& self, Scalar min_val, Scalar max_val, std::source_location where) {
  static const OpRecord& record = find_op("hardtanh_");
  const Arg args[] = {to_arg(self), to_arg(min_val), to_arg(max_val)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::hardtanh_(Scalar min_val, Scalar max_val, std::source_location where) const { return frit::hardtanh_(*this, min_val, max_val, where); }
Tensor relu6_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("relu6_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::relu6_(std::source_location where) const { return frit::relu6_(*this, where); }
Tensor hardsigmoid_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("hardsigmoid_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::hardsigmoid_(std::source_location where) const { return frit::hardsigmoid_(*this, where); }
Tensor hardswish_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("hardswish_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::hardswish_(std::source_location where) const { return frit::hardswish_(*this, where); }
Tensor silu_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("silu_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::silu_(std::source_location where) const { return frit::silu_(*this, where); }
Tensor gelu_(const Tensor& self, std::string_view approximate, std::source_location where) {
  static const OpRecord& record = find_op("gelu_");
  const Arg args[] = {to_arg(self), to_arg(approximate)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::gelu_(std::string_view approximate, std::source_location where) const { return frit::gelu_(*this, approximate, where); }
Tensor elu_(const Tensor& self, Scalar alpha, Scalar scale, Scalar input_scale, std::source_location where) {
  static const OpRecord& record = find_op("elu_");
  const Arg args[] = {to_arg(self), to_arg(alpha), to_arg(scale), to_arg(input_scale)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::elu_(Scalar alpha, Scalar scale, Scalar input_scale, std::source_location where) const { return frit::elu_(*this, alpha, scale, input_scale, where); }
Tensor eq_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("eq_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::eq_(const Tensor& other, std::source_location where) const { return frit::eq_(*this, other, where); }
Tensor eq_(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("eq_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::eq_(Scalar other, std::source_location where) const { return frit::eq_(*this, other, where); }
Tensor ne_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("ne_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::ne_(const Tensor& other, std::source_location where) const { return frit::ne_(*this, other, where); }
Tensor ne_(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("ne_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::ne_(Scalar other, std::source_location where) const { return frit::ne_(*this, other, where); }
Tensor lt_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("lt_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::lt_(const Tensor& other, std::source_location where) const { return frit::lt_(*this, other, where); }
Tensor lt_(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("lt_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::lt_(Scalar other, std::source_location where) const { return frit::lt_(*this, other, where); }
Tensor le_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("le_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::le_(const Tensor& other, std::source_location where) const { return frit::le_(*this, other, where); }
Tensor le_(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("le_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::le_(Scalar other, std::source_location where) const { return frit::le_(*this, other, where); }
Tensor gt_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("gt_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::gt_(const Tensor& other, std::source_location where) const { return frit::gt_(*this, other, where); }
Tensor gt_(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("gt_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::gt_(Scalar other, std::source_location where) const { return frit::gt_(*this, other, where); }
Tensor ge_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("ge_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::ge_(const Tensor& other, std::source_location where) const { return frit::ge_(*this, other, where); }
Tensor ge_(const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("ge_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::ge_(Scalar other, std::source_location where) const { return frit::ge_(*this, other, where); }
Tensor logical_and_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("logical_and_");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::logical_and_(const Tensor& other, std::source_location where) const { return frit::logical_and_(*this, other, where); }
Tensor logical_or_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("logical_or_");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::logical_or_(const Tensor& other, std::source_location where) const { return frit::logical_or_(*this, other, where); }
Tensor logical_xor_(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("logical_xor_");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::logical_xor_(const Tensor& other, std::source_location where) const { return frit::logical_xor_(*this, other, where); }
Tensor logical_not_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("logical_not_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::logical_not_(std::source_location where) const { return frit::logical_not_(*this, where); }
Tensor clamp_(const Tensor& self, std::optional<Scalar> min, std::optional<Scalar> max, std::source_location where) {
  static const OpRecord& record = find_op("clamp_");
  const Arg args[] = {to_arg(self), to_arg(min), to_arg(max)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::clamp_(std::optional<Scalar> min, std::optional<Scalar> max, std::source_location where) const { return frit::clamp_(*this, min, max, where); }
Tensor clamp_(const Tensor& self, const Tensor& min, const Tensor& max, std::source_location where) {
  static const OpRecord& record = find_op("clamp_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(min), to_arg(max)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::clamp_(const Tensor& min, const Tensor& max, std::source_location where) const { return frit::clamp_(*this, min, max, where); }
Tensor _clamp_(const Tensor& self, Scalar min, Scalar max, std::source_location where) {
  static const OpRecord& record = find_op("_clamp_");
  const Arg args[] = {to_arg(self), to_arg(min), to_arg(max)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _clamp_(const Tensor& self, const Tensor& min, const Tensor& max, std::source_location where) {
  static const OpRecord& record = find_op("_clamp_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(min), to_arg(max)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor clamp_min_(const Tensor& self, Scalar min, std::source_location where) {
  static const OpRecord& record = find_op("clamp_min_");
  const Arg args[] = {to_arg(self), to_arg(min)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::clamp_min_(Scalar min, std::source_location where) const { return frit::clamp_min_(*this, min, where); }
Tensor clamp_max_(const Tensor& self, Scalar max, std::source_location where) {
  static const OpRecord& record = find_op("clamp_max_");
  const Arg args[] = {to_arg(self), to_arg(max)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::clamp_max_(Scalar max, std::source_location where) const { return frit::clamp_max_(*this, max, where); }
Tensor clamp_min_(const Tensor& self, const Tensor& min, std::source_location where) {
  static const OpRecord& record = find_op("clamp_min_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(min)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::clamp_min_(const Tensor& min, std::source_location where) const { return frit::clamp_min_(*this, min, where); }
Tensor clamp_max_(const Tensor& self, const Tensor& max, std::source_location where) {
  static const OpRecord& record = find_op("clamp_max_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(max)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::clamp_max_(const Tensor& max, std::source_location where) const { return frit::clamp_max_(*this, max, where); }
Tensor masked_fill_(const Tensor& self, const Tensor& mask, Scalar value, std::source_location where) {
  static const OpRecord& record = find_op("masked_fill_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(mask), to_arg(value)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::masked_fill_(const Tensor& mask, Scalar value, std::source_location where) const { return frit::masked_fill_(*this, mask, value, where); }
Tensor masked_fill_(const Tensor& self, const Tensor& mask, const Tensor& value, std::source_location where) {
  static const OpRecord& record = find_op("masked_fill_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(mask), to_arg(value)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::masked_fill_(const Tensor& mask, const Tensor& value, std::source_location where) const { return frit::masked_fill_(*this, mask, value, where); }
Tensor fill_(const Tensor& self, Scalar value, std::source_location where) {
  static const OpRecord& record = find_op("fill_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(value)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::fill_(Scalar value, std::source_location where) const { return frit::fill_(*this, value, where); }
Tensor fill_(const Tensor& self, const Tensor& value, std::source_location where) {
  static const OpRecord& record = find_op("fill_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(value)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::fill_(const Tensor& value, std::source_location where) const { return frit::fill_(*this, value, where); }
Tensor zero_(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("zero_");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::zero_(std::source_location where) const { return frit::zero_(*this, where); }
Tensor lerp_(const Tensor& self, const Tensor& end, Scalar weight, std::source_location where) {
  static const OpRecord& record = find_op("lerp_.Scalar");
  const Arg args[] = {to_arg(self), to_arg(end), to_arg(weight)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::lerp_(const Tensor& end, Scalar weight, std::source_location where) const { return frit::lerp_(*this, end, weight, where); }
Tensor lerp_(const Tensor& self, const Tensor& end, const Tensor& weight, std::source_location where) {
  static const OpRecord& record = find_op("lerp_.Tensor");
  const Arg args[] = {to_arg(self), to_arg(end), to_arg(weight)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::lerp_(const Tensor& end, const Tensor& weight, std::source_location where) const { return frit::lerp_(*this, end, weight, where); }
Tensor _nan_to_num_(const Tensor& self, Scalar nan, Scalar posinf, Scalar neginf, std::source_location where) {
  static const OpRecord& record = find_op("_nan_to_num_");
  const Arg args[] = {to_arg(self), to_arg(nan), to_arg(posinf), to_arg(neginf)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor nan_to_num_(const Tensor& self, std::optional<double> nan, std::optional<double> posinf, std::optional<double> neginf, std::source_location where) {
  static const OpRecord& record = find_op("nan_to_num_");
  const Arg args[] = {to_arg(self), to_arg(nan), to_arg(posinf), to_arg(neginf)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}

}  // namespace frit
