// Writes and the tape: version checks, leaves, views and their bases.
#include "common.h"

namespace frit {
namespace {
using namespace test;

Tensor& add_(Tensor& t, double v) {
  t += Scalar(v);
  return t;
}

TEST(InPlace, HistoryOfAWrittenTensor) {
  Tensor x = leaf({1, 2});
  Tensor y = x * 2.0;
  y *= Scalar(3.0);
  y += x;
  sum(y).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(7, 7));
}

TEST(InPlace, ProductKeepsWhatItOverwrites) {
  Tensor x = leaf({2, 3}), w = leaf({5, 7});
  Tensor y = x * 1.0;
  y *= w;
  sum(y).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(5, 7));
  EXPECT_THAT(values(w.grad()), ElementsAre(2, 3));
}

TEST(InPlace, SavedTensorThatWasWritten) {
  Tensor x = leaf({1, 2});
  Tensor y = x * 2.0;
  Tensor z = op<"exp">(y);
  add_(z, 1);  // exp saved its output
  std::string text = error_of([&] { sum(z).backward(); });
  EXPECT_THAT(text,
              HasSubstr("one of the variables needed for gradient computation has been modified "
                        "by an inplace operation: [float64 [2]], which is output 0 of "
                        "ExpBackward"));
  EXPECT_THAT(text, HasSubstr("is at version 1; expected version 0 instead"));
  EXPECT_THAT(text, HasSubstr("try: write to a clone(), or use the op that is not in place"));
}

TEST(InPlace, SavedInputThatWasWritten) {
  Tensor x = leaf({1, 2}), w = leaf({3, 4});
  Tensor h = x + 1.0;
  Tensor y = h * w;
  add_(h, 1);
  EXPECT_THAT(error_of([&] { sum(y).backward(); }), HasSubstr("which is output 0 of AddBackward"));
}

TEST(InPlace, SavedTensorsThatNoGradientNeedsMayBeWritten) {
  Tensor x = leaf({1, 2}), mask = vec({0, 1});
  Tensor h = x + 1.0;
  Tensor y = h * mask;  // the mask wants no gradient, so h is not needed
  add_(h, 1);
  sum(y).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(0, 1));
}

TEST(InPlace, WritesUnderNoGradCountToo) {
  Tensor x = leaf({1, 2}), w = leaf({3, 4});
  Tensor y = x * w;
  {
    NoGrad off;
    add_(w, 1);
  }
  EXPECT_THAT(error_of([&] { sum(y).backward(); }),
              HasSubstr("[float64 [2]], is at version 1; expected version 0 instead"));
}

TEST(InPlace, Leaves) {
  Tensor x = leaf({1, 2});
  EXPECT_THAT(
      error_of([&] { add_(x, 1); }),
      HasSubstr("a leaf Variable that requires grad is being used in an in-place operation."));
  Tensor v = x[0];
  EXPECT_THAT(error_of([&] { add_(v, 1); }),
              HasSubstr("a view of a leaf Variable that requires grad is being used in an in-place "
                        "operation."));
  NoGrad off;
  add_(x, 1);
  EXPECT_THAT(values(x), ElementsAre(2, 3));
}

TEST(InPlace, ALeafWithoutGradientsGetsAHistory) {
  Tensor x = leaf({1, 2});
  Tensor y = vec({0, 0});
  y += x;
  EXPECT_TRUE(y.requires_grad());
  sum(y * y).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(2, 4));
}

TEST(InPlace, AWriteToAViewIsSeenByItsBase) {
  Tensor x = leaf({1, 2, 3, 4}, {2, 2}), w = leaf({10, 20});
  Tensor base = x * 1.0;
  Tensor row = base[0];
  row *= w;
  sum(base * base).backward();
  // base = [[10, 40], [3, 4]]
  EXPECT_THAT(values(x.grad()), ElementsAre(2 * 10 * 10, 2 * 40 * 20, 6, 8));
  EXPECT_THAT(values(w.grad()), ElementsAre(2 * 10 * 1, 2 * 40 * 2));
}

TEST(InPlace, OtherViewsSeeIt) {
  Tensor x = leaf({1, 2, 3, 4}, {2, 2});
  Tensor base = x * 1.0;
  Tensor column = op<"t">(base)[0];  // [1, 3]
  Tensor row = base[0];
  row *= Scalar(5.0);
  EXPECT_THAT(values(column), ElementsAre(5, 3));
  sum(column).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(5, 0, 1, 0));
}

TEST(InPlace, AWriteToTheBaseIsSeenByViews) {
  Tensor x = leaf({1, 2});
  Tensor base = x * 1.0;
  Tensor first = base[0];
  base *= Scalar(3.0);
  first.backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(3, 0));
}

TEST(InPlace, AViewOfATensorWithoutGradients) {
  Tensor x = leaf({5, 6});
  Tensor base = make({0, 0, 0, 0}, {2, 2});
  Tensor row = base[1];
  row += x;
  EXPECT_TRUE(base.requires_grad());
  EXPECT_TRUE(base[0].requires_grad());
  sum(base * base).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(10, 12));
}

TEST(InPlace, ViewsOfViews) {
  Tensor x = leaf({1, 2, 3, 4}, {2, 2});
  Tensor base = x * 1.0;
  Tensor one = base[1][0];
  one *= Scalar(7.0);
  EXPECT_THAT(values(base), ElementsAre(1, 2, 21, 4));
  sum(base).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(1, 1, 7, 1));
}

