#include "sym/algebra.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "base/error.h"
#include "sym/rules.h"

namespace frit::sym {
namespace {

// Rules shrink what they are applied to, so that this many never apply in a row or one within
// another.
constexpr int kMostRewrites = 100;
constexpr int kDeepest = 100;

// Applies the rules of one table until none applies. A rule that answers false or throws has left
// the work alone. `as_node` makes the node for the listener.
template <class Work, class Apply, class AsNode>
void rewrite(Algebra& algebra, std::span<const Rule> rules, Work& work, Apply apply,
             AsNode as_node) {
  auto apply_one = [&](const Rule& rule) {
    std::optional<Work> before;
    if (algebra.on_rule) before = work;
    try {
      if (!apply(rule, work)) return false;
    } catch (const Overflow&) {
      return false;
    }
    if (before) algebra.on_rule(rule, as_node(*before), as_node(work));
    return true;
  };
  for (int n = 0; n < kMostRewrites; ++n)
    if (std::ranges::none_of(rules, apply_one)) return;
}

}  // namespace

const Expr* Algebra::resolve_atom(const Expr* atom) {
  const Expr* by = facts_.replacement(atom);
  return by ? simplify(by) : atom;
}

const Expr* Algebra::sum(Poly p) {
  bool has_atoms =
      std::ranges::any_of(p.terms, [](const Term& t) { return !t.monomial->is_symbol(); });
  if (has_atoms)
    rewrite(
        *this, sum_rules(), p, [&](const Rule& r, Poly& w) { return r.rewrite(*this, w); },
        [&](const Poly& w) { return w.expr(arena_); });
  return p.expr(arena_);
}

const Expr* Algebra::add(const Expr* a, const Expr* b) {
  Poly p = Poly::of(a);
  p.add(Poly::of(b));
  return sum(std::move(p));
}

const Expr* Algebra::sub(const Expr* a, const Expr* b) {
  Poly p = Poly::of(a);
  p.add(Poly::of(b), -1);
  return sum(std::move(p));
}

const Expr* Algebra::mul(const Expr* a, const Expr* b) {
  return sum(multiply(arena_, Poly::of(a), Poly::of(b)));
}

const Expr* Algebra::binary_with_rules(Kind kind, std::span<const Rule> rules, const Expr* a,
                                       const Expr* b) {
  if (b->is_constant(0)) throw DivisionByZero{};
  // Rules make smaller operands and so end; the bound keeps a fault there from taking the stack.
  struct Level {
    int& depth;
    explicit Level(int& d) : depth(++d) {}
    ~Level() { --depth; }
  } level(depth_);
  if (depth_ > kDeepest) rules = {};
  for (const Rule& rule : rules) {
    const Expr* r = nullptr;
    try {
      r = rule.binary(*this, a, b);
    } catch (const Overflow&) {
    }
    if (!r) continue;
    if (on_rule) on_rule(rule, arena_.binary(kind, a, b), r);
    return r;
  }
  return resolve_atom(arena_.binary(kind, a, b));
}

const Expr* Algebra::floordiv(const Expr* a, const Expr* b) {
  if (a->is_constant() && b->is_constant() && b->value() != 0)
    return constant(exact_floordiv(a->value(), b->value()));
  return binary_with_rules(Kind::floordiv, quotient_rules(), a, b);
}

const Expr* Algebra::mod(const Expr* a, const Expr* b) {
  if (a->is_constant() && b->is_constant() && b->value() != 0)
    return constant(exact_mod(a->value(), b->value()));
  return binary_with_rules(Kind::mod, remainder_rules(), a, b);
}

const Expr* Algebra::extremum(Kind kind, std::span<const Expr* const> args) {
  SmallVector<const Expr*, 4> list(args);
  auto as_node = [&](const SmallVector<const Expr*, 4>& w) {
    return w.size() == 1 ? w[0] : arena_.intern(kind, 0, w);
  };
  rewrite(
      *this, extremum_rules(), list,
      [&](const Rule& r, SmallVector<const Expr*, 4>& w) { return r.extremum(*this, kind, w); },
      as_node);
  if (list.size() == 1) return list[0];
  // Numbers last: min(s0, 4).
  std::sort(list.begin(), list.end(), [](const Expr* a, const Expr* b) {
    if (a->is_constant() != b->is_constant()) return b->is_constant();
    return compare(a, b) < 0;
  });
  return resolve_atom(as_node(list));
}

const Expr* Algebra::compare_zero(Kind kind, Poly p) {
  auto as_node = [&](const Poly& w) {
    const Expr* arg = w.expr(arena_);
    return arena_.intern(kind, 0, {&arg, 1});
  };
  rewrite(
      *this, comparison_rules(), p,
      [&](const Rule& r, Poly& w) { return r.comparison(*this, kind, w); }, as_node);
  if (p.is_constant()) {
    int64_t v = p.constant;
    return arena_.truth(kind == Kind::eq ? v == 0 : kind == Kind::ne ? v != 0 : v >= 0);
  }
  Range r = facts_.bounds(p);
  if (kind == Kind::ge) {
    if (r.lo >= 0) return arena_.truth(true);
    if (r.hi < 0) return arena_.truth(false);
  } else if (r.excludes_zero()) {
    return arena_.truth(kind == Kind::ne);
  } else if (r == Range::of(0)) {
    return arena_.truth(kind == Kind::eq);
  }
  return as_node(p);
}

const Expr* Algebra::eq(const Expr* a, const Expr* b) {
  Poly p = Poly::of(sub(a, b));
  return compare_zero(Kind::eq, std::move(p));
}

const Expr* Algebra::ge(const Expr* a, const Expr* b) {
  Poly p = Poly::of(sub(a, b));
  return compare_zero(Kind::ge, std::move(p));
}

const Expr* Algebra::negate(const Expr* truth) {
  switch (truth->kind()) {
    case Kind::truth:
      return arena_.truth(!truth->value());
    case Kind::eq:
      return arena_.intern(Kind::ne, 0, truth->args());
    case Kind::ne:
      return arena_.intern(Kind::eq, 0, truth->args());
    case Kind::ge: {
      Poly p = Poly::of(truth->arg(0)).negated();
      p.constant = exact_add(p.constant, -1);
      return compare_zero(Kind::ge, std::move(p));
    }
    case Kind::conj:
    case Kind::disj: {
      SmallVector<const Expr*, 4> parts;
      for (const Expr* a : truth->args()) parts.push_back(negate(a));
      return join(truth->kind() == Kind::conj ? Kind::disj : Kind::conj, parts);
    }
    default:
      throw InternalError("not a condition");
  }
}

const Expr* Algebra::join(Kind kind, std::span<const Expr* const> truths) {
  const int64_t absorbing = kind == Kind::disj;
  SmallVector<const Expr*, 4> parts;
  for (const Expr* t : truths) {
    std::span<const Expr* const> inner{&t, 1};
    if (t->kind() == kind) inner = t->args();
    for (const Expr* a : inner) {
      if (a->kind() == Kind::truth) {
        if (a->value() == absorbing) return a;
        continue;
      }
      if (std::find(parts.begin(), parts.end(), a) == parts.end()) parts.push_back(a);
    }
  }
  if (parts.empty()) return arena_.truth(!absorbing);
  if (parts.size() == 1) return parts[0];
  return arena_.intern(kind, 0, parts);
}

// --- Under new facts ---

const Expr* Algebra::simplify(const Expr* e) {
  if (e->is_constant() || e->kind() == Kind::truth) return e;
  if (e->simplified_epoch_ == facts_.epoch()) return e->simplified_;
  const Expr* r;
  try {
    r = simplify_fresh(e);
  } catch (const Overflow&) {
    r = e;  // still the same value
  } catch (const DivisionByZero&) {
    r = e;  // evaluating it says so
  }
  if (r->is_truth())
    if (int known = facts_.decide(r); known >= 0) r = arena_.truth(known);
  e->simplified_ = r;
  e->simplified_epoch_ = facts_.epoch();
  return r;
}

const Expr* Algebra::simplify_fresh(const Expr* e) {
  auto args = e->args();
  switch (e->kind()) {
    case Kind::constant:
    case Kind::truth:
      return e;
    case Kind::symbol:
      return resolve_atom(e);
    case Kind::product: {
      const Expr* r = simplify(args[0]);
      for (const Expr* a : args.subspan(1)) r = mul(r, simplify(a));
      return r;
    }
    case Kind::sum: {
      Poly p(e->value());
      for (size_t i = 0; i < args.size(); ++i) p.add(Poly::of(simplify(args[i])), e->coefs()[i]);
      return sum(std::move(p));
    }
    case Kind::floordiv:
      return floordiv(simplify(args[0]), simplify(args[1]));
    case Kind::mod:
      return mod(simplify(args[0]), simplify(args[1]));
    case Kind::eq:
    case Kind::ne:
    case Kind::ge:
      return compare_zero(e->kind(), Poly::of(simplify(args[0])));
    case Kind::min:
    case Kind::max:
    case Kind::conj:
    case Kind::disj: {
      SmallVector<const Expr*, 4> parts;
      for (const Expr* a : args) parts.push_back(simplify(a));
      bool of_ints = e->kind() == Kind::min || e->kind() == Kind::max;
      return of_ints ? extremum(e->kind(), parts) : join(e->kind(), parts);
    }
  }
  return e;
}

// Where a fact gives a symbol or an atom a replacement, the facts that mention it are entered once
// more, in terms of what stands for it now. That eliminates it, so this ends; the bound only keeps
// a fault from taking forever.
void Algebra::learn(const Expr* truth) {
  learned_.push_back({truth, truth});
  enter(learned_.size() - 1);
  for (int n = 0; n < 1000; ++n) {
    const std::vector<const Expr*> gone = facts_.take_replaced();
    if (gone.empty()) return;
    for (const Expr* g : gone) note_parts(facts_.replacement(g), g, replaced_by_part_);
    for (size_t i : mentioning(gone)) enter(i);
  }
}

// One that is true by the replacement it gave itself still has to follow what becomes of its
// symbols, so what was entered of it is kept.
void Algebra::enter(size_t i) {
  const Expr* now = simplify(learned_[i].truth);
  if (now->kind() != Kind::truth) {
    learned_[i].now = now;
    facts_.learn(now);
  }
  note_parts(learned_[i].now, i, learned_by_part_);
}

template <class T>
void Algebra::note_parts(const Expr* e, T of, std::unordered_map<const Expr*, std::vector<T>>& by) {
  if (!e || e->is_constant()) return;
  std::vector<T>& known = by[e];
  if (!known.empty() && known.back() == of) return;
  known.push_back(of);
  for (const Expr* a : e->args()) note_parts(a, of, by);
}

// The facts in which one of them occurs, or which mention something that it replaces; in order.
std::vector<size_t> Algebra::mentioning(const std::vector<const Expr*>& parts) const {
  std::vector<const Expr*> todo = parts;
  std::unordered_set<const Expr*> seen(parts.begin(), parts.end());
  std::set<size_t> facts;
  while (!todo.empty()) {
    const Expr* part = todo.back();
    todo.pop_back();
    if (auto it = learned_by_part_.find(part); it != learned_by_part_.end())
      facts.insert(it->second.begin(), it->second.end());
    if (auto it = replaced_by_part_.find(part); it != replaced_by_part_.end())
      for (const Expr* r : it->second)
        if (seen.insert(r).second) todo.push_back(r);
  }
  return {facts.begin(), facts.end()};
}

}  // namespace frit::sym
