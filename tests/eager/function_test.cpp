// Custom functions.
#include "common.h"

namespace frit {
namespace {
using namespace test;
using autograd::Context;

struct Scale : autograd::Function<Scale> {
  static Tensor forward(Context& ctx, const Tensor& x, double by) {
    ctx.numbers["by"] = by;
    return x * by;
  }
  static TensorList backward(Context& ctx, const TensorList& grads) {
    return {grads[0] * ctx.numbers["by"]};
  }
};

// The gradient of x * y, but of x alone doubled, to see that it is this one that runs.
struct Product : autograd::Function<Product> {
  static Tensor forward(Context& ctx, const Tensor& x, const Tensor& y) {
    ctx.save_for_backward({x, y});
    return x * y;
  }
  static TensorList backward(Context& ctx, const TensorList& grads) {
    TensorList s = ctx.saved();
    return {ctx.needs_input_grad(0) ? grads[0] * s[1] * 2.0 : Tensor(),
            ctx.needs_input_grad(1) ? grads[0] * s[0] : Tensor()};
  }
};

struct SavesItsOutput : autograd::Function<SavesItsOutput> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    Tensor y = op<"exp">(x);
    ctx.save_for_backward({y});
    return y;
  }
  static TensorList backward(Context& ctx, const TensorList& grads) {
    return {grads[0] * ctx.saved()[0]};
  }
};

struct TwoOutputs : autograd::Function<TwoOutputs> {
  static TensorList forward(Context& ctx, const Tensor& x) {
    Tensor mask = x > 0.0;
    return {x * 2.0, x * 3.0, mask};
  }
  static TensorList backward(Context&, const TensorList& grads) {
    return {grads[0] * 2.0 + grads[1] * 3.0};
  }
};

struct AddInPlace : autograd::Function<AddInPlace> {
  static Tensor forward(Context& ctx, Tensor x, const Tensor& y) {
    x += y;
    ctx.mark_dirty({x});
    return x;
  }
  static TensorList backward(Context&, const TensorList& grads) { return {grads[0], grads[0]}; }
};

struct Identity : autograd::Function<Identity> {
  static Tensor forward(Context&, const Tensor& x) { return x; }
  static TensorList backward(Context&, const TensorList& grads) { return {grads[0] * 5.0}; }
};

struct WrongCount : autograd::Function<WrongCount> {
  static Tensor forward(Context&, const Tensor& x) { return x * 1.0; }
  static TensorList backward(Context&, const TensorList& g) { return {g[0], g[0]}; }
};

TEST(Function, ForwardAndBackward) {
  Tensor x = leaf({1, 2});
  Tensor y = Scale::apply(x, 3.0);
  EXPECT_THAT(values(y), ElementsAre(3, 6));
  sum(y).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(3, 3));
  EXPECT_FALSE(Scale::apply(vec({1}), 3.0).requires_grad());
}

TEST(Function, SavedTensorsAndWantedGradients) {
  Tensor x = leaf({1, 2}), y = leaf({3, 4});
  sum(Product::apply(x, y)).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(6, 8));
  EXPECT_THAT(values(y.grad()), ElementsAre(1, 2));
  Tensor z = leaf({1, 1});
  sum(Product::apply(z, vec({3, 4}))).backward();
  EXPECT_THAT(values(z.grad()), ElementsAre(6, 8));
}

TEST(Function, SavedOutputsAndTheirSecondGradient) {
  Tensor x = leaf({0.5});
  Tensor g = autograd::grad({SavesItsOutput::apply(x)}, {x}, {}, false, true)[0];
  EXPECT_NEAR(values(g)[0], std::exp(0.5), 1e-12);
  EXPECT_NEAR(values(autograd::grad({g}, {x})[0])[0], std::exp(0.5), 1e-12);
}

TEST(Function, MissingGradientsAreZeros) {
  Tensor x = leaf({1, 2});
  TensorList y = TwoOutputs::apply(x);
  EXPECT_TRUE(y[0].requires_grad());
  EXPECT_FALSE(y[2].requires_grad());
  sum(y[1]).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(3, 3));
}

TEST(Function, DirtyInputs) {
  Tensor x = leaf({1, 2}), y = leaf({3, 4});
  Tensor h = x * 2.0;
  Tensor out = AddInPlace::apply(h, y);
  EXPECT_TRUE(out.is_same(h));
  sum(h * h).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(20, 32));
  EXPECT_THAT(values(y.grad()), ElementsAre(10, 16));
}

TEST(Function, AnInputThatComesBackIsAnotherTensor) {
  Tensor x = leaf({1, 2});
  Tensor y = Identity::apply(x);
  EXPECT_FALSE(y.is_same(x));
  EXPECT_TRUE(x.is_leaf());
  sum(y).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(5, 5));
}

struct WrongSizes : autograd::Function<WrongSizes> {
  static Tensor forward(Context&, const Tensor& x) { return x * 1.0; }
  static TensorList backward(Context&, const TensorList&) { return {vec({1, 2, 3})}; }
};

struct DirtyButNotReturned : autograd::Function<DirtyButNotReturned> {
  static Tensor forward(Context& ctx, Tensor x) {
    x += Scalar(1.0);
    ctx.mark_dirty({x});
    return x * 2.0;
  }
  static TensorList backward(Context&, const TensorList& grads) { return {grads[0]}; }
};

TEST(Function, Errors) {
  const std::string text = error_of([&] { sum(WrongSizes::apply(leaf({1, 2}))).backward(); });
  EXPECT_THAT(text,
              HasSubstr("returned an invalid gradient at index 0 - got [3] but expected shape "
                        "compatible with [2]"));
  EXPECT_THAT(text, HasSubstr("try: return a gradient of the input's sizes from its backward"));
  EXPECT_THAT(error_of([&] { DirtyButNotReturned::apply(leaf({1, 2}) * 1.0); }),
              HasSubstr("a tensor that was marked dirty is not an output of the function"));
  Tensor x = leaf({1, 2});
  EXPECT_THAT(
      error_of([&] { sum(WrongCount::apply(x)).backward(); }),
      HasSubstr("function WrongCountBackward returned an incorrect number of gradients (expected "
                "1, got 2)"));
  Tensor y = sum(Product::apply(x, x));
  y.backward();
  EXPECT_THAT(error_of([&] { y.backward(); }),
              HasSubstr("Trying to backward through the graph a second time"));
  Tensor h = x * 1.0;
  Tensor z = sum(Product::apply(h, x));
  h += Scalar(1.0);
  EXPECT_THAT(error_of([&] { z.backward(); }), HasSubstr("modified by an inplace operation"));
}

}  // namespace
}  // namespace frit
