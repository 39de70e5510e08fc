// Int and Bool as their users see them: numbers, arithmetic, normal forms, and errors.
#include "sym/int.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <sstream>
#include <vector>

#include "sym/shape_env.h"

namespace frit {
namespace {

using sym::ShapeEnv;

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const UserError& e) {
    return e.what();
  } catch (const InternalError& e) {
    return std::string("internal: ") + e.what();
  }
  return "no error";
}

struct IntTest : testing::Test {
  std::shared_ptr<ShapeEnv> env = std::make_shared<ShapeEnv>();
  Int s0 = env->new_symbol(8, 2, std::nullopt, "x.size(0)");
  Int s1 = env->new_symbol(6, 2, std::nullopt, "x.size(1)");
};

TEST(IntNumbers, ArithmeticIsPythons) {
  for (int64_t a : {-7, -6, -1, 0, 1, 6, 7})
    for (int64_t b : {-3, -2, -1, 1, 2, 3}) {
      Int q = floordiv(Int(a), Int(b)), r = mod(Int(a), Int(b));
      EXPECT_EQ((q * b + r).constant(), a);
      EXPECT_TRUE(r.constant() == 0 || (r.constant() < 0) == (b < 0));
      EXPECT_LT(std::abs(r.constant()), std::abs(b));
      EXPECT_EQ(floordiv(a, b), q.constant());
      EXPECT_EQ(mod(a, b), r.constant());
      EXPECT_EQ(ceildiv(Int(a), Int(b)).constant(), ceildiv(a, b));
    }
  EXPECT_EQ(Int(7) / 2, 3);
  EXPECT_EQ(Int(-7) / 2, -4);
  EXPECT_EQ(Int(-7) % 2, 1);
  EXPECT_EQ(min(Int(3), 4), 3);
  EXPECT_EQ(max(Int(3), 4), 4);
  Int i = 5;
  i += 2, i *= 3, i -= 1, i /= 4, i %= 3;
  EXPECT_EQ(i, 2);
  EXPECT_EQ(-i, -2);
}

TEST(IntNumbers, AreInline) {
  Int i = 4;
  EXPECT_TRUE(i.is_constant());
  EXPECT_FALSE(i.is_symbolic());
  EXPECT_EQ(i.expr(), nullptr);
  EXPECT_EQ(i.env(), nullptr);
  EXPECT_EQ(i.hint(), 4);
  EXPECT_TRUE(i.has_hint());
  EXPECT_EQ(i.str(), "4");
  EXPECT_EQ(Int(size_t{7}).constant(), 7);
  EXPECT_EQ(Int(std::numeric_limits<int64_t>::max()).constant(), INT64_MAX);
  EXPECT_EQ(Int(Int::kLowest).constant(), Int::kLowest);
  EXPECT_TRUE((Int(3) < 4).is_constant());
}

TEST(IntNumbers, ErrorsSayWhatDidNotFit) {
  EXPECT_EQ(error_of([] { Int(INT64_MAX) + 1; }),
            "[size] 9223372036854775807 + 1 does not fit: sizes are integers of 64 bits");
  EXPECT_EQ(error_of([] { Int(int64_t{1} << 40) * (int64_t{1} << 40); }),
            "[size] 1099511627776 * 1099511627776 does not fit: sizes are integers of 64 bits");
  EXPECT_EQ(error_of([] { Int(Int::kLowest) - 1; }),
            "[size] -4611686018427387904 - 1 does not fit: sizes are integers of 64 bits");
  EXPECT_EQ(error_of([] { (void)Int{INT64_MIN}; }),
            "[size] -9223372036854775808 is out of range: sizes are integers in [-2^62, 2^63)");
  EXPECT_EQ(error_of([] { (void)Int{UINT64_MAX}; }),
            "[size] 18446744073709551615 is out of range: sizes are integers in [-2^62, 2^63)");
  EXPECT_EQ(error_of([] { Int(7) / 0; }), "[size] division of 7 by zero");
  EXPECT_EQ(error_of([] { Int(7) % 0; }), "[size] remainder of 7 by zero");
  EXPECT_EQ(error_of([] { checked_mul(INT64_MAX, int64_t{2}); }),
            "[size] 9223372036854775807 * 2 does not fit: sizes are integers of 64 bits");
  EXPECT_EQ(error_of([] { floordiv(int64_t{7}, int64_t{0}); }), "[size] division of 7 by zero");
  EXPECT_EQ(error_of([] { floordiv(INT64_MIN, int64_t{-1}); }),
            "[size] 0 - -9223372036854775808 does not fit: sizes are integers of 64 bits");
}

