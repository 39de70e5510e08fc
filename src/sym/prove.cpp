// Deciding conditions from facts: intervals first, then a short search that subtracts known
// inequalities. What it says is known is so; what it does not find may still be true.
#include <algorithm>
#include <numeric>

#include "sym/facts.h"

namespace frit::sym {

// To show p >= 0, find f >= 0 such that p - c*f >= 0 is simpler to show: a term of p that keeps it
// from being bounded below is cancelled by an inequality that has the same term with the same sign.
class Facts::Prover {
 public:
  explicit Prover(const Facts& facts) : facts_(facts), arena_(facts.arena_) {}

  bool nonneg(const Poly& p, int depth) {
    if (facts_.bounds(p).lo >= 0) return true;
    if (budget_-- <= 0) return false;
    if (positive_factor(p, depth) || by_cases(p, depth)) return true;
    if (depth == 0) return false;
    SmallVector<Poly, 4> implied;
    for (const Term& t : p.terms) facts_.properties(t.monomial, implied);
    for (const Term& t : p.terms) {
      if (!hurts(t)) continue;
      for (const Poly& f : implied)
        if (subtract(p, t, f, depth)) return true;
      if (auto found = facts_.linear_by_monomial_.find(t.monomial);
          found != facts_.linear_by_monomial_.end())
        for (uint32_t i : found->second)
          if (subtract(p, t, facts_.linear_[i], depth)) return true;
    }
    return false;
  }

 private:
  bool hurts(const Term& t) const { return (Range::of(t.coef) * facts_.bounds(t.monomial)).lo < 0; }

  bool subtract(const Poly& p, const Term& t, const Poly& f, int depth) {
    int64_t c = f.coef_of(t.monomial);
    if (c == 0 || (c < 0) != (t.coef < 0)) return false;
    try {
      int64_t g = std::gcd(c, t.coef);
      Poly rest = p.scaled(std::abs(c / g));
      rest.add(f, -std::abs(t.coef / g));
      return nonneg(rest, depth - 1);
    } catch (const Overflow&) {
      return false;
    }
  }

  // m*q >= 0 where m >= 0 and q >= 0.
  bool positive_factor(const Poly& p, int depth) {
    const Expr* m = p.terms.size() > 1 ? p.common_monomial(arena_) : nullptr;
    if (!m || facts_.bounds(m).lo < 0) return false;
    Poly q;
    for (const Term& t : p.terms) q.add(Poly::term(t.coef, *divide(arena_, t.monomial, m)));
    return nonneg(q, depth);
  }

  // With +min(a, b), or -max(a, b), p >= 0 exactly when it is so with a and with b in its place.
  bool by_cases(const Poly& p, int depth) {
    if (depth == 0) return false;
    for (size_t i = 0; i < p.terms.size(); ++i) {
      const Term t = p.terms[i];
      if (t.monomial->kind() != (t.coef > 0 ? Kind::min : Kind::max)) continue;
      Poly rest = p;
      rest.erase_term(i);
      try {
        return std::ranges::all_of(t.monomial->args(), [&](const Expr* a) {
          Poly with = rest;
          with.add(Poly::of(a), t.coef);
          return nonneg(with, depth - 1);
        });
      } catch (const Overflow&) {
        return false;
      }
    }
    return false;
  }

  const Facts& facts_;
  Arena& arena_;
  int budget_ = 200;
};

namespace {

// p - times*m + plus
Poly difference(Poly p, const Expr* m, int64_t times, int64_t plus) {
  p.add(Poly::term(1, m), -times);
  p.constant = exact_add(p.constant, plus);
  return p;
}

}  // namespace

void Facts::properties(const Expr* m, SmallVector<Poly, 4>& out) const {
  try {
    auto args = m->args();
    switch (m->kind()) {
      case Kind::floordiv:
        quotient_properties(m, args[0], args[1], out);
        break;
      case Kind::mod:
        // x % y <= y - 1, and <= x where x is not negative.
        if (bounds(args[1]).lo > 0) {
          out.push_back(difference(Poly::of(args[1]), m, 1, -1));
          if (bounds(args[0]).lo >= 0) out.push_back(difference(Poly::of(args[0]), m, 1, 0));
        }
        break;
      case Kind::min:
        for (const Expr* a : args) out.push_back(difference(Poly::of(a), m, 1, 0));
        break;
      case Kind::max:
        for (const Expr* a : args) out.push_back(difference(Poly::of(a).negated(), m, -1, 0));
        break;
      case Kind::product:
        // f*g >= lo*g where f >= lo and g >= 0.
        for (const Expr* f : args) {
          const Expr* g = *divide(arena_, m, f);
          if (int64_t lo = bounds(f).lo; lo > 0 && bounds(g).lo >= 0) {
            Poly p = Poly::term(1, m);
            p.add(Poly::term(lo, g), -1);
            out.push_back(p);
          }
        }
        break;
      default:
        break;
    }
  } catch (const Overflow&) {
  }
}

// k*(x//k) <= x <= k*(x//k) + k-1, and x//y <= x where x >= 0 and y > 0.
void Facts::quotient_properties(const Expr* m, const Expr* x, const Expr* y,
                                SmallVector<Poly, 4>& out) const {
  if (bounds(y).lo <= 0) return;
  if (y->is_constant()) {
    int64_t k = y->value();
    out.push_back(difference(Poly::of(x), m, k, 0));
    out.push_back(difference(Poly::of(x).negated(), m, -k, k - 1));
  }
  if (bounds(x).lo >= 0) out.push_back(difference(Poly::of(x), m, 1, 0));
}

bool Facts::known_nonneg(const Poly& p) const {
  if (bounds(p).lo >= 0) return true;
  try {
    return Prover(*this).nonneg(p, 3);
  } catch (const Overflow&) {
    return false;
  }
}

int Facts::decide(const Expr* truth) const {
  if (truth->kind() == Kind::truth) return static_cast<int>(truth->value());
  if (truth->decided_epoch_ == epoch_) return truth->decided_;
  int r = -1;
  try {
    r = decide_fresh(truth);
  } catch (const Overflow&) {
  }
  truth->decided_ = static_cast<int8_t>(r);
  truth->decided_epoch_ = epoch_;
  return r;
}

int Facts::decide_fresh(const Expr* truth) const {
  if (truths_.contains(truth)) return 1;
  switch (truth->kind()) {
    case Kind::ge: {
      Poly p = Poly::of(truth->arg(0)), not_p = p.negated();
      not_p.constant = exact_add(not_p.constant, -1);
      return known_nonneg(p) ? 1 : known_nonneg(not_p) ? 0 : -1;
    }
    case Kind::eq:
    case Kind::ne: {
      int if_equal = truth->kind() == Kind::eq;
      Poly p = Poly::of(truth->arg(0)), n = p.negated(), above = p, below = n;
      if (truths_.contains(arena_.lookup(if_equal ? Kind::ne : Kind::eq, 0, truth->args())))
        return 0;
      above.constant = exact_add(p.constant, -1);
      below.constant = exact_add(n.constant, -1);
      if (known_nonneg(above) || known_nonneg(below)) return !if_equal;
      return known_nonneg(p) && known_nonneg(n) ? if_equal : -1;
    }
    case Kind::conj:
    case Kind::disj: {
      int absorbing = truth->kind() == Kind::disj, r = !absorbing;
      for (const Expr* a : truth->args()) {
        int d = decide(a);
        if (d == absorbing) return d;
        if (d < 0) r = -1;
      }
      return r;
    }
    default:
      return -1;
  }
}

}  // namespace frit::sym
