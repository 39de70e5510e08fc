// Builtin functions that the walk does itself, so that what they call is walked, too.
#include <fmt/format.h>
#include <opcode.h>

#include "frame/walk/c_functions.h"
#include "frame/walk/layouts.h"
#include "frame/walk/made_once.h"

namespace frit::walk {
namespace {

// The call as it is, where its arguments are not those the model is for.
Value other_call(Walker& w, PyObject* f, Args& args, bool bound) {
  if (w.stop("c_function", "this call of " + c_function_name(f) + " is not followed")) return {};
  if (bound) args.positional.erase(args.positional.begin());
  return w.call_plain(f, args);
}

bool plain_count(const Args& a, size_t least, size_t most) {
  return a.keywords.empty() && a.positional.size() >= least && a.positional.size() <= most;
}

Value is_instance(Walker& w, PyObject* f, Args& args, bool bound) {
  static PyObject* const n_check = name_of("__instancecheck__");
  if (!plain_count(args, 2, 2)) return other_call(w, f, args, bound);
  Value o = args.positional[0], cls = args.positional[1];
  w.use_type(o);
  if (PyTuple_CheckExact(cls.get())) {
    w.use_length(cls);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(cls.get()); ++i) {
      Args one;
      one.positional = {o, w.item_at(cls, i)};
      Value r = is_instance(w, f, one, false);
      if (!r || r.get() == Py_True) return r;
    }
    return w.boolean(false);
  }
  w.use_identity(cls);
  if (reinterpret_cast<PyObject*>(o.type()) == cls.get()) return w.boolean(true);
  if (PyObject* check = w.python_method(cls.type(), n_check)) {
    const Ref& abc = made_once([] { return imported("abc", "ABCMeta"); });
    // An abstract class answers by type; what its subclass hook runs is seen by nobody else.
    if (reinterpret_cast<PyObject*>(cls.type()) != abc.get()) {
      Walker::Committed committed(w);
      Value r = w.call_with(w.constant(check), {cls, o});
      const int t = r ? w.truth(r) : -1;
      return t < 0 ? Value() : w.boolean(t);
    }
  }
  const int r = PyObject_IsInstance(o.get(), cls.get());
  return r < 0 ? Value() : w.boolean(r);
}

Value is_subclass(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!plain_count(args, 2, 2)) return other_call(w, f, args, bound);
  for (Value& v : args.positional)
    if (!w.use_value(v)) return {};
  const int r = PyObject_IsSubclass(args.positional[0].get(), args.positional[1].get());
  return r < 0 ? Value() : w.boolean(r);
}

// type.__instancecheck__ and type.__subclasscheck__: what a metaclass's own falls back on.
template <bool instance>
Value type_check(Walker& w, PyObject* f, Args& args, bool bound) {
  // super().__instancecheck__ holds its class.
  if (!bound && args.positional.size() == 1 && PyCFunction_Check(f) && PyCFunction_GET_SELF(f)) {
    args.positional.insert(args.positional.begin(), w.constant(PyCFunction_GET_SELF(f)));
    bound = true;
  }
  if (!plain_count(args, 2, 2)) return other_call(w, f, args, bound);
  w.use_identity(args.positional[0]);
  if (instance)
    w.use_type(args.positional[1]);
  else
    w.use_identity(args.positional[1]);
  if (bound) args.positional.erase(args.positional.begin());
  return w.call_plain(f, args);
}

