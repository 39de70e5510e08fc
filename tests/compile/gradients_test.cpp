// Gradients of compiled callables where eager is particular: tensors written after they were kept,
// outputs that receive no gradient, inputs that get a history.
#include <frit/autograd.h>
#include <frit/compile.h>
#include <frit/ops.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "compile/callable.h"
#include "core/generator.h"

namespace frit {
namespace {

using testing::HasSubstr;
using Fn = std::function<std::vector<Tensor>(std::vector<Tensor>)>;

class Gradients : public testing::TestWithParam<Backend> {
 protected:
  CompileOptions options() const {
    CompileOptions o;
    o.backend = GetParam();
    return o;
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, Gradients,
                         testing::Values(Backend::aot_eager, Backend::aot_eager_decomp,
                                         Backend::frit));

Tensor numbers(IntList sizes, uint64_t seed = 1) {
  manual_seed(seed);
  return frit::randn(sizes);
}
Tensor leaf(IntList sizes, uint64_t seed = 1) { return numbers(sizes, seed).requires_grad_(); }

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const UserError& e) {
    return e.message();
  }
  return "nothing was raised";
}

void expect_equal(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.defined(), b.defined());
  if (a.defined()) EXPECT_EQ(a.str(), b.str());
}

// The call that is recorded and the one that runs the entry say the same, and refuse.
void expect_refused(const Fn& fn, const CompileOptions& options, const std::string& part,
                    const std::function<std::vector<Tensor>()>& inputs) {
  auto f = compile(fn, options);
  auto said = [&](auto& call) {
    std::vector<Tensor> in = inputs();
    std::vector<Tensor> out = call(in);
    return message_of([&] { out[0].sum().backward(); });
  };
  std::string eager = said(fn);
  EXPECT_THAT(eager, HasSubstr(part));
  EXPECT_EQ(said(f), eager);
  EXPECT_EQ(said(f), eager);
  EXPECT_EQ(f.callable()->eager_calls(), 0u);
}

// Its elements share places, but not their gradients.
TEST_P(Gradients, AResultIsAViewOfATensorThatShowsElementsTwice) {
  const std::vector<std::function<Tensor(Tensor)>> views = {
      [](Tensor x) { return x.unsqueeze(0); }, [](Tensor x) { return x.slice(0, 1); },
      [](Tensor x) { return x.t().select(0, 1); }, [](Tensor x) { return x.slice(1, 1).t(); },
      [](Tensor x) { return x.narrow(0, 0, x.size(0)).expand({2, x.size(0), x.size(1)}); }};
  for (size_t v = 0; v < views.size(); ++v) {
    auto f = compile([&view = views[v]](Tensor x) { return view(x); }, options());
    for (int64_t n : {3, 3, 5})
      for (bool windows : {false, true}) {
        SCOPED_TRACE(testing::Message() << "view " << v << " of " << n << windows);
        Tensor shown = windows ? numbers({n + 3}).unfold(0, 4, 1) : numbers({1, 4}).expand({n, 4});
        Tensor a = shown.detach().requires_grad_(), b = shown.detach().requires_grad_();
        Tensor left = f(a), right = views[v](b);
        Tensor g = frit::randn_like(right);
        left.backward(g), right.backward(g);
        EXPECT_EQ(a.grad().to_vector<float>(), b.grad().to_vector<float>());
        EXPECT_TRUE(left.shares_storage_with(a));
      }
  }
}

TEST_P(Gradients, AResultWrittenInTheCallIsRefused) {
  expect_refused(
      [](std::vector<Tensor> in) {
        Tensor y = frit::relu(in[0]);
        y.exp_();
        return std::vector{y};
      },
      options(),
      "[float32 [4, 3]], which is output 0 of ReluBackward, is at version 1; expected version 0 "
      "instead. ReluBackward needs it.",
      [] { return std::vector{leaf({4, 3})}; });
}

