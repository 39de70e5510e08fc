// Fused kernels give the bits of the records' decompositions, so that what is compiled from the
// parts equals eager; and products with something added.
#include <cmath>

#include "calls.h"

namespace frit::kernels::test {
namespace {

// Every output to the bit, on 1 and 2 threads.
void as_its_parts(std::string_view op, const ArgList& args) {
  install();
  const OpRecord& r = find_op(op);
  ASSERT_NE(r.kernel, nullptr) << op;
  RefList parts = KernelCaller(op).call(r, args);
  with_threads([&](int) {
    RefList fused = KernelCaller().call(r, args);
    ASSERT_EQ(fused.size(), parts.size());
    for (size_t i = 0; i < parts.size(); ++i) {
      const Tensor &a = fused[i].tensor(), &b = parts[i].tensor();
      ASSERT_EQ(a.dtype(), b.dtype()) << op << " output " << i;
      ASSERT_EQ(a.impl()->sizes, b.impl()->sizes) << op << " output " << i;
      if (bits(a) == bits(b)) continue;
      auto x = values(a), y = values(b);
      for (size_t k = 0; k < x.size(); ++k)
        ASSERT_TRUE(x[k] == y[k] || (std::isnan(x[k]) && std::isnan(y[k])))
            << op << " of " << name(a.dtype()) << " output " << i << " at " << k << ": " << x[k]
            << ", parts " << y[k];
    }
  });
}

IntList list(std::span<const int64_t> v) {
  IntList l;
  for (int64_t i : v) l.push_back(Int(i));
  return l;
}

TEST(Nn, LayerNorm) {
  struct Case {
    Dims sizes, shape;
  };
  const std::vector<Case> cases{{{4}, {4}},           {{5, 1}, {1}},       {{6, 7}, {7}},
                                {{64, 64}, {64}},     {{3, 4, 5}, {4, 5}}, {{2, 3, 100}, {100}},
                                {{700, 130}, {130}},  {{1, 33}, {33}},     {{0, 8}, {8}},
                                {{2, 40000}, {40000}}};
  for (DType t : kFloats)
    for (const Case& c : cases)
      for (int how : {0, 2})
        for (int parameters : {0, 1, 2, 3}) {
          Tensor x = laid_out(real_numbers(c.sizes, t), how), g = real_numbers(c.sizes, t, 2);
          Arg w = parameters >= 1
                      ? Arg(real_numbers(c.shape,
                                         parameters == 3 && t != DType::f64 ? DType::f32 : t, 3))
                      : Arg();
          Arg b = parameters >= 2
                      ? Arg(real_numbers(c.shape,
                                         parameters == 3 && t != DType::f64 ? DType::f32 : t, 4))
                      : Arg();
          as_its_parts("native_layer_norm", {Arg(x), Arg(list(c.shape)), w, b, Arg(1e-5)});
          RefList y = KernelCaller().ops<"native_layer_norm">(x, list(c.shape), w, b, 1e-5);
          for (IntList mask : {IntList{Int(1), Int(1), Int(1)}, IntList{Int(0), Int(1), Int(0)}})
            as_its_parts("native_layer_norm_backward", {Arg(g), Arg(x), Arg(list(c.shape)),
                                                        Arg(y[1]), Arg(y[2]), w, b, Arg(mask)});
        }
}

TEST(Nn, Softmax) {
  for (DType t : kFloats)
    for (const Dims& sizes : {Dims{}, Dims{1}, Dims{9}, Dims{5, 10}, Dims{4, 7, 3}, Dims{300, 80},
                              Dims{3, 40000}, Dims{6, 1}})
      for (int64_t d = 0; d < std::max<int64_t>(1, static_cast<int64_t>(sizes.size())); ++d)
        for (int how : {0, 1}) {
          Tensor x = laid_out(real_numbers(sizes, t), how),
                 g = laid_out(real_numbers(sizes, t, 2), how);
          for (const char* op : {"_softmax", "_log_softmax"})
            as_its_parts(op, {Arg(x), Arg(d), Arg(false)});
          Tensor y = op<"_softmax">(x, d, false), z = op<"_log_softmax">(x, d, false);
          as_its_parts("_softmax_backward_data", {Arg(g), Arg(y), Arg(d), Arg(t)});
          as_its_parts("_log_softmax_backward_data", {Arg(g), Arg(z), Arg(d), Arg(t)});
        }
}

TEST(Nn, NegativeLogLikelihood) {
  for (DType t : kFloats)
    for (const Dims& sizes : {Dims{5}, Dims{1, 5}, Dims{64, 10}, Dims{40000, 3}, Dims{0, 4}})
      for (int reduction : {0, 1, 2})
        for (bool weighted : {false, true}) {
          const int64_t n = sizes.size() == 2 ? sizes[0] : 1, classes = sizes.back();
          Tensor x = real_numbers(sizes, t);
          std::mt19937 random(9);
          std::vector<double> v;
          for (int64_t i = 0; i < n; ++i) {
            auto c = static_cast<int64_t>(random() % static_cast<uint64_t>(classes + 1));
            v.push_back(n > 1 && c == classes ? -100 : static_cast<double>(c % classes));
          }
          Tensor target = from_values(v, sizes.size() == 2 ? Dims{n} : Dims{}, DType::i64);
          Arg w = weighted ? Arg(op<"abs">(real_numbers(Dims{classes}, t, 3))) : Arg();
          as_its_parts("nll_loss_forward", {Arg(x), Arg(target), w, Arg(reduction), Arg(-100)});
          RefList y = KernelCaller().ops<"nll_loss_forward">(x, target, w, reduction, -100);
          Tensor g = real_numbers(y[0].tensor().impl()->sizes, t, 4);
          as_its_parts("nll_loss_backward",
                       {Arg(g), Arg(x), Arg(target), w, Arg(reduction), Arg(-100), Arg(y[1])});
        }
  try {
    op<"nll_loss_forward">(real_numbers(Dims{2, 3}, DType::f32),
                           from_values({0, 3}, Dims{2}, DType::i64), Arg(), 1, -100);
    FAIL();
  } catch (const UserError& e) {
    EXPECT_EQ(e.kind(), ErrorKind::index);
    EXPECT_EQ(e.message(), "Target 3 is out of bounds.");
  }
}

TEST(Products, OfSmallNumbersInEveryTypeAndLayout) {
  for (DType t : {DType::f32, DType::f64, DType::bf16, DType::f16, DType::i8, DType::i32,
                  DType::i64, DType::u8})
    for (int a : {0, 1, 2})
      for (int b : {0, 1, 2}) {
        Tensor x = laid_out(small_numbers(Dims{7, 9}, t, 1, 4), a),
               y = laid_out(small_numbers(Dims{9, 5}, t, 2, 4), b);
        auto vx = values(x), vy = values(y);
        std::vector<double> want(35, 0);
        for (size_t i = 0; i < 7; ++i)
          for (size_t j = 0; j < 5; ++j)
            for (size_t k = 0; k < 9; ++k) want[i * 5 + j] += vx[i * 9 + k] * vy[k * 5 + j];
        ASSERT_EQ(values(op<"mm">(x, y)), want) << name(t);
      }
}

TEST(Products, WithSomethingAddedAreTheirParts) {
  for (DType t : {DType::f32, DType::f64, DType::bf16, DType::f16, DType::i32, DType::i64}) {
    auto numbers = [&](std::span<const int64_t> sizes, uint32_t seed) {
      return is_floating(t) ? real_numbers(sizes, t, seed) : small_numbers(sizes, t, seed);
    };
    for (int how : {0, 1, 2})
      for (const Dims& added : {Dims{}, Dims{6}, Dims{5, 1}, Dims{5, 6}})
        for (auto [beta, alpha] : {std::pair(1, 1), std::pair(0, 1), std::pair(2, 3),
                                   std::pair(1, 2), std::pair(3, 1)}) {
          Tensor a = laid_out(numbers(Dims{5, 70}, 1), how),
                 b = laid_out(numbers(Dims{70, 6}, 2), how);
          as_its_parts("addmm", {Arg(numbers(added, 3)), Arg(a), Arg(b), Arg(Scalar(beta)),
                                 Arg(Scalar(alpha))});
          Tensor x = laid_out(numbers(Dims{4, 5, 7}, 1), how),
                 y = laid_out(numbers(Dims{4, 7, 6}, 2), how);
          as_its_parts("baddbmm", {Arg(numbers(added, 3)), Arg(x), Arg(y), Arg(Scalar(beta)),
                                   Arg(Scalar(alpha))});
        }
    for (const Dims& in : {Dims{70}, Dims{5, 70}, Dims{2, 3, 70}, Dims{0, 70}})
      for (int how : {0, 1, 2}) {
        Tensor x = laid_out(numbers(in, 1), how), w = laid_out(numbers(Dims{9, 70}, 2), how);
        if (in.size() > 1) {
          as_its_parts("linear", {Arg(x), Arg(w), Arg()});
          as_its_parts("linear", {Arg(x), Arg(w), Arg(numbers(Dims{9}, 3))});
        }
      }
  }
}

TEST(Products, OverNothingAreWhatIsAdded) {
  Tensor a = empty_cpu(Dims{2, 0}, DType::f32), b = empty_cpu(Dims{0, 3}, DType::f32),
         c = real_numbers(Dims{3}, DType::f32);
  EXPECT_EQ(values(op<"mm">(a, b)), std::vector<double>(6, 0));
  auto y = values(op<"addmm">(c, a, b, Scalar(1), Scalar(1))), v = values(c);
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(y[i], v[i % 3]);
}

}  // namespace
}  // namespace frit::kernels::test
