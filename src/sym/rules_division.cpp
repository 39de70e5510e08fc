// The laws of floor division and of the remainder with the divisor's sign.
#include <numeric>

#include "sym/rules.h"

namespace frit::sym {
namespace {

int64_t gcd(int64_t a, int64_t b) { return a == kMinusInf || b == kMinusInf ? 1 : std::gcd(a, b); }

// Is coef * monomial a multiple of k, by its coefficient and what is known to divide it?
bool known_multiple(const Facts& facts, const Term& t, int64_t k) {
  return __int128(t.coef) * facts.divisor(t.monomial) % k == 0;
}

const Expr* negated(Algebra& al, const Expr* e) { return al.sum(Poly::of(e).negated()); }

Poly divided(const Poly& p, int64_t g) {
  Poly q(exact_floordiv(p.constant, g));
  for (const Term& t : p.terms) q.terms.push_back({t.coef / g, t.monomial});
  return q;
}

// A factor that both have and that is not zero: a number and a monomial. nullopt for none but 1.
std::optional<Term> shared_factor(Algebra& al, const Poly& a, const Poly& b) {
  const Expr* ma = a.common_monomial(al.arena());
  const Expr* mb = ma ? b.common_monomial(al.arena()) : nullptr;
  const Expr* m = nullptr;
  if (mb)
    for (const Expr* all = common_factors(al.arena(), ma, mb); const Expr* f : factors(all))
      if (al.facts().nonzero(f)) m = multiply(al.arena(), m, f);
  int64_t g = gcd(a.content(), b.content());
  if (g <= 1 && !m) return std::nullopt;
  return Term{g == 0 ? 1 : g, m};
}

const Expr* without_factor(Algebra& al, const Poly& p, const Term& f) {
  Poly q;
  for (const Term& t : p.terms)
    q.add(Poly::term(t.coef / f.coef, *divide(al.arena(), t.monomial, f.monomial)));
  q.constant = exact_add(q.constant, p.constant / f.coef);
  return al.sum(std::move(q));
}

// a / b where b has a quotient x//y of a known multiple for a factor: with both sides times y, b
// has x in its place, which other terms are written in.
std::optional<Poly> divide_by_quotient(Algebra& al, const Expr* a, const Expr* b) {
  auto by = Poly::of(b).single();
  if (!by || !by->monomial || !al.facts().nonzero(b)) return std::nullopt;
  for (const Expr* f : factors(by->monomial)) {
    if (f->kind() != Kind::floordiv || !al.mod(f->arg(0), f->arg(1))->is_constant(0)) continue;
    Poly x = Poly::of(f->arg(0)), y = Poly::of(f->arg(1));
    Poly rest = multiply(al.arena(), x, by->coef, *divide(al.arena(), by->monomial, f));
    if (rest.is_zero()) continue;
    if (auto q = divide_exactly(al.arena(), multiply(al.arena(), Poly::of(a), y), rest)) return q;
  }
  return std::nullopt;
}

// --- a // b ---

const Expr* quotient_by_one(Algebra&, const Expr* a, const Expr* b) {
  return b->is_constant(1) ? a : nullptr;
}

const Expr* quotient_by_negative(Algebra& al, const Expr* a, const Expr* b) {
  if (!b->is_constant() || b->value() > 0) return nullptr;
  return al.floordiv(negated(al, a), al.constant(exact_mul(b->value(), -1)));
}

const Expr* quotient_exact(Algebra& al, const Expr* a, const Expr* b) {
  if (!al.facts().nonzero(b)) return nullptr;
  auto q = divide_exactly(al.arena(), Poly::of(a), Poly::of(b));
  return q ? al.sum(std::move(*q)) : nullptr;
}

const Expr* quotient_by_quotient(Algebra& al, const Expr* a, const Expr* b) {
  auto q = divide_by_quotient(al, a, b);
  return q ? al.sum(std::move(*q)) : nullptr;
}

const Expr* quotient_low_constant(Algebra& al, const Expr* a, const Expr* b) {
  if (!b->is_constant()) return nullptr;
  Poly p = Poly::of(a);
  int64_t g = gcd(p.content_of_terms(), b->value());
  if (g <= 1) return nullptr;
  return al.floordiv(al.sum(divided(p, g)), al.constant(b->value() / g));
}

const Expr* quotient_common_factor(Algebra& al, const Expr* a, const Expr* b) {
  Poly pa = Poly::of(a), pb = Poly::of(b);
  auto f = shared_factor(al, pa, pb);
  return f ? al.floordiv(without_factor(al, pa, *f), without_factor(al, pb, *f)) : nullptr;
}

// Takes whole multiples of b out, so that what is left is the same however often b was added.
const Expr* quotient_split(Algebra& al, const Expr* a, const Expr* b) {
  if (!al.facts().nonzero(b)) return nullptr;
  auto by = Poly::of(b).single();
  if (!by) return nullptr;
  Poly p = Poly::of(a), out, rest;
  bool many = p.terms.size() > 1 || p.constant != 0, moved = false;
  for (const Term& t : p.terms) {
    auto m = divide(al.arena(), t.monomial, by->monomial);
    if (m && exact_mod(t.coef, by->coef) == 0) {
      out.add(Poly::term(exact_floordiv(t.coef, by->coef), *m));
      moved = true;
    } else if (many && !by->monomial && known_multiple(al.facts(), t, by->coef)) {
      const Expr* part = Poly::term(t.coef, t.monomial).expr(al.arena());
      out.add(Poly::of(al.floordiv(part, b)));
      moved = true;
    } else {
      rest.terms.push_back(t);
    }
  }
  rest.constant = p.constant;
  if (!by->monomial && by->coef > 0) {
    int64_t q = exact_floordiv(p.constant, by->coef);
    rest.constant -= q * by->coef;
    out.constant = exact_add(out.constant, q);
    moved |= q != 0;
  }
  if (!moved) return nullptr;
  if (!rest.is_zero()) out.add(Poly::of(al.floordiv(al.sum(std::move(rest)), b)));
  return al.sum(std::move(out));
}

const Expr* quotient_of_known_multiple(Algebra& al, const Expr* a, const Expr* b) {
  auto t = Poly::of(a).single();
  if (!b->is_constant() || !t || !t->monomial || t->coef == 1) return nullptr;
  if (al.facts().divisor(t->monomial) % b->value() != 0) return nullptr;
  return al.mul(al.constant(t->coef), al.floordiv(t->monomial, b));
}

const Expr* quotient_nested(Algebra& al, const Expr* a, const Expr* b) {
  Poly p = Poly::of(a);
  if (p.terms.size() != 1 || p.terms[0].coef != 1 || !al.facts().positive(b)) return nullptr;
  const Expr* inner = p.terms[0].monomial;
  if (inner->kind() != Kind::floordiv) return nullptr;
  Poly x = Poly::of(inner->arg(0));
  x.add(Poly::of(inner->arg(1)), p.constant);
  return al.floordiv(al.sum(std::move(x)), al.mul(inner->arg(1), b));
}

// Of x and -x rounded the other way only one is kept, so that a quotient rounded up reads
// (x + k-1)//k.
const Expr* quotient_of_negated(Algebra& al, const Expr* a, const Expr* b) {
  Poly p = Poly::of(a), by = Poly::of(b);
  auto t = by.single();
  if (p.terms.empty() || p.terms[0].coef > 0 || !t || t->coef < 0 || !al.facts().positive(b))
    return nullptr;
  p = p.negated();
  p.add(by);
  p.constant = exact_add(p.constant, -1);
  return negated(al, al.floordiv(al.sum(std::move(p)), b));
}

const Expr* quotient_small(Algebra& al, const Expr* a, const Expr* b) {
  Range rb = al.facts().bounds(b);
  if (!rb.excludes_zero()) return nullptr;
  if (Range r = floordiv(al.facts().bounds(a), rb); r.is_single()) return al.constant(r.lo);
  if (rb.lo <= 0) return nullptr;
  Poly pa = Poly::of(a), below = Poly::of(b);  // b - 1 - a
  below.add(pa, -1);
  below.constant = exact_add(below.constant, -1);
  if (al.facts().known_nonneg(pa)) return al.facts().known_nonneg(below) ? al.constant(0) : nullptr;
  Poly under = pa.negated(), above = Poly::of(b);  // -1 - a, a + b
  under.constant = exact_add(under.constant, -1);
  above.add(pa);
  if (al.facts().known_nonneg(under) && al.facts().known_nonneg(above)) return al.constant(-1);
  return nullptr;
}

// --- a % b ---

const Expr* remainder_by_one(Algebra& al, const Expr*, const Expr* b) {
  return b->is_constant(1) ? al.constant(0) : nullptr;
}

const Expr* remainder_by_negative(Algebra& al, const Expr* a, const Expr* b) {
  if (!b->is_constant() || b->value() > 0) return nullptr;
  return negated(al, al.mod(negated(al, a), al.constant(exact_mul(b->value(), -1))));
}

const Expr* remainder_exact(Algebra& al, const Expr* a, const Expr* b) {
  if (!al.facts().nonzero(b)) return nullptr;
  return divide_exactly(al.arena(), Poly::of(a), Poly::of(b)) ? al.constant(0) : nullptr;
}

const Expr* remainder_by_quotient(Algebra& al, const Expr* a, const Expr* b) {
  return divide_by_quotient(al, a, b) ? al.constant(0) : nullptr;
}

const Expr* remainder_reduce(Algebra& al, const Expr* a, const Expr* b) {
  if (!b->is_constant()) return nullptr;
  int64_t k = b->value();
  Poly p = Poly::of(a), q(exact_mod(p.constant, k));
  bool changed = q.constant != p.constant;
  for (const Term& t : p.terms) {
    int64_t c = exact_mod(t.coef, k);
    if (c != 0 && !known_multiple(al.facts(), {c, t.monomial}, k)) {
      auto known = al.facts().residue(t.monomial, k);
      if (!known) {
        changed |= c != t.coef;
        q.add(Poly::term(c, t.monomial));
        continue;
      }
      q.constant = exact_mod(exact_add(q.constant, exact_mul(c, *known)), k);
    }
    changed = true;
  }
  return changed ? al.mod(al.sum(std::move(q)), b) : nullptr;
}

const Expr* remainder_drop_multiples(Algebra& al, const Expr* a, const Expr* b) {
  auto by = Poly::of(b).single();
  if (!by || !by->monomial || !al.facts().nonzero(b)) return nullptr;
  Poly p = Poly::of(a), rest(p.constant);
  for (const Term& t : p.terms)
    if (exact_mod(t.coef, by->coef) != 0 || !divide(al.arena(), t.monomial, by->monomial))
      rest.terms.push_back(t);
  if (rest.terms.size() == p.terms.size()) return nullptr;
  return al.mod(al.sum(std::move(rest)), b);
}

const Expr* remainder_low_constant(Algebra& al, const Expr* a, const Expr* b) {
  if (!b->is_constant()) return nullptr;
  Poly p = Poly::of(a);
  int64_t g = gcd(p.content_of_terms(), b->value());
  if (g <= 1) return nullptr;
  const Expr* high = al.mod(al.sum(divided(p, g)), al.constant(b->value() / g));
  return al.add(al.mul(al.constant(g), high), al.constant(exact_mod(p.constant, g)));
}

const Expr* remainder_common_factor(Algebra& al, const Expr* a, const Expr* b) {
  Poly pa = Poly::of(a), pb = Poly::of(b);
  auto f = shared_factor(al, pa, pb);
  if (!f) return nullptr;
  const Expr* r = al.mod(without_factor(al, pa, *f), without_factor(al, pb, *f));
  return al.mul(Poly::term(f->coef, f->monomial).expr(al.arena()), r);
}

const Expr* remainder_nested(Algebra& al, const Expr* a, const Expr* b) {
  if (!al.facts().nonzero(b)) return nullptr;
  Poly p = Poly::of(a), pb = Poly::of(b);
  for (const Term t : p.terms) {
    if (t.monomial->kind() != Kind::mod) continue;
    if (!divide_exactly(al.arena(), Poly::of(t.monomial->arg(1)).scaled(t.coef), pb)) continue;
    p.add(Poly::term(t.coef, t.monomial), -1);
    p.add(Poly::of(t.monomial->arg(0)), t.coef);
    return al.mod(al.sum(std::move(p)), b);
  }
  return nullptr;
}

const Expr* remainder_small(Algebra& al, const Expr* a, const Expr* b) {
  if (!al.facts().positive(b)) return nullptr;
  Poly pa = Poly::of(a), below = Poly::of(b);  // b - 1 - a
  below.add(pa, -1);
  below.constant = exact_add(below.constant, -1);
  if (al.facts().known_nonneg(pa)) return al.facts().known_nonneg(below) ? a : nullptr;
  Poly under = pa.negated(), above = Poly::of(b);  // -1 - a, a + b
  under.constant = exact_add(under.constant, -1);
  above.add(pa);
  if (al.facts().known_nonneg(under) && al.facts().known_nonneg(above)) return al.add(a, b);
  return nullptr;
}

constexpr Rule kQuotient[] = {
    {.name = "quotient_by_one", .law = "x // 1 = x", .binary = quotient_by_one},
    {.name = "quotient_by_negative", .law = "x // -k = (-x) // k", .binary = quotient_by_negative},
    {.name = "quotient_exact", .law = "(x*y) // y = x", .binary = quotient_exact},
    {.name = "quotient_by_quotient",
     .law = "z // (y * (x // k)) = q where z*k = q*y*x and x % k = 0",
     .binary = quotient_by_quotient},
    {.name = "quotient_low_constant",
     .law = "(g*x + c) // (g*k) = (x + c//g) // k, g > 0",
     .binary = quotient_low_constant},
    {.name = "quotient_common_factor",
     .law = "(f*x) // (f*y) = x // y, f != 0",
     .binary = quotient_common_factor},
    {.name = "quotient_split", .law = "(x + q*y) // y = x // y + q", .binary = quotient_split},
    {.name = "quotient_of_known_multiple",
     .law = "(c*x) // k = c * (x // k) where x % k = 0",
     .binary = quotient_of_known_multiple},
    {.name = "quotient_nested",
     .law = "(x // y + c) // z = (x + c*y) // (y*z), z > 0",
     .binary = quotient_nested},
    {.name = "quotient_of_negated",
     .law = "(-x) // y = -((x + y - 1) // y), y > 0",
     .binary = quotient_of_negated},
    {.name = "quotient_small",
     .law = "x // y = 0 where 0 <= x < y, and -1 where -y <= x < 0",
     .binary = quotient_small},
};

constexpr Rule kRemainder[] = {
    {.name = "remainder_by_one", .law = "x % 1 = 0", .binary = remainder_by_one},
    {.name = "remainder_by_negative",
     .law = "x % -k = -((-x) % k)",
     .binary = remainder_by_negative},
    {.name = "remainder_exact", .law = "(x*y) % y = 0", .binary = remainder_exact},
    {.name = "remainder_by_quotient",
     .law = "z % (y * (x // k)) = 0 where z*k = q*y*x and x % k = 0",
     .binary = remainder_by_quotient},
    {.name = "remainder_reduce", .law = "(x + q*k) % k = x % k", .binary = remainder_reduce},
    {.name = "remainder_drop_multiples",
     .law = "(x + q*y) % y = x % y",
     .binary = remainder_drop_multiples},
    {.name = "remainder_low_constant",
     .law = "(g*x + c) % (g*k) = g * ((x + c//g) % k) + c % g, g > 0",
     .binary = remainder_low_constant},
    {.name = "remainder_common_factor",
     .law = "(f*x) % (f*y) = f * (x % y), f != 0",
     .binary = remainder_common_factor},
    {.name = "remainder_nested",
     .law = "(c * (x % y) + z) % k = (c*x + z) % k where c*y is a multiple of k",
     .binary = remainder_nested},
    {.name = "remainder_small",
     .law = "x % y = x where 0 <= x < y, and x + y where -y <= x < 0",
     .binary = remainder_small},
};

}  // namespace

std::span<const Rule> quotient_rules() { return kQuotient; }
std::span<const Rule> remainder_rules() { return kRemainder; }

}  // namespace frit::sym
