// Graphs that end after a number of ops: what is between them is carried over, whatever it is.
#include <frit/autograd.h>
#include <frit/nn.h>
#include <frit/ops.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "common.h"
#include "compile/callable.h"

namespace frit {
namespace {

using compiler::Entry;

CompileOptions pieces(int ops, Backend backend = Backend::eager) {
  CompileOptions o;
  o.backend = backend;
  o.ops_per_graph = ops;
  return o;
}

Tensor numbers(IntList sizes, uint64_t seed = 1) {
  manual_seed(seed);
  return frit::randn(sizes);
}

void expect_equal(const Tensor& a, const Tensor& b) {
  ASSERT_TRUE(a.impl()->sizes == b.impl()->sizes);
  EXPECT_EQ(a.detach().to_vector<float>(), b.detach().to_vector<float>());
}

template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const UserError& e) {
    return e.what();
  }
  return "nothing was raised";
}

TEST(OpsPerGraph, EveryGraphHasSoManyOps) {
  auto fn = [](Tensor x) { return (x * 2 + 1).relu() - x; };
  for (auto [ops, graphs] : {std::pair(1, 5u), {2, 3u}, {3, 2u}, {9, 1u}}) {
    auto f = compile(fn, pieces(ops));
    for (int64_t n : {3, 3, 5, 4}) {
      Tensor x = numbers({n}, static_cast<uint64_t>(n));
      expect_equal(f(x), fn(x));
    }
    auto entries = f.callable()->all_entries();
    ASSERT_EQ(entries.size(), graphs) << ops;
    for (size_t i = 0; i < entries.size(); ++i) {
      EXPECT_EQ(entries[i]->runs.load(), 3u);
      EXPECT_EQ(entries[i]->end == Entry::End::op_count, i + 1 < entries.size());
    }
    EXPECT_EQ(f.callable()->eager_calls(), 0u);
    EXPECT_TRUE(f.callable()->recompiles().empty());
  }
}

TEST(OpsPerGraph, IsSaidOnce) {
  auto f = compile([](Tensor x) { return (x * 2 + 1).relu(); }, pieces(1));
  f(numbers({3}));
  auto breaks = f.callable()->breaks();
  ASSERT_EQ(breaks.size(), 1u);
  EXPECT_EQ(breaks[0].stop.kind, "op_count");
  EXPECT_EQ(breaks[0].stop.text, "graphs end where ops_per_graph = 1 says");
  EXPECT_EQ(breaks[0].stop.hint, "ops_per_graph = 0");
  EXPECT_EQ(breaks[0].times, 3);
}

TEST(OpsPerGraph, TheEnvironmentGivesItWhereTheProgramDoesNot) {
  setenv("FRIT_OPS_PER_GRAPH", "1", 1);
  auto f = compile([](Tensor x) { return x * 2 + 1; }, captured_only());
  auto g = compile([](Tensor x) { return x * 2 + 1; }, pieces(2));
  unsetenv("FRIT_OPS_PER_GRAPH");
  f(numbers({3}));
  g(numbers({3}));
  EXPECT_EQ(f.callable()->all_entries().size(), 3u);
  EXPECT_EQ(g.callable()->all_entries().size(), 2u);
}

// A graph that begins where gradients are off serves calls that begin where they are on.
TEST(OpsPerGraph, GradModesInsideAreThePrograms) {
  auto fn = [](Tensor x) {
    Tensor scale;
    {
      NoGrad quiet;
      scale = x.abs().amax() + 1;
    }
    return x / scale;
  };
  auto f = compile(fn, pieces(1, Backend::aot_eager));
  for (uint64_t seed : {1, 2, 3}) {
    Tensor x = numbers({4}, seed).requires_grad_(), x2 = x.detach().clone().requires_grad_();
    f(x).sum().backward();
    fn(x2).sum().backward();
    expect_equal(x.grad(), x2.grad());
  }
  EXPECT_TRUE(f.callable()->recompiles().empty());
  EXPECT_EQ(f.callable()->all_entries()[0]->runs.load(), 2u);
  EXPECT_EQ(f.callable()->all_entries().back()->runs.load(), 2u);
}

// Tensors made in one graph that share memory, one written in a later one.
TEST(OpsPerGraph, ResultsThatShareMemoryAreOneInput) {
  auto fn = [](Tensor x) {
    Tensor y = x * 2, row = y.select(0, 1), rows = y.slice(0, 1, 3);
    rows.add_(1);
    Tensor first = row + 1;
    y.mul_(3);
    return first + row;
  };
  for (Backend backend : {Backend::eager, Backend::frit}) {
    auto f = compile(fn, pieces(1, backend));
    for (int64_t n : {4, 4, 4, 5, 6, 6}) {
      Tensor x = numbers({n, 3}, static_cast<uint64_t>(n));
      expect_equal(f(x), fn(x));
    }
    ASSERT_FALSE(f.callable()->all_entries().empty());
    EXPECT_GT(f.callable()->all_entries().back()->runs.load(), 0u);
  }
}

// What sizes() gave is the program's for as long as the tensor lives.
TEST(OpsPerGraph, SizesThatTheProgramHoldsStay) {
  auto fn = [](Tensor x) {
    auto sizes = x.sizes();
    Tensor y = x * 2;
    (void)bool(y.sum() > 1e9);
    return y + frit::full(sizes, 3.0);
  };
  for (CompileOptions o : {pieces(1), pieces(0)}) {
    auto f = compile(fn, o);
    for (int64_t n : {3, 4, 5}) {
      Tensor x = numbers({n, 5, 6, 7, 8, 9});
      expect_equal(f(x), fn(x));
    }
    EXPECT_EQ(f.callable()->eager_calls(), 0u);
    EXPECT_TRUE(f.callable()->recompiles().empty());
  }
}

