// Trigonometric and hyperbolic functions. sin and cos reduce every finite argument exactly enough:
// f32 by two steps of pi/2 in f64, f64 by three parts of pi/2, and above 2^28 both by the bits of
// 2/pi (Payne and Hanek), lane by lane. The rarer f32 functions are the f64 ones, rounded.
#pragma once

#include "vec/exp_log.h"

FV_BEGIN

// x = q pi/2 + hi + lo with |hi| <= pi/4 or a hair more; of q only the low two bits count.
template <class V>
struct Quadrant {
  V hi, lo;
  sint<V> q;
};

// For finite |x| >= 2^28.
FV_LAZY_SLOW Quadrant<f64> reduce_far(f64 x) {
  // 64 zero bits, then the bits of 2/pi after the point
  static const u64 kTwoOverPi[] = {0,
                                   0xa2f9836e4e441529ul,
                                   0xfc2757d1f534ddc0ul,
                                   0xdb6295993c439041ul,
                                   0xfe5163abdebbc561ul,
                                   0xb7246e3a424dd2e0ul,
                                   0x06492eea09d1921cul,
                                   0xfe1deb1cb129a73eul,
                                   0xe88235f52ebb4484ul,
                                   0xe99c7026b45f7e41ul,
                                   0x3991d639835339f4ul,
                                   0x9c845f8bbdf9283bul,
                                   0x1ff897ffde05980ful,
                                   0xef2f118b5a0a6d1ful,
                                   0x6d367ecf27cb09b7ul,
                                   0x4f463f669e5fea2dul,
                                   0x7527bac7ebe5f17bul,
                                   0x3d0739f78a5292eaul,
                                   0x6bfb5fb11f8d5d08ul,
                                   0x56033046fc7b6babul};
  typedef unsigned __int128 u128;
  u64 u = as_uint(x), m = (u & 0xffffffffffffful) | 0x10000000000000ul;
  i32 e = (i32)((u >> 52) & 0x7ff) - 1075;
  // bits before e - 2 make multiples of 4 quadrants; 192 bits from there on decide
  i32 start = e - 2 + 64, word = start >> 6, shift = start & 63;
  u64 w[3];
  for (i32 i = 0; i < 3; i++) {
    u64 a = kTwoOverPi[word + i], b = word + i + 1 < 20 ? kTwoOverPi[word + i + 1] : 0;
    w[i] = shift ? (a << shift) | (b >> (64 - shift)) : a;
  }
  u128 p2 = (u128)m * w[2], p1 = (u128)m * w[1] + (u64)(p2 >> 64);
  u64 c = (u64)p2, b = (u64)p1, a = m * w[0] + (u64)(p1 >> 64);
  i64 q = (i64)(a >> 62);
  // the fraction of a quadrant, in a, b, c as a fixed-point number below 1
  a = (a << 2) | (b >> 62);
  b = (b << 2) | (c >> 62);
  c <<= 2;
  bool over = a >> 63;  // above a half: the next quadrant, and the distance to it
  if (over) {
    q++;
    a = ~a;
    b = ~b;
    c = ~c;  // one unit in the last place is lost, 2^-192
  }
  i32 zeros = 0;
  if (!a) {
    a = b;
    b = c;
    c = 0;
    zeros = 64;
  }
  i32 n = a ? __builtin_clzl(a) : 0;
  if (n) {
    a = (a << n) | (b >> (64 - n));
    b = (b << n) | (c >> (64 - n));
  }
  f64 unit = as_float<f64>((i64)(1023 - 64 - zeros - n) << 52);
  f64 f = (f64)(i64)(a >> 11) * 0x1p11 * unit;
  f64 g = (f64)(((a & 2047) << 52) | (b >> 12)) * 0x1p-52 * unit;
  f64 hi = f * 0x1.921fb54442d18p0;
  f64 lo =
      fma(f, 0x1.921fb54442d18p0, -hi) + fma(f, 0x1.1a62633145c07p-54, g * 0x1.921fb54442d18p0);
  f64 s = hi + lo;
  lo = (hi - s) + lo;
  bool flip = over != (bool)(u >> 63);
  return {flip ? -s : s, flip ? -lo : lo, u >> 63 ? -q : q};
}

