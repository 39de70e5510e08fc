// Guards, facts and what follows from them; the data-dependent error; what is printed about it all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "sym/parse.h"
#include "sym/shape_env.h"

namespace frit::sym {
namespace {

using testing::HasSubstr;

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

SourceLocation line(uint32_t n) {
  SourceLocation l;
  l.file = "/home/user/net.cpp";
  l.function = "Tensor Net::forward(Tensor)";
  l.line = n;
  return l;
}

struct FactsTest : testing::Test {
  std::shared_ptr<ShapeEnv> env = std::make_shared<ShapeEnv>();
  Int s0 = env->new_symbol(8, 2, std::nullopt, "x.size(0)");
  Int s1 = env->new_symbol(6, 2, std::nullopt, "x.size(1)");
  Int s2 = env->new_symbol(8, 2, std::nullopt, "y.size(0)");

  std::vector<std::string> guards() {
    std::vector<std::string> g;
    for (auto& x : env->guards()) g.push_back(text(x.condition));
    return g;
  }
};

TEST_F(FactsTest, AskingGuardsByHintAndOnce) {
  EXPECT_TRUE(bool(s0 % 2 == 0));
  EXPECT_TRUE(bool(s0 % 2 == 0));
  EXPECT_FALSE(bool(s0 % 2 == 1));
  EXPECT_FALSE(bool(s1 > s0));
  EXPECT_FALSE(bool(s0 == 1));
  EXPECT_THAT(guards(), testing::ElementsAre("s0 % 2 == 0", "s0 >= s1"));
}

TEST_F(FactsTest, ImpliedGuardsAreNotAdded) {
  EXPECT_TRUE(bool(s0 >= 5));
  EXPECT_TRUE(bool(s0 >= 4));
  EXPECT_TRUE(bool(2 * s0 > 9));
  EXPECT_FALSE(bool(s0 < 3));
  EXPECT_TRUE(bool(s0 != 4));
  EXPECT_TRUE(bool(s1 < s0));
  EXPECT_TRUE(bool(s1 <= s0));
  EXPECT_TRUE(bool(s1 != s0));
  EXPECT_TRUE(bool(s1 < s0 + 5));
  EXPECT_TRUE(bool(s1 * 2 <= s0 * 2));
  EXPECT_THAT(guards(), testing::ElementsAre("s0 >= 5", "s0 > s1"));
}

TEST_F(FactsTest, InequalitiesChain) {
  env->assume(s0 <= s1);
  env->assume(s1 <= s2);
  EXPECT_TRUE((s0 <= s2).known_true());
  EXPECT_TRUE((s0 > s2).known_false());
  EXPECT_TRUE((s0 + s1 <= 2 * s2).known_true());
  EXPECT_EQ(min(s0, s2).str(), "s0");
  EXPECT_EQ(max(s0, s2).str(), "s2");
  EXPECT_EQ((s0 % (s2 + 1)).str(), "s0");
  EXPECT_EQ((s0 / (s2 + 1)).str(), "0");
}

TEST_F(FactsTest, ASymbolThatBecomesANumberIsOne) {
  Int n = s0 * s1;
  EXPECT_TRUE(bool(s0 == 8));
  EXPECT_TRUE(s0.is_constant());
  EXPECT_EQ(s0.constant(), 8);
  EXPECT_EQ(s0.str(), "8");
  EXPECT_EQ(n.str(), "8*s1");
  EXPECT_EQ(s0.expr(), nullptr);
  EXPECT_TRUE(s0.same_as(8));
  EXPECT_EQ(s0.hash(), Int(8).hash());
  EXPECT_TRUE(known_equal(s0, Int(8)));
  EXPECT_THAT(guards(), testing::ElementsAre("s0 == 8"));
  EXPECT_EQ(env->symbols_text(),
            "s0 = x.size(0), known to be 8, 8 at capture\n"
            "s1 = x.size(1) in [2, inf), 6 at capture\n"
            "s2 = y.size(0) in [2, inf), 8 at capture\n");
}

TEST_F(FactsTest, ARangeOfOneValueIsANumber) {
  EXPECT_TRUE(bool(s0 >= 8));
  EXPECT_TRUE(bool(s0 <= 8));
  EXPECT_EQ(s0.str(), "8");
}

TEST_F(FactsTest, EqualSymbolsAreOne) {
  EXPECT_TRUE(bool(s0 == s2));
  EXPECT_EQ(s2.str(), "s0");
  EXPECT_EQ((s0 * s1 - s2 * s1).str(), "0");
  EXPECT_THAT(guards(), testing::ElementsAre("s0 == s2"));
}

TEST_F(FactsTest, ASymbolIsSolvedForAndItsBoundsCarryOver) {
  Int s3 = env->new_symbol(16, 10, 40, "z.size(0)");
  EXPECT_TRUE(bool(s3 == 2 * s0));
  EXPECT_EQ(s3.str(), "2*s0");
  EXPECT_EQ(env->bounds(s0).str(), "[5, 20]");
}

TEST_F(FactsTest, FactsFollowAReplacedSymbol) {
  EXPECT_TRUE(bool(s2 % 4 == 0));
  EXPECT_TRUE(bool(s2 >= 6));
  EXPECT_TRUE(bool(s0 == s2));
  EXPECT_TRUE((s0 % 4 == 0).known_true());
  EXPECT_TRUE((s0 >= 6).known_true());
  EXPECT_EQ((s0 / 4 * 4).str(), "s0");
}

TEST_F(FactsTest, Divisibility) {
  EXPECT_EQ((s0 * 64 / 64).str(), "s0");
  EXPECT_EQ((s0 * s1 / s1).str(), "s0");
  EXPECT_EQ((s0 * s1 % s1).str(), "0");
  EXPECT_EQ((6 * s0 % 3).str(), "0");
  EXPECT_EQ((6 * s0 / 4).str(), "(3*s0)//2");
  EXPECT_EQ((6 * s0 % 4).str(), "2*(s0 % 2)");
  EXPECT_EQ((5 * s0 % 2).str(), "s0 % 2");
  EXPECT_EQ((s0 / 2 / 3).str(), "s0//6");
  EXPECT_EQ(((s0 + 5) / 2).str(), "(s0 + 1)//2 + 2");
  EXPECT_EQ(((2 * s0 + 1) / 4).str(), "s0//2");
  EXPECT_EQ(((s0 * s1 + s1 * 3) / s1).str(), "s0 + 3");
  EXPECT_EQ(((s0 * s1 + s0) / (s1 + 1)).str(), "s0");
  EXPECT_EQ((s0 * s1 / (2 * s1)).str(), "s0//2");
  EXPECT_EQ((s0 % 8 % 4).str(), "s0 % 4");
  EXPECT_EQ((s0 / 2 * 2 + s0 % 2).str(), "s0");
  EXPECT_EQ((s0 / -2).str(), "-((s0 + 1)//2)");
  EXPECT_EQ((s0 / 2 * 2).str(), "2*(s0//2)");

  EXPECT_TRUE(bool(s0 % 4 == 0));
  EXPECT_EQ((s0 / 2 * 2).str(), "s0");
  EXPECT_EQ((s0 / 2 % 2).str(), "0");
  EXPECT_EQ((s0 % 2).str(), "0");
  EXPECT_EQ((3 * s0 / 4).str(), "3*(s0//4)");
  EXPECT_EQ((s1 * (s0 / 4) * 4).str(), "s0*s1");
  EXPECT_EQ(((s0 + s1) % 4).str(), "s1 % 4");
  EXPECT_EQ(((s0 + 2) / 4 * 4).str(), "s0");
  EXPECT_TRUE((s0 == 2 * s1 + 1).known_false());
  EXPECT_EQ(env->known_divisor(s0 * 6), 24);
  EXPECT_THAT(guards(), testing::ElementsAre("s0 % 4 == 0"));
}

TEST_F(FactsTest, DivisibilityBySymbols) {
  Int s3 = env->new_symbol(48, 2, std::nullopt, "z.size(0)");
  EXPECT_TRUE(bool(s3 % s1 == 0));
  EXPECT_EQ((s3 / s1 * s1).str(), "s3");
  EXPECT_EQ((s3 / s1 * s1 * s0).str(), "s0*s3");
}

TEST_F(FactsTest, KnownRemainders) {
  EXPECT_TRUE(bool(s1 % 4 == 2));
  EXPECT_EQ((s1 % 4).str(), "2");
  EXPECT_EQ(((s1 + 2) % 4).str(), "0");
  EXPECT_EQ((s1 / 4 * 4).str(), "s1 - 2");
  EXPECT_TRUE(bool(s0 % 2 == 0));
  EXPECT_TRUE((s0 % 2 != 1).known_true());
}

TEST_F(FactsTest, NotEqualTightensABound) {
  EXPECT_TRUE(bool(s0 != 2));
  EXPECT_EQ(env->bounds(s0).str(), "[3, inf)");
  EXPECT_TRUE(bool(s0 % 2 != 1));
  EXPECT_EQ((s0 % 2).str(), "0");
  EXPECT_TRUE(bool(s0 != 100));
  EXPECT_TRUE((s0 == 100).known_false());
}

TEST_F(FactsTest, Bounds) {
  EXPECT_EQ(env->bounds(s0).str(), "[2, inf)");
  EXPECT_EQ(env->bounds(4 - s0).str(), "(-inf, 2]");
  EXPECT_EQ(env->bounds(s0 % 5).str(), "[0, 4]");
  EXPECT_EQ(env->bounds(s0 / 2).str(), "[1, inf)");
  EXPECT_EQ(env->bounds(min(s0, 7)).str(), "[2, 7]");
  EXPECT_EQ(env->bounds(max(s0, s1)).str(), "[2, inf)");
  Int d = env->new_symbol(0, -3, 5, "d");
  EXPECT_EQ(env->bounds(d * d).str(), "[0, 25]");
  EXPECT_EQ(env->bounds(d * s0).str(), "(-inf, inf)");
  EXPECT_EQ(env->bounds(d / 2).str(), "[-2, 2]");
  EXPECT_EQ(env->bounds(s0 % d).str(), "[-2, 4]");
  EXPECT_EQ(env->bounds(Int(3)).str(), "[3, 3]");
  env->assume(s0 + s1 <= 10);
  EXPECT_EQ(env->bounds(s0 + s1).str(), "[4, 10]");
  EXPECT_EQ(env->bounds(2 * s0 + 2 * s1 + 1).str(), "[9, 21]");
  EXPECT_TRUE((s0 <= 8).known_true());
}

TEST_F(FactsTest, Specialize) {
  env->specialize(s1, 6, line(7));
  EXPECT_EQ(s1.str(), "6");
  EXPECT_THAT(guards(), testing::ElementsAre("s1 == 6"));
  EXPECT_THAT(error_of([&] { env->specialize(s0, 3); }), HasSubstr("a guard that does not hold"));
}

TEST_F(FactsTest, GuardsSayWhereAndInTheUsersWords) {
  uint32_t now = 14;
  env->set_location_source([&] { return line(now); });
  std::vector<std::string> seen;
  env->set_on_guard([&](const Guard& g) { seen.push_back(text(g.condition)); });
  EXPECT_TRUE(bool(s0 % 2 == 0));
  now = 20;
  EXPECT_TRUE(bool(s0 >= s1));
  EXPECT_EQ(env->guards_text(),
            "x.size(0) % 2 == 0  # s0 % 2 == 0, s0 = 8, at net.cpp:14\n"
            "x.size(0) >= x.size(1)  # s0 >= s1, s0 = 8, s1 = 6, at net.cpp:20\n");
  EXPECT_EQ(seen.size(), 2u);
}

TEST_F(FactsTest, GuardsCheckOtherSizes) {
  EXPECT_TRUE(bool(s0 % 2 == 0));
  EXPECT_TRUE(bool(s0 == s2));
  auto holds = [&](std::vector<int64_t> v) {
    for (const Expr* c : env->entry_conditions()) {
      int64_t r = 0;
      if (!Program::compile(c).try_run(v, &r) || !r) return false;
    }
    return true;
  };
  EXPECT_TRUE(holds({8, 6, 8}));
  EXPECT_TRUE(holds({2, 3, 2}));
  EXPECT_FALSE(holds({3, 3, 3}));
  EXPECT_FALSE(holds({4, 3, 6}));
  EXPECT_FALSE(holds({4, 1, 4}));
}

TEST_F(FactsTest, NeedlessConditionsAreLeftOut) {
  EXPECT_TRUE(bool(s0 >= 4));
  EXPECT_TRUE(bool(s0 + s1 >= 8));
  EXPECT_TRUE(bool(s0 >= 6));
  EXPECT_TRUE(bool(s0 + s1 >= 12));
  EXPECT_TRUE(bool(s1 >= 3));
  EXPECT_TRUE(bool(s1 == 6));
  std::vector<std::string> kept;
  for (const Expr* c : env->entry_conditions()) kept.push_back(text(c));
  EXPECT_THAT(kept, testing::ElementsAre("s2 >= 2", "s0 >= 6", "s0 + s1 >= 12", "s1 == 6"));
}

TEST_F(FactsTest, FailuresInTheUsersWords) {
  EXPECT_TRUE(bool(s0 % 2 == 0));
  EXPECT_TRUE(bool(s0 >= s1));
  const std::vector<int64_t> now{7, 6, 8};
  EXPECT_EQ(env->failure_text(env->guards()[0].condition, now),
            "x.size(0) % 2 == 0; x.size(0) was 8, now 7");
  EXPECT_EQ(env->failure_text(env->guards()[1].condition, std::vector<int64_t>{5, 9, 8}),
            "x.size(0) >= x.size(1); x.size(0) was 8, now 5, x.size(1) was 6, now 9");
}

TEST_F(FactsTest, FactsTextHasNeitherHintsNorSources) {
  EXPECT_TRUE(bool(s0 % 2 == 0));
  Int u0 = env->new_unbacked("k", line(3), 0, 9, 4);
  check(u0 <= s1, "k");
  EXPECT_EQ(env->facts_text(),
            "s0 in [2, inf)\ns1 in [2, inf)\ns2 in [2, inf)\nu0 in [0, 9]\n"
            "guard s0 % 2 == 0\nassert s1 >= u0\n");
}

// What views ask: the element count divided by what is known of the new shape.
TEST_F(FactsTest, ViewsOfSymbolicSizes) {
  Int numel = s0 * s1 * 64;
  EXPECT_EQ((numel / (s1 * 64)).str(), "s0");
  EXPECT_TRUE((numel % (s0 * 8) == 0).known_true());
  EXPECT_TRUE((s0 * s1 * 64 == (s0 * s1) * 8 * 8).known_true());
  ASSERT_TRUE(bool(s0 % 2 == 0));
  EXPECT_EQ((numel / (s0 / 2 * 2)).str(), "64*s1");
  EXPECT_TRUE((numel % (s0 / 2 * 2) == 0).known_true());
  EXPECT_EQ((numel / (s0 / 2)).str(), "128*s1");
  EXPECT_EQ(guards().size(), 1u);
}

// --- Unbacked ---

struct UnbackedTest : FactsTest {
  Int u0 = env->new_unbacked("(x > 0).sum().item_int()", line(14), 0);
};

TEST_F(UnbackedTest, TheErrorSaysWhichSymbolFromWhereAndWhatToDo) {
  env->set_location_source([] { return line(20); });
  EXPECT_EQ(error_of([&] { (void)bool(u0 >= 4); }),
            "[size] whether u0 >= 4 depends on data: u0 is (x > 0).sum().item_int() at net.cpp:14, "
            "known only to be in [0, inf)\n"
            "  at net.cpp:20 in Net::forward\n"
            "  try: frit::check(u0 >= 4, \"...\") before this line if it always holds, or "
            "(u0 >= 4).guard_or(false) to take the way that is right for both");
  EXPECT_EQ(error_of([&] { (u0 + 1).hint(); }),
            "[size] the value of u0 + 1 depends on data: u0 is (x > 0).sum().item_int() at "
            "net.cpp:14, known only to be in [0, inf)\n"
            "  at net.cpp:20 in Net::forward\n"
            "  try: keep it symbolic; size arithmetic, views and frit::check work on it as it is");
  Int u1 = env->new_unbacked("");
  EXPECT_THAT(error_of([&] { (void)bool(u0 == u1); }),
              HasSubstr("u1 is a value of the computation, and nothing is known about it"));
  EXPECT_TRUE(guards().empty());
  try {
    (void)bool(u0 == u1);
  } catch (const DataDependentError& e) {
    EXPECT_THAT(e.symbols(), testing::ElementsAre("u0", "u1"));
  }
}

TEST_F(UnbackedTest, WhatIsKnownNeedsNoGuard) {
  EXPECT_TRUE(bool(u0 >= 0));
  EXPECT_FALSE(bool(u0 < 0));
  EXPECT_FALSE((u0 == 4).guard_or(false));
  EXPECT_TRUE((u0 == 4).guard_or(true));
  EXPECT_TRUE((u0 >= 0).guard_or(false));
  EXPECT_TRUE(guards().empty());
  EXPECT_TRUE((s0 == 8).guard_or(false));
  EXPECT_THAT(guards(), testing::ElementsAre("s0 == 8"));
}

TEST_F(UnbackedTest, ACheckIsARuntimeAssertAndAFact) {
  check(u0 <= s0, "too many");
  EXPECT_TRUE(bool(u0 <= s0));
  EXPECT_TRUE(bool(u0 <= s0 + 3));
  check(u0 <= s0, "said twice");
  ASSERT_EQ(env->runtime_asserts().size(), 1u);
  EXPECT_EQ(text(env->runtime_asserts()[0].condition), "s0 >= u0");
  EXPECT_EQ(env->runtime_asserts()[0].message, "too many");
  EXPECT_EQ(min(u0, s0).str(), "u0");
  EXPECT_TRUE(guards().empty());
}

TEST_F(UnbackedTest, ACheckThatFailsSaysTheUsersMessage) {
  EXPECT_EQ(error_of([&] { env->check(u0 < 0, "too few", line(3)); }),
            "[check] too few\n  at net.cpp:3 in Net::forward");
  EXPECT_EQ(error_of([&] { env->check(s0 < s1, "rows", line(3)); }),
            "[check] rows (x.size(0) < x.size(1))\n  at net.cpp:3 in Net::forward");
  EXPECT_THAT(error_of([&] { check(Int(3) == 4); }),
              HasSubstr("[check] a condition that does not hold\n  at facts_test.cpp"));
  Int u1 = env->new_unbacked("k", {}, 0, kPlusInf, 9);
  EXPECT_THAT(error_of([&] { env->check(u1 <= s0, "k too large"); }),
              HasSubstr("[check] k too large (x.size(0) >= k)"));
}

TEST_F(UnbackedTest, TheRealValueNeverDecides) {
  Int u1 = env->new_unbacked("k", {}, 0, kPlusInf, 5);
  EXPECT_EQ(u1.hint(), 5);
  EXPECT_EQ(env->size_hint(u1 * s0, 1), 40);
  EXPECT_EQ(env->size_hint(u0, 64), 64);
  EXPECT_THAT(error_of([&] { (void)bool(u1 == 5); }), HasSubstr("whether u1 == 5 depends on data"));
  EXPECT_FALSE(u0.has_hint());
  env->set_hint(u0, 3);
  EXPECT_TRUE(u0.has_hint());
}

TEST_F(UnbackedTest, AnEqualityEliminatesTheUnbackedOne) {
  check(u0 == s0 - 1);
  EXPECT_EQ(u0.str(), "s0 - 1");
  EXPECT_EQ((u0 + 1).str(), "s0");
  Int u1 = env->new_unbacked("k", {}, 0);
  check(2 * u1 == s1);
  EXPECT_EQ(s1.str(), "s1");
  EXPECT_TRUE((2 * u1 == s1).known_true());
}

TEST_F(UnbackedTest, AMinimumThatEqualsASymbolIsReadAsIt) {
  Int n = min(u0, s0);
  check(min(u0, s0) == u0);
  EXPECT_EQ(n.str(), "u0");
  EXPECT_TRUE((u0 <= s0).known_true());
}

TEST_F(UnbackedTest, DivisionNeedsANonZeroDivisor) {
  EXPECT_EQ((u0 * 64 / u0).str(), "(64*u0)//u0");
  check(u0 != 0);
  EXPECT_EQ((u0 * 64 / u0).str(), "64");
}

TEST_F(UnbackedTest, AHookMayAnswer) {
  std::vector<std::string> asked;
  std::optional<bool> value;
  env->set_on_data_dependent(
      [&](const DataDependentError& e, std::optional<bool> seen) -> std::optional<bool> {
        asked.push_back(e.message());
        value = seen;
        return true;
      });
  EXPECT_TRUE(bool(u0 >= 4));
  EXPECT_EQ(asked.size(), 1u);
  EXPECT_FALSE(value);
  env->set_hint(u0, 3);
  EXPECT_TRUE(bool(u0 >= 4));
  EXPECT_EQ(value, std::optional(false));
  EXPECT_TRUE(guards().empty());
}

}  // namespace
}  // namespace frit::sym
