// The laws of sums with quotients in them, of min and max, and of comparisons with zero.
#include <algorithm>
#include <numeric>

#include "sym/rules.h"

namespace frit::sym {
namespace {

int64_t gcd(int64_t a, int64_t b) { return a == kMinusInf || b == kMinusInf ? 1 : std::gcd(a, b); }

// --- Sums ---

// Finds c*y*r*(x//y) together with c*r*(x % y), where the remainder may be known to be a number
// (0 for a known multiple), and puts c*r*x in their place.
bool quotient_plus_remainder(Algebra& al, Poly& p) {
  Arena& arena = al.arena();
  for (const Term t : p.terms) {
    for (const Expr* f : factors(t.monomial)) {
      if (f->kind() != Kind::floordiv) continue;
      auto y = Poly::of(f->arg(1)).single();
      if (!y || exact_mod(t.coef, y->coef) != 0) continue;
      auto rest = divide(arena, *divide(arena, t.monomial, f), y->monomial);
      if (!rest) continue;
      int64_t c = exact_floordiv(t.coef, y->coef);
      Poly remainder = multiply(arena, Poly::of(al.mod(f->arg(0), f->arg(1))), c, *rest);
      if (!std::ranges::all_of(remainder.terms, [&](const Term& r) {
            return r.monomial != t.monomial && p.coef_of(r.monomial) == r.coef;
          }))
        continue;
      Poly out = p;
      out.add(Poly::term(t.coef, t.monomial), -1);
      out.add(remainder, -1);
      out.add(multiply(arena, Poly::of(f->arg(0)), c, *rest));
      p = std::move(out);
      return true;
    }
  }
  return false;
}

// --- min and max ---

using Args = SmallVector<const Expr*, 4>;

bool extremum_flatten(Algebra&, Kind kind, Args& args) {
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i]->kind() != kind) continue;
    auto inner = args[i]->args();
    args.erase(i);
    args.append(inner.begin(), inner.end());
    return true;
  }
  return false;
}

bool extremum_dominated(Algebra& al, Kind kind, Args& args) {
  for (size_t i = 0; i < args.size(); ++i)
    for (size_t j = 0; j < args.size(); ++j) {
      if (i == j) continue;
      Poly d = Poly::of(args[i]);  // args[i] - args[j]: i can go if j is always the better one
      d.add(Poly::of(args[j]), -1);
      if (kind == Kind::max) d = d.negated();
      if (!al.facts().known_nonneg(d)) continue;
      args.erase(i);
      return true;
    }
  return false;
}

// --- Comparisons ---

// A polynomial that is never zero: the comparison is decided.
bool never_zero(Poly& p) {
  p = Poly(1);
  return true;
}

bool compare_divide(Algebra&, Kind kind, Poly& p) {
  int64_t g = p.content_of_terms();
  if (g <= 1) return false;
  if (kind != Kind::ge && p.constant % g != 0) return never_zero(p);
  for (Term& t : p.terms) t.coef /= g;
  p.constant = exact_floordiv(p.constant, g);
  return true;
}

bool compare_sign(Algebra&, Kind kind, Poly& p) {
  if (kind == Kind::ge || p.terms.empty() || p.terms[0].coef > 0) return false;
  p = p.negated();
  return true;
}

// A number c that is added stays out of the way where it is smaller than the factor: m*q + c has
// the sign of q, rounded as integers are.
bool compare_cancel(Algebra& al, Kind kind, Poly& p) {
  const Expr* common = p.without_constant().common_monomial(al.arena());
  const Expr* m = nullptr;
  for (const Expr* f : factors(common))
    if (kind == Kind::ge ? al.facts().positive(f) : al.facts().nonzero(f))
      m = multiply(al.arena(), m, f);
  if (!m) return false;
  Range size = al.facts().bounds(m);
  if (size.hi < 0) size = -size;
  if (p.constant != 0 && size.lo <= 0) return false;
  Poly q;
  for (const Term& t : p.terms) q.add(Poly::term(t.coef, *divide(al.arena(), t.monomial, m)));
  if (kind == Kind::ge) {
    if (p.constant < -size.lo || p.constant >= size.lo) return false;
    q.constant = exact_add(q.constant, p.constant < 0 ? -1 : 0);
  } else if (p.constant != 0) {
    return p.constant > -size.lo && p.constant < size.lo && never_zero(p);
  }
  p = std::move(q);
  return true;
}

