#include "adapters/torch/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "adapters/torch/arguments.h"
#include "adapters/torch/entry.h"
#include "adapters/torch/gradients.h"
#include "base/config.h"
#include "bindings/arguments.h"
#include "bindings/symbolic_int.h"
#include "bindings/tensor_object.h"
#include "compile/run_entry.h"
#include "core/layout.h"
#include "core/state.h"
#include "eager/call_info.h"
#include "eager/dispatch.h"
#include "eager/run.h"

namespace frit::torch {

using walk::name_of;
using walk::TensorOp;

namespace {

// A key of numbers, slices and None: views. Else elements are gathered.
bool is_basic_index(PyObject* key) {
  if (PyTuple_Check(key)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i)
      if (!is_basic_index(PyTuple_GET_ITEM(key, i))) return false;
    return true;
  }
  return key == Py_None || key == Py_Ellipsis || PySlice_Check(key) ||
         (PyLong_Check(key) && !PyBool_Check(key));
}

// Dimensions from the outermost in memory.
std::vector<size_t> order_of(const TensorImpl& t) {
  std::vector<size_t> order;
  for (size_t d = 0; d < t.sizes.size(); ++d) order.push_back(d);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return t.strides[a] > t.strides[b] && t.sizes[a] > 1 && t.sizes[b] > 1;
  });
  return order;
}

// The tensor's strides, without gaps.
Dims dense_strides(const TensorImpl& t) {
  const std::vector<size_t> order = order_of(t);
  Dims strides(t.sizes);
  int64_t running = 1;
  for (size_t k = order.size(); k-- > 0;) {
    strides[order[k]] = running;
    running *= std::max<int64_t>(t.sizes[order[k]], 1);
  }
  return strides;
}

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
  auto program = std::make_shared<Program>(Program{s.entry, std::move(hosts_), draws_});
  return make_entry(api_, std::move(program), mode_at_end_);
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
    if (call.requires_grad || f.form != Form::functional || f.data_dependent || f.has_effect ||
        f.kind == Kind::random)
      return std::nullopt;
    if (eager::has_symbolic(call.args)) specialize(*call.record, call.args);
    if (f.kind == Kind::composite && draws(f, call.args)) return std::nullopt;
    return call;
  } catch (const std::exception&) {
    PyErr_Clear();
    return std::nullopt;  // torch has another overload, or raises itself
  }
}

// Notes the op where torch's results are what the record's rule says, but for the order of elements
// in memory, which may be another one.
bool Recording::note_fitting(const OpRecord& r, std::span<const Arg> args,
                             std::span<PyObject* const> results) {
  if (r.form != Form::functional) {
    if (results.size() != 1 || !twins_.find(results[0])) return false;
    note(r, args, results);
    return true;
  }
  if (!r.shape) return false;
  ArgList numbers = eager::concrete(args);
  ShapeCtx<int64_t> ctx(r, numbers);
  try {
    eager::UnrecordedScope quiet;
    r.shape(ctx);
  } catch (const UserError&) {
    return false;
  }
  auto outs = ctx.outs();
  if (outs.size() != results.size()) return false;
  bool other_order = false;
  for (size_t i = 0; i < outs.size(); ++i) {
    const OutMeta<int64_t>& m = outs[i];
    Tensor twin;
    if (const Tensor* known = twins_.find(results[i]))
      twin = *known;
    else
      twin = twins_.described(results[i]);
    const TensorImpl& t = *twin.impl();
    if (m.dtype != t.dtype || !std::ranges::equal(m.sizes, t.sizes)) return false;
    if (r.kind == Kind::view && !(t.storage == args[0].ref().tensor().impl()->storage))
      return false;
    for (size_t d = 0; d < t.sizes.size(); ++d)
      if (t.numel() && t.sizes[d] > 1 && m.strides[d] != t.strides[d]) other_order = true;
  }
  if (!other_order) {
    note(r, args, results);
    return true;
  }
  if (r.kind == Kind::view) return false;
  for (PyObject* t : results)
    if (twins_.find(t)) return false;
  // Only what it is is looked at, not what it holds.
  std::vector<Tensor> made;
  for (const OutMeta<int64_t>& m : outs)
    made.push_back(empty_strided_cpu(m.sizes, m.strides, m.dtype));
  capture_.note(r, args, made, {}, here());
  for (size_t i = 0; i < made.size(); ++i) lay_out(args, made[i], results[i]);
  return same(args, made, results);
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
  const bool indexes = name == "__getitem__" && is_basic_index(op.args[1]);
  if (name == "__setitem__" && is_basic_index(op.args[1])) {
    PyObject* done = run();
    if (!done) return nullptr;
    return guarded(done, [&] {
      if (!store(op)) return abandon("what is stored in a tensor is not recorded");
      refresh_requires_grad(std::span(op.args.data(), 1));
    });
  }
  if (!record && !indexes) return watch(op, name, run);
  PyObject* result = run();
  if (!result) return nullptr;
  return guarded(result, [&] {
    std::vector<PyObject*> results;
    collect(result, results);
    const bool noted = indexes ? index(op, results)
                       : parts ? run_parts(*record, call->args, results)
                               : note_fitting(*record, call->args, results);
    if (!noted) abandon(fmt::format("torch's {} gives something else than Frit's", name));
  });
}

