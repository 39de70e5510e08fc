// How far a callable may grow, and what is said of the calls it has no room for.
#include <frit/autograd.h>
#include <frit/compile.h>
#include <frit/ops.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "common.h"
#include "compile/callable.h"

namespace frit {
namespace {

using testing::HasSubstr;

Tensor numbers(std::initializer_list<int64_t> sizes, uint64_t seed) {
  manual_seed(seed);
  IntList n;
  for (int64_t s : sizes) n.push_back(Int(s));
  return frit::randn(n);
}

void expect_equal(const Tensor& a, const Tensor& b) {
  ASSERT_TRUE(a.impl()->sizes == b.impl()->sizes);
  EXPECT_EQ(a.to_vector<float>(), b.to_vector<float>());
}

void expect_close(const Tensor& a, const Tensor& b) {
  ASSERT_TRUE(a.impl()->sizes == b.impl()->sizes);
  auto u = a.detach().to_vector<float>(), v = b.detach().to_vector<float>();
  for (size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(u[i], v[i], 1e-4 * (1 + std::abs(u[i])));
}

const compiler::BreakRecord* break_of(const std::vector<compiler::BreakRecord>& all,
                                      std::string_view kind) {
  for (const auto& b : all)
    if (b.stop.kind == kind) return &b;
  return nullptr;
}

TEST(Values, AreLimitedAtEachPlaceAndTheRestRunsEagerly) {
  int runs = 0;
  auto fn = [&](Tensor x) {
    Tensor y = x * 3 + 1;
    ++runs;
    if (y.sum().item<float>() > 0) return y * 2 + Scalar(x.size(0));
    return y - x;
  };
  auto f = compile(fn, captured_only());
  for (int i = 0; i < 40; ++i) {
    Tensor x = numbers({2 + i % 3, 4}, static_cast<uint64_t>(i));
    expect_equal(f(x), fn(x));
  }
  EXPECT_EQ(f.callable()->all_entries().size(), 9u);  // up to the value, and after 8 of them
  EXPECT_EQ(f.callable()->eager_calls(), 32u);
  EXPECT_EQ(runs, 80);
  EXPECT_EQ(f.callable()->recompiles().size(), 7u);
  EXPECT_THAT(f.callable()->recompiles()[0].reason, HasSubstr("item() at limits_test.cpp:47 was "));
  EXPECT_EQ(f.callable()->all_entries()[0]->runs.load(), 39u);
  auto breaks = f.callable()->breaks();
  ASSERT_EQ(breaks.size(), 2u);
  const auto* read = break_of(breaks, "value_read");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->stop.text, "item() ends the graph: the program reads a tensor's value");
  EXPECT_EQ(read->stop.where.short_text(), "limits_test.cpp:47");
  const auto* limit = break_of(breaks, "value_limit");
  ASSERT_TRUE(limit);
  EXPECT_EQ(limit->times, 32);
  EXPECT_EQ(limit->stop.text,
            "item() at limits_test.cpp:47 has given " + f.callable()->name() +
                " more than 8 different values: what the program does with a number is not seen, "
                "so each value has graphs of its own, and after further values it runs eagerly");
  EXPECT_EQ(limit->stop.hint,
            "bool(condition) for a branch, item_int() for a size, frit::where() for a select");
  EXPECT_EQ(limit->stop.where.short_text(), "limits_test.cpp:47");
}

// The part before the value is not done twice: writes, random numbers, gradients.
TEST(Values, WhatCameBeforeIsNotRepeated) {
  auto fn = [](Tensor x, Tensor w, Tensor k) {
    Int n = k.item_int();
    k.add_(1);
    x.add_(1);
    Tensor noise = frit::rand(IntList{x.size(0), Int(3)});
    Tensor y = frit::mm(x * 2 + Scalar(n), w).tanh();
    double s = y.detach().sum().item<float>();
    x.mul_(2);
    Tensor more = frit::rand({3});
    return y * Scalar(s) + noise * Scalar(n) + more + x;
  };
  for (Backend backend : {Backend::eager, Backend::frit}) {
    CompileOptions o;
    o.backend = backend;
    o.recompile_limit = 2;
    auto f = compile(fn, o);
    for (int i = 0; i < 6; ++i) {
      auto seed = static_cast<uint64_t>(i);
      Tensor k = frit::scalar_tensor(i, DType::i64), k2 = k.clone();
      Tensor x3 = numbers({3 + i, 3}, seed), other3 = x3.clone();
      Tensor v = numbers({3, 3}, 7).requires_grad_(), v2 = v.detach().clone().requires_grad_();
      manual_seed(seed);
      Tensor a = f(x3, v, k);
      Tensor after_a = frit::rand({2});
      manual_seed(seed);
      Tensor b = fn(other3, v2, k2);
      expect_equal(after_a, frit::rand({2}));
      expect_close(a, b);
      expect_equal(x3, other3);
      EXPECT_EQ(x3.version(), other3.version());
      EXPECT_EQ(k.item<int64_t>(), k2.item<int64_t>());
      a.sum().backward();
      b.sum().backward();
      expect_close(v.grad(), v2.grad());
    }
    EXPECT_LE(f.callable()->all_entries().size(), 3u);
    // Four beyond the limit, and one that may have been recorded again.
    EXPECT_LE(f.callable()->eager_calls(), 5u);
    for (const auto& b : f.callable()->breaks()) EXPECT_FALSE(b.stop.internal) << b.stop.text;
  }
}

// A number that only the code after the value uses, or the caller.
TEST(Values, NumbersAreCarriedOverTheEndOfAGraph) {
  auto fn = [](Tensor x, Tensor k) {
    Int n = k.item_int();
    Tensor y = x * 3;
    if (bool(y.sum() > 0)) return y * Scalar(n);
    if (y.sum().item<float>() < -20) y = y * 2;
    return y + Scalar(n);
  };
  CompileOptions o;
  o.recompile_limit = 2;
  auto f = compile(fn, o);
  auto number = compile([](Tensor k) { return k.item_int(); });
  for (int i = 1; i < 6; ++i) {
    Tensor k = frit::scalar_tensor(i, DType::i64);
    for (double v : {1.0, -1.0 * i}) {
      Tensor x = frit::full({3}, v);
      expect_equal(f(x, k), fn(x, k));
    }
    EXPECT_EQ(number(k).hint(), i);
  }
  EXPECT_EQ(number.callable()->eager_calls(), 0u);
}

TEST(Values, KnownOnesKeepTheirCode) {
  auto f = compile([](Tensor x) { return x * x.sum().item<float>(); }, captured_only());
  for (int i = 0; i < 30; ++i) {
    Tensor x = frit::full({2}, double(i % 3));
    expect_equal(f(x), x * (2.0 * (i % 3)));
  }
  EXPECT_EQ(f.callable()->eager_calls(), 0u);
  EXPECT_FALSE(break_of(f.callable()->breaks(), "value_limit"));
}

TEST(Values, ALoopOverItemsEndsInEagerCode) {
  auto fn = [](Tensor x) {
    for (int i = 0; i < 20; ++i) {
      Tensor s = x.abs().sum();
      if (s.item<float>() < 1e-3) break;
      x = x * 0.7;
    }
    return x;
  };
  auto f = compile(fn, captured_only());
  for (int i = 0; i < 6; ++i) {
    Tensor x = numbers({5}, static_cast<uint64_t>(i));
    expect_equal(f(x), fn(x));
  }
  EXPECT_EQ(f.callable()->all_entries().size(), 9u);
  EXPECT_EQ(f.callable()->eager_calls(), 5u);
}

TEST(Values, ConditionsAreBoundedByTheNumberOfEntries) {
  auto fn = [](Tensor x) {
    Tensor y = x + 1;
    for (int i = 0; i < 10; ++i) y = bool(x.select(0, i) > 0) ? y * 2 : y + 1;
    return y;
  };
  auto f = compile(fn, captured_only());
  for (int i = 0; i < 150; ++i) {
    Tensor x = numbers({10}, static_cast<uint64_t>(i));
    expect_equal(f(x), fn(x));
  }
  EXPECT_LE(f.callable()->all_entries().size(), 256u);
  const auto breaks = f.callable()->breaks();
  const auto* full = break_of(breaks, "entry_limit");
  ASSERT_TRUE(full);
  EXPECT_GT(full->times, 1);
  EXPECT_EQ(full->stop.text,
            f.callable()->name() + " has 256 graphs; it runs eagerly where none fits");
}

TEST(Values, EndlessLoopsOfConditionsStayBounded) {
  auto fn = [](Tensor x) {
    int n = 0;
    while (x.sum() < 400) {
      x = x + 1;
      ++n;
    }
    return std::pair(x, n);
  };
  auto f = compile(fn, captured_only());
  for (int i = 0; i < 3; ++i) {
    auto [t, n] = f(frit::zeros({1}));
    EXPECT_EQ(n, 400);
    EXPECT_EQ(t.item<float>(), 400);
  }
  EXPECT_EQ(f.callable()->all_entries().size(), 256u);
}

TEST(Values, ExceptionsAfterTheLimitAreTheProgramsOwn) {
  auto fn = [](Tensor x) {
    x.add_(1);
    if (x.sum().item<float>() > 10) throw std::runtime_error("too much");
    return x * 2;
  };
  CompileOptions o = captured_only();
  o.recompile_limit = 1;
  auto f = compile(fn, o);
  f(frit::zeros({3}));
  f(frit::ones({3}));
  Tensor x = frit::full({3}, 9.0);
  EXPECT_THROW(f(x), std::runtime_error);
  expect_equal(x, frit::full({3}, 10.0));
  EXPECT_TRUE(is_grad_enabled());
  expect_equal(f(frit::zeros({3})), frit::full({3}, 2.0));
}

TEST(Limits, NumbersAreCountedNotListed) {
  auto f = compile([](Tensor x, int64_t n) { return x * n; }, captured_only());
  for (int i = 0; i < 100; ++i) expect_equal(f(frit::ones({3}), i), frit::full({3}, double(i)));
  EXPECT_EQ(f.callable()->all_entries().size(), 8u);
  auto breaks = f.callable()->breaks();
  ASSERT_EQ(breaks.size(), 1u);
  EXPECT_EQ(breaks[0].times, 92);
  EXPECT_THAT(breaks[0].stop.text, HasSubstr("number 0 was 7, now 8"));
}

Tensor with_hook(Tensor x) {
  Tensor y = x * 2;
  y.register_hook([](const Tensor& g) { return g; });
  return y;
}

TEST(Breaks, NameTheProgramsLine) {
  auto fn = [](Tensor x) { return with_hook(x + 1).sum(); };
  auto f = compile(fn, captured_only());
  for (int i = 0; i < 3; ++i) f(frit::ones({2}).requires_grad_());
  EXPECT_EQ(f.callable()->eager_calls(), 3u);
  ASSERT_EQ(f.callable()->breaks().size(), 1u);
  EXPECT_EQ(f.callable()->breaks()[0].stop.where.short_text(), "limits_test.cpp:243");
  CompileOptions o = captured_only();
  o.fullgraph = true;
  auto whole = compile(fn, o);
  try {
    whole(frit::ones({2}).requires_grad_());
    ADD_FAILURE() << "nothing was raised";
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), HasSubstr("at limits_test.cpp:243"));
  }
}

