// Methods of dicts, lists and sets.
#include <fmt/format.h>

#include "frame/walk/c_functions.h"
#include "frame/walk/layouts.h"

namespace frit::walk {
namespace {

Value other_call(Walker& w, PyObject* f, Args& args, bool bound) {
  if (w.stop("c_function", "this call of " + c_function_name(f) + " is not followed")) return {};
  if (bound) args.positional.erase(args.positional.begin());
  return w.call_plain(f, args);
}
bool fits(const Args& a, size_t least, size_t most) {
  return a.keywords.empty() && a.positional.size() >= least && a.positional.size() <= most;
}
bool fits_key(Walker& w, Value& k) { return w.is_key(k); }

// --- dict ---

Value dict_get(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!fits(args, 2, 3) || !fits_key(w, args.positional[1])) return other_call(w, f, args, bound);
  Value &d = args.positional[0], &k = args.positional[1];
  w.use_type(d);
  if (!w.use_key(k)) return {};
  PyObject* found = PyDict_GetItemWithError(d.get(), k.get());
  if (found) {
    Ref hold = Ref::share(found);
    return w.entry_of(d, k.get(), found);
  }
  if (PyErr_Occurred()) return {};
  w.use_absent(d, k.get());
  return args.positional.size() > 2 ? args.positional[2] : w.none();
}

// Does the dict's class say itself how this is done?
bool has_own(Walker& w, Value& d, const char* method) {
  return w.python_method(d.type(), Ref::take(PyUnicode_InternFromString(method)).get());
}

Value dict_contains(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!fits(args, 2, 2) || has_own(w, args.positional[0], "__contains__") ||
      !fits_key(w, args.positional[1]))
    return other_call(w, f, args, bound);
  const int t = w.contains(args.positional[0], args.positional[1]);
  return t < 0 ? Value() : w.boolean(t);
}

// dict.__getitem__ itself, whatever a subclass says.
Value dict_item(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!fits(args, 2, 2) || !fits_key(w, args.positional[1])) return other_call(w, f, args, bound);
  Value &d = args.positional[0], &k = args.positional[1];
  w.use_type(d);
  if (!w.use_key(k)) return {};
  PyObject* found = PyDict_GetItemWithError(d.get(), k.get());
  if (found) {
    Ref hold = Ref::share(found);
    return w.entry_of(d, k.get(), found);
  }
  if (PyErr_Occurred()) return {};
  if (!PyDict_CheckExact(d.get())) return other_call(w, f, args, bound);
  w.use_absent(d, k.get());
  PyErr_SetObject(PyExc_KeyError, k.get());
  return {};
}

template <Iterates kind>
Value dict_view(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!fits(args, 1, 1)) return other_call(w, f, args, bound);
  Value d = args.positional[0];
  w.use_type(d);
  if (!w.use_keys(d)) return {};
  if (bound) args.positional.erase(args.positional.begin());
  Ref view = std::move(w.call_plain(f, args).object);
  Value v = w.fresh(view.release());
  if (v && v.is(ShadowKind::fresh)) {
    w.parts(v).iterates = kind;
    w.parts(v).base = d;
  }
  return v;
}

// dict stores itself, OrderedDict by its class's __setitem__. __init__, too.
template <bool ordered>
Value dict_update(Walker& w, PyObject* f, Args& args, bool bound) {
  if (args.positional.empty() || args.positional.size() > 2 ||
      (!ordered && PyODict_Check(args.positional[0].get())))
    return other_call(w, f, args, bound);
  Walker::Committed committed(w);
  return w.dict_update(args.positional[0], args, 1, !ordered) ? w.none() : Value();
}

// dict.__setitem__ and OrderedDict's, whatever a subclass says.
template <bool ordered>
Value dict_set(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!fits(args, 3, 3) || ordered != PyODict_Check(args.positional[0].get()))
    return other_call(w, f, args, bound);
  return w.store_entry(args.positional[0], args.positional[1], &args.positional[2]) ? w.none()
                                                                                    : Value();
}

