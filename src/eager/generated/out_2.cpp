// Generated from the op records by tools/generate; do not edit.
#include <frit/ops.h>

#include "eager/dispatch.h"
#include "ops/record.h"
#include "ops/to_arg.h"

namespace frit {

Tensor bitwise_or_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_or.Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor bitwise_or_out(const Tensor& out, const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_or.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor bitwise_or_out(const Tensor& out, Scalar self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_or.Scalar_Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor bitwise_xor_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_xor.Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor bitwise_xor_out(const Tensor& out, const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_xor.Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor bitwise_xor_out(const Tensor& out, Scalar self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_xor.Scalar_Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor bitwise_left_shift_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_left_shift.Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor bitwise_left_shift_out(const Tensor& out, const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_left_shift.Tensor_Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor bitwise_left_shift_out(const Tensor& out, Scalar self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_left_shift.Scalar_Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor bitwise_right_shift_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_right_shift.Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor bitwise_right_shift_out(const Tensor& out, const Tensor& self, Scalar other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_right_shift.Tensor_Scalar_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor bitwise_right_shift_out(const Tensor& out, Scalar self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_right_shift.Scalar_Tensor_out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor bitwise_not_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("bitwise_not.out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor sum_out(const Tensor& out, const Tensor& self, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("sum.out");
  const Arg args[] = {to_arg(self), to_arg(dtype), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor sum_out(const Tensor& out, const Tensor& self, OptionalDimsRef dim, bool keepdim, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("sum.IntList_out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim), to_arg(dtype), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor mean_out(const Tensor& out, const Tensor& self, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("mean.dtype_out");
  const Arg args[] = {to_arg(self), to_arg(dtype), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor mean_out(const Tensor& out, const Tensor& self, OptionalDimsRef dim, bool keepdim, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("mean.out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim), to_arg(dtype), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor prod_out(const Tensor& out, const Tensor& self, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("prod.out");
  const Arg args[] = {to_arg(self), to_arg(dtype), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor prod_out(const Tensor& out, const Tensor& self, Int dim, bool keepdim, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("prod.int_out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim), to_arg(dtype), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor amax_out(const Tensor& out, const Tensor& self, DimsRef dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("amax.out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor max_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("max.unary_out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
std::tuple<Tensor, Tensor> max_out(const Tensor& max, const Tensor& max_values, const Tensor& self, Int dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("max.dim_max");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim), to_arg(max), to_arg(max_values)};
  Tensor outs[2];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1])};
}
Tensor argmax_out(const Tensor& out, const Tensor& self, std::optional<Int> dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("argmax.out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor amin_out(const Tensor& out, const Tensor& self, DimsRef dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("amin.out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor min_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("min.unary_out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
std::tuple<Tensor, Tensor> min_out(const Tensor& min, const Tensor& min_indices, const Tensor& self, Int dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("min.dim_min");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim), to_arg(min), to_arg(min_indices)};
  Tensor outs[2];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1])};
}
Tensor argmin_out(const Tensor& out, const Tensor& self, std::optional<Int> dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("argmin.out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor any_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("any.all_out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor any_out(const Tensor& out, const Tensor& self, Int dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("any.out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor any_out(const Tensor& out, const Tensor& self, OptionalIntListRef dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("any.dims_out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor any_out(const Tensor& out, const Tensor& self, std::initializer_list<Int> dim, bool keepdim, std::source_location where) { return frit::any_out(out, self, OptionalIntListRef(dim), keepdim, where); }
Tensor all_out(const Tensor& out, const Tensor& self, std::source_location where) {
  static const OpRecord& record = find_op("all.all_out");
  const Arg args[] = {to_arg(self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor all_out(const Tensor& out, const Tensor& self, Int dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("all.out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor all_out(const Tensor& out, const Tensor& self, OptionalIntListRef dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("all.dims_out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor all_out(const Tensor& out, const Tensor& self, std::initializer_list<Int> dim, bool keepdim, std::source_location where) { return frit::all_out(out, self, OptionalIntListRef(dim), keepdim, where); }
Tensor count_nonzero_out(const Tensor& out, const Tensor& self, IntListRef dim, std::source_location where) {
  static const OpRecord& record = find_op("count_nonzero.dim_IntList_out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor count_nonzero_out(const Tensor& out, const Tensor& self, std::initializer_list<Int> dim, std::source_location where) { return frit::count_nonzero_out(out, self, IntListRef(dim), where); }
Tensor count_nonzero_out(const Tensor& out, const Tensor& self, std::optional<Int> dim, std::source_location where) {
  static const OpRecord& record = find_op("count_nonzero.out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor cumsum_out(const Tensor& out, const Tensor& self, Int dim, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("cumsum.out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(dtype), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor cumprod_out(const Tensor& out, const Tensor& self, Int dim, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("cumprod.out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(dtype), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor var_out(const Tensor& out, const Tensor& self, OptionalDimsRef dim, std::optional<Scalar> correction, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("var.correction_out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(correction), to_arg(keepdim), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor std_out(const Tensor& out, const Tensor& self, OptionalDimsRef dim, std::optional<Scalar> correction, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("std.correction_out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(correction), to_arg(keepdim), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
std::tuple<Tensor, Tensor> var_mean_out(const Tensor& out0, const Tensor& out1, const Tensor& self, OptionalDimsRef dim, std::optional<Scalar> correction, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("var_mean.correction_out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(correction), to_arg(keepdim), to_arg(out0), to_arg(out1)};
  Tensor outs[2];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1])};
}
Tensor logsumexp_out(const Tensor& out, const Tensor& self, DimsRef dim, bool keepdim, std::source_location where) {
  static const OpRecord& record = find_op("logsumexp.out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(keepdim), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor linalg_vector_norm_out(const Tensor& out, const Tensor& self, Scalar ord, OptionalDimsRef dim, bool keepdim, std::optional<DType> dtype, std::source_location where) {
  static const OpRecord& record = find_op("linalg_vector_norm.out");
  const Arg args[] = {to_arg(self), to_arg(ord), to_arg(dim), to_arg(keepdim), to_arg(dtype), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor mm_out(const Tensor& out, const Tensor& self, const Tensor& mat2, std::source_location where) {
  static const OpRecord& record = find_op("mm.out");
  const Arg args[] = {to_arg(self), to_arg(mat2), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor bmm_out(const Tensor& out, const Tensor& self, const Tensor& mat2, std::source_location where) {
  static const OpRecord& record = find_op("bmm.out");
  const Arg args[] = {to_arg(self), to_arg(mat2), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor addmm_out(const Tensor& out, const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("addmm.out");
  const Arg args[] = {to_arg(self), to_arg(mat1), to_arg(mat2), to_arg(beta), to_arg(alpha), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor baddbmm_out(const Tensor& out, const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("baddbmm.out");
  const Arg args[] = {to_arg(self), to_arg(batch1), to_arg(batch2), to_arg(beta), to_arg(alpha), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor addmv_out(const Tensor& out, const Tensor& self, const Tensor& mat, const Tensor& vec, Scalar beta, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("addmv.out");
  const Arg args[] = {to_arg(self), to_arg(mat), to_arg(vec), to_arg(beta), to_arg(alpha), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor mv_out(const Tensor& out, const Tensor& self, const Tensor& vec, std::source_location where) {
  static const OpRecord& record = find_op("mv.out");
  const Arg args[] = {to_arg(self), to_arg(vec), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor dot_out(const Tensor& out, const Tensor& self, const Tensor& tensor, std::source_location where) {
  static const OpRecord& record = find_op("dot.out");
  const Arg args[] = {to_arg(self), to_arg(tensor), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor matmul_out(const Tensor& out, const Tensor& self, const Tensor& other, std::source_location where) {
  static const OpRecord& record = find_op("matmul.out");
  const Arg args[] = {to_arg(self), to_arg(other), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor outer_out(const Tensor& out, const Tensor& self, const Tensor& vec2, std::source_location where) {
  static const OpRecord& record = find_op("outer.out");
  const Arg args[] = {to_arg(self), to_arg(vec2), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor index_select_out(const Tensor& out, const Tensor& self, Int dim, const Tensor& index, std::source_location where) {
  static const OpRecord& record = find_op("index_select.out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor gather_out(const Tensor& out, const Tensor& self, Int dim, const Tensor& index, bool sparse_grad, std::source_location where) {
  static const OpRecord& record = find_op("gather.out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(sparse_grad), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor scatter_out(const Tensor& out, const Tensor& self, Int dim, const Tensor& index, const Tensor& src, std::source_location where) {
  static const OpRecord& record = find_op("scatter.src_out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(src), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor scatter_out(const Tensor& out, const Tensor& self, Int dim, const Tensor& index, Scalar value, std::source_location where) {
  static const OpRecord& record = find_op("scatter.value_out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(value), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor scatter_add_out(const Tensor& out, const Tensor& self, Int dim, const Tensor& index, const Tensor& src, std::source_location where) {
  static const OpRecord& record = find_op("scatter_add.out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(src), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor scatter_reduce_out(const Tensor& out, const Tensor& self, Int dim, const Tensor& index, const Tensor& src, std::string_view reduce, bool include_self, std::source_location where) {
  static const OpRecord& record = find_op("scatter_reduce.two_out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(src), to_arg(reduce), to_arg(include_self), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor index_add_out(const Tensor& out, const Tensor& self, Int dim, const Tensor& index, const Tensor& source, Scalar alpha, std::source_location where) {
  static const OpRecord& record = find_op("index_add.out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(source), to_arg(alpha), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor index_copy_out(const Tensor& out, const Tensor& self, Int dim, const Tensor& index, const Tensor& source, std::source_location where) {
  static const OpRecord& record = find_op("index_copy.out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(index), to_arg(source), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor embedding_out(const Tensor& out, const Tensor& weight, const Tensor& indices, Int padding_idx, bool scale_grad_by_freq, bool sparse, std::source_location where) {
  static const OpRecord& record = find_op("embedding.out");
  const Arg args[] = {to_arg(weight), to_arg(indices), to_arg(padding_idx), to_arg(scale_grad_by_freq), to_arg(sparse), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor embedding_dense_backward_out(const Tensor& out, const Tensor& grad_output, const Tensor& indices, Int num_weights, Int padding_idx, bool scale_grad_by_freq, std::source_location where) {
  static const OpRecord& record = find_op("embedding_dense_backward.out");
  const Arg args[] = {to_arg(grad_output), to_arg(indices), to_arg(num_weights), to_arg(padding_idx), to_arg(scale_grad_by_freq), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor masked_scatter_out(const Tensor& out, const Tensor& self, const Tensor& mask, const Tensor& source, std::source_location where) {
  static const OpRecord& record = find_op("masked_scatter.out");
  const Arg args[] = {to_arg(self), to_arg(mask), to_arg(source), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
std::tuple<Tensor, Tensor> sort_out(const Tensor& values, const Tensor& indices, const Tensor& self, std::optional<ExactBool> stable, Int dim, bool descending, std::source_location where) {
  static const OpRecord& record = find_op("sort.values_stable");
  const Arg args[] = {to_arg(self), to_arg(stable), to_arg(dim), to_arg(descending), to_arg(values), to_arg(indices)};
  Tensor outs[2];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1])};
}
std::tuple<Tensor, Tensor> sort_out(const Tensor& values, const Tensor& indices, const Tensor& self, Int dim, ExactBool descending, std::source_location where) {
  static const OpRecord& record = find_op("sort.values");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(descending), to_arg(values), to_arg(indices)};
  Tensor outs[2];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1])};
}
std::tuple<Tensor, Tensor> topk_out(const Tensor& values, const Tensor& indices, const Tensor& self, Int k, Int dim, bool largest, bool sorted, std::source_location where) {
  static const OpRecord& record = find_op("topk.values");
  const Arg args[] = {to_arg(self), to_arg(k), to_arg(dim), to_arg(largest), to_arg(sorted), to_arg(values), to_arg(indices)};
  Tensor outs[2];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1])};
}
Tensor cat_out(const Tensor& out, const TensorList& tensors, Int dim, std::source_location where) {
  static const OpRecord& record = find_op("cat.out");
  const Arg args[] = {to_arg(tensors), to_arg(dim), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _softmax_out(const Tensor& out, const Tensor& self, Int dim, bool half_to_float, std::source_location where) {
  static const OpRecord& record = find_op("_softmax.out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(half_to_float), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _log_softmax_out(const Tensor& out, const Tensor& self, Int dim, bool half_to_float, std::source_location where) {
  static const OpRecord& record = find_op("_log_softmax.out");
  const Arg args[] = {to_arg(self), to_arg(dim), to_arg(half_to_float), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _softmax_backward_data_out(const Tensor& grad_input, const Tensor& grad_output, const Tensor& output, Int dim, DType input_dtype, std::source_location where) {
  static const OpRecord& record = find_op("_softmax_backward_data.out");
  const Arg args[] = {to_arg(grad_output), to_arg(output), to_arg(dim), to_arg(input_dtype), to_arg(grad_input)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor _log_softmax_backward_data_out(const Tensor& out, const Tensor& grad_output, const Tensor& output, Int dim, DType input_dtype, std::source_location where) {
  static const OpRecord& record = find_op("_log_softmax_backward_data.out");
  const Arg args[] = {to_arg(grad_output), to_arg(output), to_arg(dim), to_arg(input_dtype), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
std::tuple<Tensor, Tensor, Tensor> native_layer_norm_out(const Tensor& out0, const Tensor& out1, const Tensor& out2, const Tensor& input, IntListRef normalized_shape, const Tensor& weight, const Tensor& bias, double eps, std::source_location where) {
  static const OpRecord& record = find_op("native_layer_norm.out");
  const Arg args[] = {to_arg(input), to_arg(normalized_shape), to_arg(weight), to_arg(bias), to_arg(eps), to_arg(out0), to_arg(out1), to_arg(out2)};
  Tensor outs[3];
  eager::dispatch(record, args, outs, where);
  return {std::move(outs[0]), std::move(outs[1]), std::move(outs[2])};
}
Tensor nll_loss_backward_out(const Tensor& grad_input, const Tensor& grad_output, const Tensor& self, const Tensor& target, const Tensor& weight, Int reduction, Int ignore_index, const Tensor& total_weight, std::source_location where) {
  static const OpRecord& record = find_op("nll_loss_backward.grad_input");
  const Arg args[] = {to_arg(grad_output), to_arg(self), to_arg(target), to_arg(weight), to_arg(reduction), to_arg(ignore_index), to_arg(total_weight), to_arg(grad_input)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor mse_loss_out(const Tensor& out, const Tensor& self, const Tensor& target, Int reduction, std::source_location where) {
  static const OpRecord& record = find_op("mse_loss.out");
  const Arg args[] = {to_arg(self), to_arg(target), to_arg(reduction), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor smooth_l1_loss_out(const Tensor& out, const Tensor& self, const Tensor& target, Int reduction, double beta, std::source_location where) {
  static const OpRecord& record = find_op("smooth_l1_loss.out");
  const Arg args[] = {to_arg(self), to_arg(target), to_arg(reduction), to_arg(beta), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor huber_loss_out(const Tensor& out, const Tensor& self, const Tensor& target, Int reduction, double delta, std::source_location where) {
  static const OpRecord& record = find_op("huber_loss.out");
  const Arg args[] = {to_arg(self), to_arg(target), to_arg(reduction), to_arg(delta), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}
Tensor binary_cross_entropy_with_logits_out(const Tensor& out, const Tensor& self, const Tensor& target, const Tensor& weight, const Tensor& pos_weight, Int reduction, std::source_location where) {
  static const OpRecord& record = find_op("binary_cross_entropy_with_logits.out");
  const Arg args[] = {to_arg(self), to_arg(target), to_arg(weight), to_arg(pos_weight), to_arg(reduction), to_arg(out)};
  Tensor outs[1];
  eager::dispatch(record, args, outs, where);
  return std::move(outs[0]);
}

}  // namespace frit
