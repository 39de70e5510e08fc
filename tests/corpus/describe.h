// A compiled program as golden text: its entries, what each is guarded by, its graph, its breaks.
#pragma once
#include <string>

#include "compile/callable.h"

namespace frit::corpus {

std::string describe(const compiler::Callable&);

}  // namespace frit::corpus
