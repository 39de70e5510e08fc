// Copies of A and B in the order the micro-kernels read them. Per-level code (see simd.h).
#pragma once
#include "kernels/cpu/micro/gemm_table.h"
#include "kernels/cpu/micro/simd.h"

namespace frit::kernels::FRIT_MICRO_LEVEL {

// The width of a packed row: whole vectors.
FRIT_MICRO_INLINE i64 packed_width(i64 n) { return (n + L - 1) / L * L; }

// Rows of B contiguous.
template <class E>
void pack_rows(const E* b, i64 row_stride, i64 k, i64 n, E* dst) {
  const i64 width = packed_width(n);
  using M = Moved<E>;
  for (i64 i = 0; i < k; i++, b += row_stride, dst += width) {
    i64 j = 0;
    for (; j + M::kLanes <= n; j += M::kLanes) M::put(dst + j, M::get(b + j));
    if (j < n) M::put(dst + j, M::get(b + j, n - j)), j += M::kLanes;
    if (j < width) M::put(dst + j, typename M::R(0));
  }
}

// The same square at an edge, where there may be fewer rows (of k) or columns.
template <class E>
FRIT_MICRO_INLINE void load_transposed_edge(const E* from, i64 stride, i64 rows, i64 columns,
                                            typename Moved<E>::R (&r)[Moved<E>::kLanes]) {
  using M = Moved<E>;
  constexpr int n = M::kLanes;
  if (columns > n) columns = n;
  if (rows >= n) return load_transposed<E>(from, stride, r, columns);
  alignas(64) E square[n * n];
  for (int c = 0; c < columns; c++) M::put(square + c * n, M::get(from + c * stride, rows));
  load_transposed<E>(square, n, r, columns);
}

// Columns of B contiguous: squares are transposed in registers.
template <class E>
void pack_columns(const E* b, i64 col_stride, i64 k, i64 n, E* dst) {
  using M = Moved<E>;
  constexpr int lanes = M::kLanes;
  const i64 width = packed_width(n);
  for (i64 j = 0; j < width; j += lanes) {
    const i64 columns = n - j;  // may be none, where the row is padded by more than a register
    const E* from = b + j * col_stride;
    E* to = dst + j;
    for (i64 i = 0; i < k; i += lanes, from += lanes, to += lanes * width) {
      typename M::R r[lanes];
      if (columns >= lanes && i + lanes <= k) {
        load_transposed<E>(from, col_stride, r);
#pragma clang loop unroll(full)
        for (int x = 0; x < lanes; x++) M::put(to + x * width, r[x]);
        continue;
      }
      if (columns > 0)
        load_transposed_edge<E>(from, col_stride, k - i, columns, r);
      else
        for (int x = 0; x < lanes; x++) r[x] = typename M::R(0);
#pragma clang loop unroll(full)
      for (int x = 0; x < lanes; x++)
        if (x < k - i) M::put(to + x * width, r[x]);
    }
  }
}

template <class E>
void pack_b(const void* b_, i64 row_stride, i64 col_stride, i64 k, i64 n, void* dst_) {
  const E* b = static_cast<const E*>(b_);
  E* dst = static_cast<E*>(dst_);
  if (col_stride == 1) return pack_rows(b, row_stride, k, n, dst);
  if (row_stride == 1) return pack_columns(b, col_stride, k, n, dst);
  const i64 width = packed_width(n);
  for (i64 i = 0; i < k; i++)
    for (i64 j = 0; j < width; j++)
      dst[i * width + j] = j < n ? b[i * row_stride + j * col_stride] : E{};
}

// Row-major, or slabs of kGemmTileRows rows where the columns of A are contiguous.
template <class E>
void pack_a(const void* a_, i64 row_stride, i64 col_stride, i64 m, i64 k, void* dst_,
            i64* dst_row_stride, i64* dst_col_stride) {
  const E* a = static_cast<const E*>(a_);
  Acc<E>* dst = static_cast<Acc<E>*>(dst_);
  const bool slab = row_stride == 1 && col_stride != 1;
  *dst_row_stride = slab ? 1 : k;
  *dst_col_stride = slab ? kGemmTileRows : 1;
  if (!slab && col_stride != 1) {
    for (i64 i = 0; i < m; i++)
      for (i64 j = 0; j < k; j++) dst[i * k + j] = fv::load1(a + i * row_stride + j * col_stride);
    return;
  }
  const i64 lines = slab ? k : m, length = slab ? m : k;
  const i64 from_stride = slab ? col_stride : row_stride, to_stride = slab ? kGemmTileRows : k;
  for (i64 i = 0; i < lines; i++) {
    const E* from = a + i * from_stride;
    Acc<E>* to = dst + i * to_stride;
    i64 j = 0;
    for (; j + L <= length; j += L) fv::store(to + j, fv::load(from + j));
    if (j < length) fv::store_n(to + j, fv::load_n(from + j, length - j), length - j);
  }
}

// A finished tile, rounded to E.
template <class E>
void store_tile(const void* tile_, i64 tile_ld, i64 m, i64 n, void* c_, i64 ldc) {
  const Acc<E>* tile = static_cast<const Acc<E>*>(tile_);
  E* c = static_cast<E*>(c_);
  for (i64 i = 0; i < m; i++, tile += tile_ld, c += ldc) {
    i64 j = 0;
    for (; j + L <= n; j += L) fv::store(c + j, fv::load(tile + j));
    if (j < n) fv::store_n(c + j, fv::load(tile + j), n - j);
  }
}

}  // namespace frit::kernels::FRIT_MICRO_LEVEL
