// An entry over torch's tensors.
#pragma once
#include "adapters/torch/api.h"
#include "compile/entry.h"
#include "frame/tensor_library.h"

namespace frit::torch {

std::unique_ptr<walk::TensorEntry> make_entry(const Api&, std::shared_ptr<compiler::Entry>,
                                              uint32_t mode_at_end);

// The function by which torch's tape has an entry: see python/frit/_torch.py.
void bind_entry(nb::module_&);

}  // namespace frit::torch
