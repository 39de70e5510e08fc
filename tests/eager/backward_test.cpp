// The backward pass: gradients, accumulation, modes, hooks, and its errors.
#include <thread>

#include "common.h"
#include "eager/data.h"
#include "eager/tape.h"

namespace frit {
namespace {
using namespace test;

TEST(Backward, Product) {
  Tensor x = leaf({1, 2, 3}), w = leaf({4, 5, 6});
  Tensor y = x * w;
  EXPECT_TRUE(y.requires_grad());
  EXPECT_FALSE(y.is_leaf());
  sum(y).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(4, 5, 6));
  EXPECT_THAT(values(w.grad()), ElementsAre(1, 2, 3));
}

TEST(Backward, BroadcastGradientsAreSummed) {
  Tensor x = leaf({1, 2}, {2, 1}), w = leaf({10, 20, 30});
  sum(x * w).backward();
  EXPECT_EQ(x.grad().impl()->sizes, (Dims{2, 1}));
  EXPECT_THAT(values(x.grad()), ElementsAre(60, 60));
  EXPECT_THAT(values(w.grad()), ElementsAre(3, 3, 3));
}

TEST(Backward, SharedSubexpressionsAddUp) {
  Tensor x = leaf({2, 3});
  Tensor y = op<"exp">(x);
  sum(y * y + y).backward();
  std::vector<double> e{std::exp(2.0), std::exp(3.0)};
  EXPECT_NEAR(values(x.grad())[0], 2 * e[0] * e[0] + e[0], 1e-12);
  EXPECT_NEAR(values(x.grad())[1], 2 * e[1] * e[1] + e[1], 1e-11);
}

TEST(Backward, GradientsAccumulateInPlace) {
  Tensor x = leaf({1, 2});
  sum(x * 3.0).backward();
  Tensor first = x.grad();
  sum(x * 4.0).backward();
  EXPECT_TRUE(x.grad().is_same(first));
  EXPECT_THAT(values(first), ElementsAre(7, 7));
  x.set_grad({});
  EXPECT_FALSE(x.grad().defined());
}

TEST(Backward, OneGradientForTwoLeavesIsNotShared) {
  Tensor x = leaf({1, 2}), y = leaf({3, 4});
  sum(x + y).backward();
  EXPECT_FALSE(x.grad().shares_storage_with(y.grad()));
  Tensor g = vec({1, 1});
  Tensor z = leaf({1, 2});
  (z * 1.0).backward(g);
  Tensor u = leaf({1, 2});
  u.backward(g);
  EXPECT_FALSE(u.grad().shares_storage_with(g));
}

TEST(Backward, IntegersNeverRequireGradients) {
  EXPECT_THAT(
      error_of([] {
        tensor_from<int64_t>(std::vector<int64_t>{1}, std::vector<int64_t>{1}).requires_grad_();
      }),
      HasSubstr("only Tensors of floating point dtype can require gradients, not int64"));
  EXPECT_FALSE((leaf({1, 2}) > 1.5).requires_grad());
}

TEST(Backward, NoGradAndEnableGrad) {
  Tensor x = leaf({1, 2});
  {
    NoGrad off;
    EXPECT_FALSE(is_grad_enabled());
    EXPECT_FALSE((x * 2.0).requires_grad());
    EnableGrad on;
    EXPECT_TRUE((x * 2.0).requires_grad());
  }
  EXPECT_TRUE(is_grad_enabled());
  InferenceMode inference;
  EXPECT_FALSE((x * 2.0).requires_grad());
  EXPECT_TRUE(is_inference_mode());
}

TEST(Backward, Detach) {
  Tensor x = leaf({2, 3});
  Tensor d = op<"detach">(x * 2.0);
  EXPECT_FALSE(d.requires_grad());
  sum(x * d).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(4, 6));
}

TEST(Backward, Errors) {
  Tensor x = leaf({1, 2});
  EXPECT_THAT(error_of([&] { (x * 2.0).backward(); }),
              HasSubstr("[backward] grad can be implicitly created only for scalar outputs"));
  EXPECT_THAT(error_of([&] { sum(vec({1, 2})).backward(); }),
              HasSubstr("element 0 of tensors does not require grad and does not have a grad_fn"));
  EXPECT_THAT(
      error_of([&] { (x * 2.0).backward(vec({1, 2, 3})); }),
      HasSubstr("Mismatch in shape: grad_output[0] has a shape of [3] and output[0] has a shape "
                "of [2]."));
  EXPECT_THAT(error_of([&] { sum(vec({1, 2})).backward(); }), HasSubstr("at backward_test.cpp:"));
  EXPECT_THAT(error_of([&] { (x * 2.0).backward(op<"_to_copy">(vec({1, 2}), Arg(kInt64))); }),
              HasSubstr("For floating point outputs, grad_output[0] must be of floating point "
                        "dtype, not int64"));
  EXPECT_THAT(
      error_of([&] { Tensor().backward(); }),
      AnyOf(HasSubstr("the tensor is undefined"), HasSubstr("an undefined tensor was used")));
  EXPECT_THAT(error_of([&] {
                autograd::register_post_accumulate_grad_hook(Tensor(), [](const Tensor&) {});
              }),
              HasSubstr("[register_post_accumulate_grad_hook] the tensor is undefined"));
  EXPECT_THAT(error_of([&] { (x * 2.0).requires_grad_(false); }),
              HasSubstr("you can only change requires_grad flags of leaf variables."));
}

