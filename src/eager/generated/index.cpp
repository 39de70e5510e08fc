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
Tensor index_select(const Tensor& self, Int dim, const Tensor& index, std::source_location where) {
  static const OpRecord& record = find_op("index_select");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::index_select(Int dim, const Tensor& index, std::source_location where) const { return frit::index_select(*this, dim, index, where); }
Tensor gather(const Tensor& self, Int dim, const Tensor& index, bool sparse_grad, std::source_location where) {
  static const OpRecord& record = find_op("gather");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(sparse_grad)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::gather(Int dim, const Tensor& index, bool sparse_grad, std::source_location where) const { return frit::gather(*this, dim, index, sparse_grad, where); }
Tensor scatter(const Tensor& self, Int dim, const Tensor& index, const Tensor& src, std::source_location where) {
  static const OpRecord& record = find_op("scatter.src");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(src)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::scatter(Int dim, const Tensor& index, const Tensor& src, std::source_location where) const { return frit::scatter(*this, dim, index, src, where); }
Tensor scatter(const Tensor& self, Int dim, const Tensor& index, Scalar value, std::source_location where) {
  static const OpRecord& record = find_op("scatter.value");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(value)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::scatter(Int dim, const Tensor& index, Scalar value, std::source_location where) const { return frit::scatter(*this, dim, index, value, where); }
Tensor scatter_add(const Tensor& self, Int dim, const Tensor& index, const Tensor& src, std::source_location where) {
  static const OpRecord& record = find_op("scatter_add");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(src)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::scatter_add(Int dim, const Tensor& index, const Tensor& src, std::source_location where) const { return frit::scatter_add(*this, dim, index, src, where); }
Tensor scatter_reduce(const Tensor& self, Int dim, const Tensor& index, const Tensor& src, std::string_view reduce, bool include_self, std::source_location where) {
  static const OpRecord& record = find_op("scatter_reduce.two");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(src), to_arg(reduce), to_arg(include_self)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::scatter_reduce(Int dim, const Tensor& index, const Tensor& src, std::string_view reduce, bool include_self, std::source_location where) const { return frit::scatter_reduce(*this, dim, index, src, reduce, include_self, where); }
Tensor index_add(const Tensor& self, Int dim, const Tensor& index, const Tensor& source, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("index_add");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(source), to_arg(alpha)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::index_add(Int dim, const Tensor& index, const Tensor& source, Scalar alpha, std::source_location where) const { return frit::index_add(*this, dim, index, source, alpha, where); }
Tensor index_copy(const Tensor& self, Int dim, const Tensor& index, const Tensor& source, std::source_location where) {
  static const OpRecord& record = find_op("index_copy");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(source)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor Tensor::index_copy(Int dim, const Tensor& index, const Tensor& source, std::source_location where) const { return frit::index_copy(*this, dim, index, source, where); }
Tensor _index(const Tensor& self, const TensorList& indices, std::source_location where) {
  static const OpRecord& record = find_op("_index");
  const Arg args[] = {to_arg(self), to_arg(indices)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _index_put(const Tensor& self, const TensorList& indices, const Tensor& values, bool accumulate, std::source_location where) {
  static const OpRecord& record = find_op("_index_put");
  const Arg args[] = {to_arg(self), to_arg(indices), to_arg(values), to_arg(accumulate)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}

}  // namespace frit