Value length(Walker& w, PyObject* f, Args& args, bool bound) {
  static PyObject* const n_len = name_of("__len__");
  if (!plain_count(args, 1, 1)) return other_call(w, f, args, bound);
  Value& o = w.under_proxy(args.positional[0]);
  if (w.is_tensor(o.get())) {
    if (!w.use_tensor(o)) return {};
    Ref n = Ref::take(PyLong_FromSsize_t(PyObject_Size(o.get())));
    if (!n || PyErr_Occurred()) return {};
    std::vector<Int> ints;
    if (w.recording() && w.library().ints(o.get(), n_len, n.get(), ints) && ints.size() == 1)
      return w.number(n.release(), ints[0]);
    return w.taken(n.release());
  }
  if (PyObject* m = w.python_method(o.type(), n_len)) {
    w.use_type(o);
    Walker::Committed committed(w);
    Value r = w.call_with(w.constant(m), {o});
    if (!r || PyLong_Check(r.get())) return r;
    PyErr_Format(PyExc_TypeError, "'%.200s' object cannot be interpreted as an integer",
                 r.type()->tp_name);
    return {};
  }
  if (is_plain(o.get(), w.library()) && !is_sequence(o.get()) && !PyDict_Check(o.get())) {
    if (!w.use_value(o)) return {};
  } else if (PyTuple_Check(o.get()) || PyList_Check(o.get()) || PyDict_Check(o.get()) ||
             PyAnySet_Check(o.get())) {
    w.use_length(o);
  } else if (o.is(ShadowKind::fresh) && w.parts(o).iterates != Iterates::nothing &&
             w.parts(o).base) {
    w.use_length(w.parts(o).base);
  } else {
    return other_call(w, f, args, bound);
  }
  const Py_ssize_t n = PyObject_Size(o.get());
  return n < 0 ? Value() : w.taken(PyLong_FromSsize_t(n));
}

bool attribute_name(Walker& w, Value& name) {
  if (!w.use_value(name)) return false;
  if (!PyUnicode_Check(name.get())) {
    PyErr_SetString(PyExc_TypeError, "attribute name must be string");
    return false;
  }
  PyObject* n = Py_NewRef(name.get());
  PyUnicode_InternInPlace(&n);
  name.object = Ref::take(n);
  w.keep(n);
  return true;
}

Value get_attribute(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!plain_count(args, 2, 3)) return other_call(w, f, args, bound);
  if (!attribute_name(w, args.positional[1])) return {};
  Value r = w.load_attribute(args.positional[0], args.positional[1].get());
  if (r || w.halted() || args.positional.size() < 3 ||
      !PyErr_ExceptionMatches(PyExc_AttributeError))
    return r;
  PyErr_Clear();
  return args.positional[2];
}

Value has_attribute(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!plain_count(args, 2, 2)) return other_call(w, f, args, bound);
  if (!attribute_name(w, args.positional[1])) return {};
  Walker::Committed committed(w);
  Value r = w.load_attribute(args.positional[0], args.positional[1].get());
  if (r) return w.boolean(true);
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return {};
  PyErr_Clear();
  return w.boolean(false);
}

Value set_attribute(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!plain_count(args, 2, 3)) return other_call(w, f, args, bound);
  if (!attribute_name(w, args.positional[1])) return {};
  Walker::Committed committed(w);
  return w.store_attribute(args.positional[0], args.positional[1].get(),
                           args.positional.size() > 2 ? &args.positional[2] : nullptr)
             ? w.none()
             : Value();
}

// object.__setattr__ and object.__delattr__: no method of the class's own is asked.
Value object_set_attribute(Walker& w, PyObject* f, Args& args, bool bound) {
  // A class is not to be changed so, which CPython says.
  if (!plain_count(args, 2, 3) || w.is_tensor(args.positional[0].get()) ||
      PyType_Check(args.positional[0].get()))
    return other_call(w, f, args, bound);
  if (!attribute_name(w, args.positional[1])) return {};
  Value& o = args.positional[0];
  Value* v = args.positional.size() > 2 ? &args.positional[2] : nullptr;
  PyObject* d = w.guards.lookup(o.type(), args.positional[1].get());
  Walker::Committed committed(w);
  if (d && v && PyObject_TypeCheck(d, &PyProperty_Type) && layout::property_set(d))
    return w.call_with(w.constant(layout::property_set(d)), {o, *v});
  return w.store_generic(o, args.positional[1].get(), v) ? w.none() : Value();
}

