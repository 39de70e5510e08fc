// Generated from the op records by tools/generate; do not edit.
#include <frit/ops.h>

#include "eager/dispatch.h"
#include "ops/record.h"
#include "ops/to_arg.h"

namespace frit {

Tensor mm(const Tensor& self, const Tensor& mat2, std::source_location where) {
  static const OpRecord& record = find_op("mm");
  const Arg args[] = {to_arg(self), to_arg(mat2)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::mm(const Tensor& mat2, std::source_location where) const { return frit::mm(*this, mat2, where); }
Tensor bmm(const Tensor& self, const Tensor& mat2, std::source_location where) {
  static const OpRecord& record = find_op("bmm");
  const Arg args[] = {to_arg(self), to_arg(mat2)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::bmm(const Tensor& mat2, std::source_location where) const { return frit::bmm(*this, mat2, where); }

}  // namespace frit
