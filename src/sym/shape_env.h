// The shape environment of one capture: its symbols, what is known about them, and the conditions
// under which what was captured is valid. Everything that sizes decide goes through here.
//
//   backed symbols    s0, s1, ...: sizes of inputs. Each has a hint, the size seen at capture, by
//                     which a condition that is asked is decided; that is then a guard.
//   unbacked symbols  u0, u1, ...: integers that come out of the computation. They have no hint
//   that
//                     may decide anything; what is asked about them must follow from what is known.
//
// Owned jointly, by shared_ptr, by the graphs and entries that use it, since `Int` and `Bool` point
// into it.
//
// Threads: any number may ask and compute with the sizes of an environment at once, also through
// `Int` and `Bool`; each call takes a turn, and whoever makes many in a row takes one for all
// (Turn). New symbols, guards, asserts, hints and hooks are the business of the one thread that
// captures, before its entries are published: symbols(), guards() and runtime_asserts() are read
// without a turn.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "sym/algebra.h"
#include "sym/int.h"
#include "sym/program.h"

namespace frit::sym {

struct Symbol {
  std::string name;    // "s0", "u0"
  std::string source;  // in the user's words: "x.size(0)", "mask.sum().item_int()"
  bool unbacked = false;
  Range declared;               // what holds from the start
  std::optional<int64_t> hint;  // of an unbacked symbol: the value seen, for tuning only
  SourceLocation where;         // of an unbacked symbol: where it was made
  const Expr* expr = nullptr;   // index: expr->value()
};

// A condition the compiled entry is valid under, true under the hints.
struct Guard {
  const Expr* condition;  // as it was simplified when it was asked; not by what came later
  SourceLocation where;   // what asked, if the location hook knew
};

// A condition to check when the compiled entry runs, before it commits. On failure the message is
// the user's.
struct RuntimeAssert {
  const Expr* condition;
  std::string message;
  SourceLocation where;
};

// A condition or a value that depends on data was asked for.
class DataDependentError : public UserError {
 public:
  DataDependentError(std::string message, std::string hint, SourceLocation where,
                     std::vector<std::string> symbols);
  const std::vector<std::string>& symbols() const { return symbols_; }  // names of unbacked ones

 private:
  std::vector<std::string> symbols_;
};

class ShapeEnv : public std::enable_shared_from_this<ShapeEnv> {
 public:
  ShapeEnv();
  ShapeEnv(const ShapeEnv&) = delete;
  ShapeEnv& operator=(const ShapeEnv&) = delete;

  // The environment for one thread, for a scope. May be taken again inside.
  class Turn {
   public:
    explicit Turn(const ShapeEnv& env) : lock_(env.turns_) {}

   private:
    std::lock_guard<std::recursive_mutex> lock_;
  };

  // --- Symbols ---
  // lower <= hint <= upper. The bounds are conditions of the entry (see entry_conditions).
  Int new_symbol(int64_t hint, int64_t lower, std::optional<int64_t> upper, std::string source);
  // The bounds are what the operation that made the value guarantees. `real` is the value seen at
  // capture: `hint()` gives it, for tile sizes; it decides nothing but ask_or().
  Int new_unbacked(std::string source, SourceLocation where = {}, int64_t lower = kMinusInf,
                   int64_t upper = kPlusInf, std::optional<int64_t> real = {});
  std::span<const Symbol> symbols() const { return symbols_; }
  const Symbol& symbol(const Expr* e) const { return symbols_[static_cast<size_t>(e->value())]; }
  // The symbol of that name, as an Int (a number where it was specialized); nullopt if there is
  // none.
  std::optional<Int> find_symbol(std::string_view name) const;
  void set_hint(Int symbol, int64_t value);
  // Hints by symbol index, 0 where there is none.
  const std::vector<int64_t>& hints() const { return hints_; }

  // --- Asking ---
  // The truth of a condition, guarding by hint where it is not known. See Bool.
  bool ask(Bool condition);
  // `otherwise` where it depends on data; while there is a handler of that (set_on_data_dependent),
  // what was seen, which becomes a runtime assert.
  bool ask_or(Bool condition, bool otherwise);
  // 1, 0, or -1 for not known.
  int decide(Bool condition) const;
  bool statically_known_true(Bool condition) const { return decide(condition) == 1; }
  Range bounds(Int v) const;
  Range bounds(const Expr* e) const;
  Int simplify(Int v) const;
  Bool simplify(Bool v) const;
  // Simplified expression of a number too.
  const Expr* expr(Int v) const;
  const Expr* expr(Bool v) const;
  // The condition as it was made. A check has to be evaluated so: simplified under what is known,
  // of which it is a part, it is always true.
  const Expr* as_made(Bool v) const { return raw(v); }
  // A divisor of v that is known, at least 1 (0 for the number 0).
  int64_t known_divisor(Int v) const;