bool compare_congruence(Algebra& al, Kind kind, Poly& p) {
  if (kind == Kind::ge || p.constant == 0 || p.terms.empty()) return false;
  int64_t g = 0;
  for (const Term& t : p.terms) g = gcd(g, exact_mul(t.coef, al.facts().divisor(t.monomial)));
  return g > 1 && p.constant % g != 0 && never_zero(p);
}

bool compare_quotient(Algebra& al, Kind kind, Poly& p) {
  if (kind != Kind::ge) return false;
  const Term* found = nullptr;
  for (const Term& t : p.terms)
    if (std::ranges::any_of(factors(t.monomial),
                            [](auto* f) { return f->kind() == Kind::floordiv; })) {
      if (found) return false;
      found = &t;
    }
  if (!found || found->monomial->kind() != Kind::floordiv) return false;
  if ((found->coef != 1 && found->coef != -1) || !al.facts().positive(found->monomial->arg(1)))
    return false;
  Poly x = Poly::of(found->monomial->arg(0)), y = Poly::of(found->monomial->arg(1)), r = p;
  r.add(Poly::term(found->coef, found->monomial), -1);
  Poly q;
  if (found->coef == 1) {  // x//y + r >= 0
    q = multiply(al.arena(), r, y);
    q.add(x);
  } else {  // r - x//y >= 0
    r.constant = exact_add(r.constant, 1);
    q = multiply(al.arena(), r, y);
    q.add(x, -1);
    q.constant = exact_add(q.constant, -1);
  }
  p = Poly::of(al.sum(std::move(q)));
  return true;
}

constexpr Rule kSum[] = {
    {.name = "quotient_plus_remainder",
     .law = "y * (x // y) + x % y = x",
     .rewrite = quotient_plus_remainder},
};

constexpr Rule kExtremum[] = {
    {.name = "extremum_flatten",
     .law = "min(x, min(y, z)) = min(x, y, z)",
     .extremum = extremum_flatten},
    {.name = "extremum_dominated",
     .law = "min(x, y) = x where x <= y",
     .extremum = extremum_dominated},
};

constexpr Rule kComparison[] = {
    {.name = "compare_divide",
     .law = "g*x + c >= 0 is x + c//g >= 0; g*x + c == 0 is x + c//g == 0, or false where g does "
            "not divide c; g > 0",
     .comparison = compare_divide},
    {.name = "compare_sign", .law = "-x == 0 is x == 0", .comparison = compare_sign},
    {.name = "compare_cancel",
     .law =
         "f*x + c >= 0 is x >= 0 where 0 <= c < f, and x - 1 >= 0 where -f <= c < 0; f*x == 0 is "
         "x == 0 where f != 0; f*x + c == 0 is false where 0 < |c| < |f|",
     .comparison = compare_cancel},
    {.name = "compare_congruence",
     .law = "x + c == 0 is false where g divides x and not c",
     .comparison = compare_congruence},
    {.name = "compare_quotient",
     .law = "x//y + r >= 0 is x + r*y >= 0; r - x//y >= 0 is (r + 1)*y - 1 - x >= 0; y > 0",
     .comparison = compare_quotient},
};

}  // namespace

std::span<const Rule> sum_rules() { return kSum; }
std::span<const Rule> extremum_rules() { return kExtremum; }
std::span<const Rule> comparison_rules() { return kComparison; }

}  // namespace frit::sym
