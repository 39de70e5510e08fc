// Random expressions under random facts: whatever the simplifier makes of them has the same value
// for all sizes that the facts allow. A failure prints the seed and the smallest failing part.
#include <gtest/gtest.h>

#include <cstdlib>

#include "sym/parse.h"
#include "sym/random_expr.h"

namespace frit::sym::random {
namespace {

uint64_t first_seed() {
  const char* s = std::getenv("FRIT_TEST_SEED");
  return s ? std::strtoull(s, nullptr, 10) : 1;
}

uint64_t rounds(uint64_t otherwise) {
  const char* s = std::getenv("FRIT_TEST_ROUNDS");
  return s ? std::strtoull(s, nullptr, 10) : otherwise;
}

struct World {
  std::shared_ptr<ShapeEnv> env = std::make_shared<ShapeEnv>();
  std::vector<Int> symbols;
  std::vector<Range> ranges;
  std::vector<int64_t> hints;
  std::vector<Condition> asked;  // with the truth they had under the hints
  std::vector<bool> truths;
  std::vector<std::vector<int64_t>> samples;  // sizes under which everything asked has that truth

  World(Generator& g, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      static constexpr Range kRanges[] = {{2, kPlusInf}, {2, kPlusInf}, {0, kPlusInf},
                                          {1, 12},       {-8, 8},       {kMinusInf, kPlusInf}};
      Range r = kRanges[g.number(0, 5)];
      ranges.push_back(r);
      hints.push_back(value(g, r));
      symbols.push_back(env->new_symbol(
          hints.back(), r.lo, r.hi == kPlusInf ? std::nullopt : std::optional(r.hi), "size"));
    }
  }

  static int64_t value(Generator& g, Range r) {
    return g.number(std::max<int64_t>(r.lo, -20), std::min<int64_t>(r.hi, g.number(0, 3) ? 24 : 9));
  }

  void ask(Generator& g, int depth) {
    Condition c = g.condition(depth);
    auto truth = c.evaluate(hints);
    if (!truth) return;
    EXPECT_EQ(bool(c.build(symbols)), *truth) << c.str();
    asked.push_back(c);
    truths.push_back(*truth);
  }

  bool allowed(const std::vector<int64_t>& v) const {
    for (size_t i = 0; i < asked.size(); ++i)
      if (asked[i].evaluate(v) != truths[i]) return false;
    return true;
  }

  void sample(Generator& g, int tries) {
    samples = {hints};
    for (int i = 0; i < tries; ++i) {
      std::vector<int64_t> v;
      for (size_t s = 0; s < symbols.size(); ++s)
        v.push_back(g.number(0, 2) ? value(g, ranges[s]) : hints[s]);
      if (allowed(v)) samples.push_back(v);
    }
  }

