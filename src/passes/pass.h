// Graph passes: each a function in its own file, named, timed, logged, verified and skippable. The
// straight list of them is pipeline.cpp.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace frit::passes {

struct PassOptions {
  std::vector<std::string> disabled;  // names of passes to leave out
  bool verify = true;                 // ir::verify after every pass
  // Called after each pass that changed the graph, for debug folders and logs.
  std::function<void(const char* pass, const ir::Graph&)> after;
};

struct PassTime {
  const char* name;
  double ms;
  int changes;
};

struct Pass {
  const char* name;
  const char* what;        // one line, for docs and logs
  int (*run)(ir::Graph&);  // how many changes it made
};

// Runs a list in order. InternalError from a pass or its verification names the pass.
std::vector<PassTime> run_passes(ir::Graph&, std::span<const Pass>, const PassOptions&);

// --- the passes ---
// Explicit composites become primitives (their decompositions), until none is left.
int decompose(ir::Graph&);
// As decompose, but only nodes that have no vjp of their own: what must be gone before grad.
int decompose_for_grad(ir::Graph&);
// Nodes of the same op on the same arguments become one. Random nodes never.
int common_subexpressions(ir::Graph&);
// Views of views, views and copies that change nothing, arithmetic identities that are exact.
int simplify(ir::Graph&);
// Small nodes whose arguments are all constants become `full`.
int fold_constants(ir::Graph&);
// Nodes nobody reads go, unless they define a symbol in use or may raise.
int dead_code(ir::Graph&);

// The lists.
std::span<const Pass> before_grad();
std::span<const Pass> before_lowering();

}  // namespace frit::passes
