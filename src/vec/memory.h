// Loads and stores, between a storage type T in memory and compute<T> in lanes. T is one of f32,
// f64, i64, i32, i16, i8, u8, bool_t (or bool), bf16_t, f16_t. No alignment is asked for (store_nt
// excepted).
//
//   load(p), store(p, v)               L elements from p on
//   load_n(p, n[, fill]), store_n      the first n, 0 <= n <= L; nothing beyond them is touched,
//   the
//                                      other lanes of a load are fill (0)
//   load_where(m, p[, fill])           the lanes of a mask, each at its place p[i]
//   store_where(m, p, v)
//   gather(p, index[, m])              p[index[i]] where m holds, else 0; nothing is checked
//   scatter(p, index, v[, m])          in the order of the lanes, so the last of equal indices wins
//   load_strided(p, stride[, n])       p[0], p[stride], ...: stride in elements, of any sign, 0 too
//   store_strided(p, stride, v[, n])
//   load1(p), store1(p, x)             one element, as a scalar
//   store_nt(p, v)                     past the caches; p aligned to sizeof(T) * L
//
// A store takes a value of the compute type already (convert.h) and rounds it to a half type.
#pragma once

#include "vec/convert.h"

FV_BEGIN

// The bits of a storage type, in one lane or in L.
template <class T>
using bits = typename int_of<sizeof(T)>::u;
template <class T>
using vbits = vec<bits<T>>;

template <class T, class B>
FV like<compute<T>, B> from_bits(B b) {
  if constexpr (same<compute<T>, bool>)
    return to_mask(b != (B)0);
  else if constexpr (same<T, bf16_t>)
    return from_bf16_bits(b);
  else if constexpr (same<T, f16_t>)
    return from_f16_bits(b);
  else
    return __builtin_bit_cast(like<T, B>, b);
}
template <class T, class V>
FV like<bits<T>, V> to_bits(V v) {
  if constexpr (same<compute<T>, bool>)
    return cast<u8>(v);
  else if constexpr (same<T, bf16_t>)
    return to_bf16_bits(v);
  else if constexpr (same<T, f16_t>)
    return to_f16_bits(v);
  else
    return as_uint(v);
}

template <class T>
FV compute<T> load1(const T* p) {
  bits<T> b;
  __builtin_memcpy(&b, p, sizeof b);
  return from_bits<T>(b);
}
template <class T>
FV void store1(T* p, compute<T> x) {
  bits<T> b = to_bits<T>(x);
  __builtin_memcpy(p, &b, sizeof b);
}
template <class T>
FV vcompute<T> load(const T* p) {
  vbits<T> b;
  __builtin_memcpy(&b, p, sizeof b);
  return from_bits<T>(b);
}
template <class T>
FV void store(T* p, vcompute<T> v) {
  vbits<T> b = to_bits<T>(v);
  __builtin_memcpy(p, &b, sizeof b);
}
template <class T>
FV void store_nt(T* p, vcompute<T> v) {
  __builtin_nontemporal_store(to_bits<T>(v), (vbits<T>*)p);
}
// To be called after stores past the caches, before another thread is told of them.
FV void store_nt_fence() { __builtin_ia32_sfence(); }

template <class T>
FV vcompute<T> load_where(mask m, const T* p, compute<T> fill = compute<T>()) {
  vbits<T> f = (vbits<T>)to_bits<T>(fill);
  return from_bits<T>(load_bits_where(m, (const bits<T>*)p, f));
}
template <class T>
FV void store_where(mask m, T* p, vcompute<T> v) {
  store_bits_where(m, (bits<T>*)p, to_bits<T>(v));
}
template <class T>
FV vcompute<T> load_n(const T* p, i64 n, compute<T> fill = compute<T>()) {
  return load_where(first_n(n), p, fill);
}
template <class T>
FV void store_n(T* p, vcompute<T> v, i64 n) {
  store_where(first_n(n), p, v);
}

template <class T>
FV vcompute<T> gather(const T* p, vi64 index, mask m = (mask) true) {
  if constexpr (sizeof(T) >= 4) {
    return from_bits<T>(gather_bits(m, (const bits<T>*)p, index));
  } else {
    bits<T> lanes[L] = {};
    i64 at[L];
    __builtin_memcpy(at, &index, sizeof at);
    for (u32 b = bits_of(m); b; b &= b - 1) {
      i32 i = __builtin_ctz(b);
      __builtin_memcpy(lanes + i, p + at[i], sizeof(T));
    }
    vbits<T> v;
    __builtin_memcpy(&v, lanes, sizeof v);
    return from_bits<T>(v);
  }
}
template <class T>
FV void scatter(T* p, vi64 index, vcompute<T> v, mask m = (mask) true) {
  vbits<T> b = to_bits<T>(v);
  bits<T> lanes[L];
  i64 at[L];
  __builtin_memcpy(lanes, &b, sizeof lanes);
  __builtin_memcpy(at, &index, sizeof at);
  for (u32 w = bits_of(m); w; w &= w - 1) {
    i32 i = __builtin_ctz(w);
    __builtin_memcpy(p + at[i], lanes + i, sizeof(T));
  }
}
template <class T>
FV vcompute<T> load_strided(const T* p, i64 stride) {
  return gather(p, iota<vi64>() * (vi64)stride);
}
template <class T>
FV vcompute<T> load_strided(const T* p, i64 stride, i64 n) {
  return gather(p, iota<vi64>() * (vi64)stride, first_n(n));
}
// One lane at a time, which is faster than the processors' scatters.
template <class T>
FV void store_strided(T* p, i64 stride, vcompute<T> v, i64 n = L) {
  bits<T> lanes[L];
  vbits<T> b = to_bits<T>(v);
  __builtin_memcpy(lanes, &b, sizeof lanes);
#define FV_ONE(i) __builtin_memcpy(p + (i) * stride, lanes + (i), sizeof(T))
  i64 i = 0;
  for (; i + 8 <= n; i += 8) {
    FV_ONE(i), FV_ONE(i + 1), FV_ONE(i + 2), FV_ONE(i + 3);
    FV_ONE(i + 4), FV_ONE(i + 5), FV_ONE(i + 6), FV_ONE(i + 7);
  }
  for (; i < n; i++) FV_ONE(i);
#undef FV_ONE
}

FV_END