// Of f64 lanes.
template <class V>
FV Quadrant<V> reduce(V x) {
  V n = round(x * (V)0x1.45f306dc9c883p-1);
  V a = fma(n, (V)-0x1.921fb54442d18p0, x);  // exact
  V t = n * (V)0x1.1a62633145c07p-54, u = fma(n, (V)0x1.1a62633145c07p-54, -t);
  V h = a - t, w = h - a;
  V low = fma(n, (V)0x1.f1976b7ed8fbcp-110, ((a - (h - w)) - (t + w)) - u);
  Quadrant<V> r;
  r.hi = h + low;
  r.lo = (h - r.hi) + low;
  r.q = as_int(n + (V)0x1.8p52);
  mask_of<V> far = ge(abs(x), (V)0x1p28);
  if (__builtin_expect(any(far), 0)) {
    for (i32 i = 0; i < (i32)(sizeof(V) / 8); i++) {
      f64 y = lane(x, i);
      if (!(abs(y) >= 0x1p28)) continue;
      Quadrant<f64> s = {kNan, kNan, 0};
      if (abs(y) < kInf) s = reduce_far(y);
      if constexpr (is_vec<V>) {
        r.hi[i] = s.hi;
        r.lo[i] = s.lo;
        r.q[i] = s.q;
      } else {
        r = s;
      }
    }
  }
  return r;
}

// sin and cos of hi + lo within a quadrant.
template <class V>
FV V sin_quadrant(V hi, V lo) {
  V z = hi * hi, s;
  if constexpr (is_f32<V>)
    s = poly(z, -1.95183922e-4f, 8.3321901e-3f, -0.166666552f);
  else
    s = poly(z, 1.5896616995208884e-10, -2.5050755700784121e-8, 2.7557313681935335e-6,
             -1.9841269829800365e-4, 8.3333333333224444e-3, -0.16666666666666632);
  return hi + fma(z * hi, s, fma(z * (V)-0.5, lo, lo));
}
template <class V>
FV V cos_quadrant(V hi, V lo) {
  V z = hi * hi, c;
  if constexpr (is_f32<V>)
    c = poly(z, 2.44323273e-5f, -1.38873095e-3f, 4.16666456e-2f);
  else
    c = poly(z, -1.1358576799529823e-11, 2.0875702450202777e-9, -2.7557314198790325e-7,
             2.4801587288953825e-5, -1.3888888888873296e-3, 4.1666666666666595e-2);
  V half = (V)0.5 * z, w = (V)1 - half;
  return w + ((((V)1 - w) - half) + fma(z * z, c, -(hi * lo)));
}
// sin of x + turn quadrants.
template <class V>
FV V sin_turned(V x, i32 turn) {
  auto r = reduce(cast<f64>(x));
  V hi = cast<elem<V>>(r.hi), lo;
  if constexpr (is_f32<V>)
    lo = cast<f32>(r.hi - cast<f64>(hi));
  else
    lo = r.lo;
  sint<V> q = cast<elem<sint<V>>>(r.q) + (sint<V>)turn;
  V y = where(to_mask((q & 1) != 0), cos_quadrant(hi, lo), sin_quadrant(hi, lo));
  return where(to_mask((q & 2) != 0), -y, y);
}
template <class V>
FV V sin(V x) {
  return where(eq(x, (V)0), x, sin_turned(x, 0));
}
template <class V>
FV V cos(V x) {
  return sin_turned(x, 1);
}

template <class V>
FV V tan(V x) {
  if constexpr (is_f32<V>)
    return cast<f32>(tan(cast<f64>(x)));
  else {
    Quadrant<V> r = reduce(x);
    V s = sin_quadrant(r.hi, r.lo), c = cos_quadrant(r.hi, r.lo);
    mask_of<V> odd = to_mask((r.q & 1) != 0);
    V y = where(odd, -c, s) / where(odd, s, c);
    return where(eq(x, (V)0), x, y);
  }
}

