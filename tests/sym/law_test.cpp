// Z3 proves the law of every simplifier rule over all integers, by the rule's name.
//
// A floor quotient is what its definition says: q is x // y where y*q <= x < y*q + y for y > 0, and
// y*q >= x > y*q + y for y < 0. It is unique (the first proof), so a law "x // y = e" is proved by
// showing that e meets the definition, with the quotients in e being variables that meet theirs.
#ifdef FRIT_HAVE_Z3
#include <gtest/gtest.h>
#include <z3++.h>

#include <functional>
#include <map>
#include <set>

#include "sym/rules.h"

namespace frit::sym {
namespace {

using z3::expr;

struct Proof {
  z3::context context;
  z3::solver solver{context};
  int fresh = 0;
  std::string not_proved;

  Proof() {
    z3::params p(context);
    // Counted in steps, so that a busy machine proves as much as an idle one.
    p.set("rlimit", 30000000u);
    solver.set(p);
  }

  expr any(const char* name) { return context.int_const(name); }
  expr number(int64_t v) { return context.int_val(v); }
  void given(const expr& e) { solver.add(e); }

  static expr is_quotient(const expr& x, const expr& y, const expr& q) {
    return (y > 0 && y * q <= x && x < y * q + y) || (y < 0 && y * q >= x && x > y * q + y);
  }
  // r is x % y, the quotient being q.
  static expr is_remainder(const expr& x, const expr& y, const expr& r, const expr& q) {
    return x == y * q + r && ((y > 0 && r >= 0 && r < y) || (y < 0 && r <= 0 && r > y));
  }
  // x // y, which is defined.
  expr quotient(const expr& x, const expr& y) {
    expr q = any(("q" + std::to_string(fresh++)).c_str());
    given(is_quotient(x, y, q));
    return q;
  }

  // Products of unknowns are beyond Z3's linear core; this gives it a sign law it then only uses:
  // y > 0 and a >= 0 have y*a >= 0, y > 0 and a < 0 have y*a <= -y. Proved as lemmas themselves.
  void product_signs(const expr& y, const expr& a) {
    given(implies(y > 0 && a >= 0, y * a >= 0));
    given(implies(y > 0 && a < 0, y * a <= -y));
    given(implies(y < 0 && a >= 0, y * a <= 0));
    given(implies(y < 0 && a < 0, y * a >= -y));
  }