// What later graphs ask of sizes is asked before earlier ones run: they were compiled knowing it.
TEST(OpsPerGraph, SizesThatLaterGraphsAskForAreGuardedFromTheBeginning) {
  for (int ops : {0, 1}) {
    auto fn = [](Tensor x) {
      Tensor y = x.sign();
      (void)bool(y.sum() > 1e9);
      Tensor z = y.size(0) > 2 ? -y : y + 1;
      return std::tuple(y, z);
    };
    auto f = compile(fn, pieces(ops, Backend::frit));
    for (int64_t n : {2, 2, 5, 5, 2, 7}) {
      Tensor x = numbers({n}, static_cast<uint64_t>(n));
      auto [y, z] = f(x);
      auto [y2, z2] = fn(x);
      expect_equal(y, y2);
      expect_equal(z, z2);
    }
    EXPECT_EQ(f.callable()->recompiles().size(), 1u);
  }
}

// The gradient that comes back through a transposition is transposed, as in eager.
TEST(OpsPerGraph, GradientsThroughATranspositionHaveItsStrides) {
  auto fn = [](Tensor q, Tensor k) { return (q * 2).matmul((k * 1).transpose(-2, -1)).exp(); };
  for (int ops : {1, 2, 3}) {
    auto f = compile(fn, pieces(ops));
    for (int i = 0; i < 2; ++i) {
      Tensor q = (numbers({2, 4, 3}) * 0.1).requires_grad_(), k = (numbers({2, 5, 3}) * 0.1);
      k.requires_grad_();
      auto eager = autograd::grad({fn(q, k).sum()}, {q, k});
      auto compiled = autograd::grad({f(q, k).sum()}, {q, k});
      for (size_t g = 0; g < 2; ++g) {
        expect_equal(compiled[g], eager[g]);
        EXPECT_EQ(compiled[g].impl()->strides, eager[g].impl()->strides);
      }
    }
  }
}

// A size from data that a later graph checks: nothing may have been computed with what it learns.
TEST(OpsPerGraph, ChecksOfDataSizesDoNotComeTooLate) {
  auto fn = [](Tensor x, Tensor k, Tensor m) {
    Tensor a = frit::ones({k.item_int(), 3}) * 2;
    return a + frit::ones({m.item_int(), 3}) * x;
  };
  auto f = compile(fn, pieces(1));
  auto number = [](int64_t n) { return frit::scalar_tensor(n, DType::i64); };
  Tensor x = numbers({3});
  for (auto [k, m] : {std::pair(4, 4), {4, 4}, {5, 5}, {2, 2}, {4, 5}, {6, 6}}) {
    auto run = [&](auto&& g) {
      return message_of([&, k = k, m = m] { g(x, number(k), number(m)); });
    };
    EXPECT_EQ(run(f), run(fn));
    if (k == m) expect_equal(f(x, number(k), number(m)), fn(x, number(k), number(m)));
  }
}

// Which ops a call consists of may depend on whether a tensor requires gradients, even one that
// was used up before the run is repeated.
TEST(OpsPerGraph, RepeatedRunsKnowWhatRequiredGradients) {
  auto fn = [](Tensor x, Tensor k) {
    Tensor y = x * 2;
    y = frit::cross_entropy(y, k);
    if (y.requires_grad()) y = y * 2;
    return y.item<float>() > 1e6 ? y : y + Scalar(x.size(0));
  };
  auto f = compile(fn, pieces(1, Backend::aot_eager));
  for (int64_t n : {3, 3, 4, 2, 3}) {
    Tensor x = numbers({n, 5}, static_cast<uint64_t>(n)).requires_grad_();
    Tensor x2 = x.detach().clone().requires_grad_(), k = frit::zeros({n}, kInt64);
    f(x, k).backward();
    fn(x2, k).backward();
    expect_equal(x.grad(), x2.grad());
  }
  for (const auto& b : f.callable()->breaks()) EXPECT_FALSE(b.stop.internal) << b.stop.text;
}

// backward() goes through graphs that have run: they are used, the rest of the callable is eager.
TEST(OpsPerGraph, ABackwardPassOfOtherGraphsRunsEagerly) {
  auto fn = [](Tensor x, Tensor w) {
    Tensor loss = frit::mm(x, w).tanh().square().sum();
    loss.backward();
    return loss.detach() * 2;
  };
  auto f = compile(fn, pieces(2, Backend::frit));
  Tensor w = numbers({3, 3}, 9).requires_grad_(), w2 = w.detach().clone().requires_grad_();
  for (int64_t n : {4, 4, 5, 2}) {
    Tensor x = numbers({n, 3}, static_cast<uint64_t>(n));
    expect_equal(f(x, w), fn(x, w2));
    expect_equal(w.grad(), w2.grad());
  }
  auto entries = f.callable()->all_entries();
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[2]->end, Entry::End::rest_is_eager);
  EXPECT_EQ(entries[2]->runs.load(), 3u);
  auto breaks = f.callable()->breaks();
  ASSERT_EQ(breaks.size(), 2u);
  EXPECT_EQ(breaks[1].stop.kind, "backward");
  EXPECT_EQ(breaks[1].stop.text, "backward() goes through ops that are not part of this graph");
}

}  // namespace
}  // namespace frit