Value object_get_attribute(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!plain_count(args, 2, 2) || w.is_tensor(args.positional[0].get()))
    return other_call(w, f, args, bound);
  if (!attribute_name(w, args.positional[1])) return {};
  return w.generic_attribute(args.positional[0], args.positional[1].get(), nullptr, true);
}

Value is_callable(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!plain_count(args, 1, 1)) return other_call(w, f, args, bound);
  w.use_type(args.positional[0]);
  return w.boolean(PyCallable_Check(args.positional[0].get()));
}

Value iterate(Walker& w, PyObject* f, Args& args, bool bound) {
  return plain_count(args, 1, 1) ? w.iterator_of(args.positional[0])
                                 : other_call(w, f, args, bound);
}

Value next_value(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!plain_count(args, 1, 2)) return other_call(w, f, args, bound);
  Value r = w.next_of(args.positional[0]);
  if (r || w.halted() || PyErr_Occurred()) return r;
  if (args.positional.size() > 1) return args.positional[1];
  PyErr_SetNone(PyExc_StopIteration);
  return {};
}

template <bool any>
Value all_or_any(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!plain_count(args, 1, 1)) return other_call(w, f, args, bound);
  Value it = w.iterator_of(args.positional[0]);
  if (!it) return {};
  Walker::Committed committed(w);
  for (;;) {
    Value x = w.next_of(it);
    if (!x) return PyErr_Occurred() ? Value() : w.boolean(!any);
    const int t = w.truth(x);
    if (t < 0) return {};
    if ((t != 0) == any) return w.boolean(any);
  }
}

Value sum(Walker& w, PyObject* f, Args& args, bool bound) {
  if (args.positional.empty() || args.positional.size() > 2 || args.keywords.size() > 1)
    return other_call(w, f, args, bound);
  std::vector<Value> items;
  if (!w.drain(args.positional[0], items)) return {};
  Value total = args.positional.size() > 1 ? args.positional[1]
                : !args.keywords.empty()   ? args.keywords[0].second
                                           : w.taken(PyLong_FromLong(0));
  // From 3.12 on, floats are added with a compensation.
  bool floats = false;
  for (Value& v : items) floats = floats || PyFloat_Check(v.get());
  if (PY_VERSION_HEX >= 0x030c0000 && floats) {
    for (Value& v : items)
      if (!w.use_value(v)) return {};
    Ref list = Ref::take(PyList_New(0));
    for (Value& v : items)
      if (PyList_Append(list.get(), v.get()) < 0) return {};
    return w.taken(PyObject_CallFunctionObjArgs(f, list.get(), total.get(), nullptr));
  }
  Walker::Committed committed(w);
  for (Value& x : items) {
    total = w.binary(NB_ADD, total, x);
    if (!total) return {};
  }
  return total;
}

// operator.add and its kin
template <int op>
Value binary_operator(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!plain_count(args, 2, 2)) return other_call(w, f, args, bound);
  return w.binary(op, args.positional[0], args.positional[1]);
}

template <int op>
Value comparison(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!plain_count(args, 2, 2)) return other_call(w, f, args, bound);
  return w.compare(op, args.positional[0], args.positional[1]);
}

Value item_of(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!plain_count(args, 2, 2)) return other_call(w, f, args, bound);
  return w.subscript(args.positional[0], args.positional[1]);
}

// functools.reduce
Value reduce(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!plain_count(args, 2, 3)) return other_call(w, f, args, bound);
  Walker::Committed committed(w);
  Value it = w.iterator_of(args.positional[1]);
  if (!it) {
    if (PyErr_ExceptionMatches(PyExc_TypeError))
      PyErr_SetString(PyExc_TypeError, "reduce() arg 2 must support iteration");
    return {};
  }
  Value total = args.positional.size() > 2 ? args.positional[2] : w.next_of(it);
  if (!total) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_TypeError, "reduce() of empty iterable with no initial value");
    return {};
  }
  for (;;) {
    Value x = w.next_of(it);
    if (!x) return PyErr_Occurred() ? Value() : total;
    total = w.call_with(args.positional[0], {total, x});
    if (!total) return {};
  }
}