  void claim(const expr& e) {
    solver.push();
    solver.add(!e);
    z3::check_result r = solver.check();
    if (r == z3::sat)
      not_proved += "refuted: " + e.to_string() + "\nby " + solver.get_model().to_string() + "\n";
    else if (r == z3::unknown)
      not_proved += "unknown (" + solver.reason_unknown() + "): " + e.to_string() + "\n";
    solver.pop();
  }
  // The claim under conditions of its own.
  void claim(const expr& if_so, const expr& e) { claim(implies(if_so, e)); }
};

using Law = std::function<void(Proof&)>;

expr minimum(const expr& a, const expr& b) { return ite(a <= b, a, b); }
expr maximum(const expr& a, const expr& b) { return ite(a >= b, a, b); }

const std::map<std::string_view, Law>& laws() {
  static const std::map<std::string_view, Law> all = {
      {"quotient_by_one",
       [](Proof& p) {
         expr x = p.any("x");
         p.claim(p.is_quotient(x, p.number(1), x));
       }},
      {"quotient_by_negative",
       [](Proof& p) {
         expr x = p.any("x"), k = p.any("k");
         p.given(k > 0);
         p.claim(p.is_quotient(x, -k, p.quotient(-x, k)));
       }},
      {"quotient_exact",
       [](Proof& p) {
         expr x = p.any("x"), y = p.any("y");
         p.given(y != 0);
         p.claim(p.is_quotient(x * y, y, x));
       }},
      {"quotient_by_quotient",
       [](Proof& p) {
         expr z = p.any("z"), y = p.any("y"), k = p.any("k"), q = p.any("q"), n = p.any("n");
         // x = k*n, so x // k is n; what is divided by is y*n. Z3 is led by the difference times k.
         p.given(k != 0 && y * n != 0 && z * k == q * (y * (k * n)));
         p.product_signs(k, z - q * (y * n));
         p.product_signs(k, q * (y * n) - z);
         p.claim(z == q * (y * n));
         p.given(z == q * (y * n));
         p.claim(p.is_quotient(z, y * n, q));
       }},
      {"quotient_low_constant",
       [](Proof& p) {
         expr x = p.any("x"), c = p.any("c"), g = p.any("g"), k = p.any("k");
         p.given(g > 0 && k > 0);
         expr low = p.quotient(c, g), q = p.quotient(x + low, k);
         p.product_signs(g, x + low - k * q);
         p.product_signs(g, k * q + k - (x + low) - 1);
         p.product_signs(g, k);
         p.claim(p.is_quotient(g * x + c, g * k, q));
       }},
      {"quotient_common_factor",
       [](Proof& p) {
         expr x = p.any("x"), y = p.any("y"), f = p.any("f");
         p.given(y != 0 && f != 0);
         expr q = p.quotient(x, y);
         p.product_signs(f, x - y * q);
         p.product_signs(f, y * q + y - x);
         p.product_signs(f, y);
         p.claim(p.is_quotient(f * x, f * y, q));
       }},
      {"quotient_split",
       [](Proof& p) {
         expr x = p.any("x"), y = p.any("y"), n = p.any("n");
         p.given(y != 0);
         p.claim(p.is_quotient(x + n * y, y, p.quotient(x, y) + n));
       }},
      {"quotient_of_known_multiple",
       [](Proof& p) {
         expr c = p.any("c"), k = p.any("k"), n = p.any("n"), x = k * n;
         p.given(k > 0);
         p.claim(p.is_quotient(x, k, n));
         p.claim(p.is_quotient(c * x, k, c * n));
       }},
      {"quotient_nested",
       [](Proof& p) {
         expr x = p.any("x"), y = p.any("y"), z = p.any("z"), c = p.any("c");
         p.given(y != 0 && z > 0);
         expr inner = p.quotient(x, y) + c, outer = p.quotient(inner, z);
         // y*(inner - z*outer) lies from 0 to y*(z - 1).
         p.product_signs(y, inner - z * outer);
         p.product_signs(y, z * outer + z - inner - 1);
         p.product_signs(y, z);
         p.claim(p.is_quotient(x + c * y, y * z, outer));
       }},
      {"quotient_of_negated",
       [](Proof& p) {
         expr x = p.any("x"), y = p.any("y");
         p.given(y > 0);
         p.claim(p.is_quotient(-x, y, -p.quotient(x + y - 1, y)));
       }},
      {"quotient_small",
       [](Proof& p) {
         expr x = p.any("x"), y = p.any("y"), lo = p.any("lo"), hi = p.any("hi"), q = p.any("q");
         p.claim(x >= 0 && x < y, p.is_quotient(x, y, p.number(0)));
         p.claim(x >= -y && x < 0, p.is_quotient(x, y, p.number(-1)));
         // By intervals: what the ends agree on, all between them have.
         p.claim(lo <= x && x <= hi && p.is_quotient(lo, y, q) && p.is_quotient(hi, y, q),
                 p.is_quotient(x, y, q));
       }},
      {"remainder_by_one",
       [](Proof& p) {
         expr x = p.any("x");
         p.claim(p.is_remainder(x, p.number(1), p.number(0), x));
       }},
      {"remainder_by_negative",
       [](Proof& p) {
         expr x = p.any("x"), k = p.any("k");
         p.given(k > 0);
         expr q = p.quotient(-x, k), r = -x - k * q;
         p.claim(p.is_remainder(x, -k, -r, q));
       }},
      {"remainder_exact",
       [](Proof& p) {
         expr x = p.any("x"), y = p.any("y");
         p.given(y != 0);
         p.claim(p.is_remainder(x * y, y, p.number(0), x));
       }},
      {"remainder_by_quotient",
       [](Proof& p) {
         expr y = p.any("y"), q = p.any("q"), n = p.any("n");
         // z is q*y*n, as for quotient_by_quotient.
         p.given(y * n != 0);
         p.claim(p.is_remainder(q * (y * n), y * n, p.number(0), q));
       }},
      {"remainder_reduce",
       [](Proof& p) {
         expr x = p.any("x"), k = p.any("k"), n = p.any("n");
         p.given(k > 0);
         expr q = p.quotient(x, k);
         p.claim(p.is_remainder(x + n * k, k, x - k * q, q + n));
       }},
      {"remainder_drop_multiples",
       [](Proof& p) {
         expr x = p.any("x"), y = p.any("y"), n = p.any("n");
         p.given(y != 0);
         expr q = p.quotient(x, y);
         p.claim(p.is_remainder(x + n * y, y, x - y * q, q + n));
       }},
      {"remainder_low_constant",
       [](Proof& p) {
         expr x = p.any("x"), c = p.any("c"), g = p.any("g"), k = p.any("k");
         p.given(g > 0 && k > 0);
         expr low = p.quotient(c, g), q = p.quotient(x + low, k), r = x + low - k * q;
         p.product_signs(g, r);
         p.product_signs(g, k - r - 1);
         p.product_signs(g, k);
         p.claim(p.is_remainder(g * x + c, g * k, g * r + (c - g * low), q));
       }},
      {"remainder_common_factor",
       [](Proof& p) {
         expr x = p.any("x"), y = p.any("y"), f = p.any("f");
         p.given(y != 0 && f != 0);
         expr q = p.quotient(x, y), r = x - y * q;
         p.product_signs(f, r);
         p.product_signs(f, y - r);
         p.product_signs(f, y);
         p.claim(p.is_remainder(f * x, f * y, f * r, q));
       }},
      {"remainder_nested",
       [](Proof& p) {
         expr x = p.any("x"), y = p.any("y"), z = p.any("z"), c = p.any("c"), k = p.any("k"),
              m = p.any("m");
         p.given(y != 0 && k != 0 && c * y == m * k);
         expr q = p.quotient(x, y), outer = p.quotient(c * x + z, k);
         p.given(c * y * q == m * k * q);
         p.claim(p.is_remainder(c * (x - y * q) + z, k, c * x + z - k * outer, outer - m * q));
       }},
      {"remainder_small",
       [](Proof& p) {
         expr x = p.any("x"), y = p.any("y");
         p.claim(x >= 0 && x < y, p.is_remainder(x, y, x, p.number(0)));
         p.claim(y > 0 && x >= -y && x < 0, p.is_remainder(x, y, x + y, p.number(-1)));
       }},
      {"quotient_plus_remainder",
       [](Proof& p) {
         expr x = p.any("x"), y = p.any("y"), q = p.any("q"), r = p.any("r");
         p.claim(p.is_remainder(x, y, r, q), y * q + r == x);
       }},
      {"extremum_flatten",
       [](Proof& p) {
         expr x = p.any("x"), y = p.any("y"), z = p.any("z");
         p.claim(minimum(x, minimum(y, z)) == minimum(minimum(x, y), z));
         p.claim(maximum(x, maximum(y, z)) == maximum(maximum(x, y), z));
       }},
      {"extremum_dominated",
       [](Proof& p) {
         expr x = p.any("x"), y = p.any("y");
         p.claim(x - y >= 0, minimum(x, y) == y);
         p.claim(y - x >= 0, maximum(x, y) == y);
       }},
      {"compare_divide",
       [](Proof& p) {
         expr x = p.any("x"), c = p.any("c"), g = p.any("g");
         p.given(g > 0);
         expr low = p.quotient(c, g);
         p.product_signs(g, x + low);
         p.claim((g * x + c >= 0) == (x + low >= 0));
         p.claim(c == g * low, (g * x + c == 0) == (x + low == 0));
         p.claim(c != g * low, g * x + c != 0);
       }},
      {"compare_sign",
       [](Proof& p) {
         expr x = p.any("x");
         p.claim((x == 0) == (-x == 0));
       }},
      {"compare_cancel",
       [](Proof& p) {
         expr x = p.any("x"), f = p.any("f"), c = p.any("c");
         p.product_signs(f, x);
         p.product_signs(f, x - 1);
         p.product_signs(f, x + 1);
         p.claim(f > 0 && c >= 0 && c < f, (f * x + c >= 0) == (x >= 0));
         p.claim(f > 0 && c < 0 && c >= -f, (f * x + c >= 0) == (x - 1 >= 0));
         p.claim(f != 0, (f * x == 0) == (x == 0));
         p.claim(f > 0 && c != 0 && c > -f && c < f, f * x + c != 0);
         p.claim(f < 0 && c != 0 && c > f && c < -f, f * x + c != 0);
       }},
      {"compare_congruence",
       [](Proof& p) {
         expr n = p.any("n"), c = p.any("c"), g = p.any("g");
         p.given(g > 0);
         expr low = p.quotient(c, g);
         p.given(c != g * low);
         p.product_signs(g, n + low);
         p.product_signs(g, n + low + 1);
         p.claim(g * n + c != 0);
       }},
      {"compare_quotient",
       [](Proof& p) {
         expr x = p.any("x"), y = p.any("y"), r = p.any("r");
         p.given(y > 0);
         expr q = p.quotient(x, y);
         p.product_signs(y, q + r);
         p.product_signs(y, r - q);
         p.claim((q + r >= 0) == (x + r * y >= 0));
         p.claim((r - q >= 0) == ((r + 1) * y - 1 - x >= 0));
       }},
  };
  return all;
}

std::vector<const Rule*> all_rules() {
  std::vector<const Rule*> all;
  for (auto table :
       {quotient_rules(), remainder_rules(), sum_rules(), extremum_rules(), comparison_rules()})
    for (const Rule& r : table) all.push_back(&r);
  return all;
}

TEST(Law, QuotientsAreUnique) {
  Proof p;
  expr x = p.any("x"), y = p.any("y"), a = p.any("a"), b = p.any("b");
  p.product_signs(y, a - b);
  p.product_signs(y, b - a);
  p.claim(p.is_quotient(x, y, a) && p.is_quotient(x, y, b), a == b);
  EXPECT_EQ(p.not_proved, "");
}

TEST(Law, SignsOfProducts) {
  Proof p;
  expr y = p.any("y"), a = p.any("a");
  p.claim(y > 0 && a >= 0, y * a >= 0);
  p.claim(y > 0 && a < 0, y * a <= -y);
  p.claim(y < 0 && a >= 0, y * a <= 0);
  p.claim(y < 0 && a < 0, y * a >= -y);
  EXPECT_EQ(p.not_proved, "");
}

TEST(Law, EveryRuleIsProved) {
  std::set<std::string_view> names;
  for (const Rule* r : all_rules()) {
    EXPECT_TRUE(names.insert(r->name).second) << r->name << " is there twice";
    EXPECT_FALSE(r->law.empty()) << r->name;
    auto law = laws().find(r->name);
    if (law == laws().end()) {
      ADD_FAILURE() << r->name << " has no proof: " << r->law;
      continue;
    }
    Proof p;
    law->second(p);
    EXPECT_EQ(p.not_proved, "") << r->name << ": " << r->law;
    // A proof from premises that contradict each other would prove anything.
    EXPECT_NE(p.solver.check(), z3::unsat) << r->name << ": its premises cannot hold";
  }
  for (auto& [name, law] : laws()) EXPECT_TRUE(names.contains(name)) << name << " is no rule";
}

}  // namespace
}  // namespace frit::sym
#endif
