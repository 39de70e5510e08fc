// Generated from the op records by tools/generate; do not edit.
#include <frit/ops.h>

#include "eager/dispatch.h"
#include "ops/record.h"
#include "ops/to_arg.h"

namespace frit {

Tensor view(const Tensor& self, IntListRef size, std::source_location where) {
  static const OpRecord& record = find_op("view");
  const Arg args[] = {to_arg(self), to_arg(size)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::view(IntListRef size, std::source_location where) const { return frit::view(*this, size, where); }
Tensor permute(const Tensor& self, IntListRef dims, std::source_location where) {
  static const OpRecord& record = find_op("permute");
  const Arg args[] = {to_arg(self), to_arg(dims)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::permute(IntListRef dims, std::source_location where) const { return frit::permute(*this, dims, where); }
Tensor transpose(const Tensor& self, Int dim0, Int dim1, std::source_location where) {
  static const OpRecord& record = find_op("transpose.int");
  const Arg args[] = {to_arg(self), to_arg(dim0), to_arg(dim1)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::transpose(Int dim0, Int dim1, std::source_location where) const { return frit::transpose(*this, dim0, dim1, where); }
Tensor t(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("t");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::t(std::source_location where) const { return frit::t(*this, where); }
Tensor expand(const Tensor& self, IntListRef size, bool implicit, std::source_location where) {
  static const OpRecord& record = find_op("expand");
  const Arg args[] = {to_arg(self), to_arg(size), to_arg(implicit)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::expand(IntListRef size, bool implicit, std::source_location where) const { return frit::expand(*this, size, implicit, where); }
Tensor squeeze(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("squeeze");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::squeeze(std::source_location where) const { return frit::squeeze(*this, where); }
Tensor squeeze(const Tensor& self, Int dim, std::source_location where) {
  static const OpRecord& record = find_op("squeeze.dim");
  const Arg args[] = {to_arg(self), to_arg(dim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::squeeze(Int dim, std::source_location where) const { return frit::squeeze(*this, dim, where); }
Tensor squeeze(const Tensor& self, IntListRef dim, std::source_location where) {
  static const OpRecord& record = find_op("squeeze.dims");
  const Arg args[] = {to_arg(self), to_arg(dim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::squeeze(IntListRef dim, std::source_location where) const { return frit::squeeze(*this, dim, where); }
Tensor Tensor::squeeze(std::initializer_list<Int> dim, std::source_location where) const { return frit::squeeze(*this, IntListRef(dim), where); }
Tensor squeeze(const Tensor& self, std::initializer_list<Int> dim, std::source_location where) { return frit::squeeze(self, IntListRef(dim), where); }
Tensor unsqueeze(const Tensor& self, Int dim, std::source_location where) {
  static const OpRecord& record = find_op("unsqueeze");
  const Arg args[] = {to_arg(self), to_arg(dim)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::unsqueeze(Int dim, std::source_location where) const { return frit::unsqueeze(*this, dim, where); }
Tensor select(const Tensor& self, Int dim, Int index, std::source_location where) {
  static const OpRecord& record = find_op("select.int");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::select(Int dim, Int index, std::source_location where) const { return frit::select(*this, dim, index, where); }
Tensor slice(const Tensor& self, Int dim, std::optional<Int> start, std::optional<Int> end, Int step, std::source_location where) {
  static const OpRecord& record = find_op("slice.Tensor");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(start), to_arg(end), to_arg(step)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::slice(Int dim, std::optional<Int> start, std::optional<Int> end, Int step, std::source_location where) const { return frit::slice(*this, dim, start, end, step, where); }
Tensor as_strided(const Tensor& self, IntListRef size, IntListRef stride, std::optional<Int> storage_offset, std::source_location where) {
  static const OpRecord& record = find_op("as_strided");
  const Arg args[] = {to_arg(self), to_arg(size), to_arg(stride), to_arg(storage_offset)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::as_strided(IntListRef size, IntListRef stride, std::optional<Int> storage_offset, std::source_location where) const { return frit::as_strided(*this, size, stride, storage_offset, where); }
Tensor diagonal(const Tensor& self, Int offset, Int dim1, Int dim2, std::source_location where) {
  static const OpRecord& record = find_op("diagonal");
  const Arg args[] = {to_arg(self), to_arg(offset), to_arg(dim1), to_arg(dim2)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::diagonal(Int offset, Int dim1, Int dim2, std::source_location where) const { return frit::diagonal(*this, offset, dim1, dim2, where); }
Tensor unfold(const Tensor& self, Int dimension, Int size, Int step, std::source_location where) {
  static const OpRecord& record = find_op("unfold");
  const Arg args[] = {to_arg(self), to_arg(dimension), to_arg(size), to_arg(step)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::unfold(Int dimension, Int size, Int step, std::source_location where) const { return frit::unfold(*this, dimension, size, step, where); }
Tensor alias(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("alias");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::alias(std::source_location where) const { return frit::alias(*this, where); }
Tensor detach(const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("detach");
  const Arg args[] = {to_arg(self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::detach(std::source_location where) const { return frit::detach(*this, where); }

}  // namespace frit