template <class F>
PyObject* Recording::guarded(PyObject* result, F&& fn) {
  try {
    fn();
  } catch (const std::exception& e) {
    PyErr_Clear();
    abandon(e.what());
  }
  return result;
}

// --- ops without a record ---

namespace {

// Sizes that are given to it are numbers from here on.
void fix_ints(PyObject* o) {
  if (python::is_symbolic_int(o)) {
    const Int n = python::symbolic_int(o);
    if (n == Int(PyLong_AsLongLong(o))) {
    }  // asking makes the guard
  } else if (PyTuple_Check(o) || PyList_Check(o)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
      fix_ints(PySequence_Fast_GET_ITEM(o, i));
  } else if (PySlice_Check(o)) {
    auto* s = reinterpret_cast<PySliceObject*>(o);
    for (PyObject* x : {s->start, s->stop, s->step}) fix_ints(x);
  }
}

}  // namespace

// Torch runs it, and what it is made of is seen.
PyObject* Recording::watch(const TensorOp& op, const std::string& name,
                           const std::function<PyObject*()>& run) {
  static PyObject* const mode_type = [] {
    Ref m = Ref::take(python::checked(PyImport_ImportModule("frit._torch")));
    return python::checked(PyObject_GetAttrString(m.get(), "Watch"));
  }();
  watched_from_ = twins_.size();
  watched_name_ = name;
  watched_given_.clear();
  for (PyObject* o : op.args) tensors_of(api_, o, watched_given_);
  where_ = python::location_if_watched();
  Ref mode;
  guarded(nullptr, [&] {
    for (PyObject* o : op.args) fix_ints(o);
    mode = Ref::take(python::checked(PyObject_CallNoArgs(mode_type)));
    Ref::take(python::checked(PyObject_CallMethod(mode.get(), "__enter__", nullptr)));
  });
  watching_ = this;
  PyObject* result = run();
  watching_ = nullptr;
  where_ = {};
  if (mode) {
    walk::PendingError keep;
    Ref left =
        Ref::take(PyObject_CallMethod(mode.get(), "__exit__", "OOO", Py_None, Py_None, Py_None));
    PyErr_Clear();
  }
  if (!result || !active()) return result;
  return guarded(result, [&] {
    std::vector<PyObject*> results;
    tensors_of(api_, result, results);
    for (PyObject* t : results) {
      if (!twins_.is_one(t)) return abandon("torch's " + name + " gives a tensor of a subclass");
      if (!meet(t))
        return abandon("torch's " + name + " gives a tensor that none of its parts made");
      inner_.erase(twins_.of(t).impl()->id());
    }
    refresh_requires_grad(results);
    refresh_requires_grad(written_);
    written_.clear();
  });
}

