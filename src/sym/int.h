// Symbolic integers: `Int`, a size that is a number or an expression over sizes, and `Bool`, the
// truth of a comparison of such sizes.
//
// Arithmetic is exact integer arithmetic. Division rounds toward minus infinity and the remainder
// has the divisor's sign, as in Python: `/` and `%` are `floordiv` and `mod`. Arithmetic on numbers
// is inline; a result that does not fit is a UserError, as is a division by zero.
//
// Comparing never decides anything; asking a `Bool` for its truth does, and is the only thing that
// installs a size guard (sym/shape_env.h).
//
// An `Int` or `Bool` does not own the shape environment that its expression lives in: whoever keeps
// symbolic values (a graph, an entry) holds the environment's shared_ptr as well.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>

namespace frit {

namespace sym {
class Expr;
class ShapeEnv;
}  // namespace sym

class Bool;

class Int {
 public:
  // Numbers below this are taken by the encoding of expressions.
  static constexpr int64_t kLowest = -(int64_t{1} << 62);

  constexpr Int() = default;
  // A number in [-2^62, 2^63); anything else is a UserError.
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  constexpr Int(T v) : bits_(static_cast<int64_t>(v)) {  // implicit: sizes mix with numbers freely
    if constexpr (std::is_unsigned_v<T> && sizeof(T) >= sizeof(int64_t)) {
      if (bits_ < 0) [[unlikely]]
        raise_range(std::to_string(v));
    } else if (bits_ < kLowest) [[unlikely]] {
      raise_range(std::to_string(v));
    }
  }
  // The value of an expression; a constant expression becomes a plain number.
  explicit Int(const sym::Expr* e);

  // A number, or an expression that has become one (its symbols were specialized).
  bool is_constant() const { return is_number() || resolves_to_constant(); }
  bool is_symbolic() const { return !is_constant(); }
  // InternalError where the value is symbolic.
  int64_t constant() const { return is_number() ? bits_ : resolved_constant(); }
  // The expression, simplified under what its environment knows now; null for a constant.
  const sym::Expr* expr() const;
  // The expression as it was made; null for a number. A check may say that a size that is found
  // while the graph runs is a number, or another size; it still has to be found, for the check.
  const sym::Expr* as_made() const { return is_number() ? nullptr : raw(); }
  // Null for a constant that never was symbolic.
  sym::ShapeEnv* env() const;

  // The value as a plain number, which a symbol has only here and now: it becomes part of the key,
  // so a compiled callable is compiled again for another one. UserError where T cannot hold it.
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  explicit operator T() const {
    int64_t v = is_number() ? bits_ : fixed();
    if (static_cast<int64_t>(static_cast<T>(v)) != v || (std::is_unsigned_v<T> && v < 0))
        [[unlikely]]
      raise_conversion(v, sizeof(T), std::is_signed_v<T>);
    return static_cast<T>(v);
  }
  template <std::floating_point T>
  explicit operator T() const {
    return static_cast<T>(is_number() ? bits_ : fixed());
  }
  // Whether it is not 0; asks, as a Bool does.
  explicit operator bool() const;

  // The number, or the value under the environment's hints. An unbacked symbol without a hint
  // raises the data-dependent UserError. A hint chooses between right answers (tile sizes); it
  // never decides what is right.
  int64_t hint() const { return is_number() ? bits_ : symbolic_hint(); }
  bool has_hint() const { return is_number() || symbolic_has_hint(); }

  // Are both the same number, or the same expression under what is known? Never guards.
  bool same_as(Int o) const {
    return bits_ == o.bits_ || (!(is_number() && o.is_number()) && same_slow(o));
  }
  // Agrees with same_as as long as nothing new becomes known.
  size_t hash() const;
  // "4", "2*s0 + 1"; sym/parse.h reads it back.
  std::string str() const;

