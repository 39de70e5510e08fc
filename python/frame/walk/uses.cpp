// What the program depends on becomes a guard, when it is used and not when it is read.
#include <fmt/format.h>

#include "frame/walk/fault.h"
#include "frame/walk/made_once.h"
#include "frame/walk/walker.h"

namespace frit::walk {

bool is_shared(PyObject* o) {
  return o == Py_None || PyBool_Check(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o) ||
         PyUnicode_CheckExact(o) || PyBytes_CheckExact(o) || PyComplex_CheckExact(o) ||
         o == Py_Ellipsis || o == Py_NotImplemented || PyType_Check(o) || PyCFunction_Check(o) ||
         PyModule_Check(o) || PyCode_Check(o) ||
         (PyTuple_CheckExact(o) && PyTuple_GET_SIZE(o) == 0) || Py_TYPE(o) == &PyMethodDescr_Type ||
         Py_TYPE(o) == &PyWrapperDescr_Type;
}

// list[int], int | None: as plain as what they are made of.
bool is_type_form(PyObject* o) {
  if (Py_TYPE(o) == &Py_GenericAliasType) return true;
  const Ref& either = made_once([] {
    auto type = [](PyTypeObject& t) { return reinterpret_cast<PyObject*>(&t); };
    return Ref::take(PyNumber_Or(type(PyLong_Type), type(PyUnicode_Type)));
  });
  return Py_TYPE(o) == Py_TYPE(either.get());
}

bool is_plain(PyObject* o, const TensorLibrary& library, int depth) {
  if (o == Py_None || PyBool_Check(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o) ||
      PyUnicode_CheckExact(o) || PyBytes_CheckExact(o) || PyComplex_CheckExact(o) ||
      o == Py_Ellipsis || o == Py_NotImplemented || PyCode_Check(o) || PyRange_Check(o) ||
      library.is_plain(o))
    return true;
  // Classes and functions are told apart by identity where their own kind says nothing else.
  if (Py_TYPE(o) == &PyType_Type || PyFunction_Check(o) || PyCFunction_Check(o) ||
      PyModule_CheckExact(o))
    return true;
  if (depth > 4) return false;
  if (is_type_form(o)) {
    static PyObject* const n_args = name_of("__args__");
    const Ref args = Ref::take(PyObject_GetAttr(o, n_args));
    return args && is_plain(args.get(), library, depth + 1);
  }
  if (PySlice_Check(o)) {
    auto* s = reinterpret_cast<PySliceObject*>(o);
    return is_plain(s->start, library, depth + 1) && is_plain(s->stop, library, depth + 1) &&
           is_plain(s->step, library, depth + 1);
  }
  if (is_sequence(o)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
      if (!is_plain(PySequence_Fast_GET_ITEM(o, i), library, depth + 1)) return false;
    return true;
  }
  if (PyDict_CheckExact(o)) {
    Py_ssize_t at = 0;
    PyObject *k, *v;
    while (PyDict_Next(o, &at, &k, &v))
      if (!is_plain(k, library, depth + 1) || !is_plain(v, library, depth + 1)) return false;
    return true;
  }
  if (PyFrozenSet_CheckExact(o) || PySet_CheckExact(o)) {
    Ref it = Ref::take(PyObject_GetIter(o));
    while (Ref k = Ref::take(it ? PyIter_Next(it.get()) : nullptr))
      if (!is_plain(k.get(), library, depth + 1)) return false;
    return true;
  }
  return false;
}

namespace {
bool is_enum(PyObject* o) {
  PyObject* const meta = made_once([] { return imported("enum", "EnumMeta"); }).get();
  return meta && PyType_IsSubtype(Py_TYPE(Py_TYPE(o)), reinterpret_cast<PyTypeObject*>(meta));
}
}  // namespace

bool is_enum_of_plain(PyObject* o) {
  const PyTypeObject* base = PyUnicode_Check(o) ? &PyUnicode_Type
                             : PyLong_Check(o)  ? &PyLong_Type
                             : PyFloat_Check(o) ? &PyFloat_Type
                                                : nullptr;
  return base && Py_TYPE(o) != base && is_enum(o) &&
         Py_TYPE(o)->tp_richcompare == base->tp_richcompare;
}

thread_local Walker* Walker::active_ = nullptr;

// --- values ---

Value Walker::fresh(PyObject* owned) {
  if (!owned) return {};
  Value v = taken(owned);
  if (plain_ || is_shared(owned)) return v;
  Shadow& s = sources.new_shadow(ShadowKind::fresh);
  s.fresh = &sources.new_fresh();
  s.fresh->object = v.object;
  identity_[owned] = &s;
  v.shadow = &s;
  return v;
}

Value Walker::part(const Part& p, PyObject* found) {
  if (plain_ || (p.shadow && p.seen == found))
    return {Ref::share(found), p.shadow ? p.shadow : &constant_};
  if (!is_shared(found))
    if (auto it = identity_.find(found); it != identity_.end())
      return {Ref::share(found), it->second};
  lose("unknown_part", "an object was changed by code that was not followed");
  return constant(found);
}

Value Walker::known_or_constant(PyObject* owned) {
  if (!owned) return {};
  if (!plain_ && !is_shared(owned)) {
    if (auto it = identity_.find(owned); it != identity_.end())
      return {Ref::take(owned), it->second};
    if (PyList_CheckExact(owned) || PyTuple_CheckExact(owned)) {
      std::vector<Value> items;
      for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(owned); ++i)
        items.push_back(known_or_constant(Py_NewRef(PySequence_Fast_GET_ITEM(owned, i))));
      Value v = fresh(owned);
      for (Value& x : items) parts(v).items.push_back(as_part(x));
      return v;
    }
    if (PyDict_CheckExact(owned) || PyAnySet_CheckExact(owned)) {
      Value v = fresh(owned);
      parts(v).rebuildable = false;
      return v;
    }
  }
  return taken(owned);
}

