// The Python object of a tensor. A TensorImpl has at most one, found again from it, so that
// `x.add_(1) is x` and `p.grad is p.grad`.
//
// While Python refers to the object, it owns a reference to the tensor. When Python lets go of an
// object that has something to lose (attributes, a subclass, weak references) but C++ still holds
// the tensor, ownership turns round: the tensor keeps the object, and hands it out again.
#pragma once
#include <frit/tensor.h>

#include "bindings/python.h"

namespace frit::python {

PyTypeObject* tensor_type();
inline bool is_tensor(PyObject* o);
inline Tensor& tensor_of(PyObject* o);
// The object of the tensor: a new reference. None for an undefined one.
PyObject* wrap(Tensor t);
// A new object of a subclass for a tensor that has none yet.
PyObject* wrap_as(PyTypeObject* type, Tensor t);
PyObject* wrap(const TensorList& l);  // a tuple

struct TensorObject {
  PyObject_HEAD Tensor tensor;  // not counted where the tensor owns this object
  bool owned_by_tensor;
  PyObject* dict;
  PyObject* weak_references;
};

extern PyTypeObject g_tensor_type;

inline bool is_tensor(PyObject* o) {
  return Py_TYPE(o) == &g_tensor_type || PyType_IsSubtype(Py_TYPE(o), &g_tensor_type);
}
inline Tensor& tensor_of(PyObject* o) { return reinterpret_cast<TensorObject*>(o)->tensor; }

// Each adds a part of the type, before it is made ready (bind_tensor).
void add_operators(PyTypeObject& type);  // operators.cpp
void add_indexing(PyTypeObject& type);   // indexing.cpp
PyGetSetDef* tensor_properties();        // properties.cpp
PyMethodDef* tensor_methods();           // methods.cpp

void bind_tensor(nb::module_& m);

}  // namespace frit::python

namespace nanobind::detail {

// Tensors as arguments and results of functions bound with nanobind.
template <>
struct type_caster<frit::Tensor> {
  NB_TYPE_CASTER(frit::Tensor, const_name("frit.Tensor"))
  bool from_python(handle src, uint8_t, cleanup_list*) noexcept {
    if (src.is_none()) {
      value = frit::Tensor();
      return true;
    }
    if (!frit::python::is_tensor(src.ptr())) return false;
    value = frit::python::tensor_of(src.ptr());
    return true;
  }
  static handle from_cpp(const frit::Tensor& t, rv_policy, cleanup_list*) noexcept {
    return frit::python::wrap(t);
  }
};

}  // namespace nanobind::detail
