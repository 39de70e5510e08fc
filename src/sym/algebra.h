// Makes expressions in normal form under the facts, and brings older ones up to date. Throws
// Overflow where a coefficient does not fit, and DivisionByZero.
#pragma once
#include <functional>
#include <unordered_map>
#include <vector>

#include "sym/facts.h"

namespace frit::sym {

struct DivisionByZero {};
struct Rule;

class Algebra {
 public:
  Algebra(Arena& arena, Facts& facts) : arena_(arena), facts_(facts) {}

  Arena& arena() { return arena_; }
  const Facts& facts() const { return facts_; }

  // Arguments are simplified expressions; so are the results.
  const Expr* constant(int64_t v) { return arena_.constant(v); }
  const Expr* sum(Poly p);
  const Expr* add(const Expr* a, const Expr* b);
  const Expr* sub(const Expr* a, const Expr* b);
  const Expr* mul(const Expr* a, const Expr* b);
  const Expr* floordiv(const Expr* a, const Expr* b);
  const Expr* mod(const Expr* a, const Expr* b);
  const Expr* extremum(Kind kind, std::span<const Expr* const> args);  // Kind::min or Kind::max
  // p == 0, p != 0, p >= 0 (Kind::eq, ne, ge). Decides by intervals; `simplify` decides by all
  // facts.
  const Expr* compare_zero(Kind kind, Poly p);
  const Expr* eq(const Expr* a, const Expr* b);
  const Expr* ge(const Expr* a, const Expr* b);
  const Expr* negate(const Expr* truth);
  const Expr* join(Kind kind, std::span<const Expr* const> truths);  // Kind::conj or Kind::disj

  // The same value under the present facts; a known truth becomes True or False.
  const Expr* simplify(const Expr* e);

  // From here on `truth`, simplified or not, holds.
  void learn(const Expr* truth);

  // Called with each application of a rule: the node as it would have stood without it, and the
  // result. For the proofs in the tests.
  std::function<void(const Rule&, const Expr* before, const Expr* after)> on_rule;

 private:
  struct Learned {
    const Expr* truth;  // as it came
    const Expr* now;    // as it was entered last
  };

  const Expr* resolve_atom(const Expr* atom);
  const Expr* binary_with_rules(Kind kind, std::span<const Rule> rules, const Expr* a,
                                const Expr* b);
  const Expr* simplify_fresh(const Expr* e);
  void enter(size_t learned);
  template <class T>
  static void note_parts(const Expr* e, T of,
                         std::unordered_map<const Expr*, std::vector<T>>& by_part);
  std::vector<size_t> mentioning(const std::vector<const Expr*>& parts) const;

  Arena& arena_;
  Facts& facts_;
  std::vector<Learned> learned_;  // in order
  std::unordered_map<const Expr*, std::vector<size_t>> learned_by_part_;
  std::unordered_map<const Expr*, std::vector<const Expr*>> replaced_by_part_;
  int depth_ = 0;  // of quotients and remainders being made by rules
};

}  // namespace frit::sym
