// Whose tensors a frame computes with.
#pragma once
#include "frame/abi/frame.h"
#include "frame/tensor_library.h"

namespace frit::python {

// Torch's where one of them, or a module of torch's, is the first that the frame's arguments, what
// its function holds, or the globals it names lead to; else Frit's.
walk::TensorLibrary& choose_library(frame::FrameRun&);
// Makes the tables of what is imported by now, so that the first call need not.
void prepare_libraries();

}  // namespace frit::python
