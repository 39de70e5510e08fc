// FRIT_CHECK=replay: what it lets pass and what it names.
#include <frit/compile.h>
#include <frit/nn.h>
#include <frit/ops.h>
#include <frit/optim.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/error.h"
#include "compile/callable.h"

namespace frit {
namespace {

class ReplayCheck : public testing::Test {
 protected:
  void SetUp() override { setenv("FRIT_CHECK", "replay,verify", 1); }
  void TearDown() override { unsetenv("FRIT_CHECK"); }
  std::string message_of(const std::function<void()>& f) {
    try {
      f();
    } catch (const UserError& e) {
      return e.what();
    }
    return "nothing was raised";
  }
};

TEST_F(ReplayCheck, PassesWhatIsTheSame) {
  manual_seed(1);
  nn::Linear net(4, 3);
  optim::SGD sgd(net.parameters(), {.lr = 0.1, .momentum = 0.9});
  auto step = compile(net, [&](Tensor x, Tensor y) {
    sgd.zero_grad();
    Tensor loss = frit::cross_entropy(frit::dropout(net(x), 0.2, true), y);
    loss.backward();
    sgd.step();
    return loss.detach();
  });
  float first = 0, last = 0;
  for (int i = 0; i < 30; ++i) {
    manual_seed(7);
    Tensor x = frit::randn({Int(6), Int(4)}), y = frit::randint(3, {Int(6)});
    last = step(x, y).item<float>();
    if (i == 0) first = last;
  }
  EXPECT_LT(last, first);
  EXPECT_EQ(sgd.step_count(), 30);  // one step a call, though each runs twice
}

TEST_F(ReplayCheck, WritesAndConditions) {
  auto f = compile([](Tensor x) {
    x.add_(1);
    if (x.sum() > 0) return x * 2;
    return x.neg();
  });
  Tensor x = frit::zeros({3});
  for (int i = 1; i < 5; ++i) {
    f(x);
    EXPECT_EQ(x.to_vector<float>(), (frit::ones({3}) * i).to_vector<float>());
  }
}

TEST_F(ReplayCheck, NamesAnAssignedVariable) {
  auto w = std::make_shared<Tensor>(frit::full({4}, 2.0));
  Tensor old = *w;
  auto f = compile([w](Tensor x) { return x * *w; });
  Tensor x = frit::ones({4});
  f(x);
  f(x);
  *w = frit::full({4}, 3.0);
  std::string text = message_of([&] { f(x); });
  EXPECT_NE(text.find("is another tensor than at the first call: the variable the callable "
                      "captured was assigned"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("try: pass it as an argument, or write into the tensor"), std::string::npos)
      << text;
}

TEST_F(ReplayCheck, NamesAConstantThatChanged) {
  double scale = 2;
  auto f = compile([&scale](Tensor x) { return x * scale; });
  Tensor x = frit::ones({4});
  f(x);
  scale = 3;
  std::string text = message_of([&] { f(x); });
  EXPECT_NE(text.find("graph 0 has `%0: f32[s0] = mul.Scalar(arg0, 2.0)` where the callable now "
                      "does `%0: f32[s0] = mul.Scalar(arg0, 3.0)`"),
            std::string::npos)
      << text;
}

TEST_F(ReplayCheck, NamesWhatCannotBeCapturedAnyMore) {
  bool printing = false;
  auto f = compile([&printing](Tensor x) {
    Tensor y = x * 2;
    if (printing) (void)y.str();
    return y;
  });
  Tensor x = frit::ones({4});
  f(x);
  printing = true;
  std::string text = message_of([&] { f(x); });
  EXPECT_NE(text.find("[compile] FRIT_CHECK=replay: "), std::string::npos) << text;
  EXPECT_NE(text.find("run again it cannot be captured: a tensor's values are read on the host"),
            std::string::npos)
      << text;
}

TEST_F(ReplayCheck, NamesAnotherNumberOfGraphs) {
  bool reading = true;
  auto f = compile([&reading](Tensor x) {
    Tensor y = x.sum();
    if (reading)
      (void)y.item<float>();
    else
      host_call([] {});
    return x + 1;
  });
  Tensor x = frit::ones({4});
  f(x);
  reading = false;
  std::string text = message_of([&] { f(x); });
  EXPECT_NE(text.find("it ran 2 graphs, now it records 1"), std::string::npos) << text;
}

TEST_F(ReplayCheck, NamesAnOtherOp) {
  bool sine = true;
  auto f = compile([&sine](Tensor x) { return sine ? x.sin() : x.cos(); });
  Tensor x = frit::ones({4});
  f(x);
  sine = false;
  std::string text = message_of([&] { f(x); });
  EXPECT_NE(
      text.find(
          "has `%0: f32[s0] = sin(arg0)` where the callable now does `%0: f32[s0] = cos(arg0)`"),
      std::string::npos)
      << text;
}

TEST_F(ReplayCheck, GraphsOfSeveralRecordings) {
  Tensor state = frit::ones({2});
  auto f = compile([state](Tensor x) {
    state.add_(1);
    Tensor z = x * 2;
    z = bool(z.sum() > 0) ? z + 1 : z - 1;
    state.mul_(2);
    return z * state;
  });
  for (int i = 0; i < 6; ++i) f(frit::full({2}, i % 2 ? 1.0 : -1.0));
  EXPECT_EQ(state[0].item<float>(), 190.f);
  EXPECT_EQ(state.version(), 12u);
}

// What a later call taught of storages that lie in one another is no part of earlier graphs.
TEST_F(ReplayCheck, ArgumentsThatShareMemoryLater) {
  auto f = compile([](Tensor x, Tensor y) {
    x.add_(1);
    return x * y;
  });
  Tensor a = frit::ones({4}), b = frit::ones({4});
  for (int i = 0; i < 3; ++i) {
    f(a, b);
    f(a, a.slice(0, 0, 4));
    f(a.slice(0, 0, 3), a.slice(0, 1, 4));
    f(a, b);
  }
}

}  // namespace
}  // namespace frit
