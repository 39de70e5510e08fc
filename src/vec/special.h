// The error function and its kin, and the activations built from them.
#pragma once

#include "vec/trig.h"

FV_BEGIN

// erf(x) / x - 1 near zero (|x| <= 0.9375 for f32, 1 for f64), in z = x^2.
template <class V>
FV V erf_tail(V z) {
  if constexpr (is_f32<V>)
    return poly(z, -5.94672805e-4f, 4.98523749e-3f, -2.67618876e-2f, 0.112817146f, -0.376124889f,
                0.128379151f);
  else
    return poly(z, -7.6192637734123035e-10, 1.3620023251937011e-8, -1.6184104034626004e-7,
                1.6444081796334771e-6, -1.4924453796100696e-5, 1.2055279603348908e-4,
                -8.5483254486065446e-4, 5.2239775959259799e-3, -2.686617064186857e-2,
                0.11283791670936537, -0.37612638903183337, 0.12837916709551256);
}
// erfc(a) for f64, 0.9 <= a: e^(-a^2) times a polynomial in (a - 2) / (a + 2), by a + 2.
template <class V>
FV V erfc_far(V a) {
  V t = min_raw((V)28, a), d = t + (V)2, u = (t - (V)2) / d;
  V p = poly(u, -6.8458279709655211e-8, 1.0518816290936628e-6, -3.044640270179625e-6,
             1.5128575394188165e-6, 2.3354571959331738e-6, 2.7866758700344025e-6,
             -8.6301740936568655e-7, -1.5987817958206638e-5, -2.1785298813765549e-5,
             3.4146462538175155e-5, 1.444823422434571e-4, 3.4370155299827778e-5,
             -6.6307424932829178e-4, -8.3729593078720669e-4, 3.0906120824680684e-3,
             6.4791850627659844e-3, -2.1510661889765709e-2, -3.6442231506811786e-2,
             0.27947209255605426, -0.68716068441381073, 1.021582705242023);
  V z = t * t, zl = fma(t, t, -z);
  V g = p / d, gl = fma(-g, d, p) - g * (t - (d - (V)2)), g_rest = gl / d;
  // the scale comes last, so that a denormal result is rounded once
  V n = round(z * (V)-0x1.71547652b82fep0);
  V a2 = fma(n, (V)-0x1.62e42fefa39efp-1, -z), b2 = fma(n, (V)-0x1.abc9e3b39803fp-56, -zl);
  V r = a2 + b2, rest = (a2 - r) + b2;
  V e = r + fma(r * r, exp_tail(r), rest);
  return scale2(g + fma(g, e, g_rest), n);
}
template <class V>
FV V erf(V x) {
  V a = abs(x), near = fma(x, erf_tail(a * a), x), far;
  if constexpr (is_f32<V>) {
    V t = min_raw((V)4, a);
    V w = t * poly(t, 2.13374835e-4f, -3.2099071e-3f, 2.28737034e-2f, -0.105236351f, -0.635737777f,
                   -1.12850857f);
    far = (V)1 - exp_normal(w);
  } else {
    far = (V)1 - erfc_far(a);
  }
  return where(to_mask(a > (V)(is_f32<V> ? 0.9375 : 1.0)), copysign(far, x), near);
}
template <class V>
FV V erfc(V x) {
  if constexpr (is_f32<V>)
    return cast<f32>(erfc(cast<f64>(x)));
  else {
    V a = abs(x), near = fma(-x, erf_tail(a * a), (V)1 - x), far = erfc_far(a);
    far = where(lt(x, (V)0), (V)2 - far, far);
    return where(to_mask(a > (V)0.9), far, near);
  }
}

// By Winitzki's approximation (within 0.3%) and three steps of Halley, on whichever of erf and erfc
// does not cancel.
template <class V>
FV V erfinv(V y) {
  if constexpr (is_f32<V>)
    return cast<f32>(erfinv(cast<f64>(y)));
  else {
    V a = abs(y), rest = (V)1 - a;
    mask_of<V> far = gt(a, (V)0.5);
    V l = log(rest * ((V)1 + a)), t = (V)4.3307467508 + (V)0.5 * l;
    V x = sqrt(max_raw((V)0, sqrt(t * t - l * (V)6.8027210884) - t));
    for (i32 i = 0; i < 3; i++) {
      V e = where(far, rest - erfc(x), erf(x) - a);
      V u = e * (V)0.88622692545275801 * exp(x * x);
      x = x - u / ((V)1 + x * u);
    }
    x = where(eq(a, (V)1), (V)kInf, where(gt(a, (V)1) | isnan(y), (V)kNan, x));
    return copysign(x, y);
  }
}

template <class V>
FV V sigmoid(V x) {
  return (V)1 / ((V)1 + exp(-x));
}
template <class V>
FV V log_sigmoid(V x) {
  return min_raw(x, (V)0) - log1p(exp(-abs(x)));
}
template <class V>
FV V silu(V x) {
  return x / ((V)1 + exp(-x));
}
template <class V>
FV V gelu(V x) {
  return x * (V)0.5 * ((V)1 + erf(x * (V)0.70710678118654752));
}
template <class V>
FV V gelu_tanh(V x) {
  V inner = (V)0.79788456080286536 * (x + (V)0.044715 * (x * x * x));
  return (V)0.5 * x * ((V)1 + tanh(inner));
}
template <class V>
FV V softplus(V x, V beta, V limit) {
  V y = x * beta;
  return where(to_mask(y > limit), x, log1p(exp(y)) / beta);
}
template <class V>
FV V mish(V x) {
  return x * tanh(softplus(x, (V)1, (V)20));
}
template <class V>
FV V elu(V x, V alpha, V scale, V input_scale) {
  return where(to_mask(x > (V)0), x * scale, alpha * scale * expm1(x * input_scale));
}
template <class V>
FV V leaky_relu(V x, V slope) {
  return where(to_mask(x > (V)0), x, x * slope);
}
template <class V>
FV V hardsigmoid(V x) {
  return clamp(x + (V)3, (V)0, (V)6) / (V)6;
}
template <class V>
FV V hardswish(V x) {
  return x * clamp(x + (V)3, (V)0, (V)6) / (V)6;
}

FV_END
