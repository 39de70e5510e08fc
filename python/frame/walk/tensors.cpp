// Tensors in the walk: ops run for real, and note themselves in the recording.
#include <fmt/format.h>

#include "frame/walk/c_functions.h"
#include "frame/walk/hints.h"

namespace frit::walk {

Ref Walker::changing_float(Value& v, PyObject* beside) {
  if (!PyFloat_CheckExact(v.get()) || !v.is(ShadowKind::input) || dynamic_numbers.empty() ||
      (beside && !is_tensor(beside)))
    return {};
  Source& s = *v.shadow->source;
  if (!dynamic_numbers.count(source_text(s))) return {};
  int index = -1;
  Ref t = Ref::take(library_.use_float(v.get(), beside, s.stand_in.get(), source_text(s), index));
  if (t && !s.stand_in) {
    guards.add(GuardKind::type, s, reinterpret_cast<PyObject*>(&PyFloat_Type));
    external_tensors.push_back(&s);
    s.external = true;
    s.stand_in = t;
  }
  return t;
}

Ref Walker::for_op(Value& v, bool& ok) {
  PyObject* o = v.get();
  auto fail = [&] {
    ok = false;
    return Ref();
  };
  if (plain_) return v.object;
  if (is_tensor(o)) return use_tensor(v) ? v.object : fail();
  if (v.is(ShadowKind::number)) {
    Ref r = Ref::take(library_.symbolic_int(v.shadow->number, o));
    return r ? r : fail();
  }
  if (v.is(ShadowKind::constant) && is_plain(o, library_)) return v.object;
  if (PySlice_Check(o) && v.is(ShadowKind::fresh)) {
    Ref ends[3];
    for (size_t i = 0; i < 3; ++i) {
      const Part& p = parts(v).items[i];
      Value x(Ref::share(p.seen), p.shadow);
      ends[i] = for_op(x, ok);
      if (!ok) return {};
    }
    Ref r = Ref::take(PySlice_New(ends[0].get(), ends[1].get(), ends[2].get()));
    return r ? r : fail();
  }
  if (is_sequence(o)) {
    use_length(v);
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    std::vector<Ref> items;
    bool same = true;
    for (Py_ssize_t i = 0; i < n; ++i) {
      Value x = item_at(v, i);
      if (!x) return fail();
      items.push_back(for_op(x, ok));
      if (!ok) return {};
      same = same && items.back().get() == x.get();
    }
    if (same) return v.object;
    Ref r = Ref::take(PyList_CheckExact(o) ? PyList_New(n) : PyTuple_New(n));
    if (!r) return fail();
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* x = items[static_cast<size_t>(i)].release();
      if (PyList_CheckExact(o))
        PyList_SET_ITEM(r.get(), i, x);
      else
        PyTuple_SET_ITEM(r.get(), i, x);
    }
    return r;
  }
  if (!is_plain(o, library_)) {
    use_type(v);
    if (stop("argument", fmt::format("a {} is given to an op", v.type()->tp_name))) return fail();
    return v.object;
  }
  return use_value(v) ? v.object : fail();
}

Value Walker::tensor_result(PyObject* owned) {
  if (!owned || plain_) return taken(owned);
  if (std::string why = library_.stopped(); !why.empty()) {
    lose("tensor", std::move(why));
    return taken(owned);
  }
  if (is_tensor(owned)) {
    if (auto it = identity_.find(owned); it != identity_.end())
      return {Ref::take(owned), it->second};  // an op that gives what it was given
    Shadow& s = sources.new_shadow(ShadowKind::tensor);
    identity_[owned] = &s;
    keep(owned);
    return {Ref::take(owned), &s};
  }
  if (PyTuple_Check(owned) || PyList_CheckExact(owned)) {
    Value v = fresh(owned);
    if (!v.is(ShadowKind::fresh)) return v;
    std::vector<Part> items;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(owned); ++i) {
      Value x = tensor_result(Py_NewRef(PySequence_Fast_GET_ITEM(owned, i)));
      items.push_back(as_part(x));
    }
    if (v.is(ShadowKind::fresh)) parts(v).items = std::move(items);
    return v;
  }
  if (owned != Py_None && owned != Py_NotImplemented)
    lose("data_read", "an op gives a number that depends on a tensor's values");
  return taken(owned);
}

namespace {

PyObject* with_ints(Walker& w, Value r, const std::vector<Int>& ints, Value& out) {
  if (ints.size() == 1 && PyLong_Check(r.get())) {
    out = w.number(r.object.release(), ints[0]);
    return out.get();
  }
  std::vector<Value> items;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(r.get()); ++i)
    items.push_back(
        w.number(Py_NewRef(PyTuple_GET_ITEM(r.get(), i)), ints[static_cast<size_t>(i)]));
  out = w.with_items(r.object.release(), items);
  return out.get();
}

}  // namespace

