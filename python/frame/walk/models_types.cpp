// Types that are called: containers, iterators, numbers, super.
#include <fmt/format.h>

#include "frame/walk/c_functions.h"
#include "frame/walk/layouts.h"
#include "frame/walk/made_once.h"

namespace frit::walk {
namespace {

Value other_call(Walker& w, PyObject* f, Args& args) {
  if (w.stop("c_function", "this call of " + text_of(f) + " is not followed")) return {};
  return w.call_plain(f, args);
}

Value make_type(Walker& w, PyObject* t, Args& args, bool) {
  if (args.positional.size() != 1) {
    if (w.stop("class", "a class is made", "make it outside of the compiled function")) return {};
    return w.call_plain(t, args);
  }
  w.use_type(args.positional[0]);
  return w.constant(reinterpret_cast<PyObject*>(args.positional[0].type()));
}

Value make_super(Walker& w, PyObject* t, Args& args, bool) {
  if (args.positional.empty()) {
    // The class is in a cell of that name, and self is the first argument.
    Frame* f = w.current();
    Value cls, self = f->code->co_argcount > 0 ? f->locals[0] : Value();
    bool has_cell = false;
    for (int i = 0; i < f->code->co_nlocalsplus; ++i) {
      Value& v = f->locals[static_cast<size_t>(i)];
      if (v && PyCell_Check(v.get()) &&
          PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(f->code->co_localsplusnames, i),
                                           "__class__") == 0) {
        has_cell = true;
        cls = PyCell_GET(v.get()) ? w.constant(PyCell_GET(v.get())) : Value();
      }
    }
    // Closed over by a function within: its cell has taken its place.
    constexpr int kCell = 0x40;  // CO_FAST_CELL
    const bool in_cell = self && (PyBytes_AS_STRING(f->code->co_localspluskinds)[0] & kCell) != 0;
    if (in_cell && PyCell_Check(self.get()) && PyCell_GET(self.get())) {
      PyObject* held = PyCell_GET(self.get());
      self = self.is(ShadowKind::fresh) && !w.parts(self).items.empty()
                 ? w.part(w.parts(self).items[0], held)
                 : w.known_or_constant(Py_NewRef(held));
    }
    if (!cls || !self) {
      const char* text = !f->code->co_argcount ? "super(): no arguments"
                         : !self               ? "super(): arg[0] deleted"
                         : has_cell            ? "super(): empty __class__ cell"
                                               : "super(): __class__ cell not found";
      PyErr_SetString(PyExc_RuntimeError, text);
      return {};
    }
    if (!PyType_Check(cls.get())) {
      PyErr_Format(PyExc_RuntimeError, "super(): __class__ is not a type (%s)",
                   cls.type()->tp_name);
      return {};
    }
    args.positional = {cls, self};
  }
  if (args.positional.size() != 2) return other_call(w, t, args);
  w.use_identity(args.positional[0]);
  w.use_type(args.positional[1]);
  if (PyType_Check(args.positional[1].get())) w.use_identity(args.positional[1]);
  Value v = w.fresh(
      PyObject_CallFunctionObjArgs(t, args.positional[0].get(), args.positional[1].get(), nullptr));
  if (!v) return v;
  if (v.is(ShadowKind::fresh)) {
    w.parts(v).items = {Walker::as_part(args.positional[0]), Walker::as_part(args.positional[1])};
    w.parts(v).rebuildable = false;
  }
  return v;
}

Value make_tuple(Walker& w, PyObject* t, Args& args, bool) {
  if (args.positional.size() > 1 || !args.keywords.empty()) return other_call(w, t, args);
  std::vector<Value> items;
  if (!args.positional.empty()) {
    if (PyTuple_CheckExact(args.positional[0].get())) {
      w.use_type(args.positional[0]);
      return args.positional[0];
    }
    if (!w.drain(args.positional[0], items)) return {};
  }
  return w.make_tuple(std::move(items));
}

Value make_list(Walker& w, PyObject* t, Args& args, bool) {
  if (args.positional.size() > 1 || !args.keywords.empty()) return other_call(w, t, args);
  std::vector<Value> items;
  if (!args.positional.empty() && !w.drain(args.positional[0], items)) return {};
  return w.make_list(std::move(items));
}

Value make_set(Walker& w, PyObject* t, Args& args, bool) {
  if (args.positional.size() > 1 || !args.keywords.empty()) return other_call(w, t, args);
  std::vector<Value> items;
  if (!args.positional.empty() && !w.drain(args.positional[0], items)) return {};
  Ref s = Ref::take(PySet_New(nullptr));
  for (Value& v : items) {
    if (!is_plain(v.get(), w.library())) {
      w.lose("set", fmt::format("a set of a {} is not followed", v.type()->tp_name));
    } else if (!w.use_value(v)) {
      return {};
    }
    if (PySet_Add(s.get(), v.get()) < 0) return {};
  }
  return w.fresh(s.release());
}

Value make_dict(Walker& w, PyObject* t, Args& args, bool) {
  if (args.positional.size() > 1) return other_call(w, t, args);
  Value d = w.fresh(PyDict_New());
  Walker::Committed committed(w);
  return d && w.dict_update(d, args, 0) ? d : Value();
}

// defaultdict(factory, ...)
Value make_defaultdict(Walker& w, PyObject* t, Args& args, bool) {
  static PyObject* const n_factory = name_of("default_factory");
  Value factory = args.positional.empty() ? w.none() : args.positional[0];
  if (args.positional.size() > 2 || (factory.get() != Py_None && !PyCallable_Check(factory.get())))
    return other_call(w, t, args);
  w.use_type(factory);
  Value d = w.fresh(PyObject_CallOneArg(t, factory.get()));
  if (!d) return {};
  if (d.is(ShadowKind::fresh)) w.parts(d).attributes[n_factory] = Walker::as_part(factory);
  Walker::Committed committed(w);
  return w.dict_update(d, args, 1, true) ? d : Value();
}

Value make_ordered_dict(Walker& w, PyObject* t, Args& args, bool) {
  if (args.positional.size() > 1) return other_call(w, t, args);
  Value d = w.fresh(PyODict_New());
  Walker::Committed committed(w);
  return d && w.dict_update(d, args, 0) ? d : Value();
}

// A read-only view of a dict.
Value make_proxy(Walker& w, PyObject* t, Args& args, bool) {
  if (args.positional.size() != 1 || !args.keywords.empty() ||
      !PyDict_Check(args.positional[0].get()))
    return other_call(w, t, args);
  w.use_type(args.positional[0]);
  Value v = w.fresh(std::move(w.call_plain(t, args).object).release());
  if (v && v.is(ShadowKind::fresh)) {
    w.parts(v).base = args.positional[0];
    w.parts(v).items = {Walker::as_part(args.positional[0])};
  }
  return v;
}

// Both iterators are real; the inner one's place is known to the walk.
Value make_enumerate(Walker& w, PyObject* t, Args& args, bool) {
  if (args.positional.empty() || args.positional.size() > 2 || args.keywords.size() > 1)
    return other_call(w, t, args);
  Value it = w.iterator_of(args.positional[0]);
  if (!it) return {};
  if (!it.is(ShadowKind::fresh) || w.parts(it).iterates == Iterates::nothing ||
      w.parts(it).iterates >= Iterates::zip) {
    if (w.recording()) w.lose("iterator", "enumerate over such an iterator is not followed");
  }
  Value start = args.positional.size() > 1 ? args.positional[1]
                : !args.keywords.empty()   ? args.keywords[0].second
                                           : w.taken(PyLong_FromLong(0));
  if (!w.use_value(start)) return {};
  Value v = w.fresh(PyObject_CallFunctionObjArgs(t, it.get(), start.get(), nullptr));
  if (v && v.is(ShadowKind::fresh)) {
    w.parts(v).iterates = Iterates::enumerate;
    w.parts(v).inner = {it};
  }
  return v;
}

template <Iterates kind>
Value make_combined(Walker& w, PyObject* t, Args& args, bool) {
  const size_t first = kind == Iterates::zip || kind == Iterates::chain ? 0 : 1;
  const bool strict = kind == Iterates::zip && args.keywords.size() == 1 &&
                      text_of(args.keywords[0].first) == "strict" &&
                      PyBool_Check(args.keywords[0].second.get());
  if (strict && !w.use_value(args.keywords[0].second)) return {};
  if ((!args.keywords.empty() && !strict) || args.positional.size() < first ||
      (kind == Iterates::filter && args.positional.size() != 2))
    return other_call(w, t, args);
  // chain() asks each for its iterator when it comes to it.
  static PyObject* const n_iter = name_of("__iter__");
  if (kind == Iterates::chain)
    for (Value& v : args.positional)
      if (w.python_method(v.type(), n_iter)) return other_call(w, t, args);
  Walker::Committed committed(w);
  for (size_t i = first; i < args.positional.size(); ++i) {
    args.positional[i] = w.iterator_of(args.positional[i]);
    if (!args.positional[i]) return {};
  }
  Value v = w.fresh(std::move(w.call_plain(t, args).object).release());
  if (v && v.is(ShadowKind::fresh)) {
    w.parts(v).iterates = kind;
    w.parts(v).strict = strict && args.keywords[0].second.get() == Py_True;
    if (first) w.parts(v).base = args.positional[0];
    w.parts(v).inner.assign(args.positional.begin() + static_cast<Py_ssize_t>(first),
                            args.positional.end());
  }
  return v;
}

PyObject* chain_type() {
  return made_once([] { return imported("itertools", "chain"); }).get();
}

// chain.from_iterable(a sequence): as chain(*it)
Value chain_from(Walker& w, PyObject* f, Args& args, bool) {
  if (args.positional.size() != 1 || !args.keywords.empty() ||
      !is_sequence(args.positional[0].get()))
    return other_call(w, f, args);
  Args each;
  if (!w.drain(args.positional[0], each.positional)) return {};
  return make_combined<Iterates::chain>(w, chain_type(), each, false);
}

Value make_reversed(Walker& w, PyObject* t, Args& args, bool) {
  if (args.positional.size() != 1 || !is_sequence(args.positional[0].get())) {
    if (args.positional.size() != 1 || !PyRange_Check(args.positional[0].get()))
      return other_call(w, t, args);
    if (!w.use_value(args.positional[0])) return {};
  }
  Value base = args.positional[0];
  const bool sequence = is_sequence(base.get());
  if (sequence) w.use_length(base);
  Value v = w.fresh(std::move(w.call_plain(t, args).object).release());
  if (v && v.is(ShadowKind::fresh)) {
    w.parts(v).iterates = sequence ? Iterates::reversed : Iterates::sequence;
    if (sequence) w.parts(v).base = base;
  }
  return v;
}

Value make_bool(Walker& w, PyObject* t, Args& args, bool) {
  if (args.positional.size() > 1 || !args.keywords.empty()) return other_call(w, t, args);
  if (args.positional.empty()) return w.boolean(false);
  const int r = w.truth(args.positional[0]);
  return r < 0 ? Value() : w.boolean(r);
}

// int, float, str of plain values; of others by their methods.
Value make_number(Walker& w, PyObject* t, Args& args, bool) {
  if (args.positional.size() == 1 && args.keywords.empty()) {
    Value& v = args.positional[0];
    if (t == reinterpret_cast<PyObject*>(&PyLong_Type) && PyLong_CheckExact(v.get())) return v;
    if (t == reinterpret_cast<PyObject*>(&PyFloat_Type) && PyFloat_CheckExact(v.get())) return v;
    if (w.is_tensor(v.get())) {
      if (w.stop("data_read", text_of(t) + "() reads a tensor's value",
                 "keep it a tensor, or read it after the compiled call"))
        return {};
      return w.call_plain(t, args);
    }
    static PyObject* const names[] = {name_of("__int__"), name_of("__float__"), name_of("__str__")};
    const int kind = t == reinterpret_cast<PyObject*>(&PyLong_Type)    ? 0
                     : t == reinterpret_cast<PyObject*>(&PyFloat_Type) ? 1
                                                                       : 2;
    if (PyObject* m = w.python_method(v.type(), names[kind])) {
      w.use_type(v);
      return w.call_with(w.constant(m), {v});
    }
    if (kind == 2 &&
        PyObject_TypeCheck(v.get(), reinterpret_cast<PyTypeObject*>(PyExc_BaseException)) &&
        v.is(ShadowKind::fresh))
      return w.call_plain(t, args);
  }
  for (Value& v : args.positional) {
    // A class is written as classes are, unless its own class says something else.
    const bool written = t == reinterpret_cast<PyObject*>(&PyUnicode_Type) &&
                         PyType_Check(v.get()) && v.type()->tp_str == PyType_Type.tp_str &&
                         v.type()->tp_repr == PyType_Type.tp_repr;
    if (!written && !is_plain(v.get(), w.library())) return other_call(w, t, args);
    if (!w.use_value(v)) return {};
  }
  for (auto& [k, v] : args.keywords) {
    if (!is_plain(v.get(), w.library())) return other_call(w, t, args);
    if (!w.use_value(v)) return {};
  }
  return w.call_plain(t, args);
}

Value make_slice(Walker& w, PyObject* t, Args& args, bool) {
  if (args.positional.empty() || args.positional.size() > 3) return other_call(w, t, args);
  Value v = w.taken(std::move(w.call_plain(t, args).object).release());
  bool fixed = true;
  for (Value& x : args.positional) fixed = fixed && x.is(ShadowKind::constant);
  if (!v || fixed) return v;
  for (Value& x : args.positional)
    if (!w.use_value(x)) return {};
  return v;
}

Value make_method(Walker& w, PyObject* t, Args& args, bool) {
  if (args.positional.size() != 2) return other_call(w, t, args);
  Value m = w.fresh(std::move(w.call_plain(t, args).object).release());
  if (m && m.is(ShadowKind::fresh))
    w.parts(m).items = {Walker::as_part(args.positional[0]), Walker::as_part(args.positional[1])};
  return m;
}

// What a weak reference refers to now.
Value call_weakref(Walker& w, PyObject* f, Args& args, bool) {
  if (args.positional.size() != 1 || !args.keywords.empty()) {
    args.positional.erase(args.positional.begin());
    return w.call_plain(f, args);  // raises
  }
  Value reference = args.positional[0];
  Ref found = Ref::take(PyObject_CallNoArgs(f));
  if (!found || !w.recording()) return w.taken(found.release());
  Source* s = w.source_of(reference);
  if (!s) {
    // Made in this run, of something that the walk holds.
    return w.known_or_constant(found.release());
  }
  w.use_type(reference);
  return w.read(SourceKind::state, s, nullptr, 0, found.get());
}

Value make_object(Walker& w, PyObject* t, Args& args, bool) {
  return w.fresh(std::move(w.call_plain(t, args).object).release());
}

// object.__new__(cls), dict.__new__(cls): called by a __new__ of Python's.
Value new_object(Walker& w, PyObject* f, Args& args, bool) {
  if (args.positional.empty() || !PyType_Check(args.positional[0].get()))
    return other_call(w, f, args);
  w.use_identity(args.positional[0]);
  if (!is_safe_to_make(reinterpret_cast<PyTypeObject*>(args.positional[0].get())))
    return other_call(w, f, args);
  return w.fresh(std::move(w.call_plain(f, args).object).release());
}

Value new_tuple(Walker& w, PyObject* f, Args& args, bool) {
  if (args.positional.empty() || args.positional.size() > 2) return other_call(w, f, args);
  w.use_identity(args.positional[0]);
  std::vector<Value> items;
  if (args.positional.size() > 1 && !w.drain(args.positional[1], items)) return {};
  Value plain = w.make_tuple(items);
  if (!plain || args.positional[0].get() == reinterpret_cast<PyObject*>(&PyTuple_Type))
    return plain;
  Value v =
      w.fresh(PyObject_CallFunctionObjArgs(f, args.positional[0].get(), plain.get(), nullptr));
  if (v && v.is(ShadowKind::fresh))
    for (Value& x : items) w.parts(v).items.push_back(Walker::as_part(x));
  return v;
}

}  // namespace