Value Walker::number(PyObject* owned, Int value) {
  if (!owned) return {};
  if (plain_ || value.is_constant()) return taken(owned);
  Shadow& s = sources.new_shadow(ShadowKind::number);
  s.number = value;
  return {Ref::take(owned), &s};
}

Value Walker::read(SourceKind kind, Source* parent, PyObject* key, Py_ssize_t index,
                   PyObject* found) {
  if (plain_) return constant(found);
  bool is_new = false;
  Source& s = sources.at(kind, parent, key, index, found, &is_new);
  if (!s.written) s.was_read = true;
  if (is_new) {
    // A number of the caller's that was seen to change.
    if (PyLong_CheckExact(found) && !dynamic_numbers.empty() &&
        dynamic_numbers.count(source_text(s))) {
      int overflow = 0;
      const long long n = PyLong_AsLongLongAndOverflow(found, &overflow);
      if (!overflow && n >= 2 && n < (1ll << 40)) {
        guards.add(GuardKind::type, s, reinterpret_cast<PyObject*>(&PyLong_Type));
        s.shadow->kind = ShadowKind::number;
        s.shadow->number = library_.use_number(n, source_text(s));
        external_numbers.push_back(&s);
      }
    }
    return {Ref::share(found), s.shadow};
  }
  if (s.written) {
    if (s.now.object == found)
      return {Ref::share(found), fault(Fault::stale_source) ? s.shadow : s.now.shadow};
    lose("changed", source_text(s) + " was changed by code that was not followed");
  } else if (s.seen.get() != found &&
             !(s.seen && Py_TYPE(s.seen.get()) == Py_TYPE(found) && is_plain(found, library_) &&
               PyObject_RichCompareBool(s.seen.get(), found, Py_EQ) == 1)) {
    lose("changed", source_text(s) + " was read twice with different values");
  }
  return {Ref::share(found), s.shadow};
}

Source* Walker::source_of(Value& v) {
  if (plain_) return nullptr;
  if (v.is(ShadowKind::input)) {
    if (is_shared(v.get())) {
      use_identity(v);
      return &sources.constant(v.get());
    }
    canonical(v);
    if (v.is(ShadowKind::input)) return v.shadow->source;
  }
  if (v.is(ShadowKind::constant)) return &sources.constant(v.get());
  return nullptr;
}

// The same object reached by two paths is known by the first.
void Walker::canonical(Value& v) {
  if (!v.is(ShadowKind::input) || is_shared(v.get())) return;
  auto [it, is_new] = identity_.emplace(v.get(), v.shadow);
  if (is_new) {
    keep(v.get());
    return;
  }
  if (it->second == v.shadow) return;
  if (it->second->source)
    guards.add(GuardKind::same, *v.shadow->source, nullptr, it->second->source);
  v.shadow = it->second;
}

