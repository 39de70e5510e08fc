#pragma once

#include "frame/abi/python.h"

namespace frit::frame {

// What the frame tests call: frames stepped through in C++, and frames handed to Python callables.
// New reference; null with an exception set.
PyObject* make_test_module();

}  // namespace frit::frame
