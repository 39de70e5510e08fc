// The drivers by kind, which kernels::run chooses among.
#pragma once
#include <span>

#include "kernels/cpu/level_table.h"
#include "ops/record.h"

namespace frit::kernels {

void pointwise(KernelCall&);
void reduction(KernelCall&);
void random(KernelCall&);
void creation(KernelCall&);
void copying(KernelCall&);

// out = body(operands, scalars), computed in `compute` (never a half type). `op` is for errors.
void run_pointwise(const PointwiseBody& body, DType compute,
                   std::span<const TensorImpl* const> operands, std::span<const Scalar> scalars,
                   const TensorImpl& out, std::string_view op);

inline const Tensor& tensor_arg(const KernelCall& call, size_t i) {
  return call.args[i].ref().tensor();
}
inline const TensorImpl& impl_arg(const KernelCall& call, size_t i) {
  return *tensor_arg(call, i).impl();
}

}  // namespace frit::kernels
