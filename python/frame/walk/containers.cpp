// Lists, tuples and dicts: reading and writing their parts.
#include <fmt/format.h>

#include "frame/walk/c_functions.h"
#include "frame/walk/layouts.h"
#include "frame/walk/walker.h"

namespace frit::walk {

Value& Walker::under_proxy(Value& v) {
  const bool known = v.type() == &PyDictProxy_Type && v.is(ShadowKind::fresh) && parts(v).base;
  return known ? parts(v).base : v;
}

Value Walker::make_tuple(std::vector<Value> v) {
  PyObject* t = PyTuple_New(static_cast<Py_ssize_t>(v.size()));
  if (!t) return {};
  bool constant = true;
  for (size_t i = 0; i < v.size(); ++i) {
    constant = constant && v[i].is(ShadowKind::constant) && is_shared(v[i].get());
    PyTuple_SET_ITEM(t, static_cast<Py_ssize_t>(i), Py_NewRef(v[i].get()));
  }
  if (constant) return taken(t);
  Value r = fresh(t);
  if (r.is(ShadowKind::fresh))
    for (Value& x : v) parts(r).items.push_back(as_part(x));
  return r;
}

Value Walker::make_list(std::vector<Value> v) {
  PyObject* l = PyList_New(static_cast<Py_ssize_t>(v.size()));
  if (!l) return {};
  for (size_t i = 0; i < v.size(); ++i)
    PyList_SET_ITEM(l, static_cast<Py_ssize_t>(i), Py_NewRef(v[i].get()));
  Value r = fresh(l);
  if (r.is(ShadowKind::fresh))
    for (Value& x : v) parts(r).items.push_back(as_part(x));
  return r;
}

std::vector<PyTypeObject*> g_size_types;

Value Walker::with_items(PyObject* owned, const std::vector<Value>& items) {
  Value v = fresh(owned);
  if (v && v.is(ShadowKind::fresh)) {
    parts(v).items.clear();
    for (const Value& x : items) parts(v).items.push_back(as_part(x));
  }
  return v;
}

Value Walker::item_at(Value& o, Py_ssize_t i) {
  PyObject* found = PySequence_Fast_GET_ITEM(o.get(), i);
  if (plain_) return constant(found);
  if (o.is(ShadowKind::fresh)) {
    const auto& items = parts(o).items;
    return part(static_cast<size_t>(i) < items.size() ? items[static_cast<size_t>(i)] : Part(),
                found);
  }
  if (o.is(ShadowKind::constant) && PyTuple_Check(o.get())) {
    if (!is_shared(found))
      if (auto it = identity_.find(found);
          it != identity_.end() && it->second->kind != ShadowKind::input)
        return {Ref::share(found), it->second};
    return constant(found);
  }
  Source* s = source_of(o);
  if (!s) return part({}, found);
  if (s->parts) {
    const auto& items = s->parts->items;
    return part(static_cast<size_t>(i) < items.size() ? items[static_cast<size_t>(i)] : Part(),
                found);
  }
  use_type(o);
  return read(SourceKind::item, s, nullptr, i, found);
}

Value Walker::entry_of(Value& d, PyObject* key, PyObject* found) {
  if (plain_) return constant(found);
  if (d.is(ShadowKind::fresh)) {
    Fresh& f = parts(d);
    if (f.owner && PyUnicode_CheckExact(key)) {
      auto it = f.owner->attributes.find(interned(key).get());
      return part(it == f.owner->attributes.end() ? Part() : it->second, found);
    }
    PyObject* at = f.keys ? PyDict_GetItemWithError(f.keys.get(), key) : nullptr;
    return part(at ? f.entries[static_cast<size_t>(PyLong_AsSsize_t(at))] : Part(), found);
  }
  Source* s = source_of(d);
  if (!s) return part({}, found);
  if (s->kind == SourceKind::dict && PyUnicode_CheckExact(key))
    return read(SourceKind::attribute, s->parent, key, 0, found);
  use_type(d);
  return read(SourceKind::key, s, key, 0, found);
}

void Walker::use_absent(Value& d, PyObject* key) {
  if (plain_ || d.is(ShadowKind::fresh)) return;
  Source* s = source_of(d);
  if (!s) return;
  const bool attributes = s->kind == SourceKind::dict && PyUnicode_CheckExact(key);
  Source* owner = attributes ? s->parent : s;
  const SourceKind kind = attributes ? SourceKind::attribute : SourceKind::key;
  if (Source* known = sources.find(kind, owner, key, 0); known && known->written) return;
  if (!attributes) use_type(d);
  keep(key);
  guards.add(attributes ? GuardKind::absent_attribute : GuardKind::absent_key, *owner, key);
}

// The list's parts from now on, where it is the caller's; null where it is plain or fresh.
Fresh* Walker::touch_list(Value& l, bool length) {
  Source* s = source_of(l);
  if (!s) return nullptr;
  use_type(l);
  if (!s->parts) {
    Fresh& f = sources.new_fresh();
    f.object = l.object;
    f.of = s;
    f.length_at_entry = PyList_GET_SIZE(l.get());
    f.length_known = guards.has(GuardKind::length, *s);
    for (Py_ssize_t i = 0; i < f.length_at_entry; ++i) {
      const Source* known = sources.find(SourceKind::item, s, nullptr, i);
      const bool was_read = known && known->was_read;
      f.items.push_back(
          as_part(read(SourceKind::item, s, nullptr, i, PyList_GET_ITEM(l.get(), i))));
      // Not by the program, which may not care how many there are.
      if (Source* item = sources.find(SourceKind::item, s, nullptr, i)) item->was_read = was_read;
    }
    s->parts = &f;
    s->changed = true;
  }
  if (length) use_length(l);
  return s->parts;
}

bool Walker::list_append(Value& l, const Value& v) {
  Fresh* f = plain_ ? nullptr : l.is(ShadowKind::fresh) ? &parts(l) : touch_list(l, false);
  if (PyList_Append(l.get(), v.get()) < 0) return false;
  if (!f || plain_) return true;
  f->items.push_back(as_part(v));
  keep(v.get());
  if (f->of) effects.push_back({Effect::Kind::append, l, {}, v});
  return true;
}

bool Walker::list_extend(Value& l, Value& with) {
  if (plain_) {
    const Py_ssize_t n = PyList_GET_SIZE(l.get());
    return PyList_SetSlice(l.get(), n, n, Ref::take(PySequence_List(with.get())).get()) == 0 &&
           !PyErr_Occurred();
  }
  std::vector<Value> items;
  if (!drain(with, items)) return false;
  for (Value& v : items)
    if (!list_append(l, v)) return false;
  return true;
}

// Of a named tuple or the like, whatever methods its class has.
Value Walker::item_of_tuple(Value& o, Py_ssize_t i) {
  if (o.is(ShadowKind::fresh)) return item_at(o, i);
  PyObject* found = PyTuple_GET_ITEM(o.get(), i);
  if (plain_) return constant(found);
  use_type(o);
  Source* s = source_of(o);
  use_length(o);
  return s ? read(SourceKind::item, s, nullptr, i, found) : part({}, found);
}

Value Walker::subscript(Value o, Value key) {
  static PyObject* const n_getitem = name_of("__getitem__");
  static PyObject* const n_class_getitem = name_of("__class_getitem__");
  if (plain_) return taken(PyObject_GetItem(o.get(), key.get()));
  o = under_proxy(o);
  PyObject* c = o.get();
  if (is_tensor(c)) {
    if (!use_tensor(o)) return {};
    bool ok = true;
    Ref k = for_op(key, ok);
    if (!ok) return {};
    return tensor_result(
        compute(n_getitem, {c, k.get()}, [&] { return PyObject_GetItem(c, k.get()); }));
  }
  if (is_tensor(key.get()) && !PyDict_Check(c)) {
    if (stop("data_read", "a tensor is used as an index of a container")) return {};
    return taken(PyObject_GetItem(c, key.get()));
  }
  if (PyTuple_Check(c) && !is_sequence(c) && !python_method(o.type(), n_getitem)) {
    // Named tuples and the like.
    if (PyLong_CheckExact(key.get())) {
      if (!use_value(key)) return {};
      use_type(o);
      Value r = taken(PyObject_GetItem(c, key.get()));
      if (!r) return r;
      Py_ssize_t i = PyLong_AsSsize_t(key.get());
      if (i < 0) i += PyTuple_GET_SIZE(c);
      return item_of_tuple(o, i);
    }
  }
  if (is_sequence(c)) {
    if (PyLong_CheckExact(key.get()) || PyBool_Check(key.get())) {
      if (!use_value(key)) return {};
      Value r = taken(PyObject_GetItem(c, key.get()));
      if (!r) {
        PendingError keep;
        use_length(o);
        return {};
      }
      Py_ssize_t i = PyLong_AsSsize_t(key.get());
      if (i < 0) {
        i += PySequence_Fast_GET_SIZE(c);
        use_length(o);
      } else if (Source* s = source_of(o); s && s->parts) {
        use_length(o);
      }
      return item_at(o, i);
    }
    if (PySlice_Check(key.get())) {
      if (!use_value(key)) return {};
      use_length(o);
      Ref r = Ref::take(PyObject_GetItem(c, key.get()));
      if (!r) return {};
      Py_ssize_t start, stop, step;
      if (PySlice_Unpack(key.get(), &start, &stop, &step) < 0) return {};
      const Py_ssize_t n = PySlice_AdjustIndices(PySequence_Fast_GET_SIZE(c), &start, &stop, step);
      std::vector<Value> items;
      for (Py_ssize_t i = 0; i < n; ++i) {
        items.push_back(item_at(o, start + i * step));
        if (!items.back()) return {};
      }
      return r.get() == c ? o : with_items(r.release(), items);
    }
  }
  if (PyObject* f = python_method(o.type(), n_getitem)) {
    use_type(o);
    Committed committed(*this);
    return call_with(constant(f), {o, key});
  }
  if (PyDict_Check(c)) {
    use_type(o);
    if (!use_key(key)) return {};
    if (!is_key(key)) {
      if (stop("key", "a dict is read by a key that is a " + std::string(key.type()->tp_name)))
        return {};
      return taken(PyObject_GetItem(c, key.get()));
    }
    PyObject* found = PyDict_GetItemWithError(c, key.get());
    if (found) {
      Ref hold = Ref::share(found);
      return entry_of(o, key.get(), found);
    }
    if (PyErr_Occurred()) return {};
    static PyObject* const n_missing = name_of("__missing__");
    if (PyObject* f = python_method(o.type(), n_missing)) {
      use_absent(o, key.get());
      Committed committed(*this);
      return call_with(constant(f), {o, key});
    }
    if (o.type() == defaultdict_type()) {
      static PyObject* const n_factory = name_of("default_factory");
      use_absent(o, key.get());
      Value factory = load_attribute(o, n_factory);
      if (!factory) return {};
      use_type(factory);
      if (factory.get() == Py_None) {
        PyErr_SetObject(PyExc_KeyError, key.get());
        return {};
      }
      Committed committed(*this);
      Value made = call_with(factory, {});
      return made && store_entry(o, key, &made) ? made : Value();
    }
    if (!PyDict_CheckExact(c) &&
        stop("subscript", fmt::format("a missing key of a {} is not followed", o.type()->tp_name)))
      return {};
    use_absent(o, key.get());
    return taken(PyObject_GetItem(c, key.get()));
  }
  if (PyType_Check(c)) {
    use_identity(o);
    if (!use_value(key)) return {};
    PyObject* f = guards.lookup(reinterpret_cast<PyTypeObject*>(c), n_class_getitem);
    if (f && Py_TYPE(f) == &PyClassMethod_Type && PyFunction_Check(layout::wrapped(f))) {
      Committed committed(*this);
      return call_with(constant(layout::wrapped(f)), {o, key});
    }
    // What list[int] is, says no code of the program's.
    const bool alias = !f ? c == reinterpret_cast<PyObject*>(&PyType_Type)
                          : Py_TYPE(f) == &PyClassMethodDescr_Type &&
                                reinterpret_cast<PyMethodDescrObject*>(f)->d_method->ml_meth ==
                                    reinterpret_cast<PyCFunction>(Py_GenericAlias);
    if (!(alias && is_plain(key.get(), library_)) &&
        stop("subscript", text_of(c) + "[...] is not followed"))
      return {};
    return taken(PyObject_GetItem(c, key.get()));
  }
  if ((PyUnicode_CheckExact(c) || PyBytes_CheckExact(c) || PyRange_Check(c)) &&
      is_plain(key.get(), library_)) {
    if (!use_value(o) || !use_value(key)) return {};
    return taken(PyObject_GetItem(c, key.get()));
  }
  if (stop("subscript", fmt::format("{}[...] is not followed", o.type()->tp_name))) return {};
  return taken(PyObject_GetItem(c, key.get()));
}

bool Walker::store_subscript(Value o, Value key, Value* value) {
  static PyObject* const n_setitem = name_of("__setitem__");
  static PyObject* const n_delitem = name_of("__delitem__");
  PyObject* c = o.get();
  auto really = [&] {
    return (value ? PyObject_SetItem(c, key.get(), value->get())
                  : PyObject_DelItem(c, key.get())) == 0;
  };
  if (plain_) return really();
  if (is_tensor(c) && value) {
    if (!use_tensor(o)) return false;
    bool ok = true;
    Ref k = for_op(key, ok), v = ok ? for_op(*value, ok) : Ref();
    return ok && Ref::take(compute(n_setitem, {c, k.get(), v.get()}, [&]() -> PyObject* {
             return PyObject_SetItem(c, k.get(), v.get()) == 0 ? Py_NewRef(Py_None) : nullptr;
           }));
  }
  if (PyObject* f = python_method(o.type(), value ? n_setitem : n_delitem)) {
    use_type(o);
    Committed committed(*this);
    Value r = value ? call_with(constant(f), {o, key, *value}) : call_with(constant(f), {o, key});
    return static_cast<bool>(r);
  }
  if (PyList_CheckExact(c) && (PyLong_CheckExact(key.get()) || PySlice_Check(key.get()))) {
    if (!use_value(key)) return false;
    std::vector<Value> items;
    const bool slice = PySlice_Check(key.get());
    if (slice && value) {
      if (!is_sequence(value->get())) {
        if (stop("store", "storing to a slice from an iterator is not followed")) return false;
        return really();
      }
      if (!drain(*value, items)) return false;
    }
    Fresh* f = o.is(ShadowKind::fresh) ? &parts(o) : touch_list(o, true);
    if (!really()) return false;
    if (!f || plain_) return true;
    if (!slice) {
      Py_ssize_t i = PyLong_AsSsize_t(key.get());
      if (i < 0) i += static_cast<Py_ssize_t>(f->items.size());
      if (value) {
        f->items[static_cast<size_t>(i)] = as_part(*value);
        keep(value->get());
      } else {
        f->items.erase(f->items.begin() + i);
      }
      if (f->of)
        effects.push_back({value ? Effect::Kind::set_item : Effect::Kind::delete_item, o, key,
                           value ? *value : Value()});
      return true;
    }
    Py_ssize_t start, stop_, step;
    if (PySlice_Unpack(key.get(), &start, &stop_, &step) < 0) return false;
    const Py_ssize_t n =
        PySlice_AdjustIndices(static_cast<Py_ssize_t>(f->items.size()), &start, &stop_, step);
    if (step == 1) {
      f->items.erase(f->items.begin() + start, f->items.begin() + start + n);
      size_t at = static_cast<size_t>(start);
      for (Value& x : items) {
        f->items.insert(f->items.begin() + static_cast<Py_ssize_t>(at++), as_part(x));
        keep(x.get());
      }
    } else if (value) {
      for (Py_ssize_t i = 0; i < n; ++i) {
        f->items[static_cast<size_t>(start + i * step)] = as_part(items[static_cast<size_t>(i)]);
        keep(items[static_cast<size_t>(i)].get());
      }
    } else {
      lose("store", "deleting every n-th element is not followed");
      return true;
    }
    if (f->of)
      effects.push_back({value ? Effect::Kind::set_item : Effect::Kind::delete_item, o, key,
                         value ? make_list(items) : Value()});
    return true;
  }
  if (PyDict_Check(c)) {
    auto* store = o.type()->tp_as_mapping->mp_ass_subscript;
    if (store == PyDict_Type.tp_as_mapping->mp_ass_subscript ||
        store == PyODict_Type.tp_as_mapping->mp_ass_subscript)
      return store_entry(o, key, value);
  }
  if (stop("store", fmt::format("storing an item of a {} is not followed", o.type()->tp_name)))
    return false;
  return really();
}

bool Walker::store_entry(Value& o, Value& key, Value* value) {
  PyObject* c = o.get();
  auto really = [&] { return store_in_dict(c, key.get(), value ? value->get() : nullptr); };
  if (plain_) return really();
  use_type(o);
  if (!use_key(key)) return false;
  if (!is_key(key)) {
    if (stop("key", fmt::format("a dict's key that is a {} is not followed", key.type()->tp_name)))
      return false;
    return really();
  }
  if (o.is(ShadowKind::fresh)) {
    if (!really()) return false;
    Fresh& f = parts(o);
    if (f.owner && PyUnicode_CheckExact(key.get())) {
      Ref name = interned(key.get());
      if (value) {
        f.owner->attributes[name.get()] = as_part(*value);
        keep(name.get());
        keep(value->get());
      } else {
        f.owner->attributes.erase(name.get());
      }
      return true;
    }
    if (!value) return true;  // the entry stays, and is never looked at
    if (!f.keys) f.keys = Ref::take(PyDict_New());
    Ref n = Ref::take(PyLong_FromSize_t(f.entries.size()));
    if (!n || PyDict_SetItem(f.keys.get(), key.get(), n.get()) < 0) return false;
    f.entries.push_back(as_part(*value));
    keep(value->get());
    return true;
  }
  Source* s = source_of(o);
  if (!s) return really();
  const bool attributes = s->kind == SourceKind::dict && PyUnicode_CheckExact(key.get());
  Source* owner = attributes ? s->parent : s;
  const SourceKind kind = attributes ? SourceKind::attribute : SourceKind::key;
  Source* known = sources.find(kind, owner, key.get(), 0);
  PyObject* was = PyDict_GetItemWithError(c, key.get());
  if (!known) known = &sources.at(kind, owner, key.get(), 0, was);
  if (!value && !known->written) {
    if (!was)
      use_absent(o, key.get());
    else
      guards.add(GuardKind::present_key, *s, key.get());
  }
  if (!really()) return false;
  write_source(*known, value);
  s->changed = true;
  effects.push_back({value ? Effect::Kind::set_item : Effect::Kind::delete_item, o, key,
                     value ? *value : Value()});
  return true;
}

// d.update(...), dict(...), {**d}.
// Whether dict.update asks the type's own methods: as CPython tells it.
bool Walker::has_own_order(PyTypeObject* type) {
  static PyObject* const n_keys = name_of("keys");
  if (type->tp_iter == PyDict_Type.tp_iter) return false;
  return type->tp_iter != PyODict_Type.tp_iter || python_method(type, n_keys);
}

bool Walker::dict_update(Value& d, Args& args, size_t from, bool raw) {
  auto store = [&](Value k, Value& v) {
    return raw ? store_entry(d, k, &v) : store_subscript(d, std::move(k), &v);
  };
  auto with_keywords = [&] {
    for (auto& [k, v] : args.keywords)
      if (!store(constant(k), v)) return false;
    return true;
  };
  if (args.positional.size() > from) {
    Value o = args.positional[from];
    std::vector<std::pair<Value, Value>> entries;
    if (PyDict_Check(o.get()) && !plain_ && !has_own_order(o.type())) {
      // What compares keys may change the dicts.
      bool keys_compare = false;
      for (PyObject* dict : {o.get(), d.get()}) {
        Py_ssize_t at = 0;
        PyObject *k, *x;
        while (PyDict_Next(dict, &at, &k, &x))
          keys_compare = keys_compare || !(is_plain(k, library_) || is_tensor(k) ||
                                           Py_TYPE(k)->tp_hash == PyBaseObject_Type.tp_hash);
      }
      if (keys_compare) {
        lose("update", "dict.update with keys that the program compares is not followed");
        return PyDict_Update(d.get(), o.get()) == 0 && with_keywords();
      }
      if (!use_keys(o)) return false;
      use_type(o);
      Ref keys = keys_in_order(o.get());
      for (Py_ssize_t i = 0; keys && i < PyList_GET_SIZE(keys.get()); ++i) {
        PyObject* k = PyList_GET_ITEM(keys.get(), i);
        PyObject* v = PyDict_GetItemWithError(o.get(), k);
        if (!v) return false;
        entries.emplace_back(constant(k), entry_of(o, k, v));
        if (!entries.back().second) return false;
      }
    } else if (plain_) {
      Ref r = Ref::take(PyObject_CallMethod(d.get(), "update", "O", o.get()));
      if (!r) return false;
    } else {
      static PyObject* const n_keys = name_of("keys");
      if (!is_sequence(o.get()) && PyObject_HasAttr(o.get(), n_keys)) {
        if (stop("update", fmt::format("dict.update of a {} is not followed", o.type()->tp_name)))
          return false;
        Ref r = Ref::take(PyObject_CallMethod(d.get(), "update", "O", o.get()));
        if (!r) return false;
      } else {
        std::vector<Value> pairs;
        if (!drain(o, pairs)) return false;
        for (Value& p : pairs) {
          if (!is_sequence(p.get()) || PySequence_Fast_GET_SIZE(p.get()) != 2) {
            if (stop("update", "dict.update of pairs that are no tuples is not followed"))
              return false;
            Ref pair = Ref::take(PySequence_Tuple(p.get()));
            if (!pair) return false;
            if (PyTuple_GET_SIZE(pair.get()) != 2) {
              PyErr_SetString(PyExc_ValueError,
                              "dictionary update sequence element has the wrong length");
              return false;
            }
            entries.emplace_back(constant(PyTuple_GET_ITEM(pair.get(), 0)),
                                 constant(PyTuple_GET_ITEM(pair.get(), 1)));
            continue;
          }
          use_length(p);
          entries.emplace_back(item_at(p, 0), item_at(p, 1));
        }
      }
    }
    for (auto& [k, v] : entries)
      if (!store(k, v)) return false;
  }
  return with_keywords();
}

}  // namespace frit::walk
