// Matrix products: tensors of any strides handed to the micro-kernels, with what is added to the
// product as the epilogue.
#include <algorithm>

#include "core/layout.h"
#include "kernels/cpu/install.h"
#include "kernels/cpu/iterate.h"
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/kinds.h"
#include "kernels/cpu/memory.h"
#include "kernels/cpu/micro/gemm.h"
#include "kernels/cpu/micro/gemm_add.h"

namespace frit::kernels {
namespace {

Elem elem_of(DType t) {
  switch (t) {
    case DType::f32:
      return Elem::f32;
    case DType::f64:
      return Elem::f64;
    case DType::bf16:
      return Elem::bf16;
    case DType::f16:
      return Elem::f16;
    case DType::i8:
      return Elem::i8;
    case DType::i16:
      return Elem::i16;
    case DType::i32:
      return Elem::i32;
    case DType::i64:
      return Elem::i64;
    case DType::u8:
      return Elem::u8;
    case DType::boolean:
      break;
  }
  throw UserError(ErrorKind::not_implemented, "mm",
                  "\"addmm_impl_cpu_\" not implemented for 'Bool'", "to(float32) first");
}

const TensorImpl& tensor(const KernelCall& call, size_t i) {
  return *call.args[i].ref().tensor().impl();
}

// The product of the last two dimensions of a and b into out (contiguous), batched by the first.
GemmArgs product_of(const TensorImpl& a, const TensorImpl& b, const TensorImpl& out) {
  GemmArgs g;
  size_t r = a.sizes.size() - 2;
  g.dtype = elem_of(a.dtype);
  g.m = a.sizes[r];
  g.k = a.sizes[r + 1];
  g.n = b.sizes[r + 1];
  g.a = a.data(), g.a_row_stride = a.strides[r], g.a_col_stride = a.strides[r + 1];
  g.b = b.data(), g.b_row_stride = b.strides[r], g.b_col_stride = b.strides[r + 1];
  g.c = out.data(), g.c_row_stride = g.n;
  if (r == 1) {
    g.batch = a.sizes[0];
    g.a_batch_stride = a.strides[0];
    g.b_batch_stride = b.strides[0];
    g.c_batch_stride = g.m * g.n;
  }
  return g;
}

void product(KernelCall& call) {
  gemm(product_of(tensor(call, 0), tensor(call, 1), *call.outs[0].impl()));
}

bool is_one(const Scalar& s) { return !s.is_symbolic() && s.to_double() == 1; }
bool is_zero(const Scalar& s) { return !s.is_symbolic() && s.to_double() == 0; }

// out = out * by, out = out + t: as the ops mul and add do.
void scale(const TensorImpl& out, const Scalar& by, std::string_view op) {
  const TensorImpl* operands[] = {&out};
  run_pointwise(*find_pointwise("mul", 1, 1), compute_type(out.dtype), operands, std::span(&by, 1),
                out, op);
}
void add(const TensorImpl& out, const TensorImpl& t, std::string_view op) {
  const TensorImpl* operands[] = {&out, &t};
  const Scalar alpha(1);
  run_pointwise(*find_pointwise("add", 2, 1), compute_type(out.dtype), operands,
                std::span(&alpha, 1), out, op);
}

// out = alpha * product + beta * added, each step rounded to the dtype; with beta = 0 `added` is
// not read.
void product_and(const GemmArgs& g, const TensorImpl* added, const Scalar& alpha,
                 const Scalar& beta, const TensorImpl& out, std::string_view op) {
  if (out.numel() == 0) return;
  if (!added || is_zero(beta)) {
    gemm(g);
    if (!is_one(alpha)) scale(out, alpha, op);
    return;
  }
  if (is_floating(out.dtype)) {
    const Dims s = broadcast_strides(*added, out.sizes);
    GemmAdd with;
    with.data = added->data();
    with.row_stride = s[s.size() - 2], with.col_stride = s[s.size() - 1];
    with.batch_stride = s.size() == 3 ? s[0] : 0;
    with.alpha = alpha.to_double(), with.beta = beta.to_double();
    return gemm_add(g, with);
  }
  gemm(g);
  if (!is_one(alpha)) scale(out, alpha, op);
  if (is_one(beta)) return add(out, *added, op);
  Tensor scaled = empty_cpu(added->sizes, added->dtype);
  const TensorImpl* operands[] = {added};
  run_pointwise(*find_pointwise("mul", 1, 1), compute_type(added->dtype), operands,
                std::span(&beta, 1), *scaled.impl(), op);
  add(out, *scaled.impl(), op);
}

void product_added(KernelCall& call) {
  const TensorImpl& out = *call.outs[0].impl();
  product_and(product_of(tensor(call, 1), tensor(call, 2), out), &tensor(call, 0),
              call.args[4].to_scalar(), call.args[3].to_scalar(), out, call.record.schema.name);
}

void linear(KernelCall& call) {
  Tensor input = call.args[0].ref().tensor();
  const TensorImpl& w = tensor(call, 1);
  Tensor out = call.outs[0];
  if (out.impl()->numel() == 0) return;
  const int64_t in = input.impl()->sizes.back(), outs = w.dim() == 2 ? w.sizes[0] : 1;
  const int64_t rows = out.impl()->numel() / outs;
  const bool matrix = input.impl()->dim() == 2 && w.dim() == 2;
  if (!matrix) {  // rows of the leading dimensions as one
    input = packed(input);
    input = alias_view(input, Dims{rows, in}, Dims{in, 1}, input.impl()->offset);
    out = alias_view(out, Dims{rows, outs}, Dims{outs, 1}, out.impl()->offset);
  }
  const TensorImpl& x = *input.impl();
  GemmArgs g;
  g.dtype = elem_of(x.dtype);
  g.m = rows, g.k = in, g.n = outs;
  g.a = x.data(), g.a_row_stride = x.strides[0], g.a_col_stride = x.strides[1];
  g.b = w.data(), g.b_row_stride = w.strides.back(),
  g.b_col_stride = w.dim() == 2 ? w.strides[0] : 0;
  g.c = out.impl()->data(), g.c_row_stride = outs;
  if (call.args[2].is_none()) return gemm(g);
  Tensor bias = call.args[2].ref().tensor();
  const bool by_column = bias.impl()->dim() == 0 || (bias.impl()->dim() == 1 && w.dim() == 2);
  if (!matrix && !by_column) {  // a bias with rows of its own
    Tensor wide = empty_cpu(call.outs[0].impl()->sizes, bias.impl()->dtype);
    copy(wide, bias);
    bias = alias_view(wide, Dims{rows, outs}, Dims{outs, 1}, 0);
  }
  product_and(g, bias.impl(), Scalar(1), Scalar(1), *out.impl(), "linear");
}

}  // namespace

void install_matmul(Registry& r) {
  r.set_kernel("mm", product);
  r.set_kernel("bmm", product);
  r.set_kernel("addmm", product_added);
  r.set_kernel("baddbmm", product_added);
  r.set_kernel("linear", linear);
}

}  // namespace frit::kernels
