// Special values, and that the scalar form gives the bits of the vector form.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "vec/ulp.h"

namespace frit::vec_test {
namespace {

template <class T>
bool same_bits(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0;
}

// Special arguments, and random bit patterns: every exponent.
template <class T>
std::vector<T> many(unsigned seed) {
  std::vector<T> x = special_arguments<T>();
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20000; i++) {
    auto bits = random();
    T v;
    std::memcpy(&v, &bits, sizeof v);
    x.push_back(v);
    x.push_back((T)std::ldexp((double)(bits % 2000001) / 1e6 - 1, (int)(bits >> 58)));
  }
  return x;
}

template <class T, class Loop>
void expect_same(const Functions& level, const char* name, Loop vector, Loop scalar) {
  std::vector<T> a = many<T>(1), b = many<T>(2), x(a.size()), y(a.size());
  if constexpr (std::is_same_v<Loop, UnaryLoop<T>>) {
    vector(a.data(), x.data(), (std::int64_t)a.size());
    scalar(a.data(), y.data(), (std::int64_t)a.size());
  } else {
    std::rotate(b.begin(), b.begin() + 137, b.end());
    vector(a.data(), b.data(), x.data(), (std::int64_t)a.size());
    scalar(a.data(), b.data(), y.data(), (std::int64_t)a.size());
  }
  int differences = 0;
  for (size_t i = 0; i < a.size(); i++)
    if (!same_bits(x[i], y[i]) && differences++ == 0)
      ADD_FAILURE() << fmt::format("{} {} of {:a} (and {:a}): vector {:a}, scalar {:a}",
                                   level.level, name, a[i], b[i], x[i], y[i]);
  EXPECT_EQ(differences, 0);
}

TEST(Values, scalar_and_vector_are_the_same_bits) {
  for (const Functions* level : levels()) {
    for (int i = 0; i < level->unary_count; i++) {
      const Unary& f = level->unary[i];
      expect_same<float>(*level, f.name, f.f32_vector, f.f32_scalar);
      expect_same<double>(*level, f.name, f.f64_vector, f.f64_scalar);
    }
    for (int i = 0; i < level->binary_count; i++) {
      const Binary& f = level->binary[i];
      expect_same<float>(*level, f.name, f.f32_vector, f.f32_scalar);
      expect_same<double>(*level, f.name, f.f64_vector, f.f64_scalar);
    }
  }
}

// Both levels give the same bits too, as far as elementwise functions go.
TEST(Values, levels_are_the_same_bits) {
  if (levels().size() < 2) GTEST_SKIP() << "one level only";
  for (int i = 0; i < kFunctionsAvx2.unary_count; i++) {
    const Unary &f = kFunctionsAvx2.unary[i], &g = kFunctionsAvx512.unary[i];
    expect_same<float>(kFunctionsAvx512, f.name, g.f32_vector, f.f32_vector);
    expect_same<double>(kFunctionsAvx512, f.name, g.f64_vector, f.f64_vector);
  }
  for (int i = 0; i < kFunctionsAvx2.binary_count; i++) {
    const Binary &f = kFunctionsAvx2.binary[i], &g = kFunctionsAvx512.binary[i];
    expect_same<float>(kFunctionsAvx512, f.name, g.f32_vector, f.f32_vector);
    expect_same<double>(kFunctionsAvx512, f.name, g.f64_vector, f.f64_vector);
  }
}

constexpr double inf = INFINITY, nan = NAN;

struct Special {
  const char* name;
  double x, y;
};
const Special kSpecial[] = {{"exp", -inf, 0},
                            {"exp", inf, inf},
                            {"exp", 0, 1},
                            {"exp", -0.0, 1},
                            {"exp", 1e4, inf},
                            {"exp", -1e4, 0},
                            {"exp2", -inf, 0},
                            {"exp2", inf, inf},
                            {"exp2", 3, 8},
                            {"exp2", -149, std::ldexp(1, -149)},
                            {"expm1", -inf, -1},
                            {"expm1", inf, inf},
                            {"expm1", -0.0, -0.0},
                            {"expm1", 0, 0},
                            {"log", 0, -inf},
                            {"log", -0.0, -inf},
                            {"log", inf, inf},
                            {"log", -1, nan},
                            {"log", -inf, nan},
                            {"log", 1, 0},
                            {"log2", 0, -inf},
                            {"log2", 8, 3},
                            {"log2", inf, inf},
                            {"log2", -1, nan},
                            {"log10", 1000, 3},
                            {"log10", 0, -inf},
                            {"log1p", -1, -inf},
                            {"log1p", -0.0, -0.0},
                            {"log1p", inf, inf},
                            {"log1p", -2, nan},
                            {"sin", -0.0, -0.0},
                            {"sin", inf, nan},
                            {"cos", -inf, nan},
                            {"cos", 0, 1},
                            {"tan", -0.0, -0.0},
                            {"tan", inf, nan},
                            {"asin", -0.0, -0.0},
                            {"asin", 2, nan},
                            {"asin", 1, M_PI / 2},
                            {"acos", 1, 0},
                            {"acos", -1, M_PI},
                            {"acos", 1.5, nan},
                            {"atan", inf, M_PI / 2},
                            {"atan", -inf, -M_PI / 2},
                            {"atan", -0.0, -0.0},
                            {"sinh", -0.0, -0.0},
                            {"sinh", -inf, -inf},
                            {"cosh", -inf, inf},
                            {"cosh", 0, 1},
                            {"tanh", inf, 1},
                            {"tanh", -inf, -1},
                            {"tanh", -0.0, -0.0},
                            {"tanh", 1e-40, 1e-40},
                            {"asinh", -inf, -inf},
                            {"asinh", -0.0, -0.0},
                            {"acosh", 1, 0},
                            {"acosh", 0.5, nan},
                            {"acosh", inf, inf},
                            {"atanh", 1, inf},
                            {"atanh", -1, -inf},
                            {"atanh", 2, nan},
                            {"atanh", -0.0, -0.0},
                            {"erf", inf, 1},
                            {"erf", -inf, -1},
                            {"erf", -0.0, -0.0},
                            {"erfc", inf, 0},
                            {"erfc", -inf, 2},
                            {"erfc", 0, 1},
                            {"erfinv", 1, inf},
                            {"erfinv", -1, -inf},
                            {"erfinv", 2, nan},
                            {"erfinv", -0.0, -0.0},
                            {"sigmoid", -inf, 0},
                            {"sigmoid", inf, 1},
                            {"sigmoid", 0, 0.5},
                            {"silu", 0, 0},
                            {"relu", -1, 0},
                            {"relu", -inf, 0},
                            {"sign", -0.0, 0},
                            {"round", 2.5, 2},
                            {"round", 3.5, 4},
                            {"round", -0.5, -0.0},
                            {"floor", -0.5, -1},
                            {"ceil", -0.5, -0.0},
                            {"trunc", -1.5, -1},
                            {"frac", -1.5, -0.5},
                            {"sqrt", -1, nan},
                            {"sqrt", -0.0, -0.0},
                            {"rsqrt", 0, inf},
                            {"rsqrt", inf, 0},
                            {"reciprocal", -0.0, -inf}};

struct Special2 {
  const char* name;
  double a, b, y;
};
const Special2 kSpecial2[] = {{"pow", nan, 0, 1},
                              {"pow", 1, nan, 1},
                              {"pow", nan, 1, nan},
                              {"pow", 2, nan, nan},
                              {"pow", -8, 3, -512},
                              {"pow", -8, 2, 64},
                              {"pow", -8, 0.5, nan},
                              {"pow", 0, -1, inf},
                              {"pow", -0.0, -1, -inf},
                              {"pow", -0.0, -2, inf},
                              {"pow", -0.0, 3, -0.0},
                              {"pow", -0.0, 2, 0},
                              {"pow", -0.0, 0.5, 0},
                              {"pow", -1, inf, 1},
                              {"pow", -1, -inf, 1},
                              {"pow", 0.5, -inf, inf},
                              {"pow", 0.5, inf, 0},
                              {"pow", 2, inf, inf},
                              {"pow", 2, -inf, 0},
                              {"pow", inf, 2, inf},
                              {"pow", inf, -2, 0},
                              {"pow", -inf, 3, -inf},
                              {"pow", -inf, 2, inf},
                              {"pow", -inf, -3, -0.0},
                              {"pow", -inf, 0.5, inf},
                              {"pow", 1, inf, 1},
                              {"pow", 0, inf, 0},
                              {"pow", 0, -inf, inf},
                              {"pow", 10, 2, 100},
                              {"atan2", 0, -1, M_PI},
                              {"atan2", -0.0, -1, -M_PI},
                              {"atan2", 0, 0, 0},
                              {"atan2", -0.0, 0, -0.0},
                              {"atan2", 0, -0.0, M_PI},
                              {"atan2", 1, 0, M_PI / 2},
                              {"atan2", inf, inf, M_PI / 4},
                              {"atan2", inf, -inf, 3 * M_PI / 4},
                              {"atan2", 1, inf, 0},
                              {"atan2", -1, -inf, -M_PI},
                              {"atan2", inf, 1, M_PI / 2},
                              {"atan2", nan, 1, nan},
                              {"hypot", inf, nan, inf},
                              {"hypot", 3, 4, 5},
                              {"hypot", 0, 0, 0},
                              {"logaddexp", inf, inf, inf},
                              {"logaddexp", -inf, -inf, -inf},
                              {"logaddexp", -inf, 1, 1},
                              {"maximum", nan, 1, nan},
                              {"maximum", 1, nan, nan},
                              {"minimum", nan, 1, nan},
                              {"fmax", nan, 1, 1},
                              {"fmax", 1, nan, 1},
                              {"fmin", nan, 1, 1},
                              {"fmod", -7, 3, -1},
                              {"fmod", 7, -3, 1},
                              {"fmod", 5, inf, 5},
                              {"fmod", inf, 5, nan},
                              {"fmod", 1, 0, nan},
                              {"fmod", -6, 3, -0.0},
                              {"remainder", -7, 3, 2},
                              {"remainder", 7, -3, -2},
                              {"remainder", 6, 3, 0},
                              {"floor_divide", 7, 2, 3},
                              {"floor_divide", -7, 2, -4},
                              {"floor_divide", 7, -2, -4},
                              {"floor_divide", 1, 0, inf},
                              {"floor_divide", 0, 0, nan},
                              {"floor_divide", 0.5, -2, -1},
                              {"copysign", 1, -0.0, -1}};

TEST(Values, special_values) {
  for (const Functions* level : levels()) {
    for (const Special& s : kSpecial) {
      const Unary& f = find_unary(*level, s.name);
      float xf = (float)s.x, yf;
      double yd;
      f.f32_vector(&xf, &yf, 1);
      f.f64_vector(&s.x, &yd, 1);
      EXPECT_TRUE(same_bits(yf, (float)s.y))
          << fmt::format("{} {} of {}: {}", level->level, s.name, xf, yf);
      EXPECT_TRUE(same_bits(yd, s.y))
          << fmt::format("{} {} of {}: {}", level->level, s.name, s.x, yd);
    }
    for (int i = 0; i < level->unary_count; i++) {
      const Unary& f = level->unary[i];
      if (std::string(f.name) == "sign") continue;
      float xf = NAN, yf = 0;
      double xd = NAN, yd = 0;
      f.f32_vector(&xf, &yf, 1);
      f.f64_vector(&xd, &yd, 1);
      EXPECT_TRUE(std::isnan(yf) && std::isnan(yd)) << level->level << " " << f.name << " of NaN";
    }
    for (const Special2& s : kSpecial2) {
      const Binary& f = find_binary(*level, s.name);
      float af = (float)s.a, bf = (float)s.b, yf;
      double yd;
      f.f32_vector(&af, &bf, &yf, 1);
      f.f64_vector(&s.a, &s.b, &yd, 1);
      EXPECT_TRUE(same_bits(yf, (float)s.y))
          << fmt::format("{} {} of {}, {}: {}", level->level, s.name, af, bf, yf);
      EXPECT_TRUE(same_bits(yd, s.y))
          << fmt::format("{} {} of {}, {}: {}", level->level, s.name, s.a, s.b, yd);
    }
  }
}

// fmod is exact, however far apart its arguments are; the C library's is too.
TEST(Values, fmod_is_exact) {
  for (const Functions* level : levels()) {
    const Binary& f = find_binary(*level, "fmod");
    std::vector<double> a = many<double>(5), b = many<double>(6), y(a.size());
    std::rotate(b.begin(), b.begin() + 11, b.end());
    f.f64_vector(a.data(), b.data(), y.data(), (std::int64_t)a.size());
    int wrong = 0;
    for (size_t i = 0; i < a.size(); i++)
      if (!same_bits(y[i], std::fmod(a[i], b[i])) && wrong++ == 0)
        ADD_FAILURE() << fmt::format("{} fmod({:a}, {:a}): {:a}, expected {:a}", level->level, a[i],
                                     b[i], y[i], std::fmod(a[i], b[i]));
    std::vector<float> af = many<float>(5), bf = many<float>(6), yf(af.size());
    std::rotate(bf.begin(), bf.begin() + 11, bf.end());
    f.f32_vector(af.data(), bf.data(), yf.data(), (std::int64_t)af.size());
    for (size_t i = 0; i < af.size(); i++)
      if (!same_bits(yf[i], std::fmod(af[i], bf[i])) && wrong++ == 0)
        ADD_FAILURE() << fmt::format("{} fmod({:a}, {:a}): {:a}", level->level, af[i], bf[i],
                                     yf[i]);
  }
}

}  // namespace
}  // namespace frit::vec_test
