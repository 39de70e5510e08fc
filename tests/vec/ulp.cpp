#include "vec/ulp.h"

#include <mpfr.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <stdexcept>

namespace frit::vec_test {
namespace {

constexpr int kBits = 140;

struct Real {
  Real() { mpfr_init2(v, kBits); }
  ~Real() { mpfr_clear(v); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  mpfr_t v;
};

using Exact = std::function<void(mpfr_t r, const mpfr_t x)>;
using Exact2 = std::function<void(mpfr_t r, const mpfr_t x, const mpfr_t y)>;

// Compositions need room for what they cancel.
void sigmoid(mpfr_t r, const mpfr_t x) {
  mpfr_neg(r, x, MPFR_RNDN);
  mpfr_exp(r, r, MPFR_RNDN);
  mpfr_add_ui(r, r, 1, MPFR_RNDN);
  mpfr_ui_div(r, 1, r, MPFR_RNDN);
}
// By Newton's steps from the double that is looked for.
void erfinv(mpfr_t r, const mpfr_t y) {
  double a = std::abs(mpfr_get_d(y, MPFR_RNDN)), low = 0, high = 6.5;
  for (int i = 0; i < 60; i++)
    ((std::erfc((low + high) / 2) > 1 - a ? low : high) = (low + high) / 2);
  Real e, d;
  mpfr_set_d(r, mpfr_signbit(y) ? -low : low, MPFR_RNDN);
  if (a < 0.25) mpfr_mul_d(r, y, std::sqrt(M_PI) / 2, MPFR_RNDN);
  if (a >= 1) mpfr_set_inf(r, mpfr_signbit(y) ? -1 : 1);
  for (int i = 0; i < 6 && a < 1; i++) {
    mpfr_erf(e.v, r, MPFR_RNDN);
    mpfr_sub(e.v, e.v, y, MPFR_RNDN);
    mpfr_sqr(d.v, r, MPFR_RNDN);
    mpfr_exp(d.v, d.v, MPFR_RNDN);
    mpfr_mul(e.v, e.v, d.v, MPFR_RNDN);
    mpfr_const_pi(d.v, MPFR_RNDN);
    mpfr_sqrt(d.v, d.v, MPFR_RNDN);
    mpfr_mul(e.v, e.v, d.v, MPFR_RNDN);
    mpfr_div_ui(e.v, e.v, 2, MPFR_RNDN);
    mpfr_sub(r, r, e.v, MPFR_RNDN);
  }
}
void logaddexp(mpfr_t r, const mpfr_t x, const mpfr_t y) {
  Real m, d;
  mpfr_max(m.v, x, y, MPFR_RNDN);
  mpfr_min(d.v, x, y, MPFR_RNDN);
  mpfr_sub(d.v, d.v, m.v, MPFR_RNDN);
  mpfr_exp(d.v, d.v, MPFR_RNDN);
  mpfr_log1p(d.v, d.v, MPFR_RNDN);
  mpfr_add(r, m.v, d.v, MPFR_RNDN);
}

#define MPFR1(name) [](mpfr_t r, const mpfr_t x) { mpfr_##name(r, x, MPFR_RNDN); }
#define MPFR2(name) \
  [](mpfr_t r, const mpfr_t x, const mpfr_t y) { mpfr_##name(r, x, y, MPFR_RNDN); }

const std::map<std::string, Exact>& exact_unary() {
  static const std::map<std::string, Exact> all = {
      {"exp", MPFR1(exp)},     {"exp2", MPFR1(exp2)},   {"expm1", MPFR1(expm1)},
      {"log", MPFR1(log)},     {"log2", MPFR1(log2)},   {"log10", MPFR1(log10)},
      {"log1p", MPFR1(log1p)}, {"sin", MPFR1(sin)},     {"cos", MPFR1(cos)},
      {"tan", MPFR1(tan)},     {"asin", MPFR1(asin)},   {"acos", MPFR1(acos)},
      {"atan", MPFR1(atan)},   {"sinh", MPFR1(sinh)},   {"cosh", MPFR1(cosh)},
      {"tanh", MPFR1(tanh)},   {"asinh", MPFR1(asinh)}, {"acosh", MPFR1(acosh)},
      {"atanh", MPFR1(atanh)}, {"erf", MPFR1(erf)},     {"erfc", MPFR1(erfc)},
      {"sigmoid", sigmoid},    {"erfinv", erfinv},      {"rsqrt", MPFR1(rec_sqrt)}};
  return all;
}
const std::map<std::string, Exact2>& exact_binary() {
  static const std::map<std::string, Exact2> all = {{"pow", MPFR2(pow)},
                                                    {"atan2", MPFR2(atan2)},
                                                    {"hypot", MPFR2(hypot)},
                                                    {"logaddexp", logaddexp}};
  return all;
}

template <class T>
struct Format;
template <>
struct Format<float> {
  static constexpr int kPrecision = 24, kLeast = -149;
};
template <>
struct Format<double> {
  static constexpr int kPrecision = 53, kLeast = -1074;
};

// |got - exact| in units of the last place of exact. An overflow is right if the exact value rounds
// to it.
template <class T>
double error_in_ulps(T got, const mpfr_t exact) {
  if (mpfr_nan_p(exact)) return std::isnan(got) ? 0 : INFINITY;
  if (std::isnan(got)) return INFINITY;
  T rounded = sizeof(T) == 4 ? (T)mpfr_get_flt(exact, MPFR_RNDN) : (T)mpfr_get_d(exact, MPFR_RNDN);
  if (rounded == got) {
    if (std::isinf(got)) return 0;
  } else if (std::isinf(got) || std::isinf(rounded)) {
    // Next to the largest number either may be given for the other.
    T largest = std::numeric_limits<T>::max();
    T other = std::isinf(got) ? rounded : got;
    return std::abs(other) == largest && std::signbit(other) == std::signbit(got) ? 1 : INFINITY;
  }
  Real d;
  mpfr_set_d(d.v, (double)got, MPFR_RNDN);
  mpfr_sub(d.v, d.v, exact, MPFR_RNDN);
  long e = mpfr_zero_p(exact) ? Format<T>::kLeast : mpfr_get_exp(exact) - Format<T>::kPrecision;
  if (e < Format<T>::kLeast) e = Format<T>::kLeast;
  mpfr_mul_2si(d.v, d.v, -e, MPFR_RNDN);
  return std::abs(mpfr_get_d(d.v, MPFR_RNDN));
}

// Half of them even over the range, half even over the exponents, and the special ones.
template <class T>
std::vector<T> arguments(double low, double high, int count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<T> x;
  for (int i = 0; i < count; i++) {
    if (i % 2) {
      x.push_back((T)(low + (high - low) * unit(random)));
      continue;
    }
    bool negative = low < 0 && (high <= 0 || random() % 2);
    double most = negative ? -low : high;
    double least = low > 0 ? low : std::ldexp(1.0, sizeof(T) == 4 ? -149 : -1074);
    double e = std::log2(least) + (std::log2(most) - std::log2(least)) * unit(random);
    if (i % 4) e = std::log2(most) - 30 * unit(random);  // more of the larger ones
    double v = std::exp2(e);
    x.push_back((T)(negative ? -v : v));
  }
  for (T s : special_arguments<T>()) x.push_back(s);
  std::vector<T> in;
  for (T v : x)
    if (v >= (T)low && v <= (T)high) in.push_back(v);
  return in;
}

template <class T>
auto vector_form(const Unary& f) {
  if constexpr (sizeof(T) == 4)
    return f.f32_vector;
  else
    return f.f64_vector;
}
template <class T>
auto vector_form(const Binary& f) {
  if constexpr (sizeof(T) == 4)
    return f.f32_vector;
  else
    return f.f64_vector;
}

template <class T>
std::vector<Worst> measure(const Known& known, int count) {
  std::vector<T> x = arguments<T>(known.low, known.high, count, 1);
  std::vector<std::vector<T>> y;
  for (const Functions* level : levels()) {
    y.emplace_back(x.size());
    vector_form<T>(find_unary(*level, known.name))(x.data(), y.back().data(),
                                                   (std::int64_t)x.size());
  }
  const Exact& exact = exact_unary().at(known.name);
  std::vector<Worst> worst(y.size());
  Real a, r;
  for (size_t i = 0; i < x.size(); i++) {
    mpfr_set_d(a.v, (double)x[i], MPFR_RNDN);
    exact(r.v, a.v);
    for (size_t k = 0; k < y.size(); k++) {
      double e = error_in_ulps(y[k][i], r.v);
      if (!(e <= worst[k].ulps)) worst[k] = {e, (double)x[i], 0};
    }
  }
  return worst;
}

template <class T>
std::vector<Worst> measure2(const Known& known, int count) {
  std::vector<T> a = arguments<T>(known.low, known.high, count, 1);
  std::vector<T> b = arguments<T>(known.low, known.high, count, 2);
  if (std::string(known.name) ==
      "pow") {  // bases are positive, powers such that results are finite
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> unit(-1, 1);
    double most = sizeof(T) == 4 ? 150 : 1075;
    for (size_t i = 0; i < a.size(); i++) {
      double l = std::log2((double)a[i]);
      b[i] = l == 0 || !std::isfinite(l) ? (T)unit(random) : (T)(most * unit(random) / l);
    }
  }
  size_t n = std::min(a.size(), b.size());
  std::vector<std::vector<T>> y;
  for (const Functions* level : levels()) {
    y.emplace_back(n);
    vector_form<T>(find_binary(*level, known.name))(a.data(), b.data(), y.back().data(),
                                                    (std::int64_t)n);
  }
  const Exact2& exact = exact_binary().at(known.name);
  std::vector<Worst> worst(y.size());
  Real p, q, r;
  for (size_t i = 0; i < n; i++) {
    mpfr_set_d(p.v, (double)a[i], MPFR_RNDN);
    mpfr_set_d(q.v, (double)b[i], MPFR_RNDN);
    exact(r.v, p.v, q.v);
    for (size_t k = 0; k < y.size(); k++) {
      double e = error_in_ulps(y[k][i], r.v);
      if (!(e <= worst[k].ulps)) worst[k] = {e, (double)a[i], (double)b[i]};
    }
  }
  return worst;
}

double double_sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double double_rsqrt(double x) { return 1 / std::sqrt(x); }

double (*double_function(const std::string& name))(double) {
  static const std::map<std::string, double (*)(double)> all = {
      {"exp", std::exp},           {"exp2", std::exp2},    {"expm1", std::expm1},
      {"log", std::log},           {"log2", std::log2},    {"log10", std::log10},
      {"log1p", std::log1p},       {"sin", std::sin},      {"cos", std::cos},
      {"tan", std::tan},           {"asin", std::asin},    {"acos", std::acos},
      {"atan", std::atan},         {"sinh", std::sinh},    {"cosh", std::cosh},
      {"tanh", std::tanh},         {"asinh", std::asinh},  {"acosh", std::acosh},
      {"atanh", std::atanh},       {"erf", std::erf},      {"erfc", std::erfc},
      {"sigmoid", double_sigmoid}, {"rsqrt", double_rsqrt}};
  auto found = all.find(name);
  return found == all.end() ? nullptr : found->second;
}

double error_in_ulps(float got, double exact) {
  if (std::isnan(exact)) return std::isnan(got) ? 0 : INFINITY;
  if ((float)exact == got && (std::isinf(got) || got == 0)) return 0;
  if (!std::isfinite(got)) return INFINITY;
  int e = 0;
  std::frexp(exact, &e);
  return std::abs(got - exact) / std::ldexp(1.0, std::max(e - 24, -149));
}

}  // namespace

std::vector<const Functions*> levels() {
  std::vector<const Functions*> all;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    all.push_back(&kFunctionsAvx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    all.push_back(&kFunctionsAvx512);
  return all;
}

const std::vector<Known>& known_unary() {
  constexpr double inf = std::numeric_limits<double>::max();
  static const std::vector<Known> all = {
      {"exp", -800, 720, 1.05, 1},     {"exp2", -1100, 1030, 1, 1},
      {"expm1", -100, 720, 1.3, 1.3},  {"log", 0, inf, 1, 1},
      {"log2", 0, inf, 1.15, 1},       {"log10", 0, inf, 1.3, 1},
      {"log1p", -1, inf, 1.4, 1.4},    {"sin", -inf, inf, 1, 1},
      {"cos", -inf, inf, 1, 1},        {"tan", -inf, inf, 0.51, 2.2},
      {"asin", -1, 1, 0.51, 1.1},      {"acos", -1, 1, 0.51, 1.1},
      {"atan", -inf, inf, 0.51, 1.5},  {"sinh", -720, 720, 0.51, 2},
      {"cosh", -720, 720, 0.51, 1.5},  {"tanh", -30, 30, 1.4, 1.4},
      {"asinh", -inf, inf, 0.51, 1.5}, {"acosh", 1, inf, 0.51, 1.5},
      {"atanh", -1, 1, 0.51, 2},       {"erf", -7, 7, 1.3, 1.3},
      {"erfc", -7, 28, 0.51, 2.7},     {"erfinv", -1, 1, 0.51, 2.5},
      {"sigmoid", -80, 80, 2.6, 2.6},  {"rsqrt", 1e-40, inf, 1.51, 1.51}};
  return all;
}
const std::vector<Known>& known_binary() {
  constexpr double inf = std::numeric_limits<double>::max();
  static const std::vector<Known> all = {{"pow", 0, inf, 0.51, 1},
                                         {"atan2", -inf, inf, 0.51, 1.8},
                                         {"hypot", -inf, inf, 0.51, 1},
                                         {"logaddexp", 0, 100, 1.6, 1.6}};
  return all;
}

const Unary& find_unary(const Functions& level, const std::string& name) {
  for (int i = 0; i < level.unary_count; i++)
    if (level.unary[i].name == name) return level.unary[i];
  throw std::out_of_range(name);
}
const Binary& find_binary(const Functions& level, const std::string& name) {
  for (int i = 0; i < level.binary_count; i++)
    if (level.binary[i].name == name) return level.binary[i];
  throw std::out_of_range(name);
}

std::vector<Worst> measure_f32(const Known& known, int count) {
  return measure<float>(known, count);
}
std::vector<Worst> measure_f64(const Known& known, int count) {
  return measure<double>(known, count);
}
std::vector<Worst> measure_binary_f32(const Known& known, int count) {
  return measure2<float>(known, count);
}
std::vector<Worst> measure_binary_f64(const Known& known, int count) {
  return measure2<double>(known, count);
}

std::vector<Worst> measure_every_f32(const Known& known, int step) {
  auto exact = double_function(known.name);
  std::vector<Worst> worst(levels().size());
  if (!exact) return worst;  // the C library has not got it
  std::vector<float> x, y;
  for (std::uint64_t from = 0; from < 1ull << 32;) {
    x.clear();
    for (; from < 1ull << 32 && x.size() < 4096; from += step) {
      auto bits = (std::uint32_t)from;
      float v;
      std::memcpy(&v, &bits, 4);
      if (v >= known.low && v <= known.high) x.push_back(v);
    }
    y.resize(x.size());
    for (size_t k = 0; k < worst.size(); k++) {
      find_unary(*levels()[k], known.name).f32_vector(x.data(), y.data(), (std::int64_t)x.size());
      for (size_t i = 0; i < x.size(); i++) {
        double e = error_in_ulps(y[i], exact(x[i]));
        if (!(e <= worst[k].ulps)) worst[k] = {e, x[i], 0};
      }
    }
  }
  return worst;
}

template <class T>
std::vector<T> special_arguments() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> base = {0,
                         Limits::infinity(),
                         Limits::quiet_NaN(),
                         Limits::denorm_min(),
                         Limits::min(),
                         Limits::max(),
                         Limits::epsilon(),
                         1,
                         2,
                         3,
                         (T)0.5,
                         (T)1.5,
                         (T)2.5,
                         (T)0.1,
                         10,
                         100,
                         1000,
                         (T)1e10,
                         (T)1e30,
                         (T)104,
                         (T)89,
                         (T)88.72,
                         (T)709.78,
                         (T)710,
                         (T)745.2,
                         (T)746};
  for (int e = Limits::min_exponent - Limits::digits; e < Limits::max_exponent; e += 7)
    base.push_back((T)std::ldexp(1.0, e));
  for (int k = 1; k < 20; k++) base.push_back((T)(k * M_PI / 4));
  for (int k = 10; k < 60; k++) base.push_back((T)(std::ldexp(1.0, k) * M_PI));
  // close to a multiple of pi/2
  base.push_back((T)16367173.0 * (T)std::ldexp(1.0, 72));
  base.push_back((T)6381956970095103.0 * (T)std::ldexp(1.0, 90));
  base.push_back((T)std::ldexp(6381956970095103.0, 797));
  std::vector<T> all;
  for (T v : base)
    for (T w : {v, std::nextafter(v, (T)INFINITY), std::nextafter(v, (T)0)})
      for (T s : {w, -w}) all.push_back(s);
  return all;
}
template std::vector<float> special_arguments();
template std::vector<double> special_arguments();

}  // namespace frit::vec_test
