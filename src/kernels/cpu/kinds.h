// The drivers by kind, which kernels::run chooses among.
#pragma once
#include <span>

#include "kernels/cpu/level_table.h"
#include "ops/record.h"

namespace frit::kernels {

void pointwise(KernelCall&);
void reduction(KernelCall&);
void random(KernelCall&);

// out = body(operands, scalars), computed in `compute` (never a half type). `op` is for errors.
void run_pointwise(const PointwiseBody& body, DType compute, std::span<const Tensor> operands,
                   std::span<const Scalar> scalars, const Tensor& out, std::string_view op);

}  // namespace frit::kernels
