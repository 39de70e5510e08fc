// Generated from the op records by tools/generate; do not edit.
#include <frit/ops.h>

#include "eager/dispatch.h"
#include "ops/record.h"
#include "ops/to_arg.h"

namespace frit {

Tensor Tensor::new_zeros(IntListRef size, std::optional<DType> dtype, std::source_location where) const { return frit::new_zeros(*this, size, dtype, where); }
Tensor ones_like(const Tensor& self, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("ones_like");
  const Arg args[] = {to_arg(self), to_arg(dtype), Arg(), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::ones_like(std::optional<DType> dtype, std::source_location where) const { return frit::ones_like(*this, dtype, where); }
Tensor new_ones(const Tensor& self, IntListRef size, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("new_ones");
  const Arg args[] = {to_arg(self), to_arg(size), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::new_ones(IntListRef size, std::optional<DType> dtype, std::source_location where) const { return frit::new_ones(*this, size, dtype, where); }
Tensor full_like(const Tensor& self, Scalar fill_value, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("full_like");
  const Arg args[] = {to_arg(self), to_arg(fill_value), to_arg(dtype), Arg(), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::full_like(Scalar fill_value, std::optional<DType> dtype, std::source_location where) const { return frit::full_like(*this, fill_value, dtype, where); }
Tensor empty_like(const Tensor& self, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("empty_like");
  const Arg args[] = {to_arg(self), to_arg(dtype), Arg(), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::empty_like(std::optional<DType> dtype, std::source_location where) const { return frit::empty_like(*this, dtype, where); }
Tensor new_full(const Tensor& self, IntListRef size, Scalar fill_value, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("new_full");
  const Arg args[] = {to_arg(self), to_arg(size), to_arg(fill_value), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::new_full(IntListRef size, Scalar fill_value, std::optional<DType> dtype, std::source_location where) const { return frit::new_full(*this, size, fill_value, dtype, where); }
Tensor new_empty(const Tensor& self, IntListRef size, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("new_empty");
  const Arg args[] = {to_arg(self), to_arg(size), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::new_empty(IntListRef size, std::optional<DType> dtype, std::source_location where) const { return frit::new_empty(*this, size, dtype, where); }
Tensor new_empty_strided(const Tensor& self, IntListRef size, IntListRef stride, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("new_empty_strided");
  const Arg args[] = {to_arg(self), to_arg(size), to_arg(stride), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::new_empty_strided(IntListRef size, IntListRef stride, std::optional<DType> dtype, std::source_location where) const { return frit::new_empty_strided(*this, size, stride, dtype, where); }
Tensor scalar_tensor(Scalar s, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("scalar_tensor");
  const Arg args[] = {to_arg(s), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor arange(Scalar start, Scalar end, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("arange.start");
  const Arg args[] = {to_arg(start), to_arg(end), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor arange(Scalar end, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("arange");
  const Arg args[] = {to_arg(end), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor linspace(Scalar start, Scalar end, Int steps, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("linspace");
  const Arg args[] = {to_arg(start), to_arg(end), to_arg(steps), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor eye(Int n, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("eye");
  const Arg args[] = {to_arg(n), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor eye(Int n, Int m, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("eye.m");
  const Arg args[] = {to_arg(n), to_arg(m), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor contiguous(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("contiguous");
  const Arg args[] = {to_arg(self), Arg(Int(0))};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::contiguous(std::source_location where) const { return frit::contiguous(*this, where); }
Tensor to(const Tensor& self, DType dtype, bool non_blocking, bool copy, std::source_location where) {
  static const OpRecord& record = find_op("to.dtype");
  const Arg args[] = {to_arg(self), to_arg(dtype), to_arg(non_blocking), to_arg(copy), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::to(DType dtype, bool non_blocking, bool copy, std::source_location where) const { return frit::to(*this, dtype, non_blocking, copy, where); }
Tensor to(const Tensor& self, const Tensor& other, bool non_blocking, bool copy, std::source_location where) {
  static const OpRecord& record = find_op("to.other");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(non_blocking), to_arg(copy), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::to(const Tensor& other, bool non_blocking, bool copy, std::source_location where) const { return frit::to(*this, other, non_blocking, copy, where); }
Tensor type_as(const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("type_as");
  const Arg args[] = {to_arg(self), to_arg(other)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::type_as(const Tensor& other, std::source_location where) const { return frit::type_as(*this, other, where); }
Tensor concat(const TensorList& tensors, Int dim, std::source_location where) {
  static const OpRecord& record = find_op("concat");
  const Arg args[] = {to_arg(tensors), to_arg(dim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor concatenate(const TensorList& tensors, Int dim, std::source_location where) {
  static const OpRecord& record = find_op("concatenate");
  const Arg args[] = {to_arg(tensors), to_arg(dim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _softmax(const Tensor& self, Int dim, bool half_to_float, std::source_location where) {
  static const OpRecord& record = find_op("_softmax");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(half_to_float)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _log_softmax(const Tensor& self, Int dim, bool half_to_float, std::source_location where) {
  static const OpRecord& record = find_op("_log_softmax");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(half_to_float)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _softmax_backward_data(const Tensor& grad_output, const Tensor& output, Int dim, DType input_dtype, std::source_location where) {
  static const OpRecord& record = find_op("_softmax_backward_data");
  const Arg args[] = {to_arg(grad_output), to_arg(output), to_arg(dim), to_arg(input_dtype)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _log_softmax_backward_data(const Tensor& grad_output, const Tensor& output, Int dim, DType input_dtype, std::source_location where) {
  static const OpRecord& record = find_op("_log_softmax_backward_data");
  const Arg args[] = {to_arg(grad_output), to_arg(output), to_arg(dim), to_arg(input_dtype)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor softmax(const Tensor& self, Int dim, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("softmax.int");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(dtype)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::softmax(Int dim, std::optional<DType> dtype, std::source_location where) const { return frit::softmax(*this, dim, dtype, where); }
Tensor log_softmax(const Tensor& self, Int dim, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("log_softmax.int");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(dtype)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::log_softmax(Int dim, std::optional<DType> dtype, std::source_location where) const { return frit::log_softmax(*this, dim, dtype, where); }
std::tuple<Tensor, Tensor, Tensor> native_layer_norm(const Tensor& input, IntListRef normalized_shape, const Tensor& weight, const Tensor& bias, double eps, std::source_location where) {
  static const OpRecord& record = find_op("native_layer_norm");
  const Arg args[] = {to_arg(input), to_arg(normalized_shape), to_arg(weight), to_arg(bias), to_arg(eps)};
  Tensor outs[3];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1]), std::move(outs[2])};
}
std::tuple<Tensor, Tensor, Tensor> native_layer_norm_backward(const Tensor& grad_out, const Tensor& input, IntListRef normalized_shape, const Tensor& mean, const Tensor& rstd, const Tensor& weight, const Tensor& bias, std::array<bool, 3> output_mask, std::source_location where) {
  static const OpRecord& record = find_op("native_layer_norm_backward");
  const Arg args[] = {to_arg(grad_out), to_arg(input), to_arg(normalized_shape), to_arg(mean), to_arg(rstd), to_arg(weight), to_arg(bias), to_arg(output_mask)};
  Tensor outs[3];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1]), std::move(outs[2])};
}
Tensor layer_norm(const Tensor& input, IntListRef normalized_shape, const Tensor& weight, const Tensor& bias, double eps, bool cudnn_enable, std::source_location where) {
  static const OpRecord& record = find_op("layer_norm");
  const Arg args[] = {to_arg(input), to_arg(normalized_shape), to_arg(weight), to_arg(bias), to_arg(eps), to_arg(cudnn_enable)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& attn_mask, double dropout_p, bool is_causal, std::optional<double> scale, bool enable_gqa, std::source_location where) {
  static const OpRecord& record = find_op("scaled_dot_product_attention");
  const Arg args[] = {to_arg(query), to_arg(key), to_arg(value), to_arg(attn_mask), to_arg(dropout_p), to_arg(is_causal), to_arg(scale), to_arg(enable_gqa)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
std::tuple<Tensor, Tensor> nll_loss_forward(const Tensor& self, const Tensor& target, const Tensor& weight, Int reduction, Int ignore_index, std::source_location where) {
  static const OpRecord& record = find_op("nll_loss_forward");
  const Arg args[] = {to_arg(self), to_arg(target), to_arg(weight), to_arg(reduction), to_arg(ignore_index)};
  Tensor outs[2];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1])};
}
std::tuple<Tensor, Tensor> Tensor::nll_loss_forward(const Tensor& target, const Tensor& weight, Int reduction, Int ignore_index, std::source_location where) const { return frit::nll_loss_forward(*this, target, weight, reduction, ignore_index, where); }
Tensor nll_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target, const Tensor& weight, Int reduction, Int ignore_index, const Tensor& total_weight, std::source_location where) {
  static const OpRecord& record = find_op("nll_loss_backward");
  const Arg args[] = {to_arg(grad_output), to_arg(self), to_arg(target), to_arg(weight), to_arg(reduction), to_arg(ignore_index), to_arg(total_weight)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor nll_loss(const Tensor& self, const Tensor& target, const Tensor& weight, Int reduction, Int ignore_index, std::source_location where) {
  static const OpRecord& record = find_op("nll_loss");
  const Arg args[] = {to_arg(self), to_arg(target), to_arg(weight), to_arg(reduction), to_arg(ignore_index)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::nll_loss(const Tensor& target, const Tensor& weight, Int reduction, Int ignore_index, std::source_location where) const { return frit::nll_loss(*this, target, weight, reduction, ignore_index, where); }
Tensor nll_loss_nd(const Tensor& self, const Tensor& target, const Tensor& weight, Int reduction, Int ignore_index, std::source_location where) {
  static const OpRecord& record = find_op("nll_loss_nd");
  const Arg args[] = {to_arg(self), to_arg(target), to_arg(weight), to_arg(reduction), to_arg(ignore_index)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::nll_loss_nd(const Tensor& target, const Tensor& weight, Int reduction, Int ignore_index, std::source_location where) const { return frit::nll_loss_nd(*this, target, weight, reduction, ignore_index, where); }
Tensor nll_loss2d(const Tensor& self, const Tensor& target, const Tensor& weight, Int reduction, Int ignore_index, std::source_location where) {
  static const OpRecord& record = find_op("nll_loss2d");
  const Arg args[] = {to_arg(self), to_arg(target), to_arg(weight), to_arg(reduction), to_arg(ignore_index)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::nll_loss2d(const Tensor& target, const Tensor& weight, Int reduction, Int ignore_index, std::source_location where) const { return frit::nll_loss2d(*this, target, weight, reduction, ignore_index, where); }
std::tuple<Tensor, Tensor> nll_loss2d_forward(const Tensor& self, const Tensor& target, const Tensor& weight, Int reduction, Int ignore_index, std::source_location where) {
  static const OpRecord& record = find_op("nll_loss2d_forward");
  const Arg args[] = {to_arg(self), to_arg(target), to_arg(weight), to_arg(reduction), to_arg(ignore_index)};
  Tensor outs[2];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1])};
}
std::tuple<Tensor, Tensor> Tensor::nll_loss2d_forward(const Tensor& target, const Tensor& weight, Int reduction, Int ignore_index, std::source_location where) const { return frit::nll_loss2d_forward(*this, target, weight, reduction, ignore_index, where); }
Tensor nll_loss2d_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target, const Tensor& weight, Int reduction, Int ignore_index, const Tensor& total_weight, std::source_location where) {
  static const OpRecord& record = find_op("nll_loss2d_backward");
  const Arg args[] = {to_arg(grad_output), to_arg(self), to_arg(target), to_arg(weight), to_arg(reduction), to_arg(ignore_index), to_arg(total_weight)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor cross_entropy_loss(const Tensor& self, const Tensor& target, const Tensor& weight, Int reduction, Int ignore_index, double label_smoothing, std::source_location where) {
  static const OpRecord& record = find_op("cross_entropy_loss");
  const Arg args[] = {to_arg(self), to_arg(target), to_arg(weight), to_arg(reduction), to_arg(ignore_index), to_arg(label_smoothing)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::cross_entropy_loss(const Tensor& target, const Tensor& weight, Int reduction, Int ignore_index, double label_smoothing, std::source_location where) const { return frit::cross_entropy_loss(*this, target, weight, reduction, ignore_index, label_smoothing, where); }
Tensor mse_loss(const Tensor& self, const Tensor& target, Int reduction, std::source_location where) {
  static const OpRecord& record = find_op("mse_loss");
  const Arg args[] = {to_arg(self), to_arg(target), to_arg(reduction)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::mse_loss(const Tensor& target, Int reduction, std::source_location where) const { return frit::mse_loss(*this, target, reduction, where); }
Tensor mse_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target, Int reduction, std::source_location where) {
  static const OpRecord& record = find_op("mse_loss_backward");
  const Arg args[] = {to_arg(grad_output), to_arg(self), to_arg(target), to_arg(reduction)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor l1_loss(const Tensor& self, const Tensor& target, Int reduction, std::source_location where) {
  static const OpRecord& record = find_op("l1_loss");
  const Arg args[] = {to_arg(self), to_arg(target), to_arg(reduction)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::l1_loss(const Tensor& target, Int reduction, std::source_location where) const { return frit::l1_loss(*this, target, reduction, where); }
Tensor smooth_l1_loss(const Tensor& self, const Tensor& target, Int reduction, double beta, std::source_location where) {
  static const OpRecord& record = find_op("smooth_l1_loss");
  const Arg args[] = {to_arg(self), to_arg(target), to_arg(reduction), to_arg(beta)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::smooth_l1_loss(const Tensor& target, Int reduction, double beta, std::source_location where) const { return frit::smooth_l1_loss(*this, target, reduction, beta, where); }
Tensor huber_loss(const Tensor& self, const Tensor& target, Int reduction, double delta, std::source_location where) {
  static const OpRecord& record = find_op("huber_loss");
  const Arg args[] = {to_arg(self), to_arg(target), to_arg(reduction), to_arg(delta)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::huber_loss(const Tensor& target, Int reduction, double delta, std::source_location where) const { return frit::huber_loss(*this, target, reduction, delta, where); }
Tensor binary_cross_entropy_with_logits(const Tensor& self, const Tensor& target, const Tensor& weight, const Tensor& pos_weight, Int reduction, std::source_location where) {
  static const OpRecord& record = find_op("binary_cross_entropy_with_logits");
  const Arg args[] = {to_arg(self), to_arg(target), to_arg(weight), to_arg(pos_weight), to_arg(reduction)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::binary_cross_entropy_with_logits(const Tensor& target, const Tensor& weight, const Tensor& pos_weight, Int reduction, std::source_location where) const { return frit::binary_cross_entropy_with_logits(*this, target, weight, pos_weight, reduction, where); }
Tensor binary_cross_entropy(const Tensor& self, const Tensor& target, const Tensor& weight, Int reduction, std::source_location where) {
  static const OpRecord& record = find_op("binary_cross_entropy");
  const Arg args[] = {to_arg(self), to_arg(target), to_arg(weight), to_arg(reduction)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::binary_cross_entropy(const Tensor& target, const Tensor& weight, Int reduction, std::source_location where) const { return frit::binary_cross_entropy(*this, target, weight, reduction, where); }
Tensor kl_div(const Tensor& self, const Tensor& target, Int reduction, bool log_target, std::source_location where) {
  static const OpRecord& record = find_op("kl_div");
  const Arg args[] = {to_arg(self), to_arg(target), to_arg(reduction), to_arg(log_target)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::kl_div(const Tensor& target, Int reduction, bool log_target, std::source_location where) const { return frit::kl_div(*this, target, reduction, log_target, where); }

}  // namespace frit
