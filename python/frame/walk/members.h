// Slots of instances.
#pragma once
#include "frame/walk/ref.h"
// After Python.h, of whose types it makes use.
#include <structmember.h>

namespace frit::walk {

inline PyMemberDef* member_of(PyObject* descriptor) {
  return reinterpret_cast<PyMemberDescrObject*>(descriptor)->d_member;
}
inline PyObject*& member_slot(PyObject* o, PyObject* descriptor) {
  return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(o) + member_of(descriptor)->offset);
}
inline bool is_object_slot(PyObject* d) {
  if (Py_TYPE(d) != &PyMemberDescr_Type) return false;
  const int type = member_of(d)->type;
  // C types that are made at import have the other kind: functools.partial, defaultdict.
  const PyTypeObject* of = reinterpret_cast<PyDescrObject*>(d)->d_type;
  return type == T_OBJECT_EX ||
         (type == T_OBJECT && (of->tp_flags & (Py_TPFLAGS_HEAPTYPE | Py_TPFLAGS_DICT_SUBCLASS)));
}

}  // namespace frit::walk
