// Z3 proves applications of the simplifier's rules: random expressions are simplified under random
// facts, each application of a rule is noted as before and after, and Z3 shows that the two are
// equal wherever the facts hold and the first is defined. What Z3 does not decide in its time (some
// with products of symbols) is not proved and is listed; what it refutes fails.
#ifdef FRIT_HAVE_Z3
#include <gtest/gtest.h>
#include <z3++.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <set>

#include "sym/parse.h"
#include "sym/random_expr.h"
#include "sym/rules.h"

namespace frit::sym {
namespace {

using random::Generator;

struct Translator {
  z3::context& context;
  z3::expr_vector defined;  // conditions under which what was translated is defined

  explicit Translator(z3::context& c) : context(c), defined(c) {}

  z3::expr number(int64_t v) { return context.int_val(v); }

  z3::expr integer(const Expr* e) {
    auto args = e->args();
    switch (e->kind()) {
      case Kind::constant:
        return number(e->value());
      case Kind::symbol:
        return context.int_const(text(e).c_str());
      case Kind::product: {
        z3::expr r = integer(args[0]);
        for (const Expr* a : args.subspan(1)) r = r * integer(a);
        return r;
      }
      case Kind::sum: {
        z3::expr r = number(e->value());
        for (size_t i = 0; i < args.size(); ++i) r = r + number(e->coefs()[i]) * integer(args[i]);
        return r;
      }
      case Kind::floordiv:
        return quotient(integer(args[0]), integer(args[1]));
      case Kind::mod: {
        z3::expr a = integer(args[0]), b = integer(args[1]);
        return a - b * quotient(a, b);
      }
      case Kind::min:
      case Kind::max: {
        z3::expr r = integer(args[0]);
        for (const Expr* a : args.subspan(1)) {
          z3::expr x = integer(a);
          r = e->kind() == Kind::min ? ite(r <= x, r, x) : ite(r >= x, r, x);
        }
        return r;
      }
      default:
        break;
    }
    throw InternalError("not an integer expression");
  }

  z3::expr condition(const Expr* e) {
    auto args = e->args();
    switch (e->kind()) {
      case Kind::truth:
        return context.bool_val(e->value() != 0);
      case Kind::eq:
        return integer(args[0]) == 0;
      case Kind::ne:
        return integer(args[0]) != 0;
      case Kind::ge:
        return integer(args[0]) >= 0;
      case Kind::conj: {
        z3::expr r = condition(args[0]);
        for (const Expr* a : args.subspan(1)) r = r && condition(a);
        return r;
      }
      case Kind::disj: {
        z3::expr r = condition(args[0]);
        for (const Expr* a : args.subspan(1)) r = r || condition(a);
        return r;
      }
      default:
        break;
    }
    throw InternalError("not a condition");
  }

