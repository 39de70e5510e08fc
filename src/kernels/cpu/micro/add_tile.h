// The epilogue of gemm_add. Per-level code (see simd.h).
#pragma once
#include "kernels/cpu/micro/gemm_table.h"
#include "kernels/cpu/micro/simd.h"

namespace frit::kernels::FRIT_MICRO_LEVEL {

template <class E>
void add_tile(const void* tile_, i64 tile_ld, i64 m0, i64 mb, i64 n0, i64 nb, i64 batch,
              void* ctx) {
  using S = Acc<E>;
  const GemmAddContext& x = *static_cast<const GemmAddContext*>(ctx);
  const S alpha = static_cast<S>(x.add.alpha), beta = static_cast<S>(x.add.beta);
  const i64 add_col = x.add.col_stride;
  for (i64 m = 0; m < mb; m++) {
    const S* tile = static_cast<const S*>(tile_) + m * tile_ld;
    const E* add = static_cast<const E*>(x.add.data) + batch * x.add.batch_stride +
                   (m0 + m) * x.add.row_stride + n0 * add_col;
    E* c = static_cast<E*>(x.args.c) + batch * x.args.c_batch_stride +
           (m0 + m) * x.args.c_row_stride + n0;
    for (i64 n = 0; n < nb; n += L) {
      const i64 count = nb - n < L ? nb - n : L;
      V<S> p = fv::convert<E>(fv::load_n(tile + n, count));
      if (alpha != S(1)) p = fv::convert<E>(p * V<S>(alpha));
      V<S> s = add_col == 0   ? V<S>(fv::load1(add))
               : add_col == 1 ? fv::load_n(add + n, count)
                              : fv::load_strided(add + n * add_col, add_col, count);
      if (beta != S(1)) s = fv::convert<E>(s * V<S>(beta));
      fv::store_n(c + n, p + s, count);
    }
  }
}

}  // namespace frit::kernels::FRIT_MICRO_LEVEL
