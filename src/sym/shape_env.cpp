#include "sym/shape_env.h"

#include <algorithm>
#include <ranges>
#include <set>

namespace frit::sym {

ShapeEnv::ShapeEnv() : arena_(this), facts_(arena_), algebra_(arena_, facts_) {}

// --- Symbols ---

const Expr* ShapeEnv::add_symbol(Symbol s) {
  Turn turn(*this);
  const Expr* e = arena_.symbol(static_cast<int64_t>(symbols_.size()), s.unbacked);
  s.expr = e;
  Range declared = s.declared;
  hints_.push_back(s.hint.value_or(0));
  symbols_.push_back(std::move(s));
  for (const Expr* c : bound_conditions(e, declared)) algebra_.learn(c);
  return e;
}

std::vector<const Expr*> ShapeEnv::bound_conditions(const Expr* symbol, Range r) const {
  std::vector<const Expr*> all;
  auto bound = [&](int64_t coef, int64_t constant) {
    Poly p = Poly::term(coef, symbol);
    p.constant = constant;
    const Expr* arg = p.expr(arena_);
    all.push_back(arena_.intern(Kind::ge, 0, {&arg, 1}));
  };
  if (r.lo > kMinusInf) bound(1, -r.lo);
  if (r.hi < kPlusInf) bound(-1, r.hi);
  return all;
}

Int ShapeEnv::new_symbol(int64_t hint, int64_t lower, std::optional<int64_t> upper,
                         std::string source) {
  Range declared{lower, upper.value_or(kPlusInf)};
  FRIT_INVARIANT(declared.contains(hint),
                 source + " is " + std::to_string(hint) + ", outside " + declared.str());
  return Int(add_symbol({.name = "s" + std::to_string(backed_++),
                         .source = std::move(source),
                         .declared = declared,
                         .hint = hint,
                         .where = {}}));
}

Int ShapeEnv::new_unbacked(std::string source, SourceLocation where, int64_t lower, int64_t upper,
                           std::optional<int64_t> real) {
  FRIT_INVARIANT(lower <= upper, source + " has no possible value");
  return Int(add_symbol({.name = "u" + std::to_string(unbacked_++),
                         .source = std::move(source),
                         .unbacked = true,
                         .declared = {lower, upper},
                         .hint = real,
                         .where = where}));
}

std::optional<Int> ShapeEnv::find_symbol(std::string_view name) const {
  Turn turn(*this);
  for (const Symbol& s : symbols_)
    if (s.name == name) return Int(algebra_.simplify(s.expr));
  return std::nullopt;
}

void ShapeEnv::set_hint(Int symbol, int64_t value) {
  Turn turn(*this);
  const Expr* e = raw(symbol);
  FRIT_INVARIANT(e->is_symbol(), "a hint is set on a symbol, not on " + text(e));
  symbols_[static_cast<size_t>(e->value())].hint = value;
  hints_[static_cast<size_t>(e->value())] = value;
}

// --- Expressions ---

const Expr* ShapeEnv::raw(Int v) const {
  if (v.is_number()) {
    Turn turn(*this);
    return arena_.constant(v.bits_);
  }
  FRIT_INVARIANT(v.raw()->env() == this, "sizes of two captures in one expression");
  return v.raw();
}

const Expr* ShapeEnv::raw(Bool v) const {
  if (v.is_constant()) {
    Turn turn(*this);
    return arena_.truth(v.bits_ != 0);
  }
  FRIT_INVARIANT(v.raw()->env() == this, "sizes of two captures in one expression");
  return v.raw();
}

const Expr* ShapeEnv::expr(Int v) const {
  Turn turn(*this);
  return algebra_.simplify(raw(v));
}

const Expr* ShapeEnv::expr(Bool v) const {
  Turn turn(*this);
  return algebra_.simplify(raw(v));
}

Int ShapeEnv::simplify(Int v) const { return Int(expr(v)); }
Bool ShapeEnv::simplify(Bool v) const { return Bool(expr(v)); }
Range ShapeEnv::bounds(Int v) const {
  Turn turn(*this);
  return facts_.bounds(expr(v));
}

Range ShapeEnv::bounds(const Expr* e) const {
  Turn turn(*this);
  return facts_.bounds(algebra_.simplify(e));
}

int64_t ShapeEnv::known_divisor(Int v) const {
  Turn turn(*this);
  return facts_.divisor(expr(v));
}

ShapeEnv* ShapeEnv::common(Int a, Int b) { return a.is_number() ? b.raw()->env() : a.raw()->env(); }
ShapeEnv* ShapeEnv::common(Bool a, Bool b) {
  return a.is_constant() ? b.raw()->env() : a.raw()->env();
}

Int ShapeEnv::arithmetic(Op op, Int a, Int b) {
  Turn turn(*this);
  const Expr *x = expr(a), *y = expr(b);
  static constexpr const char* kSigns[] = {"+", "-", "*", "//", "%", "min", "max"};
  try {
    switch (op) {
      case Op::add:
        return Int(algebra_.add(x, y));
      case Op::sub:
        return Int(algebra_.sub(x, y));
      case Op::mul:
        return Int(algebra_.mul(x, y));
      case Op::floordiv:
        return Int(algebra_.floordiv(x, y));
      case Op::mod:
        return Int(algebra_.mod(x, y));
      case Op::min:
      case Op::max: {
        const Expr* args[] = {x, y};
        return Int(algebra_.extremum(op == Op::min ? Kind::min : Kind::max, args));
      }
    }
  } catch (const Overflow&) {
    throw UserError(ErrorKind::runtime, "size",
                    "(" + text(x) + ") " + kSigns[static_cast<size_t>(op)] + " (" + text(y) +
                        ") does not fit into 64 bits");
  } catch (const DivisionByZero&) {
    raise_division_by_zero(op == Op::mod ? "mod" : "floordiv", text(x));
  }
  return {};
}

Bool ShapeEnv::equal(Int a, Int b) {
  Turn turn(*this);
  const Expr *x = expr(a), *y = expr(b);
  if (x == y) return true;
  try {
    return Bool(algebra_.eq(x, y));
  } catch (const Overflow&) {
    throw UserError(ErrorKind::runtime, "size",
                    "comparing " + text(x) + " with " + text(y) + " does not fit into 64 bits");
  }
}

Bool ShapeEnv::not_less(Int a, Int b) {
  Turn turn(*this);
  const Expr *x = expr(a), *y = expr(b);
  try {
    return Bool(algebra_.ge(x, y));
  } catch (const Overflow&) {
    throw UserError(ErrorKind::runtime, "size",
                    "comparing " + text(x) + " with " + text(y) + " does not fit into 64 bits");
  }
}

Bool ShapeEnv::negate(Bool a) {
  Turn turn(*this);
  return Bool(algebra_.negate(raw(a)));
}

Bool ShapeEnv::join(Kind kind, Bool a, Bool b) {
  Turn turn(*this);
  const Expr* args[] = {raw(a), raw(b)};
  return Bool(algebra_.join(kind, args));
}

// --- Asking and stating ---

int ShapeEnv::decide(Bool condition) const {
  const Expr* e = expr(condition);
  return e->kind() == Kind::truth ? static_cast<int>(e->value()) : -1;
}

bool ShapeEnv::ask(Bool condition) {
  Turn turn(*this);
  const Expr* e = expr(condition);
  if (e->kind() == Kind::truth) return e->value() != 0;
  if (!e->has_unbacked()) return ask_backed(e);
  DataDependentError error = data_dependent(e);
  std::optional<bool> seen;
  if (has_hints(e, true)) seen = sym::evaluate(e, hints_) != 0;
  if (on_data_dependent_)
    if (auto taken = on_data_dependent_(error, seen)) return *taken;
  throw error;
}

bool ShapeEnv::ask_or(Bool condition, bool otherwise) {
  Turn turn(*this);
  const Expr* e = expr(condition);
  if (e->kind() == Kind::truth) return e->value() != 0;
  if (!e->has_unbacked()) return ask_backed(e);
  // While a program is recorded, what its data said decides, and is checked in each run.
  if (!on_data_dependent_ || !has_hints(e, true)) return otherwise;
  const bool seen = sym::evaluate(e, hints_) != 0;
  const Expr* taken = seen ? e : algebra_.negate(e);
  asserts_.push_back({taken, "the data decides as it did when this was recorded", here()});
  algebra_.learn(taken);
  return seen;
}

bool ShapeEnv::ask_backed(const Expr* condition) {
  bool truth = sym::evaluate(condition, hints_) != 0;
  add_guard(truth ? condition : algebra_.negate(condition), here());
  return truth;
}

void ShapeEnv::add_guard(const Expr* condition, SourceLocation where) {
  guards_.push_back({condition, where});
  algebra_.learn(condition);
  if (on_guard_) on_guard_(guards_.back());
}

void ShapeEnv::guard(Bool condition, SourceLocation where) {
  Turn turn(*this);
  const Expr* e = expr(condition);
  if (e->kind() != Kind::truth && !e->has_unbacked() && !sym::evaluate(e, hints_))
    e = arena_.truth(false);
  if (e->kind() == Kind::truth) {
    FRIT_INVARIANT(e->value() != 0, "a guard that does not hold: " + condition.str());
    return;
  }
  add_guard(e, where ? where : here());
}

void ShapeEnv::assume(Bool condition) {
  Turn turn(*this);
  const Expr* e = expr(condition);
  FRIT_INVARIANT(e->kind() != Kind::truth || e->value() != 0,
                 "assumed what is known to be false: " + condition.str());
  algebra_.learn(e);
}

void ShapeEnv::check(Bool condition, std::string_view message, SourceLocation where) {
  Turn turn(*this);
  if (!where) where = here();
  const Expr* e = expr(condition);
  bool known = e->kind() == Kind::truth;
  if (known ? !e->value() : has_hints(e, true) && !sym::evaluate(e, hints_)) {
    std::string what = message.empty() ? "a condition that does not hold" : std::string(message);
    if (!condition.is_constant()) what += " (" + source_text(raw(condition)) + ")";
    throw UserError(ErrorKind::runtime, "check", what, {}, where);
  }
  if (known) return;
  asserts_.push_back({e, std::string(message), where});
  algebra_.learn(e);
}

void ShapeEnv::specialize(Int v, Int to, SourceLocation where) {
  Turn turn(*this);
  Bool same = equal(v, to);
  if (expr(same)->has_unbacked())
    check(same, "a size that was specialized changed", where);
  else
    guard(same, where);
}

std::vector<const Expr*> ShapeEnv::entry_conditions() const {
  Turn turn(*this);
  std::vector<const Expr*> all;
  for (const Symbol& s : symbols_)
    if (!s.unbacked)
      for (const Expr* c : bound_conditions(s.expr, s.declared)) all.push_back(c);
  for (const Guard& g : guards_) all.push_back(g.condition);
  // A guard is added only where it is not implied, so of two bounds on the same expression the
  // later one is the tighter, and an equation makes bounds before it needless.
  std::set<std::pair<const Expr*, int>> bounded;
  std::set<const Expr*> equated;
  std::vector<const Expr*> kept;
  for (const Expr* c : all | std::views::reverse) {
    if (c->kind() == Kind::ge || c->kind() == Kind::eq) {
      Key k = key_of(arena_, Poly::of(c->arg(0)));
      if (equated.contains(k.expr)) continue;
      if (c->kind() == Kind::eq)
        equated.insert(k.expr);
      else if (!bounded.insert({k.expr, k.times > 0}).second)
        continue;
    }
    kept.push_back(c);
  }
  std::ranges::reverse(kept);
  return kept;
}

// --- Values ---

int64_t ShapeEnv::evaluate(Int v, std::span<const int64_t> symbols) const {
  if (v.is_constant()) return v.constant();
  return sym::evaluate(expr(v), symbols);
}

bool ShapeEnv::evaluate(Bool v, std::span<const int64_t> symbols) const {
  return sym::evaluate(raw(v), symbols) != 0;
}

int64_t ShapeEnv::evaluate(const Expr* e, std::span<const int64_t> symbols) const {
  return sym::evaluate(e, symbols);
}

Program ShapeEnv::compile(Int v) const { return Program::compile(expr(v)); }
Program ShapeEnv::compile(Bool v) const { return Program::compile(raw(v)); }

bool ShapeEnv::has_hints(const Expr* e, bool of_unbacked_too) const {
  if (e->is_symbol()) {
    const Symbol& s = symbol(e);
    return s.hint.has_value() && (of_unbacked_too || !s.unbacked);
  }
  return std::ranges::all_of(e->args(),
                             [&](const Expr* a) { return has_hints(a, of_unbacked_too); });
}

bool ShapeEnv::has_hint(const Expr* e) const { return has_hints(e, true); }

int64_t ShapeEnv::hint(Int v) const {
  const Expr* e = expr(v);
  if (!has_hints(e, true)) throw data_dependent(e);
  return sym::evaluate(e, hints_);
}

int64_t ShapeEnv::size_hint(Int v, int64_t otherwise) const {
  const Expr* e = expr(v);
  int64_t r;
  return has_hints(e, true) && Program::compile(e).try_run(hints_, &r) ? r : otherwise;
}

}  // namespace frit::sym
