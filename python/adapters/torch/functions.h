// C functions of torch's that compute no tensors, as the walk is to take them.
#pragma once
#include "adapters/torch/api.h"

namespace frit::torch {

void add_functions(const Api&);

}  // namespace frit::torch
