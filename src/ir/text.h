// The words that printer and parser share.
#pragma once
#include <string>

#include "ops/schema.h"

namespace frit::ir {

// The shortest text that reads back as the same double, always with '.', 'e', "inf" or "nan" in it.
std::string real_text(double v);
std::string quoted(std::string_view s);

}  // namespace frit::ir
