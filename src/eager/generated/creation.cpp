// Generated from the op records by tools/generate; do not edit.
#include <frit/ops.h>

#include "eager/dispatch.h"
#include "ops/record.h"
#include "ops/to_arg.h"

namespace frit {

Tensor full(IntListRef size, Scalar fill_value, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("full");
  const Arg args[] = {to_arg(size), to_arg(fill_value), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _full_strided(IntListRef size, IntListRef stride, Scalar fill_value, DType dtype, std::source_location where) {
  static const OpRecord& record = find_op("_full_strided");
  const Arg args[] = {to_arg(size), to_arg(stride), to_arg(fill_value), to_arg(dtype)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor empty(IntListRef size, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("empty.memory_format");
  const Arg args[] = {to_arg(size), to_arg(dtype), Arg(), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor empty_strided(IntListRef size, IntListRef stride, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("empty_strided");
  const Arg args[] = {to_arg(size), to_arg(stride), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor arange(Scalar start, Scalar end, Scalar step, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("arange.start_step");
  const Arg args[] = {to_arg(start), to_arg(end), to_arg(step), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}

}  // namespace frit
