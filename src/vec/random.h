// Random numbers: Philox 4x32-10 (Salmon et al., 2011), counter based, so that element i of a
// stream can be computed by anyone at any time.
//
// A stream is (seed, offset). The offset counts blocks of four words: block b of the stream has the
// counter (low 32 bits of offset + b, high 32 bits, 0, 0) and the key (low 32 bits of seed, high 32
// bits). Word i of the stream is word i mod 4 of block i / 4; an op that takes n words advances the
// offset by ceil(n / 4).
//
// Element i of an output takes word i; one of 64 bits takes words 2i (low) and 2i + 1 (high), so
// f64 outputs take two words an element. Of normals, elements 2k and 2k + 1 are made together from
// the words of both, so an odd number of them takes the words of one more.
//
// V is a scalar, or a vector of L consecutive elements beginning with i. The vector form is quick
// for i that is a multiple of 4 (2 for 64 bits) and twice as long otherwise.
#pragma once

#include "vec/trig.h"

FV_BEGIN

template <int = 0>
FV u32 philox_word(u64 seed, u64 block, u32 word) {
  u32 c0 = (u32)block, c1 = (u32)(block >> 32), c2 = 0, c3 = 0;
  u32 k0 = (u32)seed, k1 = (u32)(seed >> 32);
  for (i32 r = 0; r < 10; r++) {
    u64 p0 = (u64)0xD2511F53u * c0, p1 = (u64)0xCD9E8D57u * c2;
    c0 = (u32)(p1 >> 32) ^ c1 ^ k0;
    c1 = (u32)p1;
    c2 = (u32)(p0 >> 32) ^ c3 ^ k1;
    c3 = (u32)p0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return word == 0 ? c0 : word == 1 ? c1 : word == 2 ? c2 : c3;
}

// A vector holds L / 4 blocks, a word a lane; seen as 64-bit lanes, a block is two of them. A round
// multiplies the low halves (words 0 and 2), and what becomes of words 1 and 3 is a shift away.
typedef half_vec<u64> vpairs;
template <int = 0>
FV vu32 swap_words(vu32 v) {
#if FV_LEVEL == 5
  return __builtin_shufflevector(v, v, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
#else
  return __builtin_shufflevector(v, v, 3, 2, 1, 0, 7, 6, 5, 4);
#endif
}
template <int = 0>
FV vpairs even_pairs() {
#if FV_LEVEL == 5
  return vpairs{~0ul, 0, ~0ul, 0, ~0ul, 0, ~0ul, 0};
#else
  return vpairs{~0ul, 0, ~0ul, 0};
#endif
}
// The L words of the L / 4 blocks from `block` on.
template <int = 0>
FV vu32 philox_blocks(u64 seed, u64 block) {
  vpairs even = even_pairs();
#if FV_LEVEL == 5
  vpairs c = (vpairs{0, 0, 1, 0, 2, 0, 3, 0} + block) & even;
#else
  vpairs c = (vpairs{0, 0, 1, 0} + block) & even;
#endif
  vpairs factor = ((vpairs)0xD2511F53ul & even) | ((vpairs)0xCD9E8D57ul & ~even);
  vu32 key = __builtin_bit_cast(
      vu32, ((vpairs)(seed & 0xffffffffu) & even) | ((vpairs)(seed >> 32) & ~even));
  vu32 step =
      __builtin_bit_cast(vu32, ((vpairs)0x9E3779B9ul & even) | ((vpairs)0xBB67AE85ul & ~even));
#define FV_ROUND                                                                               \
  {                                                                                            \
    vpairs p = (c & 0xfffffffful) * factor;                                                    \
    c = (c >> 32) ^ __builtin_bit_cast(vpairs, key ^ swap_words(__builtin_bit_cast(vu32, p))); \
    key = key + step;                                                                          \
  }
  FV_ROUND FV_ROUND FV_ROUND FV_ROUND FV_ROUND FV_ROUND FV_ROUND FV_ROUND FV_ROUND FV_ROUND
#undef FV_ROUND
      return __builtin_bit_cast(vu32, c);
}

// L words from word `skip` of a block on.
template <int = 0>
FV_SLOW vu32 philox_from(u64 seed, u64 block, i64 skip) {
  vu32 r[2] = {philox_blocks(seed, block), philox_blocks(seed, block + L / 4)};
  u32 words[2 * L];
  __builtin_memcpy(words, r, sizeof r);
  __builtin_memcpy(r, words + skip, sizeof *r);
  return r[0];
}
template <int = 0>
FV vu32 philox_words(u64 seed, u64 offset, i64 i) {
  u64 block = offset + (u64)(i >> 2);
  if (__builtin_expect((i & 3) == 0, 1)) return philox_blocks(seed, block);
  return philox_from(seed, block, i & 3);
}
// The words as they are: V is u32 or vu32, or u64 or vu64 for two words an element.
template <class V>
FV V random_bits(u64 seed, u64 offset, i64 i) {
  if constexpr (same<V, u32>)
    return philox_word(seed, offset + (u64)(i >> 2), (u32)i & 3);
  else if constexpr (same<V, vu32>)
    return philox_words(seed, offset, i);
  else if constexpr (same<V, u64>) {
    return random_bits<u32>(seed, offset, 2 * i) | (u64)random_bits<u32>(seed, offset, 2 * i + 1)
                                                       << 32;
  } else {
    auto lo = philox_words(seed, offset, 2 * i), hi = philox_words(seed, offset, 2 * i + L);
    return join<u64>(__builtin_bit_cast(half_vec<u64>, lo), __builtin_bit_cast(half_vec<u64>, hi));
  }
}

// Uniform on [0, 1): 24 bits for f32, 53 for f64.
template <class V>
FV V unit_from_bits(uint<V> b) {
  if constexpr (is_f32<V>)
    return cast<f32>(b & 0xffffffu) * (V)0x1p-24f;
  else
    return cast<f64>(b & 0x1ffffffffffffful) * (V)0x1p-53;
}
template <class V>
FV V random_uniform(u64 seed, u64 offset, i64 i) {
  return unit_from_bits<V>(random_bits<uint<V>>(seed, offset, i));
}
// True with probability p, from the 24 bits of a f32: V is bool or mask.
template <class V>
FV V random_bernoulli(u64 seed, u64 offset, i64 i, f32 p) {
  typedef like<f32, V> F;
  return lt(random_uniform<F>(seed, offset, i), (F)p);
}
// Standard normals by Box and Muller: of the uniforms u (even element) and v (odd element) of a
// pair, sqrt(-2 log(1 - u)) times cos(2 pi v) for the even one and sin(2 pi v) for the odd one.
template <class V>
FV V normal_from_units(V u, V v, sint<V> odd) {
  V radius = sqrt((V)-2 * log((V)1 - u));
  V turns = v * (V)4, n = round(turns), x = (turns - n) * (V)1.5707963267948966;
  sint<V> q = as_int(n + (V)fp_of<V>::magic) + ((sint<V>)1 - odd);
  V y = where(to_mask((q & 1) != 0), cos_quadrant(x, (V)0), sin_quadrant(x, (V)0));
  return radius * where(to_mask((q & 2) != 0), -y, y);
}
template <class V>
FV V random_normal(u64 seed, u64 offset, i64 i) {
  if constexpr (!is_vec<V>) {
    V u = random_uniform<V>(seed, offset, i & ~1l), v = random_uniform<V>(seed, offset, i | 1);
    return normal_from_units(u, v, (sint<V>)(i & 1));
  } else {
    // lanes of a pair side by side; for an odd i the pair before begins outside, and the one at the
    // end ends outside
    i64 from = i & ~1l;
    sint<V> odd = iota<sint<V>>() & (sint<V>)1;
    elem<V> buffer[2 * L];
    for (i64 v = 0; v < 1 + (i & 1); v++) {
      V u = random_uniform<V>(seed, offset, from + v * L);
#if FV_LEVEL == 5
      V a = __builtin_shufflevector(u, u, 0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14);
      V b = __builtin_shufflevector(u, u, 1, 1, 3, 3, 5, 5, 7, 7, 9, 9, 11, 11, 13, 13, 15, 15);
#else
      V a = __builtin_shufflevector(u, u, 0, 0, 2, 2, 4, 4, 6, 6);
      V b = __builtin_shufflevector(u, u, 1, 1, 3, 3, 5, 5, 7, 7);
#endif
      V r = normal_from_units(a, b, odd);
      __builtin_memcpy(buffer + v * L, &r, sizeof r);
    }
    V r;
    __builtin_memcpy(&r, buffer + (i & 1), sizeof r);
    return r;
  }
}
// Whole numbers from 0 to range - 1 (range 0 stands for 2^64), as i64: by multiplication and shift,
// of one word if range <= 2^32, of two words otherwise (range >> 32 of 64 x 64 bits).
template <class V>
FV V random_below(u64 seed, u64 offset, i64 i, u64 range) {
  typedef uint<V> U;
  if (range != 0 && range <= 0x100000000ul) {
    U w = cast<u64>(random_bits<like<u32, V>>(seed, offset, i));
    if (range == 0x100000000ul) return cast<i64>(w);
    return cast<i64>((w * (U)range) >> 32);
  }
  U w = random_bits<U>(seed, offset, i);
  if (range == 0) return __builtin_bit_cast(V, w);
  // the high 64 bits of w * range
  U wl = w & 0xfffffffful, wh = w >> 32, rl = (U)(range & 0xfffffffful), rh = (U)(range >> 32);
  U mid = wh * rl + ((wl * rl) >> 32), mid2 = wl * rh + (mid & 0xfffffffful);
  return __builtin_bit_cast(V, (U)(wh * rh + (mid >> 32) + (mid2 >> 32)));
}

FV_END
