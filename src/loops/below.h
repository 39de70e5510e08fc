// What a loop, or data, says of an index.
#pragma once
#include "sym/shape_env.h"

namespace frit::loops {

// Tells the environment that index < size, in the turns of a loop of that size.
void assume_below(sym::ShapeEnv& env, Int index, Int size);

}  // namespace frit::loops
