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
  EXPECT_THROW((void)Scalar{std::numeric_limits<uint64_t>::max()}, UserError);
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
