#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>

#include "base/error.h"
#include "base/parallel.h"
#include "micro_gemm_cases.h"

namespace frit::kernels::test {
namespace {

constexpr Elem kFloats[] = {Elem::f32, Elem::f64, Elem::bf16, Elem::f16};
constexpr Order kOrders[] = {Order::rows, Order::columns, Order::strided};

// Every output to the bit by the definition, for one problem on every level, with a border that
// must not be written.
void check(Elem dtype, i64 batch, i64 m, i64 k, i64 n, Order a, Order b, uint32_t seed,
           i64 border = 3) {
  Problem p(dtype, batch, m, k, n, a, b, border);
  std::mt19937 random(seed);
  p.a.fill_real(random);
  p.b.fill_real(random);
  for (const GemmTable* table : tables()) {
    for (i64 i = 0; i < batch * m * p.c.cols; i++) encode(dtype, p.c.bytes.data(), i, -77);
    gemm(*table, p.args);
    const std::string wrong = difference(p, -77);
    ASSERT_EQ(wrong, "");
  }
}

TEST(MicroGemm, EveryRemainderOfRowsColumnsAndDepth) {
  std::mt19937 random(1);
  for (Elem dtype : kFloats)
    for (i64 size = 1; size <= 40; size++) {
      const auto other = [&] { return static_cast<i64>(random() % 40 + 1); };
      const Order a = kOrders[random() % 3], b = kOrders[random() % 3];
      check(dtype, 1, size, other(), other(), a, b, static_cast<uint32_t>(size));
      check(dtype, 1, other(), size, other(), a, b, static_cast<uint32_t>(size));
      check(dtype, 1, other(), other(), size, a, b, static_cast<uint32_t>(size));
    }
}

TEST(MicroGemm, EveryHeightAndWidthOfATile) {
  for (Elem dtype : {Elem::f32, Elem::f64})
    for (i64 n : {1, 7, 8, 9, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65})
      for (i64 m = 1; m <= 49; m += m < 20 ? 1 : 7)
        check(dtype, 1, m, 5, n, Order::rows, Order::rows, static_cast<uint32_t>(m * 100 + n));
}

TEST(MicroGemm, EveryOrderOfBothOperands) {
  for (Elem dtype : kFloats)
    for (Order a : kOrders)
      for (Order b : kOrders)
        for (i64 m : {1, 3, 50, 130}) check(dtype, 2, m, 37, 70, a, b, static_cast<uint32_t>(m));
}

TEST(MicroGemm, OneRowTimesEveryWidth) {
  for (Elem dtype : kFloats)
    for (i64 n = 1; n <= 140; n += 1 + n / 12)
      for (i64 k : {1, 15, 16, 17, 257})
        check(dtype, 1, 1, k, n, Order::rows, n % 2 ? Order::columns : Order::rows,
              static_cast<uint32_t>(n));
}

TEST(MicroGemm, DepthBeyondABlockAndBeyondAChunk) {
  for (Elem dtype : kFloats)
    for (i64 k :
         {kGemmKBlock - 1, kGemmKBlock, kGemmKBlock + 1, 3 * kGemmKBlock + 5, 16 * kGemmKBlock + 9})
      for (Order b : {Order::rows, Order::columns}) {
        check(dtype, 1, 5, k, 9, Order::rows, b, 5);
        check(dtype, 1, 101, k, 2, Order::columns, b, 6, 0);
      }
}

TEST(MicroGemm, OneColumnAndOneElement) {
  for (Elem dtype : kFloats)
    for (Order a : kOrders)
      for (Order b : kOrders) {
        check(dtype, 1, 100, 300, 1, a, b, 3);
        check(dtype, 1, 1, 600, 1, a, b, 4);
        for (i64 k : {512, 513, 5000, 64 * 256, 40000}) check(dtype, 2, 1, k, 1, a, b, 4);
        check(dtype, 3, 9, 1, 17, a, b, 5);
      }
}

TEST(MicroGemm, Large) {
  check(Elem::f32, 1, 101, 600, 170, Order::rows, Order::columns, 8);
  check(Elem::f32, 1, 170, 300, 129, Order::columns, Order::rows, 9);
  check(Elem::f32, 1, 600, 64, 65, Order::rows, Order::rows, 10);
  check(Elem::bf16, 1, 129, 270, 130, Order::columns, Order::columns, 11);
}

TEST(MicroGemm, SmallIntegersInFloatAreExact) {
  Problem p(Elem::f32, 1, 90, 700, 90);
  std::mt19937 random(3);
  p.a.fill(random);
  p.b.fill(random);
  gemm(p.args);
  for (i64 m = 0; m < 90; m++)
    for (i64 n = 0; n < 90; n++) {
      double sum = 0;
      for (i64 k = 0; k < 700; k++) sum += p.a.get(0, m, k) * p.b.get(0, k, n);
      ASSERT_EQ(p.c.get(0, m, n), sum);
    }
}

TEST(MicroGemm, CloseToTheExactSum) {
  for (Elem dtype : {Elem::f32, Elem::f64}) {
    Problem p(dtype, 1, 20, 5000, 20);
    std::mt19937 random(4);
    p.a.fill_real(random);
    p.b.fill_real(random);
    gemm(p.args);
    for (i64 m = 0; m < 20; m++)
      for (i64 n = 0; n < 20; n++) {
        long double sum = 0, size = 0;
        for (i64 k = 0; k < 5000; k++) {
          const long double product = static_cast<long double>(p.a.get(0, m, k)) * p.b.get(0, k, n);
          sum += product;
          size += std::abs(product);
        }
        const double epsilon = dtype == Elem::f32 ? 0x1p-24 : 0x1p-53;
        // A chain of 256 and 20 sums: far inside this bound for random signs.
        ASSERT_LE(std::abs(p.c.get(0, m, n) - static_cast<double>(sum)),
                  16 * epsilon * static_cast<double>(size));
      }
  }
}

TEST(MicroGemm, BatchesThatShareAnOperand) {
  for (Elem dtype : kFloats)
    for (bool share_a : {false, true})
      for (bool share_b : {false, true})
        for (Order order : kOrders) {
          Problem p(dtype, 3, 100, 30, 20, order, order);
          p.a = Matrix(dtype, 3, 100, 30, order, share_a);
          p.b = Matrix(dtype, 3, 30, 20, order, share_b);
          std::mt19937 random(5);
          p.a.fill_real(random);
          p.b.fill_real(random);
          p.point();
          for (const GemmTable* table : tables()) {
            std::fill(p.c.bytes.begin(), p.c.bytes.end(), 0);
            gemm(*table, p.args);
            ASSERT_EQ(difference(p, 0), "");
          }
        }
}

TEST(MicroGemm, ManyThreadsGiveTheBitsOfOne) {
  struct Restore {
    int n = num_threads();
    ~Restore() { set_num_threads(n); }
  } restore;
  for (Elem dtype : kFloats)
    for (auto [batch, m, k, n] : {std::array<i64, 4>{1, 64, 700, 256},
                                  {1, 300, 300, 64},
                                  {1, 100, 300, 200},
                                  {8, 64, 64, 70},
                                  {1, 1, 1000, 1000},
                                  {1, 1, 40000, 1},
                                  {1, 1000, 300, 1},
                                  {1, 30, 5000, 130}})
      for (Order order : {Order::rows, Order::columns}) {
        Problem p(dtype, batch, m, k, n, order, order);
        std::mt19937 random(6);
        p.a.fill_real(random);
        p.b.fill_real(random);
        for (const GemmTable* table : tables()) {
          gemm_serial(*table, p.args);
          const std::vector<char> one = p.c.bytes;
          for (int threads : {1, 2, 5}) {
            set_num_threads(threads);
            std::fill(p.c.bytes.begin(), p.c.bytes.end(), 1);
            gemm(*table, p.args);
            ASSERT_EQ(one, p.c.bytes) << p.text() << " on " << threads << " threads";
          }
        }
      }
}

TEST(MicroGemm, LevelsAgree) {
  if (tables().size() < 2) GTEST_SKIP() << "the processor has one level only";
  for (Elem dtype : kFloats) {
    Problem p(dtype, 1, 77, 600, 99, Order::rows, Order::columns);
    std::mt19937 random(7);
    p.a.fill_real(random);
    p.b.fill_real(random);
    gemm(*tables()[0], p.args);
    const std::vector<char> first = p.c.bytes;
    gemm(*tables()[1], p.args);
    EXPECT_EQ(first, p.c.bytes);
  }
}

TEST(MicroGemm, ARowDoesNotDependOnTheOthers) {
  Problem all(Elem::f32, 1, 64, 500, 100, Order::rows, Order::columns);
  std::mt19937 random(8);
  all.a.fill_real(random);
  all.b.fill_real(random);
  gemm(all.args);
  for (i64 m : {0, 5, 63}) {
    Problem one(Elem::f32, 1, 1, 500, 100, Order::rows, Order::columns);
    one.b = all.b;
    one.point();
    one.args.a = all.a.bytes.data() + m * 500 * 4;
    gemm(one.args);
    for (i64 n = 0; n < 100; n++) ASSERT_EQ(one.c.get(0, 0, n), all.c.get(0, m, n));
  }
}

TEST(MicroGemm, NansAndInfinitiesArriveWhereTheyBelong) {
  for (Elem dtype : kFloats)
    for (i64 m : {1, 20}) {
      Problem p(dtype, 1, m, 40, 30, Order::rows, Order::columns);
      std::mt19937 random(9);
      p.a.fill_real(random);
      p.b.fill_real(random);
      p.b.set(0, 3, 4, NAN);
      p.b.set(0, 7, 29, INFINITY);
      p.a.set(0, m - 1, 11, -INFINITY);
      for (const GemmTable* table : tables()) {
        gemm(*table, p.args);
        EXPECT_EQ(difference(p, 0), "");
        for (i64 i = 0; i < m; i++)
          for (i64 n = 0; n < 30; n++) {
            if (n == 4)
              EXPECT_TRUE(std::isnan(p.c.get(0, i, n)));
            else if (n != 29 && i != m - 1)
              EXPECT_TRUE(std::isfinite(p.c.get(0, i, n)));
          }
      }
    }
}

TEST(MicroGemm, NothingToMultiply) {
  for (Elem dtype : {Elem::f32, Elem::f64, Elem::bf16, Elem::f16, Elem::i32})
    for (Order b : kOrders)
      for (i64 m : {1, 5, 130})
        for (const GemmTable* table : tables()) {
          Problem none(dtype, 1, m, 0, 20, Order::rows, b);
          for (i64 i = 0; i < m * 20; i++) encode(dtype, none.c.bytes.data(), i, 9);
          gemm(*table, none.args);
          for (i64 i = 0; i < m * 20; i++) ASSERT_EQ(decode(dtype, none.c.bytes.data(), i), 0);
        }
  Problem no_rows(Elem::f32, 1, 0, 4, 4), no_columns(Elem::f32, 1, 4, 4, 0);
  Problem no_batch(Elem::f32, 0, 4, 4, 4);
  gemm(no_rows.args);
  gemm(no_columns.args);
  gemm(no_batch.args);
}

TEST(MicroGemm, ARepeatedCallTouchesNoNewPage) {
  Problem p(Elem::f32, 1, 130, 3000, 200, Order::rows, Order::columns);
  gemm_serial(gemm_table(), p.args);
  gemm_serial(gemm_table(), p.args);
  rusage before, after;
  getrusage(RUSAGE_THREAD, &before);
  for (int i = 0; i < 5; i++) gemm_serial(gemm_table(), p.args);
  getrusage(RUSAGE_THREAD, &after);
  // A panel alone is 190 pages.
  EXPECT_LE(after.ru_minflt - before.ru_minflt, 4);
}

TEST(MicroGemm, OurOwnMistakesAreInternalErrors) {
  Problem p(Elem::f32, 1, 2, 2, 2);
  p.args.c = nullptr;
  EXPECT_THROW(gemm(p.args), InternalError);
  p.args.m = -1;
  EXPECT_THROW(gemm(p.args), InternalError);
  EXPECT_THROW(pack_b(gemm_table(), Elem::i32, 1, 1, nullptr, 1, 1, nullptr), InternalError);
}

}  // namespace
}  // namespace frit::kernels::test