  friend Int operator+(Int a, Int b) {
    int64_t r;
    if (numbers(a, b) && !__builtin_add_overflow(a.bits_, b.bits_, &r) && r >= kLowest) [[likely]]
      return from_bits(r);
    return add_slow(a, b);
  }
  friend Int operator-(Int a, Int b) {
    int64_t r;
    if (numbers(a, b) && !__builtin_sub_overflow(a.bits_, b.bits_, &r) && r >= kLowest) [[likely]]
      return from_bits(r);
    return sub_slow(a, b);
  }
  friend Int operator*(Int a, Int b) {
    int64_t r;
    if (numbers(a, b) && !__builtin_mul_overflow(a.bits_, b.bits_, &r) && r >= kLowest) [[likely]]
      return from_bits(r);
    return mul_slow(a, b);
  }
  Int operator-() const { return Int() - *this; }
  friend Int floordiv(Int a, Int b) {
    if (numbers(a, b) && b.bits_ > 0) [[likely]] {
      int64_t q = a.bits_ / b.bits_;
      return from_bits(q - (a.bits_ - q * b.bits_ < 0));
    }
    return floordiv_slow(a, b);
  }
  friend Int mod(Int a, Int b) {
    if (numbers(a, b) && b.bits_ > 0) [[likely]] {
      int64_t r = a.bits_ % b.bits_;
      return from_bits(r < 0 ? r + b.bits_ : r);
    }
    return mod_slow(a, b);
  }
  friend Int operator/(Int a, Int b) { return floordiv(a, b); }
  friend Int operator%(Int a, Int b) { return mod(a, b); }
  friend Int min(Int a, Int b) {
    return numbers(a, b) ? from_bits(a.bits_ < b.bits_ ? a.bits_ : b.bits_) : min_slow(a, b);
  }
  friend Int max(Int a, Int b) {
    return numbers(a, b) ? from_bits(a.bits_ > b.bits_ ? a.bits_ : b.bits_) : max_slow(a, b);
  }
  // The quotient rounded up: -floordiv(-a, b).
  friend Int ceildiv(Int a, Int b) { return -floordiv(-a, b); }

  Int& operator+=(Int o) { return *this = *this + o; }
  Int& operator-=(Int o) { return *this = *this - o; }
  Int& operator*=(Int o) { return *this = *this * o; }
  Int& operator/=(Int o) { return *this = *this / o; }
  Int& operator%=(Int o) { return *this = *this % o; }
  Int& operator++() { return *this += 1; }
  Int& operator--() { return *this -= 1; }

  friend Bool operator==(Int a, Int b);
  friend Bool operator!=(Int a, Int b);
  friend Bool operator<(Int a, Int b);
  friend Bool operator<=(Int a, Int b);
  friend Bool operator>(Int a, Int b);
  friend Bool operator>=(Int a, Int b);

 private:
  bool is_number() const { return bits_ >= kLowest; }
  static bool numbers(Int a, Int b) { return a.is_number() && b.is_number(); }
  static Int from_bits(int64_t b) {
    Int r;
    r.bits_ = b;
    return r;
  }
  const sym::Expr* raw() const {
    return reinterpret_cast<const sym::Expr*>(static_cast<uint64_t>(bits_) &  // NOLINT: or a number
                                              ((uint64_t{1} << 62) - 1));
  }
  bool resolves_to_constant() const;
  int64_t resolved_constant() const;
  int64_t fixed() const;
  [[noreturn]] static void raise_conversion(int64_t value, size_t bytes, bool is_signed);
  int64_t symbolic_hint() const;
  bool symbolic_has_hint() const;
  bool same_slow(Int o) const;
  static Int add_slow(Int a, Int b);
  static Int sub_slow(Int a, Int b);
  static Int mul_slow(Int a, Int b);
  static Int floordiv_slow(Int a, Int b);
  static Int mod_slow(Int a, Int b);
  static Int min_slow(Int a, Int b);
  static Int max_slow(Int a, Int b);
  static Bool eq_slow(Int a, Int b);
  static Bool ge_slow(Int a, Int b);  // a >= b
  [[noreturn]] static void raise_range(const std::string& value);
  friend class sym::ShapeEnv;

  int64_t bits_ = 0;
};

static_assert(sizeof(Int) == 8 && std::is_trivially_copyable_v<Int>);

// The truth of a comparison. Holding or combining it asks nothing; `if (b)` does.
class Bool {
 public:
  template <std::same_as<bool> T>
  constexpr Bool(T v) : bits_(v) {}  // implicit, but from bool itself only
  explicit Bool(const sym::Expr* e);

