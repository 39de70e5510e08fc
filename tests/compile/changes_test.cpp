// What changes between calls of a compiled callable besides its arguments: hooks, which tensor a
// parameter is, dtypes of modules. Every call gives what eager gives.
#include <frit/autograd.h>
#include <frit/compile.h>
#include <frit/nn.h>
#include <frit/ops.h>
#include <frit/optim.h>
#include <gtest/gtest.h>

#include "common.h"
#include "compile/callable.h"

namespace frit {
namespace {

Tensor numbers(IntListRef sizes, uint64_t seed = 1) {
  manual_seed(seed);
  return frit::randn(sizes);
}

void expect_equal(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.dtype(), b.dtype());
  EXPECT_EQ(a.detach().to(kFloat64).to_vector<double>(),
            b.detach().to(kFloat64).to_vector<double>());
}

template <class F>
std::string last_reason(const F& f) {
  auto all = f.callable()->recompiles();
  return all.empty() ? "none" : all.back().reason;
}

template <class F>
size_t entry_count(const F& f) {
  return f.callable()->all_entries().size();
}

// --- what is changed by the callable itself, and who else keeps a replaced parameter ---

struct Scale : nn::Module {
  nn::Parameter weight, shift;
  Scale() {
    register_parameter("weight", weight, frit::ones({1}));
    register_buffer("shift", shift, frit::zeros({1}));
  }
};

TEST(Replaced, AnOptimiserGoesOnWithTheOldOne) {
  auto losses = [](bool compiled) {
    Scale net;
    optim::SGD sgd(net.parameters(), {.lr = 0.1});
    auto raw = [&](Tensor x) {
      sgd.zero_grad();
      Tensor l = (x * net.weight.tensor()).sum();
      l.backward();
      sgd.step();
      return l.detach();
    };
    auto step = compile(net, raw);
    std::vector<double> all;
    Tensor x = frit::ones({2});
    for (int i = 0; i < 5; ++i) {
      if (i == 2) net.weight = frit::full({1}, 100.0);
      all.push_back((compiled ? step(x) : raw(x)).item<double>());
      all.push_back(net.weight->grad().item<double>());
    }
    return all;
  };
  EXPECT_EQ(losses(true), losses(false));
}

TEST(Replaced, ACapturedTensorIsStillTheOldOne) {
  Scale net;
  Tensor start = net.weight;
  auto f = compile(net, [&](Tensor x) { return x * (net.weight.tensor() - start); });
  Tensor x = frit::ones({2});
  for (int i = 0; i < 2; ++i) EXPECT_EQ(f(x).sum().item<double>(), 0);
  net.weight = frit::full({1}, 3.0);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(f(x).sum().item<double>(), 4);
  EXPECT_EQ(last_reason(f), "weight was replaced in its module, and the old tensor lives on");
  net.weight = start;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(f(x).sum().item<double>(), 0);
}

TEST(Replaced, OnesThatNobodyKeepsNeedNoOtherEntry) {
  Scale net;
  auto f = compile(net, [&](Tensor x) { return (x * net.weight.tensor()).detach(); });
  Tensor x = frit::ones({2});
  for (int i = 0; i < 5; ++i) {
    net.weight = frit::full({1}, 1.0 + i);
    EXPECT_EQ(f(x).sum().item<double>(), 2 * (1.0 + i));
  }
  EXPECT_EQ(entry_count(f), 1u);
}

TEST(ChangedInside, EveryCallDoesIt) {
  Scale net;
  auto f = compile(net, [&](Tensor x) {
    Tensor y = x * 2 + net.shift.tensor();
    net.shift = y.detach().sum().reshape({1});
    return y * 3;
  });
  Tensor x = frit::ones({2});
  double shift = 0;
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(f(x).sum().item<double>(), 2 * 3 * (2 + shift));
    shift = 2 * (2 + shift);
    EXPECT_EQ(net.shift->item<double>(), shift);
  }
  auto breaks = f.callable()->breaks();
  ASSERT_EQ(breaks.size(), 1u);
  EXPECT_EQ(breaks[0].stop.text, "assigning a parameter or buffer of a module ends the graph");
  EXPECT_EQ(breaks[0].stop.hint,
            "write into it with copy_() under NoGrad, or assign after the compiled call");
}

