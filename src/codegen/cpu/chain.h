// Costly functions of one another's results.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "loops/loop_ir.h"

namespace frit::codegen::cpu {

// The elements of a block that each pass over it leaves for those after it.
inline constexpr int kPassBlock = 256;

// A function of a function's result is a chain of some hundred cycles, of which a processor's
// scheduler holds little more than one: its units idle. A pass for each function over a block that
// stays in the nearest cache keeps several elements under way.
//
// What is computed by each pass but the last, for the values `roots` of one element; none where one
// pass does all. `in_lanes` tells what differs between elements.
std::vector<std::vector<const loops::Expr*>> passes_before(
    std::span<const loops::Expr* const> roots,
    const std::function<bool(const loops::Expr*)>& in_lanes);

}  // namespace frit::codegen::cpu