  // The truth. Where it is not known, a size guard is installed: the environment's hints say which
  // way, and the entry being compiled is valid only for sizes that agree. With an unbacked symbol
  // in it, which has no hint, what is not known raises the data-dependent UserError.
  explicit operator bool() const { return is_constant() ? bits_ != 0 : ask(); }

  bool is_constant() const { return bits_ <= 1; }
  // Known from bounds and facts; these never guard.
  bool known_true() const { return is_constant() ? bits_ == 1 : known_slow(true); }
  bool known_false() const { return is_constant() ? bits_ == 0 : known_slow(false); }
  // The truth where it is known or can be guarded by hint; `otherwise` where it depends on data.
  bool guard_or(bool otherwise) const { return is_constant() ? bits_ != 0 : ask_or(otherwise); }

  // The expression, simplified under what is known; null for a constant.
  const sym::Expr* expr() const;
  sym::ShapeEnv* env() const;
  bool same_as(Bool o) const;
  std::string str() const;  // "True", "s0 >= 2"

  // These build a condition and do not short-circuit; evaluating the built condition does, so that
  // `b != 0 && a % b == 0` is well defined when it is checked at run time. What follows a plain
  // bool
  // (`t.defined() && t.size(0) > 0`) is evaluated only if it matters, as the language has it.
  Bool operator!() const { return is_constant() ? from_bits(bits_ ^ 1) : not_slow(*this); }
  template <std::same_as<Bool> A, std::same_as<Bool> B>
  friend Bool operator&&(A a, B b) {
    if (a.is_constant()) return a.bits_ ? b : a;
    if (b.is_constant()) return b.bits_ ? a : b;
    return and_slow(a, b);
  }
  template <std::same_as<Bool> A, std::same_as<Bool> B>
  friend Bool operator||(A a, B b) {
    if (a.is_constant()) return a.bits_ ? a : b;
    if (b.is_constant()) return b.bits_ ? b : a;
    return or_slow(a, b);
  }
  // With a bool on the right, which the operators of the language would take too.
  template <std::same_as<bool> T>
  friend Bool operator&&(Bool a, T b) {
    return a && Bool(b);
  }
  template <std::same_as<bool> T>
  friend Bool operator||(Bool a, T b) {
    return a || Bool(b);
  }

 private:
  static Bool from_bits(uintptr_t b) {
    Bool r(false);
    r.bits_ = b;
    return r;
  }
  const sym::Expr* raw() const { return reinterpret_cast<const sym::Expr*>(bits_); }  // NOLINT
  bool ask() const;
  bool ask_or(bool otherwise) const;
  bool known_slow(bool truth) const;
  static Bool not_slow(Bool a);
  static Bool and_slow(Bool a, Bool b);
  static Bool or_slow(Bool a, Bool b);
  friend class sym::ShapeEnv;