TEST(ChangedInside, Seeds) {
  auto raw = [](Tensor x) {
    Tensor y = x * 2;
    manual_seed(3);
    return y + frit::rand({2});
  };
  auto f = compile(raw);
  Tensor x = frit::ones({2});
  Tensor wanted = raw(x);
  for (int i = 0; i < 5; ++i) expect_equal(f(x), wanted);
  ASSERT_EQ(f.callable()->breaks().size(), 1u);
  EXPECT_EQ(f.callable()->breaks()[0].stop.text, "seeding a generator ends the graph");
  EXPECT_EQ(f.callable()->breaks()[0].stop.hint, "seed before the compiled call");
}

TEST(ChangedInside, TheDefaultType) {
  auto raw = [](Tensor x) {
    Tensor y = x * 2;
    DType was = default_dtype();
    set_default_dtype(kFloat64);
    y = y + frit::ones({2});
    set_default_dtype(was);
    return y;
  };
  auto f = compile(raw);
  for (int i = 0; i < 5; ++i) expect_equal(f(frit::ones({2})), raw(frit::ones({2})));
  ASSERT_EQ(f.callable()->breaks().size(), 1u);
  EXPECT_EQ(f.callable()->breaks()[0].stop.text, "changing the default dtype ends the graph");
}

// --- hooks ---

TEST(Hooks, OfLayersAreSeenWhenTheyComeAndGo) {
  nn::Linear l(4, 2);
  auto f = compile(l, [&](Tensor x) { return l(x); }, captured_only());
  auto free = compile([&](Tensor x) { return l(x); }, captured_only());
  Tensor x = numbers({3, 4});
  auto same = [&] {
    for (int i = 0; i < 2; ++i) {
      expect_equal(f(x), l(x));
      expect_equal(free(x), l(x));
    }
  };
  same();
  uint64_t after =
      l.register_forward_hook([](nn::Module&, const Tensor&, const Tensor& o) { return o * 100; });
  same();
  EXPECT_EQ(last_reason(f), "the module had 0 forward hooks, now 1");
  uint64_t before = l.register_forward_pre_hook([](nn::Module&, const Tensor& i) { return i + 1; });
  same();
  l.remove_hook(after);
  same();
  uint64_t last =
      l.register_forward_hook([](nn::Module&, const Tensor&, const Tensor& o) { return o - 1; });
  l.remove_hook(before);
  same();
  l.remove_hook(last);
  l.register_forward_hook([](nn::Module&, const Tensor&, const Tensor& o) { return o - 2; });
  same();
  EXPECT_NE(last_reason(f).find("forward hooks"), std::string::npos);
  EXPECT_EQ(entry_count(f), 6u);
}

TEST(Hooks, OnesThatAreGoneGiveTheFirstEntryBack) {
  nn::Sequential s;
  s.add<nn::Linear>(4, 8);
  s.add<nn::GELU>();
  auto f = compile(s, [&](Tensor x) { return s(x); }, captured_only());
  Tensor x = numbers({3, 4});
  expect_equal(f(x), s(x));
  uint64_t h =
      s[1].register_forward_hook([](nn::Module&, const Tensor&, const Tensor& o) { return o * 2; });
  expect_equal(f(x), s(x));
  EXPECT_EQ(last_reason(f), "1 had 0 forward hooks, now 1");
  s[1].remove_hook(h);
  expect_equal(f(x), s(x));
  EXPECT_EQ(entry_count(f), 2u);
}

TEST(Hooks, OfALeafWithBackwardInside) {
  Tensor w = frit::ones({4}).requires_grad_();
  auto f = compile([&](Tensor x) { (x * w).sum().backward(); }, captured_only());
  Tensor x = numbers({4});
  auto gradient = [&] {
    w.set_grad({});
    f(x);
    return w.grad();
  };
  for (int i = 0; i < 2; ++i) expect_equal(gradient(), x);
  uint64_t handle = w.register_hook([](const Tensor& g) { return g * 10; });
  for (int i = 0; i < 2; ++i) expect_equal(gradient(), x * 10);
  w.remove_hook(handle);
  uint64_t eager_calls = f.callable()->eager_calls();
  for (int i = 0; i < 2; ++i) expect_equal(gradient(), x);
  EXPECT_EQ(entry_count(f), 1u);
  EXPECT_EQ(f.callable()->eager_calls(), eager_calls);
}

