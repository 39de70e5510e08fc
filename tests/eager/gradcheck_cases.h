// Arguments for ops that do not take made-up ones: by full name.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "ops/arg.h"

namespace frit::test {

std::map<std::string, std::vector<ArgList>> gradcheck_cases();

}  // namespace frit::test
