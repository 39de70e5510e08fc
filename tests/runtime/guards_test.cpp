#include "runtime/guards.h"

#include <gtest/gtest.h>

#include <array>

#include "core/state.h"

namespace frit::runtime {
namespace {

Tensor make(std::initializer_list<int64_t> sizes, DType t = DType::f32) {
  std::vector<int64_t> s(sizes);
  return empty_cpu(s, t);
}

struct Fixture {
  Fixture() : n(env->new_symbol(8, 2, {}, "x.size(0)")), builder(*env) {}
  std::shared_ptr<sym::ShapeEnv> env = std::make_shared<sym::ShapeEnv>();
  Int n;
  GuardBuilder builder;
};

TEST(Guards, BindsAndCompares) {
  Fixture s;
  s.env->guard(s.n % 4 == 0);
  IntList x{s.n, Int(64)}, xs{Int(64), Int(1)}, y{s.n * 64}, ys{Int(1)}, z{s.n};
  s.builder.tensor(0, "x", DType::f32, x, xs, false);
  s.builder.tensor(1, "y", DType::f32, y, ys, false);
  s.builder.tensor(2, "z", DType::i64, z, ys, false);
  s.builder.sharing(0, 1, false);
  s.builder.conditions(s.env->entry_conditions());
  GuardProgram p = s.builder.build();
  std::array<int64_t, 1> symbols{};
  auto check = [&](std::vector<Tensor> t) {
    int failed = p.check(t, {}, symbols);
    return failed < 0 ? "holds" : p.why(failed, t, {}, symbols);
  };
  EXPECT_EQ(check({make({8, 64}), make({512}), make({8}, DType::i64)}), "holds");
  EXPECT_EQ(symbols[0], 8);
  EXPECT_EQ(check({make({12, 64}), make({768}), make({12}, DType::i64)}), "holds");
  EXPECT_EQ(symbols[0], 12);
  EXPECT_EQ(check({make({8, 32}), make({512}), make({8}, DType::i64)}), "x.size(1) was 64, now 32");
  EXPECT_EQ(check({make({8, 64}), make({500}), make({8}, DType::i64)}),
            "y.size(0) was 64*s0, now 500");
  EXPECT_EQ(check({make({8, 64}), make({512}), make({9}, DType::i64)}),
            "z.size(0) was equal to s0, now 9 and 8");
  EXPECT_EQ(check({make({8, 64}), make({512}), make({8})}),
            "z was i64 of 1 dimensions, now f32 of 1 dimensions");
  EXPECT_EQ(check({make({8, 64}), Tensor(), make({8})}),
            "y was f32 of 1 dimensions, now undefined");
  EXPECT_EQ(check({make({6, 64}), make({384}), make({6}, DType::i64)}),
            "s0 % 4 == 0 does not hold");
  Tensor base = make({8, 64});
  Tensor alias = alias_view(base, std::array<int64_t, 1>{512}, std::array<int64_t, 1>{1}, 0);
  EXPECT_EQ(check({base, alias, make({8}, DType::i64)}), "x and y have come to share memory");
}

TEST(Guards, StridesOfSizesBelowTwoAreFree) {
  Fixture s;
  IntList x{Int(1), Int(3)}, xs{Int(3), Int(1)};
  s.builder.tensor(0, "x", DType::f32, x, xs, false);
  GuardProgram p = s.builder.build();
  std::array<int64_t, 1> symbols{};
  std::vector<Tensor> t{
      empty_strided_cpu(std::array<int64_t, 2>{1, 3}, std::array<int64_t, 2>{77, 1}, DType::f32)};
  EXPECT_EQ(p.check(t, {}, symbols), -1);
  t[0] = empty_strided_cpu(std::array<int64_t, 2>{1, 3}, std::array<int64_t, 2>{3, 2}, DType::f32);
  EXPECT_EQ(p.why(p.check(t, {}, symbols), t, {}, symbols), "x.stride(1) was 1, now 2");
}

TEST(Guards, ProcessAndNumbers) {
  Fixture s;
  s.builder.process_word(kGradEnabled, t_state.word);
  s.builder.process_default_dtype(DType::f32);
  s.builder.number(0, Int(5));
  s.builder.number(1, s.n);
  GuardProgram p = s.builder.build();
  std::array<int64_t, 1> symbols{};
  std::array<int64_t, 2> numbers{5, 9};
  EXPECT_EQ(p.check({}, numbers, symbols), -1);
  EXPECT_EQ(symbols[0], 9);
  numbers[0] = 6;
  EXPECT_EQ(p.why(p.check({}, numbers, symbols), {}, numbers, symbols), "number 0 was 5, now 6");
  numbers[0] = 5;
  {
    bool on = t_state.word & kGradEnabled;
    WordScope other(on ? 0 : kGradEnabled, on ? kGradEnabled : 0);
    EXPECT_EQ(p.check({}, numbers, symbols), 0);
  }
  set_default_dtype(DType::f64);
  EXPECT_EQ(p.why(p.check({}, numbers, symbols), {}, numbers, symbols),
            "the default dtype was float32, now float64");
  set_default_dtype(DType::f32);
}

TEST(Guards, UnboundSymbolsAreOurFault) {
  Fixture s;
  s.builder.conditions(std::array{s.env->expr(s.n % 2 == 0)});
  EXPECT_THROW(s.builder.build(), InternalError);
}

TEST(Guards, PrintsItself) {
  Fixture s;
  IntList x{s.n, Int(3)}, xs{Int(3), Int(1)};
  s.builder.tensor(0, "x", DType::f32, x, xs, true);
  EXPECT_EQ(s.builder.build().str(),
            "x is f32 of 2 dimensions that requires grad\ns0 = x.size(0)\nx.size(1) == "
            "3\nx.stride(0) == 3\n"
            "x.stride(1) == 1\n");
}

}  // namespace
}  // namespace frit::runtime