TEST_P(Gradients, AnArgumentWrittenInTheCallIsRefused) {
  auto inputs = [] {
    Tensor scale = numbers({4, 3}, 2);
    scale.add_(1.0);
    return std::vector{leaf({4, 3}), scale};
  };
  expect_refused(
      [](std::vector<Tensor> in) {
        Tensor y = in[0] * in[1];
        in[1].mul_(2.0);
        return std::vector{y};
      },
      options(), "[float32 [4, 3]], is at version 2; expected version 1 instead. MulBackward needs",
      inputs);
}

TEST_P(Gradients, OnlyWhatBackwardComesToIsRefused) {
  auto fn = [](std::vector<Tensor> in) {
    Tensor a = in[0].exp();
    Tensor b = in[1].sin();
    a.add_(1.0);
    return std::vector{a, b, a + b};
  };
  auto f = compile(fn, options());
  for (int call = 0; call < 3; ++call) {
    Tensor x = leaf({5}), w = leaf({5}, 2), v = w.detach().requires_grad_();
    std::vector<Tensor> out = f(std::vector{x, w});
    out[1].sum().backward();
    fn({x, v})[1].sum().backward();
    expect_equal(w.grad(), v.grad());
    EXPECT_FALSE(x.grad().defined());
    out = f(std::vector{x, w});
    EXPECT_THAT(message_of([&] { out[2].sum().backward(); }), HasSubstr("ExpBackward needs it"));
    out = f(std::vector{x, w});
    expect_equal(autograd::grad({out[2].sum()}, {w})[0], v.grad());
  }
}

TEST_P(Gradients, AResultWrittenByTheCallerIsRefused) {
  auto f = compile([](Tensor x) { return std::tuple(frit::sigmoid(x), x + 1); }, options());
  for (int call = 0; call < 3; ++call) {
    auto [y, z] = f(leaf({6}));
    y.mul_(2.0);
    z.mul_(2.0);
    z.sum().backward({}, true);
    EXPECT_THAT(message_of([&] { y.sum().backward(); }),
                HasSubstr("which is output 0 of SigmoidBackward, is at version 1; expected version "
                          "0 instead. SigmoidBackward needs it."));
  }
}

// Its backward reads the result itself: the node must not keep alive what keeps the node.
TEST_P(Gradients, AResultWithoutABackwardPassIsFreed) {
  auto f = compile([](Tensor x) { return frit::sigmoid(x); }, options());
  for (int call = 0; call < 3; ++call) {
    WeakPtr<TensorImpl> result;
    {
      Tensor y = f(leaf({6}));
      result = WeakPtr<TensorImpl>(y.ptr());
    }
    EXPECT_TRUE(result.expired()) << call;
  }
}

TEST_P(Gradients, TheCallerMayWriteWhatEagerDoesNotKeep) {
  // Compiled code would like to compute both again from x.
  auto fn = [](Tensor x, Tensor b) { return ((x + b).sigmoid() * 2).sin().sum(); };
  auto f = compile(fn, options());
  for (int call = 0; call < 3; ++call) {
    Tensor x = numbers({7}), b = leaf({7}, 2), c = b.detach().requires_grad_();
    Tensor y = f(x, b);
    Tensor z = fn(x, c);
    x.mul_(3.0);
    y.backward();
    z.backward();
    expect_equal(b.grad(), c.grad());
  }
}

TEST_P(Gradients, BackwardReadsWhatTheCallOverwrote) {
  auto fn = [](Tensor x, Tensor state) {
    Tensor y = x * state.clone();
    state.add_(1.0);
    return y.sum();
  };
  auto f = compile(fn, options());
  for (int call = 0; call < 3; ++call) {
    Tensor x = leaf({4}), s = numbers({4}, 3), before = s.clone();
    f(x, s).backward();
    expect_equal(x.grad(), before);
    expect_equal(s, before + 1.0);
  }
}

