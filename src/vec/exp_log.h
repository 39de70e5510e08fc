// Exponentials, logarithms and powers. f32 within 1 ulp, f64 within 1 (docs/numerics.md has the
// measured errors); special values as in C's annex F. The coefficients are from
// tools/vec_coefficients.py.
#pragma once

#include "vec/basic.h"

FV_BEGIN

// Horner's rule, the highest coefficient first.
template <class V, class... C>
FV V poly(V x, elem<V> first, C... rest) {
  V r = (V)first;
  ((r = fma(r, x, (V)rest)), ...);
  return r;
}

// Constants of the two float formats. ln2 = kLn2Hi + kLn2Lo; magic + n has n in its low bits.
template <class T>
struct fp;
template <>
struct fp<f32> {
  enum { mantissa = 23, bias = 127, min_exp = -126 };
  static constexpr f32 ln2_hi = 0x1.62e43p-1f, ln2_lo = -0x1.05c61p-29f, log2e = 0x1.715476p0f;
  static constexpr f32 magic = 0x1.8p23f, min_normal = 0x1p-126f, epsilon = 0x1p-23f;
  static constexpr f32 exp_min = -104.f, exp_max = 89.f, expm1_min = -40.f;
};
template <>
struct fp<f64> {
  enum { mantissa = 52, bias = 1023, min_exp = -1022 };
  static constexpr f64 ln2_hi = 0x1.62e42fefa39efp-1, ln2_lo = 0x1.abc9e3b39803fp-56;
  static constexpr f64 log2e = 0x1.71547652b82fep0;
  static constexpr f64 magic = 0x1.8p52, min_normal = 0x1p-1022, epsilon = 0x1p-52;
  static constexpr f64 exp_min = -746., exp_max = 710., expm1_min = -80.;
};
template <class V>
using fp_of = fp<elem<V>>;

// 2^n for a whole number n that is the exponent of a normal number, without a conversion: a NaN in
// n makes garbage but no poison.
template <class V>
FV V pow2n(V n) {
  typedef fp_of<V> F;
  return as_float<elem<V>>(as_int(n + (V)(F::magic + (elem<V>)F::bias)) << F::mantissa);
}
// p * 2^n, rounded once, for p about 1 and any whole n that is not far beyond the exponents' range.
template <class V>
FV V scale2(V p, V n) {
#if FV_LEVEL == 5
  if constexpr (same<V, vf32>) {
    return (V)__builtin_ia32_scalefps512_mask((rf32x16)p, (rf32x16)n, (rf32x16)p, (u16)-1, 4);
  } else if constexpr (same<V, vf64>) {
    auto lo = __builtin_ia32_scalefpd512_mask((rf64x8)p.lo, (rf64x8)n.lo, rf64x8{}, (u8)-1, 4);
    auto hi = __builtin_ia32_scalefpd512_mask((rf64x8)p.hi, (rf64x8)n.hi, rf64x8{}, (u8)-1, 4);
    return join<f64>((half_vec<f64>)lo, (half_vec<f64>)hi);
  }
#endif
  V h = floor(n * (V)0.5);
  return p * pow2n(h) * pow2n(n - h);  // the first product is exact
}

