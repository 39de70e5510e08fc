#include "sym/facts.h"

#include <algorithm>
#include <numeric>

namespace frit::sym {

namespace {

// The signed factor between p without its constant and its key, and the key as a polynomial.
std::pair<int64_t, Poly> primitive(const Poly& p) {
  int64_t g = p.content_of_terms();
  if (p.terms[0].coef < 0) g = -g;
  Poly q;
  for (const Term& t : p.terms) q.terms.push_back({t.coef / g, t.monomial});
  return {g, std::move(q)};
}

}  // namespace

Key key_of(Arena& arena, const Poly& p) {
  if (p.terms.empty()) return {nullptr, 0};
  auto [times, q] = primitive(p);
  return {q.expr(arena), times};
}

// --- Questions ---

Range Facts::bounds(const Expr* e) const {
  if (e->is_constant()) return Range::of(e->value());
  if (e->range_epoch_ == epoch_) return e->range_;
  Range r = structural_bounds(e);
  if (auto known = ranges_.find(e); known != ranges_.end())
    if (Range both = intersect(r, known->second); !both.is_empty()) r = both;
  e->range_ = r;
  e->range_epoch_ = epoch_;
  return r;
}

Range Facts::structural_bounds(const Expr* e) const {
  auto args = e->args();
  switch (e->kind()) {
    case Kind::constant:
      return Range::of(e->value());
    case Kind::symbol:
      return {};
    case Kind::product: {
      Range r = Range::of(1);
      for (size_t i = 0; i < args.size();) {
        Range factor = bounds(args[i]), power = factor;
        size_t n = 1;
        for (; i + n < args.size() && args[i + n] == args[i]; ++n) power = power * factor;
        if (n % 2 == 0) power.lo = std::max<int64_t>(power.lo, 0);  // an even power
        r = r * power;
        i += n;
      }
      return r;
    }
    case Kind::sum:
      return bounds(Poly::of(e));
    case Kind::floordiv:
      return floordiv(bounds(args[0]), bounds(args[1]));
    case Kind::mod:
      return mod(bounds(args[0]), bounds(args[1]));
    case Kind::min:
    case Kind::max: {
      Range r = bounds(args[0]);
      for (const Expr* a : args.subspan(1))
        r = e->kind() == Kind::min ? min(r, bounds(a)) : max(r, bounds(a));
      return r;
    }
    case Kind::truth:
    case Kind::eq:
    case Kind::ne:
    case Kind::ge:
    case Kind::conj:
    case Kind::disj:
      return {0, 1};
  }
  return {};
}

Range Facts::bounds(const Poly& p) const {
  Range r = Range::of(0);
  for (const Term& t : p.terms) r = r + Range::of(t.coef) * bounds(t.monomial);
  if (p.terms.size() > 1) {
    auto [times, q] = primitive(p);
    const Expr* key = q.existing(arena_);
    if (auto known = ranges_.find(key); key && known != ranges_.end())
      if (Range both = intersect(r, Range::of(times) * known->second); !both.is_empty()) r = both;
  }
  return r + Range::of(p.constant);
}

bool Facts::nonzero(const Expr* e) const {
  if (bounds(e).excludes_zero()) return true;
  if (e->kind() == Kind::product)
    return std::ranges::all_of(e->args(), [&](const Expr* a) { return nonzero(a); });
  if (truths_.empty()) return false;
  Poly p = Poly::of(e);
  if (!p.terms.empty() && p.terms[0].coef < 0) p = p.negated();
  const Expr* arg = p.existing(arena_);
  return arg && truths_.contains(arena_.lookup(Kind::ne, 0, {&arg, 1}));
}

int64_t Facts::divisor(const Expr* e) const {
  auto args = e->args();
  int64_t d = 1;
  switch (e->kind()) {
    case Kind::constant:
      return e->value() == kMinusInf ? 1 : std::abs(e->value());
    case Kind::product:
      for (const Expr* a : args)
        if (__builtin_mul_overflow(d, divisor(a), &d)) return 1;
      break;
    case Kind::sum: {
      d = e->value() == kMinusInf ? 1 : std::abs(e->value());
      for (size_t i = 0; i < args.size(); ++i) {
        int64_t term;
        if (e->coefs()[i] == kMinusInf ||
            __builtin_mul_overflow(std::abs(e->coefs()[i]), divisor(args[i]), &term))
          term = 1;
        d = std::gcd(d, term);
      }
      break;
    }
    case Kind::floordiv:
      // x divisible by d*k gives x//k divisible by d.
      if (args[1]->is_constant())
        if (int64_t k = args[1]->value(), x = divisor(args[0]); k > 0 && x % k == 0) d = x / k;
      break;
    case Kind::mod:
      if (args[1]->is_constant()) d = std::gcd(divisor(args[0]), divisor(args[1]));
      break;
    case Kind::min:
    case Kind::max:
      d = 0;
      for (const Expr* a : args) d = std::gcd(d, divisor(a));
      break;
    default:
      break;
  }
  if (auto known = divisors_.find(e); known != divisors_.end() && d != 0) {
    int64_t common;
    if (!__builtin_mul_overflow(d / std::gcd(d, known->second), known->second, &common)) d = common;
  }
  return d;
}

std::optional<int64_t> Facts::residue(const Expr* e, int64_t k) const {
  if (e->is_constant()) return exact_mod(e->value(), k);
  if (divisor(e) % k == 0) return 0;
  if (atom_replacements_.empty()) return std::nullopt;
  const Expr* args[] = {e, arena_.constant(k)};
  const Expr* remainder = arena_.lookup(Kind::mod, 0, args);
  const Expr* r = remainder ? replacement(remainder) : nullptr;
  return r && r->is_constant() ? std::optional(r->value()) : std::nullopt;
}

const Expr* Facts::replacement(const Expr* atom) const {
  const auto& table = atom->is_symbol() ? symbol_replacements_ : atom_replacements_;
  auto found = table.find(atom);
  return found == table.end() ? nullptr : found->second;
}

// --- Learning ---

void Facts::learn(const Expr* truth) {
  if (truth->kind() == Kind::truth) return;
  try {
    switch (truth->kind()) {
      case Kind::ge:
        learn_ge(Poly::of(truth->arg(0)));
        break;
      case Kind::eq:
        learn_eq(Poly::of(truth->arg(0)));
        break;
      case Kind::ne:
        learn_ne(Poly::of(truth->arg(0)));
        break;
      case Kind::conj:
        for (const Expr* a : truth->args()) learn(a);
        break;
      default:
        break;  // a disjunction is used only as it stands
    }
  } catch (const Overflow&) {
    // Consequences that leave int64 are not drawn.
  }
  truths_.insert(truth);
  ++epoch_;
}

void Facts::enter_linear(const Poly& p) {
  auto index = static_cast<uint32_t>(linear_.size());
  linear_.push_back(p);
  for (const Term& t : p.terms) linear_by_monomial_[t.monomial].push_back(index);
  ++epoch_;
}

// With what is so of the atoms in it anyway, which links the fact to other expressions.
void Facts::add_linear(const Poly& p) {
  enter_linear(p);
  for (const Term& t : p.terms) {
    if (t.monomial->is_symbol() || !described_.insert(t.monomial).second) continue;
    SmallVector<Poly, 4> more;
    properties(t.monomial, more);
    for (const Poly& q : more) enter_linear(q);
  }
}

// key in [lo, hi] out of times * key + constant >= 0.
void Facts::learn_ge(const Poly& p) {
  Key k = key_of(arena_, p);
  if (!k.expr) return;
  add_linear(p);
  Range r;
  if (k.times > 0)
    r.lo = exact_mul(exact_floordiv(p.constant, k.times), -1);
  else
    r.hi = exact_floordiv(p.constant, -k.times);
  refine(k.expr, r);
  // min(a, b) >= c says a >= c and b >= c; max(a, b) <= c likewise.
  if (p.terms.size() == 1) {
    const Expr* m = p.terms[0].monomial;
    if (m->kind() == Kind::min && r.lo != kMinusInf)
      for (const Expr* a : m->args()) {
        Poly q = Poly::of(a);
        q.constant = exact_add(q.constant, -r.lo);
        learn_ge(q);
      }
    if (m->kind() == Kind::max && r.hi != kPlusInf)
      for (const Expr* a : m->args()) {
        Poly q = Poly::of(a).negated();
        q.constant = exact_add(q.constant, r.hi);
        learn_ge(q);
      }
  }
}

void Facts::learn_ne(const Poly& p) {
  Key k = key_of(arena_, p);
  if (!k.expr || exact_mod(p.constant, k.times) != 0) return;
  int64_t v = exact_mul(exact_floordiv(p.constant, k.times), -1);
  Range now = p.terms.size() == 1 ? bounds(k.expr) : bounds(Poly::of(k.expr));
  if (now.lo == v)
    refine(k.expr, {v + 1, kPlusInf});
  else if (now.hi == v)
    refine(k.expr, {kMinusInf, v - 1});
}

void Facts::learn_eq(const Poly& p) {
  if (solve_symbol(p)) return;
  add_linear(p);
  add_linear(p.negated());
  Key k = key_of(arena_, p);
  if (!k.expr || exact_mod(p.constant, k.times) != 0) return;
  int64_t v = exact_mul(exact_floordiv(p.constant, k.times), -1);
  refine(k.expr, Range::of(v));
  // x % k == 0: k divides x.
  if (v == 0 && k.expr->kind() == Kind::mod && k.expr->arg(1)->is_constant()) {
    const Expr* x = k.expr->arg(0);
    int64_t by = k.expr->arg(1)->value(), &d = divisors_.try_emplace(x, 1).first->second, common;
    if (by > 0 && !__builtin_mul_overflow(d / std::gcd(d, by), by, &common)) d = common;
  }
  solve_atom(p);
}

// Eliminates a symbol that the equation gives in terms of the others: an unbacked one rather than a
// backed one, the later made one rather than the earlier. A backed symbol, which has a hint, is
// never replaced by something unbacked.
bool Facts::solve_symbol(const Poly& p) {
  const Term* best = nullptr;
  for (const Term& t : p.terms) {
    if (!t.monomial->is_symbol() || (t.coef != 1 && t.coef != -1)) continue;
    bool elsewhere = false, unbacked_rest = false;
    for (const Term& o : p.terms) {
      if (&o == &t) continue;
      elsewhere |= occurs(t.monomial, o.monomial);
      unbacked_rest |= o.monomial->has_unbacked();
    }
    if (elsewhere || (unbacked_rest && !t.monomial->has_unbacked())) continue;
    if (!best || compare(best->monomial, t.monomial) < 0) best = &t;
  }
  if (!best) return false;
  Poly rest = p;
  rest.erase_term(static_cast<size_t>(best - p.terms.begin()));
  if (best->coef == 1) rest = rest.negated();
  replace(best->monomial, rest.expr(arena_));
  return true;
}

// An atom such as min(u0, s0) that equals an expression of symbols only is read as that.
void Facts::solve_atom(const Poly& p) {
  const Term* atom = nullptr;
  for (const Term& t : p.terms) {
    if (t.monomial->is_symbol()) continue;
    if (atom || t.monomial->kind() == Kind::product || (t.coef != 1 && t.coef != -1)) return;
    atom = &t;
  }
  if (!atom || p.terms.size() == 1) return;  // a number is entered by refine
  Poly rest = p;
  rest.erase_term(static_cast<size_t>(atom - p.terms.begin()));
  if (atom->coef == 1) rest = rest.negated();
  replace(atom->monomial, rest.expr(arena_));
}

void Facts::refine(const Expr* e, Range r) {
  Range now = intersect(bounds(e), r);
  if (now.is_empty()) return;  // contradicts what is known: nothing here can be reached
  ranges_[e] = now;
  ++epoch_;
  // x // k in [lo, hi]: x in [lo*k, hi*k + k-1].
  if (e->kind() == Kind::floordiv && e->arg(1)->is_constant() && e->arg(1)->value() > 0) {
    int64_t k = e->arg(1)->value();
    if (r.lo != kMinusInf) {
      Poly x = Poly::of(e->arg(0));
      x.constant = exact_add(x.constant, -exact_mul(r.lo, k));
      learn_ge(x);
    }
    if (r.hi != kPlusInf) {
      Poly x = Poly::of(e->arg(0)).negated();
      x.constant = exact_add(x.constant, exact_add(exact_mul(r.hi, k), k - 1));
      learn_ge(x);
    }
  }
  if (now.is_single() && e->kind() != Kind::sum && e->kind() != Kind::product)
    replace(e, arena_.constant(now.lo));
}

void Facts::replace(const Expr* atom, const Expr* by) {
  (atom->is_symbol() ? symbol_replacements_ : atom_replacements_)[atom] = by;
  replaced_.push_back(atom);
  ++epoch_;
}

}  // namespace frit::sym
