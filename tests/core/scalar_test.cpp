#include "core/scalar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"

namespace frit {
namespace {

TEST(Scalar, KeepsWhatKindOfNumberItIs) {
  EXPECT_TRUE(Scalar(true).is_bool());
  EXPECT_TRUE(Scalar(1).is_integer());
  EXPECT_TRUE(Scalar(size_t{3}).is_integer());
  EXPECT_TRUE(Scalar(int8_t{3}).is_integer());
  EXPECT_TRUE(Scalar(1.5f).is_real());
  EXPECT_TRUE(Scalar(Int(4)).is_integer());
  EXPECT_FALSE(Scalar(Int(4)).is_symbolic());
  try {
    (void)Scalar{std::numeric_limits<uint64_t>::max()};
    FAIL();
  } catch (const UserError& e) {
    EXPECT_STREQ(
        e.what(),
        "[number] 18446744073709551615 is out of range: integers are of 64 bits with a sign\n"
        "  try: a number below 2^63, or a double");
  }
}

TEST(Scalar, HoldsEveryInt64) {
  int64_t lowest = std::numeric_limits<int64_t>::min();
  for (int64_t v : {lowest, lowest + 1, Int::kLowest - 1, Int::kLowest, int64_t{-1}}) {
    EXPECT_EQ(Scalar(v).to_int64(), v);
    EXPECT_EQ(Scalar(v).to_double(), static_cast<double>(v));
    EXPECT_TRUE(Scalar(v).to_bool());
    EXPECT_TRUE(Scalar(v).same_as(Scalar(v)));
    EXPECT_FALSE(Scalar(v).same_as(Scalar(v - Int::kLowest)));
  }
  EXPECT_THROW((void)Scalar(lowest).as_int(), UserError);
}

TEST(Scalar, WhatFits) {
  double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(Scalar(127).fits<int8_t>());
  EXPECT_FALSE(Scalar(128).fits<int8_t>());
  EXPECT_FALSE(Scalar(-129).fits<int8_t>());
  EXPECT_FALSE(Scalar(-1).fits<size_t>());
  EXPECT_TRUE(Scalar(127.9).fits<int8_t>());
  EXPECT_FALSE(Scalar(128.0).fits<int8_t>());
  EXPECT_TRUE(Scalar(-128.9).fits<int8_t>());
  EXPECT_TRUE(Scalar(-0.5).fits<uint8_t>());
  EXPECT_FALSE(Scalar(-1.0).fits<uint8_t>());
  EXPECT_TRUE(Scalar(-0x1p63).fits<int64_t>());
  EXPECT_FALSE(Scalar(0x1p63).fits<int64_t>());
  EXPECT_TRUE(Scalar(0x1p63).fits<uint64_t>());
  EXPECT_FALSE(Scalar(inf).fits<int>());
  EXPECT_FALSE(Scalar(std::nan("")).fits<int>());
  EXPECT_TRUE(Scalar(inf).fits<float>());
  EXPECT_TRUE(Scalar(std::nan("")).fits<float>());
  EXPECT_FALSE(Scalar(1e300).fits<float>());
  EXPECT_TRUE(Scalar(1e300).fits<double>());
}

TEST(Scalar, Converts) {
  EXPECT_EQ(Scalar(true).to_double(), 1.0);
  EXPECT_EQ(Scalar(-3).to_double(), -3.0);
  EXPECT_EQ(Scalar(2.9).to_int64(), 2);
  EXPECT_TRUE(Scalar(0.1).to_bool());
  EXPECT_FALSE(Scalar(0).to_bool());
  EXPECT_EQ(Scalar(7).as_int().constant(), 7);
  EXPECT_EQ(Scalar(int64_t{1} << 62).to_int64(), int64_t{1} << 62);
}

TEST(Scalar, SameAsTellsZerosAndKindsApart) {
  double nan = std::nan("");
  EXPECT_TRUE(Scalar(nan).same_as(Scalar(nan)));
  EXPECT_FALSE(Scalar(0.0).same_as(Scalar(-0.0)));
  EXPECT_FALSE(Scalar(1).same_as(Scalar(1.0)));
  EXPECT_FALSE(Scalar(1).same_as(Scalar(true)));
  EXPECT_TRUE(Scalar(5).same_as(Scalar(Int(5))));
  EXPECT_FALSE(Scalar(nan).same_as(Scalar(1.0)));
}

}  // namespace
}  // namespace frit
