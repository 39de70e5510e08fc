// A graph to a loop Program: lowering, fusion and scheduling, sharing of equal bodies, memory plan.
#pragma once
#include <functional>

#include "loops/loop_ir.h"

namespace frit::loops {

struct Options {
  bool fuse = true;         // false: a kernel a node
  int max_ops = 32;         // in one body
  bool plan_memory = true;  // false: every arena buffer has its own place
  // Called after each stage ("lowered", "fused", "planned") with the program as it then stands.
  std::function<void(std::string_view stage, const Program&)> on_stage;
};

// Explicit composites must have been decomposed; one that has a kernel is a library step.
// The graph is read only, but its environment gets loop symbols.
std::unique_ptr<Program> lower(const ir::Graph&, const Options& = {});

}  // namespace frit::loops