TEST_P(Gradients, OutputsWithoutAGradientLeadNowhere) {
  // asin has no derivative beyond 1: a zero in place of no gradient would give nan.
  auto f =
      compile([](Tensor x, Tensor w) { return std::tuple(x.cosh(), x.asin() * w, (x * w).sum()); },
              options());
  for (int call = 0; call < 3; ++call) {
    Tensor x = leaf({5}).detach().mul(4.0).requires_grad_(), w = leaf({5}, 2);
    auto [a, b, c] = f(x, w);
    a.sum().backward();
    expect_equal(x.grad(), x.detach().sinh());
    EXPECT_FALSE(w.grad().defined());
    auto [d, e, g] = f(x, w);
    x.set_grad({});
    autograd::backward({d.sum(), g});
    expect_equal(x.grad(), w.detach() + x.detach().sinh());
    expect_equal(w.grad(), x.detach());
  }
}

// Backward from one result after another, without retain_graph: what eager frees, and refuses then.
struct Turns {
  const char* what;
  std::function<std::vector<Tensor>(Tensor, Tensor)> fn;
  std::vector<std::vector<int>> passes;  // by result
};
const Turns kTurns[] = {
    {"nothing shared",
     [](Tensor x, Tensor w) { return std::vector<Tensor>{(x * w).sum(), x.exp().sum()}; },
     {{0}, {1}, {1}, {0}}},
    {"a shared node that keeps",
     [](Tensor x, Tensor w) {
       Tensor h = x * w;
       return std::vector<Tensor>{h.sum(), h.exp().sum()};
     },
     {{0}, {1}, {0}}},
    {"a shared node that keeps nothing",
     [](Tensor x, Tensor w) {
       Tensor h = x + w;
       return std::vector<Tensor>{h.sin().sum(), h.exp().sum(), h.sum()};
     },
     {{0}, {2}, {2}, {1}, {2}, {1}}},
    {"nothing kept",
     [](Tensor x, Tensor w) { return std::vector<Tensor>{(x + w).sum(), (x - w).mean()}; },
     {{0}, {0}, {1}, {0, 1}, {1}}},
    {"two at once, then a third",
     [](Tensor x, Tensor w) {
       return std::vector<Tensor>{x.sin().sum(), x.cos().sum(), (x * x.exp()).sum()};
     },
     {{0, 2}, {1}, {1, 2}}},
    {"equal nodes that the compiler makes one",
     [](Tensor x, Tensor w) { return std::vector<Tensor>{(x * w).sum(), (x * w).mean()}; },
     {{0}, {1}, {1}}},
    {"one result in another's making",
     [](Tensor x, Tensor w) {
       Tensor h = x.exp();
       return std::vector<Tensor>{h, (h * w).sum()};
     },
     {{1}, {0}}},
};

TEST_P(Gradients, OneResultAfterAnother) {
  for (const Turns& t : kTurns) {
    SCOPED_TRACE(t.what);
    auto f = compile(t.fn, options());
    auto told = [&](auto& call) {
      Tensor x = leaf({4}), w = leaf({4}, 2);
      std::vector<Tensor> out = call(x, w);
      std::vector<std::string> all;
      for (const auto& pass : t.passes) {
        TensorList roots, grads;
        for (int i : pass) {
          roots.push_back(out[static_cast<size_t>(i)]);
          grads.push_back(frit::ones_like(roots.back().detach()));
        }
        all.push_back(message_of([&] { autograd::backward(roots, grads); }));
        all.push_back(x.grad().defined() ? x.grad().str() : "none");
        all.push_back(w.grad().defined() ? w.grad().str() : "none");
      }
      return all;
    };
    const std::vector<std::string> eager = told(t.fn);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(told(f), eager);
    EXPECT_EQ(f.callable()->eager_calls(), 0u);
  }
}

