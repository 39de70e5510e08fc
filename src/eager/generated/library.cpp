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
Tensor cumprod(const Tensor& self, Int dim, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("cumprod");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(dtype)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::cumprod(Int dim, std::optional<DType> dtype, std::source_location where) const { return frit::cumprod(*this, dim, dtype, where); }
Tensor as_strided_scatter(const Tensor& self, const Tensor& src, IntListRef size, IntListRef stride, std::optional<Int> storage_offset, std::source_location where) {
  static const OpRecord& record = find_op("as_strided_scatter");
  const Arg args[] = {to_arg(self), to_arg(src), to_arg(size), to_arg(stride), to_arg(storage_offset)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::as_strided_scatter(const Tensor& src, IntListRef size, IntListRef stride, std::optional<Int> storage_offset, std::source_location where) const { return frit::as_strided_scatter(*this, src, size, stride, storage_offset, where); }
Tensor nonzero(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("nonzero");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::nonzero(std::source_location where) const { return frit::nonzero(*this, where); }
Tensor _one_hot_of_all(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("_one_hot_of_all");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _item_int(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("_item_int");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
std::tuple<Tensor, Tensor> sort(const Tensor& self, std::optional<ExactBool> stable, Int dim, bool descending, std::source_location where) {
  static const OpRecord& record = find_op("sort.stable");
  const Arg args[] = {to_arg(self), to_arg(stable), to_arg(dim), to_arg(descending)};
  Tensor outs[2];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1])};
}
std::tuple<Tensor, Tensor> Tensor::sort(std::optional<ExactBool> stable, Int dim, bool descending, std::source_location where) const { return frit::sort(*this, stable, dim, descending, where); }
std::tuple<Tensor, Tensor> topk(const Tensor& self, Int k, Int dim, bool largest, bool sorted, std::source_location where) {
  static const OpRecord& record = find_op("topk");
  const Arg args[] = {to_arg(self), to_arg(k), to_arg(dim), to_arg(largest), to_arg(sorted)};
  Tensor outs[2];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1])};
}
std::tuple<Tensor, Tensor> Tensor::topk(Int k, Int dim, bool largest, bool sorted, std::source_location where) const { return frit::topk(*this, k, dim, largest, sorted, where); }
Tensor _probabilities(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("_probabilities");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _check_probabilities(const Tensor& input, const Tensor& target, std::source_location where) {
  static const OpRecord& record = find_op("_check_probabilities");
  const Arg args[] = {to_arg(input), to_arg(target)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}

}  // namespace frit
