#include "vec/levels/functions.h"

#include "vec/vec.h"

namespace frit::vec_test {
namespace {

// NOLINTBEGIN: one struct a function, so that it can be a template argument.
#define UNARY(name)       \
  struct U_##name {       \
    template <class V>    \
    static V at(V x) {    \
      return fv::name(x); \
    }                     \
  };
#define BINARY(name)         \
  struct B_##name {          \
    template <class V>       \
    static V at(V a, V b) {  \
      return fv::name(a, b); \
    }                        \
  };
// clang-format off
#define EACH_UNARY(X) \
  X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin) X(cos) X(tan) X(asin) X(acos) \
  X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(erf) X(erfc) X(erfinv) X(sigmoid) X(log_sigmoid) \
  X(silu) X(gelu) X(gelu_tanh) X(mish) X(hardsigmoid) X(hardswish) X(relu) X(sqrt) X(rsqrt) \
  X(reciprocal) X(neg) X(abs) X(square) X(floor) X(ceil) X(trunc) X(round) X(frac) X(sign)
#define EACH_BINARY(X) \
  X(pow) X(atan2) X(hypot) X(logaddexp) X(maximum) X(minimum) X(fmax) X(fmin) X(copysign) X(fmod) \
  X(remainder) X(floor_divide)
// NOLINTEND
// clang-format on
EACH_UNARY(UNARY)
EACH_BINARY(BINARY)

template <class F, class T>
void unary_vector(const T* x, T* y, std::int64_t n) {
  fv::loop(
      0, n, [&](fv::i64 i) { fv::store(y + i, F::at(fv::load(x + i))); },
      [&](fv::i64 i, fv::i64 k) { fv::store_n(y + i, F::at(fv::load_n(x + i, k)), k); });
}
template <class F, class T>
void unary_scalar(const T* x, T* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i++) y[i] = F::at(x[i]);
}
template <class F, class T>
void binary_vector(const T* a, const T* b, T* y, std::int64_t n) {
  fv::loop(
      0, n, [&](fv::i64 i) { fv::store(y + i, F::at(fv::load(a + i), fv::load(b + i))); },
      [&](fv::i64 i, fv::i64 k) {
        fv::store_n(y + i, F::at(fv::load_n(a + i, k), fv::load_n(b + i, k)), k);
      });
}
template <class F, class T>
void binary_scalar(const T* a, const T* b, T* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i++) y[i] = F::at(a[i], b[i]);
}

#define UNARY_ROW(name)                                                 \
  {#name, unary_vector<U_##name, float>, unary_scalar<U_##name, float>, \
   unary_vector<U_##name, double>, unary_scalar<U_##name, double>},
#define BINARY_ROW(name)                                                  \
  {#name, binary_vector<B_##name, float>, binary_scalar<B_##name, float>, \
   binary_vector<B_##name, double>, binary_scalar<B_##name, double>},
const Unary kUnary[] = {EACH_UNARY(UNARY_ROW)};
const Binary kBinary[] = {EACH_BINARY(BINARY_ROW)};

}  // namespace

#if FRIT_LEVEL == 5
const Functions kFunctionsAvx512 = {"avx512",
#else
const Functions kFunctionsAvx2 = {"avx2",
#endif
                                    kUnary, sizeof kUnary / sizeof *kUnary, kBinary,
                                    sizeof kBinary / sizeof *kBinary};

}  // namespace frit::vec_test
