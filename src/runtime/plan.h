// What the runtime needs to know of a compiled graph besides its code: produced by codegen, plain data.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "core/dtype.h"
#include "ops/record.h"

namespace frit::runtime {

// Where a symbol's value comes from on a call.
struct SymbolSource {
  enum class Kind : uint8_t { input_size, input_stride, input_offset, number, step };
  Kind kind = Kind::input_size;
  int input = -1;  // which graph input (or which host number)
  int dim = -1;
  std::string name;  // "s0"
};

// One fresh output. frit_plan writes rank sizes and rank strides for each, in order.
struct OutputPlan {
  DType dtype = DType::f32;
  int rank = 0;
};

// A library step: an eager kernel run on buffers of the graph.
struct LibraryStep {
  const OpRecord* record = nullptr;
  // Arguments as the kernel wants them; a tensor is {buffer slot, dtype, rank}; its sizes, then strides
  // come from the step's `sizes` array at run time. Ints may be symbolic: also from that array.
  struct Tensor { int buffer = -1; DType dtype = DType::f32; int rank = 0; };
  struct Argument { enum class Kind : uint8_t { tensor, tensors, integer, integers, fixed } kind = Kind::fixed;
                    std::vector<Tensor> tensors; int count = 0; Arg fixed; };
  std::vector<Argument> args;
  std::vector<Tensor> outs;
  bool random = false;          // the first two entries of sizes are then the Philox offset and unused
};

// A check that generated code or a library step may fail: what eager raises there is raised by the
// rerun, so this is only for logs.
struct CheckPlan {
  std::string text;
  SourceLocation where;
};

// One step of the launcher's list, for explain, kernel counts and the profiler.
struct KernelInfo {
  std::string name;             // "k3_layer_norm_relu"
  std::string kind;             // "generated", "gemm", "library"
  std::vector<std::string> ops; // ops fused into it
  std::vector<SourceLocation> where;
};

struct GraphPlan {
  int num_inputs = 0;
  std::vector<SymbolSource> symbols;  // in the order frit_plan and FritRun::symbols expect
  std::vector<OutputPlan> outputs;    // fresh outputs
  std::vector<int> written_inputs;    // inputs the graph stores to, by itself, at or before its end
  std::vector<LibraryStep> library_steps;
  std::vector<CheckPlan> checks;
  std::vector<KernelInfo> kernels;
  int plan_words = 0;                 // length of frit_plan's out: outputs' sizes and strides, then arena bytes
  bool uses_rng = false;
};

}  // namespace frit::runtime
