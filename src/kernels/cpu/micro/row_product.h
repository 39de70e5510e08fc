// Products with one row or one column: bound by reading the matrix, which is therefore never
// copied.
#pragma once
#include "kernels/cpu/micro/gemm_table.h"

namespace frit::kernels {

// Multiplies and returns true, if m == 1 and B has contiguous rows or columns, or n == 1 and A has.
// A packed B with m == 1 is left to the panels. m, n and batch are positive.
bool row_product(const GemmKernels& kernels, const GemmArgs& args, bool threads);

}  // namespace frit::kernels
