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
  return Py_TYPE(d) == &PyMemberDescr_Type && member_of(d)->type == T_OBJECT_EX;
}

}  // namespace frit::walk