TEST(Hooks, OfALeafAfterAccumulation) {
  Tensor w = frit::ones({4}).requires_grad_();
  auto f = compile([&](Tensor x) { (x * w).sum().backward(); }, captured_only());
  Tensor x = numbers({4});
  for (int i = 0; i < 3; ++i) f(x);
  int calls = 0;
  uint64_t handle =
      autograd::register_post_accumulate_grad_hook(w, [&](const Tensor&) { ++calls; });
  for (int i = 0; i < 3; ++i) f(x);
  EXPECT_EQ(calls, 3);
  w.remove_hook(handle);
  for (int i = 0; i < 3; ++i) f(x);
  EXPECT_EQ(calls, 3);
}

// An argument is another tensor each time: whether it has hooks is looked at in each call.
TEST(Hooks, OfAnArgument) {
  auto f = compile([](Tensor x, Tensor w) { (x * w).sum().backward(); }, captured_only());
  Tensor x = numbers({4});
  for (int i = 0; i < 6; ++i) {
    Tensor w = frit::ones({4}).requires_grad_();
    if (i >= 2 && i < 4) w.register_hook([](const Tensor& g) { return g * 10; });
    f(x, w);
    expect_equal(w.grad(), i >= 2 && i < 4 ? x * 10 : x);
  }
}

TEST(Hooks, OfALeafThatGradIsAskedOf) {
  Tensor w = frit::ones({4}).requires_grad_();
  auto f = compile([&](Tensor x) { return autograd::grad({(x * w * w).sum()}, {w})[0]; },
                   captured_only());
  Tensor x = numbers({4});
  for (int i = 0; i < 2; ++i) expect_equal(f(x), x * 2);
  w.register_hook([](const Tensor& g) { return g * 10; });
  for (int i = 0; i < 2; ++i) expect_equal(f(x), x * 20);
}

// Where backward() follows the call, hooks run as in eager code and nothing is compiled again.
TEST(Hooks, OfALeafWithBackwardOutside) {
  Tensor w = frit::ones({4}).requires_grad_();
  auto f = compile([&](Tensor x) { return (x * w).sum(); }, captured_only());
  Tensor x = numbers({4});
  f(x);
  w.register_hook([](const Tensor& g) { return g * 10; });
  f(x).backward();
  expect_equal(w.grad(), x * 10);
  EXPECT_EQ(entry_count(f), 1u);
}

// --- modes ---

// --- which tensor a parameter is ---

struct Pair : nn::Module {
  nn::Linear a{*this, "a", 4, 4, {.bias = false}}, b{*this, "b", 4, 4, {.bias = false}};
  Tensor forward(Tensor x) { return b(a(x).square()); }
};

TEST(Ties, AreSeenWhenTheyComeAndGo) {
  Pair m;
  m.b.weight = m.a.weight.tensor();
  auto f = compile(m, captured_only());
  auto free = compile([&](Tensor x) { return m.forward(x); }, captured_only());
  Tensor x = numbers({3, 4});
  auto same = [&] {
    for (int i = 0; i < 2; ++i) {
      expect_equal(f(x), m.forward(x));
      expect_equal(free(x), m.forward(x));
    }
  };
  same();
  m.b.weight = numbers({4, 4}, 2);
  same();
  EXPECT_EQ(last_reason(f), "a.weight and b.weight are no longer one tensor");
  EXPECT_EQ(last_reason(free), "captured1 was replaced in its module");
  m.a.weight = numbers({4, 4}, 3);
  same();
  EXPECT_EQ(entry_count(f), 2u);
  m.b.weight = m.a.weight.tensor();  // as it was at first
  same();
  EXPECT_EQ(entry_count(f), 2u);
}

TEST(Ties, MadeAfterwardsGiveOneGradient) {
  Pair m;
  auto step = [&](Tensor x) {
    m.zero_grad();
    m.forward(x).sum().backward();
  };
  auto f = compile(m, step, captured_only());
  Tensor x = numbers({3, 4});
  f(x);
  f(x);
  EXPECT_EQ(entry_count(f), 1u);
  m.b.weight = m.a.weight.tensor();
  f(x);
  EXPECT_EQ(last_reason(f), "a.weight and b.weight have become one tensor");
  Tensor compiled = m.a.weight->grad().clone();
  step(x);
  expect_equal(compiled, m.a.weight->grad());
}