Value Walker::tensor_attribute(Value& o, PyObject* name, TensorCall kind) {
  auto really = [&] { return PyObject_GetAttr(o.get(), name); };
  if (kind == TensorCall::data || kind == TensorCall::set_state) {
    if (stop("data_read", "tensor." + text_of(name) + " reads its values",
             "read them after the compiled call"))
      return {};
    return taken(really());
  }
  if (!use_tensor(o)) return {};
  Ref r =
      Ref::take(kind == TensorCall::op && !plain_ ? compute(name, {o.get()}, really) : really());
  if (!r || plain_) return taken(r.release());
  switch (kind) {
    case TensorCall::sizes: {
      std::vector<Int> ints;
      Value out;
      if (!library_.ints(o.get(), name, r.get(), ints)) return taken(r.release());
      with_ints(*this, taken(r.release()), ints, out);
      return out;
    }
    case TensorCall::op:
    case TensorCall::grad:
      return tensor_result(r.release());
    default:
      return taken(r.release());
  }
}

bool Walker::asks_for_gradient(const Args& args) {
  for (auto& [name, v] : args.keywords)
    if (PyUnicode_CompareWithASCIIString(name, "requires_grad") == 0) return v.get() != Py_False;
  return false;
}

bool Walker::stop_at_leaf(PyObject* f) {
  return stop("requires_grad",
              c_function_name(f) + " makes a tensor that has a gradient of its own",
              "such a tensor as an argument, made before the compiled call");
}

Value Walker::tensor_call(PyObject* f, TensorCall kind, Args& args) {
  auto really = [&] { return call_plain(f, args); };
  switch (kind) {
    case TensorCall::data:
      if (c_function_name(f).ends_with("requires_grad_")) {
        if (stop("requires_grad", c_function_name(f) + " changes what has a gradient",
                 hint_of_call("requires_grad_")))
          return {};
        return really();
      }
      if (stop("data_read", c_function_name(f) + " reads a tensor's values",
               "keep them in tensors, or read them after the compiled call"))
        return {};
      return really();
    case TensorCall::op: {
      if (asks_for_gradient(args) && stop_at_leaf(f)) return {};
      Args given;
      bool ok = true;
      for (Value& v : args.positional) {
        Ref r = for_op(v, ok);
        if (!ok) return {};
        given.positional.emplace_back(std::move(r), v.shadow);
      }
      for (auto& [name, v] : args.keywords) {
        Ref r = for_op(v, ok);
        if (!ok) return {};
        given.keywords.emplace_back(name, Value(std::move(r), v.shadow));
      }
      TensorOp op{f, nullptr, {}, nullptr};
      for (Value& v : given.positional) op.args.push_back(v.get());
      Ref names;
      if (!given.keywords.empty())
        names = Ref::take(PyTuple_New(static_cast<Py_ssize_t>(given.keywords.size())));
      for (size_t i = 0; i < given.keywords.size(); ++i) {
        PyTuple_SET_ITEM(names.get(), static_cast<Py_ssize_t>(i),
                         Py_NewRef(given.keywords[i].first));
        op.args.push_back(given.keywords[i].second.get());
      }
      op.keywords = names.get();
      auto run = [&] { return call_plain(f, given).object.release(); };
      if (plain_) return taken(run());
      return tensor_result(library_.compute(op, run));
    }
    case TensorCall::literal:
      return literal(f, args);
    case TensorCall::sizes:
    case TensorCall::metadata: {
      for (Value& v : args.positional) {
        if (is_tensor(v.get()) ? !use_tensor(v) : !use_value(v)) return {};
      }
      for (auto& [name, v] : args.keywords)
        if (is_tensor(v.get()) ? !use_tensor(v) : !use_value(v)) return {};
      Value r = really();
      if (!r || plain_ || kind == TensorCall::metadata) return r;
      std::vector<Int> ints;
      Value out;
      if (!args.positional.empty()) library_.ints(args.positional[0].get(), f, r.get(), ints);
      if (ints.empty()) {
        lose("sizes", c_function_name(f) + " is not followed");
        return r;
      }
      if (ints.size() > 1 && PyLong_Check(r.get())) {
        // One of them: by the dimension that was asked for.
        Value d = args.positional.size() > 1 ? args.positional[1] : args.keywords[0].second;
        Py_ssize_t i = PyLong_AsSsize_t(d.get());
        if (i < 0) i += static_cast<Py_ssize_t>(ints.size());
        ints = {ints[static_cast<size_t>(i)]};
      }
      with_ints(*this, r, ints, out);
      return out;
    }
    case TensorCall::state:
    case TensorCall::set_state: {
      for (Value& v : args.positional)
        if (!use_value(v)) return {};
      for (auto& [name, v] : args.keywords)
        if (!use_value(v)) return {};
      if (kind == TensorCall::state || plain_) return really();
      TensorOp op{f, nullptr, {}, nullptr};
      return taken(library_.compute(op, [&] { return really().object.release(); }));
    }
    case TensorCall::grad:
    case TensorCall::none:
      break;
  }
  if (stop("tensor", c_function_name(f) + " is not followed")) return {};
  return really();
}

}  // namespace frit::walk
