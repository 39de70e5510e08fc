// Gradients in Python: backward(), grad(), modes, hooks.
#pragma once
#include <frit/tensor.h>

#include "bindings/python.h"

namespace frit::python {

PyObject* wrap_grad_fn(const Tensor& t);  // None for a leaf
bool retains_grad(const Tensor& t);
void bind_autograd(nb::module_& m);

}  // namespace frit::python
