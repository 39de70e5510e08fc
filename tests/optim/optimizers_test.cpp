// The optimisers against PyTorch's results, and what they say about misuse.
#include <frit/autograd.h>
#include <frit/ops.h>
#include <frit/optim.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "error_of.h"

namespace frit::optim {
namespace {

using test::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor leaf(std::vector<double> values, std::vector<int64_t> sizes, DType dtype = kFloat64) {
  return tensor_from<double>(std::span<const double>(values), sizes).to(dtype).requires_grad_();
}

// The parameters and gradients that reference.py describes.
struct Problem {
  explicit Problem(DType dtype = kFloat64)
      : params{leaf({0.5, -1, 2}, {3}, dtype), leaf({0.1, -0.2, 0.3, 0.4}, {2, 2}, dtype)} {}
  void set_gradients(int k) {
    int i = 0;
    for (const Tensor& p : params) {
      std::vector<double> constant;
      for (int64_t n = p.impl()->numel(); n > 0; --n)
        constant.push_back(0.25 * ((i++ + 2 * k) % 5 - 2));
      std::vector<int64_t> sizes(p.impl()->sizes.begin(), p.impl()->sizes.end());
      Tensor c = tensor_from<double>(std::span<const double>(constant), sizes).to(p.dtype());
      p.set_grad(p.detach() * 0.5 + c);
    }
  }
  std::vector<double> values() const {
    std::vector<double> all;
    for (const Tensor& p : params)
      for (double v : p.detach().to(kFloat64).to_vector<double>()) all.push_back(v);
    return all;
  }
  TensorList params;
};

std::vector<double> ten_steps(Optimizer& optimizer, Problem& problem, double lr) {
  for (int k = 0; k < 10; ++k) {
    if (k == 5) optimizer.set_lr(lr * 0.1);
    problem.set_gradients(k);
    optimizer.step();
  }
  EXPECT_EQ(optimizer.step_count(), 10);
  return problem.values();
}

void expect_near(const std::vector<double>& got, const std::vector<double>& wanted,
                 double tolerance, const char* what) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], wanted[i], tolerance) << what << ", element " << i;
}