  std::string str() const {
    std::string s;
    for (size_t i = 0; i < symbols.size(); ++i)
      s += "s" + std::to_string(i) + " in " + ranges[i].str() + "\n";
    for (size_t i = 0; i < asked.size(); ++i)
      s += "asked " + asked[i].str() + ": " + (truths[i] ? "true\n" : "false\n");
    return s;
  }
};

std::string values(const std::vector<int64_t>& v) {
  std::string s;
  for (int64_t x : v) s += std::to_string(x) + " ";
  return s;
}

// What is wrong with the simplified form of n; "" for nothing.
std::string fault(const Node& n, const World& w) {
  try {
    Int e = n.build(w.symbols);
    const Expr* x = w.env->expr(e);
    std::string printed = e.str();
    if (w.env->algebra().simplify(x) != x) return printed + " is not a fixed point";
    if (!parse(*w.env, printed).same_as(e))
      return printed + " reads back as " + parse(*w.env, printed).str();
    Program program = Program::compile(x);
    Range bounds = w.env->bounds(x);
    int64_t divisor = w.env->known_divisor(e);
    for (const auto& v : w.samples) {
      auto expected = n.evaluate(v);
      if (!expected) continue;
      int64_t got = w.env->evaluate(x, v), run = program.run(v);
      std::string where = printed + " at " + values(v) + "is " + std::to_string(*expected);
      if (got != *expected) return where + ", simplified gives " + std::to_string(got);
      if (run != *expected) return where + ", the program gives " + std::to_string(run);
      if (!bounds.contains(*expected)) return where + ", bounds are " + bounds.str();
      if (divisor == 0 ? *expected != 0 : *expected % divisor != 0)
        return where + ", not a multiple of " + std::to_string(divisor);
    }
    return "";
  } catch (const std::exception& e) {
    // A division by the number 0 is refused when it is written.
    if (std::string(e.what()).find("by zero") != std::string::npos) return "";
    return e.what();
  }
}

std::string fault(const Condition& c, const World& w) {
  try {
    Bool b = c.build(w.symbols);
    int known = w.env->decide(b);
    Bool simplified = w.env->simplify(b);
    std::string printed = b.str();
    if (!parse_bool(*w.env, printed).same_as(b))
      return printed + " reads back as " + parse_bool(*w.env, printed).str();
    for (const auto& v : w.samples) {
      auto expected = c.evaluate(v);
      if (!expected) continue;
      std::string where = printed + " at " + values(v) + "is " + (*expected ? "true" : "false");
      if (known >= 0 && known != int{*expected}) return where + ", decided otherwise";
      if (w.env->evaluate(simplified, v) != *expected) return where + ", evaluates otherwise";
      if (w.env->evaluate(!simplified, v) == *expected) return where + ", so does its negation";
      if (w.env->compile(simplified).run(v) != int{*expected}) return where + ", program differs";
    }
    return "";
  } catch (const std::exception& e) {
    if (std::string(e.what()).find("by zero") != std::string::npos) return "";
    return e.what();
  }
}

// The deepest part that is still wrong.
std::string smallest_fault(const Node& n, const World& w) {
  for (const auto& a : n.args)
    if (std::string s = smallest_fault(*a, w); !s.empty()) return s;
  std::string s = fault(n, w);
  return s.empty() ? s : n.str() + "\n  " + s;
}

TEST(Property, SimplifiedEqualsUnsimplified) {
  const uint64_t from = first_seed();
  for (uint64_t seed = from; seed < from + rounds(4000); ++seed) {
    Generator g(seed, 3);
    World w(g, 3);
    w.sample(g, 20);
    for (int i = 0; i < 4; ++i) {
      auto n = g.node(static_cast<int>(g.number(1, 4)));
      std::string s = smallest_fault(*n, w);
      ASSERT_EQ(s, "") << "FRIT_TEST_SEED=" << seed << "\n" << w.str();
    }
  }
}

TEST(Property, FactsAreSound) {
  const uint64_t from = first_seed();
  for (uint64_t seed = from; seed < from + rounds(3000); ++seed) {
    Generator g(seed, 3);
    World w(g, 3);
    for (int64_t i = g.number(1, 5); i > 0; --i) w.ask(g, static_cast<int>(g.number(0, 2)));
    w.sample(g, 60);
    ASSERT_TRUE(w.allowed(w.hints));
    for (int i = 0; i < 4; ++i) {
      std::string s = smallest_fault(*g.node(static_cast<int>(g.number(1, 3))), w);
      ASSERT_EQ(s, "") << "FRIT_TEST_SEED=" << seed << "\n" << w.str() << w.env->symbols_text();
      Condition c = g.condition(2);
      ASSERT_EQ(fault(c, w), "") << c.str() << "\nFRIT_TEST_SEED=" << seed << "\n" << w.str();
    }
    // The guards say the same as what was asked: they hold exactly where its truth is the same,
    // wherever all of it is defined.
    for (int i = 0; i < 20; ++i) {
      std::vector<int64_t> v;
      for (size_t s = 0; s < w.symbols.size(); ++s) v.push_back(World::value(g, w.ranges[s]));
      bool defined = true, same = true;
      for (size_t k = 0; k < w.asked.size(); ++k) {
        auto t = w.asked[k].evaluate(v);
        defined &= t.has_value();
        same &= t == w.truths[k];
      }
      if (!defined) continue;
      bool holds = true;
      for (const Expr* c : w.env->entry_conditions()) {
        int64_t r = 0;
        holds = holds && Program::compile(c).try_run(v, &r) && r;
      }
      ASSERT_EQ(holds, same) << values(v) << "\nFRIT_TEST_SEED=" << seed << "\n"
                             << w.str() << w.env->guards_text();
    }
  }
}

}  // namespace
}  // namespace frit::sym::random
