// Ops that have a record: what torch computes is noted as that.
#include <fmt/format.h>

#include <algorithm>

#include "adapters/torch/arguments.h"
#include "adapters/torch/layouts.h"
#include "adapters/torch/recording.h"
#include "bindings/arguments.h"
#include "bindings/tensor_object.h"
#include "core/layout.h"
#include "core/state.h"
#include "eager/call_info.h"
#include "eager/dispatch.h"
#include "eager/run.h"

namespace frit::torch {

using walk::TensorOp;

namespace {

constexpr uint32_t kModes = kGradEnabled | kInferenceMode;

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

}  // namespace

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

void Recording::collect(PyObject* result, std::vector<PyObject*>& tensors) const {
  if (twins_.is_one(result)) {
    tensors.push_back(result);
  } else if (PyTuple_Check(result) || PyList_Check(result)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(result); ++i)
      collect(PySequence_Fast_GET_ITEM(result, i), tensors);
  }
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
  SmallVector<Tensor, 2> twins;
  for (size_t i = 0; i < outs.size(); ++i) {
    const OutMeta<int64_t>& m = outs[i];
    Tensor twin;
    if (const Tensor* known = twins_.find(results[i]))
      twin = *known;
    else
      twin = twins_.described(results[i]);
    twins.push_back(twin);
    const TensorImpl& t = *twin.impl();
    if (m.dtype != t.dtype || !std::ranges::equal(m.sizes, t.sizes)) return false;
    if (r.kind == Kind::view && !(t.storage == args[0].ref().tensor().impl()->storage))
      return false;
    for (size_t d = 0; d < t.sizes.size(); ++d)
      if (t.numel() && t.sizes[d] > 1 && m.strides[d] != t.strides[d]) other_order = true;
  }
  if (!other_order) {
    for (size_t i = 0; i < results.size(); ++i)
      if (!twins_.find(results[i])) twins_.add(results[i], twins[i]);
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
