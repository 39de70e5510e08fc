#include "adapters/graph_entry.h"

#include "ir/graph.h"

namespace frit::python {

int GraphEntry::ops() const {
  return static_cast<int>(entry_->compilation->recorded->nodes().size());
}

std::string GraphEntry::graph_text() const { return ir::print(*entry_->compilation->recorded); }

std::string GraphEntry::guards_text() const {
  std::string text;
  for (const std::string& t : entry_->guard_text) text += t;
  return text;
}

bool GraphEntry::numbers_of(const std::vector<PyObject*>& numbers, compiler::Leaves& args) {
  for (PyObject* n : numbers) {
    int overflow = 0;
    const long long v = PyLong_AsLongLongAndOverflow(n, &overflow);
    if (overflow || v < Int::kLowest) return false;
    args.numbers.push_back(Scalar(int64_t{v}));
  }
  return true;
}

std::shared_ptr<compiler::Entry> compile_entry(compiler::Capture& capture,
                                               const CompileOptions& options, Backend backend,
                                               const std::string& name, walk::RecordingStop& stop) {
  compiler::Stretch& s = capture.stretches()[0];
  compiler::CompileSettings settings;
  settings.backend = backend;
  settings.fuse = options.fuse;
  settings.disabled_passes = options.disabled_passes;
  settings.name = name;
  settings.needs_grad = s.needs_grad;
  settings.differentiated = s.differentiated;
  s.entry->name = name;
  try {
    s.entry->compilation = compiler::compile_graph(std::move(s.graph), settings);
  } catch (const std::exception& e) {
    stop = {"compile", e.what(), ""};
    return nullptr;
  }
  compiler::fill_conditions(capture.stretches());
  return s.entry;
}

const void* key_of(PyObject* o) {
  if (PyCFunction_Check(o)) return reinterpret_cast<PyCFunctionObject*>(o)->m_ml;
  if (Py_TYPE(o) == &PyMethodDescr_Type) return reinterpret_cast<PyMethodDescrObject*>(o)->d_method;
  return o;
}

}  // namespace frit::python