// min, max and sorted of values that compare without the program's code.
template <int kind>  // 0: min, 1: max, 2: sorted
Value extreme(Walker& w, PyObject* f, Args& args, bool bound) {
  Value key, fallback;
  bool reverse = false;
  for (auto& [name, v] : args.keywords) {
    const std::string n = text_of(name);
    if (n == "key" && v.get() != Py_None) {
      key = v;
    } else if (n == "default" && kind < 2) {
      fallback = v;
    } else if (n == "reverse" && kind == 2) {
      const int t = w.truth(v);
      if (t < 0) return {};
      reverse = t;
    } else if (n != "key") {
      return other_call(w, f, args, bound);
    }
  }
  if (args.positional.empty()) return other_call(w, f, args, bound);
  std::vector<Value> items;
  if (args.positional.size() == 1) {
    if (!w.drain(args.positional[0], items)) return {};
  } else if (kind == 2) {
    return other_call(w, f, args, bound);
  } else {
    items = args.positional;
  }
  Walker::Committed committed(w);
  std::vector<Value> keys;
  for (Value& x : items) {
    keys.push_back(key ? w.call_with(key, {x}) : x);
    if (!keys.back()) return {};
  }
  if (kind < 2) {
    if (items.empty()) {
      if (fallback) return fallback;
      PyErr_SetString(
          PyExc_ValueError,
          PY_VERSION_HEX >= 0x030c0000
              ? (kind ? "max() iterable argument is empty" : "min() iterable argument is empty")
              : (kind ? "max() arg is an empty sequence" : "min() arg is an empty sequence"));
      return {};
    }
    size_t best = 0;
    for (size_t i = 1; i < items.size(); ++i) {
      Value r = w.compare(kind ? Py_GT : Py_LT, keys[i], keys[best]);
      const int t = r ? w.truth(r) : -1;
      if (t < 0) return {};
      if (t) best = i;
    }
    return items[best];
  }
  // A stable insertion by "less": as list.sort orders, with the comparisons walked.
  std::vector<size_t> order;
  for (size_t i = 0; i < items.size(); ++i) {
    size_t low = 0, high = order.size();
    while (low < high) {
      const size_t middle = (low + high) / 2;
      Value r = reverse ? w.compare(Py_LT, keys[order[middle]], keys[i])
                        : w.compare(Py_LT, keys[i], keys[order[middle]]);
      const int t = r ? w.truth(r) : -1;
      if (t < 0) return {};
      if (t)
        high = middle;
      else
        low = middle + 1;
    }
    order.insert(order.begin() + static_cast<Py_ssize_t>(low), i);
  }
  std::vector<Value> sorted;
  for (size_t i : order) sorted.push_back(items[i]);
  return w.make_list(std::move(sorted));
}

Value identity(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!plain_count(args, 1, 1)) return other_call(w, f, args, bound);
  Value& v = args.positional[0];
  if (!v.is(ShadowKind::input) && !v.is(ShadowKind::constant)) return other_call(w, f, args, bound);
  w.use_identity(v);
  return w.taken(PyLong_FromVoidPtr(v.get()));
}

Value globals(Walker& w, PyObject*, Args&, bool) { return w.constant(w.current()->globals); }

Value object_init(Walker& w, PyObject* f, Args& args, bool bound) {
  // With more than self it is an error, or not, by what the type overrides.
  return plain_count(args, 1, 1) ? w.none() : other_call(w, f, args, bound);
}

