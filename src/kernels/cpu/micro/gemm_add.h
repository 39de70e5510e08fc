// The product with something added: addmm, baddbmm, linear with a bias, in one pass.
#pragma once
#include "kernels/cpu/micro/gemm.h"

namespace frit::kernels {

// C = alpha * (A B) + beta * added, where `added` is read at data[batch, m, n] by its strides (0
// where it is broadcast). The results are those of the separate operations, each rounded to dtype:
// the product; times alpha unless it is 1; `added` times beta unless it is 1; the sum.
struct GemmAdd {
  const void* data = nullptr;
  int64_t row_stride = 0, col_stride = 1, batch_stride = 0;
  double alpha = 1, beta = 1;
};

// For the floating dtypes; C may be `added` itself with the same strides. InternalError for
// integers.
void gemm_add(const GemmArgs& args, const GemmAdd& add);
void gemm_add(const GemmTable& table, const GemmArgs& args, const GemmAdd& add);

}  // namespace frit::kernels
