// frit.Generator and the random state of the process.
#pragma once
#include "bindings/python.h"
#include "ops/arg.h"

namespace frit::python {

bool to_generator(PyObject* o, Arg& to);
void bind_generator(nb::module_& m);

}  // namespace frit::python
