#include "adapters/torch/recording.h"

#include "adapters/graph_entry.h"
#include "adapters/marks.h"
#include "adapters/torch/entry.h"
#include "adapters/torch/gradients.h"
#include "bindings/symbolic_int.h"
#include "core/state.h"
#include "eager/intercept.h"

namespace frit::torch {

using walk::name_of;

namespace {

constexpr uint32_t kModes = kGradEnabled | kInferenceMode;

}  // namespace

uint32_t torch_modes(const Api& a) {
  return (a.is_grad_enabled.is_true() ? kGradEnabled : 0u) |
         (a.is_inference.is_true() ? kInferenceMode : 0u);
}

StateScope::StateScope(const Api& a)
    : word_(t_state.word & kModes), default_type_(default_dtype()) {
  t_state.word = (t_state.word & ~kModes) | torch_modes(a);
  const Ref d = a.default_dtype();
  if (std::optional<DType> t = dtype_of(a, d.get()); t && *t != default_type_)
    set_default_dtype(*t);
}

StateScope::~StateScope() {
  t_state.word = (t_state.word & ~kModes) | word_;
  if (default_dtype() != default_type_) set_default_dtype(default_type_);
}

namespace {

compiler::CaptureRequest request(const compiler::Leaves& args, bool dynamic,
                                 compiler::TensorFinder& finder) {
  compiler::CaptureRequest r;
  r.args = &args;
  r.dynamic = dynamic;
  r.finder = &finder;
  return r;
}

}  // namespace

Recording::Recording(const Api& api, const Names& names, bool dynamic)
    : api_(api),
      names_(names),
      state_(api),
      twins_(api),
      capture_(request(args_, dynamic, *this)) {}

Recording::~Recording() = default;

void Recording::run(const std::function<void(walk::TensorResults&)>& body) {
  auto run_body = [&](compiler::Leaves& results) {
    walk::TensorResults wanted;
    body(wanted);
    mode_at_end_ = t_state.word & kModes;
    if (!active()) return;
    for (const External& e : externals_)
      if (api_.requires_grad.is_true(e.tensor.get()) != e.requires_grad) {
        abandon(e.name + " was written with values that require a gradient");
        return;
      }
    refresh_requires_grad(wanted.tensors);
    for (PyObject* t : wanted.tensors) results.tensors.push_back(twins_.of(t));
    for (Int n : wanted.numbers) results.numbers.push_back(Scalar(n));
  };
  compiler::Leaves results;
  capture_.run(compiler::Body(run_body), results);
  python::forget_symbolic_ints();
}

std::unique_ptr<walk::TensorEntry> Recording::compile(const CompileOptions& options,
                                                      const std::string& name,
                                                      walk::RecordingStop& stop) {
  if (abandoned_) {
    stop = {"abandoned", why_, ""};
    return nullptr;
  }
  if (capture_.stopped()) {
    const trace::Stop& s = *capture_.stopped();
    stop = {s.kind, s.text, s.hint};
    return nullptr;
  }
  if (capture_.stretches().empty()) {
    stop = {"abandoned", "nothing was recorded", ""};
    return nullptr;
  }
  // Gradients are torch's own, by the graph that is made ahead of time.
  const bool ahead = options.backend == Backend::eager && capture_.stretches()[0].needs_grad;
  auto entry = python::compile_entry(capture_, options,
                                     ahead ? Backend::aot_eager : options.backend, name, stop);
  if (!entry) return nullptr;
  auto program = std::make_shared<Program>(Program{std::move(entry), std::move(hosts_), draws_});
  return make_entry(api_, std::move(program), mode_at_end_, std::move(floats_));
}

int Recording::use_external(PyObject* t, const std::string& name, bool dynamic) {
  if (!active()) return -1;
  const Tensor& twin = twins_.of(t);
  const int index = static_cast<int>(args_.tensors.size());
  args_.tensors.push_back(twin);
  externals_.push_back({Ref::share(t), twin.impl()->requires_grad(), name});
  found_[twin.impl()->id()] = {index, name, dynamic, python::marks_of(t, twin.dim())};
  capture_.reading_metadata(*twin.impl());
  return index;
}

Int Recording::use_number(int64_t value, const std::string& name) {
  args_.numbers.push_back(Scalar(value));
  return capture_.use_number(value, name);
}

void Recording::abandon(const std::string& why) {
  if (abandoned_) return;
  abandoned_ = true;
  why_ = why;
  capture_.abandon({"abandoned", why, "", {}, false});
}

std::string Recording::stopped() const {
  if (abandoned_) return why_.empty() ? "abandoned" : why_;
  return capture_.why_stopped();
}

std::optional<compiler::TensorFinder::Found> Recording::find(uint64_t identity) {
  auto it = found_.find(identity);
  if (it == found_.end()) return std::nullopt;
  return it->second;
}

bool Recording::is_visible(const TensorImpl& t) { return !inner_.count(t.id()); }

const TensorImpl* Recording::base_of(const TensorImpl& t) {
  static PyObject* const n_base = name_of("_base");
  PyObject* o = twins_.object_of(&t);
  if (!o) return nullptr;
  Ref base = attribute(o, n_base);
  return base.get() == Py_None ? &t : twins_.of(base.get()).impl();
}

bool Recording::ints(PyObject* tensor, const std::string& what, std::vector<Int>& found) {
  const Tensor* t = twins_.find(tensor);
  if (!t) return false;
  IntList list;
  if (what == "shape" || what == "size")
    list = t->sizes();
  else if (what == "stride")
    list = t->strides();
  else if (what == "numel" || what == "nelement")
    list = {t->numel()};
  else if (what == "__len__" && t->dim() > 0)
    list = {t->size(0)};
  else
    return false;
  found.assign(list.begin(), list.end());
  return true;
}

void Recording::refresh_requires_grad(std::span<PyObject* const> tensors) {
  for (PyObject* t : tensors)
    if (const Tensor* twin = twins_.find(t))
      if (is_floating(twin->dtype())) set_requires_grad(*twin, api_.requires_grad.is_true(t));
}

}  // namespace frit::torch
