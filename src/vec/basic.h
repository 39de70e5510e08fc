// Arithmetic, comparisons, logic, rounding and the like: one or a few instructions each, named as
// the aten operator whose body they are. A bool counts as PyTorch has it: add is or, mul is and.
// Integer overflow wraps. What is called on integers and means nothing there (floor, isnan) is the
// identity or false.
#pragma once

#include "vec/types.h"

FV_BEGIN

inline constexpr f64 kInf = __builtin_inf();
inline constexpr f64 kNan = __builtin_nan("");

// Integer arithmetic on scalars goes through u64, where it wraps; on vectors it wraps by itself.
#define FV_WRAP(op)                      \
  if constexpr (is_int<V> && !is_vec<V>) \
    return (V)((u64)a op(u64) b);        \
  else                                   \
    return a op b;
template <class V>
FV V add(V a, V b) {
  if constexpr (is_bool<V>)
    return a | b;
  else {
    FV_WRAP(+)
  }
}
template <class V>
FV V sub(V a, V b) {
  FV_WRAP(-)
}
template <class V>
FV V mul(V a, V b) {
  if constexpr (is_bool<V>)
    return a & b;
  else {
    FV_WRAP(*)
  }
}
#undef FV_WRAP

template <class V>
FV V fma(V a, V b, V c) {
  return __builtin_elementwise_fma(a, b, c);
}
template <class V>
FV V neg(V a) {
  if constexpr (is_int<V>)
    return sub((V)0, a);
  else
    return -a;
}
template <class V>
FV V square(V a) {
  return mul(a, a);
}

// Comparisons give a mask (a bool). On bools, false < true.
template <class V>
FV mask_of<V> eq(V a, V b) {
  if constexpr (is_bool<V>)
    return a ^ b ^ (V) true;
  else
    return to_mask(a == b);
}
template <class V>
FV mask_of<V> lt(V a, V b) {
  if constexpr (is_bool<V>)
    return (a ^ (V) true) & b;
  else
    return to_mask(a < b);
}
template <class V>
FV mask_of<V> le(V a, V b) {
  if constexpr (is_bool<V>)
    return (a ^ (V) true) | b;
  else
    return to_mask(a <= b);
}
template <class V>
FV mask_of<V> ne(V a, V b) {
  if constexpr (is_bool<V>)
    return a ^ b;
  else
    return to_mask(a != b);
}
template <class V>
FV mask_of<V> gt(V a, V b) {
  return lt(b, a);
}
template <class V>
FV mask_of<V> ge(V a, V b) {
  return le(b, a);
}

// Truth of a value: not equal to zero, so a NaN is true.
template <class V>
FV mask_of<V> truth(V a) {
  if constexpr (is_bool<V>)
    return a;
  else
    return to_mask(a != (V)0);
}
template <class V>
FV mask_of<V> logical_not(V a) {
  return truth(a) ^ (mask_of<V>)true;
}
template <class V>
FV mask_of<V> logical_and(V a, V b) {
  return truth(a) & truth(b);
}
template <class V>
FV mask_of<V> logical_or(V a, V b) {
  return truth(a) | truth(b);
}
template <class V>
FV mask_of<V> logical_xor(V a, V b) {
  return truth(a) ^ truth(b);
}

template <class V>
FV V bitwise_and(V a, V b) {
  return a & b;
}
template <class V>
FV V bitwise_or(V a, V b) {
  return a | b;
}
template <class V>
FV V bitwise_xor(V a, V b) {
  return a ^ b;
}
template <class V>
FV V bitwise_not(V a) {
  if constexpr (is_bool<V>)
    return a ^ (V) true;
  else
    return ~a;
}

// Kinds of floats.
template <class V>
FV V abs(V a) {
  if constexpr (is_float<V>)
    return __builtin_elementwise_abs(a);
  else if constexpr (is_bool<V> || is_unsigned<V>)
    return a;
  else
    return where(lt(a, (V)0), neg(a), a);
}
template <class V>
FV mask_of<V> isnan(V a) {
  if constexpr (is_float<V>)
    return to_mask(a != a);
  else
    return (mask_of<V>)false;
}
template <class V>
FV mask_of<V> isinf(V a) {
  if constexpr (is_float<V>)
    return to_mask(abs(a) == (V)kInf);
  else
    return (mask_of<V>)false;
}
template <class V>
FV mask_of<V> isfinite(V a) {
  if constexpr (is_float<V>)
    return to_mask(abs(a) < (V)kInf);
  else
    return (mask_of<V>)true;
}
template <class V>
FV mask_of<V> signbit(V a) {
  if constexpr (is_float<V>)
    return to_mask(as_int(a) < 0);
  else
    return lt(a, (V)0);
}
template <class V>
FV V copysign(V a, V sign) {
  return __builtin_elementwise_copysign(a, sign);
}

// Rounding to integers; round is half to even.
#define FV_ROUND(name, builtin) \
  template <class V>            \
  FV V name(V a) {              \
    if constexpr (is_float<V>)  \
      return builtin(a);        \
    else                        \
      return a;                 \
  }