TEST(InPlace, TwoWritesToOneBase) {
  Tensor x = leaf({1, 2, 3});
  Tensor base = x * 1.0;
  Tensor a = base.index({indexing::Slice{0, 2}}), b = base.index({indexing::Slice{1, 3}});
  a *= Scalar(2.0);
  b *= Scalar(3.0);
  EXPECT_THAT(values(base), ElementsAre(2, 12, 9));
  sum(base * vec({1, 10, 100})).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(2, 60, 300));
}

TEST(InPlace, CopyIntoAView) {
  Tensor x = leaf({1, 2, 3}), y = leaf({9});
  Tensor base = x * 1.0;
  op<"copy_">(base.index({indexing::Slice{1, 2}}), y);
  sum(base * base).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(2, 0, 6));
  EXPECT_THAT(values(y.grad()), ElementsAre(18));
}

TEST(InPlace, DoubleBackwardThroughAWrittenView) {
  Tensor x = leaf({2, 3}), w = leaf({4});
  Tensor base = x * x;
  Tensor part = base.index({indexing::Slice{0, 1}});
  part *= w;
  Tensor g = autograd::grad({sum(base)}, {x}, {}, false, true)[0];
  EXPECT_THAT(values(g), ElementsAre(16, 6));  // 2 x w, 2 x
  TensorList gg = autograd::grad({sum(g)}, {x, w});
  EXPECT_THAT(values(gg[0]), ElementsAre(8, 2));
  EXPECT_THAT(values(gg[1]), ElementsAre(4));
}

// PyTorch refuses this; pieces are views like any other here.
TEST(InPlace, AWriteToOneOfSeveralPieces) {
  Tensor x = leaf({1, 2, 3});
  Tensor base = x * 1.0;
  base.split(1)[1].mul_(5.0);
  base.unbind()[2].mul_(7.0);
  EXPECT_THAT(values(base), ElementsAre(1, 10, 21));
  sum(base * base).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(2, 100, 294));
}

TEST(InPlace, ViewsMadeWithoutGradients) {
  Tensor x = leaf({1, 2});
  Tensor base = x * 1.0;
  Tensor v;
  {
    NoGrad off;
    v = base[0];
  }
  EXPECT_THAT(
      error_of([&] { v += Scalar(1.0); }),
      HasSubstr(
          "A view was created in no_grad mode and is being modified inplace with grad mode "
          "enabled. Given that this use case is ambiguous and error-prone, it is forbidden."));
}

TEST(InPlace, RetainedGradientsFollowTheTensor) {
  Tensor x = leaf({1, 2});
  Tensor h = x * 2.0;
  h.retain_grad();
  h *= Scalar(3.0);
  sum(h * h).backward();
  EXPECT_THAT(values(h.grad()), ElementsAre(12, 24));
}

TEST(InPlace, AWrittenTensorDoesNotKeepItselfAlive) {
  WeakPtr<TensorImpl> x, y, base;
  {
    Tensor w = leaf({1, 2});
    Tensor a = w * 1.0, b = vec({1, 2});
    Tensor whole = make({1, 2, 3, 4}, {2, 2});
    x = WeakPtr<TensorImpl>(a.ptr());
    y = WeakPtr<TensorImpl>(b.ptr());
    base = WeakPtr<TensorImpl>(whole.ptr());
    a += a * w;  // the product saves a
    b += b * w;
    Tensor row = whole[1];
    row += whole[0] * w;
    EXPECT_THAT(error_of([&] { sum(a).backward(); }),
                HasSubstr("modified by an inplace operation"));
  }
  EXPECT_TRUE(x.expired());
  EXPECT_TRUE(y.expired());
  EXPECT_TRUE(base.expired());
}

TEST(InPlace, OpsThatRunAsTheirParts) {
  Tensor x = leaf({-2, 0.5, 3});
  Tensor y = x * 1.0;
  EXPECT_TRUE(op<"clamp_">(y, Scalar(-1.0), Scalar(1.0)).is_same(y));
  sum(y).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(0, 1, 0));
}

TEST(InPlace, ComparisonsAreFlat) {
  Tensor x = leaf({1, 2}), z = leaf({1, 5});
  Tensor y = x * 2.0;
  op<"gt_.Tensor">(y, z);
  EXPECT_TRUE(y.requires_grad());
  sum(y).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(0, 0));
  EXPECT_THAT(values(z.grad()), ElementsAre(0, 0));
  Tensor plain = vec({1, 2});
  op<"eq_.Tensor">(plain, z);
  EXPECT_TRUE(plain.requires_grad());
  EXPECT_FALSE(op<"eq.Tensor">(x, z).requires_grad());
}

TEST(InPlace, LogicLeavesTheHistoryAsItWas) {  // as in PyTorch
  Tensor x = leaf({1, 0});
  Tensor y = x * 2.0;
  op<"logical_not_">(y);
  EXPECT_THAT(values(y), ElementsAre(0, 1));
  sum(y).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(2, 2));
}

TEST(InPlace, FloorDivideHasNoDerivative) {
  Tensor x = leaf({1, 5});
  Tensor y = x * 1.0;
  op<"floor_divide_.Scalar">(y, Scalar(2.0));
  EXPECT_TRUE(y.requires_grad());
  EXPECT_THAT(
      error_of([&] { sum(y).backward(); }),
      AllOf(HasSubstr("[floor_divide] derivative for aten::floor_divide is not implemented"),
            HasSubstr("try: div with rounding_mode=\"floor\"")));
}

}  // namespace
}  // namespace frit
