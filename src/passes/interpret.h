// Running a graph one op after another with eager's kernels: what compiled code is compared with,
// and what a graph runs as where there is no compiler.
#pragma once
#include <span>
#include <vector>

#include "core/generator.h"
#include "ir/graph.h"

namespace frit::passes {

struct Interpreted {
  std::vector<Tensor> outputs;  // of Graph::outputs with a value; undefined for the others
  std::vector<Tensor>
      effects;  // of Graph::effects with a value: what is to be written; nothing has been
  std::vector<int64_t> symbols;  // by index in the environment; 0 for those nobody gave
};

// `symbols` has values by index in the graph's environment; those that are sizes or strides of
// inputs and those that nodes define are filled in, so it may be empty. Random nodes draw from
// `rng` at their own offsets; no generator moves. Under the caller's grad mode. Raises what eager
// raises, and a UserError with an assert's message where one fails. `free_histories`: on the tape,
// what the recording went backward through is freed, as it was then.
Interpreted interpret(const ir::Graph& graph, std::span<const Tensor> inputs, PhiloxState rng,
                      std::vector<int64_t> symbols = {}, bool free_histories = false);

// A view op on a tensor, its numbers evaluated; eagerly, and on the tape as the thread's modes are.
// `given`: the op's arguments, the first of which `self` stands for.
Tensor call_view(const OpRecord& record, std::span<const Arg> given, const Tensor& self,
                 const sym::ShapeEnv& env, std::span<const int64_t> symbols);

}  // namespace frit::passes
