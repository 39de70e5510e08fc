// Symbolic expressions: immutable nodes, each existing once in the arena of its shape environment,
// so that equal expressions are equal pointers.
//
// The normal form of an integer expression is a polynomial with integer coefficients over atoms:
//   atom      a symbol, or a floordiv, mod, min or max of expressions
//   product   two or more atoms in order, a power being a repetition
//   sum       a number plus at least one term, a term being a coefficient times an atom or product
// and of a truth:
//   eq, ne, ge    a polynomial compared with zero, without a common factor; for eq and ne its first
//                 coefficient is positive
//   conj, disj    two or more truths, in the order written (their evaluation short-circuits)
// Products of sums are multiplied out unless that gives more than kMostTerms terms; a product may
// then have sums among its factors.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sym/range.h"

namespace frit::sym {

class ShapeEnv;

enum class Kind : uint8_t {
  constant,  // value
  symbol,    // value: its index in the environment
  product,   // args: the factors
  sum,       // args: the terms' atoms or products, with coefs; value: the number added
  floordiv,  // args: two; rounds toward minus infinity; undefined where the second is zero
  mod,       // args: two; has the sign of the second; undefined where the second is zero
  min,       // args: two or more
  max,
  truth,  // value: 0 or 1
  eq,     // args: one, compared with zero
  ne,
  ge,
  conj,  // args: two or more truths
  disj,
};

inline constexpr size_t kMostTerms = 64;

class Expr {
 public:
  Kind kind() const { return kind_; }
  int64_t value() const { return value_; }
  std::span<const Expr* const> args() const { return {args_, nargs_}; }
  const Expr* arg(size_t i) const { return args_[i]; }
  std::span<const int64_t> coefs() const { return {coefs_, coefs_ ? nargs_ : 0}; }
  uint64_t hash() const { return hash_; }
  ShapeEnv* env() const { return env_; }

  bool is_constant() const { return kind_ == Kind::constant; }
  bool is_constant(int64_t v) const { return kind_ == Kind::constant && value_ == v; }
  bool is_symbol() const { return kind_ == Kind::symbol; }
  bool is_truth() const { return kind_ >= Kind::truth; }  // a condition, known or not
  bool has_unbacked() const { return has_unbacked_; }     // some symbol in it is unbacked

 private:
  friend class Arena;
  friend class Facts;
  friend class Algebra;
  Expr() = default;

  Kind kind_ = Kind::constant;
  bool has_unbacked_ = false;
  uint32_t nargs_ = 0;
  int64_t value_ = 0;
  uint64_t hash_ = 0;
  const Expr* const* args_ = nullptr;
  const int64_t* coefs_ = nullptr;
  ShapeEnv* env_ = nullptr;
  // What was last derived from this node, each valid for one state of the facts (their epoch).
  mutable uint32_t simplified_epoch_ = 0, range_epoch_ = 0, decided_epoch_ = 0;
  mutable const Expr* simplified_ = nullptr;
  mutable Range range_;
  mutable int8_t decided_ = -1;  // 0, 1, or -1: not known
};

// A total order that depends on structure only: backed symbols, unbacked symbols, compound atoms.
int compare(const Expr* a, const Expr* b);

// Where expressions live. They die with it.
class Arena {
 public:
  explicit Arena(ShapeEnv* env) : env_(env) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // The node with exactly these parts. The caller has brought them into normal form.
  const Expr* intern(Kind kind, int64_t value, std::span<const Expr* const> args = {},
                     std::span<const int64_t> coefs = {});
  // The node with these parts if it exists; makes nothing. For questions, which must not fill the
  // arena.
  const Expr* lookup(Kind kind, int64_t value, std::span<const Expr* const> args = {},
                     std::span<const int64_t> coefs = {});
  const Expr* constant(int64_t v) { return intern(Kind::constant, v); }
  const Expr* truth(bool v) { return intern(Kind::truth, v); }
  const Expr* symbol(int64_t index, bool unbacked);
  const Expr* binary(Kind kind, const Expr* a, const Expr* b);
  size_t size() const { return count_; }

 private:
  void* allocate(size_t bytes);
  void rehash();
  const Expr** find(uint64_t hash, Kind kind, int64_t value, std::span<const Expr* const> args,
                    std::span<const int64_t> coefs);

  ShapeEnv* env_;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* free_ = nullptr;
  size_t left_ = 0;
  std::vector<const Expr*> table_;  // open addressing, a power of two
  size_t count_ = 0;
};

}  // namespace frit::sym
