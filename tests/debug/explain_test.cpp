#include <frit/autograd.h>
#include <frit/debug.h>
#include <frit/nn.h>
#include <frit/ops.h>
#include <frit/optim.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace frit::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor make(std::vector<double> values, std::vector<int64_t> sizes) {
  return tensor_from<double>(std::span<const double>(values), sizes);
}

TEST(Explain, BeforeAnyCall) {
  auto f = compile([](Tensor x) { return relu(x); });
  Explanation e = explain(f);
  EXPECT_EQ(e.calls, 0u);
  EXPECT_TRUE(e.entries.empty());
  EXPECT_EQ(e.kernel_count(), 0);
  EXPECT_THAT(e.str(), HasSubstr("graph breaks: 0"));
}

TEST(Explain, OneGraphServesEveryCall) {
  auto f = compile([](Tensor x, Tensor y) { return relu(x * y + 1); });
  Tensor x = make({1, -2, 3}, {3}), y = make({-1, -1, 2}, {3});
  for (int i = 0; i < 4; ++i) EXPECT_THAT(f(x, y).to_vector<double>(), ElementsAre(0, 3, 7));
  Explanation e = explain(f);
  EXPECT_EQ(e.calls, 4u);
  ASSERT_EQ(e.entries.size(), 1u);
  EXPECT_EQ(e.entries[0].runs, 3u);
  EXPECT_EQ(e.entries[0].ends, "returns");
  EXPECT_TRUE(e.breaks.empty());
  EXPECT_TRUE(e.recompiles.empty());
  ASSERT_EQ(e.kernel_count(), 1);
  EXPECT_EQ(e.entries[0].kernels[0].stage, "forward");
  EXPECT_EQ(e.entries[0].kernels[0].kind, "generated");
  std::string text = e.str();
  EXPECT_THAT(text, HasSubstr("1 forward, 0 backward, 0 optimizer"));
  EXPECT_THAT(text, HasSubstr("explain_test.cpp:"));
}

TEST(Explain, AValueThatIsReadCutsTheGraph) {
  auto f = compile([](Tensor x) { return x.sum().item<double>() > 0 ? x + 1 : x - 1; });
  for (int i = 0; i < 3; ++i)
    EXPECT_THAT(f(make({1, 2}, {2})).to_vector<double>(), ElementsAre(2, 3));
  Explanation e = explain(f);
  ASSERT_GE(e.entries.size(), 2u);
  EXPECT_THAT(e.entries[0].ends, HasSubstr("a value is read at explain_test.cpp:"));
}

struct Net : nn::Module {
  nn::Linear up{*this, "up", 3, 8}, down{*this, "down", 8, 1};
  Net() { to(kFloat64); }
  Tensor forward(Tensor x) { return down(relu(up(x)).square()); }
};

struct Training {
  Net net;
  optim::AdamW adam{net.parameters(), {.lr = 0.01, .weight_decay = 0.1}};
  Tensor step(const Tensor& x, const Tensor& y) {
    adam.zero_grad();
    Tensor loss = (net.forward(x) - y).square().mean();
    loss.backward();
    adam.step();
    return loss.detach();
  }
};

// The step count and the learning rate are tensors, so the first step's graph serves all.
TEST(Training, AThousandStepsWithAScheduleAreOneEntry) {
  Training eager, compiled;
  compiled.net.load_state_dict(eager.net.state_dict());
  auto step = compile(compiled.net, [&](Tensor x, Tensor y) { return compiled.step(x, y); });
  std::vector<double> values, targets;
  for (int i = 0; i < 24; ++i)
    values.push_back(std::sin(1.7 * i)), targets.push_back(std::cos(0.9 * i));
  targets.resize(8);
  Tensor x = make(values, {8, 3}), y = make(targets, {8, 1});
  for (int i = 0; i < 1000; ++i) {
    const double lr = 0.005 * (1 + std::cos(i * 3.14159 / 1000));
    eager.adam.set_lr(lr);
    compiled.adam.set_lr(lr);
    const double a = eager.step(x, y).item<double>(), b = step(x, y).item<double>();
    ASSERT_NEAR(a, b, 1e-10 * std::abs(a)) << "step " << i;
  }
  EXPECT_EQ(compiled.adam.step_count(), 1000);
  Explanation e = explain(step);
  EXPECT_EQ(e.entries.size(), 1u);
  EXPECT_EQ(e.entries[0].runs, 999u);
  EXPECT_TRUE(e.breaks.empty()) << e.str();
  EXPECT_TRUE(e.recompiles.empty()) << e.str();
  EXPECT_GT(e.kernel_count("backward"), 0);
  EXPECT_GT(e.kernel_count("optimizer"), 0);
}

}  // namespace
}  // namespace frit::test
