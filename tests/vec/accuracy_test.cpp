// Accuracy of every transcendental function. The measured table is in docs/numerics.md; to renew
// it:
//
//   FRIT_VEC_TABLE=1 test_vec --gtest_filter=Accuracy.*
//   FRIT_VEC_EXHAUSTIVE=1     every f32 (or every n-th), a minute or two a function
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "vec/ulp.h"

namespace frit::vec_test {
namespace {

int setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? std::atoi(value) : 0;
}

const int kF32 = setting("FRIT_VEC_TABLE") ? 1000000 : 6000;
const int kF64 = setting("FRIT_VEC_TABLE") ? 1000000 : 6000;

// One row of the table: the largest of the levels.
void row(const Known& known, const std::vector<Worst>& f32, const std::vector<Worst>& f64) {
  if (!setting("FRIT_VEC_TABLE")) return;
  double a = 0, b = 0;
  for (const Worst& w : f32) a = std::max(a, w.ulps);
  for (const Worst& w : f64) b = std::max(b, w.ulps);
  std::printf("| %s | %.2f | %.2f |\n", known.name, a, b);
  std::fflush(stdout);
}

void expect_within(const Known& known, const char* type, const std::vector<Worst>& worst,
                   double limit) {
  for (size_t i = 0; i < worst.size(); i++)
    EXPECT_LE(worst[i].ulps, limit) << levels()[i]->level << " " << type << " " << known.name
                                    << " at " << fmt::format("{:a}, {:a}", worst[i].a, worst[i].b);
}

TEST(Accuracy, unary) {
  for (const Known& known : known_unary()) {
    std::vector<Worst> f32 = measure_f32(known, kF32), f64 = measure_f64(known, kF64);
    row(known, f32, f64);
    expect_within(known, "f32", f32, known.f32_limit);
    expect_within(known, "f64", f64, known.f64_limit);
  }
}

TEST(Accuracy, binary) {
  for (const Known& known : known_binary()) {
    std::vector<Worst> f32 = measure_binary_f32(known, kF32), f64 = measure_binary_f64(known, kF64);
    row(known, f32, f64);
    expect_within(known, "f32", f32, known.f32_limit);
    expect_within(known, "f64", f64, known.f64_limit);
  }
}

// Every f32 in the exhaustive mode, else one in 40,009 (which is prime to the patterns of bits).
TEST(Accuracy, f32_through_the_whole_format) {
  int step = setting("FRIT_VEC_EXHAUSTIVE");
  for (const Known& known : known_unary()) {
    std::vector<Worst> worst = measure_every_f32(known, step ? step : 40009);
    if (step) std::printf("%s %.3f at %a\n", known.name, worst[0].ulps, worst[0].a);
    expect_within(known, "f32", worst, known.f32_limit + 0.01);
  }
}

}  // namespace
}  // namespace frit::vec_test
