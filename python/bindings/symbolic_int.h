// Ints that carry an expression of sizes into ops. Python sees plain ints; only a capture makes
// them.
#pragma once
#include "bindings/python.h"
#include "sym/int.h"

namespace frit::python {

extern PyTypeObject* g_symbolic_int;  // null before the first is made

inline bool is_symbolic_int(PyObject* o) { return g_symbolic_int && Py_TYPE(o) == g_symbolic_int; }
Int symbolic_int(PyObject* o);
// Passes for `hint`. A new reference; what it carries lives until forget_symbolic_ints().
PyObject* make_symbolic_int(Int value, PyObject* hint);
void forget_symbolic_ints();

}  // namespace frit::python