// Autograd gives views objects of their own after their op was seen. False: nothing made it.
bool Recording::meet(PyObject* t) {
  if (twins_.find(t)) return true;
  const Tensor& twin = twins_.of(t);
  inner_.insert(twin.impl()->id());
  if (const Tensor* seen = twins_.same_as(twin, watched_from_)) {
    capture_.aliased(*seen, twin);
    twins_.forget(*seen);
    return true;
  }
  return false;
}

// A number that a tensor was made of.
void Recording::note_constant(const Tensor& twin) {
  const OpRecord& full = find_op("full");
  ArgList args;
  for (const SchemaArg& a : full.schema.args) args.push_back(a.default_value);
  args[0] = Arg(IntList());
  {
    eager::UnrecordedScope quiet;
    args[1] = Arg(compiler::read_value(twin));
  }
  args[static_cast<size_t>(full.schema.find("dtype"))] = Arg(twin.dtype());
  capture_.note(full, args, std::span(&twin, 1), {}, here());
}

PyObject* Recording::dispatched(PyObject* function, PyObject* arguments, PyObject* keywords) {
  auto run = [&] { return PyObject_Call(function, arguments, keywords); };
  if (!watching_ || !watching_->active()) return run();
  return watching_->aten(function, arguments, keywords, run);
}

PyObject* Recording::aten(PyObject* function, PyObject* arguments, PyObject* keywords,
                          const std::function<PyObject*()>& run) {
  const AtenOp& op = aten_op(function);
  if (op.name.starts_with("_record_function")) return run();
  std::vector<PyObject*> given;
  tensors_of(api_, arguments, given);
  tensors_of(api_, keywords, given);
  std::vector<size_t> written;
  std::optional<ArgList> args;
  guarded(nullptr, [&] {
    for (PyObject* t : given) {
      if (std::string why = twins_.is_one(t) ? unsuitable(api_, t) : "it is of a subclass";
          !why.empty())
        return abandon("torch's " + op.name + " is given a tensor: " + why);
      // What comes from outside has been met before, all but numbers.
      if (!meet(t)) {
        if (twins_.find(t)->dim() != 0)
          return abandon("torch's " + op.name + " is given a tensor that nothing made");
        note_constant(*twins_.find(t));
      }
    }
    for (size_t i = 0; i < op.written.size(); ++i) {
      if (!op.written[i]) continue;
      PyObject* o = argument(op, i, arguments, keywords);
      for (size_t k = 0; o && k < given.size(); ++k)
        if (given[k] == o) {
          written.push_back(k);
          break;
        }
      if (o && o != Py_None && !twins_.is_one(o)) abandon("torch's " + op.name + " writes a list");
    }
    fix_computed_sizes(op, arguments, keywords);
    if (op.record) args = arguments_of(*op.record, arguments, keywords);
  });
  PyObject* result = run();
  if (!result || !active()) return result;
  return guarded(result, [&] {
    std::vector<PyObject*> results;
    tensors_of(api_, result, results);
    for (PyObject* t : results)
      if (!twins_.is_one(t) || !unsuitable(api_, t).empty())
        return abandon("torch's " + op.name + " gives a tensor that cannot be part of a graph");
    std::vector<PyObject*> made;
    for (PyObject* t : results)
      if (!twins_.find(t)) made.push_back(t);
    if (results.empty() && result != Py_None && written.empty())
      return abandon("torch's " + op.name + " gives a number that depends on a tensor's values");
    for (size_t k : written) written_.push_back(given[k]);
    bool noted = false;
    if (args) {
      const OpRecord& r = *op.record;
      const bool parts = eager::runs_as_parts(*r.functional, eager::goes_on_tape(r, *args));
      if (parts) {
        noted = r.form == Form::functional && run_parts(r, *args, results);
      } else {
        noted = note_fitting(r, *args, results);
      }
    }
    if (!noted) host(op, function, arguments, keywords, given, written, results);
    for (PyObject* t : made)
      if (const Tensor* twin = twins_.find(t)) inner_.insert(twin->impl()->id());
  });
}

