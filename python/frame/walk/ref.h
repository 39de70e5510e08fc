// An owned reference to a Python object.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>
#include <utility>

namespace frit::walk {

class Ref {
 public:
  Ref() = default;
  static Ref take(PyObject* owned) {
    Ref r;
    r.o_ = owned;
    return r;
  }
  static Ref share(PyObject* borrowed) {
    Py_XINCREF(borrowed);
    return take(borrowed);
  }
  Ref(const Ref& r) : o_(r.o_) { Py_XINCREF(o_); }
  Ref(Ref&& r) noexcept : o_(std::exchange(r.o_, nullptr)) {}
  Ref& operator=(Ref r) noexcept {
    std::swap(o_, r.o_);
    return *this;
  }
  ~Ref() { Py_XDECREF(o_); }
  PyObject* get() const { return o_; }
  PyObject* release() { return std::exchange(o_, nullptr); }
  explicit operator bool() const { return o_ != nullptr; }

 private:
  PyObject* o_ = nullptr;
};

// A pending exception, kept aside for a scope.
class PendingError {
 public:
  PendingError() { PyErr_Fetch(&type_, &value_, &traceback_); }
  ~PendingError() {
    if (type_) PyErr_Restore(type_, value_, traceback_);
  }
  PendingError(const PendingError&) = delete;
  PendingError& operator=(const PendingError&) = delete;

 private:
  PyObject *type_, *value_, *traceback_;
};

// An interned name, for the life of the process.
inline Ref imported(const char* module, const char* name) {
  const Ref m = Ref::take(PyImport_ImportModule(module));
  return Ref::take(m ? PyObject_GetAttrString(m.get(), name) : nullptr);
}
inline PyObject* name_of(const char* text) { return PyUnicode_InternFromString(text); }

// The one string of this text that names are.
inline Ref interned(PyObject* name) {
  PyObject* n = Py_NewRef(name);
  PyUnicode_InternInPlace(&n);
  return Ref::take(n);
}

// A dict's keys in the order in which it gives them: an OrderedDict has one of its own.
inline Ref keys_in_order(PyObject* dict) {
  if (!PyODict_Check(dict)) return Ref::take(PyDict_Keys(dict));
  Ref it = Ref::take(PyODict_Type.tp_iter(dict));
  return it ? Ref::take(PySequence_List(it.get())) : Ref();
}

// A null value deletes. An OrderedDict keeps an order beside what a dict has.
inline bool store_in_dict(PyObject* dict, PyObject* key, PyObject* value) {
  if (PyODict_Check(dict))
    return (value ? PyODict_SetItem(dict, key, value) : PyODict_DelItem(dict, key)) == 0;
  return (value ? PyDict_SetItem(dict, key, value) : PyDict_DelItem(dict, key)) == 0;
}

// For people: a string as it is, anything else by its type; never runs the program's code.
inline std::string text_of(PyObject* o) {
  if (!o) return "nothing";
  PendingError keep;
  if (PyUnicode_Check(o)) {
    const char* s = PyUnicode_AsUTF8(o);
    if (!s) PyErr_Clear();
    return s ? s : "?";
  }
  if (o == Py_None || PyBool_Check(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o) ||
      PyBytes_CheckExact(o)) {
    Ref r = Ref::take(PyObject_Repr(o));
    const char* s = r ? PyUnicode_AsUTF8(r.get()) : nullptr;
    if (!s) PyErr_Clear();
    return s ? s : "?";
  }
  if (PyFunction_Check(o)) return text_of(reinterpret_cast<PyFunctionObject*>(o)->func_qualname);
  if (PyType_Check(o)) return reinterpret_cast<PyTypeObject*>(o)->tp_name;
  if (PyModule_Check(o)) {
    const char* s = PyModule_GetName(o);
    if (!s) PyErr_Clear();
    return s ? s : "?";
  }
  return std::string("<") + Py_TYPE(o)->tp_name + ">";
}

}  // namespace frit::walk
