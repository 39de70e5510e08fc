#include "codegen/cpu/chain.h"

#include <algorithm>
#include <unordered_map>

namespace frit::codegen::cpu {

using loops::Expr;
using loops::ExprKind;

namespace {

// More blocks than that would leave the nearest cache; so many functions keep the units busy.
constexpr size_t kMostKept = 8;

}  // namespace

std::vector<std::vector<const Expr*>> passes_before(
    std::span<const Expr* const> roots, const std::function<bool(const Expr*)>& in_lanes) {
  // How many costly functions one after another lead to a value.
  std::unordered_map<const Expr*, size_t> depths;
  std::vector<std::vector<const Expr*>> made;
  bool as_it_is = false;
  loops::for_each_expr(roots, [&](const Expr* e) {
    size_t depth = 0;
    for (const Expr* a : e->args) depth = std::max(depth, depths.at(a));
    // One side of a choice may not be computed for every element, nor an index be checked twice.
    as_it_is = as_it_is || !e->indirect.empty() || (e->kind == ExprKind::select && depth > 0);
    if (is_costly(*e) && e->type != DType::boolean && in_lanes(e)) {
      if (made.size() <= depth) made.resize(depth + 1);
      made[depth++].push_back(e);
    }
    depths[e] = depth;
  });
  if (!made.empty()) made.pop_back();
  size_t kept = 0;
  for (const auto& pass : made) kept += pass.size();
  if (as_it_is || kept > kMostKept) made.clear();
  return made;
}

}  // namespace frit::codegen::cpu
