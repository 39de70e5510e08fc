// What is known about the symbols of one environment, and what follows from it.
//
// Facts are truths that hold wherever the expressions are used: declared bounds, guards, runtime
// asserts, assumptions. They are kept as they came and as tables derived from them: intervals,
// replacements, known divisors, linear inequalities. All questions answer "known" or "not known";
// none changes anything.
#pragma once
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "sym/poly.h"

namespace frit::sym {

class Facts {
 public:
  explicit Facts(Arena& arena) : arena_(arena) {}

  // Changes whenever something new is known; what nodes cache is valid for one epoch.
  uint32_t epoch() const { return epoch_; }

  // --- Questions ---
  Range bounds(const Expr* e) const;
  Range bounds(const Poly& p) const;
  bool nonzero(const Expr* e) const;
  bool positive(const Expr* e) const { return bounds(e).lo > 0; }
  // A positive number known to divide e (0 for the constant 0, which everything divides).
  int64_t divisor(const Expr* e) const;
  // e modulo k where it is known; k > 0.
  std::optional<int64_t> residue(const Expr* e, int64_t k) const;
  // What an atom (a symbol, floordiv, mod, min or max) is known to equal; null where it stands for
  // itself. The result is not simplified further.
  const Expr* replacement(const Expr* atom) const;
  // p >= 0, by intervals, then by subtracting known inequalities (sym/prove.cpp).
  bool known_nonneg(const Poly& p) const;
  // The truth of a condition in normal form: 1, 0, or -1 for not known.
  int decide(const Expr* truth) const;

  // --- Learning ---
  // Enters a simplified condition into the tables.
  void learn(const Expr* truth);
  // The symbols and atoms that got a replacement since this was last asked. Facts that mention them
  // say nothing about the expressions of now on; Algebra::learn enters those again.
  std::vector<const Expr*> take_replaced() { return std::exchange(replaced_, {}); }

 private:
  class Prover;
  friend class Prover;

  Range structural_bounds(const Expr* e) const;
  void learn_ge(const Poly& p);
  void learn_eq(const Poly& p);
  void learn_ne(const Poly& p);
  bool solve_symbol(const Poly& p);
  void solve_atom(const Poly& p);
  // e is in r; e has no constant added.
  void refine(const Expr* e, Range r);
  void replace(const Expr* atom, const Expr* by);
  void add_linear(const Poly& p);
  // Inequalities that hold of an atom or product by what it is: min(a, b) <= a.
  void properties(const Expr* monomial, SmallVector<Poly, 4>& out) const;
  void quotient_properties(const Expr* m, const Expr* x, const Expr* y,
                           SmallVector<Poly, 4>& out) const;
  void enter_linear(const Poly& p);
  int decide_fresh(const Expr* truth) const;

  Arena& arena_;
  uint32_t epoch_ = 1;
  std::unordered_map<const Expr*, const Expr*> symbol_replacements_;
  std::unordered_map<const Expr*, const Expr*> atom_replacements_;
  std::vector<const Expr*> replaced_;
  std::unordered_map<const Expr*, Range> ranges_;
  std::unordered_map<const Expr*, int64_t> divisors_;
  std::unordered_set<const Expr*> truths_;
  std::vector<Poly> linear_;  // each >= 0
  std::unordered_map<const Expr*, std::vector<uint32_t>> linear_by_monomial_;
  std::unordered_set<const Expr*> described_;  // whose properties are among linear_
};

// Sign and key of a polynomial without its constant: p == sign * factor * key + p.constant, where
// key has no common factor and a positive first coefficient. The key is null for a constant p.
struct Key {
  const Expr* expr;
  int64_t times;  // sign * factor
};
Key key_of(Arena& arena, const Poly& p);

}  // namespace frit::sym
