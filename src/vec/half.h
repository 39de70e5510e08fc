// The half types: bfloat16 and IEEE float16, stored as 16 bits, computed as f32. (The bits of
// float16 are in raw.h: to_f16_bits, from_f16_bits.) Rounding is to nearest even; a NaN stays a
// quiet NaN.
#pragma once

#include "vec/raw.h"

FV_BEGIN

// bfloat16 is widened by a shift: as a conversion, LLVM would narrow later comparisons to half
// width, where it has no instructions, and do them lane by lane.
template <class H>
FV like<f32, H> from_bf16_bits(H h) {
  return as_float<f32>(cast<u32>(h) << 16);
}

// x rounded to what the half type can hold, as an f32.
template <class V>
FV V round_bf16(V x) {
  uint<V> u = as_uint(x);
  uint<V> r = u + 0x7fffu + ((u >> 16) & 1u);
  r = x != x ? u | (uint<V>)0x400000u : r;
  return as_float<f32>(r & 0xffff0000u);
}
template <class V>
FV V round_f16(V x) {
  return from_f16_bits(to_f16_bits(x));
}

template <class V>
FV like<u16, V> to_bf16_bits(V x) {
  return cast<u16>(as_uint(round_bf16(x)) >> 16);
}

FV_END