TEST_F(IntTest, BesideOtherTypes) {
  const bool yes = true;
  size_t n = 8;
  EXPECT_TRUE(s0 > 2 && yes);
  EXPECT_TRUE(yes && s0 > 2);
  EXPECT_TRUE(s0 > 9 || yes);
  EXPECT_TRUE(yes || s0 > 9);
  EXPECT_EQ((s0 > 100 && yes).str(), "s0 >= 101");  // nothing was asked
  EXPECT_EQ((s0 / 2 + n).str(), "s0//2 + 8");
  EXPECT_TRUE(s0 == n && n == s0 && s0 <= n && !(s0 < n) && s0 == int64_t{8} && s0 == 8u);
  EXPECT_TRUE(s1 % 2 == 0);
  if (s0 % 2) FAIL();
  if (!s0) FAIL();
}

TEST_F(IntTest, AConversionIsAGuard) {
  EXPECT_EQ(static_cast<int>(s0), 8);
  EXPECT_EQ(static_cast<size_t>(s1), 6u);
  EXPECT_EQ(1.0 / static_cast<double>(Int(4)), 0.25);
  EXPECT_TRUE(s0.is_constant());
  EXPECT_TRUE(s1.is_constant());
  EXPECT_EQ(error_of([] { (void)static_cast<int8_t>(Int(300)); }),
            "[size] 300 cannot be converted to type int8_t without overflow\n  try: int64_t");
  EXPECT_EQ(error_of([] { (void)static_cast<size_t>(Int(-1)); }),
            "[size] -1 cannot be converted to type uint64_t without overflow\n  try: int64_t");
}

TEST_F(IntTest, NormalForms) {
  EXPECT_EQ(s0.str(), "s0");
  EXPECT_EQ((s0 * 2 + s1).str(), "2*s0 + s1");
  EXPECT_EQ((s0 + s0).str(), "2*s0");
  EXPECT_EQ((s1 + s0 - s1).str(), "s0");
  EXPECT_EQ((s0 - s0).str(), "0");
  EXPECT_EQ((4 - s0).str(), "4 - s0");
  EXPECT_EQ((-s0 - 4).str(), "-s0 - 4");
  EXPECT_EQ((s1 - s0).str(), "s1 - s0");
  EXPECT_EQ(((s0 + 1) * (s1 + 2)).str(), "s0*s1 + 2*s0 + s1 + 2");
  EXPECT_EQ((s0 * s0).str(), "s0*s0");
  EXPECT_EQ((s0 / 2).str(), "s0//2");
  EXPECT_EQ((s0 / 2 * 2).str(), "2*(s0//2)");
  EXPECT_EQ((s0 % 2).str(), "s0 % 2");
  EXPECT_EQ((s0 % 2 + 1).str(), "s0 % 2 + 1");
  EXPECT_EQ(((s0 + 1) / 2).str(), "(s0 + 1)//2");
  EXPECT_EQ((s1 * (s0 / 2)).str(), "s1*(s0//2)");
  EXPECT_EQ((s1 / s0).str(), "s1//s0");
  EXPECT_EQ(min(s0, 4).str(), "min(s0, 4)");
  EXPECT_EQ(min(4, s0).str(), "min(s0, 4)");
  EXPECT_EQ(max(s0, s1).str(), "max(s0, s1)");
  EXPECT_EQ(ceildiv(s0, 4).str(), "(s0 + 3)//4");
  std::ostringstream out;
  out << s0 + 1 << " " << (s0 == 4);
  EXPECT_EQ(out.str(), "s0 + 1 s0 == 4");
}

