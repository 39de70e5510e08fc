// The TensorLibrary over torch's tensors.
#pragma once
#include "frame/tensor_library.h"

namespace frit::torch {

// Null where the process has not imported torch, or has one that is not supported (`why`).
walk::TensorLibrary* torch_library(std::string* why = nullptr);

}  // namespace frit::torch