TEST(Backward, ASecondTime) {
  Tensor x = leaf({1, 2});
  Tensor y = sum(x * x);
  y.backward();
  std::string text = error_of([&] { y.backward(); });
  EXPECT_THAT(text, HasSubstr("Trying to backward through the graph a second time"));
  EXPECT_THAT(text, HasSubstr("retain_graph = true"));
  Tensor z = sum(x * x);
  x.set_grad({});
  z.backward({}, /*retain_graph=*/true);
  z.backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(4, 8));
  // Nothing saved, nothing freed.
  Tensor s = sum(x + 1.0);
  s.backward();
  s.backward();
}

TEST(Backward, GradGivesBackAndLeavesLeavesAlone) {
  Tensor x = leaf({1, 2}), y = leaf({3, 4});
  Tensor h = x * y;
  TensorList g = autograd::grad({sum(h * h)}, {x, h});
  EXPECT_THAT(values(g[0]), ElementsAre(18, 64));
  EXPECT_THAT(values(g[1]), ElementsAre(6, 16));
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(y.grad().defined());
}

TEST(Backward, GradOfWhatIsNotUsed) {
  Tensor x = leaf({1, 2}), y = leaf({3, 4});
  EXPECT_THAT(
      error_of([&] { autograd::grad({sum(x * 2.0)}, {y}); }),
      HasSubstr("One of the differentiated Tensors appears to not have been used in the graph"));
  TensorList g = autograd::grad({sum(x * 2.0)}, {x, y}, {}, false, false, /*allow_unused=*/true);
  EXPECT_TRUE(g[0].defined());
  EXPECT_FALSE(g[1].defined());
  EXPECT_THAT(error_of([&] { autograd::grad({sum(x * 2.0)}, {vec({1})}); }),
              HasSubstr("One of the differentiated Tensors does not require grad"));
}

TEST(Backward, OnlyTheAskedLeaves) {
  Tensor x = leaf({1, 2}), y = leaf({3, 4});
  autograd::backward({sum(x * y)}, {}, false, false, {y});
  EXPECT_FALSE(x.grad().defined());
  EXPECT_THAT(values(y.grad()), ElementsAre(1, 2));
  EXPECT_THAT(error_of([&] { autograd::backward({sum(x * y)}, {}, false, false, {x * 1.0}); }),
              HasSubstr("gradients accumulate in leaves only"));
}

TEST(Backward, ManyRoots) {
  Tensor x = leaf({1, 2});
  Tensor a = x * 2.0, b = a * 3.0;
  autograd::backward({a, b}, {vec({1, 1}), vec({1, 1})});
  EXPECT_THAT(values(x.grad()), ElementsAre(8, 8));
  EXPECT_THAT(error_of([&] { autograd::backward({a, b}, {vec({1, 1})}); }),
              HasSubstr("got 2 tensors and 1 gradients"));
}

TEST(Backward, DoubleBackward) {
  Tensor x = leaf({1, 2, 3});
  Tensor y = sum(x * x * x);
  Tensor g = autograd::grad({y}, {x}, {}, false, /*create_graph=*/true)[0];
  EXPECT_TRUE(g.requires_grad());
  EXPECT_THAT(values(g), ElementsAre(3, 12, 27));
  Tensor gg = autograd::grad({sum(g)}, {x}, {}, false, true)[0];
  EXPECT_THAT(values(gg), ElementsAre(6, 12, 18));
  sum(gg).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(6, 6, 6));
}

TEST(Backward, DoubleBackwardThroughASavedOutput) {
  Tensor x = leaf({0.5, 1});
  Tensor g = autograd::grad({sum(op<"exp">(x * 2.0))}, {x}, {}, false, true)[0];
  Tensor gg = autograd::grad({sum(g)}, {x})[0];
  EXPECT_NEAR(values(gg)[0], 4 * std::exp(1.0), 1e-12);
  EXPECT_NEAR(values(gg)[1], 4 * std::exp(2.0), 1e-12);
}

TEST(Backward, Hooks) {
  Tensor x = leaf({1, 2});
  Tensor h = x * 2.0;
  std::vector<double> seen;
  h.register_hook([&](const Tensor& g) {
    seen = values(g);
    return g * 10.0;
  });
  uint64_t handle = x.register_hook([](const Tensor& g) { return g + 1.0; });
  sum(h * 3.0).backward({}, true);
  EXPECT_THAT(seen, ElementsAre(3, 3));
  EXPECT_THAT(values(x.grad()), ElementsAre(61, 61));
  x.remove_hook(handle);
  x.set_grad({});
  sum(h * 3.0).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(60, 60));
  EXPECT_THAT(error_of([] { vec({1}).register_hook([](const Tensor& g) { return g; }); }),
              HasSubstr("cannot register a hook on a tensor that doesn't require gradient"));
}

