// The inner loop: a tile of MR rows by NV vectors of accumulators, held in registers for a block of K.
// Per-level code (see simd.h).
#pragma once
#include "kernels/cpu/micro/gemm_table.h"
#include "kernels/cpu/micro/simd.h"

namespace frit::kernels::FRIT_MICRO_LEVEL {

// E is the element type of B. With kTail the last vector has only the lanes of `tail`, in B and in C.
template <class E, int MR, int NV, bool kTail>
void micro_tile(const Acc<E>* a, i64 a_rs, i64 a_cs, const E* b, i64 b_rs, i64 k, Acc<E>* c, i64 c_rs,
                bool add, i64 tail_lanes) {
  using S = Acc<E>;
  [[maybe_unused]] const fv::mask tail = fv::first_n(tail_lanes);
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
      const V<S> x = a[m * a_rs];
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

// How wide a panel is, and which heights are built for a width of so many registers, greatest first and
// down to 1: the accumulators, a row of B and one broadcast of A must fit in 32 registers (AVX-512) or
// 16 (AVX2). Where all heights are built, rows are cut into the fewest pieces of nearly equal height;
// otherwise greedily.
template <int Registers>
struct Heights;
#if FV_LEVEL == 5
inline constexpr int kPanelRegisters = 4;
template <>
struct Heights<4> {
  static constexpr int kRows[] = {6, 5, 4, 3, 2, 1};
};
template <>
struct Heights<3> {
  static constexpr int kRows[] = {8, 7, 6, 5, 4, 3, 2, 1};
};
template <>
struct Heights<2> {
  static constexpr int kRows[] = {12, 8, 6, 4, 3, 2, 1};
};
template <>
struct Heights<1> {
  static constexpr int kRows[] = {16, 12, 8, 4, 2, 1};
};
#else
inline constexpr int kPanelRegisters = 2;
template <>
struct Heights<2> {
  static constexpr int kRows[] = {6, 5, 4, 3, 2, 1};
};
template <>
struct Heights<1> {
  static constexpr int kRows[] = {12, 8, 4, 2, 1};
};
#endif
template <class S>
inline constexpr int kRegistersPerVector = sizeof(S) / 4;
template <class S>
inline constexpr int kPanelVectors = kPanelRegisters / kRegistersPerVector<S>;

template <class E, int NV, bool kTail>
struct Panel {
  using S = Acc<E>;
  static constexpr auto& kHeights = Heights<NV * kRegistersPerVector<S>>::kRows;
  static constexpr int kCount = sizeof(kHeights) / sizeof(kHeights[0]);
  static constexpr bool kEveryHeight = kHeights[0] == kCount;

  template <int I>
  static FRIT_MICRO_INLINE void tile(i64 rows, const S* a, S* c, const GemmBlock& g, i64 tail_lanes) {
    if (I == kCount - 1 || rows == kHeights[I])
      return micro_tile<E, kHeights[I], NV, kTail>(a, g.a_row_stride, g.a_col_stride,
                                                   static_cast<const E*>(g.b), g.b_row_stride, g.k, c,
                                                   g.c_row_stride, g.add, tail_lanes);
    if constexpr (I + 1 < kCount) tile<I + 1>(rows, a, c, g, tail_lanes);
  }

  static void run(const GemmBlock& g, i64 tail_lanes) {
    const S* a = static_cast<const S*>(g.a);
    S* c = static_cast<S*>(g.c);
    i64 pieces = (g.m + kHeights[0] - 1) / kHeights[0];
    for (i64 left = g.m, rows; left > 0; left -= rows) {
      if constexpr (kEveryHeight) {
        rows = (left + pieces - 1) / pieces;
        pieces--;
      } else {
        int i = 0;
        while (kHeights[i] > left) i++;
        rows = kHeights[i];
      }
      tile<0>(rows, a, c, g, tail_lanes);
      a += rows * g.a_row_stride;
      c += rows * g.c_row_stride;
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
