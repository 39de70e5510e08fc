// What the printer's parts share: symbols under the names that a nest's loops have.
#pragma once
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "loops/loop_ir.h"

namespace frit::loops {

class SymbolNames {
 public:
  void add(Int symbol, std::string name) { symbols_.emplace_back(symbol.expr(), std::move(name)); }
  std::string text(Int) const;
  std::string text(Bool) const;
  // A size that a step finds, whatever checks say of it (Int::as_made).
  std::string made_text(Int) const;
  std::string made_list(std::span<const Int>) const;
  std::string check_text(Bool) const;  // as it was made (ShapeEnv::as_made)
  std::string list(std::span<const Int>) const;

 private:
  std::pair<std::string, bool> print(const sym::Expr*) const;  // and: needs no parentheses
  std::string wrapped(const sym::Expr*) const;
  std::string symbol(const sym::Expr*) const;
  int rank(const sym::Expr*) const;
  std::vector<std::pair<const sym::Expr*, std::string>> symbols_;
};

SymbolNames names_of(const Nest&);

class ExprPrinter {
 public:
  ExprPrinter(const Program& p, SymbolNames names) : program_(p), names_(std::move(names)) {}
  std::string text(const Expr*);
  std::string access(int buffer, Int index, const std::vector<Indirect>&);
  // Writes "t0 = ..." lines for what is used more than once below the roots.
  void share(std::span<const Expr* const> roots, const std::string& indent, std::string& out);
  // Shared names end with a stage; the next one writes its own.
  void forget() { locals_.clear(); }

 private:
  std::string inline_text(const Expr*);
  std::string buffer(int b) const;
  const Program& program_;
  SymbolNames names_;
  std::unordered_map<const Expr*, std::string> locals_;
  int next_local_ = 0;
};

std::string fixed_text(const Arg&, const SymbolNames&);

}  // namespace frit::loops
