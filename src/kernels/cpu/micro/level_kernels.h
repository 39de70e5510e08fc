// The kernels of one element type, one source file each so that they compile side by side.
// Per-level code (see simd.h).
#pragma once
#include "kernels/cpu/micro/add_tile.h"
#include "kernels/cpu/micro/micro_kernel.h"
#include "kernels/cpu/micro/pack.h"
#include "kernels/cpu/micro/row_kernel.h"

namespace frit::kernels::FRIT_MICRO_LEVEL {

template <class E>
constexpr GemmKernels gemm_kernels_of() {
  return {.lanes = L,
          .panel = L * kPanelVectors<Acc<E>>,
          .block = block<E>,
          .pack_b = pack_b<E>,
          .pack_a = pack_a<E>,
          .row_times_rows = row_times_rows<E>,
          .row_times_columns = row_times_columns<E>,
          .dot_blocks = dot_blocks<E>,
          .store = store_tile<E>,
          .add = add_tile<E>};
}

}  // namespace frit::kernels::FRIT_MICRO_LEVEL
