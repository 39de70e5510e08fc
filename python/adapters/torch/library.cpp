#include "adapters/torch/library.h"

#include "adapters/torch/functions.h"
#include "adapters/torch/gradients.h"
#include "adapters/torch/recording.h"
#include "adapters/torch/twins.h"
#include "adapters/walked_location.h"
#include "base/config.h"
#include "bindings/symbolic_int.h"
#include "frame/walk/made_once.h"
#include "frame/walk/walker.h"

namespace frit::torch {
namespace {

using walk::TensorCall;

thread_local std::unique_ptr<Recording> t_recording;  // of this thread's walk

class TorchLibrary final : public walk::TensorLibrary {
 public:
  explicit TorchLibrary(const Api& api) : api_(api), names_(api) {
    walk::g_size_types.push_back(api.size);
    add_functions(api);
  }

  bool is_tensor(PyObject* o) const override { return torch::is_tensor(api_, o); }
  TensorCall call_kind(PyObject* callable) const override { return names_.call(callable); }
  TensorCall attribute_kind(PyObject*, PyObject* name) const override {
    return names_.attribute(name);
  }
  bool ints(PyObject* tensor, PyObject* what, PyObject* result, std::vector<Int>& found) override {
    if (!t_recording || !t_recording->ints(tensor, names_.sizes(what), found)) return false;
    return !PyTuple_Check(result) ||
           PyTuple_GET_SIZE(result) == static_cast<Py_ssize_t>(found.size());
  }
  PyObject* module() const override { return api_.module; }
  PyObject* symbolic_int(Int value, PyObject* hint) override {
    return python::make_symbolic_int(value, hint);
  }
  bool is_plain(PyObject* o) const override {
    const PyTypeObject* t = Py_TYPE(o);
    return t == api_.dtype || t == api_.device || t == api_.layout || t == api_.memory_format ||
           t == api_.finfo || t == api_.iinfo;
  }

  std::string steps_aside() override {
    std::string why;
    plain_state(api_, &why);
    return why;
  }

  void record(bool dynamic, const std::function<void(walk::TensorResults&)>& body) override {
    python::t_walked_location = python::walked_location;
    t_recording.reset();  // its scopes end before those of the next begin
    t_recording = std::make_unique<Recording>(api_, names_, dynamic);
    t_recording->run(body);
  }
  PyObject* compute(const walk::TensorOp& op, const std::function<PyObject*()>& run) override {
    return t_recording ? t_recording->compute(op, run) : run();
  }
  std::unique_ptr<walk::TensorEntry> compile(const CompileOptions& options, const std::string& name,
                                             walk::RecordingStop& stop) override {
    return t_recording->compile(options, name, stop);
  }
  int use_external(PyObject* tensor, const std::string& name, bool dynamic) override {
    if (const std::string why = unsuitable(api_, tensor); !why.empty()) {
      notice_once("torch:" + why, "[compile] " + name + " cannot be part of a graph: " + why +
                                      "; what uses it runs as plain Python");
      t_recording->abandon(why);
      return -1;
    }
    return t_recording->use_external(tensor, name, dynamic);
  }
  PyObject* use_float(PyObject* number, PyObject* beside, PyObject* stand_in,
                      const std::string& name, int& index) override {
    Seen seen;
    // Beside others a number takes part in the choice of the result's dtype otherwise.
    auto takes_part = [&] {
      return !look(api_, beside, seen) || seen.layout.ndim == 0 ||
             (seen.dtype != DType::f32 && seen.dtype != DType::f64);
    };
    if ((beside && takes_part()) || api_.is_inference.is_true()) return nullptr;
    if (stand_in) return Py_NewRef(stand_in);
    Ref made = float_tensor(api_, number);
    index = t_recording->use_external(made.get(), name, false);
    if (index < 0) return nullptr;
    t_recording->is_float(index);
    return made.release();
  }
  Int use_number(int64_t value, const std::string& name) override {
    return t_recording->use_number(value, name);
  }
  void forget() override { t_recording.reset(); }
  void abandon(const std::string& why) override { t_recording->abandon(why); }
  std::string stopped() const override { return t_recording ? t_recording->stopped() : ""; }

 private:
  const Api& api_;
  Names names_;
};

}  // namespace

walk::TensorLibrary* torch_library(std::string* why) {
  const Api* a = api(why);
  if (!a) return nullptr;
  return walk::made_once([&] { return std::make_unique<TorchLibrary>(*a); }).get();
}

}  // namespace frit::torch
