// What the runtime needs to know of a compiled graph besides its code: produced by codegen, plain
// data.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "core/dtype.h"
#include "ops/record.h"
#include "sym/program.h"

namespace frit::runtime {

// Where a symbol's value comes from on a call.
struct SymbolSource {
  enum class Kind : uint8_t { input_size, input_stride, input_offset, number, step };
  Kind kind = Kind::input_size;
  int input = -1;  // which graph input (or which host number)
  int dim = -1;
  std::string name;  // "s0"
};

// One fresh output. frit_plan writes rank sizes and rank strides for each that is not late, in
// order.
struct OutputPlan {
  DType dtype = DType::f32;
  int rank = 0;
  int late = -1;  // which of the late buffers it is, if it is one
};

// A buffer whose size is known only while the graph runs: an output, or memory of the run's own.
struct LateBuffer {
  DType dtype = DType::f32;
  int rank = 0;
  int output = -1, own = -1;
};

// A library step: an eager kernel run on buffers of the graph.
struct LibraryStep {
  const OpRecord* record = nullptr;
  // What is not fixed comes at run time: addresses from the step's buffers, and from its words in
  // the order of the arguments a tensor's sizes and strides, and symbolic integers.
  struct Tensor {
    int buffer = -1;  // -1: None, without words
    DType dtype = DType::f32;
    int rank = 0;
  };
  struct Argument {
    // integer, number: one word, as an Int or a Scalar; integers: `count` words.
    enum class Kind : uint8_t {
      tensor,
      tensors,
      integer,
      number,
      integers,
      fixed
    } kind = Kind::fixed;
    std::vector<Tensor> tensors;
    int count = 0;
    Arg fixed;
  };
  std::vector<Argument> args;
  std::vector<Tensor> outs;
  bool in_place = false;  // the output is the first argument
  // Where the kernel makes its results: by output, the late buffer that each becomes; and the
  // symbols that their sizes are.
  std::vector<int> made;
  struct MadeSize {
    int out, dim, symbol;
  };
  std::vector<MadeSize> made_sizes;
  bool random = false;  // the first of the words is then the Philox offset
};

// A check that generated code or a library step may fail: what eager raises there is raised by the
// rerun, so this is only for logs.
struct CheckPlan {
  std::string text;
  SourceLocation where;
};

// One step of the launcher's list, for explain, kernel counts and the profiler.
struct KernelInfo {
  std::string name;              // "k3_layer_norm_relu"
  std::string kind;              // "generated", "gemm", "library"
  std::vector<std::string> ops;  // ops fused into it
  std::vector<SourceLocation> where;
  const char* stage = "forward";  // or "backward", "optimizer"
};

struct GraphPlan {
  int num_inputs = 0;
  std::vector<SymbolSource> symbols;  // in the order frit_plan and FritRun::symbols expect
  std::vector<OutputPlan> outputs;    // fresh outputs
  std::vector<LateBuffer> late;
  int num_own = 0;                  // late buffers that are no outputs
  std::vector<int> written_inputs;  // inputs the graph stores to, by itself, at or before its end
  std::vector<LibraryStep> library_steps;
  std::vector<CheckPlan> checks;
  std::vector<KernelInfo> kernels;
  // Bytes of each fresh output and of the arena, over the environment's symbols. They are exact
  // where no symbol is above `small`; else they must be looked at before frit_plan, which wraps.
  std::vector<sym::Program> bytes;
  int64_t small = 0;
  int plan_words = 0;  // length of frit_plan's out: sizes and strides, then arena bytes
  bool uses_rng = false;
};

}  // namespace frit::runtime
