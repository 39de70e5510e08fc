// Conversions between compute types with PyTorch's semantics, defined for every input.
//
// float to integer truncates. NaN and what is out of range give what x86's cvtt instructions give:
// the smallest i32 (i64 for i64), from which the narrower types take the low bits. So to i8, i16
// and u8 the way is through i32. Anything to bool is "!= 0" (a NaN is true). To a half type is
// through f32, then rounded to nearest even; the result is an f32 that the half type can hold.
#pragma once

#include "vec/half.h"

FV_BEGIN

// convert<To>(v): To is a storage or compute type; the result is compute<To> in as many lanes.
template <class To, class V>
FV like<compute<To>, V> convert(V v) {
  if constexpr (same<To, bf16_t>)
    return round_bf16(cast<f32>(v));
  else if constexpr (same<To, f16_t>)
    return round_f16(cast<f32>(v));
  else if constexpr (same<compute<To>, elem<V>>)
    return v;
  else if constexpr (same<compute<To>, bool>)
    return to_mask(v != (V)0);
  else if constexpr (!is_float<V> || is_float<To>)
    return cast<To>(v);
  else if constexpr (same<To, i64>)
    return trunc_i64(v);
  else
    return cast<To>(trunc_i32(v));
}

FV_END
