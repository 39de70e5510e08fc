#include "adapters/marks.h"

#include <algorithm>

namespace frit::python {

std::vector<int8_t> marks_of(PyObject* tensor, int64_t rank) {
  static PyObject* const n_marks = PyUnicode_InternFromString("_dynamic_marks");
  std::vector<int8_t> marks;
  PyObject** dict = _PyObject_GetDictPtr(tensor);
  PyObject* by_dim = dict && *dict ? PyDict_GetItemWithError(*dict, n_marks) : nullptr;
  if (!by_dim || !PyDict_Check(by_dim)) return marks;
  Py_ssize_t at = 0;
  PyObject *dim, *dynamic;
  while (PyDict_Next(by_dim, &at, &dim, &dynamic)) {
    const Py_ssize_t d = PyLong_AsSsize_t(dim);
    if (d < 0 || d >= rank) continue;
    marks.resize(std::max(marks.size(), static_cast<size_t>(d) + 1), 0);
    marks[static_cast<size_t>(d)] = dynamic == Py_True ? 1 : -1;
  }
  PyErr_Clear();
  return marks;
}

}  // namespace frit::python
