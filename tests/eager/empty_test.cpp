// Tensors of no elements: whatever their strides, reductions give what an empty sum, product, or
// question gives.
#include <frit/ops.h>

#include "common.h"

namespace frit {
namespace {

Tensor of(DType t, Dims sizes) { return empty_cpu(sizes, t); }

TEST(NoElements, Reductions) {
  for (DType t : {kFloat32, kFloat64, kInt64, kUInt8, kBool})
    for (const Dims& sizes : {Dims{0}, Dims{3, 0}, Dims{0, 3}, Dims{0, 1, 3}}) {
      Tensor x = of(t, sizes);
      EXPECT_EQ(x.sum().item<double>(), 0);
      EXPECT_EQ(x.prod().item<double>(), 1);
      // The byte itself: a bool holds 0 or 1.
      EXPECT_EQ(*static_cast<const unsigned char*>(x.all().raw_data()), 1);
      EXPECT_EQ(*static_cast<const unsigned char*>(x.any().raw_data()), 0);
    }
  Tensor x = of(kFloat32, {2, 0});
  EXPECT_EQ(x.sum(1).to_vector<float>(), (std::vector<float>{0, 0}));
  EXPECT_EQ(x.all(1).to_vector<bool>(), (std::vector<bool>{true, true}));
  EXPECT_TRUE(std::isnan(x.mean().item<float>()));
}

TEST(NoElements, DivideNothing) {
  Tensor none = of(kInt64, {0, 1, 3});
  EXPECT_NO_THROW(remainder(Scalar(6), none));
  EXPECT_NO_THROW(floor_divide(none, none));
  EXPECT_NO_THROW(none.fmod(0));
}

// What is reduced into itself is read as it was given, whatever sizes it takes.
TEST(NoElements, ReducedIntoItself) {
  Tensor a = frit::zeros({0, 2}), b = frit::zeros({2, 0}), c = frit::zeros({1, 0}, DType::boolean);
  EXPECT_TRUE(frit::all_out(a, a).to(DType::boolean).item<bool>());
  EXPECT_TRUE(a.is_same(frit::all_out(a, a)));
  EXPECT_EQ(frit::prod_out(b, b).item<double>(), 1.0);
  EXPECT_FALSE(frit::any_out(c, c).item<bool>());
}

}  // namespace
}  // namespace frit