// atan of a / b for a, b >= 0, not both 0 or both infinite.
template <class V>
FV V atan_ratio(V a, V b) {
  // up to tan(pi/8), from there to tan(3 pi/8) around pi/4, then around pi/2
  mask_of<V> mid = gt(a, b * (V)0.41421356237309503), far = gt(a, b * (V)2.4142135623730949);
  V t = where(far, -b, where(mid, a - b, a)) / where(far, a, where(mid, a + b, b));
  V hi = where(far, (V)0x1.921fb54442d18p0, where(mid, (V)0x1.921fb54442d18p-1, (V)0));
  V lo = where(far, (V)0x1.1a62633145c07p-54, where(mid, (V)0x1.1a62633145c07p-55, (V)0));
  V z = t * t;
  V p = poly(z, 1.4892194450516037e-2, -3.3173575949548346e-2, 4.4905135923230498e-2,
             -5.2151707566963856e-2, 5.8765151391667679e-2, -6.666174577297071e-2,
             7.6922791957870024e-2, -9.0909079857035127e-2, 0.11111111083743069,
             -0.14285714285316381, 0.19999999999997095, -0.33333333333333326);
  V y = hi + t;
  return y + (((hi - y) + t) + fma(z * t, p, lo));
}
template <class V>
FV V atan(V x) {
  if constexpr (is_f32<V>)
    return cast<f32>(atan(cast<f64>(x)));
  else {
    V a = abs(x);
    // infinity is any large number
    return where(isnan(x), x, copysign(atan_ratio(min_raw(a, (V)1e300), (V)1), x));
  }
}
template <class V>
FV V atan2(V y, V x) {
  if constexpr (is_f32<V>)
    return cast<f32>(atan2(cast<f64>(y), cast<f64>(x)));
  else {
    V a = abs(y), b = abs(x);
    mask_of<V> same = eq(a, b) & (isinf(a) | eq(a, (V)0)), big = gt(max_raw(a, b), (V)0x1p900);
    V scale = where(big, (V)0x1p-60, (V)1);
    V p = min_raw(a * scale, (V)0x1p990), q = min_raw(b * scale, (V)0x1p990);
    V t = atan_ratio(where(isinf(b) & logical_not(isinf(a)), (V)0, p), where(isinf(a), (V)0, q));
    // both infinite: 45 degrees; both zero: none
    t = where(same, where(isinf(a), (V)0x1.921fb54442d18p-1, (V)0), t);
    V pi = (V)0x1.921fb54442d18p1;
    V back = where(same & isinf(a), (V)0x1.2d97c7f3321d2p1, pi - (t - (V)0x1.1a62633145c07p-53));
    V r = copysign(where(signbit(x), back, t), y);
    return where(isnan(x) | isnan(y), x + y, r);
  }
}
// asin(t) for |t| <= 1/2, or the same polynomial for what asin and acos make of larger ones.
template <class V>
FV V asin_tail(V z) {
  return poly(z, 3.2702448452975846e-2, -2.1117054958967662e-2, 2.1790790702750817e-2,
              3.67216821008934e-3, 1.0789313232505867e-2, 1.1397296964272521e-2,
              1.3981017700844044e-2, 1.7351595605579591e-2, 2.2372215897517696e-2,
              3.0381942675695141e-2, 4.464285717527397e-2, 7.4999999999701167e-2,
              0.16666666666666763);
}
template <class V>
FV V asin(V x) {
  if constexpr (is_f32<V>)
    return cast<f32>(asin(cast<f64>(x)));
  else {
    V a = abs(x);
    mask_of<V> big = gt(a, (V)0.5);
    V z = where(big, (V)0.5 - (V)0.5 * a, a * a), s = where(big, sqrt(z), a);
    V t = z * s * asin_tail(z);
    // pi/2 - 2 asin(s), with what the square root lost
    V rest = where(big, fma(-s, s, z) / (s + s), (V)0);
    V quarter = (V)0x1.921fb54442d18p-1;  // pi/4
    V far = quarter + ((quarter - (V)2 * s) - ((V)2 * (t + rest) - (V)0x1.1a62633145c07p-54));
    V y = where(big, far, s + t);
    y = where(eq(a, (V)1), (V)0x1.921fb54442d18p0, y);
    return copysign(where(gt(a, (V)1), (V)kNan, y), x);
  }
}
template <class V>
FV V acos(V x) {
  if constexpr (is_f32<V>)
    return cast<f32>(acos(cast<f64>(x)));
  else {
    V a = abs(x);
    mask_of<V> big = gt(a, (V)0.5);
    V z = where(big, (V)0.5 - (V)0.5 * a, a * a), s = where(big, sqrt(z), a);
    V t = z * s * asin_tail(z);
    V rest = where(big & gt(s, (V)0), fma(-s, s, z) / (s + s), (V)0);
    V near = (V)2 * (s + (t + rest));
    V y = where(big, near, copysign(s, x) + (copysign(t, x) - (V)0x1.1a62633145c07p-54));
    mask_of<V> back = big & lt(x, (V)0);
    y = where(back, (V)0x1.921fb54442d18p1 - (near - (V)0x1.1a62633145c07p-53), y);
    y = where(big, y, (V)0x1.921fb54442d18p0 - y);
    return where(gt(a, (V)1) | isnan(x), (V)kNan, y);
  }
}

