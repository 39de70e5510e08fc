// dtypes as Python objects: frit.float32 is one object for the life of the process.
#pragma once
#include "bindings/python.h"
#include "core/dtype.h"

namespace frit::python {

PyTypeObject* dtype_type();
bool is_dtype(PyObject* o);
DType dtype_of(PyObject* o);
PyObject* wrap(DType t);  // new reference
// A dtype object, or Python's bool, int or float; nothing for other objects.
std::optional<DType> as_dtype(PyObject* o);

void bind_dtypes(nb::module_& m);

}  // namespace frit::python