// (e^r - 1 - r) / r^2 for |r| <= ln2 / 2.
template <class V>
FV V exp_tail(V r) {
  if constexpr (is_f32<V>)
    return poly(r, 1.38207187e-3f, 8.36867373e-3f, 4.16682661e-2f, 0.166665211f, 0.49999994f);
  else
    return poly(r, 2.500758235271747e-8, 2.7630455349725933e-7, 2.7557562020766786e-6,
                2.4801492461207405e-5, 1.984126953476918e-4, 1.3888888944325593e-3,
                8.3333333334808177e-3, 4.1666666666527033e-2, 0.16666666666666435,
                0.50000000000000111);
}
// e^(x + low) * 2^shift, for a low that is small against x; x within exp_min and exp_max or NaN.
template <class V>
FV V exp_ext(V x, V low, V shift) {
  typedef fp_of<V> F;
  V n = round(x * (V)F::log2e);
  V a = fma(n, (V)-F::ln2_hi, x);  // exact
  V b = fma(n, (V)-F::ln2_lo, low);
  V r = a + b, rest = (a - r) + b;
  V t = r + fma(r * r, exp_tail(r), rest);
  return scale2((V)1 + t, n + shift);
}
// Constants come first, so that a NaN passes.
template <class V>
FV V exp_range(V x) {
  typedef fp_of<V> F;
  return min_raw((V)F::exp_max, max_raw((V)F::exp_min, x));
}
template <class V>
FV V exp(V x) {
  typedef fp_of<V> F;
  V c = exp_range(x), n = round(c * (V)F::log2e);
  V r = fma(n, (V)-F::ln2_lo, fma(n, (V)-F::ln2_hi, c));
  return scale2((V)1 + fma(r * r, exp_tail(r), r), n);
}
// e^x where neither x nor the result is anywhere near the ends of the format (|x| <= 80): the power
// of two is added to the exponent.
template <class V>
FV V exp_normal(V x) {
  typedef fp_of<V> F;
  V k = fma(x, (V)F::log2e, (V)F::magic), n = k - (V)F::magic;
  V r = fma(n, (V)-F::ln2_lo, fma(n, (V)-F::ln2_hi, x));
  V p = (V)1 + fma(r * r, exp_tail(r), r);
  return as_float<elem<V>>(as_uint(p) + (as_uint(k) << F::mantissa));
}
template <class V>
FV V exp2(V x) {
  typedef fp_of<V> F;
  V c = min_raw((V)(F::bias + 2), max_raw((V)(F::min_exp - F::mantissa - 2), x));
  V n = round(c), f = c - n;
  V r = f * (V)F::ln2_hi, low = fma(f, (V)F::ln2_lo, fma(f, (V)F::ln2_hi, -r));
  return scale2((V)1 + (r + fma(r * r, exp_tail(r), low)), n);
}
template <class V>
FV V expm1(V x) {
  typedef fp_of<V> F;
  V c = min_raw((V)F::exp_max, max_raw((V)F::expm1_min, x)), n = round(c * (V)F::log2e);
  V a = fma(n, (V)-F::ln2_hi, c), r = fma(n, (V)-F::ln2_lo, a);
  V low = fma(n, (V)-F::ln2_lo, a - r);
  V w = fma(r * r, exp_tail(r), low), t = r + w, rest = (r - t) + w;
  V s = pow2n(n - (V)1);  // half of 2^n, which may be beyond the range
  V y = (V)2 * fma(s, rest, fma(s, t, s - (V)0.5));
  return where(to_mask(abs(x) < (V)F::epsilon * (V)0.125), x, y);
}