TEST_F(IntTest, ComparisonsNormalise) {
  EXPECT_EQ((s0 == 4).str(), "s0 == 4");
  EXPECT_EQ((4 == s0).str(), "s0 == 4");
  EXPECT_EQ((s0 != 4).str(), "s0 != 4");
  EXPECT_EQ((s0 >= 3).str(), "s0 >= 3");
  EXPECT_EQ((s0 > 3).str(), "s0 >= 4");
  EXPECT_EQ((s0 < 3).str(), "s0 <= 2");
  EXPECT_EQ((2 * s0 >= 7).str(), "s0 >= 4");
  EXPECT_EQ((2 * s0 <= 7).str(), "s0 <= 3");
  EXPECT_EQ((s0 + 3 == s1 + 5).str(), "s0 == s1 + 2");
  EXPECT_EQ((s0 < s1).str(), "s0 < s1");
  EXPECT_EQ((s0 > s1).str(), "s0 > s1");
  EXPECT_EQ((s0 <= s1).str(), "s0 <= s1");
  EXPECT_EQ((s0 >= s1 + 3).str(), "s0 >= s1 + 3");
  EXPECT_EQ((s0 + 3 >= s1).str(), "s0 + 3 >= s1");
  EXPECT_EQ((s0 * 4 == s1 * 6).str(), "2*s0 == 3*s1");
  EXPECT_EQ((s0 * s1 == s0 * 4).str(), "s1 == 4");
  EXPECT_EQ((s0 * s1 <= s0 * 4).str(), "s1 <= 4");
  EXPECT_EQ((s0 % 2 == 0).str(), "s0 % 2 == 0");
  EXPECT_EQ((s0 / 2 >= 5).str(), "s0 >= 10");
  EXPECT_EQ((s0 / 2 < s1).str(), "s0 < 2*s1");
  EXPECT_EQ((s0 == 4 && s1 >= 3).str(), "s0 == 4 and s1 >= 3");
  EXPECT_EQ((!(s0 == 4 && s1 >= 3)).str(), "s0 != 4 or s1 <= 2");
  EXPECT_EQ((s0 == 4 || (s0 == 5 && s1 == 5)).str(), "s0 == 4 or s0 == 5 and s1 == 5");
  EXPECT_EQ(((s0 == 4 || s0 == 5) && s1 == 5).str(), "(s0 == 4 or s0 == 5) and s1 == 5");
  EXPECT_TRUE(env->guards().empty());
}

TEST_F(IntTest, KnownFromTheStart) {
  EXPECT_TRUE((s0 >= 1).known_true());
  EXPECT_TRUE((s0 == 1).known_false());
  EXPECT_TRUE((s0 == s0).known_true());
  EXPECT_TRUE((s0 < s0).known_false());
  EXPECT_TRUE((s0 * s1 >= 4).known_true());
  EXPECT_TRUE((s0 * s1 >= s0).known_true());
  EXPECT_TRUE((s0 * 64 == s0 * 8 * 8).known_true());
  EXPECT_TRUE(((s0 + s1) * 3 == 3 * s0 + s1 * 3).known_true());
  EXPECT_TRUE((2 * s0 == 2 * s1 + 1).known_false());
  EXPECT_TRUE((s0 / 2 <= s0).known_true());
  EXPECT_TRUE((s0 - s0 / 2 * 2 <= 1).known_true());
  EXPECT_TRUE((s0 - s0 / 2 * 2 >= 0).known_true());
  EXPECT_TRUE((min(s0, s1) <= s0).known_true());
  EXPECT_TRUE((max(s0, s1) >= s1).known_true());
  EXPECT_TRUE((min(s0, s1) <= max(s0, s1)).known_true());
  EXPECT_TRUE((s0 % s1 < s1).known_true());
  EXPECT_TRUE((s0 % 4 <= s0).known_true());
  EXPECT_FALSE((s0 == s1).known_true());
  EXPECT_FALSE((s0 == s1).known_false());
  EXPECT_TRUE(known_equal(s0 + 1, 1 + s0));
  EXPECT_FALSE(known_one(s0));
  EXPECT_TRUE(known_one(Int(1)));
  EXPECT_TRUE(env->guards().empty());
}

