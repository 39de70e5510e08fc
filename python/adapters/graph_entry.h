// What the entries of all tensor libraries have alike: a graph, and what is told of it.
#pragma once
#include "compile/capture.h"
#include "frame/tensor_library.h"

namespace frit::python {

class GraphEntry : public walk::TensorEntry {
 public:
  explicit GraphEntry(std::shared_ptr<compiler::Entry> entry) : entry_(std::move(entry)) {}
  int ops() const override;
  std::string graph_text() const override;
  std::string guards_text() const override;
  std::vector<std::string> checks() const override;
  double compile_ms() const override { return entry_->compilation->ms; }

 protected:
  // False where one is no number that sizes can be.
  static bool numbers_of(const std::vector<PyObject*>& numbers, compiler::Leaves& args);
  std::shared_ptr<compiler::Entry> entry_;
};

// The entry of what the capture recorded, compiled; null, and why.
std::shared_ptr<compiler::Entry> compile_entry(compiler::Capture&, const CompileOptions&, Backend,
                                               const std::string& name, walk::RecordingStop& stop);

// What a C function or method is known by, whichever object stands for it.
const void* key_of(PyObject* callable);

}  // namespace frit::python
