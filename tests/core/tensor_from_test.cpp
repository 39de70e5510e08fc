// tensor_from copies exactly as many values as the sizes hold.
#include <frit/tensor.h>
#include <gtest/gtest.h>

#include <array>

#include "base/error.h"

namespace frit {
namespace {

TEST(TensorFrom, CountsValues) {
  std::vector<float> values(1000, 1.f);
  std::array<int64_t, 1> two{2};
  try {
    tensor_from<float>(values, two);
    FAIL() << "1000 values went into 2";
  } catch (const UserError& e) {
    EXPECT_STREQ(e.what(),
                 "[tensor_from] 1000 values were given for sizes [2], which hold 2\n"
                 "  try: as many values as the sizes multiply to");
  }
  EXPECT_THROW(tensor_from<float>(std::span<const float>(values.data(), 1), two), UserError);
  EXPECT_EQ(tensor_from<float>(std::span<const float>(values.data(), 2), two).impl()->numel(), 2);
}

}  // namespace
}  // namespace frit