void add_types(CFunctions& t) {
  t.type(&PyType_Type, make_type);
  t.type(&PySuper_Type, make_super);
  t.type(&PyTuple_Type, make_tuple);
  t.type(&PyList_Type, make_list);
  t.type(&PySet_Type, make_set);
  t.type(&PyDict_Type, make_dict);
  t.type(&PyODict_Type, make_ordered_dict);
  if (defaultdict_type()) t.type(defaultdict_type(), make_defaultdict);
  t.type(&PyDictProxy_Type, make_proxy);
  t.type(&PyEnum_Type, make_enumerate);
  t.type(&PyZip_Type, make_combined<Iterates::zip>);
  t.type(&PyMap_Type, make_combined<Iterates::map>);
  t.type(&PyFilter_Type, make_combined<Iterates::filter>);
  if (auto* type = reinterpret_cast<PyTypeObject*>(chain_type())) {
    t.type(type, make_combined<Iterates::chain>);
    t.add(type, {"from_iterable"}, CKind::model, chain_from);
  }
  t.type(&PyReversed_Type, make_reversed);
  t.type(&PyBool_Type, make_bool);
  t.type(&PyLong_Type, make_number);
  t.type(&PyFloat_Type, make_number);
  t.type(&PyUnicode_Type, make_number);
  t.type(&PySlice_Type, make_slice);
  t.type(&PyMethod_Type, make_method);
  t.instances(&_PyWeakref_RefType, call_weakref);
  t.type(&PyBaseObject_Type, make_object);
  add_new_model(&PyBaseObject_Type, new_object);
  add_new_model(&PyDict_Type, new_object);
  add_new_model(&PyTuple_Type, new_tuple);
}

}  // namespace frit::walk