void Walker::use_identity(Value& v) {
  if (plain_ || !v.is(ShadowKind::input)) return;
  guards.add(GuardKind::is, *v.shadow->source, v.get());
  v.shadow = &constant_;
}

void Walker::use_same(Value& a, Value& b) {
  if (plain_ || a.shadow == b.shadow) return;
  if (a.kind() == ShadowKind::input && b.kind() == ShadowKind::input && !is_shared(a.get())) {
    canonical(a);
    canonical(b);
  }
  if (a.shadow == b.shadow) return;
  // One of them is fixed, or found to be.
  use_identity(a);
  use_identity(b);
}

void Walker::use_type(Value& v) {
  if (plain_ || !v.is(ShadowKind::input)) return;
  canonical(v);
  if (v.is(ShadowKind::input))
    guards.add(GuardKind::type, *v.shadow->source, reinterpret_cast<PyObject*>(v.type()));
}

bool Walker::use_tensor(Value& v) {
  if (plain_) return true;
  Source* s = source_of(v);
  if (!s || s->external) return true;
  if (s->kind != SourceKind::constant)
    guards.add(GuardKind::type, *s, reinterpret_cast<PyObject*>(v.type()));
  s->external = true;
  const int index = library_.use_external(v.get(), source_text(*s), s->dynamic);
  if (index < 0) {
    lose("tensor", source_text(*s) + ": " + library_.stopped());
    return true;
  }
  external_tensors.push_back(s);
  return true;
}

bool Walker::is_key(Value& v) {
  if (is_plain(v.get(), library_)) return true;
  // A member of an enum is hashed by its value or its name, and is what it is.
  static PyObject* const n_hash = name_of("__hash__");
  PyObject* const by_name = made_once([] {
                              const Ref e = imported("enum", "Enum");
                              return Ref::take(PyObject_GetAttrString(e.get(), "__hash__"));
                            }).get();
  auto enum_member = [&] {
    if (!is_enum(v.get())) return false;
    PyObject* hash = guards.lookup(v.type(), n_hash);
    return hash && (hash == by_name || Py_TYPE(hash) == &PyWrapperDescr_Type) &&
           (is_enum_of_plain(v.get()) ||
            v.type()->tp_richcompare == PyBaseObject_Type.tp_richcompare);
  };
  const bool by_identity =
      is_tensor(v.get()) || v.type()->tp_hash == PyBaseObject_Type.tp_hash || enum_member();
  return by_identity && (v.is(ShadowKind::input) || v.is(ShadowKind::constant));
}

bool Walker::use_key(Value& v) {
  if (is_plain(v.get(), library_)) return use_value(v);
  if (!plain_ && v.is(ShadowKind::input)) {
    keep(v.get());
    guards.add(GuardKind::is, *v.shadow->source, v.get());
  }
  return true;
}

void Walker::use_length(Value& v) {
  if (plain_) return;
  Source* s = source_of(v);
  if (!s) return;
  use_type(v);
  if (PyTuple_CheckExact(v.get()) && s->kind == SourceKind::constant) return;
  if (Fresh* p = s->parts) {
    if (p->length_known) return;
    p->length_known = true;
    guards.add(GuardKind::length, *s, nullptr, nullptr, p->length_at_entry);
    return;
  }
  if (s->changed && !guards.has(GuardKind::length, *s) && !guards.has(GuardKind::keys, *s)) {
    lose("changed", "the length of " + source_text(*s) + " is used after it was changed");
    return;
  }
  const Py_ssize_t n = PyObject_Size(v.get());
  guards.add(GuardKind::length, *s, nullptr, nullptr, n);
}

bool Walker::use_keys(Value& v) {
  if (plain_) return true;
  Source* s = source_of(v);
  if (!s) return true;
  use_type(v);
  if (guards.has(GuardKind::keys, *s)) return true;
  if (s->changed || (s->kind == SourceKind::dict && s->parent->changed)) {
    lose("changed", "the keys of " + source_text(*s) + " are used after it was changed");
    return true;
  }
  Ref keys = keys_in_order(v.get());
  if (!keys) return false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(keys.get()); ++i) keep(PyList_GET_ITEM(keys.get(), i));
  guards.add(GuardKind::keys, *s, keys.get(), nullptr, PyList_GET_SIZE(keys.get()));
  return true;
}