template <bool ordered>
Value dict_delete(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!fits(args, 2, 2) || ordered != PyODict_Check(args.positional[0].get()))
    return other_call(w, f, args, bound);
  return w.store_entry(args.positional[0], args.positional[1], nullptr) ? w.none() : Value();
}

Value dict_setdefault(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!fits(args, 2, 3) || !fits_key(w, args.positional[1]) ||
      (!PyDict_CheckExact(args.positional[0].get()) &&
       !PyODict_CheckExact(args.positional[0].get())))
    return other_call(w, f, args, bound);
  Value &d = args.positional[0], &k = args.positional[1];
  const int there = w.contains(d, k);
  if (there < 0) return {};
  if (there) return w.subscript(d, k);
  Value v = args.positional.size() > 2 ? args.positional[2] : w.none();
  return w.store_subscript(d, k, &v) ? v : Value();
}

Value dict_pop(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!fits(args, 2, 3) || !fits_key(w, args.positional[1]) ||
      !PyDict_CheckExact(args.positional[0].get()))
    return other_call(w, f, args, bound);
  Value &d = args.positional[0], &k = args.positional[1];
  const int there = w.contains(d, k);
  if (there < 0) return {};
  if (!there) {
    if (args.positional.size() > 2) return args.positional[2];
    PyErr_SetObject(PyExc_KeyError, k.get());
    return {};
  }
  Value v = w.subscript(d, k);
  if (!v || !w.store_subscript(d, k, nullptr)) return {};
  return v;
}

Value dict_copy(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!fits(args, 1, 1) || !PyDict_CheckExact(args.positional[0].get()))
    return other_call(w, f, args, bound);
  Value d = w.fresh(PyDict_New());
  return d && w.dict_update(d, args, 0) ? d : Value();
}

Value dict_clear(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!fits(args, 1, 1) || !PyDict_CheckExact(args.positional[0].get()))
    return other_call(w, f, args, bound);
  Value& d = args.positional[0];
  if (!w.use_keys(d)) return {};
  Ref keys = Ref::take(PyDict_Keys(d.get()));
  Walker::Committed committed(w);
  for (Py_ssize_t i = 0; keys && i < PyList_GET_SIZE(keys.get()); ++i)
    if (!w.store_subscript(d, w.constant(PyList_GET_ITEM(keys.get(), i)), nullptr)) return {};
  return w.none();
}

// A read-only view: as the dict under it.
template <Model model>
Value of_proxy(Walker& w, PyObject* f, Args& args, bool bound) {
  if (args.positional.empty()) return other_call(w, f, args, bound);
  PyObject* mapping = reinterpret_cast<layout::MappingProxy*>(args.positional[0].get())->mapping;
  if (Value& p = args.positional[0]; p.is(ShadowKind::fresh) && w.parts(p).base) {
    // Made here: the dict that it was made of.
    p = w.parts(p).base;
    return model(w, f, args, false);
  }
  if (!PyDict_CheckExact(mapping)) return other_call(w, f, args, bound);
  args.positional[0] = w.known_or_constant(Py_NewRef(mapping));
  return model(w, f, args, bound);
}

// What a read-only view that was made here gives: as the dict does by itself.
template <Iterates kind>
Value proxy_view(Walker& w, PyObject* f, Args& args, bool bound) {
  static constexpr const char* kName = kind == Iterates::keys     ? "keys"
                                       : kind == Iterates::values ? "values"
                                                                  : "items";
  if (!fits(args, 1, 1) || !w.recording()) return other_call(w, f, args, bound);
  Value d = w.under_proxy(args.positional[0]);
  if (!PyDict_Check(d.get()) || has_own(w, d, kName)) return other_call(w, f, args, bound);
  Args of;
  of.positional = {d};
  PyTypeObject* type = PyODict_Check(d.get()) ? &PyODict_Type : &PyDict_Type;
  return dict_view<kind>(w, PyDict_GetItemString(layout::dict_of_type(type).get(), kName), of,
                         false);
}

// --- list ---