// Numbers that torch's C++ gives an op may have been computed from sizes, which nobody saw: those
// of what the watched op was given are as they are here.
void Recording::fix_computed_sizes(const AtenOp& op, PyObject* arguments, PyObject* keywords) {
  const std::string name = op.name.substr(0, op.name.find('.'));
  if (name == watched_name_) return;  // the program's own call: it has been seen
  // Their numbers are the program's, or come from the sizes of kernels.
  static const std::set<std::string, std::less<>> windows = {
      "convolution", "max_pool2d_with_indices", "max_pool3d_with_indices", "avg_pool2d",
      "avg_pool3d",  "_adaptive_avg_pool2d",    "_adaptive_avg_pool3d",    "mkldnn_convolution",
      "embedding",   "_embedding_bag"};
  bool any = false;
  for (size_t i = 0; i < op.sizes.size(); ++i) {
    if (!op.sizes[i]) continue;
    PyObject* o = argument(op, i, arguments, keywords);
    // A list of nothing, or of nothing but 0, is none of sizes.
    bool list = o && (PyTuple_Check(o) || PyList_Check(o)), empty = list;
    for (Py_ssize_t k = 0; empty && k < PySequence_Fast_GET_SIZE(o); ++k) {
      PyObject* n = PySequence_Fast_GET_ITEM(o, k);
      empty = PyLong_Check(n) && PyLong_AsLongLong(n) == 0;
    }
    any = any || (o && o != Py_None && !empty);
  }
  if (!any) return;
  const bool window = windows.count(name);
  for (size_t k = window ? 1 : 0; k < watched_given_.size(); ++k)
    if (const Tensor* t = twins_.find(watched_given_[k]); t && t->impl()->symbolic)
      for (size_t d = 0; d < t->impl()->sizes.size(); ++d)
        if (t->impl()->symbolic->sizes[d] == Int(t->impl()->sizes[d])) {
        }  // asking makes the guard
}

PyObject* Recording::argument(const AtenOp& op, size_t i, PyObject* arguments, PyObject* keywords) {
  if (static_cast<Py_ssize_t>(i) < PyTuple_GET_SIZE(arguments))
    return PyTuple_GET_ITEM(arguments, static_cast<Py_ssize_t>(i));
  return PyDict_GetItemString(keywords, op.names[i].c_str());
}

// As the record's, whose name and schema are aten's.
std::optional<ArgList> Recording::arguments_of(const OpRecord& r, PyObject* arguments,
                                               PyObject* keywords) {
  const OpRecord& f = *r.functional;
  if (f.form != Form::functional || f.data_dependent || f.has_effect || f.kind == Kind::random)
    return std::nullopt;
  ArgList list(r.schema.args.size());
  if (PyTuple_GET_SIZE(arguments) > static_cast<Py_ssize_t>(list.size())) return std::nullopt;
  size_t named = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    const SchemaArg& a = r.schema.args[i];
    PyObject* o;
    if (static_cast<Py_ssize_t>(i) < PyTuple_GET_SIZE(arguments)) {
      o = PyTuple_GET_ITEM(arguments, static_cast<Py_ssize_t>(i));
    } else {
      o = PyDict_GetItemString(keywords, a.name.c_str());
      if (o) ++named;
    }
    if (!o) {
      if (!a.has_default) return std::nullopt;
      list[i] = a.default_value;
      continue;
    }
    Ref converted = as_frit(api_, twins_, o);
    if (!converted || !python::convert(converted.get(), a, python::Match::strict, list[i])) {
      PyErr_Clear();
      return std::nullopt;
    }
  }
  // What the record has not: only what is as ever.
  PyObject *k, *v;
  for (Py_ssize_t at = 0; PyDict_Next(keywords, &at, &k, &v);)
    if (r.schema.find(walk::text_of(k)) < 0 && v != Py_None && v != Py_False) return std::nullopt;
  if (f.kind == Kind::composite && draws(f, list)) return std::nullopt;
  return list;
}

