// The compile functions of the extension.
#pragma once
#include "bindings/python.h"

namespace frit::python {

void bind_compile(nb::module_& m);

}  // namespace frit::python
