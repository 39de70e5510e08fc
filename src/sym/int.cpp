#include "sym/int.h"

#include <ostream>

#include "sym/print.h"
#include "sym/shape_env.h"

namespace frit {

using sym::Expr;
using sym::Kind;
using sym::ShapeEnv;

void raise_overflow(std::string_view op, int64_t a, int64_t b) {
  throw UserError(ErrorKind::runtime, "size",
                  std::to_string(a) + " " + std::string(op) + " " + std::to_string(b) +
                      " does not fit: sizes are integers of 64 bits");
}

void raise_division_by_zero(std::string_view op, const std::string& a) {
  throw UserError(ErrorKind::runtime, "size",
                  (op == "mod" ? "remainder of " : "division of ") + a + " by zero");
}

void check(Bool condition, std::string_view message, std::source_location where) {
  if (ShapeEnv* env = condition.env()) return env->check(condition, message, where);
  if (!condition.known_true())
    throw UserError(ErrorKind::runtime, "check",
                    message.empty() ? "a condition that does not hold" : std::string(message), {},
                    where);
}

// --- Int ---

void Int::raise_range(const std::string& value) {
  throw UserError(ErrorKind::runtime, "size",
                  value + " is out of range: sizes are integers in [-2^62, 2^63)");
}

int64_t Int::fixed() const {
  int64_t value = hint();
  FRIT_INVARIANT(static_cast<bool>(*this == Int(value)), "a hint that its size does not have");
  return value;
}

void Int::raise_conversion(int64_t value, size_t bytes, bool is_signed) {
  throw UserError(ErrorKind::runtime, "size",
                  std::to_string(value) + " cannot be converted to type " + (is_signed ? "" : "u") +
                      "int" + std::to_string(8 * bytes) + "_t without overflow",
                  "int64_t");
}

Int::Int(const Expr* e) {
  if (e->is_constant()) {
    *this = Int(e->value());
    return;
  }
  FRIT_INVARIANT(!e->is_truth(), "a condition is not an integer: " + sym::text(e));
  auto address = reinterpret_cast<uint64_t>(e);
  FRIT_INVARIANT(address < uint64_t{1} << 62, "an address that cannot be told from a number");
  bits_ = static_cast<int64_t>(address | uint64_t{1} << 63);
}

const Expr* Int::expr() const {
  if (is_number()) return nullptr;
  const Expr* e = raw()->env()->expr(*this);
  return e->is_constant() ? nullptr : e;
}

ShapeEnv* Int::env() const { return is_number() ? nullptr : raw()->env(); }
bool Int::resolves_to_constant() const { return raw()->env()->expr(*this)->is_constant(); }

int64_t Int::resolved_constant() const {
  const Expr* e = raw()->env()->expr(*this);
  FRIT_INVARIANT(e->is_constant(), "the size " + str() + " is not a constant");
  return e->value();
}

int64_t Int::symbolic_hint() const { return raw()->env()->hint(*this); }
bool Int::symbolic_has_hint() const { return raw()->env()->has_hint(raw()->env()->expr(*this)); }

bool Int::same_slow(Int o) const {
  if (env() && o.env() && env() != o.env()) return false;
  ShapeEnv* e = ShapeEnv::common(*this, o);
  return e->expr(*this) == e->expr(o);
}

size_t Int::hash() const {
  if (is_number()) return std::hash<int64_t>()(bits_);
  const Expr* e = raw()->env()->expr(*this);
  return e->is_constant() ? std::hash<int64_t>()(e->value()) : e->hash();
}

std::string Int::str() const {
  return is_number() ? std::to_string(bits_) : sym::text(raw()->env()->expr(*this));
}

namespace {

int64_t number(Int v) { return v.constant(); }

// Numbers reach the out-of-line functions only for a result that does not fit or a divisor that is
// not positive.
template <class Exact>
Int exactly(std::string_view sign, Int a, Int b, Exact exact) {
  try {
    int64_t r = exact(number(a), number(b));
    if (r >= Int::kLowest) return r;
  } catch (const sym::Overflow&) {
  }
  raise_overflow(sign, number(a), number(b));
}

}  // namespace

Int Int::add_slow(Int a, Int b) {
  if (numbers(a, b)) return exactly("+", a, b, sym::exact_add);
  return ShapeEnv::common(a, b)->arithmetic(ShapeEnv::Op::add, a, b);
}

Int Int::sub_slow(Int a, Int b) {
  if (numbers(a, b))
    return exactly("-", a, b, [](int64_t x, int64_t y) { return checked_sub(x, y); });
  return ShapeEnv::common(a, b)->arithmetic(ShapeEnv::Op::sub, a, b);
}

Int Int::mul_slow(Int a, Int b) {
  if (numbers(a, b)) return exactly("*", a, b, sym::exact_mul);
  return ShapeEnv::common(a, b)->arithmetic(ShapeEnv::Op::mul, a, b);
}

Int Int::floordiv_slow(Int a, Int b) {
  if (numbers(a, b))
    return exactly("//", a, b, [](int64_t x, int64_t y) { return frit::floordiv(x, y); });
  return ShapeEnv::common(a, b)->arithmetic(ShapeEnv::Op::floordiv, a, b);
}

Int Int::mod_slow(Int a, Int b) {
  if (numbers(a, b))
    return exactly("%", a, b, [](int64_t x, int64_t y) { return frit::mod(x, y); });
  return ShapeEnv::common(a, b)->arithmetic(ShapeEnv::Op::mod, a, b);
}

Int Int::min_slow(Int a, Int b) {
  return ShapeEnv::common(a, b)->arithmetic(ShapeEnv::Op::min, a, b);
}

Int Int::max_slow(Int a, Int b) {
  return ShapeEnv::common(a, b)->arithmetic(ShapeEnv::Op::max, a, b);
}

Bool Int::eq_slow(Int a, Int b) { return ShapeEnv::common(a, b)->equal(a, b); }
Bool Int::ge_slow(Int a, Int b) { return ShapeEnv::common(a, b)->not_less(a, b); }

// --- Bool ---

Bool::Bool(const Expr* e) {
  FRIT_INVARIANT(e->is_truth(), "an integer is not a condition: " + sym::text(e));
  bits_ = e->kind() == Kind::truth ? static_cast<uintptr_t>(e->value())
                                   : reinterpret_cast<uintptr_t>(e);
}

const Expr* Bool::expr() const {
  if (is_constant()) return nullptr;
  const Expr* e = raw()->env()->expr(*this);
  return e->kind() == Kind::truth ? nullptr : e;
}

ShapeEnv* Bool::env() const { return is_constant() ? nullptr : raw()->env(); }

bool Bool::same_as(Bool o) const {
  if (bits_ == o.bits_) return true;
  if (is_constant() && o.is_constant()) return false;
  if (env() && o.env() && env() != o.env()) return false;
  ShapeEnv* e = ShapeEnv::common(*this, o);
  return e->expr(*this) == e->expr(o);
}

std::string Bool::str() const {
  if (is_constant()) return bits_ ? "True" : "False";
  return sym::text(raw()->env()->expr(*this));
}

bool Bool::ask() const { return raw()->env()->ask(*this); }
bool Bool::ask_or(bool otherwise) const { return raw()->env()->ask_or(*this, otherwise); }
bool Bool::known_slow(bool truth) const { return raw()->env()->decide(*this) == int{truth}; }
Bool Bool::not_slow(Bool a) { return a.env()->negate(a); }
Bool Bool::and_slow(Bool a, Bool b) { return ShapeEnv::common(a, b)->join(Kind::conj, a, b); }
Bool Bool::or_slow(Bool a, Bool b) { return ShapeEnv::common(a, b)->join(Kind::disj, a, b); }

std::ostream& operator<<(std::ostream& out, Int v) { return out << v.str(); }
std::ostream& operator<<(std::ostream& out, Bool v) { return out << v.str(); }

}  // namespace frit
