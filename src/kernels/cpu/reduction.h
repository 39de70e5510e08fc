// Reductions of tensors in any layout, in the order vec/reduce.h defines.
#pragma once
#include <frit/tensor.h>

#include "kernels/cpu/level_table.h"
#include "ops/record.h"

namespace frit::kernels {

// out = op over `dims` (rising) of self, out having the other dimensions, row-major and contiguous;
// `divide` by the number of elements before it is rounded to out's dtype. Elements are converted to
// `compute` first. out's dtype may be any.
//
// Dimensions of size 1 count for nothing and neighbours that are both reduced, or both not, count
// as one. Where the last one is reduced it is reduced by row, else the last one reduced by column
// along the last that is not; what else is reduced is joined over it in order (Levels). So the
// order is a function of sizes alone, whatever the strides.
void reduce(ReduceOp op, const Tensor& self, std::span<const int64_t> dims, DType compute,
            bool divide, const Tensor& out);

// Values (where wanted) and indices over the reduced dimensions, which must be one after another.
void reduce_arg(bool largest, const Tensor& self, std::span<const int64_t> dims,
                const Tensor* values, const Tensor& indices);

}  // namespace frit::kernels