// x = 2^e (1 + f), for a finite x > 0, denormal ones too.
template <class V>
struct LogParts {
  V f, e;
};
template <class V>
FV LogParts<V> log_split(V x) {
  typedef fp_of<V> F;
  constexpr elem<V> up = (elem<V>)(1ul << F::mantissa);
  mask_of<V> tiny = to_mask(x < (V)F::min_normal);
  uint<V> u = as_uint(where(tiny, x * (V)up, x));
  V shift = where(tiny, (V)-F::mantissa, (V)0);
  if constexpr (is_f32<V>) {  // 1 + f from 2/3 on
    sint<V> i = __builtin_bit_cast(sint<V>, u - 0x3f2aaaabu);
    V m = as_float<f32>((i & 0x7fffff) + 0x3f2aaaab);
    return {m - (V)1, cast<f32>(i >> 23) + shift};
  } else {  // 1 + f from sqrt(1/2) on; the exponent becomes a float by way of 2^52, as AVX2 has no
            // conversion
    u = u - (uint<V>)0x3fe6a09e667f3bcdul + (uint<V>)(1024ul << 52);
    V m = as_float<f64>((u & (uint<V>)0xffffffffffffful) + (uint<V>)0x3fe6a09e667f3bcdul);
    V e = as_float<f64>((u >> 52) | (uint<V>)0x4330000000000000ul) - (V)(0x1p52 + 1024.);
    return {m - (V)1, e + shift};
  }
}
// log(1 + f) - f.
template <class V>
FV V log_tail(V f) {
  if constexpr (is_f32<V>) {
    V p = poly(f, -0.128890634f, 0.13986899f, -0.121848941f, 0.140053064f, -0.166804388f,
               0.20010446f, -0.249997988f, 0.333332151f);
    V z = f * f;
    return fma(z, (V)-0.5f, p * (z * f));
  } else {
    V s = f / ((V)2 + f), z = s * s, half = (V)0.5 * f * f;
    V r =
        z * poly(z, 0.14795726469879564, 0.15314076632729171, 0.18183563125578425,
                 0.22222198600769455, 0.28571428742058852, 0.39999999999416563, 0.6666666666666734);
    return fma(s, half + r, -half);
  }
}
// The logarithm's value y at x > 0 and its special values elsewhere.
template <class V>
FV V log_special(V x, V y) {
  V other = where(to_mask(x == (V)0), (V)-kInf, where(to_mask(x < (V)0), (V)kNan, x));
  return where(to_mask((x > (V)0) & (x < (V)kInf)), y, other);
}
// f + e ln2, with the tail of log(1 + f).
template <class V>
FV V log_join(LogParts<V> p, V tail) {
  // ln2 in two parts, the first short enough for e times it to be exact
  constexpr elem<V> hi = is_f32<V> ? 0x1.63p-1 : 0x1.62e42ffp-1;
  constexpr elem<V> lo = is_f32<V> ? -0x1.bd0106p-13 : -0x1.718432a1b0e26p-35;
  return fma(p.e, (V)hi, p.f + fma(p.e, (V)lo, tail));
}
template <class V>
FV V log(V x) {
  LogParts<V> p = log_split(x);
  return log_special(x, log_join(p, log_tail(p.f)));
}
template <class V>
FV V log1p(V x) {
  V u = (V)1 + x, v = u - (V)1;
  V low = ((V)1 - (u - v)) + (x - v);  // 1 + x = u + low
  LogParts<V> p = log_split(u);
  V c = low * pow2n(max_raw((V)-100, -p.e)), f = p.f + c, rest = (p.f - f) + c;
  V y = log_special(u, log_join(LogParts<V>{f, p.e}, log_tail(f) + rest));
  return where(to_mask(x == (V)0), x, y);
}
// log(x) in another base: e hi + e lo + log(1 + f) (l_hi + l_lo); e hi is exact.
template <class V>
FV V log_base(V x, V hi, V lo, V l_hi, V l_lo) {
  LogParts<V> p = log_split(x);
  V t = log_tail(p.f), s = p.f * l_hi;
  V low = fma(p.f, l_hi, -s) + fma(p.f, l_lo, fma(t, l_hi, p.e * lo));
  V a = p.e * hi, y = a + s;
  return log_special(x, y + (((a - y) + s) + low));
}
template <class V>
FV V log2(V x) {
  if constexpr (is_f32<V>)
    return log_base(x, (V)1, (V)0, (V)0x1.715476p0f, (V)0x1.4ae0cp-26f);
  else
    return log_base(x, (V)1, (V)0, (V)0x1.71547652b82fep0, (V)0x1.777d0ffda0d24p-56);
}
template <class V>
FV V log10(V x) {
  if constexpr (is_f32<V>)
    return log_base(x, (V)0x1.344p-2f, (V)0x1.3509f8p-18f, (V)0x1.bcb7b2p-2f, (V)-0x1.5b235ep-27f);
  else
    return log_base(x, (V)0x1.3441350ap-2, (V)-0x1.0c0219dc1da99p-39, (V)0x1.bcb7b1526e50ep-2,
                    (V)0x1.95355baaafad3p-57);
}
template <class V>
FV V logaddexp(V a, V b) {
  V m = max_raw(a, b), d = abs(a - b);
  return where(eq(a, b) & isinf(a), a, m + log1p(exp(-d)));
}

