// A tensor of any library, as the Recorder sees it: two identities and a description.
#pragma once
#include <cstdint>

#include "core/tensor_impl.h"

namespace frit {

struct TensorDescription {
  DType dtype = DType::f32;
  Dims sizes, strides;
  int64_t offset = 0;
  bool requires_grad = false;
  uint64_t version = 0;
  bool inference = false;  // made in InferenceMode
};

struct Handle {
  uint64_t identity = 0;  // of the tensor object; never reused while a capture lives
  uint64_t storage = 0;   // of its storage; equal for aliases
  TensorDescription description;
  void* object = nullptr;  // the library's own pointer, opaque here
};

}  // namespace frit
