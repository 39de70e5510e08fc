// What mark_dynamic() and mark_static() of frit.compiler have said of a tensor.
#pragma once
#include <cstdint>
#include <vector>

#include "frame/walk/ref.h"

namespace frit::python {

// By dimension: 1 dynamic, -1 static, 0 nothing. Shorter where nothing was said of the last ones.
std::vector<int8_t> marks_of(PyObject* tensor, int64_t rank);

}  // namespace frit::python
