// The processor's own instructions behind memory.h and convert.h, one set of functions a level, on
// integers as wide as the elements. Nothing outside those two files should need this one.
#pragma once

#include "vec/types.h"

FV_BEGIN

// What the builtins take: GCC vectors of the right number of elements, r for raw.
#define FV_RAW(T, N, B) typedef T r##T##x##N __attribute__((vector_size(B)))
typedef long long q64;
FV_RAW(f32, 4, 16);
FV_RAW(f32, 8, 32);
FV_RAW(f64, 2, 16);
FV_RAW(f64, 4, 32);
FV_RAW(i16, 8, 16);
FV_RAW(i32, 4, 16);
FV_RAW(i32, 8, 32);
FV_RAW(q64, 4, 32);
#if FV_LEVEL == 5
FV_RAW(char, 16, 16);
FV_RAW(f32, 16, 64);
FV_RAW(f64, 8, 64);
FV_RAW(i16, 16, 32);
FV_RAW(i32, 16, 64);
FV_RAW(q64, 8, 64);
#endif
#undef FV_RAW

// Half a vector, and two halves as one.
template <class T>
using half_vec = T __attribute__((ext_vector_type(FV_L / 2)));
template <class T>
FV vec<T> join(half_vec<T> lo, half_vec<T> hi) {
#if FV_LEVEL == 5
  return __builtin_shufflevector(lo, hi, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#else
  return __builtin_shufflevector(lo, hi, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}

// float to integer by truncation; what does not fit, and NaN, is the smallest integer.
FV_LAZY i32 trunc_i32(f32 x) { return __builtin_ia32_cvttss2si(rf32x4{x, 0, 0, 0}); }
FV_LAZY i64 trunc_i64(f32 x) { return __builtin_ia32_cvttss2si64(rf32x4{x, 0, 0, 0}); }
FV_LAZY i32 trunc_i32(f64 x) { return __builtin_ia32_cvttsd2si(rf64x2{x, 0}); }
FV_LAZY i64 trunc_i64(f64 x) { return __builtin_ia32_cvttsd2si64(rf64x2{x, 0}); }

// float16 bits, rounded to nearest even. LLVM must not see the widening of a vector as a
// conversion, or it narrows later comparisons to half width, where it has no instructions, and does
// them lane by lane. On AVX-512 the form that suppresses exceptions is opaque to it; on AVX2 the
// maximum of the value and itself is.
FV_LAZY u16 to_f16_bits(f32 x) {
  return (u16)((ri16x8)__builtin_ia32_vcvtps2ph(rf32x4{x, 0, 0, 0}, 0))[0];
}
FV_LAZY f32 from_f16_bits(u16 h) {
  return ((rf32x4)__builtin_ia32_vcvtph2ps(ri16x8{(i16)h, 0, 0, 0, 0, 0, 0, 0}))[0];
}

#if FV_LEVEL == 5
FV_LAZY vi32 trunc_i32(vf32 x) {
  return (vi32)__builtin_ia32_cvttps2dq512_mask((rf32x16)x, ri32x16{}, (u16)-1, 4);
}
FV_LAZY half_vec<i32> trunc_i32_half(half_vec<f64> x) {
  return (half_vec<i32>)__builtin_ia32_cvttpd2dq512_mask((rf64x8)x, ri32x8{}, (u8)-1, 4);
}
FV_LAZY half_vec<i64> trunc_i64_half(half_vec<f64> x) {
  return (half_vec<i64>)__builtin_ia32_cvttpd2qq512_mask((rf64x8)x, rq64x8{}, (u8)-1, 4);
}
FV_LAZY half_vec<i64> trunc_i64_half(half_vec<f32> x) {
  return (half_vec<i64>)__builtin_ia32_cvttps2qq512_mask((rf32x8)x, rq64x8{}, (u8)-1, 4);
}
FV_LAZY vi32 trunc_i32(vf64 x) { return join<i32>(trunc_i32_half(x.lo), trunc_i32_half(x.hi)); }
FV_LAZY vi64 trunc_i64(vf64 x) { return join<i64>(trunc_i64_half(x.lo), trunc_i64_half(x.hi)); }
FV_LAZY vi64 trunc_i64(vf32 x) { return join<i64>(trunc_i64_half(x.lo), trunc_i64_half(x.hi)); }

FV_LAZY vu16 to_f16_bits(vf32 x) {
  return (vu16)__builtin_ia32_vcvtps2ph512_mask((rf32x16)x, 0, ri16x16{}, (u16)-1);
}
FV_LAZY vf32 from_f16_bits(vu16 h) {
  return (vf32)__builtin_ia32_vcvtph2ps512_mask((ri16x16)h, rf32x16{}, (u16)-1, 8);
}

FV_LAZY vu32 load_bits_where(mask m, const u32* p, vu32 fill) {
  return (vu32)__builtin_ia32_loaddqusi512_mask((const i32*)p, (ri32x16)fill, bits_of(m));
}
FV_LAZY vu64 load_bits_where(mask m, const u64* p, vu64 fill) {
  u16 b = bits_of(m);
  const q64* q = (const q64*)p;
  auto lo = __builtin_ia32_loaddqudi512_mask(q, (rq64x8)fill.lo, (u8)b);
  auto hi = __builtin_ia32_loaddqudi512_mask(q + 8, (rq64x8)fill.hi, (u8)(b >> 8));
  return join<u64>((half_vec<u64>)lo, (half_vec<u64>)hi);
}
FV_LAZY vu16 load_bits_where(mask m, const u16* p, vu16 fill) {
  return (vu16)__builtin_ia32_loaddquhi256_mask((const ri16x16*)p, (ri16x16)fill, bits_of(m));
}
FV_LAZY vu8 load_bits_where(mask m, const u8* p, vu8 fill) {
  return (vu8)__builtin_ia32_loaddquqi128_mask((const rcharx16*)p, (rcharx16)fill, bits_of(m));
}
FV_LAZY void store_bits_where(mask m, u32* p, vu32 v) {
  __builtin_ia32_storedqusi512_mask((i32*)p, (ri32x16)v, bits_of(m));
}
FV_LAZY void store_bits_where(mask m, u64* p, vu64 v) {
  u16 b = bits_of(m);
  __builtin_ia32_storedqudi512_mask((q64*)p, (rq64x8)v.lo, (u8)b);
  __builtin_ia32_storedqudi512_mask((q64*)p + 8, (rq64x8)v.hi, (u8)(b >> 8));
}
FV_LAZY void store_bits_where(mask m, u16* p, vu16 v) {
  __builtin_ia32_storedquhi256_mask((ri16x16*)p, (ri16x16)v, bits_of(m));
}
FV_LAZY void store_bits_where(mask m, u8* p, vu8 v) {
  __builtin_ia32_storedquqi128_mask((rcharx16*)p, (rcharx16)v, bits_of(m));
}

FV_LAZY vu32 gather_bits(mask m, const u32* p, vi64 i) {
  u16 b = bits_of(m);
  auto lo = __builtin_ia32_gatherdiv16si(ri32x8{}, p, (rq64x8)i.lo, (u8)b, 4);
  auto hi = __builtin_ia32_gatherdiv16si(ri32x8{}, p, (rq64x8)i.hi, (u8)(b >> 8), 4);
  return join<u32>((half_vec<u32>)lo, (half_vec<u32>)hi);
}
FV_LAZY vu64 gather_bits(mask m, const u64* p, vi64 i) {
  u16 b = bits_of(m);
  auto lo = __builtin_ia32_gatherdiv8di(rq64x8{}, p, (rq64x8)i.lo, (u8)b, 8);
  auto hi = __builtin_ia32_gatherdiv8di(rq64x8{}, p, (rq64x8)i.hi, (u8)(b >> 8), 8);
  return join<u64>((half_vec<u64>)lo, (half_vec<u64>)hi);
}
#else
FV_LAZY vi32 trunc_i32(vf32 x) { return (vi32)__builtin_ia32_cvttps2dq256((rf32x8)x); }
FV_LAZY vi32 trunc_i32(vf64 x) {
  auto lo = __builtin_ia32_cvttpd2dq256((rf64x4)x.lo);
  auto hi = __builtin_ia32_cvttpd2dq256((rf64x4)x.hi);
  return join<i32>((half_vec<i32>)lo, (half_vec<i32>)hi);
}
FV_LAZY vi64 trunc_i64(vf64 x) {
  return vi64{trunc_i64(x[0]), trunc_i64(x[1]), trunc_i64(x[2]), trunc_i64(x[3]),
              trunc_i64(x[4]), trunc_i64(x[5]), trunc_i64(x[6]), trunc_i64(x[7])};
}
FV_LAZY vi64 trunc_i64(vf32 x) { return trunc_i64(cast<f64>(x)); }

FV_LAZY vu16 to_f16_bits(vf32 x) { return (vu16)__builtin_ia32_vcvtps2ph256((rf32x8)x, 0); }
FV_LAZY vf32 from_f16_bits(vu16 h) {
  auto v = __builtin_ia32_vcvtph2ps256((ri16x8)h);
  return (vf32)__builtin_ia32_maxps256(v, v);
}

FV_LAZY vu32 load_bits_where(mask m, const u32* p, vu32 fill) {
  auto v = __builtin_ia32_maskloadd256((const ri32x8*)p, (ri32x8)-cast<i32>(m));
  return where(m, (vu32)v, fill);
}
FV_LAZY vu64 load_bits_where(mask m, const u64* p, vu64 fill) {
  vi64 w = -cast<i64>(m);
  auto lo = __builtin_ia32_maskloadq256((const rq64x4*)p, (rq64x4)w.lo);
  auto hi = __builtin_ia32_maskloadq256((const rq64x4*)(p + 4), (rq64x4)w.hi);
  return where(m, join<u64>((half_vec<u64>)lo, (half_vec<u64>)hi), fill);
}
FV_LAZY void store_bits_where(mask m, u32* p, vu32 v) {
  __builtin_ia32_maskstored256((ri32x8*)p, (ri32x8)-cast<i32>(m), (ri32x8)v);
}
FV_LAZY void store_bits_where(mask m, u64* p, vu64 v) {
  vi64 w = -cast<i64>(m);
  __builtin_ia32_maskstoreq256((rq64x4*)p, (rq64x4)w.lo, (rq64x4)v.lo);
  __builtin_ia32_maskstoreq256((rq64x4*)(p + 4), (rq64x4)w.hi, (rq64x4)v.hi);
}
// AVX2 has no masked access to bytes and words: lane by lane.
template <class B>
FV vec<B> load_lanes_where(mask m, const B* p, vec<B> fill) {
  B lanes[L];
  __builtin_memcpy(lanes, &fill, sizeof lanes);
  for (u32 b = bits_of(m); b; b &= b - 1) lanes[__builtin_ctz(b)] = p[__builtin_ctz(b)];
  __builtin_memcpy(&fill, lanes, sizeof lanes);
  return fill;
}
template <class B>
FV void store_lanes_where(mask m, B* p, vec<B> v) {
  B lanes[L];
  __builtin_memcpy(lanes, &v, sizeof lanes);
  for (u32 b = bits_of(m); b; b &= b - 1) p[__builtin_ctz(b)] = lanes[__builtin_ctz(b)];
}
FV_LAZY vu16 load_bits_where(mask m, const u16* p, vu16 fill) {
  return load_lanes_where<u16>(m, p, fill);
}
FV_LAZY vu8 load_bits_where(mask m, const u8* p, vu8 fill) {
  return load_lanes_where<u8>(m, p, fill);
}
FV_LAZY void store_bits_where(mask m, u16* p, vu16 v) { store_lanes_where<u16>(m, p, v); }
FV_LAZY void store_bits_where(mask m, u8* p, vu8 v) { store_lanes_where<u8>(m, p, v); }

FV_LAZY vu32 gather_bits(mask m, const u32* p, vi64 i) {
  half_vec<i32> none = 0;
  vi32 w = -cast<i32>(m);
  auto lo = __builtin_ia32_gatherq_d256((ri32x4)none, (const i32*)p, (rq64x4)i.lo, (ri32x4)w.lo, 4);
  auto hi = __builtin_ia32_gatherq_d256((ri32x4)none, (const i32*)p, (rq64x4)i.hi, (ri32x4)w.hi, 4);
  return join<u32>((half_vec<u32>)lo, (half_vec<u32>)hi);
}
FV_LAZY vu64 gather_bits(mask m, const u64* p, vi64 i) {
  vi64 w = -cast<i64>(m);
  auto lo = __builtin_ia32_gatherq_q256(rq64x4{}, (const q64*)p, (rq64x4)i.lo, (rq64x4)w.lo, 8);
  auto hi = __builtin_ia32_gatherq_q256(rq64x4{}, (const q64*)p, (rq64x4)i.hi, (rq64x4)w.hi, 8);
  return join<u64>((half_vec<u64>)lo, (half_vec<u64>)hi);
}
#endif

FV_END
