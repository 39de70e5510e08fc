// Generated from the op records by tools/generate; do not edit.
#include <frit/ops.h>

#include "eager/dispatch.h"
#include "ops/record.h"
#include "ops/to_arg.h"

namespace frit {

Tensor _rand(IntListRef size, std::shared_ptr<Generator> generator, DType dtype, std::source_location where) {
  static const OpRecord& record = find_op("_rand");
  const Arg args[] = {to_arg(size), to_arg(generator), to_arg(dtype)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _randn(IntListRef size, std::shared_ptr<Generator> generator, DType dtype, std::source_location where) {
  static const OpRecord& record = find_op("_randn");
  const Arg args[] = {to_arg(size), to_arg(generator), to_arg(dtype)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor randint(Int low, Int high, IntListRef size, std::shared_ptr<Generator> generator, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("randint.low_generator");
  const Arg args[] = {to_arg(low), to_arg(high), to_arg(size), to_arg(generator), to_arg(dtype), Arg(), Arg(), Arg()};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _bernoulli(IntListRef size, double p, std::shared_ptr<Generator> generator, DType dtype, std::source_location where) {
  static const OpRecord& record = find_op("_bernoulli");
  const Arg args[] = {to_arg(size), to_arg(p), to_arg(generator), to_arg(dtype)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}

}  // namespace frit
