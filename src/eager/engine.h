// The backward engine: runs tape nodes from the outputs to the leaves in the calling thread, later
// nodes first, so that the order is the same each time.
#pragma once
#include <exception>

#include "eager/tape.h"

namespace frit::eager {

struct BackwardOptions {
  bool retain_graph = false;
  bool create_graph = false;
  bool allow_unused = false;  // for `inputs` without accumulation: undefined instead of an error
  bool accumulate = true;  // into the leaves' grad; else the gradients of `inputs` are given back
};

// Thrown by a node that stands for many ops, where one of them raised `error`: run.results holds
// what it adds to the leaves that are `done`, by edge: nothing it has still to come to leads to
// them. That reaches the leaves, then the error is raised.
struct RaisedOnTheWay {
  std::exception_ptr error;
  std::vector<bool> done;
};

// Gradients of the sum of outputs * grad_outputs. grad_outputs: empty, or one for each output,
// where an undefined one stands for a one. inputs: empty means every leaf. UserErrors in PyTorch's
// words.
TensorList run_backward(std::span<const Tensor> outputs, std::span<const Tensor> grad_outputs,
                        std::span<const Tensor> inputs, BackwardOptions options,
                        SourceLocation where);

// Eager's refusal of a node whose saved tensors are gone.
[[noreturn]] void fail_freed(const std::string& owner, SourceLocation where);

}  // namespace frit::eager
