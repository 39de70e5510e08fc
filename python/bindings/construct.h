// Tensors from Python's data: nested lists of numbers, NumPy's arrays, DLPack.
#pragma once
#include <optional>

#include "bindings/python.h"
#include "frit/tensor.h"

namespace frit::python {

// frit.tensor(data): a copy. Without a dtype, the numbers decide: bool, int64 or the default float.
Tensor tensor_from_data(PyObject* data, std::optional<DType> dtype);
// A list, an array or another sequence as an index: integers or bools.
Tensor index_tensor(PyObject* data);
// Shares memory. Raises for what cannot be shared.
Tensor from_numpy(PyObject* array);
Tensor from_dlpack(PyObject* object);
// A capsule; a copy where asked for.
PyObject* to_dlpack(const Tensor& t, bool versioned);
bool is_numpy_array(PyObject* o);

void bind_construct(nb::module_& m);

}  // namespace frit::python
