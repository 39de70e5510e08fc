// An entry over torch's tensors.
#pragma once
#include "adapters/torch/api.h"
#include "frame/tensor_library.h"

namespace frit::torch {

struct Program;

std::unique_ptr<walk::TensorEntry> make_entry(const Api&, std::shared_ptr<const Program>,
                                              uint32_t mode_at_end, std::vector<int> floats);

}  // namespace frit::torch
