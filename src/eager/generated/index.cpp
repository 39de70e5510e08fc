// Generated from the op records by tools/generate; do not edit.
#include <frit/ops.h>

#include "eager/dispatch.h"
#include "ops/record.h"
#include "ops/to_arg.h"

namespace frit {

Tensor select_scatter(const Tensor& self, const Tensor& src, Int dim, Int index, std::source_location where) {
  static const OpRecord& record = find_op("select_scatter");
  const Arg args[] = {to_arg(self), to_arg(src), to_arg(dim), to_arg(index)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::select_scatter(const Tensor& src, Int dim, Int index, std::source_location where) const { return frit::select_scatter(*this, src, dim, index, where); }
Tensor slice_scatter(const Tensor& self, const Tensor& src, Int dim, std::optional<Int> start, std::optional<Int> end, Int step, std::source_location where) {
  static const OpRecord& record = find_op("slice_scatter");
  const Arg args[] = {to_arg(self), to_arg(src), to_arg(dim), to_arg(start), to_arg(end), to_arg(step)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::slice_scatter(const Tensor& src, Int dim, std::optional<Int> start, std::optional<Int> end, Int step, std::source_location where) const { return frit::slice_scatter(*this, src, dim, start, end, step, where); }
Tensor diagonal_scatter(const Tensor& self, const Tensor& src, Int offset, Int dim1, Int dim2, std::source_location where) {
  static const OpRecord& record = find_op("diagonal_scatter");
  const Arg args[] = {to_arg(self), to_arg(src), to_arg(offset), to_arg(dim1), to_arg(dim2)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::diagonal_scatter(const Tensor& src, Int offset, Int dim1, Int dim2, std::source_location where) const { return frit::diagonal_scatter(*this, src, offset, dim1, dim2, where); }

}  // namespace frit
