// Ops without a record: torch runs them, and the ops of aten's that they are made of are seen.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "adapters/torch/arguments.h"
#include "adapters/torch/layouts.h"
#include "adapters/torch/recording.h"
#include "bindings/arguments.h"
#include "bindings/symbolic_int.h"
#include "compile/run_entry.h"
#include "core/layout.h"
#include "eager/run.h"
#include "frame/walk/made_once.h"

namespace frit::torch {

using walk::TensorOp;

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
  PyObject* const mode_type = walk::made_once([] { return imported("Watch"); }).get();
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
    if (!noted) noted = decompose(op, arguments, keywords, results);
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
  for (size_t i = 0; i < list.size(); ++i) {
    const SchemaArg& a = r.schema.args[i];
    PyObject* o;
    if (static_cast<Py_ssize_t>(i) < PyTuple_GET_SIZE(arguments)) {
      o = PyTuple_GET_ITEM(arguments, static_cast<Py_ssize_t>(i));
    } else {
      o = PyDict_GetItemString(keywords, a.name.c_str());
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

}  // namespace frit::torch
