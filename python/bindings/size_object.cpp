#include "bindings/size_object.h"

#include "bindings/arguments.h"

namespace frit::python {
namespace {

PyTypeObject g_type = {PyVarObject_HEAD_INIT(nullptr, 0)};
PySequenceMethods g_sequence;
PyMappingMethods g_mapping;

// The same elements as a Size.
PyObject* as_size(PyObject* made) {
  if (!made || !PyTuple_CheckExact(made)) return made;
  Py_ssize_t n = PyTuple_GET_SIZE(made);
  PyObject* size = g_type.tp_alloc(&g_type, n);
  if (size)
    for (Py_ssize_t i = 0; i < n; ++i)
      PyTuple_SET_ITEM(size, i, Py_NewRef(PyTuple_GET_ITEM(made, i)));
  Py_DECREF(made);
  return size;
}

PyObject* construct(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  nb::object made = nb::steal(PyTuple_Type.tp_new(type, args, kwargs));
  if (!made.is_valid()) return nullptr;
  return guarded([&]() -> PyObject* {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(made.ptr()); ++i) {
      PyObject* e = PyTuple_GET_ITEM(made.ptr(), i);
      Int n;
      if (PyLong_Check(e)) continue;
      if (!to_int(e, Match::loose, n))
        throw UserError(ErrorKind::type, "Size",
                        "Size() takes an iterable of 'int' (item " + std::to_string(i) + " is '" +
                            Py_TYPE(e)->tp_name + "')");
      PyTuple_SET_ITEM(made.ptr(), i, checked(PyLong_FromLongLong(n.hint())));
      Py_DECREF(e);
    }
    return made.release().ptr();
  });
}

PyObject* repr(PyObject* self) {
  nb::object list = nb::steal(PySequence_List(self));
  return list.is_valid() ? PyUnicode_FromFormat("frit.Size(%R)", list.ptr()) : nullptr;
}
PyObject* numel(PyObject* self, PyObject*) {
  nb::object n = nb::steal(PyLong_FromLong(1));
  for (Py_ssize_t i = 0; n.is_valid() && i < PyTuple_GET_SIZE(self); ++i)
    n = nb::steal(PyNumber_Multiply(n.ptr(), PyTuple_GET_ITEM(self, i)));
  return n.release().ptr();
}
PyObject* reduce(PyObject* self, PyObject*) {
  nb::object plain = nb::steal(PyList_AsTuple(nb::steal(PySequence_List(self)).ptr()));
  return Py_BuildValue("(O(O))", &g_type, plain.ptr());
}
PyObject* concat(PyObject* a, PyObject* b) {
  if (!PyTuple_Check(b)) return PyTuple_Type.tp_as_sequence->sq_concat(a, b);
  nb::object left = nb::steal(PyList_AsTuple(nb::steal(PySequence_List(a)).ptr()));
  return as_size(PyTuple_Type.tp_as_sequence->sq_concat(left.ptr(), b));
}
PyObject* subscript(PyObject* self, PyObject* key) {
  PyObject* got = PyTuple_Type.tp_as_mapping->mp_subscript(self, key);
  return PySlice_Check(key) ? as_size(got) : got;
}

PyMethodDef methods[] = {{"numel", numel, METH_NOARGS, "the product of the sizes"},
                         {"__reduce__", reduce, METH_NOARGS, nullptr},
                         {}};

}  // namespace

PyTypeObject* size_type() { return &g_type; }

PyObject* make_size(std::span<const Int> sizes) {
  PyObject* size = g_type.tp_alloc(&g_type, static_cast<Py_ssize_t>(sizes.size()));
  if (!size) return nullptr;
  for (size_t i = 0; i < sizes.size(); ++i) {
    PyObject* n = PyLong_FromLongLong(sizes[i].hint());
    if (!n) {
      Py_DECREF(size);
      return nullptr;
    }
    PyTuple_SET_ITEM(size, static_cast<Py_ssize_t>(i), n);
  }
  return size;
}

void bind_size(nb::module_& m) {
  g_sequence.sq_concat = concat;
  g_mapping.mp_subscript = subscript;
  g_type.tp_name = "frit.Size";
  g_type.tp_base = &PyTuple_Type;
  g_type.tp_flags = Py_TPFLAGS_DEFAULT;
  g_type.tp_new = construct;
  g_type.tp_repr = repr;
  g_type.tp_methods = methods;
  g_type.tp_as_sequence = &g_sequence;
  g_type.tp_as_mapping = &g_mapping;
  checked(PyType_Ready(&g_type));
  m.attr("Size") = nb::handle(reinterpret_cast<PyObject*>(&g_type));
}

}  // namespace frit::python
