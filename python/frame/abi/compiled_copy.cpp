// Pickling and copying, as functions are pickled and copied: by name where the object is found by
// its name, and a copy of a function is the function.
#include "frame/abi/compiled_call.h"
#include "frame/abi/owned.h"

namespace frit::frame {
namespace {

// What `module.qualname` is, or null without an exception.
Owned find_by_name(PyObject* module_name, PyObject* qualname) {
  Owned found(PyImport_GetModule(module_name));
  const Owned dot(PyUnicode_FromString("."));
  const Owned parts(dot ? PyUnicode_Split(qualname, dot.get(), -1) : nullptr);
  for (Py_ssize_t i = 0; found && parts && i < PyList_GET_SIZE(parts.get()); i++) {
    found = Owned(PyObject_GetAttr(found.get(), PyList_GET_ITEM(parts.get(), i)));
  }
  PyErr_Clear();
  return found;
}

PyObject* reduce(PyObject* self, PyObject*) {
  auto* compiled = reinterpret_cast<Compiled*>(self);
  const Owned module_name(PyObject_GetAttrString(self, "__module__"));
  Owned qualname(module_name ? PyObject_GetAttrString(self, "__qualname__") : nullptr);
  PyErr_Clear();
  if (qualname && PyUnicode_Check(module_name.get()) && PyUnicode_Check(qualname.get()) &&
      find_by_name(module_name.get(), qualname.get()).get() == self) {
    return qualname.release();
  }
  return Py_BuildValue("O(OO)", compiled->rebuild, compiled->callable, compiled->options);
}

PyObject* copy(PyObject* self, PyObject*) { return Py_NewRef(self); }

PyObject* deep_copy(PyObject* self, PyObject* memo) {
  auto* compiled = reinterpret_cast<Compiled*>(self);
  if (PyFunction_Check(compiled->callable)) {
    return Py_NewRef(self);
  }
  const Owned module(PyImport_ImportModule("copy"));
  const Owned callable(
      module ? PyObject_CallMethod(module.get(), "deepcopy", "OO", compiled->callable, memo)
             : nullptr);
  return callable ? PyObject_CallFunctionObjArgs(compiled->rebuild, callable.get(),
                                                 compiled->options, nullptr)
                  : nullptr;
}

}  // namespace

PyMethodDef compiled_methods[] = {
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {"__copy__", copy, METH_NOARGS, nullptr},
    {"__deepcopy__", deep_copy, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace frit::frame
