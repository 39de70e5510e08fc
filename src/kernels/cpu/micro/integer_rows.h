// Integer products: plain loops over a row of a tile, in unsigned arithmetic, which wraps.
// Per-level code (see simd.h).
#pragma once
#include "kernels/cpu/micro/gemm_table.h"
#include "kernels/cpu/micro/simd.h"

namespace frit::kernels::FRIT_MICRO_LEVEL {

template <class E, class Wide>
void integer_rows_of(const GemmArgs& g, i64 batch, i64 m0, i64 m1) {
  const E* a = static_cast<const E*>(g.a) + batch * g.a_batch_stride;
  const E* b = static_cast<const E*>(g.b) + batch * g.b_batch_stride;
  E* c = g.epilogue ? nullptr : static_cast<E*>(g.c) + batch * g.c_batch_stride;
  alignas(64) E tile[kGemmTileRows * kGemmTileColumns];
  for (i64 n0 = 0; n0 < g.n; n0 += kGemmTileColumns) {
    const i64 nb = g.n - n0 < kGemmTileColumns ? g.n - n0 : kGemmTileColumns;
    for (i64 first = m0; first < m1; first += kGemmTileRows) {
      const i64 mb = m1 - first < kGemmTileRows ? m1 - first : kGemmTileRows;
      for (i64 m = 0; m < mb; m++) {
        Wide sum[kGemmTileColumns] = {};
        for (i64 k = 0; k < g.k; k++) {
          const Wide x = static_cast<Wide>(a[(first + m) * g.a_row_stride + k * g.a_col_stride]);
          const E* row = b + k * g.b_row_stride + n0 * g.b_col_stride;
          if (g.b_col_stride == 1)
            for (i64 n = 0; n < nb; n++) sum[n] += x * static_cast<Wide>(row[n]);
          else
            for (i64 n = 0; n < nb; n++) sum[n] += x * static_cast<Wide>(row[n * g.b_col_stride]);
        }
        E* to = g.epilogue ? tile + m * kGemmTileColumns : c + (first + m) * g.c_row_stride + n0;
        for (i64 n = 0; n < nb; n++) to[n] = static_cast<E>(sum[n]);
      }
      if (g.epilogue) g.epilogue(tile, kGemmTileColumns, first, mb, n0, nb, batch, g.epilogue_ctx);
    }
  }
}

FRIT_MICRO_INLINE void integer_rows(const GemmArgs& g, i64 batch, i64 m0, i64 m1) {
  switch (g.dtype) {
    case Elem::i8:
      return integer_rows_of<int8_t, uint32_t>(g, batch, m0, m1);
    case Elem::u8:
      return integer_rows_of<uint8_t, uint32_t>(g, batch, m0, m1);
    case Elem::i16:
      return integer_rows_of<int16_t, uint32_t>(g, batch, m0, m1);
    case Elem::i32:
      return integer_rows_of<int32_t, uint32_t>(g, batch, m0, m1);
    case Elem::i64:
      return integer_rows_of<int64_t, uint64_t>(g, batch, m0, m1);
    case Elem::f32:
    case Elem::f64:
    case Elem::bf16:
    case Elem::f16:
      return;  // the driver's, by GemmKernels
  }
}

}  // namespace frit::kernels::FRIT_MICRO_LEVEL