TEST(Ties, OfArgumentsAndParameters) {
  Pair m;
  auto f = compile(m, [&](Tensor w, Tensor x) { return w.mm(m.forward(x).t()); }, captured_only());
  auto eager = [&](Tensor w, Tensor x) { return w.mm(m.forward(x).t()); };
  Tensor x = numbers({3, 4}), other = numbers({4, 4}, 2).requires_grad_();
  for (const Tensor& w : {m.a.weight.tensor(), other, m.a.weight.tensor(), m.b.weight.tensor()})
    for (int i = 0; i < 2; ++i) expect_equal(f(w, x), eager(w, x));
  EXPECT_EQ(f.callable()->recompiles()[0].reason, "arg0 was a.weight, now another tensor");
  EXPECT_EQ(last_reason(f), "arg0 has become b.weight");
}

TEST(Ties, OfMemory) {
  Pair m;
  auto step = [&](Tensor x) {
    NoGrad guard;
    m.a.weight->add_(1);
    return m.forward(x);
  };
  auto f = compile(m, step, captured_only());
  Tensor x = numbers({3, 4});
  f(x);
  m.b.weight = m.a.weight->detach();  // another tensor of the same memory
  NoGrad guard;
  for (int i = 0; i < 4; ++i) {
    auto a = m.a.weight->detach().clone();
    Tensor compiled = f(x);
    m.a.weight->copy_(a);
    expect_equal(compiled, step(x));
  }
  ASSERT_EQ(f.callable()->breaks().size(), 1u);
  EXPECT_EQ(f.callable()->breaks()[0].stop.text,
            "b.weight shares memory with a.weight, which was written before; the capture begins "
            "again with both as views of one storage");
  EXPECT_EQ(last_reason(f), "gradients were on, now off");
}

TEST(Ties, OfMemoryThatIsWrittenBeforeItIsReadByAnotherName) {
  auto results = [](bool compiled) {
    Tensor table = frit::arange(4).to(kFloat32).view({2, 2});
    auto raw = [table](Tensor x) {
      x.mul_(2);
      return x * 1 + table;
    };
    auto f = compile(raw);
    std::vector<std::vector<double>> all;
    for (int i = 0; i < 4; ++i) {
      Tensor r = compiled ? f(table.t()) : raw(table.t());
      all.push_back(r.to(kFloat64).to_vector<double>());
    }
    return all;
  };
  EXPECT_EQ(results(true), results(false));
}

// Whether an argument is also a tensor that the callable holds shows when another takes its place.
TEST(Ties, AnArgumentThatIsCapturedToo) {
  Tensor start = frit::ones({3});
  auto f = compile([start](Tensor x) { return (x - start).sum(); });
  auto at = [&](double v) { return f(frit::full({3}, v)).item<double>(); };
  EXPECT_EQ(f(start).item<double>(), 0);
  EXPECT_EQ(f(start).item<double>(), 0);
  for (double v : {2., 3., 4.}) EXPECT_EQ(at(v), 3 * (v - 1));
  EXPECT_EQ(f(start).item<double>(), 0);
  EXPECT_EQ(at(5), 12);
  EXPECT_EQ(last_reason(f), "an argument was a tensor that the callable holds itself");
  EXPECT_EQ(entry_count(f), 2u);
  EXPECT_EQ(f.callable()->eager_calls(), 0u);
}

TEST(Ties, AnArgumentThatIsCapturedAndWritten) {
  Tensor state = frit::zeros({3}), other = frit::zeros({3});
  auto f = compile([state](Tensor x) {
    state.add_(1);
    return x * 2;
  });
  for (int i = 0; i < 3; ++i) f(state);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(f(other).sum().item<double>(), 0);
  EXPECT_EQ(state.sum().item<double>(), 18);
  EXPECT_EQ(other.sum().item<double>(), 0);
}

TEST(Ties, AnArgumentThatIsAGradient) {
  Tensor w = frit::ones({2}).requires_grad_(), v = frit::ones({2}).requires_grad_();
  (w * 3).sum().backward();
  (v * 5).sum().backward();
  auto f = compile([&](Tensor g) {
    NoGrad off;
    return (g - w.grad()).sum();
  });
  for (int i = 0; i < 2; ++i) EXPECT_EQ(f(w.grad()).item<double>(), 0);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(f(v.grad()).item<double>(), 4);
}

// It costs one call that runs eagerly, and no compile.
TEST(Ties, ArgumentsThatLiveOnAreOnlyArguments) {
  std::vector<Tensor> data;
  for (int i = 0; i < 6; ++i) data.push_back(frit::full({3}, double(i)));
  auto f = compile([](Tensor x) { return (x * 2).sum(); });
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 6; ++i) EXPECT_EQ(f(data[i]).item<double>(), 6 * i);
  EXPECT_EQ(entry_count(f), 1u);
  EXPECT_EQ(f.callable()->eager_calls(), 1u);
}

