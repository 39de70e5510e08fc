// Ops that are other ops put together, and what programs written for libtorch call besides. The
// values are torch 2.13's.
#include <frit/autograd.h>
#include <frit/ops.h>
#include <frit/print.h>

#include <cmath>
#include <sstream>

#include "eager/common.h"
#include "eager/dispatch.h"

namespace frit::test {
namespace {

void expect_near(const Tensor& t, const std::vector<double>& wanted,
                 const std::vector<int64_t>& sizes) {
  ASSERT_EQ(std::vector<int64_t>(t.impl()->sizes.begin(), t.impl()->sizes.end()), sizes);
  std::vector<double> now = t.detach().to(DType::f64).to_vector<double>();
  ASSERT_EQ(now.size(), wanted.size());
  for (size_t i = 0; i < now.size(); ++i) {
    if (now[i] == wanted[i]) continue;
    EXPECT_NEAR(now[i], wanted[i], 2e-6 * std::max(1.0, std::abs(wanted[i]))) << i;
  }
}

Tensor counted(std::vector<int64_t> sizes, double by = 1, double from = 0, int64_t wrap = 1000) {
  int64_t n = 1;
  for (int64_t s : sizes) n *= s;
  std::vector<double> v;
  for (int64_t i = 0; i < n; ++i) v.push_back(static_cast<double>(i % wrap) * by + from);
  return make(std::move(v), std::move(sizes));
}

TEST(Einsum, Values) {
  Tensor a = counted({2, 3}), b = counted({3, 4}, 0.5, -2), x = counted({2, 2, 3}, 0.25, -1),
         y = counted({2, 3, 2}, 0.5, -2), square = counted({3, 3}), two = counted({2, 2});
  using L = TensorList;
  expect_near(einsum("ij,jk->ik", L{a, b}), {4, 5.5, 7, 8.5, 4, 10, 16, 22}, {2, 4});
  expect_near(einsum("ij, jk", L{a, b}), {4, 5.5, 7, 8.5, 4, 10, 16, 22}, {2, 4});
  expect_near(einsum("ij->ji", L{a}), {0, 3, 1, 4, 2, 5}, {3, 2});
  EXPECT_TRUE(einsum("ij->ji", L{a}).shares_storage_with(a));
  expect_near(einsum("ba", L{a}), {0, 3, 1, 4, 2, 5}, {3, 2});
  expect_near(einsum("ii", L{square}), {12}, {});
  expect_near(einsum("ii->i", L{square}), {0, 4, 8}, {3});
  expect_near(einsum("ij->", L{a}), {15}, {});
  expect_near(einsum("ij,ij->i", L{a, a}), {5, 50}, {2});
  expect_near(einsum("i,j->ij", L{a[0], b[0]}), {0, 0, 0, 0, -2, -1.5, -1, -0.5, -4, -3, -2, -1},
              {3, 4});
  expect_near(einsum("bij,bjk->bik", L{x, y}), {2.75, 1.625, 0.5, 0.5, 5, 6.125, 9.5, 11.75},
              {2, 2, 2});
  expect_near(einsum("...ij,...jk->...ik", L{x, y}), {2.75, 1.625, 0.5, 0.5, 5, 6.125, 9.5, 11.75},
              {2, 2, 2});
  expect_near(einsum("ij,kj->ik", L{a, a}), {5, 14, 14, 50}, {2, 2});
  expect_near(einsum("bij,bjk,ki->b", L{x, y, two}), {5.25, 57}, {2});
  expect_near(einsum("...i,i->...", L{x, a[0]}), {-1.75, 0.5, 2.75, 5}, {2, 2});
  expect_near(einsum("i...,i->...", L{a, vec({1, -1})}), {-3, -3, -3}, {3});
  Tensor w = leaf({1, 2, 3, 4}, {2, 2});
  einsum("ij,jk->ik", L{w, w}).sum().backward();
  expect_near(w.grad(), {7, 11, 9, 13}, {2, 2});
}

TEST(Einsum, Errors) {
  Tensor a = counted({2, 3}), cube = counted({2, 2, 3});
  auto said = [](const char* equation, TensorList tensors) {
    return error_of([&] { einsum(equation, tensors); });
  };
  EXPECT_THAT(said("ij,jk->ik", {a}),
              StartsWith("[einsum] the equation has 2 operands, 1 were given"));
  EXPECT_THAT(said("ij->i", {cube}),
              HasSubstr("the number of subscripts in the equation (2) does not match the number of "
                        "dimensions (3) for operand 0"));
  EXPECT_THAT(said("i1->i", {a}), HasSubstr("invalid subscript '1' in operand 0: subscripts must "
                                            "be in [a-zA-Z]"));
  EXPECT_THAT(said("ij->ii", {a}),
              HasSubstr("output subscript i appears more than once in the output"));
  EXPECT_THAT(said("ij->k", {a}), HasSubstr("output subscript k does not appear in the equation "
                                            "for any input operand"));
  EXPECT_THAT(said("ij,jk->ik", {a, a}),
              HasSubstr("operands do not broadcast: subscript j has size 2 for operand 1 and 3 "
                        "before"));
  EXPECT_THAT(said("ii->i", {a}), HasSubstr("subscript i is repeated for operand 0 but the sizes "
                                            "don't match, 3 != 2"));
  EXPECT_THAT(said(".i->i", {a}), HasSubstr("found '.' in operand 0 that is not part of a single "
                                            "ellipsis"));
  EXPECT_THAT(said("", {}), HasSubstr("must provide at least one operand"));
}

TEST(Losses, BinaryCrossEntropy) {
  Tensor p = leaf({0.1, 0.5, 0.9, 0, 1}), t = leaf({0, 1, 1, 1, 0.25});
  expect_near(binary_cross_entropy(p, t, {}, 1), {35.180774}, {});
  expect_near(binary_cross_entropy(p, t, vec({1, 2, 3, 0.5, 1}), 0),
              {0.105361, 1.386294, 0.316082, 50, 75}, {5});
  Tensor loss = binary_cross_entropy(p, t, vec({1, 2, 3, 0.5, 1}), 2);
  expect_near(loss, {126.807732}, {});
  loss.backward();
  expect_near(p.grad(), {1.1111111, -4, -3.3333333, -5e11, 7.5e11}, {5});
  expect_near(t.grad(), {2.197225, 0, -6.591674, INFINITY, -INFINITY}, {5});
  Tensor wide = counted({2, 3}).t() / 6;
  EXPECT_EQ(binary_cross_entropy(wide, wide, {}, 0).strides(), wide.strides());
  EXPECT_THAT(error_of([&] { binary_cross_entropy(p, vec({1, 0})); }),
              StartsWith("[binary_cross_entropy] the target's sizes [2] are other than the input's "
                         "[5]"));
}

TEST(Losses, GradientsAreCutOffWhereTheDifferenceIsBeyondTheNumbers) {
  const double inf = INFINITY, huge = 1e308;
  const Tensor target = vec({0, 0, -huge, huge, 0, 0});
  for (bool huber : {false, true}) {
    Tensor x = leaf({inf, -inf, huge, -huge, 0.5, -2});
    Tensor loss = huber ? huber_loss(x, target, 0) : smooth_l1_loss(x, target, 0);
    loss.backward(ones({6}, kFloat64));
    EXPECT_THAT(values(x.grad()), ElementsAre(1, -1, 1, -1, 0.5, -1)) << huber;
    EXPECT_THAT(values(loss.detach()), ElementsAre(inf, inf, inf, inf, 0.125, 1.5)) << huber;
  }
}

TEST(Losses, KlDiv) {
  Tensor x = leaf({-1, -2, -0.5, -0.25, -3, -1}, {2, 3}),
         q = make({0.2, 0, 0.8, 0.5, 0.25, 0.25}, {2, 3});
  expect_near(kl_div(x, q, 0), {-0.121888, 0, 0.221485, -0.221574, 0.403426, -0.096574}, {2, 3});
  expect_near(kl_div(x, q), {0.030813}, {});
  Tensor loss = kl_div(x, q, 2);
  expect_near(loss, {0.184877}, {});
  loss.backward();
  expect_near(x.grad(), {-0.2, 0, -0.8, -0.5, -0.25, -0.25}, {2, 3});
  expect_near(kl_div(x, x.detach() * 0.5, 2, true), {1.614118}, {});
}

TEST(Cumprod, ValuesAndGradients) {
  Tensor x = leaf({1, 2, 0, 3, 0, 4, 2, -1, 0.5, 0, 2, 3, 1, 2, 3, 0.5, -1, 2}, {3, 6});
  Tensor y = x.cumprod(1);
  expect_near(y, {1, 2, 0, 0, 0, 0, 2, -2, -1, 0, 0, 0, 1, 2, 6, 3, -3, -6}, {3, 6});
  Tensor g = op<"expand">(vec({1, 2, 3, 4, 5, 6}), IntList{3, 6});
  y.backward(g);
  expect_near(x.grad(), {5, 2, 30, 0, 0, 0, -2.5, 7, -6, -50, 0, 0, -16, -8.5, -7, -78, 51, -18},
              {3, 6});
  Tensor i =
      tensor_from<int32_t>(std::vector<int32_t>{1, 2, 3, 4, 5, 6}, std::vector<int64_t>{3, 2});
  EXPECT_EQ(cumprod(i, 0).dtype(), DType::i64);
  expect_near(cumprod(i, 0), {1, 2, 3, 8, 15, 48}, {3, 2});
  EXPECT_EQ(cumprod(i, 0, DType::f64).dtype(), DType::f64);
  expect_near(cumprod(make({3}, {}), 0), {3}, {});
  EXPECT_THAT(error_of([&] { cumprod(i, 2); }), HasSubstr("Dimension out of range"));
}

TEST(Tile, FillsDimsInFront) {
  Tensor x = make({1, 2, 3, 4}, {2, 2});
  expect_near(x.tile({2}), {1, 2, 1, 2, 3, 4, 3, 4}, {2, 4});
  expect_near(vec({1, 2}).tile({2, 2}), {1, 2, 1, 2, 1, 2, 1, 2}, {2, 4});
  expect_near(x.tile({0, 2}), {}, {0, 4});
}

TEST(Attention, Values) {
  Tensor q = (counted({1, 2, 3, 4}, 0.25, -0.75, 7)).requires_grad_(),
         k = (counted({1, 2, 4, 4}, 1.0 / 3, -2.0 / 3, 5)).requires_grad_(),
         v = (counted({1, 2, 4, 3}, 0.5, -2.5, 11)).requires_grad_();
  const std::vector<int64_t> sizes{1, 2, 3, 3};
  auto gradients = [&](Tensor out, std::vector<double> sizes_of_all) {
    for (Tensor t : {q, k, v}) t.set_grad({});
    out.square().sum().backward();
    for (Tensor t : {q, k, v}) {
      EXPECT_NEAR(t.grad().abs().sum().item<double>(), sizes_of_all.front(), 1e-4);
      sizes_of_all.erase(sizes_of_all.begin());
    }
  };
  Tensor plain = scaled_dot_product_attention(q, k, v);
  expect_near(plain,
              {-0.585388, -0.085388, -0.745466, 0.326278, 0.826278, -0.894615, -0.502538, -0.002538,
               -0.747563, 0.960777, -0.993491, -0.493491, -0.059232, -0.632752, -0.132752, 0.579551,
               -0.257084, 0.242916},
              sizes);
  gradients(plain, {12.288014, 15.764538, 15.270787});
  Tensor causal = scaled_dot_product_attention(q, k, v, {}, 0, true);
  expect_near(causal,
              {-2.5, -2, -1.5, -1.718768, -1.218768, -0.718768, -1.234792, -0.734792, -0.234792, -2,
               -1.5, -1, -1.281232, -0.781232, -0.281232, -0.037003, 0.462997, 0.962997},
              sizes);
  gradients(causal, {10.238382, 11.049783, 38.074055});
  // A row of which nothing is kept is 0.
  Tensor kept = make({1, 0, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0}, {3, 4}).to(DType::boolean);
  Tensor masked = scaled_dot_product_attention(q, k, v, kept);
  expect_near(masked,
              {-0.455169, 0.044831, -0.979597, 0, 0, 0, -1.234792, -0.734792, -0.234792, 1.233777,
               -1.179161, -0.679161, 0, 0, 0, -0.037003, 0.462997, 0.962997},
              sizes);
  gradients(masked, {12.904622, 15.502799, 13.570739});
  Tensor bias = make({0, -1, 0.5, 2, 1, 1, 0, 0, 0, 0, 0, -3}, {3, 4});
  Tensor biased = scaled_dot_product_attention(q, k, v, bias);
  expect_near(biased,
              {0.999464, 1.499465, -1.682987, -0.443489, 0.056511, -0.828425, -1.188344, -0.688344,
               -0.267317, 2.122916, -2.019388, -1.519388, -0.675792, -0.707668, -0.207668, 0.00291,
               0.416382, 0.916382},
              sizes);
  gradients(biased, {18.315751, 18.456415, 24.181837});
  expect_near(scaled_dot_product_attention(q, k, v, {}, 0, false, 0.3).detach().sum(), {-3.216962},
              {});
  Tensor heads = scaled_dot_product_attention(op<"cat">(TensorList{q, q}, 1), k, v, {}, 0, false,
                                              std::nullopt, true);
  EXPECT_EQ(heads.size(1).constant(), 4);
  expect_near(heads.select(1, 3).sum(), {-0.785558}, {});
}

TEST(Attention, Errors) {
  Tensor q = counted({2, 3, 4}), mask = counted({3, 3});
  EXPECT_THAT(
      error_of([&] { scaled_dot_product_attention(vec({1}), q, q); }),
      StartsWith("[scaled_dot_product_attention] query, key and value need at least 2 dimensions, "
                 "got 1"));
  EXPECT_THAT(error_of([&] { scaled_dot_product_attention(q, q, q.to(DType::f32)); }),
              HasSubstr("query, key and value have dtypes float64, float64 and float32"));
  EXPECT_THAT(error_of([&] { scaled_dot_product_attention(q, q, q, mask, 0, true); }),
              HasSubstr("attn_mask is given together with is_causal"));
  Tensor three = counted({3, 3, 4});
  EXPECT_THAT(error_of([&] {
                scaled_dot_product_attention(three, q, q, {}, 0, false, std::nullopt, true);
              }),
              HasSubstr("enable_gqa with 3 heads of the query and 2 of key or value"));
  EXPECT_THAT(error_of([&] {
                scaled_dot_product_attention(mask, mask, mask, {}, 0, false, std::nullopt, true);
              }),
              HasSubstr("enable_gqa needs a dimension of heads"));
}

TEST(Cpp, WhatLibtorchProgramsWrite) {
  std::ostringstream out;
  out << make({1, 2, 3, 4}, {2, 2}) << "\n" << Tensor();
  EXPECT_EQ(out.str(), make({1, 2, 3, 4}, {2, 2}).str() + "\ntensor(undefined)");
  std::vector<float> memory{1, 2, 3, 4, 5, 6};
  EXPECT_THAT(error_of([] { from_blob(nullptr, {2}); }),
              StartsWith("[from_blob] the pointer is null, the sizes are of 8 bytes"));
  EXPECT_THAT(error_of([] { from_blob(nullptr, {-1}); }), StartsWith("[from_blob] a size is -1"));
  EXPECT_EQ(from_blob(nullptr, {0, 2}).numel(), 0);
  Tensor blob = from_blob(memory.data(), {2, 3});
  EXPECT_EQ(blob.dtype(), DType::f32);
  blob.index_put_({0}, 1.0);
  EXPECT_EQ(memory, (std::vector<float>{1, 1, 1, 4, 5, 6}));
  blob.index_put_({blob > 4}, 7);
  EXPECT_EQ(memory, (std::vector<float>{1, 1, 1, 4, 7, 7}));
  blob.index_put_({indexing::Slice{}, 1}, blob.select(1, 0));
  EXPECT_EQ(memory, (std::vector<float>{1, 1, 1, 4, 4, 7}));
  Tensor x = make({3, 1, 2}, {1, 3});
  EXPECT_THAT(values(std::get<0>(x.sort(1))), ElementsAre(1, 2, 3));
  EXPECT_THAT(values(std::get<0>(x.sort(-1, true))), ElementsAre(3, 2, 1));
  EXPECT_THAT(values(std::get<0>(x.sort(true, -1))), ElementsAre(1, 2, 3));
}

// Whichever op is given one where a tensor is needed.
TEST(UndefinedTensors, AreTheUsersError) {
  int refused = 0;
  for (const OpRecord* r : registry().all()) {
    const auto& args = r->schema.args;
    for (size_t i = 0; i < args.size(); ++i) {
      if (args[i].type != ArgType::tensor || args[i].optional) continue;
      ArgList given(args.size(), Arg());
      for (size_t k = 0; k < i; ++k)
        if (args[k].type == ArgType::tensor) given[k] = Arg(ones({2, 2}));
      EXPECT_THAT(error_of([&] { eager::EagerCaller(SourceLocation{}).call(*r, given); }),
                  HasSubstr("[" + r->schema.name + "] argument '" + args[i].name +
                            "' is an undefined tensor"));
      ++refused;
    }
  }
  EXPECT_GT(refused, 300);
  EXPECT_THAT(error_of([] { cat({ones({2}), Tensor()}); }),
              HasSubstr("[cat] a tensor of argument 'tensors' is an undefined tensor"));
  EXPECT_THAT(error_of([] { Tensor().view({2}); }), HasSubstr("give it a tensor"));
}

// Not a view of the rows that it is made of.
TEST(Embedding, GivesATensorOfItsOwn) {
  for (bool graded : {true, false}) {
    Tensor w = ones({4, 3}).requires_grad_(graded);
    Tensor e = embedding(w, arange(4).reshape({2, 2}));
    e.mul_(2);
    e.select(0, 1).mul_(ones({3}).requires_grad_());
    e.sum().backward();
    if (graded) expect_near(w.grad(), std::vector<double>(12, 2), {4, 3});
  }
}

// 0 where there is none.
TEST(Atan2, HasAGradientAtTheOrigin) {
  Tensor y = make({0, 1e-30, 1}, {3}).to(DType::f32).requires_grad_(),
         x = make({0, 0, 0}, {3}).to(DType::f32).requires_grad_();
  atan2(y, x).sum().backward();
  expect_near(y.grad(), {0, 0, 0}, {3});
  expect_near(x.grad(), {0, 0, -1}, {3});
}

TEST(Cumprod, HasSecondGradientsWhereElementsAreZero) {
  auto second = [](std::vector<double> at) {
    const auto n = static_cast<int64_t>(at.size());
    Tensor x = make(std::move(at), {n}).requires_grad_();
    Tensor first = autograd::grad({x.cumprod(0).sum()}, {x}, {}, true, true)[0];
    return autograd::grad({(first * counted({n}, 1, 1)).sum()}, {x})[0];
  };
  // Of x0 + x0*x1 + x0*x1*x2, by hand.
  expect_near(second({1, 0, 3}), {8, 7, 2}, {3});
  expect_near(second({0, 0, 3}), {8, 4, 0}, {3});
  expect_near(second({2, 4, 3}), {20, 10, 8}, {3});
}

// Also where the view's gradient is the tensor's under other sizes.
TEST(AsStridedBackward, GivesANewTensor) {
  Tensor g = counted({6});
  Tensor back = as_strided_backward(g, {2, 3}, {3, 1}, {6}, {1}, {});
  expect_near(back, {0, 1, 2, 3, 4, 5}, {2, 3});
  EXPECT_FALSE(back.shares_storage_with(g));
}

// In bfloat16, 256 + 1 is 256: the ones are summed before they are rounded.
TEST(AsStridedBackward, SumsRepeatsBeforeItRounds) {
  Tensor g = ones({300, 2}, kBFloat16);
  expect_near(as_strided_backward(g, {2}, {1}, {300, 2}, {0, 1}, {}), {300, 300}, {2});
  expect_near(as_strided_backward(g, {}, {}, {300, 2}, {0, 0}, {}), {600}, {});
}

// Of a tensor whose elements share places, each gets its part of a place's gradient.
TEST(AsStridedBackward, SharesOutWhatElementsInOnePlaceGet) {
  auto through = [](Tensor shown, const std::function<Tensor(Tensor)>& view, const Tensor& g) {
    Tensor x = shown.detach().requires_grad_();
    (view(x) * g).sum().backward();
    return x.grad();
  };
  expect_near(through(
                  counted({1}).expand({4}), [](Tensor x) { return x.as_strided({3, 4}, {0, 0}); },
                  full({}, 2.0)),
              {6, 6, 6, 6}, {4});
  expect_near(through(
                  counted({5}).unfold(0, 3, 1),
                  [](Tensor x) { return x.as_strided({2, 3}, {1, 1}, 1); }, counted({2, 3})),
              {0, 0, 4. / 3, 0, 4. / 3, 3, 4. / 3, 3, 5}, {3, 3});
  expect_near(through(
                  counted({4}).expand({3, 4}), [](Tensor x) { return x.as_strided({4}, {1}); },
                  counted({4})),
              {0, 1. / 3, 2. / 3, 1, 0, 1. / 3, 2. / 3, 1, 0, 1. / 3, 2. / 3, 1}, {3, 4});
  expect_near(through(
                  counted({3, 4}).t(), [](Tensor x) { return x.as_strided({2, 2}, {4, 1}, 1); },
                  counted({2, 2}, 1, 1)),
              {0, 0, 0, 1, 3, 0, 2, 4, 0, 0, 0, 0}, {4, 3});
}

TEST(NllLossBackward, TakesATotalOfOneElementInAnyRank) {
  Tensor x = counted({1}), target = counted({1}).to(DType::i64), g = counted({1}, 1, 6);
  for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{}, {1}, {1, 1}})
    expect_near(nll_loss_backward(g, x, target, {}, 1, -100, counted(sizes, 1, 2)), {-3}, {1});
}