FV_ROUND(floor, __builtin_elementwise_floor)
FV_ROUND(ceil, __builtin_elementwise_ceil)
FV_ROUND(trunc, __builtin_elementwise_trunc)
FV_ROUND(round, __builtin_elementwise_roundeven)
#undef FV_ROUND
template <class V>
FV V frac(V a) {
  return a - trunc(a);
}

template <class V>
FV V sqrt(V a) {
  return __builtin_elementwise_sqrt(a);
}
template <class V>
FV V rsqrt(V a) {
  return (V)1 / sqrt(a);
}
template <class V>
FV V reciprocal(V a) {
  return (V)1 / a;
}

// A NaN, by its bits.
template <class V>
FV mask_of<V> has_nan_bits(V a) {
  typedef elem<sint<V>> T;
  constexpr T magnitude = (T)(((typename int_of<sizeof(T)>::u) - 1) >> 1);
  return to_mask((as_int(a) & (sint<V>)magnitude) > (sint<V>)as_int((elem<V>)kInf));
}

// maximum and minimum give NaN if either is NaN; fmax and fmin then give the other. Of equal ones
// (so of 0 and -0) the second is given.
// Written around faults of LLVM 19: where a is abs(x), a != a || a > 0 becomes a comparison of x,
// so no ordered comparison stands beside a test for NaN; a > c ? a : c becomes a where a is x < c ?
// c : x, though one drops a NaN and the other keeps it, so fmax and fmin must not become that; and
// c > x ? c : x becomes x > c ? x : c where c is a constant and x widened, though of 0 and -0 one
// gives the second and the other the first, so the first is hidden.
template <class V>
FV V hidden(V a) {
  if constexpr (is_float<V>)
    return opaque(a);
  else
    return a;
}
template <class V>
FV V maximum(V a, V b) {
  a = hidden(a);
  if constexpr (is_bool<V>)
    return a | b;
  else if constexpr (is_float<V>)
    return where_as_is(isnan(b), b, where_as_is(!to_mask(a <= b), a, b));
  else
    return where_as_is(to_mask(a > b), a, b);
}
template <class V>
FV V minimum(V a, V b) {
  a = hidden(a);
  if constexpr (is_bool<V>)
    return a & b;
  else if constexpr (is_float<V>)
    return where_as_is(isnan(b), b, where_as_is(!to_mask(a >= b), a, b));
  else
    return where_as_is(to_mask(a < b), a, b);
}
template <class V>
FV V fmax(V a, V b) {
  a = hidden(a);
  if constexpr (is_float<V>)
    return where(has_nan_bits(a), b, where_as_is(!to_mask(a <= b), a, b));
  else
    return maximum(a, b);
}
template <class V>
FV V fmin(V a, V b) {
  a = hidden(a);
  if constexpr (is_float<V>)
    return where(has_nan_bits(a), b, where_as_is(!to_mask(a >= b), a, b));
  else
    return minimum(a, b);
}
// The bare instruction: where either is NaN, and where they are equal, the second.
template <class V>
FV V max_raw(V a, V b) {
  a = hidden(a);
  return where_as_is(to_mask(a > b), a, b);
}
template <class V>
FV V min_raw(V a, V b) {
  a = hidden(a);
  return where_as_is(to_mask(a < b), a, b);
}

template <class V>
FV V clamp_min(V a, V low) {
  return maximum(a, low);
}
template <class V>
FV V clamp_max(V a, V high) {
  return minimum(a, high);
}
template <class V>
FV V clamp(V a, V low, V high) {
  return minimum(maximum(a, low), high);
}
template <class V>
FV V hardtanh(V a, V low, V high) {
  return clamp(a, low, high);
}
template <class V>
FV V relu(V a) {
  return max_raw((V)0, a);
}
template <class V>
FV V threshold(V a, V limit, V value) {
  return where(to_mask(a <= limit), value, a);
}

// -1, 0 or 1; 0 for a NaN.
template <class V>
FV V sign(V a) {
  if constexpr (is_bool<V>)
    return a;
  else
    return where(to_mask(a > (V)0), (V)1, where(to_mask(a < (V)0), (V)-1, (V)0));
}
template <class V>
FV V sgn(V a) {
  return sign(a);
}

template <class V>
FV V lerp(V a, V b, V weight) {
  V d = b - a;
  return where(to_mask(abs(weight) < (V)0.5), a + weight * d, b - d * ((V)1 - weight));
}
template <class V>
FV V nan_to_num(V a, V nan, V posinf, V neginf) {
  V r = where(to_mask(a == (V)kInf), posinf, where(to_mask(a == (V)-kInf), neginf, a));
  return where(isnan(a), nan, r);
}
template <class V>
FV V addcmul(V a, V b, V c, V value) {
  return a + value * b * c;
}
template <class V>
FV V addcdiv(V a, V b, V c, V value) {
  return a + value * (b / c);
}

FV_END