TEST(Breaks, AWrittenLeafHasAHintThatHelps) {
  auto f = compile(
      [](Tensor x) {
        {
          NoGrad quiet;
          x.mul_(2);
        }
        return x.sum();
      },
      captured_only());
  f(frit::ones({2}).requires_grad_());
  auto breaks = f.callable()->breaks();
  ASSERT_EQ(breaks.size(), 1u);
  EXPECT_EQ(breaks[0].stop.text,
            "arg0 requires a gradient, is written, and gradients of the result are wanted");
  EXPECT_EQ(breaks[0].stop.hint,
            "write it before or after the compiled call, or return detach()ed results where no "
            "gradient is needed");
  EXPECT_THAT(breaks[0].stop.where.short_text(), HasSubstr("limits_test.cpp:"));
}

// A capture that is dropped is so for arguments like those: other sizes are compiled, and what was
// compiled is used.
TEST(Limits, ADroppedCaptureLeavesOtherSizesAlone) {
  auto fn = [](Tensor x) { return x.size(0) < 2 ? x + x.storage_offset() : x * 2; };
  auto later = compile(fn, captured_only()), before = compile(fn, captured_only());
  expect_equal(before(numbers({6, 4}, 1)), fn(numbers({6, 4}, 1)));
  for (int64_t rows : {1, 1, 1, 1, 1, 0, 5, 7, 5}) {
    Tensor x = numbers({rows, 4}, static_cast<uint64_t>(rows));
    expect_equal(later(x), fn(x));
    expect_equal(before(x), fn(x));
  }
  for (auto* f : {&later, &before}) {
    EXPECT_EQ(f->callable()->eager_calls(), 6u);
    EXPECT_EQ(f->callable()->all_entries().size(), 1u);
    EXPECT_EQ(f->callable()->breaks()[0].times, 4);  // three of one row, and one of none
  }
}

// However many sorts of arguments there are, captures that are dropped come to an end.
TEST(Limits, DroppedCapturesAreBounded) {
  auto fn = [](Tensor x) { return x + x.storage_offset(); };
  auto f = compile(fn, captured_only());
  for (int call = 0; call < 5; ++call)
    for (int dims = 1; dims < 12; ++dims) {
      IntList sizes(static_cast<size_t>(dims), 1);
      expect_equal(f(frit::ones(sizes)), fn(frit::ones(sizes)));
    }
  EXPECT_EQ(f.callable()->breaks()[0].times, 3 * 8);
}

}  // namespace
}  // namespace frit
