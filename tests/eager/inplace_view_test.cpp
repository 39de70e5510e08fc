// In-place views: ops that give the tensor object itself other sizes, strides and offset. Expected
// values are PyTorch's.
#include "common.h"

namespace frit {
namespace {
using namespace test;

std::vector<int64_t> sizes_of(const Tensor& t) {
  return {t.impl()->sizes.begin(), t.impl()->sizes.end()};
}
std::vector<double> flat(const Tensor& t) { return values(op<"reshape">(t, IntList{Int(-1)})); }

TEST(InPlaceViews, ChangeTheObjectItself) {
  Tensor x = make({0, 1, 2, 3, 4, 5}, {2, 3});
  Tensor other = x;
  uint64_t version = x.impl()->storage->version();
  EXPECT_TRUE(op<"t_">(x).is_same(x));
  EXPECT_THAT(sizes_of(other), ElementsAre(3, 2));
  EXPECT_THAT(flat(other), ElementsAre(0, 3, 1, 4, 2, 5));
  op<"unsqueeze_">(x, 0);
  EXPECT_THAT(sizes_of(x), ElementsAre(1, 3, 2));
  op<"transpose_">(x, 0, 1);
  EXPECT_THAT(sizes_of(x), ElementsAre(3, 1, 2));
  op<"squeeze_.dim">(x, 1);
  EXPECT_THAT(sizes_of(x), ElementsAre(3, 2));
  op<"as_strided_">(x, IntList{Int(2)}, IntList{Int(2)}, Int(1));
  EXPECT_THAT(flat(x), ElementsAre(1, 3));
  EXPECT_EQ(x.impl()->storage->version(), version + 5);
  EXPECT_THAT(error_of([&] { op<"unsqueeze_">(x, 5); }),
              HasSubstr("Dimension out of range (expected to be in range of [-2, 1], but got 5)"));
}

TEST(InPlaceViews, GradientsGoThroughThem) {
  Tensor x = leaf({0, 1, 2, 3, 4, 5}, {2, 3});
  Tensor y = x * 2.0;
  op<"as_strided_">(y, IntList{Int(2), Int(2)}, IntList{Int(1), Int(2)});
  sum(y).backward();
  EXPECT_THAT(flat(x.grad()), ElementsAre(2, 2, 2, 2, 0, 0));
}

TEST(InPlaceViews, OfAViewThatIsThenWritten) {
  Tensor x = leaf({0, 1, 2, 3, 4, 5}, {2, 3});
  Tensor y = x * 2.0;
  Tensor v = op<"slice.Tensor">(y, 1, 1, 3);
  op<"t_">(v);
  op<"mul_.Tensor">(v, make({1, 2, 3, 4}, {2, 2}));
  sum(y).backward();
  EXPECT_THAT(flat(x.grad()), ElementsAre(2, 2, 6, 2, 4, 8));
}

TEST(InPlaceViews, OfAViewUnderNoGrad) {
  Tensor x = leaf({0, 1, 2, 3, 4, 5}, {2, 3});
  Tensor y = x * 2.0;
  Tensor v = op<"slice.Tensor">(y, 1, 1, 3);
  {
    NoGrad no_grad;
    op<"t_">(v);
  }
  sum(v * make({1, 2, 3, 4}, {2, 2})).backward();
  EXPECT_THAT(flat(x.grad()), ElementsAre(0, 2, 6, 0, 4, 8));
}

TEST(InPlaceViews, OfABaseWhoseViewsLiveOn) {
  Tensor x = leaf({0, 1, 2, 3, 4, 5}, {2, 3});
  Tensor y = x * 2.0;
  Tensor v = op<"select.int">(y, 0, 0);
  op<"t_">(y);
  sum(v * vec({1, 2, 3})).backward();
  EXPECT_THAT(flat(x.grad()), ElementsAre(2, 4, 6, 0, 0, 0));
}

TEST(InPlaceViews, OfABaseWhoseViewIsThenWritten) {
  Tensor x = leaf({0, 1, 2, 3, 4, 5}, {2, 3});
  Tensor y = x * 2.0;
  Tensor v = op<"slice.Tensor">(y, 0, 0, 1);
  op<"unsqueeze_">(y, 0);
  op<"mul_.Scalar">(v, Scalar(3));
  EXPECT_THAT(sizes_of(y), ElementsAre(1, 2, 3));
  sum(y).backward();
  EXPECT_THAT(flat(x.grad()), ElementsAre(6, 6, 6, 2, 2, 2));
}

TEST(InPlaceViews, OfABaseTransposedWhoseViewIsThenWritten) {
  Tensor x = leaf({0, 1, 2, 3, 4, 5}, {2, 3});
  Tensor y = x * 2.0;
  Tensor v = op<"select.int">(y, 0, 1);
  op<"t_">(y);
  op<"mul_.Tensor">(v, vec({1, 2, 3}));
  sum(y * make({1, 2, 3, 4, 5, 6}, {3, 2})).backward();
  EXPECT_THAT(flat(x.grad()), ElementsAre(2, 6, 10, 4, 16, 36));
}

TEST(InPlaceViews, OfLeavesAndSavedTensors) {
  Tensor x = leaf({1, 2, 3}, {1, 3});
  EXPECT_THAT(
      error_of([&] { op<"t_">(x); }),
      HasSubstr("a leaf Variable that requires grad is being used in an in-place operation"));
  {
    NoGrad no_grad;
    op<"t_">(x);
  }
  sum(x * 2.0).backward();
  EXPECT_THAT(sizes_of(x.grad()), ElementsAre(3, 1));
  Tensor y = op<"exp">(leaf({1, 2}));
  op<"unsqueeze_">(y, 0);
  EXPECT_THAT(error_of([&] { sum(y).backward(); }), HasSubstr("modified by an inplace operation"));
}

TEST(NarrowByTensor, ReadsTheStart) {
  Tensor x = leaf({0, 1, 2, 3, 4});
  Tensor at = tensor_from<int64_t>(std::vector<int64_t>{-3}, std::vector<int64_t>{});
  Tensor y = op<"narrow.Tensor">(x, 0, at, 2);
  EXPECT_THAT(values(y), ElementsAre(2, 3));
  sum(y).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(0, 0, 1, 1, 0));
  EXPECT_THAT(error_of([&] { op<"narrow.Tensor">(x, 0, vec({1}), 2); }),
              HasSubstr("start must be an 0-dim integral Tensor."));
}

// Second derivatives of products where elements are 0, weighted 1, 2, 5: PyTorch's values.
TEST(Prod, SecondDerivativeAtZeros) {
  auto second = [](std::vector<double> v, bool all) {
    Tensor x = all ? leaf(v) : leaf(v, {1, 3});
    Tensor y = all ? op<"prod">(x) : sum(op<"prod.dim_int">(x, 1));
    Tensor g = autograd::grad({y}, {x}, {}, false, true)[0];
    return flat(
        autograd::grad({sum(g * (all ? vec({1, 2, 5}) : make({1, 2, 5}, {1, 3})))}, {x})[0]);
  };
  for (bool all : {true, false}) {
    EXPECT_THAT(second({0, 2, 3}, all), ElementsAre(16, 3, 2));
    EXPECT_THAT(second({0, 0, 3}, all), ElementsAre(6, 3, 0));
    EXPECT_THAT(second({0, 0, 0}, all), ElementsAre(0, 0, 0));
    EXPECT_THAT(second({1, 2, 3}, all), ElementsAre(16, 8, 4));
  }
}

TEST(Bernoulli, ProbabilitiesOutsideTheirRange) {
  EXPECT_EQ(error_of([] { op<"bernoulli">(vec({0.5, 1.5})); }),
            "[bernoulli] Expected p_in >= 0 && p_in <= 1 to be true, but got false: one of the "
            "probabilities is 1.5\n  try: probabilities between 0 and 1, such as sigmoid() gives");
  Tensor x = vec({0, 0});
  EXPECT_THAT(error_of([&] { op<"bernoulli_.Tensor">(x, vec({0.5, -0.25})); }),
              HasSubstr("one of the probabilities is -0.25"));
  EXPECT_THAT(error_of([&] { op<"bernoulli">(vec({0.5, std::nan("")})); }),
              HasSubstr("to be true, but got false"));
  EXPECT_THAT(values(op<"bernoulli">(vec({0, 1}))), ElementsAre(0, 1));
}

// Each view shares what it has in common with the one it is of.
TEST(InplaceView, ALongChainOfViews) {
  Tensor base = make({1, 1}, {2}).requires_grad_() * 1, z = base;
  for (int i = 0; i < 100000; ++i) z = z.view({2});
  EXPECT_TRUE(z.requires_grad());
  Tensor leaf = make({1, 1}, {2}).requires_grad_(), at = leaf * 3, view = at;
  for (int i = 0; i < 500; ++i) view = view.view({2});
  view.mul_(2);
  at.sum().backward();
  EXPECT_EQ(leaf.grad().to_vector<double>(), (std::vector<double>{6, 6}));
}

}  // namespace
}  // namespace frit
