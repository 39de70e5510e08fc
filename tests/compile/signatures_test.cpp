// What frit::compile takes: callables of all kinds, modules and their forwards, structs.
#include <frit/frit.h>
#include <gtest/gtest.h>

#include <memory>

#include "common.h"
#include "compile/callable.h"

namespace frit {
namespace {

std::vector<float> list(const Tensor& t) { return t.detach().to_vector<float>(); }

// Two calls, the second from the entry of the first: both give what `eager` gives.
template <class C, class... A>
void expect_compiled(const C& compiled, const Tensor& eager, const A&... args) {
  for (int i = 0; i < 2; ++i) EXPECT_EQ(list(compiled(args...)), list(eager));
  EXPECT_EQ(compiled.callable()->all_entries().size(), 1u);
  EXPECT_TRUE(compiled.callable()->breaks().empty());
  EXPECT_EQ(compiled.callable()->eager_calls(), 0u);
}

Tensor plain(Tensor x) { return x + 1; }
Tensor plain_noexcept(const Tensor& x) noexcept { return x + 1; }
const Tensor& first(const Tensor& x, const Tensor&) { return x; }
struct AddOne {
  Tensor operator()(Tensor x) const { return x + 1; }
};

TEST(Callables, OfAllKinds) {
  Tensor x = frit::arange(6).to(kFloat32), y = x + 1;
  CompileOptions o = captured_only();
  expect_compiled(compile([](Tensor x) noexcept { return x + 1; }, o), y, x);
  expect_compiled(compile<Tensor(Tensor)>([](auto x) { return x + 1; }, o), y, x);
  expect_compiled(compile(plain, o), y, x);
  expect_compiled(compile(&plain, o), y, x);
  expect_compiled(compile(plain_noexcept, o), y, x);
  expect_compiled(compile(first, o), x, x, y);
  expect_compiled(compile(AddOne(), o), y, x);
  const AddOne add;
  expect_compiled(compile(add, o), y, x);
  std::function<Tensor(const Tensor&, int)> fn = [](const Tensor& x, int n) { return x + n; };
  expect_compiled(compile(fn, o), y, x, 1);
}

TEST(Callables, EmptyOnesAreRefused) {
  auto text = [](auto fn) {
    try {
      compile(fn);
    } catch (const UserError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  for (const std::string& t :
       {text(std::function<Tensor(Tensor)>()), text(static_cast<Tensor (*)(Tensor)>(nullptr))}) {
    EXPECT_NE(t.find("[compile] the callable is an empty std::function or a null pointer"),
              std::string::npos)
        << t;
    EXPECT_NE(t.find("signatures_test.cpp"), std::string::npos) << t;
  }
}

TEST(Callables, WhatCannotBeCopied) {
  Tensor x = frit::arange(3).to(kFloat32);
  auto number = std::make_unique<int>(3);
  auto f = compile([n = std::move(number)](Tensor x) { return x * *n; }, captured_only());
  auto g = f;  // shares the callable and its entries
  expect_compiled(f, x * 3, x);
  expect_compiled(g, x * 3, x);
}

struct Shift : nn::Module {
  Shift() { register_parameter("by", by, frit::ones({1})); }
  Tensor forward(Tensor x) const { return x + by; }
  nn::Parameter by;
};
struct Parent : nn::Module {
  Parent() { register_parameter("by", by, frit::ones({1})); }
  Tensor forward(const Tensor& x, Tensor y, double s) { return x + y * s + by; }
  virtual Tensor other(Tensor x) noexcept { return x - by; }
  nn::Parameter by;
};
struct Child : Parent {};
struct Several : nn::Module {
  Tensor forward(Tensor x) { return x * 2; }
  Tensor forward(Tensor x, Tensor y) const { return x * y; }
};
struct Generic : nn::Module {
  template <class T>
  T forward(T x) {
    return x * 3;
  }
};

TEST(Modules, ForwardsOfAllKinds) {
  Tensor x = frit::arange(4).to(kFloat32);
  CompileOptions o = captured_only();
  Shift shift;
  expect_compiled(compile(shift, o), shift.forward(x), x);
  Child child;
  expect_compiled(compile(child, o), child.forward(x, x, 2), x, x, 2.0);
  expect_compiled(compile(child, &Child::other, o), child.other(x), x);
  Several several;
  expect_compiled(compile<Tensor(Tensor)>(several, o), x * 2, x);
  expect_compiled(compile<Tensor(Tensor, Tensor)>(several, o), x * x, x, x);
  Generic generic;
  expect_compiled(compile<Tensor(Tensor)>(generic, o), x * 3, x);
  nn::Linear linear(4, 2);
  expect_compiled(compile(linear, o), linear(x), x);
  nn::Sequential row;
  row.add<nn::Linear>(4, 2);
  row.add<nn::ReLU>();
  expect_compiled(compile(row, o), row(x), x);
  child.by = frit::full({1}, 5.0);
  EXPECT_EQ(list(compile(child, o)(x, x, 2)), list(x * 3 + 5));
}

TEST(Modules, HooksOfALayerRunAndAreGuarded) {
  nn::Linear linear(4, 2);
  Tensor x = frit::arange(4).to(kFloat32);
  auto whole = compile(linear, captured_only());
  auto inside = compile(linear, [&](Tensor x) { return linear(x) + 1; }, captured_only());
  auto expect = [&] {
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(list(whole(x)), list(linear(x)));
      EXPECT_EQ(list(inside(x)), list(linear(x) + 1));
    }
  };
  expect();
  uint64_t one = linear.register_forward_hook(
      [](nn::Module&, const Tensor&, const Tensor& y) { return y * 2; });
  expect();
  linear.register_forward_pre_hook([](nn::Module&, const Tensor& x) { return x - 1; });
  expect();
  linear.remove_hook(one);
  expect();
  EXPECT_EQ(inside.callable()->all_entries().size(), 4u);
  EXPECT_EQ(inside.callable()->eager_calls(), 0u);
}

struct Output {
  Tensor logits;
  std::optional<Tensor> loss;
  std::vector<Tensor> hidden;
  int64_t rows;
};
enum class Kind { sum, mean };
struct Pair {
  Output a;
  std::array<Tensor, 2> both;
  Kind kind;
};

TEST(Values, StructsEnumsAndArrays) {
  auto f = compile(
      [](Pair p, std::tuple<Tensor, bool> t) {
        p.a.logits = p.a.logits * (p.kind == Kind::mean ? 2 : 3);
        if (std::get<1>(t)) p.a.loss = p.a.logits.sum();
        p.a.hidden = {p.both[0], p.both[1] + 1};
        return p;
      },
      captured_only());
  Tensor x = frit::ones({2, 3});
  for (int i = 0; i < 2; ++i) {
    Pair p = f({{x, {}, {}, 7}, {x, x * 5}, Kind::mean}, {x, true});
    EXPECT_EQ(list(p.a.logits), list(x * 2));
    ASSERT_TRUE(p.a.loss);
    EXPECT_EQ(p.a.loss->item<float>(), 12);
    ASSERT_EQ(p.a.hidden.size(), 2u);
    EXPECT_TRUE(p.a.hidden[0].is_same(p.both[0]));
    EXPECT_EQ(list(p.a.hidden[1]), list(x * 6));
    EXPECT_EQ(p.a.rows, 7);
    EXPECT_EQ(p.kind, Kind::mean);
  }
  Pair p = f({{x, x, {x}, 7}, {x, x}, Kind::sum}, {x, false});
  EXPECT_EQ(list(p.a.logits), list(x * 3));
  EXPECT_TRUE(p.a.loss->is_same(x));
  EXPECT_EQ(f.callable()->all_entries().size(), 2u);
}

TEST(Values, EveryInteger) {
  auto f = compile([](Tensor x, int64_t a, uint64_t b) { return std::tuple(x + 1, a, b); },
                   captured_only());
  Tensor x = frit::ones({2});
  int64_t low = std::numeric_limits<int64_t>::min();
  uint64_t high = std::numeric_limits<uint64_t>::max();
  for (int i = 0; i < 2; ++i) {
    auto [y, a, b] = f(x, low, high);
    EXPECT_EQ(a, low);
    EXPECT_EQ(b, high);
  }
  auto g = compile([](Tensor x) { return x.item<int64_t>() < 0 ? x + 1 : x; }, captured_only());
  Tensor least = frit::full({}, Scalar(low), kInt64);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(g(least).item<int64_t>(), low + 1);
}

TEST(Schedules, CompiledOrNotNothingIsCompiledAgain) {
  auto train = [](bool compiled) {
    Tensor w = frit::ones({3}).requires_grad_();
    optim::SGD sgd({w}, {.lr = 0.5});
    optim::CosineAnnealingLR cosine(sgd, 7, 0.01);
    auto step = compile(
        [&](Tensor x) {
          sgd.zero_grad();
          Tensor loss = (w * x).square().sum();
          loss.backward();
          optim::clip_grad_norm_({w}, 1.0);
          sgd.step();
          cosine.step();
          return loss.detach();
        },
        captured_only());
    Tensor x = frit::arange(3).to(kFloat32);
    for (int i = 0; i < 10; ++i) compiled ? step(x) : step.eager()(x);
    if (compiled) {
      EXPECT_EQ(step.callable()->all_entries().size(), 1u);
      EXPECT_EQ(step.callable()->eager_calls(), 0u);
    }
    EXPECT_EQ(cosine.step_count(), 10);
    auto all = list(w);
    all.push_back(static_cast<float>(cosine.last_lr()[0]));
    return all;
  };
  EXPECT_EQ(train(true), train(false));
}

TEST(Sizes, AConversionToANumberIsAKey) {
  auto f = compile([](Tensor x) { return x / static_cast<double>(x.size(0)); }, captured_only());
  for (int64_t n : {3, 4, 3, 4}) {
    Tensor x = frit::ones({n});
    EXPECT_EQ(list(f(x)), list(x / static_cast<double>(n)));
  }
  EXPECT_EQ(f.callable()->all_entries().size(), 2u);
}

}  // namespace
}  // namespace frit
