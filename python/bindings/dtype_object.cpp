#include "bindings/dtype_object.h"

#include <string>

namespace frit::python {
namespace {

struct DTypeObject {
  PyObject_HEAD DType dtype;
};

PyObject* g_dtypes[kNumDTypes];

std::string text_of(DType t) { return std::string(name(t)); }

PyObject* repr(PyObject* self) {
  return PyUnicode_FromFormat("frit.%s", text_of(dtype_of(self)).c_str());
}
// By name, so that pickle and copy give the one object back.
PyObject* reduce(PyObject* self, PyObject*) {
  return PyUnicode_FromString(text_of(dtype_of(self)).c_str());
}
PyObject* itemsize(PyObject* self, void*) { return PyLong_FromLongLong(size_of(dtype_of(self))); }
PyObject* floating(PyObject* self, void*) { return PyBool_FromLong(is_floating(dtype_of(self))); }
PyObject* is_signed(PyObject* self, void*) {
  DType t = dtype_of(self);
  return PyBool_FromLong(t != DType::u8 && !is_bool(t));
}
PyObject* no(PyObject*, void*) { Py_RETURN_FALSE; }

PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr}, {}};
PyGetSetDef getters[] = {{"itemsize", itemsize, nullptr, "bytes of an element", nullptr},
                         {"is_floating_point", floating, nullptr, nullptr, nullptr},
                         {"is_complex", no, nullptr, nullptr, nullptr},
                         {"is_signed", is_signed, nullptr, nullptr, nullptr},
                         {}};

PyTypeObject g_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

}  // namespace

PyTypeObject* dtype_type() { return &g_type; }
bool is_dtype(PyObject* o) { return Py_TYPE(o) == &g_type; }
DType dtype_of(PyObject* o) { return reinterpret_cast<DTypeObject*>(o)->dtype; }
PyObject* wrap(DType t) { return Py_NewRef(g_dtypes[static_cast<int>(t)]); }

std::optional<DType> as_dtype(PyObject* o) {
  if (is_dtype(o)) return dtype_of(o);
  if (o == reinterpret_cast<PyObject*>(&PyFloat_Type)) return DType::f64;
  if (o == reinterpret_cast<PyObject*>(&PyLong_Type)) return DType::i64;
  if (o == reinterpret_cast<PyObject*>(&PyBool_Type)) return DType::boolean;
  return std::nullopt;
}

void bind_dtypes(nb::module_& m) {
  g_type.tp_name = "frit.dtype";
  g_type.tp_basicsize = sizeof(DTypeObject);
  g_type.tp_flags = Py_TPFLAGS_DEFAULT;
  g_type.tp_repr = repr;
  g_type.tp_methods = methods;
  g_type.tp_getset = getters;
  checked(PyType_Ready(&g_type));
  m.attr("dtype") = nb::handle(reinterpret_cast<PyObject*>(&g_type));
  for (int i = 0; i < kNumDTypes; ++i) {
    auto t = static_cast<DType>(i);
    auto* o = PyObject_New(DTypeObject, &g_type);
    checked(reinterpret_cast<PyObject*>(o));
    o->dtype = t;
    g_dtypes[i] = reinterpret_cast<PyObject*>(o);
    m.attr(text_of(t).c_str()) = nb::handle(g_dtypes[i]);
  }
}

}  // namespace frit::python
