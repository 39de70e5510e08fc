// Compiled callables in bad company: threads, forks, dead and reassigned captures, limits, programs
// that cannot be captured and what is said of them.
#include <frit/autograd.h>
#include <frit/compile.h>
#include <frit/nn.h>
#include <frit/ops.h>
#include <frit/optim.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "base/config.h"
#include "base/error.h"
#include "common.h"
#include "compile/callable.h"
#include "core/generator.h"

namespace frit {
namespace {

Tensor numbers(int64_t n, uint64_t seed = 1) {
  manual_seed(seed);
  return frit::randn({Int(n)});
}

void expect_equal(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.to_vector<float>(), b.to_vector<float>());
}

bool nearly_equal(const Tensor& a, const Tensor& b) {
  auto p = a.to_vector<float>(), q = b.to_vector<float>();
  bool all = p.size() == q.size();
  for (size_t i = 0; all && i < p.size(); ++i)
    all = std::abs(p[i] - q[i]) <= 1e-5f * std::max(1.0f, std::abs(q[i]));
  return all;
}

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing was raised";
}

// --- several at once ---

TEST(Threads, OneCallableManyThreads) {
  auto fn = [](Tensor x) {
    Tensor y = x.sin() * 2;
    if (y.sum() > 0) return y + x;
    return y - x;
  };
  auto f = compile(fn);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 40; ++i) {
        Tensor x = frit::full({Int(3 + (i + t) % 5)}, (i % 2 ? 0.5 : -0.5));
        if (f(x).to_vector<float>() != fn(x).to_vector<float>()) ++wrong;
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(f.callable()->all_entries().size(), 3u);
}

// Both find no entry for the value: one makes it, the other has waited for it.
TEST(Threads, WhatOneMakesTheOtherUses) {
  std::atomic<int> bodies{0};
  auto fn = [&](Tensor x) {
    ++bodies;
    Tensor y = x * 2;
    return y.sum() > 0 ? y + x : y - x;
  };
  for (int round = 1; round <= 100; ++round) {
    auto f = compile(fn, captured_only());
    f(frit::ones({3}));
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0}, ready{0};
    const Tensor x =
        frit::full({3}, -1.0);  // one: another would have to be seen as no captured one
    for (int t = 0; t < 2; ++t)
      threads.emplace_back([&] {
        for (++ready; ready < 2;) std::this_thread::yield();
        if (f(x).to_vector<float>() != std::vector<float>(3, -1)) ++wrong;
      });
    for (auto& t : threads) t.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(f.callable()->all_entries().size(), 3u) << round;
    EXPECT_EQ(f.callable()->recompiles().size(), 1u) << round;
    EXPECT_EQ(bodies, 2 * round);
  }
}

// Modules that come and go elsewhere make every entry look at its parameters again.
TEST(Threads, OthersMakeModulesMeanwhile) {
  nn::Linear l(4, 2);
  auto f = compile(l, [&](Tensor x) { return l(x); });
  Tensor x = numbers(12).reshape({3, 4});
  const auto expected = l(x).to_vector<float>();
  f(x);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        if (t == 0) nn::Linear other(2, 2);
        if (f(x).to_vector<float>() != expected) ++wrong;
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(f.callable()->all_entries().size(), 1u);
}

TEST(Threads, BackwardIsCompiledOnce) {
  auto f = compile([](Tensor x) { return (x.exp() * x).sum(); });
  Tensor a = numbers(8).requires_grad_();
  f(a);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      Tensor x = numbers(8).detach().requires_grad_(), y = x.detach().requires_grad_();
      f(x).backward();
      (y.exp() * y).sum().backward();
      if (!nearly_equal(x.grad(), y.grad())) ++wrong;
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

// Both stretches of the run are over the same symbols: while one thread compiles the backward pass
// of the first, others work out the layouts of the second.
TEST(Threads, StretchesOfOneRunShareTheirSizes) {
  auto fn = [](Tensor x) {
    Tensor y = x.exp() * x;
    if (y.sum() > 0) return (y.sin() * x.t()).sum(0);
    return y.sum(0);
  };
  for (Backend backend : {Backend::frit, Backend::aot_eager}) {
    CompileOptions options;
    options.backend = backend;
    auto f = compile(fn, options);
    f(frit::ones({Int(3), Int(3)}).requires_grad_());
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int64_t n = 4 + t; n < 24; n += 3) {
          Tensor x = frit::full({Int(n), Int(n)}, 0.5).requires_grad_();
          Tensor y = frit::full({Int(n), Int(n)}, 0.5).requires_grad_();
          f(x).sum().backward();
          fn(y).sum().backward();
          if (!nearly_equal(x.grad(), y.grad())) ++wrong;
        }
      });
    for (auto& t : threads) t.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(f.callable()->all_entries().size(), 2u);
  }
}