// Of an exception that is being made: as its __new__, it keeps what it is given.
Value exception_init(Walker& w, PyObject* f, Args& args, bool bound) {
  if (args.positional.empty() || !args.positional[0].is(ShadowKind::fresh))
    return other_call(w, f, args, bound);
  for (Value& v : args.positional)
    if (is_plain(v.get(), w.library()) && !w.use_value(v)) return {};
  for (auto& [k, v] : args.keywords)
    if (is_plain(v.get(), w.library()) && !w.use_value(v)) return {};
  if (bound) args.positional.erase(args.positional.begin());
  return w.call_plain(f, args);
}

Value no_result(Walker& w, PyObject*, Args&, bool) { return w.none(); }

}  // namespace

void add_builtins(CFunctions& t) {
  auto model = [&](const char* name, Model m) { t.add("builtins", {name}, CKind::model, m); };
  model("isinstance", is_instance);
  model("issubclass", is_subclass);
  model("len", length);
  model("getattr", get_attribute);
  model("hasattr", has_attribute);
  model("setattr", set_attribute);
  model("delattr", set_attribute);
  model("callable", is_callable);
  model("iter", iterate);
  model("next", next_value);
  model("all", all_or_any<false>);
  model("any", all_or_any<true>);
  model("sum", sum);
  model("min", extreme<0>);
  model("max", extreme<1>);
  model("sorted", extreme<2>);
  model("id", identity);
  t.add("_functools", {"reduce"}, CKind::model, reduce);
  const std::pair<const char*, Model> operators[] = {
      {"add", binary_operator<NB_ADD>},
      {"sub", binary_operator<NB_SUBTRACT>},
      {"mul", binary_operator<NB_MULTIPLY>},
      {"truediv", binary_operator<NB_TRUE_DIVIDE>},
      {"floordiv", binary_operator<NB_FLOOR_DIVIDE>},
      {"mod", binary_operator<NB_REMAINDER>},
      {"pow", binary_operator<NB_POWER>},
      {"matmul", binary_operator<NB_MATRIX_MULTIPLY>},
      {"and_", binary_operator<NB_AND>},
      {"or_", binary_operator<NB_OR>},
      {"xor", binary_operator<NB_XOR>},
      {"iadd", binary_operator<NB_INPLACE_ADD>},
      {"lt", comparison<Py_LT>},
      {"le", comparison<Py_LE>},
      {"eq", comparison<Py_EQ>},
      {"ne", comparison<Py_NE>},
      {"gt", comparison<Py_GT>},
      {"ge", comparison<Py_GE>},
      {"getitem", item_of}};
  for (auto [name, operation] : operators) t.add("_operator", {name}, CKind::model, operation);
  model("globals", globals);
  t.add(&PyType_Type, {"__instancecheck__"}, CKind::model, type_check<true>);
  t.add(&PyType_Type, {"__subclasscheck__"}, CKind::model, type_check<false>);
  t.add(&PyBaseObject_Type, {"__setattr__", "__delattr__"}, CKind::model, object_set_attribute);
  t.add(&PyBaseObject_Type, {"__getattribute__"}, CKind::model, object_get_attribute);
  t.add(&PyBaseObject_Type, {"__init__"}, CKind::model, object_init);
  t.add(&PyBaseObject_Type, {"__init_subclass__"}, CKind::model, no_result);
  for (PyObject* type :
       {PyExc_BaseException, PyExc_Exception, PyExc_ImportError, PyExc_OSError, PyExc_SyntaxError,
        PyExc_StopIteration, PyExc_SystemExit, PyExc_AttributeError, PyExc_NameError})
    t.add(reinterpret_cast<PyTypeObject*>(type), {"__init__"}, CKind::model, exception_init);
  t.add(reinterpret_cast<PyTypeObject*>(PyExc_BaseException), {"__setattr__", "__delattr__"},
        CKind::model, object_set_attribute);
}

}  // namespace frit::walk