TEST(Optimizers, AsPyTorch) {
#define STRIP(...) __VA_ARGS__
#define REFERENCE(Kind, options, expected)                                                \
  {                                                                                       \
    Kind##Options given STRIP options;                                                    \
    std::vector<double> wanted STRIP expected;                                            \
    Problem exact, single(kFloat32);                                                      \
    Kind a(exact.params, given), b(single.params, given);                                 \
    expect_near(ten_steps(a, exact, given.lr), wanted, 1e-13, #Kind #options);            \
    expect_near(ten_steps(b, single, given.lr), wanted, 2e-6, "float32 " #Kind #options); \
  }
#include "reference.inc"
#undef REFERENCE
#undef STRIP
}

TEST(Optimizers, StateIsMadeInTheConstructorAndStays) {
  Problem problem;
  AdamW adam(problem.params);
  auto before = adam.state_dict();
  ASSERT_EQ(before.size(), 6u);
  EXPECT_EQ(before[0].first, "0.step");
  EXPECT_EQ(before[1].first, "0.lr");
  EXPECT_EQ(before[2].first, "0.exp_avg.0");
  EXPECT_EQ(before[5].first, "0.exp_avg_sq.1");
  problem.set_gradients(0);
  std::vector<Tensor> params = problem.params;
  adam.step();
  auto after = adam.state_dict();
  for (size_t i = 0; i < before.size(); ++i)
    EXPECT_TRUE(before[i].second.is_same(after[i].second)) << before[i].first;
  EXPECT_EQ(adam.step_count(), 1);
  EXPECT_EQ(adam.lr().dtype(), kFloat64);
  EXPECT_EQ(adam.lr().dim(), 0);
}

TEST(Optimizers, ParametersWithoutGradientsStay) {
  Problem problem;
  SGD sgd(problem.params, {.lr = 1, .momentum = 0.5});
  problem.set_gradients(0);
  problem.params[1].set_grad({});
  auto before = problem.params[1].to_vector<double>();
  sgd.step();
  EXPECT_EQ(problem.params[1].to_vector<double>(), before);
  EXPECT_NE(problem.params[0].to_vector<double>()[0], 0.5);
  sgd.zero_grad();
  EXPECT_FALSE(problem.params[0].grad().defined());
}

TEST(Optimizers, StepsLeaveNoTape) {
  Problem problem;
  Adam adam(problem.params);
  problem.set_gradients(0);
  adam.step();
  EXPECT_TRUE(problem.params[0].is_leaf());
  EXPECT_TRUE(problem.params[0].requires_grad());
  for (auto& [name, t] : adam.state_dict()) EXPECT_FALSE(t.requires_grad()) << name;
}

TEST(Optimizers, GroupsHaveTheirOwnLearningRate) {
  Problem problem;
  SGD sgd({problem.params[0]}, {.lr = 1});
  sgd.add_group({problem.params[1]}, 0);
  EXPECT_EQ(sgd.group_count(), 2u);
  auto before = problem.params[1].to_vector<double>();
  problem.set_gradients(1);
  auto gradient = problem.params[1].grad().to_vector<double>();
  sgd.step();
  EXPECT_EQ(problem.params[1].to_vector<double>(), before);
  sgd.set_lr(0.5, 1);
  sgd.set_lr(0, 0);
  sgd.step();
  for (size_t i = 0; i < 4; ++i)
    EXPECT_DOUBLE_EQ(problem.params[1].to_vector<double>()[i], before[i] - 0.5 * gradient[i]);
  // A schedule may also write to the tensor.
  sgd.lr(1).fill_(0.25);
  EXPECT_EQ(sgd.lr(1).item<double>(), 0.25);
}

TEST(Optimizers, StateComesBack) {
  Problem one, two;
  AdamW a(one.params, {.lr = 0.05}), b(two.params, {.lr = 0.7});
  for (int k = 0; k < 3; ++k) one.set_gradients(k), a.step();
  {
    NoGrad guard;
    for (size_t i = 0; i < 2; ++i) two.params[i].copy_(one.params[i]);
  }
  b.load_state_dict(a.state_dict());
  EXPECT_EQ(b.step_count(), 3);
  EXPECT_EQ(b.lr().item<double>(), 0.05);
  for (int k = 3; k < 6; ++k) {
    one.set_gradients(k), a.step();
    two.set_gradients(k), b.step();
  }
  EXPECT_EQ(one.values(), two.values());
}

TEST(Optimizers, AStateThatDoesNotFitChangesNothing) {
  Problem problem;
  SGD sgd(problem.params, {.momentum = 0.9});
  auto state = sgd.state_dict();
  state[0].second = leaf({7}, {}).detach();  // step
  state[2].second = leaf({1, 2}, {2}).detach();
  state[3].second = Tensor();
  state.emplace_back("0.exp_avg.0", leaf({1}, {1}));
  state.emplace_back("0.lr", leaf({1}, {}));
  state.erase(state.begin() + 1);
  std::string text = error_of([&] { sgd.load_state_dict(state); });
  EXPECT_THAT(text, HasSubstr("[load_state_dict] the state does not fit this optimizer:"));
  EXPECT_THAT(text, HasSubstr("\n    undefined: 0.momentum_buffer.1"));
  EXPECT_THAT(text, HasSubstr("\n    unexpected: 0.exp_avg.0"));
  EXPECT_THAT(text, HasSubstr("\n    0.momentum_buffer.0 is [2] in the state and [3] here"));
  EXPECT_EQ(sgd.step_count(), 0);
  EXPECT_THAT(error_of([&] { sgd.load_state_dict({}); }),
              HasSubstr("\n    missing: 0.step\n    missing: 0.lr"));
  state.push_back(state[0]);
  EXPECT_THAT(error_of([&] { sgd.load_state_dict(state); }), HasSubstr("\n    twice: 0.step"));
}

TEST(Optimizers, MisuseIsSaid) {
  Problem problem;
  auto& p = problem.params;
  EXPECT_THAT(error_of([&] { SGD sgd({}); }),
              HasSubstr("[SGD] optimizer got an empty parameter list"));
  EXPECT_THAT(error_of([&] { SGD sgd(p, {.lr = -1}); }), HasSubstr("Invalid learning rate: -1"));
  EXPECT_THAT(error_of([&] { SGD sgd(p, {.momentum = -1}); }),
              HasSubstr("Invalid momentum value: -1"));
  EXPECT_THAT(error_of([&] { SGD sgd(p, {.weight_decay = -1}); }),
              HasSubstr("Invalid weight_decay value: -1"));
  EXPECT_THAT(error_of([&] { SGD sgd(p, {.nesterov = true}); }),
              HasSubstr("Nesterov momentum requires a momentum"));
  EXPECT_THAT(error_of([&] { Adam adam(p, {.beta1 = 1}); }),
              HasSubstr("[Adam] Invalid beta parameter at index 0: 1"));
  EXPECT_THAT(error_of([&] { AdamW adam(p, {.beta2 = -0.5}); }),
              HasSubstr("[AdamW] Invalid beta parameter at index 1: -0.5"));
  EXPECT_THAT(error_of([&] { Adam adam(p, {.eps = -1}); }), HasSubstr("Invalid epsilon value: -1"));
  EXPECT_THAT(error_of([&] { Adam adam(p, {.weight_decay = -1}); }),
              HasSubstr("Invalid weight_decay value: -1"));
  EXPECT_THAT(error_of([&] { SGD sgd({p[0], p[0]}); }),
              HasSubstr("parameter 1 is there more than once"));
  EXPECT_THAT(error_of([&] { SGD sgd({p[0] * 2.0}); }),
              HasSubstr("can't optimize a non-leaf Tensor (parameter 0)"));
  EXPECT_THAT(error_of([&] { SGD sgd({Tensor()}); }),
              HasSubstr("can't optimize a non-leaf Tensor (parameter 0)"));
  EXPECT_THAT(error_of([&] { SGD sgd({p[0].detach().to(kInt64)}); }),
              HasSubstr("can't optimize a Tensor of dtype int64"));
  SGD sgd(p);
  EXPECT_THAT(error_of([&] { sgd.add_group({p[1]}, 0.1); }),
              HasSubstr("parameter 0 is there more than once"));
  EXPECT_THAT(error_of([&] { sgd.set_lr(-1); }), HasSubstr("Invalid learning rate"));
  EXPECT_THAT(error_of([&] { sgd.lr(3); }), HasSubstr("[SGD] there is no group 3"));
}

TEST(ClipGradNorm, ScalesTogether) {
  Problem problem;
  problem.params[0].set_grad(leaf({3, 0, 0}, {3}).detach());
  problem.params[1].set_grad(leaf({0, 4, 0, 0}, {2, 2}).detach());
  EXPECT_DOUBLE_EQ(clip_grad_norm_(problem.params, 1).item<double>(), 5);
  // torch 2.13: 3 * (1 / (5 + 1e-6))
  EXPECT_NEAR(problem.params[0].grad().to_vector<double>()[0], 0.59999988000002395, 1e-15);
  EXPECT_NEAR(problem.params[1].grad().to_vector<double>()[1], 0.79999984000003204, 1e-15);
  EXPECT_NEAR(clip_grad_norm_(problem.params, 10).item<double>(), 0.9999998, 1e-12);
  EXPECT_NEAR(problem.params[0].grad().to_vector<double>()[0], 0.59999988000002395, 1e-15);
  EXPECT_EQ(clip_grad_norm_({leaf({1}, {1})}, 1).item<double>(), 0);
}

TEST(Optimizers, MisuseIsSaidWithItsPlace) {
  Tensor leaf = frit::ones({2}).requires_grad_();
  const TensorList params{leaf * 2};
  const std::string place = "\n  at optimizers_test.cpp:";
  auto error = [](auto&& fn) {
    try {
      fn();
    } catch (const UserError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  uint32_t line = __LINE__ + 1;
  std::string text = error([&] { optim::SGD sgd(params, {.lr = 0.1}); });
  EXPECT_NE(text.find(place + std::to_string(line)), std::string::npos) << text;
  line = __LINE__ + 1;
  text = error([&] { optim::Adam adam(params); });
  EXPECT_NE(text.find(place + std::to_string(line)), std::string::npos) << text;
  line = __LINE__ + 1;
  text = error([&] { optim::AdamW adamw(params); });
  EXPECT_NE(text.find(place + std::to_string(line)), std::string::npos) << text;
  optim::SGD sgd({leaf}, {.lr = 0.1});
  auto said = [&](uint32_t at, auto&& fn) {
    const std::string e = error(fn);
    EXPECT_NE(e.find(place + std::to_string(at)), std::string::npos) << e;
  };
  said(__LINE__, [&] { sgd.lr(3); });
  said(__LINE__, [&] { sgd.set_lr(-1); });
  said(__LINE__, [&] { sgd.load_state_dict({{"0.step", leaf}}); });
  said(__LINE__, [&] { optim::clip_grad_norm_({leaf}, 1, -1); });
  said(__LINE__, [&] { optim::clip_grad_value_({leaf}, -1); });
  said(__LINE__, [&] { optim::StepLR schedule(sgd, 0); });
  said(__LINE__, [&] { optim::LinearLR schedule(sgd, 2); });
  said(__LINE__, [&] { optim::CosineAnnealingLR schedule(sgd, 0); });
  optim::StepLR schedule(sgd, 2);
  said(__LINE__, [&] { schedule.load_state_dict({{"x", leaf}}); });
  sgd.add_group({frit::ones({2}).requires_grad_()}, 0.1);
  said(__LINE__, [&] { schedule.step(); });
}

}  // namespace
}  // namespace frit::optim