  // SMT's div leaves a remainder that is not negative, which for y < 0 is not floor division.
  z3::expr quotient(const z3::expr& x, const z3::expr& y) {
    defined.push_back(y != 0);
    if (y.is_numeral()) return y.get_numeral_int64() > 0 ? div(x, y) : div(-x, -y);
    return ite(y > 0, div(x, y), div(-x, -y));
  }
  static z3::expr div(const z3::expr& x, const z3::expr& y) { return x / y; }
};

struct Counts {
  int proved = 0, unknown = 0;
};

struct Application {
  const Rule* rule;
  const Expr *before, *after;
};

// The facts the rules could use: declared bounds and what was asked.
z3::check_result prove(const Application& a, ShapeEnv& env, std::string& model) {
  z3::context c;
  z3::solver solver(c);
  z3::params params(c);
  // Counted in steps, so that a busy machine proves as much as an idle one.
  params.set("rlimit", 1000000u);
  solver.set(params);
  Translator facts(c), before(c), after(c);
  for (const Expr* f : env.entry_conditions()) solver.add(facts.condition(f));
  for (const z3::expr& d : facts.defined) solver.add(d);
  z3::expr same(c);
  if (a.before->is_truth())
    same = before.condition(a.before) == after.condition(a.after);
  else
    same = before.integer(a.before) == after.integer(a.after);
  for (const z3::expr& d : before.defined) solver.add(d);
  z3::expr after_defined = mk_and(after.defined);
  solver.add(!(same && after_defined));
  z3::check_result r = solver.check();
  if (r == z3::sat) model = solver.get_model().to_string();
  return r;
}

// What random expressions rarely have: facts, and texts that use them.
struct Chosen {
  std::vector<const char*> facts;
  std::vector<const char*> texts;
};

const Chosen kChosen[] = {
    {{},
     {"(s0*s1 + 1) % s0", "(s0*s1 + s1 + 3*s0) % s0", "(s0*s1) % (s0*s0)", "(s0*s1 + s0) % (2*s0)",
      "(s0*s1)//(s0*s0)", "(6*s0 + 1) % 4", "(6*s0 + 5)//4", "((s0 % 12) + s1) % 4",
      "2*(s0//2) + s0 % 2", "6*(s1//2) + 3*(s1 % 2)", "s0*(s1//s0) + s1 % s0"}},
    {{"s0 % 4 == 0"},
     {"(3*s0)//4", "(5*s0 + s1)//4", "4*(s0//4)", "8*s1*(s0//4)", "(3*s0 + s1) % 4"}},
    {{"s1 % 4 == 3"}, {"4*(s1//4)", "(s1 + s0 + 1) % 4"}},
    {{"s0 % 2 == 0"}, {"(64*s0)//(s0//2)", "(64*s0*s1)//(4*(s0//2))", "(6*s0) % (s0//2)"}},
    {{"s0 % 6 == 0"}, {"(s0//2) % 3", "(s0*s1)//12", "(5*s0)//6"}},
};

const std::pair<const char*, const char*> kChosenConditions[] = {
    {"s0 % 2 == 0", "s0 == 2*s1 + 1"},
    {"s0 % 6 == 0", "s0 + 3*s1 != 2"},
    {"s0 % 6 == 0", "s0*s1 == 9*s2 + 1"},
};

TEST(Instance, ApplicationsOfRulesAreProved) {
  const char* asked = std::getenv("FRIT_TEST_ROUNDS");
  const int per_rule = asked ? std::atoi(asked) : 12;
  std::map<std::string_view, Counts> counts;

  // Runs `work` in an environment with `ask`ed facts, and proves what the rules did there.
  auto run = [&](auto ask, auto work, const std::string& name) {
    auto env = std::make_shared<ShapeEnv>();
    std::vector<Int> symbols{env->new_symbol(12, 2, std::nullopt, ""),
                             env->new_symbol(7, 0, std::nullopt, ""),
                             env->new_symbol(-3, -8, 8, "")};
    ask(*env, symbols);
    std::vector<Application> seen;
    env->algebra().on_rule = [&](const Rule& r, const Expr* before, const Expr* after) {
      if (counts[r.name].proved + counts[r.name].unknown < per_rule)
        seen.push_back({&r, before, after});
    };
    try {
      work(*env, symbols);
    } catch (const UserError&) {  // it divides by the number 0
    }
    env->algebra().on_rule = nullptr;
    for (const Application& a : seen) {
      Counts& n = counts[a.rule->name];
      if (n.proved + n.unknown >= per_rule) continue;
      std::string model;
      z3::check_result r = prove(a, *env, model);
      std::string what =
          std::string(a.rule->name) + ": " + text(a.before) + "  ->  " + text(a.after);
      EXPECT_NE(r, z3::sat) << what << "\nis refuted by " << model << "\nunder\n"
                            << env->guards_text() << name;
      ++(r == z3::unsat ? n.proved : n.unknown);
      if (r == z3::unknown) std::cout << "not decided: " << what << "\n";
    }
  };

  for (const Chosen& c : kChosen)
    run(
        [&](ShapeEnv& env, auto&) {
          for (auto* f : c.facts) env.guard(parse_bool(env, f));
        },
        [&](ShapeEnv& env, auto&) {
          for (auto* t : c.texts) parse(env, t);
        },
        "chosen");
  for (auto& [fact, condition] : kChosenConditions)
    run([&](ShapeEnv& env, auto&) { env.guard(parse_bool(env, fact)); },
        [&](ShapeEnv& env, auto&) { parse_bool(env, condition); }, "chosen");
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(per_rule) * 20; ++seed) {
    Generator g(seed, 3);
    run(
        [&](ShapeEnv&, const std::vector<Int>& symbols) {
          for (int64_t i = g.number(0, 2); i > 0; --i) {
            auto c = g.condition(1);
            if (c.evaluate({12, 7, -3})) (void)bool(c.build(symbols));
          }
        },
        [&](ShapeEnv&, const std::vector<Int>& symbols) {
          g.node(3)->build(symbols);
          g.condition(2).build(symbols);
        },
        "seed " + std::to_string(seed));
  }
  for (auto table :
       {quotient_rules(), remainder_rules(), sum_rules(), extremum_rules(), comparison_rules()})
    for (const Rule& r : table) {
      const Counts& n = counts[r.name];
      std::cout << "  " << r.name << ": " << n.proved << " proved, " << n.unknown
                << " not decided\n";
      EXPECT_GT(n.proved + n.unknown, 0) << r.name << " was never seen at work";
    }
}

}  // namespace
}  // namespace frit::sym
#endif
