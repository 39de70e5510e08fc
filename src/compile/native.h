// Graph to machine code: loops, C++ text, the compiler plugin.
#pragma once
#include <memory>

#include "compile/artifacts.h"
#include "ir/graph.h"
#include "runtime/compiled_graph.h"

namespace frit::compiler {

struct CompileSettings;

// Null where the graph cannot be compiled here (no plugin, a crash of it, a fault of ours): one
// notice says why and what to do, and the graph runs on eager kernels.
std::shared_ptr<runtime::CompiledGraph> native_code(const ir::Graph&, const CompileSettings&,
                                                    const Artifacts&, const char* stage);

}  // namespace frit::compiler
