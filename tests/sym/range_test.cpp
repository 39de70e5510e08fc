// Interval arithmetic contains every result: all small intervals, and ends at infinity.
#include "sym/range.h"

#include <gtest/gtest.h>

#include <vector>

#include "sym/int.h"

namespace frit::sym {
namespace {

std::vector<Range> intervals() {
  std::vector<Range> all;
  const std::vector<int64_t> ends{kMinusInf, -4, -3, -1, 0, 1, 2, 4, kPlusInf};
  for (int64_t lo : ends)
    for (int64_t hi : ends)
      if (lo <= hi && lo != kPlusInf && hi != kMinusInf) all.push_back({lo, hi});
  return all;
}

TEST(RangeArithmetic, ContainsEveryResult) {
  for (Range a : intervals())
    for (Range b : intervals())
      for (int64_t x = -9; x <= 9; ++x) {
        if (!a.contains(x)) continue;
        EXPECT_TRUE((-a).contains(-x));
        for (int64_t y = -9; y <= 9; ++y) {
          if (!b.contains(y)) continue;
          auto where = [&] {
            return a.str() + " and " + b.str() + " at " + std::to_string(x) + ", " +
                   std::to_string(y);
          };
          ASSERT_TRUE((a + b).contains(x + y)) << where();
          ASSERT_TRUE((a * b).contains(x * y)) << where();
          ASSERT_TRUE(min(a, b).contains(std::min(x, y))) << where();
          ASSERT_TRUE(max(a, b).contains(std::max(x, y))) << where();
          ASSERT_TRUE(hull(a, b).contains(x) && hull(a, b).contains(y)) << where();
          ASSERT_EQ(intersect(a, b).contains(x), b.contains(x)) << where();
          if (y == 0) continue;
          ASSERT_TRUE(floordiv(a, b).contains(frit::floordiv(x, y))) << where();
          ASSERT_TRUE(mod(a, b).contains(frit::mod(x, y))) << where();
        }
      }
}

TEST(RangeArithmetic, IsTightWhereItMatters) {
  EXPECT_EQ((Range{2, kPlusInf} * Range{3, 4}), (Range{6, kPlusInf}));
  EXPECT_EQ((Range{-2, 3} * Range{-5, 4}), (Range{-15, 12}));
  EXPECT_EQ(floordiv(Range{5, 17}, Range{4, 4}), (Range{1, 4}));
  EXPECT_EQ(floordiv(Range{2, kPlusInf}, Range{2, kPlusInf}), (Range{0, kPlusInf}));
  EXPECT_EQ(mod(Range{0, kPlusInf}, Range{8, 8}), (Range{0, 7}));
  EXPECT_EQ(mod(Range{2, 5}, Range{8, kPlusInf}), (Range{2, 5}));
  EXPECT_EQ(mod(Range{-3, 5}, Range{-4, -2}), (Range{-3, 0}));
  EXPECT_EQ((Range{kPlusInf - 1, kPlusInf - 1} + Range{5, 5}).hi, kPlusInf);
  EXPECT_EQ(
      (Range{int64_t{1} << 40, int64_t{1} << 40} * Range{int64_t{1} << 40, int64_t{1} << 40}).hi,
      kPlusInf);
}

TEST(RangeArithmetic, Texts) {
  EXPECT_EQ(Range{}.str(), "(-inf, inf)");
  EXPECT_EQ((Range{0, 7}).str(), "[0, 7]");
  EXPECT_EQ((Range{kMinusInf, 7}).str(), "(-inf, 7]");
}

}  // namespace
}  // namespace frit::sym