void Recording::host(const AtenOp& op, PyObject* function, PyObject* arguments, PyObject* keywords,
                     const std::vector<PyObject*>& given, const std::vector<size_t>& written,
                     const std::vector<PyObject*>& results) {
  HostCall call{function, arguments, keywords, &op, {}, written, {}, false, true};
  for (PyObject* t : given) call.tensors.push_back(twins_.of(t));
  std::vector<Tensor> fresh;
  const SourceLocation where = here();
  for (PyObject* t : results) {
    if (std::ranges::find(given, t) != given.end()) continue;
    const Tensor& twin = twins_.of(t);
    const Tensor* base = nullptr;
    for (const Tensor& g : call.tensors)
      if (g.impl()->storage == twin.impl()->storage) base = &g;
    if (base && twin.impl()->numel()) {
      // A view, by what it shows.
      const TensorImpl& i = *twin.impl();
      const Arg args[] = {Arg(*base), Arg(IntList(i.sizes.begin(), i.sizes.end())),
                          Arg(IntList(i.strides.begin(), i.strides.end())), Arg(Int(i.offset))};
      capture_.note(find_op("as_strided"), args, std::span(&twin, 1), {}, where);
      continue;
    }
    fresh.push_back(twin);
  }
  if (fresh.empty() && written.empty()) return;
  PyObject *k, *v;
  double dropped = -1;
  for (size_t i = 0; i < op.names.size(); ++i)
    if (op.names[i] == "dropout_p")
      if (PyObject* p = argument(op, i, arguments, keywords); !p || PyFloat_Check(p))
        dropped = p ? PyFloat_AS_DOUBLE(p) : 0;
  for (Py_ssize_t at = 0; PyDict_Next(keywords, &at, &k, &v);)
    if (Py_TYPE(v) == api_.generator)
      return abandon("torch's " + op.name + " draws from a generator of its own");
  call.ordered = op.draws && dropped != 0;
  if (call.ordered) {
    draws_ = true;
    // Draws do not depend on what is written over, nor on their parameters in a way torch derives.
    call.differentiable = false;
    if (dropped > 0) return abandon("torch's " + op.name + " with dropout is not recorded");
  }
  call.results = fresh;
  for (size_t w : written) call.results.push_back(call.tensors[w]);
  std::shared_ptr<Host> h = make_host(api_, call);
  if (!h) return abandon("torch's " + op.name + " gives a tensor whose memory has gaps");
  ArgList args;
  for (const Tensor& t : call.tensors) args.push_back(Arg(t));
  std::vector<Tensor> made = fresh;
  // What is written has its new contents from the node by a copy.
  for (size_t w : written) {
    const TensorImpl& i = *call.tensors[w].impl();
    made.push_back(empty_strided_cpu(i.sizes, dense_strides(i), i.dtype));
  }
  if (call.ordered) {
    const std::vector<int64_t> none;
    if (!order_.defined()) {
      order_ = empty_strided_cpu(none, none, DType::u8);
      *static_cast<uint8_t*>(order_.impl()->data()) = 0;
      note_constant(order_);
    }
    args.push_back(Arg(order_));
    order_ = empty_strided_cpu(none, none, DType::u8);
    made.push_back(order_);
  }
  capture_.note(*h, args, made, {}, where);
  ++host_calls_[op.name];
  hosts_.push_back(std::move(h));
  for (size_t i = 0; i < written.size(); ++i) {
    const Tensor& target = call.tensors[written[i]];
    const Arg copy[] = {Arg(target), Arg(made[fresh.size() + i]), Arg(false)};
    capture_.note(*find_op("copy").inplace, copy, std::span(&target, 1), {}, where);
    target.impl()->storage->bump_version();
  }
}

thread_local Recording* Recording::watching_ = nullptr;

void Recording::note(const OpRecord& r, std::span<const Arg> args,
                     std::span<PyObject* const> results) {
  std::vector<Tensor> twins;
  for (PyObject* t : results) twins.push_back(twins_.of(t));
  refresh_requires_grad(results);
  capture_.note(r, args, twins, {}, here());
  if (r.writes())
    for (const Tensor& t : twins) t.impl()->storage->bump_version();
}