// log(x) for a finite x > 0 as hi + lo, to about 2^-66 of it: for pow.
template <class V>
struct Pair {
  V hi, lo;
};
template <class V>
FV Pair<V> log_pair(V x) {
  LogParts<V> p = log_split(x);
  // s = f / (2 + f) = s + sl, and log(1 + f) = 2 s (1 + s^2/3 + s^4 (1/5 + ...))
  V d = (V)2 + p.f, dl = ((V)2 - d) + p.f;
  V inv = (V)1 / d, s = p.f * inv, sl = (fma(-s, d, p.f) - s * dl) * inv;
  V z = s * s, zl = fma(s, s, -z) + (V)2 * s * sl;
  V r = poly(z, 0.12055228079926256, 0.10275445429022091, 0.11777463305588179, 0.13332954052577758,
             0.15384622286794319, 0.18181818105015277, 0.22222222222721769, 0.28571428571426877,
             0.40000000000000002);
  // c = 2/3 + z r, then z c, then s (2 + z c)
  V zr = z * r, third = (V)0x1.5555555555555p-1;
  V c = third + zr, cl = ((third - c) + zr) + (V)0x1.5555555555555p-55;
  V zc = z * c, zcl = fma(z, c, -zc) + fma(z, cl, zl * c);
  V w = (V)2 + zc, wl = (((V)2 - w) + zc) + zcl;
  V y = s * w, yl = fma(s, w, -y) + fma(s, wl, sl * w);
  // + e ln2
  V el = p.e * (V)0x1.62e42ffp-1;  // exact
  V h = el + y, hl = ((el - h) + y) + fma(p.e, (V)-0x1.718432a1b0e26p-35, yl);
  V hi = h + hl;
  return {hi, (h - hi) + hl};
}
// |x|^y for finite x that are not zero.
template <class V>
FV V pow_abs(V x, V y) {
  if constexpr (is_f32<V>) {  // in f64, which is ample
    auto l = cast<f64>(y) * log(cast<f64>(x));
    return cast<f32>(exp(l));
  } else {
    Pair<V> l = log_pair(x);
    V h = y * l.hi, low = fma(y, l.hi, -h) + y * l.lo;
    V c = exp_range(h);
    return exp_ext(c, where(to_mask(c == h), low, (V)0), (V)0);
  }
}
template <class V>
FV V pow_of_floats(V x, V y) {
  typedef mask_of<V> M;
  V a = abs(x), h = y * (V)0.5;
  M whole = eq(floor(y), y), odd = whole & ne(floor(h), h), falling = lt(y, (V)0);
  M zero = eq(a, (V)0), huge = eq(a, (V)kInf), one = eq(a, (V)1), endless = isinf(y);
  V r = pow_abs(where(zero | huge, (V)1, a), y);
  // zero or infinity to a power, a number to an infinite one: infinity where the base is above 1
  // and the power positive, or both the other way round; else zero
  r = where(zero | huge | endless, where(gt(a, (V)1) ^ falling, (V)kInf, (V)0), r);
  r = where(endless & one, (V)1, r);
  r = where(odd, copysign(r, x), r);
  r = where(lt(x, (V)0) & logical_not(whole | huge), (V)kNan, r);
  r = where(isnan(x) | isnan(y), x + y, r);
  return where(eq(y, (V)0) | eq(x, (V)1), (V)1, r);
}

FV_END
