// Checkpoints: safetensors and .npy files.
#pragma once
#include "bindings/python.h"

namespace frit::python {

void bind_io(nb::module_& m);

}  // namespace frit::python
