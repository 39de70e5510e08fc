// Expressions made ready to run: values now, a flat program for guards and launchers, and C++ text
// for generated code. Symbols are read by their index in the environment.
#pragma once
#include <string>

#include "sym/print.h"

namespace frit::sym {

// The value of e (a condition gives 0 or 1). UserError on overflow or division by zero.
int64_t evaluate(const Expr* e, std::span<const int64_t> symbols);

// A postfix program. A condition is evaluated from left to right and no further than needed.
class Program {
 public:
  enum class Op : uint8_t {
    constant,  // push imm
    symbol,    // push symbols[imm]
    add,
    mul,
    scale,   // top * imm
    offset,  // top + imm
    floordiv,
    mod,
    min,
    max,
    is_zero,
    is_nonzero,
    is_nonneg,
    and_jump,  // if top is 0 go to imm, else pop
    or_jump,   // if top is 1 go to imm, else pop
  };
  struct Step {
    Op op;
    int64_t imm;
  };

  // Of the expression as it stands; whoever wants it simplified does so before.
  static Program compile(const Expr* e);

  // UserError on overflow or division by zero.
  int64_t run(std::span<const int64_t> symbols) const;
  // False on overflow or division by zero; never throws or allocates. A guard that has no value has
  // failed.
  bool try_run(std::span<const int64_t> symbols, int64_t* result) const noexcept;

  std::span<const Step> steps() const { return steps_; }
  // The number of symbols that `symbols` must have at least.
  int64_t symbols_needed() const { return symbols_needed_; }
  std::string str() const;

  // A step whose stack would not fit in this many values is not compiled: InternalError.
  static constexpr int kMostStack = 64;

 private:
  friend class Compiler;
  std::vector<Step> steps_;
  int64_t symbols_needed_ = 0;
};

// e as a C++ expression of type int64_t (conditions: bool) over int64_t symbols. It does not check
// for overflow: the launcher has evaluated the sizes with the checked program before. What may be
// negative calls the functions of cpp_helpers().
std::string cpp_text(const Expr* e, const SymbolText& symbol);
// Definitions of what cpp_text calls, without includes; `integer` is the name of the 64-bit type.
std::string cpp_helpers(const std::string& integer = "long");

}  // namespace frit::sym
