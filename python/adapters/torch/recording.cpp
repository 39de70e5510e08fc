#include "adapters/torch/recording.h"

#include <fmt/format.h>

#include <algorithm>

#include "adapters/torch/arguments.h"
#include "adapters/torch/entry.h"
#include "base/config.h"
#include "bindings/symbolic_int.h"
#include "bindings/tensor_object.h"
#include "core/state.h"
#include "eager/call_info.h"
#include "eager/dispatch.h"
#include "eager/run.h"

namespace frit::torch {

using walk::name_of;
using walk::TensorOp;

namespace {

constexpr uint32_t kModes = kGradEnabled | kInferenceMode;

bool is_true(PyObject* callable) {
  Ref r = Ref::take(python::checked(PyObject_CallNoArgs(callable)));
  return r.get() == Py_True;
}

PyObject* n_requires_grad() {
  static PyObject* const n = name_of("requires_grad");
  return n;
}

// Numbers that decide what an op is are part of the entry, as eager has it.
void specialize(const OpRecord& r, ArgList& list) {
  auto fixed = [](Int v) { return v.is_symbolic() ? Int(static_cast<int64_t>(v)) : v; };
  for (size_t i = 0; i < list.size(); ++i) {
    if (r.schema.args[i].symbolic) continue;
    if (list[i].is<Int>()) list[i] = Arg(fixed(list[i].as<Int>()));
    if (list[i].is<IntList>()) {
      IntList numbers;
      for (Int v : list[i].as<IntList>()) numbers.push_back(fixed(v));
      list[i] = Arg(std::move(numbers));
    }
  }
}

// Are random numbers among the parts of this call? They are torch's own.
bool draws(const OpRecord& r, std::span<const Arg> args) {
  class Parts final : public Caller {
   public:
    explicit Parts(ir::Graph& g) : graph_(g) {}
    RefList call(const OpRecord& record, std::span<const Arg> given) override {
      random = random || record.kind == Kind::random;
      if (record.kind == Kind::composite && record.decomp && !random)
        return record.decomp(*this, given);
      return ir::BuilderCaller(graph_).call(record, given);
    }
    bool random = false;

   private:
    ir::Graph& graph_;
  };
  ir::Graph scratch(std::make_shared<sym::ShapeEnv>());
  auto value = [&](const frit::Ref& ref) -> frit::Ref {
    if (!ref.defined()) return {};
    const TensorImpl& t = *ref.tensor().impl();
    const IntList sizes(t.sizes.begin(), t.sizes.end()),
        strides(t.strides.begin(), t.strides.end());
    return scratch.add_input("", t.dtype, sizes, strides);
  };
  ArgList values = eager::concrete(args);
  for (Arg& a : values) {
    if (a.is_ref()) {
      a = Arg(value(a.ref()));
    } else if (a.is_ref_list()) {
      std::vector<frit::Ref> refs;
      for (const frit::Ref& ref : a.refs()) refs.push_back(value(ref));
      a = Arg(std::move(refs));
    }
  }
  Parts parts(scratch);
  eager::UnrecordedScope quiet;
  parts.call(r, values);
  return parts.random;
}

}  // namespace

uint32_t torch_modes(const Api& a) {
  return (is_true(a.is_grad_enabled) ? kGradEnabled : 0u) |
         (is_true(a.is_inference) ? kInferenceMode : 0u);
}

StateScope::StateScope(const Api& a)
    : word_(t_state.word & kModes), default_type_(default_dtype()) {
  t_state.word = (t_state.word & ~kModes) | torch_modes(a);
  Ref d = Ref::take(python::checked(PyObject_CallNoArgs(a.default_dtype)));
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
      if (flag(e.tensor.get(), n_requires_grad()) != e.requires_grad) {
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
  compiler::Stretch& s = capture_.stretches()[0];
  compiler::CompileSettings settings;
  // Gradients are torch's own, by the graph that is made ahead of time.
  settings.backend =
      options.backend == Backend::eager && s.needs_grad ? Backend::aot_eager : options.backend;
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
  compiler::fill_conditions(capture_.stretches());
  return make_entry(api_, s.entry, mode_at_end_);
}

int Recording::use_external(PyObject* t, const std::string& name, bool dynamic) {
  if (!active()) return -1;
  const Tensor& twin = twins_.of(t);
  const int index = static_cast<int>(args_.tensors.size());
  args_.tensors.push_back(twin);
  externals_.push_back({Ref::share(t), twin.impl()->requires_grad(), name});
  found_[twin.impl()->id()] = {index, name, dynamic};
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

// --- ops ---

void Recording::collect(PyObject* result, std::vector<PyObject*>& tensors) const {
  if (twins_.is_one(result)) {
    tensors.push_back(result);
  } else if (PyTuple_Check(result) || PyList_Check(result)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(result); ++i)
      collect(PySequence_Fast_GET_ITEM(result, i), tensors);
  }
}

void Recording::refresh_requires_grad(std::span<PyObject* const> tensors) {
  for (PyObject* t : tensors)
    if (const Tensor* twin = twins_.find(t))
      if (is_floating(twin->dtype())) set_requires_grad(*twin, flag(t, n_requires_grad()));
}

// The op's name in aten, and the call as one of it.
std::string Recording::op_name(const TensorOp& op, TensorOp& call) const {
  call = op;
  if (!op.callable) {
    const std::string method = walk::text_of(op.name);
    if (const char* name = op_of_method(method)) {
      // Where a number is on the left, the op is another one; it is seen as torch does it.
      if (twins_.is_one(op.args[0])) return name;
      const std::string_view n = name;
      if (n == "add" || n == "mul" || n == "eq" || n == "ne") {
        std::swap(call.args[0], call.args[1]);
        return name;
      }
      if (n == "sub") {
        std::swap(call.args[0], call.args[1]);
        return "rsub";
      }
      return "";
    }
    if (method == "T") return "numpy_T";
    if (method == "mT") return "mT";
    return method;  // __getitem__, __setitem__
  }
  std::string name = names_.op(op.callable);
  // x.float() is x.to(torch.float32).
  const std::pair<const char*, DType> casts[] = {{"float", DType::f32}, {"double", DType::f64},
                                                 {"half", DType::f16},  {"bfloat16", DType::bf16},
                                                 {"int", DType::i32},   {"long", DType::i64},
                                                 {"short", DType::i16}, {"bool", DType::boolean},
                                                 {"byte", DType::u8},   {"char", DType::i8}};
  for (auto [cast, type] : casts)
    if (name == cast && op.args.size() == 1) {
      call.args.push_back(api_.dtypes[static_cast<int>(type)]);
      return "to";
    }
  return name;
}

std::optional<python::Call> Recording::resolve(const std::string& name, const TensorOp& op) {
  PyObject* frit_op = name.empty() ? nullptr : python::find_op_object(name);
  if (!frit_op) return std::nullopt;
  std::vector<Ref> held;
  std::vector<PyObject*> args;
  for (PyObject* o : op.args) {
    Ref r = as_frit(api_, twins_, o);
    if (!r) {
      PyErr_Clear();
      return std::nullopt;
    }
    args.push_back(r.get());
    held.push_back(std::move(r));
  }
  const size_t keywords = op.keywords ? static_cast<size_t>(PyTuple_GET_SIZE(op.keywords)) : 0;
  try {
    python::Call call =
        python::parse_call(frit_op, args.data(), args.size() - keywords, op.keywords);
    const OpRecord& f = *call.record->functional;
    if (call.requires_grad || f.data_dependent || f.has_effect || f.kind == Kind::random)
      return std::nullopt;
    if (eager::has_symbolic(call.args)) specialize(*call.record, call.args);
    if (f.kind == Kind::composite && draws(f, call.args)) return std::nullopt;
    return call;
  } catch (const std::exception&) {
    PyErr_Clear();
    return std::nullopt;  // torch has another overload, or raises itself
  }
}

// Is torch's result what the record's rule says?
bool Recording::fits(const OpRecord& r, std::span<const Arg> args,
                     std::span<PyObject* const> results) {
  if (r.form != Form::functional) return results.size() == 1 && twins_.find(results[0]);
  if (!r.shape) return false;
  try {
    ArgList numbers = eager::concrete(args);
    ShapeCtx<int64_t> ctx(r, numbers);
    {
      eager::UnrecordedScope quiet;
      r.shape(ctx);
    }
    auto outs = ctx.outs();
    if (outs.size() != results.size()) return false;
    for (size_t i = 0; i < outs.size(); ++i) {
      const OutMeta<int64_t>& m = outs[i];
      const TensorImpl& t = *twins_.of(results[i]).impl();
      if (m.dtype != t.dtype || !std::ranges::equal(m.sizes, t.sizes)) return false;
      const bool empty = t.numel() == 0;
      for (size_t d = 0; d < t.sizes.size(); ++d)
        if (!empty && t.sizes[d] > 1 && m.strides[d] != t.strides[d]) return false;
      if (r.kind == Kind::view && !(t.storage == args[0].ref().tensor().impl()->storage))
        return false;
    }
    return true;
  } catch (const UserError&) {
    return false;
  }
}

PyObject* Recording::compute(const TensorOp& given, const std::function<PyObject*()>& run) {
  if (!active()) return run();
  if (given.callable && names_.call(given.callable) == walk::TensorCall::set_state) {
    PyObject* r = run();
    t_state.word = (t_state.word & ~kModes) | torch_modes(api_);
    return r;
  }
  TensorOp op;
  const std::string name = op_name(given, op);
  std::optional<python::Call> call;
  if (name != "__getitem__" && name != "__setitem__") call = resolve(name, op);
  const OpRecord* record = call ? call->record : nullptr;
  const bool taped = record && eager::goes_on_tape(*record, call->args);
  const bool parts = record && eager::runs_as_parts(*record->functional, taped);
  if (record && parts && record->form != Form::functional) record = nullptr;
  PyObject* result = run();
  if (!result) return nullptr;
  try {
    std::vector<PyObject*> results;
    collect(result, results);
    if (name == "__getitem__") {
      if (index(op, results)) return result;
    } else if (record && parts) {
      if (run_parts(*record, call->args, results)) return result;
    } else if (record && fits(*record, call->args, results)) {
      note(*record, call->args, results);
      return result;
    }
    abandon(fmt::format("torch's {} is not recorded", name));
  } catch (const std::exception& e) {
    PyErr_Clear();
    abandon(e.what());
  }
  return result;
}

void Recording::note(const OpRecord& r, std::span<const Arg> args,
                     std::span<PyObject* const> results) {
  std::vector<Tensor> twins;
  for (PyObject* t : results) twins.push_back(twins_.of(t));
  refresh_requires_grad(results);
  capture_.note(r, args, twins, {}, python::location_if_watched());
  if (r.writes())
    for (const Tensor& t : twins) t.impl()->storage->bump_version();
}

// Frit runs the op's parts, over the same memory; what they give is what torch gave.
bool Recording::run_parts(const OpRecord& r, std::span<const Arg> args,
                          std::span<PyObject* const> results) {
  std::vector<Tensor> made;
  SourceLocation where = python::location_if_watched();
  const auto& returns = r.schema.returns;
  if (returns.size() == 1 && returns[0].type == ArgType::tensor_list) {
    for (const Tensor& t : eager::dispatch_list(r, args, where)) made.push_back(t);
  } else {
    made.resize(returns.size());
    eager::dispatch(r, args, made, where);
  }
  return same(args, made, results);
}

// What Frit has made stands for what torch has.
bool Recording::same(std::span<const Arg> args, std::span<const Tensor> made,
                     std::span<PyObject* const> results) {
  if (made.size() != results.size()) return false;
  auto of_argument = [&](const Tensor& t) {
    bool any = false;
    for_each_ref(args, [&](const frit::Ref& a) {
      any = any || (a.defined() && a.tensor().impl()->storage == t.impl()->storage);
    });
    return any;
  };
  for (size_t i = 0; i < made.size(); ++i) {
    const bool known = twins_.find(results[i]);
    const Tensor& twin = twins_.of(results[i]);
    if (twin.is_same(made[i])) continue;
    if (known) return false;
    const TensorImpl &a = *made[i].impl(), &b = *twin.impl();
    if (a.dtype != b.dtype || !(a.sizes == b.sizes)) return false;
    for (size_t d = 0; d < a.sizes.size(); ++d)
      if (a.numel() && a.sizes[d] > 1 && a.strides[d] != b.strides[d]) return false;
    const bool view = of_argument(made[i]);
    if (view != of_argument(twin) || (view && a.offset != b.offset)) return false;
    capture_.aliased(made[i], twin);
  }
  refresh_requires_grad(results);
  return true;
}

// x[key]: Frit's own indexing says which ops it is.
bool Recording::index(const TensorOp& op, std::span<PyObject* const> results) {
  python::nb::object self = python::nb::steal(python::wrap(twins_.of(op.args[0])));
  walk::Ref key = as_frit(api_, twins_, op.args[1]);
  if (!key) return false;
  walk::Ref made = walk::Ref::take(PyObject_GetItem(self.ptr(), key.get()));
  if (!made || !python::is_tensor(made.get())) {
    PyErr_Clear();
    return false;
  }
  const Tensor t = python::tensor_of(made.get());
  const Arg self_arg(twins_.of(op.args[0]));
  return same(std::span(&self_arg, 1), std::span(&t, 1), results);
}

}  // namespace frit::torch