TEST(Ties, OfMemoryWithACapturedTensorThatIsWritten) {
  auto results = [](bool compiled) {
    Tensor a = frit::zeros({6}), b = frit::full({6}, 100.0), cap = a.slice(0, 0, 4);
    auto raw = [cap](Tensor x) {
      cap.add_(1);
      return x + cap;
    };
    auto f = compile(raw);
    std::vector<std::vector<double>> all;
    for (const Tensor& t : {a, a, b, b, a, b}) {
      Tensor x = t.slice(0, 2, 6), r = compiled ? f(x) : raw(x);
      for (const Tensor& seen : {r, a, b}) all.push_back(seen.to(kFloat64).to_vector<double>());
    }
    return all;
  };
  EXPECT_EQ(results(true), results(false));
}

TEST(Ties, WhatWasUndefined) {
  nn::Linear l(4, 2, {.bias = false});
  auto f = compile(l, [&](Tensor x) { return l(x); }, captured_only());
  Tensor x = numbers({3, 4});
  expect_equal(f(x), l(x));
  l.bias = numbers({2}).requires_grad_();
  expect_equal(f(x), l(x));
  l.bias = Tensor();
  expect_equal(f(x), l(x));
}

TEST(Ties, OtherModulesDoNotMatter) {
  Pair m, other;
  auto f = compile(m, captured_only());
  Tensor x = numbers({3, 4});
  f(x);
  other.b.weight = other.a.weight.tensor();
  nn::Linear more(m, "more", 2, 2);
  more.weight = numbers({2, 2});
  f(x);
  EXPECT_EQ(entry_count(f), 1u);
}

TEST(Conversion, KeepsTiesAndOptimisers) {
  Pair m;
  m.b.weight = m.a.weight.tensor();
  optim::SGD sgd(m.parameters(), {.lr = 0.1});
  auto f = compile(m, captured_only());
  Tensor x = numbers({3, 4});
  f(x).sum().backward();
  m.to(kFloat64);
  EXPECT_TRUE(m.a.weight->is_same(m.b.weight));
  EXPECT_EQ(m.a.weight->grad().dtype(), kFloat64);
  for (int i = 0; i < 2; ++i) expect_equal(f(x.to(kFloat64)), m.forward(x.to(kFloat64)));
  EXPECT_EQ(last_reason(f), "arg0's dtype was float32, now float64");
  m.zero_grad();
  f(x.to(kFloat64)).sum().backward();
  Tensor before = m.a.weight->detach().clone();
  Tensor stepped = before - m.a.weight->grad() * 0.1;
  sgd.step();
  expect_equal(m.a.weight, stepped);
  m.to(kFloat32);
  for (int i = 0; i < 2; ++i) expect_equal(f(x), m.forward(x));
  EXPECT_EQ(entry_count(f), 2u);
}

TEST(Conversion, InsideACallIsLeftToEager) {
  nn::Linear l(4, 2);
  auto f = compile(
      l,
      [&](Tensor x) {
        l.to(kFloat64);
        return l(x.to(kFloat64));
      },
      captured_only());
  Tensor x = numbers({3, 4});
  expect_equal(f(x), l(x.to(kFloat64)));
  ASSERT_FALSE(f.callable()->breaks().empty());
  EXPECT_EQ(f.callable()->breaks()[0].stop.text, "Module::to() cannot be part of a graph");
}

TEST(Recompiles, SayWhichModeChanged) {
  auto f = compile([](Tensor x) { return x * 2; }, captured_only());
  Tensor x = numbers({4});
  {
    InferenceMode mode;
    f(x);
  }
  f(x);
  EXPECT_EQ(last_reason(f), "inference mode was on, now off");
  {
    NoGrad mode;
    f(x);
  }
  EXPECT_EQ(last_reason(f), "gradients were on, now off");
}

TEST(Recompiles, SayThatATensorWasMadeInInferenceMode) {
  auto f = compile([](Tensor x) { return x * 2; }, captured_only());
  Tensor x = numbers({4}), inside;
  {
    InferenceMode mode;
    inside = x * 1;
  }
  f(x);
  f(inside);
  EXPECT_EQ(last_reason(f), "arg0.is_inference() was false, now true");
}

}  // namespace
}  // namespace frit
