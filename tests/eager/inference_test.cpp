// What is made in InferenceMode, and what may be done with it outside. Texts are PyTorch's.
#include <frit/ops/out.h>

#include "common.h"

namespace frit::test {
namespace {

Tensor made_inside() {
  InferenceMode inside;
  return op<"mul.Scalar">(vec({1, 2}), Scalar(1));
}

const char* const kWritten =
    "Inplace update to inference tensor outside InferenceMode is not allowed.\n  at "
    "inference_test.cpp:";
const char* const kSaved = "Inference tensors cannot be saved for backward.";

TEST(Inference, WhatIsMadeInsideIsMarked) {
  Tensor z = made_inside(), x = vec({1, 2});
  EXPECT_TRUE(z.is_inference());
  EXPECT_TRUE(z.slice(0, 0, 1).is_inference());
  EXPECT_TRUE(z.detach().is_inference());
  EXPECT_FALSE(z.clone().is_inference());
  EXPECT_FALSE((z + 1).is_inference());
  EXPECT_FALSE(x.is_inference());
  InferenceMode inside;
  EXPECT_FALSE(x.slice(0, 0, 1).is_inference());  // a view of what was made outside
  x.add_(1);
  EXPECT_FALSE(x.is_inference());
  EnableGrad on;
  Tensor w = leaf({1, 2});
  EXPECT_FALSE((w * w).requires_grad());  // gradients cannot be had inside
}

TEST(Inference, OutsideItIsNotWritten) {
  Tensor z = made_inside();
  EXPECT_THAT(error_of([&] { z.add_(1); }), HasSubstr(std::string("[add_] ") + kWritten));
  EXPECT_THAT(error_of([&] { z.slice(0, 0, 1).zero_(); }), HasSubstr(kWritten));
  EXPECT_THAT(error_of([&] { z.unsqueeze_(0); }), HasSubstr(kWritten));
  EXPECT_THAT(error_of([&] { z.index_put_({0}, vec({5})); }), HasSubstr(kWritten));
  EXPECT_THAT(error_of([&] { frit::add_out(z, vec({1, 2}), vec({1, 2})); }),
              HasSubstr("Inplace update to inference tensor outside InferenceMode"));
  {
    NoGrad off;
    EXPECT_THAT(error_of([&] { z.add_(1); }), HasSubstr(kWritten));
  }
  EXPECT_THAT(values(z), ElementsAre(1, 2));
  {
    InferenceMode inside;
    z.add_(1);
  }
  EXPECT_THAT(values(z), ElementsAre(2, 3));
  Tensor copy = z.clone();
  copy.add_(1);
  EXPECT_THAT(values(copy), ElementsAre(3, 4));
}

TEST(Inference, OutsideItIsNotKeptForBackward) {
  Tensor z = made_inside(), w = leaf({3, 4});
  EXPECT_THAT(error_of([&] { w* z; }), HasSubstr(std::string("[mul] ") + kSaved));
  EXPECT_THAT(error_of([&] { w* z; }), HasSubstr("at inference_test.cpp:"));
  EXPECT_THAT(error_of([&] { op<"dot">(w, z); }), HasSubstr(kSaved));
  sum(w + z).backward();  // addition keeps nothing
  EXPECT_THAT(values(w.grad()), ElementsAre(1, 1));
  NoGrad off;
  EXPECT_THAT(values(w * z), ElementsAre(3, 8));
}

TEST(Inference, OutsideItTakesNoGradients) {
  Tensor z = made_inside();
  EXPECT_THAT(error_of([&] { z.requires_grad_(true); }),
              HasSubstr("[requires_grad_] Setting requires_grad=True on inference tensor outside "
                        "InferenceMode is not allowed.\n  at inference_test.cpp:"));
  z.requires_grad_(false);
  InferenceMode inside;
  EXPECT_TRUE(z.requires_grad_(true).requires_grad());
}

TEST(Inference, ViewsOfWhatWasMadeOutsideAreFollowed) {
  Tensor w = leaf({1, 2, 3}), a = w * 2.0, x = vec({1, 2, 3}), part, other;
  {
    InferenceMode inside;
    part = a.slice(0, 0, 2);
    other = x.slice(0, 0, 2);
  }
  EXPECT_TRUE(part.requires_grad());
  EXPECT_THAT(error_of([&] { part.mul_(2); }),
              HasSubstr("A view was created in inference mode and is being modified inplace in "
                        "normal mode."));
  other.mul_(2);
  EXPECT_THAT(values(x), ElementsAre(2, 4, 3));
  EXPECT_FALSE(other.requires_grad());
  x.mul_(w);
  EXPECT_TRUE(other.requires_grad());
}

TEST(Inference, BackwardInsideLeavesOrdinaryGradientsOutside) {
  // Rules run without following views, which is not this mode.
  Tensor w = leaf({1, 2, 3, 4}, {2, 2});
  sum(w.slice(0, 0, 1) * w.slice(0, 1, 2)).backward();
  EXPECT_FALSE(w.grad().is_inference());
  w.grad().add_(1);
  EXPECT_THAT(values(w.grad()), ElementsAre(4, 5, 2, 3));
}

}  // namespace
}  // namespace frit::test
