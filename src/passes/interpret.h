// Runs a graph on eager kernels, node by node: the backends `eager` and `aot_eager`, what a graph falls
// back to when it cannot be compiled, and what compiled results are compared with in tests.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "core/generator.h"
#include "ir/graph.h"

namespace frit::passes {

struct Interpretation {
  std::vector<Tensor> outputs;     // by graph output; undefined where the output has no value
  std::vector<Tensor> effects;     // by effect: the value of a write_input, else undefined
  std::optional<size_t> failed;    // index of the runtime assert that does not hold
};

// `symbols` has a value for every symbol of the environment by index; those that nodes define are filled
// in. Random nodes read the stream at `rng` plus their offset; no generator is advanced and no input is
// written. Gradients are recorded on the tape if they are enabled. An op's own error passes through.
Interpretation interpret(const ir::Graph&, std::span<const Tensor> inputs, std::span<int64_t> symbols, PhiloxState rng);

}  // namespace frit::passes