  uintptr_t bits_;
};

static_assert(sizeof(Bool) == 8 && std::is_trivially_copyable_v<Bool>);

inline Bool operator==(Int a, Int b) {
  return Int::numbers(a, b) ? Bool(a.bits_ == b.bits_) : Int::eq_slow(a, b);
}
inline Bool operator!=(Int a, Int b) { return !(a == b); }
inline Bool operator>=(Int a, Int b) {
  return Int::numbers(a, b) ? Bool(a.bits_ >= b.bits_) : Int::ge_slow(a, b);
}
inline Bool operator<=(Int a, Int b) { return b >= a; }
inline Bool operator<(Int a, Int b) { return !(a >= b); }
inline Bool operator>(Int a, Int b) { return !(b >= a); }
inline Int::operator bool() const { return static_cast<bool>(*this != 0); }

// Beside a floating point number a size would have to stop being a symbol: said here, in words.
#define FRIT_NO_REAL(result, op)                                    \
  template <std::floating_point T>                                  \
  result operator op(Int, T) {                                      \
    static_assert(!std::is_floating_point_v<T>, FRIT_NO_REAL_TEXT); \
    return {};                                                      \
  }                                                                 \
  template <std::floating_point T>                                  \
  result operator op(T, Int) {                                      \
    static_assert(!std::is_floating_point_v<T>, FRIT_NO_REAL_TEXT); \
    return {};                                                      \
  }
#define FRIT_NO_REAL_TEXT                                                                        \
  "a size is an Int, which may be a symbol: beside a floating point number write double(size), " \
  "which makes its value part of a compiled callable's key; with tensors (t / size) it stays a " \
  "symbol"
FRIT_NO_REAL(double, +)
FRIT_NO_REAL(double, -)
FRIT_NO_REAL(double, *)
FRIT_NO_REAL(double, /)
FRIT_NO_REAL(bool, ==)
FRIT_NO_REAL(bool, !=)
FRIT_NO_REAL(bool, <)
FRIT_NO_REAL(bool, <=)
FRIT_NO_REAL(bool, >)
FRIT_NO_REAL(bool, >=)
#undef FRIT_NO_REAL
#undef FRIT_NO_REAL_TEXT

std::ostream& operator<<(std::ostream& out, Int v);
std::ostream& operator<<(std::ostream& out, Bool v);

// For unordered containers of Ints, where == would build conditions.
struct IntHash {
  size_t operator()(Int v) const { return v.hash(); }
};
struct IntSame {
  bool operator()(Int a, Int b) const { return a.same_as(b); }
};

// A fact the program states: a UserError saying `message` where it is false or false under the
// hints; where it depends on data, a runtime assert of the graph, and a fact from here on.
void check(Bool condition, std::string_view message = {},
           std::source_location where = std::source_location::current());

// --- One text for both integer types ---
//
// A shape rule is a template on its integer type I, int64_t (eager) or Int (trace), and calls
// these. A condition of an `if` works for both: with Int it is what guards.

[[noreturn]] void raise_overflow(std::string_view op, int64_t a, int64_t b);
[[noreturn]] void raise_division_by_zero(std::string_view op, const std::string& a);

inline int64_t checked_add(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_add_overflow(a, b, &r)) [[unlikely]]
    raise_overflow("+", a, b);
  return r;
}
inline int64_t checked_sub(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_sub_overflow(a, b, &r)) [[unlikely]]
    raise_overflow("-", a, b);
  return r;
}
inline int64_t checked_mul(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_mul_overflow(a, b, &r)) [[unlikely]]
    raise_overflow("*", a, b);
  return r;
}
inline Int checked_add(Int a, Int b) { return a + b; }
inline Int checked_sub(Int a, Int b) { return a - b; }
inline Int checked_mul(Int a, Int b) { return a * b; }

inline int64_t floordiv(int64_t a, int64_t b) {
  if (b == 0) [[unlikely]]
    raise_division_by_zero("floordiv", std::to_string(a));
  if (b == -1) [[unlikely]]
    return checked_sub(0, a);
  int64_t q = a / b;
  return q - (q * b != a && (a < 0) != (b < 0));
}
inline int64_t mod(int64_t a, int64_t b) {
  if (b == 0) [[unlikely]]
    raise_division_by_zero("mod", std::to_string(a));
  if (b == -1) [[unlikely]]
    return 0;
  int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
inline int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t max(int64_t a, int64_t b) { return a > b ? a : b; }
inline int64_t ceildiv(int64_t a, int64_t b) {
  return checked_sub(0, floordiv(checked_sub(0, a), b));
}

inline bool size_eq(int64_t a, int64_t b) { return a == b; }
inline Bool size_eq(Int a, Int b) { return a == b; }

// Is the size known to be 1 (0)? Without a guard: a symbol that could be 1 says false.
inline bool known_one(int64_t a) { return a == 1; }
inline bool known_one(Int a) { return (a == 1).known_true(); }
inline bool known_zero(int64_t a) { return a == 0; }
inline bool known_zero(Int a) { return (a == 0).known_true(); }
// Are the sizes known to be equal? Without a guard.
inline bool known_equal(int64_t a, int64_t b) { return a == b; }
inline bool known_equal(Int a, Int b) { return a.same_as(b) || (a == b).known_true(); }

inline int64_t as_int64_or_hint(int64_t a) { return a; }
inline int64_t as_int64_or_hint(Int a) { return a.hint(); }

inline std::string to_text(int64_t a) { return std::to_string(a); }
// For messages: the number it is in this run, where that is known.
inline std::string to_text(Int a) { return a.has_hint() ? std::to_string(a.hint()) : a.str(); }

}  // namespace frit