Value list_append(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!fits(args, 2, 2)) return other_call(w, f, args, bound);
  return w.list_append(args.positional[0], args.positional[1]) ? w.none() : Value();
}

Value list_extend(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!fits(args, 2, 2)) return other_call(w, f, args, bound);
  Walker::Committed committed(w);
  return w.list_extend(args.positional[0], args.positional[1]) ? w.none() : Value();
}

// What changes a list in another way: its parts are known again by what it holds afterwards.
Value list_change(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!args.keywords.empty() && args.keywords[0].second.get() != Py_None)
    return other_call(w, f, args, bound);
  Value l = args.positional[0];
  for (size_t i = 1; i < args.positional.size(); ++i)
    if (PyLong_Check(args.positional[i].get()) && !w.use_value(args.positional[i])) return {};
  Fresh* p = w.list_parts(l);
  if (!w.recording()) {
    if (bound) args.positional.erase(args.positional.begin());
    return w.call_plain(f, args);
  }
  // Comparing (sort, remove) must run no code of the program's.
  const std::string name = c_function_name(f);
  if (name == "list.sort" || name == "list.remove" || name == "list.index" ||
      name == "list.count") {
    bool plain = true;
    for (const Part& x : p->items) plain = plain && is_plain(x.seen, w.library());
    if (!plain || (args.positional.size() > 1 && !is_plain(args.positional[1].get(), w.library())))
      return other_call(w, f, args, bound);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(l.get()); ++i) {
      Value x = w.item_at(l, i);
      if (!x || !w.use_value(x)) return {};
    }
    if (args.positional.size() > 1 && !w.use_value(args.positional[1])) return {};
  }
  std::unordered_multimap<PyObject*, Part> by_object;
  for (const Part& x : p->items) by_object.emplace(x.seen, x);
  for (size_t i = 1; i < args.positional.size(); ++i) {
    by_object.emplace(args.positional[i].get(), Walker::as_part(args.positional[i]));
    w.keep(args.positional[i].get());
  }
  // One object with two histories cannot be told apart once it has moved.
  for (auto& [o, x] : by_object)
    if (by_object.count(o) > 1)
      for (auto [a, b] = by_object.equal_range(o); a != b; ++a)
        if (a->second.shadow != x.shadow) return other_call(w, f, args, bound);
  std::vector<Part> before = p->items;
  Args given = args;
  if (bound) given.positional.erase(given.positional.begin());
  Value r = w.call_plain(f, given);
  if (!r) return {};
  p->items.clear();
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(l.get()); ++i) {
    auto it = by_object.find(PyList_GET_ITEM(l.get(), i));
    if (it == by_object.end()) {
      w.lose("list", "a list was changed in a way that is not followed");
      return r;
    }
    p->items.push_back(it->second);
  }
  if (p->of) {
    std::vector<Value> now;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(l.get()); ++i)
      now.push_back(w.part(p->items[static_cast<size_t>(i)], PyList_GET_ITEM(l.get(), i)));
    w.effects.push_back({Effect::Kind::replace_list, l, {}, w.make_list(std::move(now))});
  }
  auto it = by_object.find(r.get());
  return it != by_object.end() && r.get() != Py_None ? w.part(it->second, r.get()) : r;
}

Value list_copy(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!fits(args, 1, 1)) return other_call(w, f, args, bound);
  w.use_length(args.positional[0]);
  std::vector<Value> items;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(args.positional[0].get()); ++i)
    items.push_back(w.item_at(args.positional[0], i));
  return w.make_list(std::move(items));
}

// --- set ---

template <Effect::Kind kind>
Value set_change(Walker& w, PyObject* f, Args& args, bool bound) {
  if (!fits(args, 2, 2) || !fits_key(w, args.positional[1])) return other_call(w, f, args, bound);
  Value s = args.positional[0];
  if (!w.use_key(args.positional[1])) return {};
  Source* source = s.is(ShadowKind::fresh) ? nullptr : w.source_of(s);
  if (source) {
    w.use_type(s);
    source->changed = true;
    w.effects.push_back({kind, s, {}, args.positional[1]});
  }
  Args given = args;
  if (bound) given.positional.erase(given.positional.begin());
  return w.call_plain(f, given);
}

