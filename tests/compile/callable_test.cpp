// frit::compile on small programs: the first call, cached calls, other sizes, the ends of entries.
#include "compile/callable.h"

#include <frit/autograd.h>
#include <frit/compile.h>
#include <frit/indexing.h>
#include <frit/nn.h>
#include <frit/ops.h>
#include <frit/optim.h>
#include <gtest/gtest.h>

namespace frit {
namespace {

class OnBackend : public testing::TestWithParam<Backend> {
 protected:
  CompileOptions options() const {
    CompileOptions o;
    o.backend = GetParam();
    return o;
  }
};

Tensor randn(std::initializer_list<int64_t> sizes, uint64_t seed) {
  manual_seed(seed);
  IntList n;
  for (int64_t s : sizes) n.push_back(Int(s));
  return frit::randn(n);
}

void expect_same(const Tensor& a, const Tensor& b, double tolerance = 0) {
  ASSERT_EQ(a.defined(), b.defined());
  ASSERT_EQ(a.dtype(), b.dtype());
  ASSERT_TRUE(a.impl()->sizes == b.impl()->sizes);
  ASSERT_TRUE(a.impl()->strides == b.impl()->strides);
  Tensor x = a.detach().to(kFloat64), y = b.detach().to(kFloat64);
  auto u = x.to_vector<double>(), v = y.to_vector<double>();
  for (size_t i = 0; i < u.size(); ++i) {
    if (std::isnan(u[i]) && std::isnan(v[i])) continue;
    ASSERT_LE(std::abs(u[i] - v[i]), tolerance * std::max(1.0, std::abs(u[i])))
        << "element " << i << ": " << u[i] << " and " << v[i];
  }
}

// What the data said while it was recorded is checked in each run: else eager goes on.
TEST(Callable, NumbersOfTensorsThatAreOtherwise) {
  const std::vector<std::function<Tensor(Tensor, Int)>> forms = {
      [](Tensor x, Int k) { return x.select(0, k) * 2; },
      [](Tensor x, Int k) { return x.slice(0, k) * 2; },
      [](Tensor x, Int k) { return x.slice(0, k); },
      [](Tensor x, Int k) { return x.slice(0, 0, k).unsqueeze(0).exp(); },
      [](Tensor x, Int k) { return x.detach().reshape({k, -1}) * 2 + x.sum(); },
      [](Tensor x, Int k) { return x.index({x > 4 - k}).slice(0, -2) * 1; },
      [](Tensor x, Int k) { return x.index({x > 4 - k}).amax(); },
      [](Tensor x, Int k) { return (x * 1).index_put_({k}, 5.0); }};
  for (size_t i = 0; i < forms.size(); ++i) {
    auto f = compile([&form = forms[i]](Tensor x, Tensor n) { return form(x, n.item_int()); });
    for (int64_t k : {2, 2, 3, 0, -1, 1, -3, 6, 7, -7}) {
      SCOPED_TRACE(testing::Message() << "form " << i << ", " << k);
      auto run = [&](auto&& g) {
        Tensor x = arange(6, kFloat32).requires_grad_();
        std::vector<float> found;
        try {
          Tensor y = g(x, full({}, k, kInt64));
          found = y.detach().to_vector<float>();
          y.sum().backward();
          for (float v : x.grad().to_vector<float>()) found.push_back(v);
        } catch (const UserError& e) {
          found = {-1000, static_cast<float>(e.message().size())};
        }
        return found;
      };
      EXPECT_EQ(run(f), run(f.eager()));
    }
  }
}

// The second value of an Int makes it a symbol; 0 and 1 are themselves.
TEST(Callable, IntArgumentsThatChangeAreSymbols) {
  auto f = compile([](Tensor x, Int k) {
    Tensor y = x.slice(0, k, k + 2) * k;
    if ((y.sum() > 0).item<bool>()) y = y + k;
    return std::pair{y, k + 1};
  });
  Tensor x = arange(40, kFloat32) - 8;
  for (int64_t k : {7, 9, 30, 3, 38, 12, 4, 5, 6, 8, 10}) {
    auto [a, n] = f(x, k);
    auto [b, m] = f.eager()(x, k);
    EXPECT_EQ(a.to_vector<float>(), b.to_vector<float>()) << k;
    EXPECT_EQ(n.constant(), m.constant());
  }
  EXPECT_LE(f.callable()->all_entries().size(), 6u);  // by 7, by any, and both sides of each
  EXPECT_EQ(f.callable()->eager_calls(), 0u);

  auto off =
      compile([](Tensor t, Int k) { return t * k; }, CompileOptions{.dynamic = Dynamic::off});
  for (int64_t k : {2, 3, 4}) off(x, k);
  EXPECT_EQ(off.callable()->all_entries().size(), 3u);
}

TEST_P(OnBackend, PointwiseOneEntryForAllSizes) {
  auto fn = [](Tensor x, Tensor y) { return frit::relu(x * y + 1.0); };
  auto f = compile(fn, options());
  for (int64_t n : {4, 7, 16, 33}) {
    Tensor x = randn({n, 3}, 1), y = randn({n, 3}, 2);
    expect_same(f(x, y), fn(x, y));
    expect_same(f(x, y), fn(x, y));
  }
  EXPECT_EQ(f.callable()->all_entries().size(), 1u);
  EXPECT_TRUE(f.callable()->breaks().empty());
  EXPECT_EQ(f.callable()->eager_calls(), 0u);
}

TEST_P(OnBackend, SizeBranch) {
  auto fn = [](Tensor x) {
    if (x.size(0) % 2 == 0) return x.view({x.size(0) / 2, 2, -1}).sum({1});
    return x * 2;
  };
  auto f = compile(fn, options());
  for (int64_t n : {4, 6, 5, 7, 8}) {
    Tensor x = randn({n, 3}, 1);
    expect_same(f(x), fn(x), 1e-6);
  }
  EXPECT_EQ(f.callable()->all_entries().size(), 2u);
}

TEST_P(OnBackend, ItemEndsTheEntry) {
  auto fn = [](Tensor x) {
    Tensor y = x + 1;
    if (y.max().item<float>() > 3) y = y / 10;
    return y * 2;
  };
  auto f = compile(fn, options());
  Tensor small = full({5}, 1.0), large = full({5}, 7.0);
  for (int i = 0; i < 3; ++i) {
    expect_same(f(small), fn(small));
    expect_same(f(large), fn(large));
  }
}

TEST_P(OnBackend, WritesAreSeen) {
  auto fn = [](Tensor x) {
    x.add_(1);
    Tensor row = x.select(0, 1);
    row.mul_(2);
    return x.sum();
  };
  auto f = compile(fn, options());
  Tensor a = randn({3, 4}, 3), b = a.clone();
  for (int i = 0; i < 3; ++i) {
    uint64_t before = a.version();
    Tensor ra = f(a);
    EXPECT_EQ(a.version() - before, 2u);
    Tensor rb = fn(b);
    expect_same(ra, rb, 1e-6);
    expect_same(a, b);
  }
}

TEST_P(OnBackend, OutputsAlias) {
  auto fn = [](Tensor x) { return std::make_tuple(x, x.view({-1}), frit::relu(x).t()); };
  auto f = compile(fn, options());
  Tensor x = randn({3, 4}, 3);
  for (int i = 0; i < 3; ++i) {
    auto [same, flat, fresh] = f(x);
    EXPECT_TRUE(same.is_same(x));
    EXPECT_TRUE(flat.shares_storage_with(x));
    expect_same(fresh, frit::relu(x).t());
  }
}

TEST_P(OnBackend, Gradients) {
  auto fn = [](Tensor x, Tensor w) { return frit::relu(frit::mm(x, w)).square().sum(); };
  auto f = compile(fn, options());
  for (int64_t n : {4, 5, 9}) {
    Tensor x = randn({n, 3}, 1), w1 = randn({3, 6}, 2), w2 = w1.clone();
    w1.requires_grad_();
    w2.requires_grad_();
    for (int i = 0; i < 2; ++i) {
      Tensor a = f(x, w1), b = fn(x, w2);
      expect_same(a, b, 1e-6);
      a.backward();
      b.backward();
      expect_same(w1.grad(), w2.grad(), 1e-5);
    }
  }
}

TEST_P(OnBackend, RandomNumbersAreEagers) {
  auto fn = [](Tensor x) {
    return frit::dropout(x, 0.5, true) + frit::rand(IntList{x.size(0), Int(3)});
  };
  auto f = compile(fn, options());
  Tensor x = full({8, 3}, 1.0);
  for (int i = 0; i < 3; ++i) {
    manual_seed(40 + static_cast<uint64_t>(i));
    Tensor a = f(x), a2 = f(x);
    manual_seed(40 + static_cast<uint64_t>(i));
    Tensor b = fn(x), b2 = fn(x);
    expect_same(a, b);
    expect_same(a2, b2);
  }
}

TEST_P(OnBackend, UserErrorsPassThrough) {
  auto f = compile([](Tensor x, Tensor y) { return frit::mm(x, y); }, options());
  Tensor x = randn({3, 4}, 1), y = randn({4, 2}, 1);
  f(x, y);
  f(x, y);
  EXPECT_THROW(f(x, randn({5, 2}, 1)), UserError);
  expect_same(f(x, y), frit::mm(x, y), 1e-6);
}

struct Net : nn::Module {
  nn::LayerNorm norm{*this, "norm", 8};
  nn::Linear up{*this, "up", 8, 16}, down{*this, "down", 16, 8}, head{*this, "head", 8, 4};
  nn::Dropout drop{*this, "drop", 0.1};
  Tensor forward(Tensor x) {
    Tensor h = frit::relu(up(norm(x))).square();
    return head(x + drop(down(h)));
  }
};

TEST_P(OnBackend, WholeTrainingStepIsOneEntry) {
  auto train = [&](bool compiled) {
    manual_seed(7);
    Net net;
    optim::AdamW adam(net.parameters(), {.lr = 1e-2});
    auto body = [&](Tensor x, Tensor y) {
      adam.zero_grad();
      Tensor loss = frit::cross_entropy(net.forward(x), y);
      loss.backward();
      adam.step();
      return loss.detach();
    };
    auto step = compile(net, body, options());
    std::vector<double> losses;
    for (int i = 0; i < 8; ++i) {
      int64_t n = i == 5 ? 11 : 16;
      manual_seed(100 + static_cast<uint64_t>(i));
      Tensor x = frit::randn({n, 8}), y = frit::randint(4, {n}, kInt64);
      losses.push_back((compiled ? step(x, y) : body(x, y)).item<double>());
    }
    if (compiled) {
      EXPECT_EQ(step.callable()->all_entries().size(), 1u);
      for (auto& b : step.callable()->breaks()) ADD_FAILURE() << b.stop.kind << ": " << b.stop.text;
      EXPECT_EQ(step.callable()->eager_calls(), 0u);
    }
    return losses;
  };
  auto eager = train(false), compiled = train(true);
  for (size_t i = 0; i < eager.size(); ++i)
    EXPECT_NEAR(eager[i], compiled[i], 1e-5) << "step " << i;
}

std::string backend_name(const testing::TestParamInfo<Backend>& info) {
  static const char* const kNames[] = {"eager", "aot_eager", "aot_eager_decomp", "frit"};
  return kNames[static_cast<int>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(Backends, OnBackend,
                         testing::Values(Backend::eager, Backend::aot_eager,
                                         Backend::aot_eager_decomp, Backend::frit),
                         backend_name);

}  // namespace
}  // namespace frit
