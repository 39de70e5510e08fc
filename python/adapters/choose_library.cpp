#include "adapters/choose_library.h"

#include "adapters/frit/library.h"
#include "adapters/torch/api.h"
#include "adapters/torch/library.h"
#include "base/config.h"
#include "bindings/tensor_object.h"
#include "frame/walk/c_functions.h"

namespace frit::python {
namespace {

enum class Whose : uint8_t { unknown, frit, torch };

// Reads dicts and containers only: no code of the program's runs.
class Search {
 public:
  explicit Search(PyObject* torch) : torch_(torch) {
    if (!torch) return;
    PyObject* dict = PyModule_GetDict(torch);
    tensor_ = PyDict_GetItemString(dict, "Tensor");
    PyObject* nn = PyDict_GetItemString(dict, "nn");
    if (nn && PyModule_Check(nn)) module_ = PyDict_GetItemString(PyModule_GetDict(nn), "Module");
  }

  Whose of(PyObject* o, int depth) {
    if (!o || ++looked_ > 4000) return Whose::unknown;
    if (is_tensor(o)) return Whose::frit;
    if (is_a(o, tensor_) || is_a(o, module_)) return Whose::torch;
    if (o == torch_) return Whose::torch;
    if (PyModule_Check(o) || PyType_Check(o)) return by_name(o);
    if (depth == 0) return Whose::unknown;
    if (PyTuple_Check(o) || PyList_Check(o)) {
      for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
        if (Whose w = of(PySequence_Fast_GET_ITEM(o, i), depth - 1); w != Whose::unknown) return w;
      return Whose::unknown;
    }
    if (PyDict_Check(o)) return of_dict(o, depth);
    if (PyCell_Check(o)) return of(PyCell_GET(o), depth);
    if (PyMethod_Check(o)) return of(PyMethod_GET_SELF(o), depth);
    if (PyFunction_Check(o)) return of_function(reinterpret_cast<PyFunctionObject*>(o), depth - 1);
    PyObject** dict = Py_TYPE(o)->tp_dictoffset ? _PyObject_GetDictPtr(o) : nullptr;
    if (dict && *dict)
      if (Whose w = of_dict(*dict, depth); w != Whose::unknown) return w;
    return by_name(reinterpret_cast<PyObject*>(Py_TYPE(o)));
  }

  Whose of_function(PyFunctionObject* f, int depth) {
    if (PyObject* cells = f->func_closure)
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(cells); ++i)
        if (Whose w = of(PyTuple_GET_ITEM(cells, i), depth); w != Whose::unknown) return w;
    PyObject* names = reinterpret_cast<PyCodeObject*>(f->func_code)->co_names;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i)
      if (PyObject* o = PyDict_GetItemWithError(f->func_globals, PyTuple_GET_ITEM(names, i)))
        if (Whose w = of(o, depth); w != Whose::unknown) return w;
    return Whose::unknown;
  }

 private:
  static bool is_a(PyObject* o, PyObject* type) {
    return type && PyType_IsSubtype(Py_TYPE(o), reinterpret_cast<PyTypeObject*>(type));
  }
  Whose of_dict(PyObject* dict, int depth) {
    Py_ssize_t at = 0;
    PyObject *k, *v;
    while (PyDict_Next(dict, &at, &k, &v))
      if (Whose w = of(v, depth - 1); w != Whose::unknown) return w;
    return Whose::unknown;
  }
  // Something of the packages' own: torch.nn.functional, frit.nn.Linear.
  Whose by_name(PyObject* o) {
    PyObject* dict =
        PyModule_Check(o) ? PyModule_GetDict(o) : reinterpret_cast<PyTypeObject*>(o)->tp_dict;
    PyObject* name =
        dict ? PyDict_GetItemString(dict, PyModule_Check(o) ? "__name__" : "__module__") : nullptr;
    const std::string text = name && PyUnicode_Check(name) ? walk::text_of(name) : "";
    if (text == "torch" || text.starts_with("torch.")) return Whose::torch;
    if (text == "frit" || text.starts_with("frit.")) return Whose::frit;
    return Whose::unknown;
  }

  PyObject *torch_, *tensor_ = nullptr, *module_ = nullptr;
  int looked_ = 0;
};

}  // namespace

walk::TensorLibrary& choose_library(frame::FrameRun& frame) {
  PyObject* torch = PyDict_GetItemString(PyImport_GetModuleDict(), "torch");
  if (!torch || !PyModule_Check(torch)) return frit_library();
  walk::PendingError keep;
  Search search(torch);
  Whose whose = Whose::unknown;
  const int count = frame.code()->co_nlocalsplus + frame.depth();
  for (int depth = 1; depth <= 4 && whose == Whose::unknown; ++depth) {
    for (int i = 0; i < count && whose == Whose::unknown; ++i)
      whose = search.of(frame.slots()[i], depth);
    if (whose == Whose::unknown) whose = search.of_function(frame.function(), depth);
  }
  if (whose != Whose::torch) return frit_library();
  std::string why;
  if (walk::TensorLibrary* library = torch::torch_library(&why)) return *library;
  if (!why.empty())
    notice_once("torch", "[compile] " + why + "; functions over its tensors run as plain Python");
  return frit_library();
}

void prepare_libraries() {
  const walk::PendingError keep;
  walk::find_c_function(nullptr);
  frit_library();
  PyObject* torch = PyDict_GetItemString(PyImport_GetModuleDict(), "torch");
  if (!torch || !PyModule_Check(torch)) return;
  // Not in the middle of its import: what is missing yet would count as missing for good.
  PyObject* spec = PyDict_GetItemString(PyModule_GetDict(torch), "__spec__");
  walk::Ref importing =
      walk::Ref::take(spec ? PyObject_GetAttrString(spec, "_initializing") : Py_NewRef(Py_False));
  PyErr_Clear();
  if (importing && importing.get() == Py_True) return;
  std::string why;
  // Where there is none, a call says it if it matters.
  if (torch::torch_library(&why)) walk::Ref::take(PyImport_ImportModule("frit._torch"));
  PyErr_Clear();
}

}  // namespace frit::python