TEST(Backward, HooksAfterAccumulation) {
  Tensor x = leaf({1, 2});
  int calls = 0;
  autograd::register_post_accumulate_grad_hook(x, [&](const Tensor& leaf) {
    ++calls;
    EXPECT_THAT(values(leaf.grad()), ElementsAre(2, 2));
    leaf.set_grad({});
  });
  sum(x + x).backward();
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(x.grad().defined());
  EXPECT_THAT(error_of([&] {
                autograd::register_post_accumulate_grad_hook(x * 2.0, [](const Tensor&) {});
              }),
              HasSubstr("post accumulate grad hooks cannot be registered on non-leaf tensors"));
}

TEST(Backward, RetainGrad) {
  Tensor x = leaf({1, 2});
  Tensor h = x * 2.0;
  h.retain_grad();
  sum(h * h).backward();
  EXPECT_THAT(values(h.grad()), ElementsAre(4, 8));
  EXPECT_THAT(error_of([] { vec({1}).retain_grad(); }),
              HasSubstr("can't retain_grad on Tensor that has requires_grad=False"));
}

TEST(Backward, SetGradErrors) {
  Tensor x = leaf({1, 2});
  EXPECT_THAT(error_of([&] { x.set_grad(vec({1, 2, 3})); }),
              HasSubstr("assigned grad has data of a different size"));
  EXPECT_THAT(error_of([&] {
                x.set_grad(tensor_from<float>(std::vector<float>{1, 2}, std::vector<int64_t>{2}));
              }),
              HasSubstr("assigned grad has data of a different type"));
  EXPECT_THAT(error_of([&] { x.set_grad(x); }), HasSubstr("can't assign Variable as its own grad"));
}

TEST(Backward, LongTapesAreFreedWithoutRecursion) {
  Tensor x = leaf({1});
  {
    Tensor y = x;
    for (int i = 0; i < 200000; ++i) y = y * x;
  }
  Tensor y = x;
  for (int i = 0; i < 50000; ++i) y = y + 1.0;
  y.backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(1));
}

TEST(Backward, ThreadsThatShareALeaf) {
  Tensor x = leaf({1, 2, 3});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) sum(x * 1.0).backward();
    });
  for (std::thread& t : threads) t.join();
  EXPECT_THAT(values(x.grad()), ElementsAre(200, 200, 200));
}

TEST(Backward, GradientsHaveTheLeafsLayout) {
  Tensor x = make({1, 2, 3, 4, 5, 6}, {2, 3});
  Tensor w = op<"detach">(op<"t">(x)).requires_grad_();  // 3 x 2, strides 1 and 3
  sum(w * w).backward();
  EXPECT_EQ(w.grad().impl()->strides, (Dims{1, 3}));
  EXPECT_THAT(values(w.grad()), ElementsAre(2, 8, 4, 10, 6, 12));
  Tensor e = leaf({1, 2});
  sum(e).backward();  // arrives expanded
  EXPECT_EQ(e.grad().impl()->strides, (Dims{1}));
}

TEST(Backward, ALeafsNodeIsTheSameInTheNextPass) {
  Tensor x = leaf({1, 2});
  const eager::TapeNode* first = eager::gradient_edge(x).node.get();
  for (int i = 1; i < 4; ++i) {
    sum(x * 2.0).backward();
    EXPECT_THAT(values(x.grad()), ElementsAre(2 * i, 2 * i));
    EXPECT_EQ(eager::gradient_edge(x).node.get(), first);
  }
  // Other sizes, which its gradient then has.
  x.set_grad({});
  eager::set_data(x, vec({1, 2, 3}), "data");
  sum(x * 3.0).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(3, 3, 3));
  // A node that is held is the leaf's, and outlives nothing else.
  Ptr<eager::TapeNode> held = eager::gradient_edge(x).node;
  EXPECT_TRUE(held->leaf().is_same(x));
  WeakPtr<TensorImpl> weak(x.ptr());
  x = {};
  EXPECT_FALSE(weak.expired());
  held = nullptr;
  EXPECT_TRUE(weak.expired());
}

TEST(Backward, ThreadsMakeAndDropALeafsNode) {
  Tensor x = leaf({1, 2});
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        eager::Edge e = eager::gradient_edge(x);
        if (!e.node->leaf().is_same(x) || e.node->outputs.size() != 1) ++wrong;
        e = {};
        autograd::grad({sum(x * 2.0)}, {x});
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Backward, LeavesAreFreed) {
  WeakPtr<TensorImpl> x;
  {
    Tensor t = leaf({1, 2});
    x = WeakPtr<TensorImpl>(t.ptr());
    t.register_hook([](const Tensor& g) { return g; });
    sum(t * t).backward();
  }
  EXPECT_TRUE(x.expired());
}

TEST(Backward, MadeSince) {
  Tensor x = leaf({1, 2});
  Tensor old = x * 2.0;
  uint64_t mark = eager::latest_sequence();
  EXPECT_TRUE(eager::made_since(sum(x * 3.0), mark));
  EXPECT_FALSE(eager::made_since(sum(old * 3.0), mark));
}

}  // namespace
}  // namespace frit
