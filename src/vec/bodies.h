// Bodies of op records that are no plain function: arguments are the op's tensor operands, then its
// numbers, in the order of its schema. The formulas and their order of operations are PyTorch's CPU
// kernels', so that results agree with it to rounding.
#pragma once

#include "vec/integer.h"
#include "vec/special.h"
#include "vec/trig.h"

FV_BEGIN

template <class V>
FV V add(V a, V b, V alpha) {
  return add(a, mul(b, alpha));
}
template <class V>
FV V sub(V a, V b, V alpha) {
  return sub(a, mul(b, alpha));
}
template <class V>
FV V rsub(V a, V b, V alpha) {
  return sub(b, mul(a, alpha));
}

template <class V>
FV V fill(V, V value) {
  return value;
}
template <class V>
FV V zero(V) {
  return (V)0;
}
template <class V>
FV V masked_fill(V a, mask_of<V> m, V value) {
  return where(m, value, a);
}
template <class V>
FV V rwhere(mask_of<V> m, V b, V a) {
  return where(m, a, b);
}

// The nearest multiple of down / up, one of which is 1.
template <class V>
FV V round_scaled(V x, V up, V down) {
  return round(x * up / down) * down / up;
}

// The number on the left.
template <class V>
FV V rpow(V b, V a) {
  return pow(a, b);
}
template <class V>
FV V rremainder(V b, V a) {
  return remainder(a, b);
}
template <class V>
FV V rbitwise_left_shift(V b, V a) {
  return bitwise_left_shift(a, b);
}
template <class V>
FV V rbitwise_right_shift(V b, V a) {
  return bitwise_right_shift(a, b);
}

template <class V>
FV V gelu_none(V x) {
  return gelu(x);
}

// --- gradients ---

template <class V>
FV V threshold_backward(V g, V x, V limit) {
  return where(le(x, limit), (V)0, g);
}
template <class V>
FV V leaky_relu_backward(V g, V x, V slope, V) {
  return where(gt(x, (V)0), g, g * slope);
}
template <class V>
FV V hardtanh_backward(V g, V x, V low, V high) {
  return where(logical_or(le(x, low), ge(x, high)), (V)0, g);
}
template <class V>
FV V sigmoid_backward(V g, V y) {
  return g * ((V)1 - y) * y;
}
template <class V>
FV V tanh_backward(V g, V y) {
  return g * ((V)1 - y * y);
}
template <class V>
FV V hardsigmoid_backward(V g, V x) {
  return where(logical_and(gt(x, (V)-3), lt(x, (V)3)), g * (V)(1.0 / 6.0), (V)0);
}
template <class V>
FV V hardswish_backward(V g, V x) {
  return where(le(x, (V)-3), (V)0, where(lt(x, (V)3), g * (x / (V)3 + (V)0.5), g));
}
template <class V>
FV V silu_backward(V g, V x) {
  V s = sigmoid(x);
  return g * s * ((V)1 + x * ((V)1 - s));
}
template <class V>
FV V gelu_backward_none(V g, V x) {
  V cdf = (V)0.5 * ((V)1 + erf(x * (V)0.70710678118654752440));
  V pdf = exp(x * x * (V)-0.5) * (V)0.39894228040143267794;
  return g * (cdf + x * pdf);
}
template <class V>
FV V gelu_backward_tanh(V g, V x) {
  V beta = (V)0.79788456080286535588, kappa = (V)0.044715;
  V square = x * x;
  V t = tanh(beta * (x + kappa * (square * x)));
  V left = (V)0.5 * x, right = (V)1 + t;
  V slope = beta * ((V)1 + (V)3 * kappa * square);
  return g * ((V)0.5 * right + left * ((V)1 - t * t) * slope);
}
template <class V>
FV V softplus_backward(V g, V x, V beta, V limit) {
  V z = exp(x * beta);
  return where(gt(x * beta, limit), g, g * z / (z + (V)1));
}
template <class V>
FV V elu_backward(V g, V y, V alpha, V scale, V input_scale, V is_result) {
  V of_result = g * input_scale * (y + alpha * scale);
  V of_input = g * input_scale * (alpha * scale) * exp(y * input_scale);
  return where(le(y, (V)0), where(ne(is_result, (V)0), of_result, of_input), g * scale);
}

FV_END
