// Copies between layouts and dtypes, creation, and random numbers in any layout.
#include <algorithm>
#include <cmath>

#include "calls.h"

namespace frit::kernels::test {
namespace {

std::vector<int64_t> order_of(int64_t rank, uint32_t seed) {
  std::vector<int64_t> order(static_cast<size_t>(rank));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return order;
}

// A tensor whose memory order is `order`.
Tensor permuted(std::span<const int64_t> sizes, const std::vector<int64_t>& order, DType t) {
  Dims strides(sizes.size());
  int64_t step = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[static_cast<size_t>(order[i])] = step;
    step *= std::max<int64_t>(1, sizes[static_cast<size_t>(order[i])]);
  }
  return empty_strided_cpu(sizes, strides, t);
}

TEST(Copies, EveryOrderOfDimensions) {
  const std::vector<Dims> shapes{{},       {1},        {5},         {3, 4},        {17, 33},
                                 {64, 65}, {5, 1, 40}, {7, 20, 30}, {3, 9, 8, 10}, {0, 4}};
  for (const Dims& sizes : shapes)
    for (DType t : kTypes)
      for (uint32_t seed = 0; seed < 6; ++seed) {
        Tensor x = small_numbers(sizes, t, seed, 100);
        auto rank = static_cast<int64_t>(sizes.size());
        Tensor from = permuted(sizes, order_of(rank, seed), t),
               to = permuted(sizes, order_of(rank, seed + 100), t);
        copy(from, x);
        copy(to, from);
        ASSERT_EQ(bits(to), bits(x)) << name(t) << dims_text(sizes);
      }
}

TEST(Copies, LargeTransposesOnThreads) {
  for (DType t : {DType::u8, DType::bf16, DType::f32, DType::f64}) {
    Tensor x = small_numbers(Dims{3, 301, 509}, t, 1, 100);
    with_threads([&](int) {
      Tensor to = permuted(Dims{3, 301, 509}, {0, 2, 1}, t);
      copy(to, x);
      EXPECT_EQ(bits(to), bits(x));
      Tensor all = permuted(Dims{3, 301, 509}, {2, 1, 0}, t);
      copy(all, x);
      EXPECT_EQ(bits(all), bits(x));
    });
  }
}

TEST(Copies, EveryPairOfTypes) {
  for (DType from : kTypes)
    for (DType to : kTypes)
      for (int how : {0, 1, 2}) {
        // Of numbers that every type holds, or as a truth.
        Tensor x = laid_out(small_numbers(Dims{5, 13}, from, 2, 8), how);
        std::vector<double> want = values(x);
        if (is_bool(to))
          for (double& v : want) v = v != 0;
        if (to == DType::u8)
          for (double& v : want) v = v < 0 ? v + 256 : v;
        EXPECT_EQ(values(op<"_to_copy">(x, to)), want) << name(from) << " to " << name(to);
      }
}

TEST(Copies, BroadcastSource) {
  Tensor to = empty_cpu(Dims{2, 3, 4}, DType::f32), from = small_numbers(Dims{3, 1}, DType::f64);
  copy(to, from);
  auto v = values(to), f = values(from);
  for (size_t i = 0; i < v.size(); ++i) EXPECT_EQ(v[i], f[i / 4 % 3]);
}

TEST(Copies, FlipRollCat) {
  Tensor x = from_values({1, 2, 3, 4, 5, 6}, Dims{2, 3}, DType::i32);
  for (int how : {0, 1, 2}) {
    Tensor y = laid_out(x, how);
    EXPECT_EQ(values(op<"flip">(y, IntList{Int(1)})), (std::vector<double>{3, 2, 1, 6, 5, 4}));
    EXPECT_EQ(values(op<"flip">(y, IntList{Int(0), Int(-1)})),
              (std::vector<double>{6, 5, 4, 3, 2, 1}));
    EXPECT_EQ(values(op<"roll">(y, IntList{Int(1)}, IntList{Int(1)})),
              (std::vector<double>{3, 1, 2, 6, 4, 5}));
    EXPECT_EQ(values(op<"roll">(y, IntList{Int(-1), Int(1)}, IntList{Int(1), Int(0)})),
              (std::vector<double>{5, 6, 4, 2, 3, 1}));
    EXPECT_EQ(values(op<"roll">(y, IntList{Int(2)}, IntList{})),
              (std::vector<double>{5, 6, 1, 2, 3, 4}));
    Tensor none = empty_cpu(Dims{0}, DType::f32);
    std::vector<Ref> list{Ref(y), Ref(none), Ref(packed(y, DType::f32))};
    Tensor c = op<"cat">(list, 1);
    EXPECT_EQ(c.dtype(), DType::f32);
    EXPECT_EQ(values(c), (std::vector<double>{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}));
  }
}

TEST(Creation, FullInEveryType) {
  for (DType t : kTypes) {
    Tensor x = op<"full">(IntList{Int(3), Int(50)}, Scalar(3), t);
    EXPECT_EQ(values(x), std::vector<double>(150, is_bool(t) ? 1 : 3)) << name(t);
  }
  Tensor large = op<"full">(IntList{Int(1000), Int(100)}, Scalar(0.5), DType::f32);
  auto v = values(large);
  EXPECT_TRUE(std::all_of(v.begin(), v.end(), [](double a) { return a == 0.5; }));
}

TEST(Creation, Arange) {
  Tensor whole = op<"arange.start_step">(Scalar(5), Scalar(-4), Scalar(-3), DType::i64);
  EXPECT_EQ(values(whole), (std::vector<double>{5, 2, -1}));
  Tensor real = op<"arange.start_step">(Scalar(0.5), Scalar(2.0), Scalar(0.5), DType::f32);
  EXPECT_EQ(values(real), (std::vector<double>{0.5, 1, 1.5}));
  // Whole numbers: start and step are cut off first.
  Tensor cut = op<"arange.start_step">(Scalar(1.5), Scalar(7.0), Scalar(2.5), DType::i32);
  EXPECT_EQ(values(cut), (std::vector<double>{1, 3, 5}));
  Tensor many = op<"arange.start_step">(Scalar(0), Scalar(70000), Scalar(1), DType::f64);
  EXPECT_EQ(values(many)[69999], 69999);
}

// Element i takes word i of the stream, whatever the layout and the threads.
TEST(Random, ByElementInEveryLayout) {
  const OpRecord& r = find_op("_rand");
  for (DType t : {DType::f32, DType::f64})
    for (const Dims& sizes : {Dims{37}, Dims{100, 331}}) {
      IntList list;
      for (int64_t s : sizes) list.push_back(Int(s));
      ArgList args{Arg(list), Arg(), Arg(t)};
      std::vector<std::byte> first;
      for (int how : {0, 1, 2})
        with_threads([&](int) {
          Tensor out = laid_out(empty_cpu(sizes, t), how);
          KernelCall call{r, args, {&out, 1}, {11, 5}};
          install();
          run(call);
          if (first.empty()) first = bits(out);
          EXPECT_EQ(bits(out), first);
          for (double v : values(out)) ASSERT_TRUE(v >= 0 && v < 1);
        });
    }
}

TEST(Random, PiecesOfAStreamAreTheStream) {
  auto draw = [](std::string_view name, int64_t n) {
    KernelCaller c;
    c.rng = {3, 9};
    ArgList args{Arg(IntList{Int(n)}), Arg(), Arg(DType::f32)};
    return c.call(find_op(name), args)[0].tensor();
  };
  auto starts_with = [](const Tensor& a, const Tensor& b) {
    auto x = values(a), y = values(b);
    return std::equal(y.begin(), y.end(), x.begin());
  };
  for (int64_t n : {1, 3, 8, 17, 1000, 1025}) {
    EXPECT_TRUE(starts_with(draw("_rand", 20000), draw("_rand", n)));
    EXPECT_TRUE(starts_with(draw("_randn", 20000), draw("_randn", n)));
  }
  auto v = values(draw("_randn", 20000));
  double mean = 0, square = 0;
  for (double x : v) mean += x / 20000, square += x * x / 20000;
  EXPECT_NEAR(mean, 0, 0.03);
  EXPECT_NEAR(square, 1, 0.05);
}

TEST(Random, BernoulliAndIntegers) {
  for (DType t : kTypes) {
    auto v = values(op<"_bernoulli">(IntList{Int(30000)}, 0.25, Arg(), t));
    double ones = 0;
    for (double x : v) {
      ASSERT_TRUE(x == 0 || x == 1);
      ones += x;
    }
    EXPECT_NEAR(ones / 30000, 0.25, 0.02);
  }
  auto v = values(op<"randint.low_generator">(-3, 4, IntList{Int(7000)}, Arg(), DType::i16));
  for (double low = -3; low < 4; ++low)
    EXPECT_NEAR(static_cast<double>(std::count(v.begin(), v.end(), low)), 1000, 150);
  EXPECT_EQ(std::count_if(v.begin(), v.end(), [](double x) { return x < -3 || x > 3; }), 0);
}

}  // namespace
}  // namespace frit::kernels::test
