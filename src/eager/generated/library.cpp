// Generated from the op records by tools/generate; do not edit.
#include <frit/ops.h>

#include "eager/dispatch.h"
#include "ops/record.h"
#include "ops/to_arg.h"

namespace frit {

Tensor cumsum(const Tensor& self, Int dim, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("cumsum");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(dtype)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::cumsum(Int dim, std::optional<DType> dtype, std::source_location where) const { return frit::cumsum(*this, dim, dtype, where); }
Tensor as_strided_scatter(const Tensor& self, const Tensor& src, IntListRef size, IntListRef stride, std::optional<Int> storage_offset, std::source_location where) {
  static const OpRecord& record = find_op("as_strided_scatter");
  const Arg args[] = {to_arg(self), to_arg(src), to_arg(size), to_arg(stride), to_arg(storage_offset)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::as_strided_scatter(const Tensor& src, IntListRef size, IntListRef stride, std::optional<Int> storage_offset, std::source_location where) const { return frit::as_strided_scatter(*this, src, size, stride, storage_offset, where); }
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

}  // namespace frit
