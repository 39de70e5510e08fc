#include "kernels/cpu/micro/level_kernels.h"

namespace frit::kernels::FRIT_MICRO_LEVEL {

extern const GemmKernels kGemmF64;
constinit const GemmKernels kGemmF64 = gemm_kernels_of<double>();

}  // namespace frit::kernels::FRIT_MICRO_LEVEL
