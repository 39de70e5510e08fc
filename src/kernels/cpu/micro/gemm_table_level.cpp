#include "kernels/cpu/micro/integer_rows.h"

namespace frit::kernels::FRIT_MICRO_LEVEL {

extern const GemmKernels kGemmF32, kGemmF64, kGemmBF16, kGemmF16;

constinit const GemmTable kGemmTable = {
    .level = FV_LEVEL == 5 ? CpuLevel::avx512 : CpuLevel::avx2,
    .f32 = &kGemmF32,
    .f64 = &kGemmF64,
    .bf16 = &kGemmBF16,
    .f16 = &kGemmF16,
    .integer_rows = [](const GemmArgs& g, int64_t batch, int64_t m0,
                       int64_t m1) { integer_rows(g, batch, m0, m1); },
};

}  // namespace frit::kernels::FRIT_MICRO_LEVEL
