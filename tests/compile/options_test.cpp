// What CompileOptions may say, and the words for what they may not; compile() itself raises.
#include <frit/autograd.h>
#include <frit/nn.h>
#include <frit/ops.h>
#include <gtest/gtest.h>

#include "compile/callable.h"
#include "error_of.h"
#include "passes/pass.h"

namespace frit {
namespace {

std::string error_with(CompileOptions o) {
  return test::error_of([&] { compile([](Tensor x) { return x * 2; }, std::move(o)); });
}
std::string text(const std::string& what, uint32_t line, const std::string& hint) {
  return "[compile] " + what + "\n  at options_test.cpp:" + std::to_string(line) +
         " in lambda\n  try: " + hint;
}

TEST(Options, EachIsChecked) {
  const uint32_t line = 15;
  for (int limit : {0, -3}) {
    CompileOptions o;
    o.recompile_limit = limit;
    EXPECT_EQ(error_with(o),
              text("recompile_limit = " + std::to_string(limit) + ", expected 1 or more", line,
                   "FRIT_DISABLE_COMPILE=1 to compile nothing"));
  }
  {
    CompileOptions o;
    o.disabled_passes = {"dead_code", "nosuch"};
    EXPECT_EQ(error_with(o), text("disabled_passes has \"nosuch\", expected names of passes", line,
                                  "decompose_for_grad, dead_code, decompose, simplify, "
                                  "fold_constants, common_subexpressions"));
  }
  {
    CompileOptions o;
    o.ops_per_graph = -1;
    EXPECT_EQ(error_with(o), text("ops_per_graph = -1, expected 0 or more", line,
                                  "1 for a graph an op, 0 for graphs as long as can be"));
    o.ops_per_graph = 4;
    o.fullgraph = true;
    EXPECT_EQ(error_with(o), text("fullgraph = true and ops_per_graph = 4, expected one of them",
                                  line, "ops_per_graph = 0"));
  }
  {
    CompileOptions o;
    o.dynamic = static_cast<Dynamic>(2);
    EXPECT_EQ(error_with(o), text("dynamic = 2, expected one of Dynamic::automatic, off", line,
                                  "one of these names"));
  }
  {
    CompileOptions o;
    o.mode = static_cast<Mode>(7);
    EXPECT_EQ(error_with(o), text("mode = 7, expected one of Mode::normal, max_autotune", line,
                                  "one of these names"));
  }
  {
    CompileOptions o;
    o.backend = static_cast<Backend>(9);
    EXPECT_EQ(error_with(o), text("backend = 9, expected one of Backend::eager, aot_eager, "
                                  "aot_eager_decomp, frit",
                                  line, "one of these names"));
  }
}

// Every pass that may be left out is left out, alone and with all the others, and values stay.
TEST(Options, PassesThatAreLeftOutChangeNoValue) {
  auto fn = [](Tensor x, Tensor w) {
    Tensor y = frit::layer_norm(x.matmul(w), {3}).t().t().contiguous() + frit::full({3}, 2) * 3;
    return (y.softmax(1) * y.softmax(1)).sum() +
           frit::cross_entropy(y, frit::zeros({y.size(0)}, kInt64));
  };
  std::vector<std::vector<std::string>> choices(1);
  for (auto list : {passes::before_grad(), passes::before_lowering()})
    for (const passes::Pass& p : list) {
      choices.push_back({p.name});
      choices.front().push_back(p.name);
    }
  for (auto& disabled : choices) {
    CompileOptions o;
    o.disabled_passes = disabled;
    auto f = compile(fn, o);
    for (int64_t n : {3, 3, 4}) {
      Tensor x = frit::rand({n, 3}).requires_grad_(), w = frit::rand({3, 3}).requires_grad_();
      Tensor y = f(x, w), e = fn(x, w);
      EXPECT_LT((y - e).abs().max().item<float>(), 1e-5) << disabled.front();
      Tensor g = autograd::grad({y}, {w})[0], h = autograd::grad({e}, {w})[0];
      EXPECT_LT((g - h).abs().max().item<float>(), 1e-5) << disabled.front();
    }
    for (auto& b : f.callable()->breaks()) ADD_FAILURE() << disabled.front() << " " << b.stop.text;
    EXPECT_EQ(f.callable()->eager_calls(), 0u) << disabled.front();
  }
}

}  // namespace
}  // namespace frit
