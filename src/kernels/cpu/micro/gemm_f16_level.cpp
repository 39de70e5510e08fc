#include "kernels/cpu/micro/level_kernels.h"

namespace frit::kernels::FRIT_MICRO_LEVEL {

extern const GemmKernels kGemmF16;
constinit const GemmKernels kGemmF16 = gemm_kernels_of<f16_t>();

}  // namespace frit::kernels::FRIT_MICRO_LEVEL
