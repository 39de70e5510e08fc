// A folder from which a failed compile can be repeated without Frit.
#pragma once
#include <string>

#include "base/file.h"
#include "jit/compiler.h"

namespace frit::jit {

// The command that compiles the request's files with clang++-19, as run.sh has it.
std::string reproducer_command(const CompileRequest& request);

// Writes the modules, the header, message.txt and run.sh to a new folder below `root` and returns
// it; an empty path where that cannot be written.
fs::path write_reproducer(const fs::path& root, const CompileRequest& request,
                          const std::string& message);

// The file name of module i: "graph_0.cpp".
std::string module_file(const CompileRequest& request, size_t i);

}  // namespace frit::jit
