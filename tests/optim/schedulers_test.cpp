// Learning rates against PyTorch's (torch 2.13: SGD with groups of 0.5 and 0.2, 14 steps), and
// clipping of gradients.
#include <frit/autograd.h>
#include <frit/ops.h>
#include <frit/optim.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "error_of.h"

namespace frit::optim {
namespace {

using test::error_of;
using ::testing::HasSubstr;

struct Two {
  Two() : sgd({zeros({1}).requires_grad_()}, {.lr = 0.5}) {
    sgd.add_group({zeros({1}).requires_grad_()}, 0.2);
  }
  SGD sgd;
};

void expect_rates(Two& two, LRScheduler& schedule, std::vector<double> expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(schedule.last_lr()[0], expected[i], 1e-15) << "step " << i;
    EXPECT_EQ(schedule.step_count(), static_cast<int64_t>(i));
    two.sgd.step();
    schedule.step();
  }
}

TEST(Schedulers, StepLR) {
  Two two;
  StepLR s(two.sgd, 4, 0.3);
  expect_rates(two, s,
               {0.5, 0.5, 0.5, 0.5, 0.15, 0.15, 0.15, 0.15, 0.045, 0.045, 0.045, 0.045, 0.0135});
  EXPECT_NEAR(s.last_lr()[1], 0.005399999999999999, 1e-15);
}

TEST(Schedulers, MultiStepLR) {
  Two two;
  MultiStepLR s(two.sgd, {2, 5, 5, 9}, 0.5);
  expect_rates(two, s, {0.5, 0.5, 0.25, 0.25, 0.25, 0.0625, 0.0625, 0.0625, 0.0625, 0.03125});
}

TEST(Schedulers, ExponentialLR) {
  Two two;
  ExponentialLR s(two.sgd, 0.9);
  expect_rates(two, s,
               {0.5, 0.45, 0.405, 0.36450000000000005, 0.32805000000000006, 0.2952450000000001});
}

TEST(Schedulers, LinearLR) {
  Two two;
  LinearLR s(two.sgd, 0.25, 0.75, 6);
  expect_rates(two, s,
               {0.125, 0.16666666666666666, 0.20833333333333331, 0.24999999999999997,
                0.29166666666666663, 0.33333333333333326, 0.375, 0.375, 0.375});
  EXPECT_NEAR(s.last_lr()[1], 0.15, 1e-15);
}

TEST(Schedulers, CosineAnnealingLR) {
  Two two;
  CosineAnnealingLR s(two.sgd, 5, 0.01);
  expect_rates(two, s,
               {0.5, 0.45320916362186214, 0.33070916362186215, 0.1792908363781379,
                0.0567908363781379, 0.01, 0.05679083637813787, 0.17929083637813795,
                0.33070916362186226, 0.45320916362186237, 0.5000000000000002});
}

TEST(Schedulers, LambdaLR) {
  std::vector<double> expected{0.5, 0.25, 0.16666666666666666, 0.125, 0.1, 0.08333333333333333};
  Two a, b;
  LambdaLR of_number(a.sgd, [](int64_t t) { return 1.0 / static_cast<double>(1 + t); });
  expect_rates(a, of_number, expected);
  LambdaLR of_tensor(b.sgd, [](Tensor t) { return 1 / (1 + t); });
  expect_rates(b, of_tensor, expected);
}

TEST(Schedulers, ARateSetByHandLastsUntilTheNextStep) {
  Two two;
  ExponentialLR s(two.sgd, 0.5);
  two.sgd.set_lr(7);
  EXPECT_EQ(s.last_lr()[0], 7);
  s.step();
  EXPECT_EQ(s.last_lr()[0], 0.25);
}

TEST(Schedulers, StateComesBack) {
  Two a, b;
  StepLR s(a.sgd, 2, 0.1), t(b.sgd, 2, 0.1);
  for (int i = 0; i < 3; ++i) s.step();
  t.load_state_dict(s.state_dict());
  b.sgd.load_state_dict(a.sgd.state_dict());
  EXPECT_EQ(t.last_lr(), s.last_lr());
  t.step(), s.step();
  EXPECT_EQ(t.last_lr(), s.last_lr());
  auto state = s.state_dict();
  state.pop_back();
  EXPECT_THAT(error_of([&] { t.load_state_dict(state); }),
              HasSubstr("[load_state_dict] the state does not fit this scheduler:\n    missing: "
                        "base_lr.1"));
}

TEST(Schedulers, MisuseIsSaid) {
  Two two;
  EXPECT_THAT(error_of([&] { StepLR s(two.sgd, 0); }), HasSubstr("[StepLR] step_size is 0"));
  EXPECT_THAT(error_of([&] { LinearLR s(two.sgd, 0); }),
              HasSubstr("[LinearLR] start_factor is 0.0"));
  EXPECT_THAT(error_of([&] { CosineAnnealingLR s(two.sgd, 0); }),
              HasSubstr("[CosineAnnealingLR] t_max is 0"));
  StepLR s(two.sgd, 1);
  two.sgd.add_group({zeros({1}).requires_grad_()}, 0.2);
  EXPECT_THAT(
      error_of([&] { s.step(); }),
      HasSubstr("[StepLR] the optimizer has got another group since the schedule was made"));
}

// --- clipping: gradients [1, -2, 3] and [[-4, 0.5]], torch.nn.utils.clip_grad_norm_(..., 2, type)

struct Gradients {
  Gradients() {
    TensorList g{tensor_from<float>(std::vector<float>{1, -2, 3}, std::vector<int64_t>{3}),
                 tensor_from<float>(std::vector<float>{-4, 0.5f}, std::vector<int64_t>{1, 2})};
    for (Tensor& t : g) {
      params.push_back(zeros_like(t).requires_grad_());
      params.back().set_grad(t);
    }
    params.push_back(zeros({2}).requires_grad_());  // without a gradient
  }
  void expect(std::vector<double> values) {
    size_t i = 0;
    for (size_t p = 0; p < 2; ++p)
      for (float v : params[p].grad().to_vector<float>()) EXPECT_NEAR(v, values[i++], 1e-6);
  }
  TensorList params;
};

TEST(ClipGradNorm, OfAllTypes) {
  struct Case {
    double type, norm;
    std::vector<double> after;
  };
  for (const Case& c : {Case{1,
                             10.5,
                             {0.1904761791229248, -0.3809523582458496, 0.5714285373687744,
                              -0.7619047164916992, 0.0952380895614624}},
                        Case{2,
                             5.5,
                             {0.363636314868927, -0.727272629737854, 1.0909090042114258,
                              -1.454545259475708, 0.1818181574344635}},
                        Case{3,
                             4.643522262573242,
                             {0.4307074546813965, -0.861414909362793, 1.2921223640441895,
                              -1.722829818725586, 0.21535372734069824}},
                        Case{INFINITY,
                             4,
                             {0.49999988079071045, -0.9999997615814209, 1.4999996423721313,
                              -1.9999995231628418, 0.24999994039535522}}}) {
    Gradients g;
    EXPECT_NEAR(clip_grad_norm_(g.params, 2, c.type).item<double>(), c.norm, 1e-6);
    g.expect(c.after);
  }
  Gradients g;
  EXPECT_THAT(error_of([&] { clip_grad_norm_(g.params, 2, -1); }),
              HasSubstr("[clip_grad_norm_] norm_type is -1.0"));
}

TEST(ClipGradValue, EveryElement) {
  Gradients g;
  clip_grad_value_(g.params, 1.5);
  g.expect({1, -1.5, 1.5, -1.5, 0.5});
  EXPECT_THAT(error_of([&] { clip_grad_value_(g.params, -1); }),
              HasSubstr("[clip_grad_value_] value is -1.0"));
}

}  // namespace
}  // namespace frit::optim
