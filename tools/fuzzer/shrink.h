// A failing program made small.
#pragma once
#include <functional>

#include "fuzzer/program.h"

namespace frit::fuzz {

// Does the program fail still?
using Fails = std::function<bool(const Program&)>;
// Drops statements, outputs and inputs, and makes inputs plain, while the program fails. Asks at
// most `most` times.
Program shrink(Program p, const Fails& fails, int most = 400);

}  // namespace frit::fuzz
