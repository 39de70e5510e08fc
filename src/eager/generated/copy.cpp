// Generated from the op records by tools/generate; do not edit.
#include <frit/ops.h>

#include "eager/dispatch.h"
#include "ops/record.h"
#include "ops/to_arg.h"

namespace frit {

Tensor copy(const Tensor& self, const Tensor& src, bool non_blocking, std::source_location where) {
  static const OpRecord& record = find_op("copy");
  const Arg args[] = {to_arg(self), to_arg(src), to_arg(non_blocking)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::copy(const Tensor& src, bool non_blocking, std::source_location where) const { return frit::copy(*this, src, non_blocking, where); }
Tensor clone(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("clone");
  const Arg args[] = {to_arg(self), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::clone(std::source_location where) const { return frit::clone(*this, where); }
Tensor _to_copy(const Tensor& self, std::optional<DType> dtype, bool non_blocking, std::source_location where) {
  static const OpRecord& record = find_op("_to_copy");
  const Arg args[] = {to_arg(self), to_arg(dtype), Arg(), Arg(), Arg(), to_arg(non_blocking), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor flip(const Tensor& self, IntListRef dims, std::source_location where) {
  static const OpRecord& record = find_op("flip");
  const Arg args[] = {to_arg(self), to_arg(dims)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::flip(IntListRef dims, std::source_location where) const { return frit::flip(*this, dims, where); }
Tensor roll(const Tensor& self, DimsRef shifts, DimsRef dims, std::source_location where) {
  static const OpRecord& record = find_op("roll");
  const Arg args[] = {to_arg(self), to_arg(shifts), to_arg(dims)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::roll(DimsRef shifts, DimsRef dims, std::source_location where) const { return frit::roll(*this, shifts, dims, where); }
Tensor cat(const TensorList& tensors, Int dim, std::source_location where) {
  static const OpRecord& record = find_op("cat");
  const Arg args[] = {to_arg(tensors), to_arg(dim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}

}  // namespace frit
