// The inner loop: a tile of MR rows by NV vectors of accumulators, held in registers for a block of
// K. Per-level code (see simd.h).
#pragma once
#include "kernels/cpu/micro/gemm_table.h"
#include "kernels/cpu/micro/simd.h"

namespace frit::kernels::FRIT_MICRO_LEVEL {

// Element m * stride of a column, as an odd multiple of the stride times a power of two, which an
// address can hold. The odd multiples are hidden from the compiler: it would add the stride up row
// by row, a chain as long as the tile is tall.
template <class S, int MR>
struct RowAddresses {
  i64 odd[(MR + 1) / 2];  // bytes
  explicit FRIT_MICRO_INLINE RowAddresses(i64 stride) {
#pragma clang loop unroll(full)
    for (int i = 0; i < (MR + 1) / 2; i++) {
      odd[i] = (2 * i + 1) * stride * static_cast<i64>(sizeof(S));
      __asm__("" : "+r"(odd[i]));
    }
  }
  FRIT_MICRO_INLINE S get(const S* a, int m) const {
    if (m == 0) return a[0];
    const int shift = __builtin_ctz(m);
    return *reinterpret_cast<const S*>(reinterpret_cast<const char*>(a) +
                                       (odd[m >> shift >> 1] << shift));
  }
};

// E is the element type of B. With kTail the last vector has only the lanes of `tail`, in B and in
// C.
template <class E, int MR, int NV, bool kTail>
void micro_tile(const Acc<E>* a, i64 a_rs, i64 a_cs, const E* b, i64 b_rs, i64 k, Acc<E>* c,
                i64 c_rs, bool add, i64 tail_lanes) {
  using S = Acc<E>;
  [[maybe_unused]] const fv::mask tail = fv::first_n(tail_lanes);
  const RowAddresses<S, MR> rows(a_rs);
  V<S> acc[MR][NV];
#pragma clang loop unroll(full)
  for (int m = 0; m < MR; m++)
#pragma clang loop unroll(full)
    for (int v = 0; v < NV; v++) acc[m][v] = V<S>(0);
#pragma clang loop unroll_count(2)
  for (i64 i = 0; i < k; i++) {
    V<S> row[NV];
#pragma clang loop unroll(full)
    for (int v = 0; v < NV; v++)
      row[v] = kTail && v == NV - 1 ? fv::load_where(tail, b + L * v) : fv::load(b + L * v);
#pragma clang loop unroll(full)
    for (int m = 0; m < MR; m++) {
      const V<S> x = rows.get(a, m);
#pragma clang loop unroll(full)
      for (int v = 0; v < NV; v++) acc[m][v] = __builtin_elementwise_fma(x, row[v], acc[m][v]);
    }
    a += a_cs;
    b += b_rs;
  }
  if (add) {
#pragma clang loop unroll(full)
    for (int m = 0; m < MR; m++)
#pragma clang loop unroll(full)
      for (int v = 0; v < NV; v++) {
        const S* p = c + m * c_rs + L * v;
        acc[m][v] = (kTail && v == NV - 1 ? fv::load_where(tail, p) : fv::load(p)) + acc[m][v];
      }
  }
#pragma clang loop unroll(full)
  for (int m = 0; m < MR; m++)
#pragma clang loop unroll(full)
    for (int v = 0; v < NV; v++) {
      S* p = c + m * c_rs + L * v;
      if (kTail && v == NV - 1)
        fv::store_where(tail, p, acc[m][v]);
      else
        fv::store(p, acc[m][v]);
    }
}

// How wide a panel is in registers, and how tall a tile of so many registers may be: the
// accumulators, a row of B and one broadcast of A must fit in 32 registers (AVX-512) or 16 (AVX2).
#if FV_LEVEL == 5
inline constexpr int kPanelRegisters = 4;
constexpr int tallest(int registers) {
  return registers == 4 ? 6 : registers == 3 ? 8 : registers == 2 ? 12 : 16;
}
#else
inline constexpr int kPanelRegisters = 2;
constexpr int tallest(int registers) { return registers == 2 ? 6 : 12; }
#endif
template <class S>
inline constexpr int kRegistersPerVector = sizeof(S) / 4;
template <class S>
inline constexpr int kPanelVectors = kPanelRegisters / kRegistersPerVector<S>;

// A panel of NV vectors: its rows are cut into the fewest tiles, of nearly equal height.
template <class E, int NV, bool kTail>
struct Panel {
  using S = Acc<E>;
  using Tile = void (*)(const S* a, i64 a_rs, i64 a_cs, const E* b, i64 b_rs, i64 k, S* c, i64 c_rs,
                        bool add, i64 tail_lanes);
  static constexpr int kTallest = tallest(NV * kRegistersPerVector<S>);
  static constexpr struct Tiles {
    Tile of_height[kTallest + 1] = {};
    template <int MR = kTallest>
    constexpr void fill() {
      of_height[MR] = micro_tile<E, MR, NV, kTail>;
      if constexpr (MR > 1) fill<MR - 1>();
    }
    constexpr Tiles() { fill(); }
  } kTiles{};

  static void run(const GemmBlock& g, i64 tail_lanes) {
    const S* a = static_cast<const S*>(g.a);
    S* c = static_cast<S*>(g.c);
    i64 tiles = (g.m + kTallest - 1) / kTallest;
    for (i64 left = g.m; left > 0; tiles--) {
      const i64 rows = (left + tiles - 1) / tiles;
      kTiles.of_height[rows](a, g.a_row_stride, g.a_col_stride, static_cast<const E*>(g.b),
                             g.b_row_stride, g.k, c, g.c_row_stride, g.add, tail_lanes);
      a += rows * g.a_row_stride;
      c += rows * g.c_row_stride;
      left -= rows;
    }
  }
};

template <class E, int NV = kPanelVectors<Acc<E>>>
void block(const GemmBlock& g) {
  if constexpr (NV > 1)
    if (g.n <= L * (NV - 1)) return block<E, NV - 1>(g);
  const i64 tail_lanes = g.n - L * (NV - 1);
  if (g.padded || tail_lanes == L) return Panel<E, NV, false>::run(g, L);
  Panel<E, NV, true>::run(g, tail_lanes);
}

}  // namespace frit::kernels::FRIT_MICRO_LEVEL
