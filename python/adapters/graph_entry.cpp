#include "adapters/graph_entry.h"

#include <fmt/format.h>

#include "core/state.h"
#include "ir/graph.h"

namespace frit::python {

int GraphEntry::ops() const {
  return static_cast<int>(entry_->compilation->recorded->nodes().size());
}

std::string GraphEntry::graph_text() const { return ir::print(*entry_->compilation->recorded); }

std::string GraphEntry::guards_text() const { return entry_->guards_text(); }

std::vector<std::string> GraphEntry::checks() const {
  const compiler::Entry& e = *entry_;
  std::vector<std::string> found = {
      fmt::format("gradients are {}", e.grad_mode & kGradEnabled ? "on" : "off"),
      fmt::format("inference mode is {}", e.grad_mode & kInferenceMode ? "on" : "off"),
      fmt::format("the default dtype is {}", name(e.default_type))};
  auto tensor = [&](const compiler::InputGuard& g) {
    if (g.source.kind == compiler::Source::Kind::whole) return;
    std::string sizes;
    for (const compiler::DimGuard& d : g.sizes)
      sizes += (sizes.empty() ? "" : ", ") +
               (d.kind == compiler::DimGuard::Kind::constant ? std::to_string(d.value) : "any");
    found.push_back(fmt::format("{} is {}[{}], requires_grad {}, strides as they were{}", g.name,
                                name(g.seen.dtype), sizes, g.seen.requires_grad ? "True" : "False",
                                g.fixed_offset ? ", at the same place in its storage" : ""));
  };
  for (const compiler::InputGuard& g : e.inputs) tensor(g);
  for (const compiler::InputGuard& g : e.watched) tensor(g);
  if (e.argument_identity.size() > 1) found.push_back("which of the tensors are one object");
  for (const compiler::SharingGuard& s : e.sharing)
    found.push_back(fmt::format("{} and {} {} memory", e.inputs[static_cast<size_t>(s.a)].name,
                                e.inputs[static_cast<size_t>(s.b)].name,
                                s.shared ? "share" : "do not share"));
  return found;
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