// Hyperbolic.
template <class V>
FV V tanh(V x) {
  V a = abs(x), z = a * a, p;
  if constexpr (is_f32<V>)
    p = poly(z, -5.71406353e-3f, 2.06480622e-2f, -5.37427738e-2f, 0.133314833f, -0.333332837f);
  else
    p = poly(z, 6.054814253511967e-6, -3.0217048103454585e-5, 9.1589960628986656e-5,
             -2.370309178540663e-4, 5.8945920925573055e-4, -1.4557278417595999e-3,
             3.5921143234947353e-3, -8.8632343491040211e-3, 2.18694884713398e-2,
             -5.3968253966170665e-2, 0.13333333333329989, -0.33333333333333315);
  V e = exp_normal(min_raw((V)40, a + a));  // beyond that the quotient does not count
  V near = fma(z * a, p, a), far = (V)1 - (V)2 / (e + (V)1);
  return copysign(where(to_mask(a <= (V)0.625), near, far), x);
}
template <class V>
FV V sinh(V x) {
  if constexpr (is_f32<V>)
    return cast<f32>(sinh(cast<f64>(x)));
  else {
    V a = abs(x), e = expm1(a), near = e - (V)0.5 * e * e / (e + (V)1);
    V h = exp_ext(min_raw((V)712, a), (V)0, (V)-1), far = h - (V)0.25 / h;
    V y = where(lt(a, (V)1), near, far);
    return copysign(y, x);
  }
}
template <class V>
FV V cosh(V x) {
  if constexpr (is_f32<V>)
    return cast<f32>(cosh(cast<f64>(x)));
  else {
    V h = exp_ext(min_raw((V)712, abs(x)), (V)0, (V)-1);
    return h + (V)0.25 / h;
  }
}
template <class V>
FV V asinh(V x) {
  if constexpr (is_f32<V>)
    return cast<f32>(asinh(cast<f64>(x)));
  else {
    V a = abs(x), z = a * a;
    V near = log1p(a + z / ((V)1 + sqrt((V)1 + z))), far = log(a) + (V)0x1.62e42fefa39efp-1;
    return copysign(where(gt(a, (V)0x1p28), far, near), x);
  }
}
template <class V>
FV V acosh(V x) {
  if constexpr (is_f32<V>)
    return cast<f32>(acosh(cast<f64>(x)));
  else {
    V t = x - (V)1;
    V near = log1p(t + sqrt(t * (t + (V)2))), far = log(x) + (V)0x1.62e42fefa39efp-1;
    return where(gt(x, (V)0x1p28), far, where(lt(x, (V)1), (V)kNan, near));
  }
}
template <class V>
FV V atanh(V x) {
  if constexpr (is_f32<V>)
    return cast<f32>(atanh(cast<f64>(x)));
  else {
    V a = abs(x), t = (a + a) / ((V)1 - a);
    return copysign(where(gt(a, (V)1), (V)kNan, (V)0.5 * log1p(t)), x);
  }
}
template <class V>
FV V hypot(V x, V y) {
  V a = abs(x), b = abs(y);
  V r;
  if constexpr (is_f32<V>) {
    auto p = cast<f64>(a), q = cast<f64>(b);
    r = cast<f32>(sqrt(fma(p, p, q * q)));
  } else {
    V big = max_raw(a, b);
    V s = where(gt(big, (V)0x1p500), (V)0x1p-600, where(lt(big, (V)0x1p-500), (V)0x1p600, (V)1));
    V p = a * s, q = b * s;
    V h = p * p, hl = fma(p, p, -h), k = q * q, kl = fma(q, q, -k);
    V sum = h + k, low = (max_raw(h, k) - sum) + min_raw(h, k) + (hl + kl), root = sqrt(sum);
    V rest = where(gt(root, (V)0), (fma(-root, root, sum) + low) / (root + root), (V)0);
    r = (root + rest) *
        where(gt(big, (V)0x1p500), (V)0x1p600, where(lt(big, (V)0x1p-500), (V)0x1p-600, (V)1));
  }
  return where(isinf(x) | isinf(y), (V)kInf, where(isnan(x) | isnan(y), x + y, r));
}

FV_END