TEST_P(Gradients, OneInputAfterAnother) {
  auto fn = [](Tensor x, Tensor w) { return ((x.exp() + 1.0) + w.sin()).sum(); };
  auto f = compile(fn, options());
  auto told = [&](auto& call) {
    Tensor x = leaf({4}), w = leaf({4}, 2), out = call(x, w);
    std::vector<std::string> all;
    for (const Tensor& t : {x, w, x})
      all.push_back(message_of([&] { all.push_back(autograd::grad({out}, {t})[0].str()); }));
    return all;
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(told(f), told(fn));
}

TEST_P(Gradients, WhatNobodyCanReadIsFreed) {
  auto fn = [](Tensor x) {
    Tensor h = x.exp();
    return std::tuple(h.sum(), (h + 1.0).mean());
  };
  auto f = compile(fn, options());
  for (int i = 0; i < 3; ++i) {
    Tensor x = leaf({4}).exp();
    WeakPtr<TensorImpl> kept(x.ptr());
    auto [a, b] = f(x);
    x = Tensor();
    a.backward();
    EXPECT_TRUE(kept.expired());
    EXPECT_THAT(message_of([&] { b.backward(); }), HasSubstr("a second time"));
  }
}

TEST_P(Gradients, OfACompiledCallableInAnother) {
  auto inner_plain = [](Tensor x, Tensor w) { return std::tuple(x.sin() * w, (x * w).exp()); };
  auto inner = compile(inner_plain, options());
  auto outer_of = [](auto& call) {
    return [&call](Tensor x, Tensor w) {
      auto [a, b] = call(x, w);
      auto [c, d] = call(b.tanh(), w + 1.0);
      return (a * c).sum() + d.mean();
    };
  };
  auto plain = outer_of(inner_plain);
  auto mixed = outer_of(inner);
  auto outer = compile(mixed, options());
  auto gradients = [&](auto& call, int64_t n) {
    Tensor x = leaf({n, 3}), w = leaf({3}, 2), out = call(x, w);
    out.backward();
    return std::array{out.detach(), x.grad(), w.grad()};
  };
  for (int64_t n : {4, 4, 7, 1, 4}) {
    auto eager = gradients(plain, n), compiled = gradients(outer, n), partly = gradients(mixed, n);
    auto close = [](const Tensor& a, const Tensor& b) {
      return a.sizes().size() == b.sizes().size() &&
             ((a - b).abs() <= b.abs() * 1e-5 + 1e-6).all().item<bool>();
    };
    for (size_t i = 0; i < eager.size(); ++i) {
      EXPECT_TRUE(close(compiled[i], eager[i])) << compiled[i].str() << eager[i].str();
      EXPECT_TRUE(close(partly[i], eager[i]));
    }
  }
  EXPECT_EQ(outer.callable()->all_entries().size(), 2u);
  EXPECT_TRUE(outer.callable()->breaks().empty());
}

TEST_P(Gradients, AnInputThatGetsAHistoryIsLeftToEager) {
  auto f = compile(
      [](Tensor buffer, Tensor w) {
        buffer.mul_(w);
        return buffer;
      },
      options());
  for (int call = 0; call < 3; ++call) {
    Tensor buffer = numbers({3}, 4), before = buffer.clone(), w = leaf({3});
    Tensor out = f(buffer, w);
    EXPECT_TRUE(out.is_same(buffer));
    EXPECT_TRUE(buffer.requires_grad());
    buffer.sum().backward();
    expect_equal(w.grad(), before);
  }
  ASSERT_FALSE(f.callable()->breaks().empty());
  EXPECT_EQ(f.callable()->breaks()[0].stop.kind, "written_with_gradient");
  EXPECT_EQ(f.callable()->breaks()[0].stop.text,
            "arg0 is written with values that require a gradient");
}

TEST_P(Gradients, DetachStopsThem) {
  auto fn = [](Tensor x) { return (x * x.detach()).sum(); };
  auto f = compile(fn, options());
  for (int call = 0; call < 3; ++call) {
    Tensor x = leaf({4});
    f(x).backward();
    expect_equal(x.grad(), x.detach());
  }
}

TEST_P(Gradients, AWriteThroughDetachIsLeftToEager) {
  auto f = compile(
      [](Tensor x) {
        Tensor y = x * 3;
        y.detach().exp_();
        return y * 2;
      },
      options());
  for (int call = 0; call < 2; ++call) {
    Tensor x = leaf({4});
    Tensor y = f(x);
    expect_equal(y.detach(), (x.detach() * 3).exp() * 2);
    y.sum().backward();
    EXPECT_EQ(x.grad().to_vector<float>(), std::vector<float>(4, 6.0f));
  }
  ASSERT_FALSE(f.callable()->breaks().empty());
  EXPECT_EQ(f.callable()->breaks()[0].stop.kind, "written_with_gradient");
  EXPECT_THAT(f.callable()->breaks()[0].stop.text, HasSubstr("[exp_] writes a tensor"));
}

TEST_P(Gradients, AnAliasOfAnInputWithAHistoryIsLeftToEager) {
  auto f = compile(
      [](Tensor x, Tensor w) {
        Tensor alias = x.detach();
        alias.mul_(w);
        return alias;
      },
      options());
  for (int call = 0; call < 2; ++call) {
    Tensor x = numbers({3}), before = x.clone(), w = leaf({3}, 2);
    Tensor out = f(x, w);
    EXPECT_TRUE(out.requires_grad());
    EXPECT_FALSE(x.requires_grad());
    out.sum().backward();
    expect_equal(w.grad(), before);
  }
}

TEST_P(Gradients, ARuleThatRaisesDoesSoInBackward) {
  auto f =
      compile([](Tensor x, Tensor flags) { return std::tuple(x.pow(flags), x * 2); }, options());
  for (int call = 0; call < 3; ++call) {
    Tensor x = leaf({4}), flags = numbers({4}, 2) > 0;
    auto [y, z] = f(x, flags);
    z.sum().backward({}, true);
    EXPECT_THAT(message_of([&] { y.sum().backward(); }),
                HasSubstr("Subtraction, the `-` operator, with a bool tensor is not supported"));
  }
  EXPECT_EQ(f.callable()->all_entries().size(), 1u);
}

// A leaf that is only given back has its gradient before the compiled pass is refused.
TEST_P(Gradients, WhatNoResultDependsOnDoesNotWait) {
  auto fn = [](std::vector<Tensor> a) -> std::vector<Tensor> {
    Tensor y = frit::exp(a[0]);
    frit::atan_(y);
    return {y, a[1]};
  };
  auto f = compile(Fn(fn), options());
  for (int call = 0; call < 3; ++call) {
    Tensor x = leaf({3}), other = leaf({3}, 2);
    std::vector<Tensor> out = call ? f({x, other}) : fn({x, other});
    Tensor loss = out[0].sum() + (out[1] * 3).sum();
    EXPECT_THAT(message_of([&] { loss.backward(); }), HasSubstr("ExpBackward"));
    EXPECT_FALSE(x.grad().defined());
    ASSERT_TRUE(other.grad().defined()) << call;
    EXPECT_EQ(other.grad().to_vector<float>(), std::vector<float>(3, 3.0f));
  }
}

// Nor does a leaf that backward has come by when it comes to what is refused; one that it has not
// come by, or not for the last time, has no gradient.
TEST_P(Gradients, LeavesDoneBeforeARefusalHaveTheirs) {
  auto fn = [](std::vector<Tensor> a) -> std::vector<Tensor> {
    Tensor early = frit::exp(a[0] * a[2]);
    frit::atan_(early);
    return {early, frit::cos(a[1]) * a[2]};
  };
  auto f = compile(Fn(fn), options());
  for (int call = 0; call < 3; ++call) {
    Tensor x = leaf({3}), done = leaf({3}, 2), both = leaf({3}, 3);
    std::vector<Tensor> out = call ? f({x, done, both}) : fn({x, done, both});
    Tensor loss = out[0].sum() + out[1].sum();
    EXPECT_THAT(message_of([&] { loss.backward(); }), HasSubstr("ExpBackward"));
    EXPECT_FALSE(x.grad().defined());
    EXPECT_FALSE(both.grad().defined());
    ASSERT_TRUE(done.grad().defined()) << call;
    EXPECT_EQ(done.grad().to_vector<float>(),
              (-frit::sin(done.detach()) * both.detach()).to_vector<float>());
  }
}

// What reshaped its own tensor in place made it, until that is written.
TEST_P(Gradients, WrittenAfterAnInPlaceViewNamesTheWrite) {
  auto written = [](std::vector<Tensor> a) -> std::vector<Tensor> {
    Tensor y = frit::clamp_max(a[0], 3);
    frit::squeeze_(y);
    frit::le_(y, 100.0);
    frit::hypot_(y, y);
    return {y};
  };
  auto reshaped = [](std::vector<Tensor> a) -> std::vector<Tensor> {
    Tensor y = frit::clamp_max(a[0], 3);
    frit::le_(y, 100.0);
    frit::squeeze_(y);
    frit::hypot_(y, y);
    return {y};
  };
  auto inputs = [] { return std::vector<Tensor>{leaf({1, 3})}; };
  expect_refused(written, options(), "LeBackward", inputs);
  expect_refused(reshaped, options(), "SqueezeBackward", inputs);
}

// Of one tensor given twice, eager keeps a copy of what is written and the other as it is.
TEST_P(Gradients, WrittenWithItselfComplainsOfTheResultFirst) {
  auto fn = [](std::vector<Tensor> a) -> std::vector<Tensor> {
    Tensor y = frit::clamp_max(a[0], 3);
    frit::hypot_(y, y);
    NoGrad quiet;
    y.add_(1);
    return {y};
  };
  expect_refused(fn, options(), "is at version 2; expected version 1",
                 [] { return std::vector<Tensor>{leaf({3})}; });
}

// Eager keeps the very object, which shows what it was reshaped to, until that gets a history.
TEST_P(Gradients, KeptAsItWasWhenItWasWritten) {
  auto itself = [](std::vector<Tensor> a) -> std::vector<Tensor> {
    Tensor y = frit::ceil(a[0]);
    frit::lerp_(y, y, y);
    frit::unsqueeze_(y, -1);
    return {y};
  };
  auto later = [](std::vector<Tensor> a) -> std::vector<Tensor> {
    Tensor y = frit::ceil(a[0]), z = frit::sin(y);
    frit::mul_(y, 2);
    frit::unsqueeze_(y, -1);
    return {z};
  };
  auto twice = [](std::vector<Tensor> a) -> std::vector<Tensor> {
    Tensor y = a[0] * 2, z = frit::sin(y);
    frit::unsqueeze_(y, -1);
    frit::squeeze_(y);
    return {z};
  };
  auto without_history = [](std::vector<Tensor> a) -> std::vector<Tensor> {
    Tensor y = frit::ceil(a[0].detach()), z = a[0] * y;
    frit::mul_(y, 2);
    frit::unsqueeze_(y, -1);
    return {z};
  };
  auto inputs = [] { return std::vector<Tensor>{leaf({1, 3})}; };
  expect_refused(itself, options(), "[float32 [1, 3]]", inputs);
  expect_refused(later, options(), "[float32 [1, 3]]", inputs);
  expect_refused(twice, options(), "[float32 [1, 3, 1]]", inputs);
  expect_refused(without_history, options(), "[float32 [1, 3, 1]], is at", inputs);
}

// The very argument is kept: it shows what the caller makes of it, and who made it.
TEST_P(Gradients, AnArgumentShowsWhatItHasBecome) {
  auto fn = [](Tensor x, Tensor y) { return x * y; };
  auto written = [](Tensor x, Tensor y) {
    Tensor z = x * y;
    y.mul_(2);
    return z;
  };
  auto f = compile(fn, options()), g = compile(written, options());
  auto refusal = [](auto& fn, const std::function<Tensor(Tensor)>& argument) {
    Tensor y = argument(numbers({4, 3}, 2)), z = fn(leaf({4, 3}), y);
    {
      NoGrad off;
      y.unsqueeze_(0);
    }
    return message_of([&] { z.sum().backward(); });
  };
  auto plain = [](Tensor y) { return y; };
  auto of_leaf = [](Tensor y) { return y.requires_grad_(); };
  auto computed = [](Tensor y) { return frit::exp(y.requires_grad_()); };
  EXPECT_THAT(refusal(written, plain), HasSubstr("[float32 [1, 4, 3]], is at version 2; expected"));
  EXPECT_THAT(refusal(fn, of_leaf), HasSubstr("[float32 [1, 4, 3]], is at version 1; expected"));
  EXPECT_THAT(refusal(fn, computed), HasSubstr("[1, 4, 3]], which is output 0 of ExpBackward ("));
  for (int call = 0; call < 2; ++call) {
    EXPECT_EQ(refusal(g, plain), refusal(written, plain));
    EXPECT_EQ(refusal(f, of_leaf), refusal(fn, of_leaf));
    EXPECT_EQ(refusal(f, computed), refusal(fn, computed));
  }
  EXPECT_EQ(g.callable()->eager_calls(), 0u);
  EXPECT_EQ(f.callable()->eager_calls(), 0u);
}

// An op in place computes in the type of both, and keeps its result as it was written.
TEST_P(Gradients, AResultIsKeptInTheTypeItWasWrittenIn) {
  auto fn = [](std::vector<Tensor> a) -> std::vector<Tensor> {
    Tensor y = a[0].to(DType::f16);
    frit::copysign_(y, a[1]);
    frit::mul_(y, 2);
    return {y};
  };
  expect_refused(fn, options(), "[float16 [3]], which is output 0 of CopysignBackward, is at",
                 [] { return std::vector<Tensor>{leaf({3}), numbers({3}, 2)}; });
}

// Eager's tape has gradients and results in the written tensor's type, not in that of both.
TEST_P(Gradients, OfAnOpInPlaceInANarrowerType) {
  auto fn = [](std::vector<Tensor> a) -> std::vector<Tensor> {
    Tensor x = a[0].to(DType::f16), y = a[0].to(DType::f16), z = a[0].to(DType::f16);
    frit::mul_(x, a[1]);
    frit::pow_(y, a[1]);
    frit::atan2_(z, a[1]);
    return {x * 3, y * 3, z * 3};
  };
  auto f = compile(Fn(fn), options());
  for (int call = 0; call < 3; ++call) {
    Tensor x = numbers({64}).abs().requires_grad_(), w = leaf({64}, 2);
    Tensor v = x.detach().requires_grad_(), u = w.detach().requires_grad_();
    std::vector<Tensor> a = f({x, w}), b = fn({v, u});
    for (int i = 0; i < 3; ++i) {
      expect_equal(a[i].detach(), b[i].detach());
      auto got = autograd::grad({a[i].sum()}, {x, w}), want = autograd::grad({b[i].sum()}, {v, u});
      EXPECT_EQ(got[0].to_vector<float>(), want[0].to_vector<float>()) << i;
      EXPECT_EQ(got[1].to_vector<float>(), want[1].to_vector<float>()) << i;
    }
  }
}

// A leaf waits no longer for an output that took no part in the loss.
TEST_P(Gradients, LeavesThatTheRefusedPassDoesNotLeadToHaveTheirs) {
  auto fn = [](std::vector<Tensor> a) -> std::vector<Tensor> {
    Tensor product = frit::mv(a[1], a[0]);
    frit::exp2_(a[1]);
    return {a[2], frit::copysign(a[2], 100.0), product};
  };
  auto f = compile(Fn(fn), options());
  for (int call = 0; call < 3; ++call) {
    Tensor x = leaf({2}), matrix = numbers({2, 2}, 2), other = leaf({2}, 3);
    std::vector<Tensor> out = call ? f({x, matrix, other}) : fn({x, matrix, other});
    Tensor loss = (out[0] * 3).sum() + out[2].sum();
    EXPECT_THAT(message_of([&] { loss.backward(); }), HasSubstr("MmBackward"));
    EXPECT_FALSE(x.grad().defined());
    ASSERT_TRUE(other.grad().defined()) << call;
    EXPECT_EQ(other.grad().to_vector<float>(), std::vector<float>(2, 3.0f));
  }
}

}  // namespace
}  // namespace frit
