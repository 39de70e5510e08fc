// Frit's own tensors as Handles.
#pragma once
#include <frit/tensor.h>

#include <memory>
#include <vector>

#include "core/handle.h"
#include "ops/arg.h"

namespace frit::trace {

Handle handle_of(const Tensor&);

// Keeps the handles that arguments refer to while an op is noted.
class HandleArgs {
 public:
  explicit HandleArgs(std::span<const Arg> args);
  std::span<const Arg> args() const { return args_; }

 private:
  std::vector<std::unique_ptr<Handle>> handles_;
  ArgList args_;
};

}  // namespace frit::trace
