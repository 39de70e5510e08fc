// Random programs that run.
#pragma once
#include <random>

#include "fuzzer/program.h"

namespace frit::fuzz {

// Records that programs call: all but those whose schema asks for what a program has not.
const std::vector<const OpRecord*>& candidates();

// A program of at most `length` statements, the same for the same seed. Its last statement may
// raise (Program::raises); the others do not, on the program's own inputs.
Program generate(uint64_t seed, int length);

}  // namespace frit::fuzz
