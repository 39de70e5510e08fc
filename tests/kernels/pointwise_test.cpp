// The pointwise driver: layouts, broadcasting, conversions, in place, threads; errors on data.
#include <cmath>

#include "calls.h"

namespace frit::kernels::test {
namespace {

TEST(Pointwise, AddsInEveryTypeAndLayout) {
  for (DType t : kTypes)
    for (const Dims& sizes :
         {Dims{}, Dims{1}, Dims{13}, Dims{5, 21}, Dims{3, 1, 40}, Dims{0, 3}, Dims{130, 140}})
      for (int a : {0, 1, 2})
        for (int b : {0, 1, 2}) {
          Tensor x = laid_out(small_numbers(sizes, t, 1), a),
                 y = laid_out(small_numbers(sizes, t, 2), b);
          auto want = values(x), other = values(y);
          for (size_t i = 0; i < want.size(); ++i)
            want[i] = is_bool(t) ? want[i] != 0 || other[i] != 0 : want[i] + other[i];
          ASSERT_EQ(values(op<"add.Tensor">(x, y)), want) << name(t) << dims_text(sizes);
        }
}

TEST(Pointwise, Broadcasts) {
  Tensor x = small_numbers(Dims{4, 1, 5}, DType::f32), y = small_numbers(Dims{3, 1}, DType::f32, 2),
         s = small_numbers(Dims{}, DType::f32, 3);
  auto vx = values(x), vy = values(y), product = values(op<"mul.Tensor">(x, y));
  ASSERT_EQ(product.size(), 60u);
  for (size_t i = 0; i < 60; ++i) EXPECT_EQ(product[i], vx[i / 15 * 5 + i % 5] * vy[i / 5 % 3]);
  auto scaled = values(op<"mul.Tensor">(x, s));
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(scaled[i], vx[i] * values(s)[0]);
}

TEST(Pointwise, ComputesInTheCommonType) {
  Tensor x = small_numbers(Dims{50}, DType::i32), y = small_numbers(Dims{50}, DType::bf16, 2);
  Tensor z = op<"add.Tensor">(x, y);
  EXPECT_EQ(z.dtype(), DType::bf16);
  auto vx = values(x), vy = values(y), vz = values(z);
  for (size_t i = 0; i < 50; ++i) EXPECT_EQ(vz[i], vx[i] + vy[i]);
  Tensor less = op<"lt.Tensor">(x, y);
  EXPECT_EQ(less.dtype(), DType::boolean);
  for (size_t i = 0; i < 50; ++i) EXPECT_EQ(values(less)[i], vx[i] < vy[i]);
}

TEST(Pointwise, ChoosesByAMaskOfItsOwnType) {
  Tensor mask = small_numbers(Dims{7, 9}, DType::boolean),
         x = small_numbers(Dims{9}, DType::f64, 2), y = small_numbers(Dims{7, 1}, DType::f64, 3);
  auto m = values(mask), vx = values(x), vy = values(y), z = values(op<"where.self">(mask, x, y));
  for (size_t i = 0; i < z.size(); ++i) EXPECT_EQ(z[i], m[i] != 0 ? vx[i % 9] : vy[i / 9]);
}

TEST(Pointwise, HalfTypesRoundOnceAnOp) {
  Tensor x = from_values({1}, Dims{1}, DType::bf16),
         y = from_values({0x1p-9}, Dims{1}, DType::bf16);
  EXPECT_EQ(values(op<"add.Tensor">(x, y))[0], 1);  // half a unit: to even
  Tensor more = op<"add.Tensor">(x, y, Scalar(3));  // the product is not rounded by itself
  EXPECT_EQ(values(more)[0], 1.0 + 0x1p-7);
}

TEST(Pointwise, IntoAnInputItself) {
  for (int how : {0, 1, 2}) {
    Tensor x = laid_out(small_numbers(Dims{40, 50}, DType::f32), how),
           y = small_numbers(Dims{50}, DType::f64, 2);
    auto vx = values(x), vy = values(y);
    const OpRecord& r = find_op("mul.Tensor");
    ArgList args{Arg(x), Arg(y)};
    KernelCall call{r, args, {&x, 1}, {}};
    install();
    run(call);
    auto out = values(x);
    for (size_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], static_cast<float>(vx[i] * vy[i % 50]));
  }
}

TEST(Pointwise, SameBitsForEveryThreadCount) {
  Tensor x = real_numbers(Dims{300, 301}, DType::f32);
  Tensor y = laid_out(x, 1);
  std::vector<std::byte> first;
  with_threads([&](int) {
    for (const Tensor& t : {x, y}) {
      auto b = bits(op<"gelu">(t));
      if (first.empty()) first = b;
      EXPECT_EQ(b, first);
    }
  });
}

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const UserError& e) {
    return e.message();
  }
  return "no error";
}

TEST(Pointwise, DivisionOfIntegersByZero) {
  Tensor x = small_numbers(Dims{5}, DType::i32),
         zero = from_values({1, 2, 0, 4, 5}, Dims{5}, DType::i32);
  EXPECT_EQ(error_of([&] { op<"floor_divide">(x, zero); }), "ZeroDivisionError");
  EXPECT_EQ(error_of([&] { op<"remainder.Scalar">(x, Scalar(0)); }), "ZeroDivisionError");
  EXPECT_EQ(error_of([&] { op<"fmod.Tensor">(packed(x, DType::f32), packed(zero, DType::f32)); }),
            "no error");
  Tensor none = empty_cpu(Dims{0}, DType::i32);
  EXPECT_EQ(error_of([&] { op<"remainder.Scalar">(none, Scalar(0)); }), "no error");
}

}  // namespace
}  // namespace frit::kernels::test
