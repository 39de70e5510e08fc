// frit.Size: the sizes of a tensor, a tuple with numel().
#pragma once
#include "bindings/python.h"
#include "core/int_list_ref.h"

namespace frit::python {

PyTypeObject* size_type();
PyObject* make_size(std::span<const Int> sizes);
void bind_size(nb::module_& m);

}  // namespace frit::python
