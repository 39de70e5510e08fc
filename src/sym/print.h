// Text of expressions, in Python's syntax and precedence: "2*s0 + s1", "s0//2", "s0 % 2 == 0",
// "min(s0, 4)". sym/parse.h reads it back to the same expression.
#pragma once
#include <functional>
#include <string>

#include "sym/expr.h"

namespace frit::sym {

// How a symbol is written: by its name, or in the user's words ("x.size(0)").
using SymbolText = std::function<std::string(const Expr* symbol)>;

std::string text(const Expr* e, const SymbolText& symbol);
// With the names of the environment that e lives in.
std::string text(const Expr* e);

}  // namespace frit::sym