bool Walker::use_value(Value& v, int depth) {
  if (plain_ || depth > 6) return true;
  PyObject* o = v.get();
  switch (v.kind()) {
    case ShadowKind::constant:
      if (!is_shared(o) && (PyDict_CheckExact(o) || PyList_CheckExact(o))) break;  // its contents
      return true;
    case ShadowKind::tensor:
      return true;
    case ShadowKind::number: {
      int overflow = 0;
      const long long n = PyLong_AsLongLongAndOverflow(o, &overflow);
      if (fault(Fault::guard_number)) {
      } else if (v.shadow->number == Int(int64_t{n})) {
      }  // asking makes the guard
      v.shadow = &constant_;
      return true;
    }
    case ShadowKind::fresh: {
      if (is_sequence(o)) {
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
          Value x = item_at(v, i);
          if (!x || !use_value(x, depth + 1)) return false;
        }
      } else if (PyDict_Check(o)) {
        Py_ssize_t at = 0;
        PyObject *k, *x;
        while (PyDict_Next(o, &at, &k, &x)) {
          Value e = entry_of(v, k, x);
          if (!e || !use_value(e, depth + 1)) return false;
        }
      } else {
        for (const Part& p : parts(v).items) {
          if (!p.seen || !p.shadow) continue;
          Value x(Ref::share(p.seen), p.shadow);
          if (!use_value(x, depth + 1)) return false;
        }
      }
      return true;
    }
    case ShadowKind::input:
      break;
  }
  canonical(v);
  if (!v.is(ShadowKind::input) && !v.is(ShadowKind::constant)) return use_value(v, depth + 1);
  if (v.is(ShadowKind::input)) {
    Source& s = *v.shadow->source;
    // In the middle of an instruction the frame cannot be left: an entry for this value is made.
    if (PyFloat_CheckExact(o) && !dynamic_numbers.empty() && committed_ == 0 && !suspended() &&
        dynamic_numbers.count(source_text(s)) &&
        stop("float", source_text(s) + " is a float that changes from call to call",
             "a tensor without dimensions, which is part of the graph"))
      return false;
    if (plain_) return true;
    if (PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyUnicode_CheckExact(o) ||
        PyBytes_CheckExact(o) || PyComplex_CheckExact(o)) {
      guards.add(GuardKind::equals, s, o);
      v.shadow = &constant_;
      return true;
    }
    if (is_shared(o) || library_.is_plain(o)) {
      use_identity(v);
      return true;
    }
  }
  if (is_tensor(o)) return use_tensor(v);
  if (is_sequence(o)) {
    use_length(v);
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
      Value x = item_at(v, i);
      if (!x || !use_value(x, depth + 1)) return false;
    }
    return true;
  }
  if (PyDict_CheckExact(o)) {
    if (!use_keys(v)) return false;
    Py_ssize_t at = 0;
    PyObject *k, *x;
    while (PyDict_Next(o, &at, &k, &x)) {
      Value e = entry_of(v, k, x);
      if (!e || !use_value(e, depth + 1)) return false;
    }
    return true;
  }
  use_identity(v);
  return true;
}

