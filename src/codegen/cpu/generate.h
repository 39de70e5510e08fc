// A loop Program to C++ text and the plan that the runtime needs to run what is compiled from it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "loops/loop_ir.h"
#include "runtime/plan.h"

namespace frit::codegen::cpu {

struct Options {
  int modules = 1;               // texts to be compiled side by side, at most
  int64_t module_bytes = 12000;  // a text shorter than this is not split
};

// `modules` are to be compiled behind header(), each by itself, and linked into one object, which
// then exports frit_plan and frit_run (vec/abi.h).
struct Generated {
  std::vector<std::string> modules;
  runtime::GraphPlan plan;
};

// Deterministic. `graph` is what the program was lowered from: it says where symbols come from.
Generated generate(const loops::Program& program, const ir::Graph& graph,
                   const Options& options = {});

// What stands before each module: the vector header, the interface to the library, and the helpers
// of prelude.cpp. The same text for the life of the process.
std::string_view header();

// One program for people: the generated text with a main that makes inputs of these example values
// of the plan's symbols, runs the graph and times it. It includes "frit_header.h", a file that
// holds header(); its first lines say how to build and run it, as `file`. Steps that need the
// library's kernels (but matrix products) end it with a message.
std::string standalone(const Generated& generated, const ir::Graph& graph,
                       std::span<const int64_t> symbols, std::string_view file);

}  // namespace frit::codegen::cpu
