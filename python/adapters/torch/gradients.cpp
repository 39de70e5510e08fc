#include "adapters/torch/gradients.h"

#include <algorithm>
#include <functional>

#include "adapters/torch/openmp.h"
#include "adapters/torch/recording.h"
#include "core/layout.h"
#include "frame/walk/made_once.h"
#include "kernels/cpu/kernels.h"

namespace frit::torch {
namespace {

using compiler::Compilation;
using compiler::CompiledBackward;
using python::checked;

// What backward needs of a run, besides the tensors that torch's tape keeps.
struct Tape {
  const Api* api;
  std::shared_ptr<const Program> program;
  std::vector<int64_t> symbols;
  // Where among the kept tensors a saved value of the partition is, and a graph input; -1: not
  // kept.
  std::vector<int> of_saved, of_input;
};

// Between run_forward and the Function's forward. What Python collects there may run another one.
thread_local Run* t_running = nullptr;

// Of so many elements a run lets other threads of Python's go on meanwhile.
constexpr int64_t kManyElements = 32768;

// The graph's, on torch's threads. Its calls of torch, where it has some, need the GIL.
int run_graph(const Program& program, const compiler::Runnable& graph,
              std::span<const Tensor> inputs, std::vector<int64_t>& symbols,
              std::span<Tensor> made) {
  int64_t elements = 0;
  for (const Tensor& t : inputs) elements += t.impl()->numel();
  const TeamScope team(openmp_team());
  const python::WithoutGil unlocked(program.hosts.empty() && elements >= kManyElements);
  return graph.run(inputs, symbols, {}, made);
}

bool is_zero(const Reader& r) { return integer(r().get()) == 0; }

Ref list_of(const std::vector<Ref>& refs) {
  Ref t = Ref::take(checked(PyTuple_New(static_cast<Py_ssize_t>(refs.size()))));
  for (size_t i = 0; i < refs.size(); ++i)
    PyTuple_SET_ITEM(t.get(), static_cast<Py_ssize_t>(i), Py_NewRef(refs[i].get()));
  return t;
}

// Runs the graph and commits. `all`: every fresh output of it; `copies`: inputs as they were, where
// the run has written them.
bool compute(Run& run, std::vector<Tensor>& all, std::vector<Tensor>& copies) {
  const compiler::Entry& e = *run.program->entry;
  const Compilation& c = *e.compilation;
  all.resize(static_cast<size_t>(c.forward->fresh_outputs()));
  WordScope plain(0, kRecording | kReplaying | kGradEnabled);
  copies.resize(run.twins.size());
  if (c.needs_grad)
    for (auto [input, bumps] : e.writes)
      copies[static_cast<size_t>(input)] = run.twins[static_cast<size_t>(input)].clone();
  Ref generator;
  if (run.program->draws)
    generator = Ref::take(checked(PyObject_CallMethod(run.api.module, "get_rng_state", nullptr)));
  if (run_graph(*run.program, *c.forward, run.twins, run.symbols, all) >= 0) {
    // As if nothing had been drawn.
    if (generator)
      Ref::take(
          checked(PyObject_CallMethod(run.api.module, "set_rng_state", "O", generator.get())));
    return false;
  }
  std::vector<Ref> raised;  // versions of these, by one each time that they are there
  auto raise_version = [&](const Ref& t, int times) {
    raised.insert(raised.end(), static_cast<size_t>(times), t);
  };
  for (auto [input, bumps] : e.writes)
    if (const Ref& t = run.objects[static_cast<size_t>(input)]) raise_version(t, bumps);
  // A group of views of one storage is written through the whole; versions are the storage's.
  for (auto [input, bumps] : e.writes)
    if (!run.objects[static_cast<size_t>(input)])
      for (size_t k = 0; k < run.objects.size(); ++k)
        if (run.objects[k] &&
            run.twins[k].impl()->storage == run.twins[static_cast<size_t>(input)].impl()->storage) {
          raise_version(run.objects[k], bumps);
          break;
        }
  int visible = 0;
  for (const ir::Output& o : c.forward->graph().outputs) {
    if (&o - c.forward->graph().outputs.data() >= std::ssize(e.kept)) break;
    if (o.kind == ir::Output::Kind::fresh) ++visible;
  }
  run.fresh.clear();
  for (int i = 0; i < visible; ++i)
    run.fresh.push_back(to_torch(run.api, all[static_cast<size_t>(i)]));
  for (auto [output, bumps] : e.fresh_writes)
    raise_version(run.fresh[static_cast<size_t>(output)], bumps);
  if (!raised.empty())
    Ref::take(checked(PyObject_CallOneArg(run.api.increment_version, list_of(raised).get())));
  return true;
}

PyObject* apply_function() {
  return walk::made_once([] { return imported("apply"); }).get();
}

// The Function's forward. Where a check of the graph fails, nothing was done.
Ref forward(PyObject* context) {
  static PyObject* const n_materialize = walk::name_of("materialize_grads");
  static PyObject* const n_to_save = walk::name_of("to_save");
  static PyObject* const n_tape = walk::name_of("tape");
  Run& run = *t_running;
  const compiler::Entry& e = *run.program->entry;
  const Compilation& c = *e.compilation;
  std::vector<Tensor> all, copies;
  if (!compute(run, all, copies)) throw std::runtime_error("a check of the graph failed");
  auto tape = std::make_unique<Tape>();
  tape->api = &run.api;
  tape->program = run.program;
  tape->symbols = run.symbols;
  tape->of_input.assign(run.twins.size(), -1);
  std::vector<Ref> kept;
  auto keep_input = [&](int i) {
    int& place = tape->of_input[static_cast<size_t>(i)];
    if (place >= 0) return place;
    place = static_cast<int>(kept.size());
    const Tensor& before = copies[static_cast<size_t>(i)];
    const Ref& object = run.objects[static_cast<size_t>(i)];
    kept.push_back(before.defined() || !object
                       ? to_torch(run.api, before.defined()
                                               ? before
                                               : run.twins[static_cast<size_t>(i)].clone())
                       : object);
    return place;
  };
  for (const grad::Partition::Saved& s : c.saved()) {
    if (s.is_input) {
      tape->of_saved.push_back(keep_input(s.index));
      continue;
    }
    const auto fresh = static_cast<size_t>(c.forward->fresh_number(static_cast<size_t>(s.index)));
    tape->of_saved.push_back(static_cast<int>(kept.size()));
    kept.push_back(fresh < run.fresh.size() ? run.fresh[fresh] : to_torch(run.api, all[fresh]));
  }
  for (const grad::Backward::Read& r : c.whole_backward().reads)
    if (r.is_input) keep_input(r.index);
  std::vector<Ref> outputs;
  for (int o : c.settings.differentiated)
    outputs.push_back(run.fresh[static_cast<size_t>(e.kept[static_cast<size_t>(o)].index)]);
  const nb::object held = nb::cast(tape.release(), nb::rv_policy::take_ownership);
  checked(PyObject_SetAttr(context, n_tape, held.ptr()));
  // What set_materialize_grads() and save_for_backward() do.
  checked(PyObject_SetAttr(context, n_materialize, Py_False));
  checked(PyObject_SetAttr(context, n_to_save, list_of(kept).get()));
  return list_of(outputs);
}

PyObject* forward_function(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  return python::guarded([&] { return forward(arguments[0]).release(); });
}

Tensor laid_out(const Tensor& t, const ir::Value& as, const sym::ShapeEnv& env,
                std::span<const int64_t> symbols) {
  Dims strides, sizes;
  for (Int s : as.strides()) strides.push_back(env.evaluate(s, symbols));
  if (t.impl()->strides == strides) return t;
  Tensor copy = empty_strided_cpu(t.impl()->sizes, strides, t.dtype());
  kernels::copy(copy, t);
  return copy;
}

// The Function's backward. `gradients` has None where the output received none.
nb::tuple backward(Tape& tape, nb::tuple kept, nb::tuple gradients, nb::tuple wanted) {
  const Api& api = *tape.api;
  const Compilation& c = *tape.program->entry->compilation;
  const sym::ShapeEnv& env = *c.recorded->env();
  const WordScope plain(0, kRecording | kReplaying | kGradEnabled);
  const size_t outputs = c.settings.differentiated.size();
  std::vector<Tensor> tangents(outputs);
  SmallVector<bool, 8> received;
  for (size_t i = 0; i < outputs; ++i) {
    nb::handle g = gradients[i];
    received.push_back(!g.is_none());
    if (g.is_none()) continue;
    // A tensor of the program's hooks may be of another kind.
    Ref contiguous = Ref::share(g.ptr());
    if (!describe(api, contiguous.get(), tangents[i]))
      throw UserError(ErrorKind::runtime, "backward",
                      "a gradient of an output of " + tape.program->entry->name +
                          " is no dense tensor in the memory of the CPU");
  }
  std::vector<Tensor> given(static_cast<size_t>(nb::len(kept)));
  for (size_t i = 0; i < given.size(); ++i)
    if (!describe(api, nb::handle(kept[i]).ptr(), given[i]))
      throw InternalError("a tensor that was kept for backward cannot be read");
  auto place = [&](const grad::Backward::Read& r) {
    return r.is_input ? tape.of_input[static_cast<size_t>(r.index)]
                      : tape.of_saved[static_cast<size_t>(r.index)];
  };
  auto can_run = [&](const CompiledBackward& b) {
    return b.holds(tape.symbols) &&
           std::ranges::all_of(b.pass.reads, [&](const auto& r) { return place(r) >= 0; });
  };
  nb::list results;
  const size_t inputs = c.gradient_of().size();
  if (std::ranges::none_of(received, std::identity{})) {
    for (size_t i = 0; i < inputs; ++i) results.append(nb::none());
    return nb::tuple(results);
  }
  const CompiledBackward* b = &c.backward({received.data(), received.size()});
  if (!can_run(*b)) {
    // The pass for all of them, on zeros.
    for (bool& one : received) one = true;
    b = &c.backward({received.data(), received.size()});
    if (!can_run(*b)) throw InternalError("a backward pass does not fit the sizes of its forward");
  }
  std::vector<Tensor> args;
  for (const grad::Backward::Read& r : b->pass.reads)
    args.push_back(given[static_cast<size_t>(place(r))]);
  for (int forward_output : b->pass.tangent_of) {
    size_t k = 0;
    while (c.settings.differentiated[k] != forward_output) ++k;
    const ir::Value& as = *b->run->graph().inputs()[args.size()];
    if (!tangents[k].defined()) {
      Dims sizes, strides;
      for (Int s : as.sizes()) sizes.push_back(env.evaluate(s, tape.symbols));
      for (Int s : as.strides()) strides.push_back(env.evaluate(s, tape.symbols));
      tangents[k] = empty_strided_cpu(sizes, strides, as.dtype());
      tangents[k].zero_();
    }
    args.push_back(laid_out(tangents[k], as, env, tape.symbols));
  }
  std::vector<Tensor> made(static_cast<size_t>(b->run->fresh_outputs()));
  std::vector<int64_t> symbols = tape.symbols;
  if (run_graph(*tape.program, *b->run, args, symbols, made) >= 0)
    throw InternalError("a compiled backward pass failed a check");
  size_t next = 0;
  for (size_t i = 0; i < inputs; ++i) {
    const bool has = b->pass.has_gradient[i];
    const Tensor t = has ? made[next++] : Tensor();
    if (has && nb::cast<bool>(wanted[i]))
      results.append(nb::steal(to_torch(api, t).release()));
    else
      results.append(nb::none());
  }
  return nb::tuple(results);
}

}  // namespace

bool run_forward(Run& run) {
  const Compilation& c = *run.program->entry->compilation;
  if (!c.needs_grad) {
    std::vector<Tensor> all, copies;
    return compute(run, all, copies);
  }
  std::vector<PyObject*> args(1, nullptr);
  for (int i : c.gradient_of()) args.push_back(run.objects[static_cast<size_t>(i)].get());
  const GradScope on(run.api, true);
  Run* const before = std::exchange(t_running, &run);
  Ref outputs =
      Ref::take(PyObject_Vectorcall(apply_function(), args.data() + 1,
                                    (args.size() - 1) | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
  t_running = before;
  if (!outputs) return false;
  for (size_t k = 0; k < c.settings.differentiated.size(); ++k) {
    const auto o = static_cast<size_t>(c.settings.differentiated[k]);
    run.fresh[static_cast<size_t>(run.program->entry->kept[o].index)] =
        Ref::share(PyTuple_GET_ITEM(outputs.get(), static_cast<Py_ssize_t>(k)));
  }
  return true;
}

bool plain_state(const Api& a, std::string* why) {
  const char* found = a.autocast.is_true()             ? "autocast is on"
                      : !is_zero(a.function_modes)     ? "a torch function mode is on"
                      : !is_zero(a.dispatch_modes)     ? "a torch dispatch mode is on"
                      : a.functorch().get() != Py_None ? "a transform of torch.func is on"
                                                       : nullptr;
  if (found && why) *why = found;
  return !found;
}

void set_grad_enabled(const Api& a, bool enabled) {
  Ref::take(checked(PyObject_CallOneArg(a.set_grad_enabled, enabled ? Py_True : Py_False)));
}

GradScope::GradScope(const Api& a, bool enabled) : api_(a), before_(a.is_grad_enabled.is_true()) {
  if (before_ != enabled) set_grad_enabled(a, enabled);
}
GradScope::~GradScope() {
  const walk::PendingError keep;
  set_grad_enabled(api_, before_);
}

void bind_gradients(nb::module_& m) {
  nb::class_<Tape>(m, "_TorchTape").def_prop_ro("name", [](const Tape& t) {
    return t.program->entry->name;
  });
  m.def("_torch_dispatched", [](nb::object function, nb::tuple arguments, nb::dict keywords) {
    return nb::steal(
        python::checked(Recording::dispatched(function.ptr(), arguments.ptr(), keywords.ptr())));
  });
  static PyMethodDef forward_method = {
      "_torch_forward",
      reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(forward_function)), METH_FASTCALL,
      nullptr};
  m.attr("_torch_forward") = nb::steal(checked(PyCFunction_New(&forward_method, nullptr)));
  m.def("_torch_backward", backward);
  // For tests: (it has a record, which arguments it is known to write).
  m.def("_torch_op", [](nb::object overload) {
    const AtenOp& op = aten_op(overload.ptr());
    nb::list written;
    for (size_t i = 0; i < op.names.size(); ++i)
      if (op.written[i]) written.append(op.names[i]);
    return nb::make_tuple(op.record != nullptr, written);
  });
}

}  // namespace frit::torch
