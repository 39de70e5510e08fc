// Polynomials being worked on: the terms of a sum, outside the arena. Arithmetic on them is exact;
// a coefficient that does not fit raises Overflow, which the boundary (sym/shape_env.cpp) turns
// into a UserError and a simplifier rule takes as "does not apply".
#pragma once
#include <optional>

#include "base/small_vector.h"
#include "sym/expr.h"

namespace frit::sym {

struct Overflow {};

int64_t exact_add(int64_t a, int64_t b);
int64_t exact_mul(int64_t a, int64_t b);
int64_t exact_floordiv(int64_t a, int64_t b);  // b is not zero
int64_t exact_mod(int64_t a, int64_t b);       // b is not zero

// --- Monomials: an atom, a product, or null for 1 ---

std::span<const Expr* const> factors(const Expr* const& monomial);
// Higher degree first, then by the first factor that differs. Compatible with multiplication, which
// makes the leading term of a product the product of the leading terms.
int compare_monomials(const Expr* a, const Expr* b);
const Expr* multiply(Arena& arena, const Expr* a, const Expr* b);
// a / b where every factor of b is a factor of a.
std::optional<const Expr*> divide(Arena& arena, const Expr* a, const Expr* b);
const Expr* common_factors(Arena& arena, const Expr* a, const Expr* b);

// --- Polynomials ---

struct Term {
  int64_t coef;
  const Expr* monomial;  // not null
};

struct Poly {
  SmallVector<Term, 4> terms;  // ordered by compare_monomials; no coefficient is zero
  int64_t constant = 0;

  Poly() = default;
  explicit Poly(int64_t c) : constant(c) {}
  static Poly of(const Expr* e);
  static Poly term(int64_t coef, const Expr* monomial);  // monomial may be null

  bool is_constant() const { return terms.empty(); }
  bool is_zero() const { return terms.empty() && constant == 0; }
  // One term and nothing added (a number counts, with a null monomial); nullopt otherwise.
  std::optional<Term> single() const;
  int64_t coef_of(const Expr* monomial) const;  // 0 where it is not there

  void add(const Poly& o, int64_t times = 1);
  void erase_term(size_t i) { terms.erase(i); }
  Poly scaled(int64_t k) const;
  Poly negated() const { return scaled(-1); }
  // The terms without the number added.
  Poly without_constant() const;

  // The greatest common divisor of the coefficients, without or with the number added; 0 for none.
  int64_t content_of_terms() const;
  int64_t content() const;
  // What divides every term (and is 1, null, where there is a number added).
  const Expr* common_monomial(Arena& arena) const;

  const Expr* expr(Arena& arena) const;
  // The expression if the arena has it already, else null.
  const Expr* existing(Arena& arena) const;
};

Poly multiply(Arena& arena, const Poly& a, const Poly& b);
// The product of a polynomial and a monomial (null: 1).
Poly multiply(Arena& arena, const Poly& a, int64_t coef, const Expr* monomial);
// q with a == b * q, if there is one; b is not zero.
std::optional<Poly> divide_exactly(Arena& arena, const Poly& a, const Poly& b);
// Does `part` occur anywhere inside e?
bool occurs(const Expr* part, const Expr* e);

}  // namespace frit::sym