TEST(Fork, AChildGoesOnUsingIt) {
  auto fn = [](Tensor x) { return frit::relu(x * 2) + 1; };
  auto f = compile(fn);
  Tensor x = numbers(20000);
  f(x);
  f(x);
  pid_t child = fork();
  if (child == 0) {
    bool same = f(x).to_vector<float>() == fn(x).to_vector<float>();
    Tensor y = frit::ones({Int(7), Int(3)});  // another rank: compiled in the child
    same = same && f(y).to_vector<float>() == fn(y).to_vector<float>() &&
           f(y).to_vector<float>() == fn(y).to_vector<float>();
    _exit(same ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  expect_equal(f(x), fn(x));
}

// --- captured tensors ---

TEST(Captured, ADeadTensorTakesItsEntryAlong) {
  auto w = std::make_shared<Tensor>(frit::full({4}, 2.0));
  auto f = compile([w](Tensor x) { return x * *w; }, captured_only());
  Tensor x = numbers(4);
  f(x);
  expect_equal(f(x), x * 2);
  *w = frit::full({4}, 3.0);  // the old one dies
  expect_equal(f(x), x * 3);
  expect_equal(f(x), x * 3);
  EXPECT_EQ(f.callable()->recompiles().size(), 1u);
  EXPECT_NE(f.callable()->recompiles()[0].reason.find(
                "is gone: the tensor the callable had captured was destroyed"),
            std::string::npos);
}

TEST(Captured, AReassignedVariableIsNotSeenWhileTheOldTensorLives) {
  auto w = std::make_shared<Tensor>(frit::full({4}, 2.0));
  Tensor old = *w;
  auto f = compile([w](Tensor x) { return x * *w; }, captured_only());
  Tensor x = numbers(4);
  f(x);
  *w = frit::full({4}, 3.0);
  expect_equal(f(x), x * 2);  // as the header says
}

TEST(Captured, NumbersAreConstants) {
  auto scale = std::make_shared<double>(2.0);
  auto f = compile([scale](Tensor x) { return x * *scale; }, captured_only());
  Tensor x = numbers(4);
  f(x);
  *scale = 3;
  expect_equal(f(x), x * 2);
}

// --- what recompiles are said to be for ---

// Tensors whose number is no number of the call.
struct Pack {
  std::vector<Tensor> tensors;
};

}  // namespace

template <>
struct compiler::Flatten<Pack> {
  static void put(const Pack& p, Leaves& l) {
    for (const Tensor& t : p.tensors) l.tensors.push_back(t);
  }
};

namespace {

template <class F>
std::string last_reason(const F& f) {
  auto all = f.callable()->recompiles();
  return all.empty() ? "none" : all.back().reason;
}

TEST(Recompiles, SayWhichGuardFailed) {
  Tensor x = numbers(4);
  auto weights = compile(
      [](Tensor t, std::vector<double> w) {
        for (double v : w) t = t * v;
        return t;
      },
      captured_only());
  weights(x, {2.0, 3.0});
  expect_equal(weights(x, {2.0}), x * 2);
  EXPECT_EQ(last_reason(weights), "the number of numeric arguments changed");

  auto total = compile(
      [](Pack p) {
        Tensor sum = p.tensors[0];
        for (size_t i = 1; i < p.tensors.size(); ++i) sum = sum + p.tensors[i];
        return sum * 1;
      },
      captured_only());
  total({{x, x}});
  expect_equal(total({{x, x, x}}), x + x + x);
  EXPECT_EQ(last_reason(total), "the number of tensor arguments changed");

  auto shift = compile(
      [](Tensor w) {
        Tensor g = w.grad();
        return g.defined() ? w.detach() + g : w.detach() * 1;
      },
      captured_only());
  Tensor w = numbers(4).requires_grad_();
  w.set_grad(frit::ones({4}));
  shift(w);
  expect_equal(shift(w), w.detach() + 1);
  w.set_grad(Tensor());
  expect_equal(shift(w), w.detach());
  EXPECT_EQ(last_reason(shift), "arg0.grad was a tensor, now None");

  auto both = compile(
      [](Tensor a, Tensor b) {
        a.add_(1);
        return b * 2;
      },
      captured_only());
  Tensor base = numbers(8);
  for (int i = 0; i < 2; ++i) both(base.slice(0, 0, 4), base.slice(0, 2, 6));
  Tensor apart = numbers(4, 2), other = numbers(6, 3).slice(0, 2, 6);
  expect_equal(both(apart, other), other * 2);
  EXPECT_EQ(last_reason(both), "arg0 and arg1 no longer share the same memory");
}

TEST(Recompiles, AreForWhatTheNearestGraphLacks) {
  auto f = compile([](Tensor x) { return x * 2; });
  f(numbers(4));
  f(numbers(1));                   // one element: a graph of its own
  f(numbers(8).requires_grad_());  // any size would do, but for the gradient
  EXPECT_EQ(last_reason(f), "arg0.requires_grad was false, now true");
}

// A callable whose first line ends its graph, by what it does there.
template <class F>
void expect_break_at(F fn, uint32_t line) {
  auto f = compile(fn);
  f(numbers(4));
  ASSERT_EQ(f.callable()->breaks().size(), 1u);
  const SourceLocation where = f.callable()->breaks()[0].stop.where;
  EXPECT_EQ(where.short_text(), "behaviour_test.cpp:" + std::to_string(line));
}

struct Doubled : autograd::Function<Doubled> {
  static Tensor forward(autograd::Context&, const Tensor& x, double by) { return x * by; }
  static TensorList backward(autograd::Context&, const TensorList& g) { return {g[0] * 2}; }
};

TEST(Breaks, HaveTheLineThatMakesThemThoughNoOpCameBefore) {
  auto apply = [](Tensor x) { return Doubled::apply(x, 2.0); };
  expect_break_at(apply, __LINE__ - 1);
  auto seed = [](Tensor x) { return manual_seed(3), x * 2; };
  expect_break_at(seed, __LINE__ - 1);
  auto dtype = [](Tensor x) { return set_default_dtype(kFloat32), x * 2; };
  expect_break_at(dtype, __LINE__ - 1);
  nn::Linear net(2, 2);
  Tensor fresh = numbers(4);
  auto assign = [&](Tensor x) { return net.weight = fresh, x * 2; };
  expect_break_at(assign, __LINE__ - 1);
  auto branch = [](Tensor x) { return frit::nonzero(x > 0).size(0) > 2 ? x * 2 : x * 3; };
  expect_break_at(branch, __LINE__ - 1);
}

TEST(DataSizes, AWindowAtAPlaceOfDataIsOneGraph) {
  auto fn = [](Tensor x, Tensor at, Tensor y) {
    Int p = at.item_int();
    return (x.slice(0, p, p + y.size(0)) * y).reshape({-1});
  };
  auto f = compile(fn);
  Tensor x = numbers(16).view({8, 2});
  for (int64_t rows : {1, 1, 3, 3}) {
    Tensor y = numbers(2 * rows, 7).view({rows, 2});
    for (int64_t p : {0, 4, 5, 2}) {
      Tensor at = frit::scalar_tensor(p, DType::i64);
      expect_equal(f(x, at, y), fn(x, at, y));
    }
  }
  EXPECT_EQ(f.callable()->eager_calls(), 0u);
  EXPECT_TRUE(f.callable()->breaks().empty());
  // Where the window is cut off, or begins at the end, eager has other sizes.
  Tensor y = numbers(2).view({1, 2});
  for (int64_t p : {7, 8, 9, -1, -3}) {
    Tensor at = frit::scalar_tensor(p, DType::i64);
    expect_equal(f(x, at, y), fn(x, at, y));
  }
}

TEST(Numbers, BelowWhatSizesCanBeAreCompiled) {
  const int64_t least = std::numeric_limits<int64_t>::min();
  auto fn = [=](Tensor x) { return std::tuple(x == least, x.fill(Scalar(least)), x + least); };
  auto f = compile(fn);
  Tensor x = tensor_from<int64_t>(std::vector<int64_t>{least, 0, 5}, std::vector<int64_t>{3});
  for (int i = 0; i < 2; ++i) {
    auto [a, b, c] = f(x);
    auto [d, e, g] = fn(x);
    EXPECT_EQ(a.to_vector<bool>(), d.to_vector<bool>());
    EXPECT_EQ(b.to_vector<int64_t>(), e.to_vector<int64_t>());
    EXPECT_EQ(c.to_vector<int64_t>(), g.to_vector<int64_t>());
  }
  EXPECT_EQ(f.callable()->eager_calls(), 0u);
}

TEST(InferenceMode, IsPartOfWhatAGraphIsFor) {
  auto add = compile([](Tensor w, Tensor z) { return w * z; });
  Tensor w = numbers(4).requires_grad_(), z = numbers(4), inside;
  {
    InferenceMode mode;
    inside = z * 1;
  }
  add(w, z);
  EXPECT_THROW(add(w, inside), UserError);
  EXPECT_EQ(add(w, z).requires_grad(), true);
  auto write = compile([](Tensor x) { return x.add_(1); });
  write(z);
  EXPECT_THROW(write(inside), UserError);

  auto made = compile([](Tensor x) {
    InferenceMode mode;
    return x * 2;
  });
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(made(z).is_inference());
  EXPECT_GT(made.callable()->calls() - made.callable()->eager_calls(), 0u);
  auto part = compile([](Tensor x) {
    InferenceMode mode;
    return x.slice(0, 0, 2);
  });
  for (int i = 0; i < 3; ++i) {
    Tensor whole = w * 2, view = part(whole);
    EXPECT_THROW(view.mul_(2), UserError);
  }
  auto plain = compile([](Tensor x) { return x * 2; });
  for (int i = 0; i < 3; ++i) {
    InferenceMode mode;
    EXPECT_TRUE(plain(z).is_inference());
  }
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(plain(z).is_inference());
}

// --- limits and errors ---

TEST(Limits, RecompilesAreLimitedAndSaid) {
  CompileOptions o = captured_only();
  o.recompile_limit = 2;
  auto f = compile([](Tensor x, int n) { return x + n; }, o);
  Tensor x = numbers(3);
  for (int n = 0; n < 5; ++n) expect_equal(f(x, n), x + n);
  EXPECT_EQ(f.callable()->all_entries().size(), 2u);
  auto breaks = f.callable()->breaks();
  ASSERT_EQ(breaks.size(), 1u);
  EXPECT_EQ(breaks[0].times, 3);
  EXPECT_EQ(breaks[0].stop.kind, "recompile_limit");
  EXPECT_NE(
      breaks[0].stop.text.find(
          "was compiled 2 times at one place and a guard failed again: number 0 was 1, now 2"),
      std::string::npos)
      << breaks[0].stop.text;
  EXPECT_EQ(breaks[0].stop.hint,
            "CompileOptions::recompile_limit, or pass what changes as a tensor");
  EXPECT_EQ(notice_count("recompile_limit:" + f.callable()->name()), 1);
  EXPECT_EQ(f.callable()->eager_calls(), 3u);
}

TEST(Limits, FullgraphRaises) {
  CompileOptions o = captured_only();
  o.fullgraph = true;
  auto by_value = compile([](Tensor x) { return x.sum() > 0 ? x : -x; }, o);
  std::string text = message_of([&] { by_value(numbers(3)); });
  EXPECT_NE(text.find("[compile] fullgraph: a tensor's value is read on the host"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("behaviour_test.cpp"), std::string::npos) << text;
  EXPECT_NE(text.find("try: item_int(), where(), or fullgraph = false"), std::string::npos) << text;
  auto by_host = compile(
      [](Tensor x) {
        host_call([] {});
        return x + 1;
      },
      o);
  text = message_of([&] { by_host(numbers(3)); });
  EXPECT_NE(text.find("[compile] fullgraph: a host_call ends the graph"), std::string::npos)
      << text;
  auto by_print = compile(
      [](Tensor x) {
        (void)x.str();
        return x + 1;
      },
      o);
  text = message_of([&] { by_print(numbers(3)); });
  EXPECT_NE(
      text.find(
          "[compile] fullgraph: a tensor's values are read on the host (to_vector, str, data)"),
      std::string::npos)
      << text;
}

// What cannot be captured: its kind and text, and the call gives what eager gives.
struct Uncapturable {
  const char* kind;
  const char* text;
  const char* hint;
  std::function<Tensor(Tensor)> fn;
};

struct Twice : autograd::Function<Twice> {
  static Tensor forward(autograd::Context&, const Tensor& x) { return x * 2; }
  static TensorList backward(autograd::Context&, const TensorList& g) { return {g[0] * 2}; }
};

std::vector<Uncapturable> uncapturable() {
  auto hooked = std::make_shared<Tensor>(frit::ones({3}).requires_grad_());
  hooked->register_hook([](const Tensor& g) { return g * 3; });
  auto loss = std::make_shared<Tensor>((frit::ones({3}).requires_grad_() * 2).sum());
  return {
      {"data_read", "a tensor's values are read on the host (to_vector, str, data)",
       "read them after the compiled call, or one number with item()",
       [](Tensor x) { return x * static_cast<double>(x.to_vector<float>()[0]); }},
      {"generator", "[_rand] draws from a generator of its own",
       "leave the generator out: the default one is part of the graph, and frit::manual_seed seeds "
       "it",
       [](Tensor x) { return x + frit::rand({x.size(0)}, std::make_shared<Generator>(5)); }},
      {"changed_state", "the callable ends with gradients switched on or off",
       "NoGrad or GradMode, which end with their scope",
       [](Tensor x) {
         Tensor y = x * 2;
         set_grad_enabled(!is_grad_enabled());
         return y;
       }},
      {"short_lived",
       "a tensor that no op of the callable made (of memory or of a file, or the old one of a "
       "variable the callable assigns) is gone at its end",
       "make it outside of the callable; state that changes: write into it, or pass it and return "
       "it",
       [](Tensor x) {
         std::vector<float> mean{.1f, .2f, .3f};
         return x - tensor_from<float>(mean, std::vector<int64_t>{3});
       }},
      {"backward", "backward() goes through ops that are not part of this graph",
       "compute the loss and its gradients in one compiled callable, or call backward() outside of "
       "it",
       [loss](Tensor x) {
         loss->backward({}, true);
         return x * 2;
       }},
      {"unsupported", "register_hook() cannot be part of a graph",
       "use the gradient after backward(): frit::autograd::grad(), or x.grad()",
       [w = frit::ones({3}).requires_grad_()](Tensor x) {
         Tensor y = w * x;
         y.register_hook([](const Tensor& g) { return g; });
         return y.detach();
       }},
      {"unsupported", "requires_grad_() cannot be part of a graph",
       "call it before the compiled call; detach() stops gradients inside",
       [](Tensor x) { return (x * 2).detach().requires_grad_().detach(); }},
      {"unsupported", "storage_offset() cannot be part of a graph",
       "read it outside of the compiled callable", [](Tensor x) { return x + x.storage_offset(); }},
      {"unsupported", "data() cannot be part of a graph",
       "read the memory after the compiled call, or one number with item()",
       [](Tensor x) { return x + x.data<float>()[0]; }},
      {"unsupported", "retain_grad() cannot be part of a graph",
       "frit::autograd::grad({loss}, {x}) gives the gradient of any tensor",
       [w = frit::ones({3}).requires_grad_()](Tensor x) {
         Tensor y = w * x;
         y.retain_grad();
         return y.detach();
       }},
      {"unsupported", "a frit::autograd::Function cannot be part of a graph",
       "call it outside of the compiled callable, or write it with ops that have gradients",
       [](Tensor x) { return Twice::apply(x + 1); }},
      {"unsupported", "a backward pass with create_graph cannot be part of a graph",
       "compute higher gradients outside of the compiled callable",
       [w = frit::ones({3}).requires_grad_()](Tensor x) {
         return autograd::grad({(w * w * x).sum()}, {w}, {}, false, true)[0].detach();
       }},
      {"unsupported", "a hook on a gradient cannot be part of a graph",
       "use the gradient after backward(), as x.grad(), or remove the hook",
       [hooked](Tensor x) { return autograd::grad({(*hooked * x).sum()}, {*hooked})[0]; }},
      {"value_after_backward", "a tensor's value is read after a backward pass of the same call",
       "read it after the compiled call",
       [w = frit::ones({3}).requires_grad_()](Tensor x) {
         Tensor l = (w * x).sum();
         l.backward();
         return x + l.item<double>();
       }},
      {"host_call_after_backward", "a host_call follows a backward pass of the same call",
       "make it after the compiled call",
       [w = frit::ones({3}).requires_grad_()](Tensor x) {
         (w * x).sum().backward();
         host_call([] {});
         return x + 1;
       }},
  };
}

TEST(Stops, AreNamedAndTheResultIsEagers) {
  for (const Uncapturable& u : uncapturable()) {
    SCOPED_TRACE(u.kind);
    auto f = compile(u.fn, captured_only());
    Tensor x = numbers(3);
    for (int i = 0; i < 5; ++i) expect_equal(f(x), u.fn(x));
    auto breaks = f.callable()->breaks();
    ASSERT_EQ(breaks.size(), 1u);
    EXPECT_EQ(breaks[0].stop.kind, u.kind);
    EXPECT_EQ(breaks[0].stop.text, u.text);
    EXPECT_EQ(breaks[0].stop.hint, u.hint);
    EXPECT_FALSE(breaks[0].stop.internal);
    EXPECT_NE(breaks[0].stop.where.text().find("behaviour_test.cpp:"), std::string::npos) << u.text;
    EXPECT_EQ(breaks[0].times, 3);  // then it is left alone
    EXPECT_GE(notice_count("compile_dropped:" + f.callable()->name()), 1);
    EXPECT_TRUE(f.callable()->all_entries().empty());
  }
}

TEST(Stops, TheNoticeSaysWhatWhereAndWhatToType) {
  auto f = compile([](Tensor x) { return x + x.storage_offset(); }, captured_only());
  int line = __LINE__ - 1;
  testing::internal::CaptureStderr();
  for (int i = 0; i < 5; ++i) f(numbers(3));
  std::string text = testing::internal::GetCapturedStderr();
  std::string place = "behaviour_test.cpp:" + std::to_string(line);
  EXPECT_EQ(text.substr(0, text.find("\n  at")),
            "frit: [compile] " + place +
                " runs eagerly from now on: storage_offset() cannot be part of a graph");
  EXPECT_NE(text.find("\n  at " + place + " in "), std::string::npos) << text;
  EXPECT_NE(text.find("\n  try: read it outside of the compiled callable\n"), std::string::npos)
      << text;
}

TEST(Stops, ARepeatedRunMustRepeat) {
  int calls = 0;
  auto f = compile(
      [&calls](Tensor x) {
        ++calls;
        Tensor y = calls > 1 ? x.cos() : x.sin();  // a side effect that decides
        if (y.sum().item<float>() > 100) return y;
        return y + 1;
      },
      captured_only());
  f(numbers(3, 1));
  std::string text =
      message_of([&] { f(numbers(3, 2)); });  // another value: the callable runs again
  EXPECT_NE(text.find("[compile] the callable did not repeat what it did before: it called cos "
                      "where it had called sin"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("frit::host_call for side effects"), std::string::npos) << text;
}

// --- a long run ---

TEST(Training, AThousandStepsWithAChangingRateAreOneEntry) {
  auto train = [](bool compiled) {
    manual_seed(3);
    nn::Linear net(4, 3);
    optim::AdamW adam(net.parameters(), {.lr = 1e-2});
    auto body = [&](Tensor x, Tensor y) {
      adam.zero_grad();
      Tensor loss = frit::cross_entropy(net(x), y);
      loss.backward();
      adam.step();
      return loss.detach();
    };
    auto step = compile(net, body);
    std::vector<float> losses;
    for (int i = 0; i < 1000; ++i) {
      adam.set_lr(1e-2 / (1 + i * 0.01));
      manual_seed(100 + static_cast<uint64_t>(i));
      Tensor x = frit::randn({Int(6 + i % 3), Int(4)}), y = frit::randint(3, {Int(6 + i % 3)});
      losses.push_back((compiled ? step(x, y) : body(x, y)).item<float>());
    }
    if (compiled) {
      EXPECT_EQ(step.callable()->all_entries().size(), 1u);
      EXPECT_EQ(step.callable()->eager_calls(), 0u);
    }
    return losses;
  };
  auto plain = train(false), compiled = train(true);
  for (size_t i = 0; i < plain.size(); ++i)
    ASSERT_NEAR(plain[i], compiled[i], 1e-4) << "step " << i;
}

TEST(Gradients, OfGradientsRunTheEntryAgain) {
  auto fn = [](Tensor x) { return (x.sin() * x).sum(); };
  auto f = compile(fn);
  for (int i = 0; i < 2; ++i) {
    Tensor x = numbers(5).requires_grad_(), y = numbers(5).requires_grad_();
    auto second = [](Tensor loss, Tensor at) {
      Tensor g = autograd::grad({loss}, {at}, {}, true, true)[0];
      return autograd::grad({g.square().sum()}, {at})[0];
    };
    auto p = second(f(x), x).to_vector<float>(), q = second(fn(y), y).to_vector<float>();
    for (size_t k = 0; k < p.size(); ++k) EXPECT_NEAR(p[k], q[k], 1e-5);
  }
}

}  // namespace
}  // namespace frit
