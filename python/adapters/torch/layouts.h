// In which order the elements of a tensor lie.
#pragma once
#include <frit/tensor.h>

#include <vector>

namespace frit::torch {

// Dimensions from the outermost in memory.
std::vector<size_t> order_of(const TensorImpl&);
// The tensor's strides, without gaps.
Dims dense_strides(const TensorImpl&);

}  // namespace frit::torch
