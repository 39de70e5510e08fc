// Iterators: C's own are advanced for real, and the walk knows of each element where it comes from.
#include <fmt/format.h>

#include "frame/walk/walker.h"

namespace frit::walk {

Value Walker::iterator_of(Value o) {
  static PyObject* const n_iter = name_of("__iter__");
  static PyObject* const n_getitem = name_of("__getitem__");
  if (plain_) return taken(PyObject_GetIter(o.get()));
  o = under_proxy(o);
  PyObject* c = o.get();
  if (is_tensor(c)) {
    if (stop("tensor_iteration", "a loop goes over a tensor",
             "a loop over range(len(x)), or unbind()"))
      return {};
    return taken(PyObject_GetIter(c));
  }
  if (PyObject* f = python_method(o.type(), n_iter)) {
    use_type(o);
    Committed committed(*this);
    Value r = call_with(constant(f), {o});
    if (r && !PyIter_Check(r.get())) {
      PyErr_Format(PyExc_TypeError, "iter() returned non-iterator of type '%.100s'",
                   r.type()->tp_name);
      return {};
    }
    return r;
  }
  if (o.is(ShadowKind::fresh) && parts(o).iterates != Iterates::nothing && PyIter_Check(c))
    return o;
  Iterates kind = Iterates::nothing;
  Value base = o;
  if (is_sequence(c) || PyTuple_Check(c)) {
    kind = Iterates::sequence;
    use_type(o);
    use_length(o);
  } else if (PyDict_Check(c)) {
    kind = Iterates::keys;
    use_type(o);
    if (!use_keys(o)) return {};
  } else if (o.is(ShadowKind::fresh) && parts(o).iterates >= Iterates::keys &&
             parts(o).iterates <= Iterates::items) {
    kind = parts(o).iterates;
    base = parts(o).base;
  } else if (is_plain(c, library_)) {
    if (!use_value(o)) return {};  // a range, a string, a set of plain values
    if (PyAnySet_Check(c) && !o.is(ShadowKind::constant) && !o.is(ShadowKind::fresh)) {
      if (stop("iteration", "the order of a set of the caller's is not followed")) return {};
    }
  } else {
    PyObject* f = guards.lookup(o.type(), n_getitem);
    if (!o.type()->tp_iter && f && PyFunction_Check(f)) {
      if (stop("iteration", "iteration by __getitem__ is not followed")) return {};
    } else if (stop("iteration",
                    fmt::format("iteration over a {} is not followed", o.type()->tp_name))) {
      return {};
    }
    return taken(PyObject_GetIter(c));
  }
  Ref it = Ref::take(PyObject_GetIter(c));
  if (!it) return {};
  Value r = fresh(it.release());
  if (!r.is(ShadowKind::fresh)) return r;
  const bool plain_values = kind == Iterates::nothing;
  parts(r).iterates = plain_values ? Iterates::sequence : kind;
  if (!plain_values) parts(r).base = base;
  return r;
}

// The shadow of what the iterator has just given.
Shadow* Walker::shadow_of_next(Fresh& f, PyObject* found) {
  const Py_ssize_t i = f.index++;
  auto pair = [&](std::vector<Part> items) {
    Value t = fresh(Py_NewRef(found));
    if (!t.is(ShadowKind::fresh)) return &constant_;
    parts(t).items = std::move(items);
    return t.shadow;
  };
  switch (f.iterates) {
    case Iterates::sequence:
      if (!f.base) return &constant_;  // plain values
      return i < PySequence_Fast_GET_SIZE(f.base.get()) ? item_at(f.base, i).shadow : &constant_;
    case Iterates::reversed:
      return item_at(f.base, PySequence_Fast_GET_SIZE(f.base.get()) - 1 - i).shadow;
    case Iterates::keys:
      return &constant_;
    case Iterates::values:
    case Iterates::items: {
      PyObject *key = nullptr, *value = found;
      if (f.iterates == Iterates::items) {
        key = PyTuple_GET_ITEM(found, 0);
        value = PyTuple_GET_ITEM(found, 1);
      } else {
        auto key_of_it = [&] {
          PyObject* k = f.keys && i < PyList_GET_SIZE(f.keys.get())
                            ? PyList_GET_ITEM(f.keys.get(), i)
                            : nullptr;
          return k && PyDict_GetItemWithError(f.base.get(), k) == found ? k : nullptr;
        };
        key = key_of_it();
        if (!key) {  // the first, or the dict has others now
          f.keys = keys_in_order(f.base.get());
          key = key_of_it();
        }
        if (key) keep(key);
      }
      if (!key) return part({}, found).shadow;
      Value v = entry_of(f.base, key, value);
      if (f.iterates == Iterates::values) return v.shadow;
      return pair({{key, &constant_}, as_part(v)});
    }
    case Iterates::enumerate: {
      PyObject* x = PyTuple_GET_ITEM(found, 1);
      Shadow* s = shadow_of_next(parts(f.inner[0]), x);
      return pair({{PyTuple_GET_ITEM(found, 0), &constant_}, {x, s}});
    }
    default:
      return part({}, found).shadow;
  }
}

// zip, map and filter hold nothing but the iterators they go over: their own are advanced here, so
// that what is called on the way is walked.
// The iterator of that number has ended: the others must have, too.
void Walker::end_strictly(Fresh& f, size_t ended) {
  auto differs = [](size_t i, const char* how) {
    PyErr_Format(PyExc_ValueError, "zip() argument %d is %s than argument%s%d",
                 static_cast<int>(i + 1), how, i == 1 ? " " : "s 1-", static_cast<int>(i));
  };
  if (ended > 0) return differs(ended, "shorter");
  for (size_t i = 1; i < f.inner.size(); ++i) {
    if (next_of(f.inner[i])) return differs(i, "longer");
    if (halted_ || PyErr_Occurred()) return;
  }
}

Value Walker::next_of_combined(Fresh& f) {
  if (f.inner.empty()) return {};  // zip()
  Committed committed(*this);
  if (f.iterates == Iterates::chain) {
    // The real one asks those that have ended again, and goes on to where this one is.
    for (; f.index < static_cast<Py_ssize_t>(f.inner.size()); ++f.index) {
      Value x = next_of(f.inner[static_cast<size_t>(f.index)]);
      if (x || halted_ || PyErr_Occurred()) return x;
    }
    return {};
  }
  for (;;) {
    Args args;
    for (Value& inner : f.inner) {
      Value x = next_of(inner);
      if (!x) {
        if (f.strict && !halted_ && !PyErr_Occurred()) end_strictly(f, args.positional.size());
        return {};
      }
      args.positional.push_back(std::move(x));
    }
    if (f.iterates == Iterates::zip) return make_tuple(std::move(args.positional));
    if (f.iterates == Iterates::map) return call(f.base, args);
    Value x = args.positional[0];
    Value kept = f.base.get() == Py_None ? x : call(f.base, args);
    const int t = kept ? truth(kept) : -1;
    if (t < 0) return {};
    if (t) return x;
  }
}

Value Walker::next_of(Value& it) {
  static PyObject* const n_next = name_of("__next__");
  auto end = [&] {
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_StopIteration)) PyErr_Clear();
  };
  if (!plain_ && python_method(it.type(), n_next)) {
    use_type(it);
    Committed committed(*this);
    Value r = call_with(constant(python_method(it.type(), n_next)), {it});
    if (!r) end();
    return r;
  }
  if (auto g = generators_.find(it.get()); g != generators_.end()) {
    if (!plain_ || g->second->started) return next_of_generator(it, *g->second);
    generators_.erase(g);  // CPython's own begins here
  }
  iternextfunc next = it.type()->tp_iternext;
  if (!next) {
    PyErr_Format(PyExc_TypeError, "'%.100s' object is not an iterator", it.type()->tp_name);
    return {};
  }
  // What it goes over may have begun here, and goes on here.
  if (plain_)
    if (auto known = identity_.find(it.get()); known != identity_.end() && known->second->fresh &&
                                               known->second->fresh->iterates >= Iterates::zip &&
                                               known->second->fresh->iterates <= Iterates::chain)
      return next_of_combined(*known->second->fresh);
  if (!plain_) {
    if (!it.is(ShadowKind::fresh) || parts(it).iterates == Iterates::nothing) {
      if (stop("iterator",
               fmt::format("a {} that was made before is advanced", it.type()->tp_name)))
        return {};
    } else if (parts(it).iterates >= Iterates::zip) {
      return next_of_combined(parts(it));
    }
  }
  PyObject* found = next(it.get());
  if (!found) {
    end();
    return {};
  }
  if (plain_ || !it.is(ShadowKind::fresh)) return taken(found);
  // zip, enumerate and items() give their tuple again where nobody else holds it: the table does.
  keep(found);
  Shadow* s = shadow_of_next(parts(it), found);
  return {Ref::take(found), s};
}

bool Walker::drain(Value o, std::vector<Value>& into) {
  Value it = iterator_of(std::move(o));
  if (!it) return false;
  Committed committed(*this);
  for (;;) {
    Value x = next_of(it);
    if (!x) return !PyErr_Occurred() && !halted_;
    into.push_back(std::move(x));
  }
}

}  // namespace frit::walk