TEST(IndexAdd, OfTruthValuesTakesAlphaAsOne) {
  Tensor x = zeros({3}, kBool), at = counted({1}, 1, 1).to(DType::i64), one = ones({1}, kBool);
  expect_near(index_add(x, 0, at, one, 0.5), {0, 1, 0}, {3});
  expect_near(index_add(x, 0, at, one, 0.0), {0, 0, 0}, {3});
}

// There are no others whose product its gradient could be.
TEST(Prod, OfOneElementHasTheGradientOfTheResult) {
  Tensor x = make({INFINITY, NAN, 0}, {1, 3}).requires_grad_();
  x.prod(0).sum().backward();
  expect_near(x.grad(), {1, 1, 1}, {1, 3});
  Tensor number = make({INFINITY}, {}).requires_grad_();
  number.prod().backward();
  expect_near(number.grad(), {1}, {});
}

// A number is the correction, a bool says whether there is one.
TEST(Variance, TellsANumberFromABool) {
  Tensor x = counted({2, 4});
  const double biased = 1.25, unbiased = 5.0 / 3, by_two = 2.5, none_left = INFINITY;
  expect_near(x.var({1}, 0), {biased, biased}, {2});
  expect_near(x.var({1}, false), {biased, biased}, {2});
  expect_near(x.var({1}, 1), {unbiased, unbiased}, {2});
  expect_near(x.var({1}, true), {unbiased, unbiased}, {2});
  expect_near(x.var({1}), {unbiased, unbiased}, {2});
  expect_near(x.var({1}, 2, true), {by_two, by_two}, {2, 1});
  expect_near(x.var({1}, 2.0), {by_two, by_two}, {2});
  expect_near(x.var({1}, Int(2)), {by_two, by_two}, {2});
  expect_near(x.var({1}, Scalar(2)), {by_two, by_two}, {2});
  expect_near(x.var({1}, std::optional<Scalar>(2)), {by_two, by_two}, {2});
  expect_near(x.var({1}, {}, true), {unbiased, unbiased}, {2, 1});
  expect_near(x.var({1}, 4), {none_left, none_left}, {2});
  expect_near(x.std({1}, 2), {std::sqrt(by_two), std::sqrt(by_two)}, {2});
  expect_near(std::get<0>(frit::var_mean(x, {1}, 2)), {by_two, by_two}, {2});
  expect_near(std::get<0>(frit::std_mean(x, {1}, 0)), {std::sqrt(biased), std::sqrt(biased)}, {2});
}

}  // namespace
}  // namespace frit::test
