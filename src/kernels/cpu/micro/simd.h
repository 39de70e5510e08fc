// What the matrix kernels need beside the vector header. Included only by the files that are
// compiled once per processor level; everything is in the level's own namespace, because one
// function compiled for two levels must not become one symbol.
#pragma once
#include <cstdint>

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
template <class S, int n>
using Lanes = S __attribute__((ext_vector_type(n)));
template <class S>
using Register = Lanes<S, kRegisterLanes<S>>;

// Within each 128-bit lane, the low or high halves of a and b interleaved: by 32-bit words, and by
// 64-bit pairs.
template <class V>
FRIT_MICRO_INLINE V low_words(V a, V b) {
  if constexpr (sizeof(V) == 64)
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
  else
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
}
template <class V>
FRIT_MICRO_INLINE V high_words(V a, V b) {
  if constexpr (sizeof(V) == 64)
    return __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15,
                                   31);
  else
    return __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
}
template <class V>
FRIT_MICRO_INLINE V low_pairs(V a, V b) {
  using D = Lanes<double, sizeof(V) / 8>;
  const D x = __builtin_bit_cast(D, a), y = __builtin_bit_cast(D, b);
  if constexpr (sizeof(V) == 64)
    return __builtin_bit_cast(V, __builtin_shufflevector(x, y, 0, 8, 2, 10, 4, 12, 6, 14));
  else
    return __builtin_bit_cast(V, __builtin_shufflevector(x, y, 0, 4, 2, 6));
}
template <class V>
FRIT_MICRO_INLINE V high_pairs(V a, V b) {
  using D = Lanes<double, sizeof(V) / 8>;
  const D x = __builtin_bit_cast(D, a), y = __builtin_bit_cast(D, b);
  if constexpr (sizeof(V) == 64)
    return __builtin_bit_cast(V, __builtin_shufflevector(x, y, 1, 9, 3, 11, 5, 13, 7, 15));
  else
    return __builtin_bit_cast(V, __builtin_shufflevector(x, y, 1, 5, 3, 7));
}

// How elements are moved: floats and doubles as they are, sixteen bits widened to 32-bit lanes.
template <class E>
struct MovedAs {
  using Memory = E;
  using Lane = E;
};
template <>
struct MovedAs<bf16_t> {
  using Memory = fv::u16;
  using Lane = fv::u32;
};
template <>
struct MovedAs<f16_t> : MovedAs<bf16_t> {};

template <class E>
struct Moved {
  using Memory = typename MovedAs<E>::Memory;
  using Lane = typename MovedAs<E>::Lane;
  static constexpr int kLanes = kRegisterLanes<Lane>;
  using R = Register<Lane>;
  static FRIT_MICRO_INLINE R get(const E* p) {
    Lanes<Memory, kLanes> bits;
    __builtin_memcpy(&bits, p, sizeof bits);
    return __builtin_convertvector(bits, R);
  }
  static FRIT_MICRO_INLINE R get(const E* p, i64 n) {
    const auto v = fv::load_n(reinterpret_cast<const Memory*>(p), n);
    if constexpr (kLanes == L)
      return __builtin_convertvector(v, R);
    else
      return v.lo;
  }
  static FRIT_MICRO_INLINE void put(E* p, R r) {
    const auto bits = __builtin_convertvector(r, Lanes<Memory, kLanes>);
    __builtin_memcpy(p, &bits, sizeof bits);
  }
};

// The square of lanes x lanes elements whose column c starts at from + c * stride, as its rows.
// Past `columns` the last one is repeated. Columns are read in pieces that fill a 128-bit lane and
// put together on the way in: register j + q * piece is at first the pieces q of columns j, j +
// piece, ...; what is left to do is a transpose within lanes.
template <class V>
FRIT_MICRO_INLINE auto join(V a, V b) {
  constexpr int n = sizeof(V) / sizeof(a[0]);
  if constexpr (n == 2)
    return __builtin_shufflevector(a, b, 0, 1, 2, 3);
  else if constexpr (n == 4)
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
  else
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
// The even or odd pairs of 128-bit lanes of a and b, at 512 bits.
template <class V>
FRIT_MICRO_INLINE V even_lanes(V a, V b) {
  using D = Lanes<double, 8>;
  const D x = __builtin_bit_cast(D, a), y = __builtin_bit_cast(D, b);
  return __builtin_bit_cast(V, __builtin_shufflevector(x, y, 0, 1, 4, 5, 8, 9, 12, 13));
}
template <class V>
FRIT_MICRO_INLINE V odd_lanes(V a, V b) {
  using D = Lanes<double, 8>;
  const D x = __builtin_bit_cast(D, a), y = __builtin_bit_cast(D, b);
  return __builtin_bit_cast(V, __builtin_shufflevector(x, y, 2, 3, 6, 7, 10, 11, 14, 15));
}
// x[j] holds in its 128-bit lanes the same piece of columns j, j + piece, ...; the rows of that
// piece.
template <class R>
FRIT_MICRO_INLINE void transpose_lanes(const R (&x)[4], R* to) {
  const R a = low_words(x[0], x[1]), b = high_words(x[0], x[1]);
  const R c = low_words(x[2], x[3]), d = high_words(x[2], x[3]);
  to[0] = low_pairs(a, c);
  to[1] = high_pairs(a, c);
  to[2] = low_pairs(b, d);
  to[3] = high_pairs(b, d);
}
template <class R>
FRIT_MICRO_INLINE void transpose_lanes(const R (&x)[2], R* to) {
  to[0] = low_pairs(x[0], x[1]);
  to[1] = high_pairs(x[0], x[1]);
}

template <class E>
FRIT_MICRO_INLINE void load_transposed(const E* from, i64 stride,
                                       typename Moved<E>::R (&r)[Moved<E>::kLanes],
                                       i64 columns = Moved<E>::kLanes) {
  using M = Moved<E>;
  using R = typename M::R;
  constexpr int piece = 16 / sizeof(typename M::Lane), n = M::kLanes;
  // As much of a column as fits half a register; two columns make one.
  using Half = Lanes<typename M::Memory, n / 2>;
  auto get = [&](int column, int h) __attribute__((always_inline)) {
    Half p;
    __builtin_memcpy(&p, from + (column < columns ? column : columns - 1) * stride + h * (n / 2),
                     sizeof p);
    return p;
  };
#pragma clang loop unroll(full)
  for (int h = 0; h < 2; h++) {
    R x[piece];
    if constexpr (n / piece == 2) {
#pragma clang loop unroll(full)
      for (int j = 0; j < piece; j++)
        x[j] = __builtin_convertvector(join(get(j, h), get(j + piece, h)), R);
      transpose_lanes(x, r + h * piece);
    } else {
      R y[piece];
#pragma clang loop unroll(full)
      for (int j = 0; j < piece; j++) {
        const R a = __builtin_convertvector(join(get(j, h), get(j + piece, h)), R);
        const R b = __builtin_convertvector(join(get(j + 2 * piece, h), get(j + 3 * piece, h)), R);
        x[j] = even_lanes(a, b);
        y[j] = odd_lanes(a, b);
      }
      transpose_lanes(x, r + 2 * h * piece);
      transpose_lanes(y, r + (2 * h + 1) * piece);
    }
  }
}

}  // namespace frit::kernels::FRIT_MICRO_LEVEL
