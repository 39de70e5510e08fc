// What the matrix kernels need beside the vector header. Included only by the files that are compiled
// once per processor level; everything is in the level's own namespace, because one function compiled
// for two levels must not become one symbol.
#pragma once
#include "vec/memory.h"

#if FV_LEVEL == 5
#define FRIT_MICRO_LEVEL avx512
#else
#define FRIT_MICRO_LEVEL avx2
#endif
#define FRIT_MICRO_INLINE inline __attribute__((always_inline))

namespace frit::kernels::FRIT_MICRO_LEVEL {

using fv::bf16_t;
using fv::f16_t;
using i64 = int64_t;

inline constexpr int L = fv::L;
// The accumulator of an element type, and the vector of it.
template <class E>
using Acc = fv::compute<E>;
template <class S>
using V = fv::vec<S>;

// Vectors of one register (64 bytes at AVX-512, 32 at AVX2): doubles are L / 2 lanes, floats L.
template <class S>
inline constexpr int kRegisterLanes = L * 4 / sizeof(S);
template <class S>
using Register = S __attribute__((ext_vector_type(kRegisterLanes<S>)));

// A square of registers, transposed by perfect shuffles of rows (i, i + lanes/2), one stage for each bit
// of the index.
template <class R>
FRIT_MICRO_INLINE void shuffle_rows(R a, R b, R& low, R& high) {
  constexpr int n = sizeof(R) / sizeof(a[0]);
  if constexpr (n == 16) {
    low = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    high = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  } else if constexpr (n == 8) {
    low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    high = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  } else {
    low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  }
}
template <class R, int n>
FRIT_MICRO_INLINE void transpose(R (&r)[n]) {
#pragma clang loop unroll(full)
  for (int stage = 1; stage < n; stage *= 2) {
    R t[n];
#pragma clang loop unroll(full)
    for (int i = 0; i < n / 2; i++) shuffle_rows(r[i], r[i + n / 2], t[2 * i], t[2 * i + 1]);
#pragma clang loop unroll(full)
    for (int i = 0; i < n; i++) r[i] = t[i];
  }
}

}  // namespace frit::kernels::FRIT_MICRO_LEVEL
