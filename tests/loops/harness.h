// Graphs from text, made ready for lowering.
#pragma once
#include <memory>
#include <string_view>

#include "grad/joint.h"
#include "ir/graph.h"
#include "loops/lower.h"
#include "passes/pass.h"

namespace frit::loops {

inline std::unique_ptr<ir::Graph> prepared(std::string_view text) {
  auto graph = ir::parse(text);
  if (text.starts_with("# joint")) {
    passes::run_passes(*graph, passes::before_grad(), {});
    const int first[] = {0};
    graph = std::move(grad::differentiate(*graph, first).graph);
  }
  passes::run_passes(*graph, passes::before_lowering(), {});
  return graph;
}

inline std::unique_ptr<Program> lowered(std::string_view text, const Options& options = {}) {
  return lower(*prepared(text), options);
}

inline int steps_of(const Program& p, ir::Stage stage) {
  int n = 0;
  for (const Step& s : p.steps) n += s.stage == stage;
  return n;
}

}  // namespace frit::loops
