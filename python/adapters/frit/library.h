// Frit's own tensors as the walk sees them.
#pragma once
#include <unordered_map>

#include "frame/tensor_library.h"

namespace frit::python {

// One for the process. Needs the GIL.
walk::TensorLibrary& frit_library();

}  // namespace frit::python
