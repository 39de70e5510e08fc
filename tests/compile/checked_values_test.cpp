// What binary_cross_entropy asks of values is asked by compiled calls too, in eager's words, and
// nothing has been stored by then.
#include <frit/autograd.h>
#include <frit/ops.h>
#include <gtest/gtest.h>

#include "common.h"
#include "compile/callable.h"
#include "core/layout.h"
#include "error_of.h"

namespace frit {
namespace {

Tensor of(std::vector<float> v) {
  const auto n = static_cast<int64_t>(v.size());
  return tensor_from<float>(std::span<const float>(v), std::span<const int64_t>(&n, 1));
}

TEST(CheckedValues, BinaryCrossEntropyRaisesInEveryCall) {
  for (Backend backend :
       {Backend::eager, Backend::aot_eager, Backend::aot_eager_decomp, Backend::frit})
    for (bool grad : {false, true})
      for (int reduction : {0, 1, 2}) {
        CompileOptions o;
        o.backend = backend;
        auto fn = [&](Tensor x, Tensor t, Tensor seen) {
          seen.add_(1);
          return frit::binary_cross_entropy(x, t, {}, reduction) * 2;
        };
        auto f = compile(fn, o);
        const std::vector<std::pair<std::vector<float>, std::vector<float>>> calls = {
            {{0, 1, 0.25f}, {0, 1, 1}},        {{0.5f, 1, 0.25f, 0}, {0, 1, 1, 0.5f}},
            {{0, 1.5f, 0.25f}, {0, 1, 1}},     {{0, NAN, 0.25f}, {0, 1, 1}},
            {{0.5f, 0.5f, 0}, {0, -1, 1}},     {{0.5f, 2, 0}, {0, 3, 1}},
            {{0.25f, 0.5f, 0.125f}, {1, 0, 1}}};
        int eager_seen = 0;
        Tensor seen = frit::zeros({2}), beside = frit::zeros({2});
        for (auto& [x, t] : calls) {
          Tensor a = of(x).requires_grad_(grad), b = of(x).requires_grad_(grad), y, e;
          const std::string text = test::error_of([&] { e = fn(b, of(t), beside); });
          EXPECT_EQ(test::error_of([&] { y = f(a, of(t), seen); }), text);
          EXPECT_EQ(text == "no error", e.defined());
          EXPECT_EQ(seen.to_vector<float>(), beside.to_vector<float>());
          eager_seen += !e.defined();
          if (!e.defined() || !y.defined()) continue;
          EXPECT_LT((y - e).abs().max().item<float>(), 1e-5f);
          if (!grad) continue;
          y.sum().backward();
          e.sum().backward();
          EXPECT_LT((a.grad() - b.grad()).abs().max().item<float>(), 1e-5f);
        }
        EXPECT_EQ(eager_seen, 4);
        EXPECT_TRUE(f.callable()->breaks().empty());
      }
}

TEST(CheckedValues, TheWords) {
  const std::string at = "\n  at checked_values_test.cpp:61 in lambda\n  try: one is ";
  auto text = [&](std::vector<float> x, std::vector<float> t) {
    return test::error_of([&] { frit::binary_cross_entropy(of(x), of(t)); });
  };
  EXPECT_EQ(text({1.5f}, {1}),
            "[binary_cross_entropy] all elements of input should be between 0 and 1" + at +
                "1.5: sigmoid() first, or binary_cross_entropy_with_logits()");
  EXPECT_EQ(text({0.5f}, {-2}),
            "[binary_cross_entropy] all elements of target should be between 0 and 1" + at +
                "-2: probabilities, or truth values as floats");
  EXPECT_EQ(text({}, {}), "no error");
}

}  // namespace
}  // namespace frit
