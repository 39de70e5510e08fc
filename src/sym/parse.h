// Reads back what sym/print.h writes: integer expressions and conditions over the symbols of an
// environment. UserError [parse] names the text, the column and what was expected.
#pragma once
#include <string_view>

#include "sym/shape_env.h"

namespace frit::sym {

// "2*s0 + 1", "min(s0, 4)//2". The result is in normal form under what the environment knows, so a
// text printed from a simplified expression gives that expression.
Int parse(ShapeEnv& env, std::string_view text);
// "s0 >= 2", "s0 % 2 == 0 and s0 != s1", "True"; also &&, || and !.
Bool parse_bool(ShapeEnv& env, std::string_view text);

}  // namespace frit::sym
