// CPython's own layouts of a few objects that have no accessor.
#pragma once
#include "frame/walk/ref.h"

namespace frit::walk::layout {

struct Property {
  PyObject_HEAD PyObject *get, *set, *del, *doc;
};
struct Wrapper {  // classmethod, staticmethod
  PyObject_HEAD PyObject *callable, *dict;
};
struct Super {
  PyObject_HEAD PyTypeObject* type;
  PyObject* obj;
  PyTypeObject* obj_type;
};
struct MethodWrapper {
  PyObject_HEAD PyWrapperDescrObject* descriptor;
  PyObject* self;
};
struct PyFrame {
  PyObject_HEAD PyFrameObject* back;
  void* frame;
  PyObject* trace;
  int line;  // where it is, if not 0
};
struct TupleGetter {
  PyObject_HEAD Py_ssize_t index;
  PyObject* doc;
};
struct MappingProxy {
  PyObject_HEAD PyObject* mapping;
};

inline Py_ssize_t field_index(PyObject* d) { return reinterpret_cast<TupleGetter*>(d)->index; }
inline PyObject* property_get(PyObject* p) { return reinterpret_cast<Property*>(p)->get; }
inline PyObject* property_set(PyObject* p) { return reinterpret_cast<Property*>(p)->set; }
inline PyObject* property_delete(PyObject* p) { return reinterpret_cast<Property*>(p)->del; }
inline PyObject* wrapped(PyObject* w) { return reinterpret_cast<Wrapper*>(w)->callable; }
inline Super* super_of(PyObject* s) { return reinterpret_cast<Super*>(s); }
inline Ref dict_of_type(PyTypeObject* t) {
#if PY_VERSION_HEX >= 0x030c0000
  return Ref::take(PyType_GetDict(t));
#else
  return Ref::share(t->tp_dict);
#endif
}

}  // namespace frit::walk::layout
