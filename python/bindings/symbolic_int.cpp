#include "bindings/symbolic_int.h"

#include <unordered_map>

namespace frit::python {

PyTypeObject* g_symbolic_int = nullptr;

namespace {

// Ints have no room for more: what each carries is kept beside it, and it is kept alive.
std::unordered_map<PyObject*, Int>& carried() {
  static auto& c = *new std::unordered_map<PyObject*, Int>();
  return c;
}

}  // namespace

Int symbolic_int(PyObject* o) {
  auto it = carried().find(o);
  if (it != carried().end()) return it->second;
  return Int(int64_t{PyLong_AsLongLong(o)});
}

PyObject* make_symbolic_int(Int value, PyObject* hint) {
  if (!g_symbolic_int) {
    PyType_Slot slots[] = {{0, nullptr}};
    PyType_Spec spec = {"frit.symbolic_int", 0, 0, Py_TPFLAGS_DEFAULT, slots};
    nb::object bases = nb::steal(PyTuple_Pack(1, &PyLong_Type));
    g_symbolic_int = reinterpret_cast<PyTypeObject*>(PyType_FromSpecWithBases(&spec, bases.ptr()));
    if (!g_symbolic_int) return nullptr;
  }
  PyObject* o = PyObject_CallOneArg(reinterpret_cast<PyObject*>(g_symbolic_int), hint);
  if (!o) return nullptr;
  carried().emplace(Py_NewRef(o), value);
  return o;
}

void forget_symbolic_ints() {
  for (auto& [o, value] : carried()) Py_DECREF(o);
  carried().clear();
}

}  // namespace frit::python