// Frit runs the op's parts, over the same memory; what they give is what torch gave.
bool Recording::run_parts(const OpRecord& r, std::span<const Arg> args,
                          std::span<PyObject* const> results) {
  std::vector<Tensor> made;
  SourceLocation where = here();
  const auto& returns = r.schema.returns;
  if (returns.size() == 1 && returns[0].type == ArgType::tensor_list) {
    for (const Tensor& t : eager::dispatch_list(r, args, where)) made.push_back(t);
  } else {
    made.resize(returns.size());
    eager::dispatch(r, args, made, where);
  }
  for (size_t i = 0; i < made.size() && i < results.size(); ++i) lay_out(args, made[i], results[i]);
  return same(args, made, results);
}

// Elements of its own, in the order in which torch has them.
void Recording::lay_out(std::span<const Arg> args, Tensor& made, PyObject* result) {
  Tensor twin;
  if (twins_.find(result) || !describe(api_, result, twin)) return;
  const TensorImpl &a = *made.impl(), &b = *twin.impl();
  bool same = a.dtype != b.dtype || !(a.sizes == b.sizes) || a.numel() == 0;
  bool differ = false;
  for (size_t d = 0; !same && d < a.sizes.size(); ++d)
    differ = differ || (a.sizes[d] > 1 && a.strides[d] != b.strides[d]);
  for_each_ref(args,
               [&](const frit::Ref& r) { same = same || r.tensor().impl()->storage == a.storage; });
  if (same || !differ) return;
  const Dims dense = dense_strides(b);
  const std::vector<size_t> order = order_of(b);
  for (size_t d = 0; d < b.sizes.size(); ++d)
    if (b.sizes[d] > 1 && dense[d] != b.strides[d]) return;
  const IntList sizes = made.sizes();
  IntList strides = sizes;
  Int running = 1;
  for (size_t k = order.size(); k-- > 0;) {
    strides[order[k]] = running;
    running = running * sizes[order[k]];
  }
  eager::EagerCaller c(here());
  const frit::Ref fresh = c.op<"empty_strided">(sizes, strides, a.dtype);
  made = c.op<"copy_">(fresh, made).tensor();
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

// What x[key] shows: Frit's own indexing says which ops it is.
Tensor Recording::indexed(const TensorOp& op) {
  python::nb::object self = python::nb::steal(python::wrap(twins_.of(op.args[0])));
  walk::Ref key = as_frit(api_, twins_, op.args[1]);
  walk::Ref made = walk::Ref::take(key ? PyObject_GetItem(self.ptr(), key.get()) : nullptr);
  if (made && python::is_tensor(made.get())) return python::tensor_of(made.get());
  PyErr_Clear();
  return {};
}

// x[key] = value, as torch has it: the value into the view, which it may have to be spread over.
bool Recording::store(const TensorOp& op) {
  const SourceLocation where = here();
  PyObject* value = op.args[2];
  if (!twins_.is_one(value)) {
    Scalar number;
    if (!python::to_scalar(value, python::Match::strict, number)) return false;
    const Tensor view = indexed(op);
    if (!view.defined()) return false;
    const Arg args[] = {Arg(view), Arg(number)};
    capture_.note(*find_op("fill.Scalar").inplace, args, std::span(&view, 1), {}, where);
    view.impl()->storage->bump_version();
    return true;
  }
  const Tensor& from = twins_.of(value);
  const Tensor view = indexed(op);
  if (!view.defined() || from.dim() > view.dim()) return false;
  const Arg args[] = {Arg(view), Arg(from), Arg(false)};
  capture_.note(*find_op("copy").inplace, args, std::span(&view, 1), {}, where);
  view.impl()->storage->bump_version();
  return true;
}

// x[key]
bool Recording::index(const TensorOp& op, std::span<PyObject* const> results) {
  const Tensor t = indexed(op);
  if (!t.defined()) return false;
  const Arg self_arg(twins_.of(op.args[0]));
  return same(std::span(&self_arg, 1), std::span(&t, 1), results);
}

}  // namespace frit::torch
