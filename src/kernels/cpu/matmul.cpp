// Matrix products: tensors of any strides handed to the micro-kernels, with what is added to the
// product as the epilogue.
#include <algorithm>

#include "core/layout.h"
#include "kernels/cpu/install.h"
#include "kernels/cpu/micro/gemm.h"

namespace frit::kernels {
namespace {

Elem elem_of(DType t) {
  switch (t) {
    case DType::f32: return Elem::f32;
    case DType::f64: return Elem::f64;
    case DType::bf16: return Elem::bf16;
    case DType::f16: return Elem::f16;
    case DType::i8: return Elem::i8;
    case DType::i16: return Elem::i16;
    case DType::i32: return Elem::i32;
    case DType::i64: return Elem::i64;
    case DType::u8: return Elem::u8;
    case DType::boolean: break;
  }
  throw UserError(ErrorKind::not_implemented, "mm", "\"addmm_impl_cpu_\" not implemented for 'Bool'", "to(float32) first");
}

const TensorImpl& tensor(const KernelCall& call, size_t i) { return *call.args[i].ref().tensor().impl(); }

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

void product(KernelCall& call) { gemm(product_of(tensor(call, 0), tensor(call, 1), *call.outs[0].impl())); }

}  // namespace

void install_matmul(Registry& r) {
  r.set_kernel("mm", product);
  r.set_kernel("bmm", product);
}

}  // namespace frit::kernels