TEST_F(IntTest, SameAsAndHash) {
  Int a = (s0 + 1) * 2, b = 2 + s0 * 2;
  EXPECT_TRUE(a.same_as(b));
  EXPECT_EQ(a.hash(), b.hash());
  EXPECT_FALSE(a.same_as(s0));
  EXPECT_FALSE(a.same_as(4));
  EXPECT_TRUE(Int(4).same_as(4));
  EXPECT_FALSE(Int(4).same_as(5));
  EXPECT_TRUE((s0 == 4).same_as(s0 - 4 == 0));
}

TEST_F(IntTest, HintsAreTheSizesSeen) {
  EXPECT_EQ(s0.hint(), 8);
  EXPECT_EQ((s0 * s1 + 1).hint(), 49);
  EXPECT_EQ(as_int64_or_hint(s0 / 3), 2);
  EXPECT_EQ(as_int64_or_hint(int64_t{5}), 5);
  EXPECT_TRUE(env->guards().empty());
}

TEST_F(IntTest, AConstantIsNotReadFromASymbol) {
  EXPECT_THAT(error_of([&] { s0.constant(); }),
              testing::HasSubstr("the size s0 is not a constant"));
}

TEST_F(IntTest, TwoEnvironmentsDoNotMix) {
  auto other = std::make_shared<ShapeEnv>();
  Int t = other->new_symbol(3, 2, std::nullopt, "y.size(0)");
  EXPECT_THAT(error_of([&] { s0 + t; }), testing::HasSubstr("sizes of two captures"));
  EXPECT_FALSE(s0.same_as(t));
}

TEST_F(IntTest, SymbolicOverflowAndDivisionByZero) {
  Int big = s0 * (int64_t{1} << 40);
  EXPECT_EQ(error_of([&] { big*(int64_t{1} << 40); }),
            "[size] (1099511627776*s0) * (1099511627776) does not fit into 64 bits");
  EXPECT_EQ(error_of([&] { s0 / 0; }), "[size] division of s0 by zero");
  EXPECT_EQ(error_of([&] { s0 % 0; }), "[size] remainder of s0 by zero");
  EXPECT_EQ(
      error_of([&] {
        std::vector<int64_t> v{int64_t{1} << 40, int64_t{1} << 40};
        env->evaluate(s0 * s1, v);
      }),
      "[size] \"s0*s1\" (s0 = 1099511627776, s1 = 1099511627776) does not fit into 64 bits for "
      "the sizes given");
  EXPECT_EQ(error_of([&] {
              std::vector<int64_t> v{4, 0};
              env->evaluate(s0 / s1, v);
            }),
            "[size] \"s0//s1\" (s0 = 4, s1 = 0) divides by zero for the sizes given");
}

// As the language has it: what follows a bool is evaluated only where it matters.
TEST_F(IntTest, WhatFollowsABoolIsNotEvaluatedInVain) {
  auto never = [&]() -> Bool {
    ADD_FAILURE();
    return s0 > 3;
  };
  bool defined = false;
  if (defined && never()) FAIL();
  if (!(!defined || never())) FAIL();
  EXPECT_EQ(((s0 > 3) && (s1 > 4)).str(), "s0 >= 4 and s1 >= 5");  // two conditions are one
}

// A shape rule written once.
template <class I>
I pooled(I n, I kernel, I stride) {
  if (size_eq(kernel, stride)) return floordiv(n, stride);
  return checked_add(floordiv(checked_sub(n, kernel), stride), I(1));
}

TEST_F(IntTest, OneTextForBothIntegerTypes) {
  EXPECT_EQ(pooled<int64_t>(10, 3, 2), 4);
  EXPECT_EQ(pooled<Int>(s0, 3, 2).str(), "(s0 + 1)//2 - 1");
  EXPECT_EQ(pooled<Int>(s0, 2, 2).str(), "s0//2");
}

}  // namespace
}  // namespace frit