  // --- Stating ---
  // The condition becomes a guard whether or not it was asked; it must not be false under the
  // hints.
  void guard(Bool condition, SourceLocation where = {});
  // It holds, by whatever the caller knows; nothing checks it.
  void assume(Bool condition);
  // A fact from here on, and a runtime assert unless it is known already. UserError with `message`
  // where it is known to be false, or false under the hints or the real values seen.
  void check(Bool condition, std::string_view message, SourceLocation where = {});
  // v is `to` from here on: a guard, or with an unbacked symbol a runtime assert.
  void specialize(Int v, Int to, SourceLocation where = {});

  std::span<const Guard> guards() const { return guards_; }
  std::span<const RuntimeAssert> runtime_asserts() const { return asserts_; }
  // Declared bounds of backed symbols and the guards, in the order in which they can be evaluated,
  // without those that a later one of the same form makes needless (s0 >= 2 before s0 >= 5).
  std::vector<const Expr*> entry_conditions() const;

  // --- Values ---
  // `symbols` has a value for every symbol by index. UserError on overflow or division by zero.
  int64_t evaluate(Int v, std::span<const int64_t> symbols) const;
  bool evaluate(Bool v, std::span<const int64_t> symbols) const;
  int64_t evaluate(const Expr* e, std::span<const int64_t> symbols) const;
  Program compile(Int v) const;
  Program compile(Bool v) const;
  Program compile(const Expr* e) const { return Program::compile(e); }
  // The value under the hints, or `otherwise` where a symbol has none. Never raises.
  int64_t size_hint(Int v, int64_t otherwise) const;
  int64_t hint(Int v) const;
  bool has_hint(const Expr* e) const;

  // --- Text ---
  std::string text(const Expr* e) const;
  // In the user's words: symbols written as their sources.
  std::string source_text(const Expr* e) const;
  // A line for each guard: the condition in the user's words, then symbols, hints and place.
  std::string guards_text(size_t most = SIZE_MAX) const;  // of the first so many
  // A line for each symbol: "s0 = x.size(0) in [2, inf), 8 at capture".
  std::string symbols_text() const;

  // Why a condition does not hold for other sizes: "x.size(0) % 2 == 0; x.size(0) was 8, now 7".
  std::string failure_text(const Expr* condition, std::span<const int64_t> now) const;
  // What makes two environments the same for generated code, and nothing else: bounds, guards and
  // asserts by symbol names, without sources, hints and places. For cache keys.
  std::string facts_text() const;

  // --- Hooks ---
  // Gives the user's line that is being run when something is asked.
  void set_location_source(std::function<SourceLocation()> f) { location_ = std::move(f); }
  // Called where a DataDependentError would be raised by a condition, with its truth for the values
  // that were seen; a value is taken for the truth (with no guard), none raises. For callers that
  // report and go on.
  using OnDataDependent =
      std::function<std::optional<bool>(const DataDependentError&, std::optional<bool> seen)>;
  void set_on_data_dependent(OnDataDependent f) { on_data_dependent_ = std::move(f); }
  // Called with each new guard.
  void set_on_guard(std::function<void(const Guard&)> f) { on_guard_ = std::move(f); }

  // For Int, Bool, the parser and the tests.
  enum class Op : uint8_t { add, sub, mul, floordiv, mod, min, max };
  Int arithmetic(Op op, Int a, Int b);
  Bool equal(Int a, Int b);
  Bool not_less(Int a, Int b);
  Bool negate(Bool a);
  Bool join(Kind kind, Bool a, Bool b);
  Algebra& algebra() { return algebra_; }
  // The environment of either that is symbolic, InternalError where they differ.
  static ShapeEnv* common(Int a, Int b);
  static ShapeEnv* common(Bool a, Bool b);

 private:
  const Expr* add_symbol(Symbol s);
  // symbol >= lo, symbol <= hi, as far as they are finite.
  std::vector<const Expr*> bound_conditions(const Expr* symbol, Range r) const;
  const Expr* raw(Int v) const;
  const Expr* raw(Bool v) const;
  bool ask_backed(const Expr* condition);
  void add_guard(const Expr* condition, SourceLocation where);
  SourceLocation here() const { return location_ ? location_() : SourceLocation{}; }
  bool has_hints(const Expr* e, bool of_unbacked_too) const;
  DataDependentError data_dependent(const Expr* e) const;
  std::string unbacked_text(const Expr* e, std::vector<std::string>& names) const;

  mutable std::recursive_mutex turns_;  // guards what follows as far as Turn promises
  mutable Arena arena_;
  Facts facts_;
  mutable Algebra algebra_;
  std::vector<Symbol> symbols_;
  std::vector<int64_t> hints_;         // by number: every question reads them
  int64_t backed_ = 0, unbacked_ = 0;  // how many of each
  std::vector<Guard> guards_;
  std::vector<RuntimeAssert> asserts_;
  std::function<SourceLocation()> location_;
  OnDataDependent on_data_dependent_;
  std::function<void(const Guard&)> on_guard_;
};

}  // namespace frit::sym
