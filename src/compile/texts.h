// Words and log lines of the compile room.
#pragma once
#include <string>

#include "base/event.h"
#include "compile/entry.h"

namespace frit::compiler {

std::string scalar_text(const Scalar&);
// "item() at net.cpp:14", or "a condition at net.cpp:14": where the entry ended.
std::string read_text(const Entry&, bool condition);
void log(Channel, const char* name, std::string text, SourceLocation where, double ms = 0);

}  // namespace frit::compiler