int Walker::truth(Value v) {
  PyObject* o = v.get();
  if (plain_) return PyObject_IsTrue(o);
  if (o == Py_True || o == Py_False || o == Py_None) {
    use_identity(v);
    return o == Py_True;
  }
  if (is_tensor(o)) {
    if (stop("data_read", "a branch depends on a tensor's value",
             "where(), or a branch on sizes or numbers"))
      return -1;
    return PyObject_IsTrue(o);
  }
  if (v.is(ShadowKind::number)) return static_cast<bool>(v.shadow->number != Int(0));
  if (is_shared(o) && (PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyUnicode_CheckExact(o) ||
                       PyBytes_CheckExact(o) || PyComplex_CheckExact(o))) {
    if (!use_value(v)) return -1;
    return PyObject_IsTrue(o);
  }
  static PyObject* const n_bool = name_of("__bool__");
  static PyObject* const n_len = name_of("__len__");
  v = under_proxy(v);
  o = v.get();
  if (PyObject* f = python_method(v.type(), n_bool)) {
    use_type(v);
    Committed committed(*this);
    Value r = call_with(constant(f), {v});
    if (!r) return -1;
    if (PyBool_Check(r.get())) return truth(r);
    PyErr_Format(PyExc_TypeError, "__bool__ should return bool, returned %s", r.type()->tp_name);
    return -1;
  }
  if (PyObject* f = python_method(v.type(), n_len)) {
    use_type(v);
    Committed committed(*this);
    Value r = call_with(constant(f), {v});
    return r ? truth(r) : -1;
  }
  if (PyDict_Check(o) || PyList_Check(o) || PyTuple_Check(o) || PyAnySet_Check(o)) {
    const int t = PyObject_IsTrue(o);
    if (Source* s = source_of(v)) {
      use_type(v);
      if (s->parts || s->changed)
        use_length(v);
      else if (!PyTuple_Check(o) || s->kind != SourceKind::constant)
        guards.add(GuardKind::truth, *s, nullptr, nullptr, t);
    }
    return t;
  }
  use_type(v);
  if (is_enum_of_plain(o)) {
    use_identity(v);
    return PyObject_IsTrue(o);
  }
  const PyTypeObject* t = v.type();
  const bool plain = (!t->tp_as_number || !t->tp_as_number->nb_bool) &&
                     (!t->tp_as_mapping || !t->tp_as_mapping->mp_length) &&
                     (!t->tp_as_sequence || !t->tp_as_sequence->sq_length);
  if (!plain && !PyRange_Check(o) &&
      stop("truth", fmt::format("the truth of a {} is not followed", t->tp_name)))
    return -1;
  return PyObject_IsTrue(o);
}

// --- ends ---

std::string Walker::where() const {
  const Frame* f = current_;
  if (!f || f->decoded->instructions.empty()) return "";
  return fmt::format("{}:{} in {}", text_of(f->code->co_filename), f->line(),
                     text_of(f->code->co_qualname));
}

WalkStop Walker::stop_of(const char* kind, std::string text, const char* hint) const {
  WalkStop s{kind, std::move(text), hint, where(), {}};
  for (const Frame* f = current_; f; f = f->back)
    s.stack.push_back(fmt::format("{}:{} in {}", text_of(f->code->co_filename), f->line(),
                                  text_of(f->code->co_qualname)));
  return s;
}

bool Walker::stop(const char* kind, std::string text, const char* hint) {
  if (plain_) return false;
  if (!stop_) stop_ = stop_of(kind, std::move(text), hint);
  if (committed_ > 0 || suspended()) {
    plain_ = true;
    library_.abandon(stop_->text);
    return false;
  }
  halted_ = true;
  return true;
}

void Walker::lose(const char* kind, std::string text, const char* hint) {
  if (plain_) return;
  if (!stop_) stop_ = stop_of(kind, std::move(text), hint);
  plain_ = true;
  library_.abandon(stop_->text);
}

// Objects that were changed must not be others that were read: one entry takes them for two.
void Walker::guard_identities() {
  std::vector<Source*> changed, used;
  std::vector<bool> has_children(sources.all().size(), false);
  for (Source& s : sources.all())
    if (s.parent && !s.parent->changed) has_children[static_cast<size_t>(s.parent->id)] = true;
  for (const Guard& g : guards.all())
    if (g.kind == GuardKind::length || g.kind == GuardKind::keys || g.kind == GuardKind::truth)
      has_children[static_cast<size_t>(g.source->id)] = true;
  for (Source& s : sources.all()) {
    if (!s.seen || is_shared(s.seen.get())) continue;
    if (s.changed)
      changed.push_back(&s);
    else if (has_children[static_cast<size_t>(s.id)])
      used.push_back(&s);
  }
  for (size_t i = 0; i < changed.size(); ++i) {
    auto differ = [&](Source* a, Source* b) {
      if (a->seen.get() == b->seen.get() || Py_TYPE(a->seen.get()) != Py_TYPE(b->seen.get()))
        return;
      if (a->kind == SourceKind::constant && b->kind == SourceKind::constant) return;
      guards.add(GuardKind::not_same, *a, nullptr, b);
    };
    for (size_t j = i + 1; j < changed.size(); ++j) differ(changed[i], changed[j]);
    for (Source* u : used) differ(changed[i], u);
  }
}

}  // namespace frit::walk
