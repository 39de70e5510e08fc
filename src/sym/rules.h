// The simplifier's rules: each has a name, the law it stands for, and a function that applies it or
// answers that it does not apply. Division and remainder are Python's; a law holds wherever its
// left side is defined, and tests/sym/law_test.cpp has Z3 prove each by name.
#pragma once
#include <span>
#include <string_view>

#include "sym/algebra.h"

namespace frit::sym {

struct Rule {
  std::string_view name;
  std::string_view law;
  // One of these, according to the table that the rule is in.
  const Expr* (*binary)(Algebra&, const Expr* a, const Expr* b) = nullptr;  // null: does not apply
  bool (*rewrite)(Algebra&, Poly&) = nullptr;  // a sum; false: does not apply
  bool (*extremum)(Algebra&, Kind, SmallVector<const Expr*, 4>&) = nullptr;
  bool (*comparison)(Algebra&, Kind, Poly&) = nullptr;  // p compared with zero
};

// In the order in which they are tried.
std::span<const Rule> quotient_rules();
std::span<const Rule> remainder_rules();
std::span<const Rule> sum_rules();
std::span<const Rule> extremum_rules();
std::span<const Rule> comparison_rules();

}  // namespace frit::sym