Value set_of_plain(Walker& w, PyObject* f, Args& args, bool bound) {
  // update, union, ... of plain values, of sets that were made here.
  if (!args.keywords.empty()) return other_call(w, f, args, bound);
  for (Value& v : args.positional) {
    if (!is_plain(v.get(), w.library())) return other_call(w, f, args, bound);
    if (!v.is(ShadowKind::fresh) && PyAnySet_Check(v.get()) && w.source_of(v) &&
        w.source_of(v)->kind != SourceKind::constant)
      return other_call(w, f, args, bound);
    if (!w.use_value(v)) return {};
  }
  Args given = args;
  if (bound) given.positional.erase(given.positional.begin());
  Value r = w.call_plain(f, given);
  return r && w.recording() && PyAnySet_Check(r.get()) ? w.fresh(r.object.release()) : r;
}

}  // namespace

void add_containers(CFunctions& t) {
  for (PyTypeObject* d : {&PyDict_Type, &PyODict_Type}) {
    t.add(d, {"get"}, CKind::model, dict_get);
    t.add(d, {"__contains__"}, CKind::model, dict_contains);
    t.add(d, {"__getitem__"}, CKind::model, dict_item);
    t.add(d, {"keys"}, CKind::model, dict_view<Iterates::keys>);
    t.add(d, {"values"}, CKind::model, dict_view<Iterates::values>);
    t.add(d, {"items"}, CKind::model, dict_view<Iterates::items>);
    t.add(d, {"setdefault"}, CKind::model, dict_setdefault);
    t.add(d, {"pop"}, CKind::model, dict_pop);
    t.add(d, {"copy"}, CKind::model, dict_copy);
    t.add(d, {"clear"}, CKind::model, dict_clear);
  }
  t.add(&PyDict_Type, {"update", "__init__"}, CKind::model, dict_update<false>);
  t.add(&PyODict_Type, {"update", "__init__"}, CKind::model, dict_update<true>);
  t.add(&PyDict_Type, {"__setitem__"}, CKind::model, dict_set<false>);
  t.add(&PyODict_Type, {"__setitem__"}, CKind::model, dict_set<true>);
  t.add(&PyDict_Type, {"__delitem__"}, CKind::model, dict_delete<false>);
  t.add(&PyODict_Type, {"__delitem__"}, CKind::model, dict_delete<true>);
  t.add(&PyDictProxy_Type, {"keys"}, CKind::model, proxy_view<Iterates::keys>);
  t.add(&PyDictProxy_Type, {"values"}, CKind::model, proxy_view<Iterates::values>);
  t.add(&PyDictProxy_Type, {"items"}, CKind::model, proxy_view<Iterates::items>);
  t.add(&PyDictProxy_Type, {"get"}, CKind::model, of_proxy<dict_get>);
  t.add(&PyDictProxy_Type, {"__contains__"}, CKind::model, of_proxy<dict_contains>);
  t.add(&PyDictProxy_Type, {"__getitem__"}, CKind::model, of_proxy<dict_item>);
  t.add(&PyList_Type, {"append"}, CKind::model, list_append);
  t.add(&PyList_Type, {"extend"}, CKind::model, list_extend);
  t.add(&PyList_Type, {"copy"}, CKind::model, list_copy);
  t.add(&PyList_Type, {"insert", "pop", "remove", "reverse", "sort", "clear", "index", "count"},
        CKind::model, list_change);
  t.add(&PySet_Type, {"add"}, CKind::model, set_change<Effect::Kind::set_add>);
  t.add(&PySet_Type, {"discard"}, CKind::model, set_change<Effect::Kind::set_discard>);
  t.add(&PySet_Type,
        {"update", "union", "intersection", "difference", "symmetric_difference", "copy",
         "issubset", "issuperset", "isdisjoint"},
        CKind::model, set_of_plain);
}

}  // namespace frit::walk
