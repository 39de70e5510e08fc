#include "kernels/cpu/micro/level_kernels.h"

namespace frit::kernels::FRIT_MICRO_LEVEL {

extern const GemmKernels kGemmF32;
constinit const GemmKernels kGemmF32 = gemm_kernels_of<float>();

}  // namespace frit::kernels::FRIT_MICRO_LEVEL
