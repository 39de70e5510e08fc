// Division with its remainders, for integers and floats; shifts and powers of integers.
//
// On integers nothing traps and nothing is undefined: a division by zero gives 0 (whether that is
// an error is the caller's business: any_zero), the smallest integer by -1 wraps to itself.
#pragma once

#include "vec/exp_log.h"

FV_BEGIN

template <class V>
FV bool any_zero(V v) {
  return any(eq(v, (V)0));
}

// a / b for floats (integers are converted before).
template <class V>
FV V div(V a, V b) {
  return a / b;
}

// a / b rounded towards zero.
template <class V>
FV V div_trunc(V a, V b) {
  if constexpr (is_float<V>)
    return trunc(a / b);
  else if constexpr (!is_vec<V>) {
    if (b == 0) return 0;
    if constexpr (!is_unsigned<V>)
      if (b == -1) return neg(a);
    return (V)(a / b);
  } else if constexpr (sizeof(elem<V>) == 8) {
    elem<V> x[L], y[L];
    __builtin_memcpy(x, &a, sizeof x);
    __builtin_memcpy(y, &b, sizeof y);
    for (i32 i = 0; i < L; i++) x[i] = div_trunc(x[i], y[i]);
    __builtin_memcpy(&a, x, sizeof x);
    return a;
  } else {  // a float of twice the bits holds the quotient well enough to truncate it
    if constexpr (sizeof(elem<V>) == 4)
      return where(eq(b, (V)0), (V)0, trunc_i32(cast<f64>(a) / cast<f64>(b)));
    else
      return where(eq(b, (V)0), (V)0, cast<elem<V>>(trunc_i32(cast<f32>(a) / cast<f32>(b))));
  }
}

// x mod d for finite x >= d > 0, exactly, eleven bits of the quotient at a time.
FV_LAZY_SLOW f64 fmod_far(f64 x, f64 d) {
  u64 mx = as_uint(x), md = as_uint(d), one = 1ul << 52;
  i32 ex = (i32)(mx >> 52), ed = (i32)(md >> 52);
  mx = ex ? (mx & (one - 1)) | one : mx;
  md = ed ? (md & (one - 1)) | one : md;
  ex += !ex;
  ed += !ed;
  u64 r = mx % md;
  for (i32 e = ex - ed; e > 0; e -= 11) r = (r << (e < 11 ? e : 11)) % md;
  i32 e = ed - 1075, h = e / 2;  // the smallest unit
  return (f64)(i64)r * pow2n((f64)h) * pow2n((f64)(e - h));
}
template <class V>
FV V fmod(V a, V b) {
  if constexpr (is_int<V>)
    return sub(a, mul(div_trunc(a, b), b));
  else {
    typedef mask_of<V> M;
    V x = abs(a), d = abs(b), q = x / d;
    V r = fma(-trunc(q), d, x);  // exact; the quotient may have been rounded up to a whole number
    r = where(lt(r, (V)0), r + d, r);
    r = where(lt(x, d), x, r);
    M bad = eq(d, (V)0) | logical_not(lt(x, (V)kInf)) | isnan(d);
    M far = logical_not(lt(q, (V)0.5 / (V)fp_of<V>::epsilon) | bad | eq(d, (V)kInf));
    if (__builtin_expect(any(far), 0)) {
      if constexpr (!is_vec<V>)
        r = (V)fmod_far(x, d);
      else {
        for (i32 i = 0; i < L; i++)
          if (far[i]) r[i] = (elem<V>)fmod_far(x[i], d[i]);
      }
    }
    return where(bad, (V)kNan, copysign(r, a));
  }
}
// Of a division rounded down: the remainder has the sign of b, as in Python.
template <class V>
FV V remainder(V a, V b) {
  V r = fmod(a, b);
  return where(ne(r, (V)0) & (lt(r, (V)0) ^ lt(b, (V)0)), add(r, b), r);
}
template <class V>
FV V floor_divide(V a, V b) {
  V r = fmod(a, b);
  mask_of<V> below = ne(r, (V)0) & (lt(r, (V)0) ^ lt(b, (V)0));
  if constexpr (is_int<V>) {
    V q = div_trunc(a, b);
    return where(below & ne(b, (V)0), sub(q, (V)1), q);
  } else {
    V q = (a - r) / b;
    q = where(below, q - (V)1, q);
    V f = floor(q);
    f = where(gt(q - f, (V)0.5), f + (V)1, f);
    f = where(eq(q, (V)0), copysign((V)0, a / b), f);
    return where(eq(b, (V)0), a / b, f);
  }
}

// A shift by fewer than 0 or more bits than there are: to the left 0, to the right all sign.
template <class V>
FV V bitwise_left_shift(V a, V b) {
  typedef uint<V> U;
  constexpr elem<V> width = sizeof(elem<V>) * 8;
  mask_of<V> in = ge(b, (V)0) & lt(b, (V)width);
  U s = as_uint(where(in, b, (V)0));
  return where(in, __builtin_bit_cast(V, (U)(as_uint(a) << s)), (V)0);
}
template <class V>
FV V bitwise_right_shift(V a, V b) {
  constexpr elem<V> width = sizeof(elem<V>) * 8;
  mask_of<V> in = ge(b, (V)0) & lt(b, (V)width);
  if constexpr (is_unsigned<V>)
    return where(in, (V)(a >> where(in, b, (V)0)), (V)0);
  else
    return (V)(a >> where(in, b, (V)(width - 1)));
}

// a^b. Integers wrap; a negative power of one is that of 1 / a, rounded towards zero.
template <class V>
FV V pow(V a, V b) {
  if constexpr (is_float<V>)
    return pow_of_floats(a, b);
  else if constexpr (is_bool<V>)
    return a | (b ^ (V) true);
  else {
    mask_of<V> negative = lt(b, (V)0), odd = ne((V)(b & (V)1), (V)0);
    V r = (V)1, x = a, n = where(negative, (V)0, b);
    while (any(ne(n, (V)0))) {
      r = where(ne((V)(n & (V)1), (V)0), mul(r, x), r);
      x = mul(x, x);
      n = (V)(n >> (V)1);
    }
    V inverse = where(eq(a, (V)1), (V)1, (V)0);
    if constexpr (!is_unsigned<V>) inverse = where(eq(a, (V)-1), where(odd, (V)-1, (V)1), inverse);
    return where(negative, inverse, r);
  }
}
// a^e for one power e, as PyTorch does a tensor to a number: the common powers by what they are (so
// the power 1/2 of -infinity is NaN, as the square root is).
template <class V>
FV V pow_scalar(V a, f64 e) {
  static_assert(is_float<V>);
  if (e == 2) return a * a;
  if (e == 3) return a * a * a;
  if (e == 0.5) return sqrt(a);
  if (e == -0.5) return rsqrt(a);
  if (e == -1) return reciprocal(a);
  if (e == -2) return (V)1 / (a * a);
  return pow_of_floats(a, (V)e);
}

FV_END
