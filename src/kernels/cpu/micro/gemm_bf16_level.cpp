#include "kernels/cpu/micro/level_kernels.h"

namespace frit::kernels::FRIT_MICRO_LEVEL {

extern const GemmKernels kGemmBF16;
constinit const GemmKernels kGemmBF16 = gemm_kernels_of<bf16_t>();

}  // namespace frit::kernels::FRIT_MICRO_LEVEL
