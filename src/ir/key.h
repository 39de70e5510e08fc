// Arguments of nodes as texts that are equal where the arguments are.
#pragma once
#include <functional>
#include <string>

#include "ir/graph.h"

namespace frit::ir {

// Values by the number given to them, sizes as normal-form expressions.
void append_key(std::string& key, const Arg& a,
                const std::function<uint32_t(const Value*)>& number);

}  // namespace frit::ir
