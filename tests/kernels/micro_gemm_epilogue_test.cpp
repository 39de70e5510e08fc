// Epilogues, packed operands, integers.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/cpu/micro/gemm_add.h"
#include "micro_gemm_cases.h"

namespace frit::kernels::test {
namespace {

// Notes how often each element comes, and its value as it came.
struct Notes {
  Elem acc;
  i64 m, n;
  std::vector<std::atomic<int>> visits;
  std::vector<double> values;
  std::atomic<int> bad{0};
  Notes(Elem acc, i64 batch, i64 m, i64 n)
      : acc(acc), m(m), n(n), visits(batch * m * n), values(batch * m * n) {}
  static void take(const void* tile, i64 ld, i64 m0, i64 mb, i64 n0, i64 nb, i64 batch, void* ctx) {
    Notes& self = *static_cast<Notes*>(ctx);
    const i64 size = elem_bytes(self.acc);
    if (reinterpret_cast<uintptr_t>(tile) % 64 != 0 || ld * size % 64 != 0 || mb < 1 || nb < 1 ||
        mb > kGemmTileRows || nb > kGemmTileColumns || ld < nb || m0 < 0 || m0 + mb > self.m ||
        n0 < 0 || n0 + nb > self.n) {
      self.bad++;
      return;
    }
    for (i64 m = 0; m < mb; m++)
      for (i64 n = 0; n < nb; n++) {
        const i64 at = (batch * self.m + m0 + m) * self.n + n0 + n;
        self.visits[at]++;
        self.values[at] = decode(self.acc, tile, m * ld + n);
      }
  }
};

void check_epilogue(Elem dtype, i64 batch, i64 m, i64 k, i64 n, Order a, Order b) {
  Problem p(dtype, batch, m, k, n, a, b);
  std::mt19937 random(11);
  if (is_float(dtype)) {
    p.a.fill_real(random);
    p.b.fill_real(random);
  } else {
    p.a.fill(random);
    p.b.fill(random);
  }
  for (const GemmTable* table : tables()) {
    gemm(*table, p.args);
    Notes notes(accumulator_of(dtype), batch, m, n);
    GemmArgs args = p.args;
    args.c = nullptr;
    args.epilogue = Notes::take;
    args.epilogue_ctx = &notes;
    gemm(*table, args);
    ASSERT_EQ(notes.bad, 0) << p.text();
    for (i64 i = 0; i < batch * m * n; i++) {
      ASSERT_EQ(notes.visits[i], 1) << p.text() << " element " << i;
      char rounded[8];
      encode(dtype, rounded, 0, notes.values[i]);
      ASSERT_EQ(decode(dtype, rounded, 0), decode(dtype, p.c.bytes.data(), i)) << p.text();
    }
  }
}

TEST(MicroGemmEpilogue, SeesEveryElementOnceAndTheSameBits) {
  for (Elem dtype : {Elem::f32, Elem::f64, Elem::bf16, Elem::f16, Elem::i8, Elem::i64})
    for (Order b : {Order::rows, Order::columns, Order::strided}) {
      check_epilogue(dtype, 1, 1, 300, 130, Order::rows, b);
      check_epilogue(dtype, 2, 65, 17, 70, Order::columns, b);
      check_epilogue(dtype, 1, 200, 300, 40, Order::rows, b);
      check_epilogue(dtype, 1, 3, 0, 5, Order::rows, b);
      check_epilogue(dtype, 2, 130, 70, 1, Order::rows, b);
      check_epilogue(dtype, 2, 1, 700, 1, Order::rows, b);
    }
  check_epilogue(Elem::f32, 1, 130, 16 * kGemmKBlock + 300, 70, Order::rows, Order::columns);
}

TEST(MicroGemmEpilogue, OnManyThreads) {
  const int before = num_threads();
  set_num_threads(3);
  check_epilogue(Elem::f32, 1, 400, 200, 300, Order::rows, Order::columns);
  check_epilogue(Elem::f32, 7, 100, 64, 100, Order::rows, Order::rows);
  set_num_threads(before);
}

// A product inside an epilogue must not use the scratch of the outer one.
TEST(MicroGemmEpilogue, MayMultiplyItself) {
  Problem outer(Elem::f32, 1, 100, 64, 64, Order::rows, Order::columns),
      inner(Elem::f32, 1, 64, 64, 64, Order::rows, Order::columns);
  std::mt19937 random(12);
  for (Matrix* m : {&outer.a, &outer.b, &inner.a, &inner.b}) m->fill_real(random);
  gemm_serial(gemm_table(), outer.args);
  struct Ctx {
    Notes notes;
    GemmArgs inner;
  } ctx{Notes(Elem::f32, 1, 100, 64), inner.args};
  GemmArgs args = outer.args;
  args.epilogue_ctx = &ctx;
  args.epilogue = [](const void* t, i64 ld, i64 m0, i64 mb, i64 n0, i64 nb, i64 batch, void* p) {
    Ctx& c = *static_cast<Ctx*>(p);
    gemm_serial(gemm_table(), c.inner);
    Notes::take(t, ld, m0, mb, n0, nb, batch, &c.notes);
  };
  gemm_serial(gemm_table(), args);
  for (i64 i = 0; i < 100 * 64; i++)
    ASSERT_EQ(ctx.notes.values[i], decode(Elem::f32, outer.c.bytes.data(), i));
}

TEST(MicroGemmAdd, IsTheSeparateOperations) {
  for (Elem dtype : {Elem::f32, Elem::f64, Elem::bf16, Elem::f16})
    for (auto [alpha, beta] : {std::pair{1.0, 1.0}, {0.3, 1.0}, {1.0, -0.7}, {0.0, 2.0}})
      for (auto [m, n] : {std::pair<i64, i64>{1, 70}, {70, 1}, {60, 75}})
        for (int kind = 0; kind < 4; kind++) {  // a row, a column, a number, a transposed matrix
          Problem p(dtype, 2, m, 90, n, Order::rows, Order::columns);
          Matrix added(dtype, 2, m, n, Order::columns);
          std::mt19937 random(15);
          for (Matrix* x : {&p.a, &p.b, &added}) x->fill_real(random);
          if (kind != 3) added.batch_stride = 0;
          if (kind == 0 || kind == 2) added.row_stride = 0;
          if (kind == 1 || kind == 2) added.col_stride = 0;
          const GemmAdd add{added.bytes.data(),
                            added.row_stride,
                            added.col_stride,
                            added.batch_stride,
                            alpha,
                            beta};
          for (const GemmTable* table : tables()) {
            gemm(*table, p.args);
            const Matrix product = p.c;
            gemm_add(*table, p.args, add);
            auto rounded = [&](double x) {
              char bytes[8];
              encode(dtype, bytes, 0, x);
              return decode(dtype, bytes, 0);
            };
            auto times = [&](double x, double y) {
              if (y == 1) return x;
              return dtype == Elem::f64 ? x * y
                                        : rounded(static_cast<float>(x) * static_cast<float>(y));
            };
            for (i64 b = 0; b < 2; b++)
              for (i64 i = 0; i < m; i++)
                for (i64 j = 0; j < n; j++) {
                  const double x = times(product.get(b, i, j), alpha),
                               y = times(added.get(b, i, j), beta);
                  const double sum =
                      dtype == Elem::f64 ? x + y : static_cast<float>(x) + static_cast<float>(y);
                  ASSERT_EQ(p.c.get(b, i, j), rounded(sum)) << p.text();
                }
          }
        }
}

TEST(MicroGemmAdd, MayAddToCItself) {
  Problem p(Elem::f32, 1, 50, 40, 60);
  std::mt19937 random(16);
  for (Matrix* x : {&p.a, &p.b, &p.c}) x->fill_real(random);
  const Matrix before = p.c;
  gemm_add(p.args, {p.c.bytes.data(), p.c.row_stride, 1, 0});
  const Matrix after = p.c;
  gemm(p.args);
  for (i64 m = 0; m < 50; m++)
    for (i64 n = 0; n < 60; n++)
      ASSERT_EQ(after.get(0, m, n),
                static_cast<float>(p.c.get(0, m, n)) + static_cast<float>(before.get(0, m, n)));
  GemmArgs integers = p.args;
  integers.dtype = Elem::i32;
  EXPECT_THROW(gemm_add(integers, {}), InternalError);
}

TEST(MicroGemmPacked, GivesTheSameBits) {
  for (Elem dtype : {Elem::f32, Elem::f64, Elem::bf16, Elem::f16})
    for (i64 m : {1, 5, 130})
      for (auto [k, n] : {std::pair<i64, i64>{64, 10},
                          {300, 64},
                          {37, 130},
                          {16 * kGemmKBlock + 3, 9},
                          {0, 4},
                          {5, 1}})
        for (Order order : {Order::rows, Order::columns, Order::strided}) {
          Problem p(dtype, 2, m, k, n, Order::rows, order);
          p.b = Matrix(dtype, 2, k, n, order, true);
          p.point();
          std::mt19937 random(13);
          p.a.fill_real(random);
          p.b.fill_real(random);
          for (const GemmTable* table : tables()) {
            gemm(*table, p.args);
            const std::vector<char> plain = p.c.bytes;
            const i64 bytes = packed_b_bytes(*table, dtype, k, n);
            std::unique_ptr<void, decltype(&std::free)> packed(
                std::aligned_alloc(64, (bytes + 64) / 64 * 64), &std::free);
            pack_b(*table, dtype, k, n, p.b.bytes.data(), p.b.row_stride, p.b.col_stride,
                   packed.get());
            GemmArgs args = p.args;
            args.packed_b = packed.get();
            args.b = nullptr;
            std::fill(p.c.bytes.begin(), p.c.bytes.end(), 1);
            gemm(*table, args);
            ASSERT_EQ(plain, p.c.bytes) << p.text();
          }
        }
}

TEST(MicroGemmPacked, IntegersAreNotPacked) {
  EXPECT_EQ(packed_b_bytes(gemm_table(), Elem::i32, 10, 10), 0);
}

template <class T>
void check_integers(Elem dtype) {
  using Wide = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  for (auto [batch, m, k, n] :
       {std::array<i64, 4>{1, 1, 1, 1}, {2, 50, 33, 70}, {1, 3, 300, 65}, {1, 100, 7, 128}})
    for (Order a : {Order::rows, Order::columns, Order::strided})
      for (Order b : {Order::rows, Order::columns, Order::strided}) {
        Problem p(dtype, batch, m, k, n, a, b);
        std::mt19937_64 random(14);
        for (Matrix* x : {&p.a, &p.b})
          for (size_t i = 0; i < x->bytes.size(); i++) x->bytes[i] = static_cast<char>(random());
        const T* pa = reinterpret_cast<const T*>(p.a.bytes.data());
        const T* pb = reinterpret_cast<const T*>(p.b.bytes.data());
        const T* pc = reinterpret_cast<const T*>(p.c.bytes.data());
        for (const GemmTable* table : tables()) {
          gemm(*table, p.args);
          for (i64 i = 0; i < batch; i++)
            for (i64 r = 0; r < m; r++)
              for (i64 c = 0; c < n; c++) {
                Wide sum = 0;
                for (i64 j = 0; j < k; j++)
                  sum += static_cast<Wide>(pa[p.a.at(i, r, j)]) *
                         static_cast<Wide>(pb[p.b.at(i, j, c)]);
                ASSERT_EQ(pc[p.c.at(i, r, c)], static_cast<T>(sum)) << p.text();
              }
        }
      }
}

TEST(MicroGemmIntegers, AreExactAndWrap) {
  check_integers<int8_t>(Elem::i8);
  check_integers<uint8_t>(Elem::u8);
  check_integers<int16_t>(Elem::i16);
  check_integers<int32_t>(Elem::i32);
  check_integers<int64_t>(Elem::i64);
}

}  // namespace
}  // namespace frit::kernels::test
