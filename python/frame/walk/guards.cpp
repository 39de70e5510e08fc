#include "frame/walk/guards.h"

#include <fmt/format.h>

#include "frame/walk/fault.h"
#include "frame/walk/members.h"

namespace frit::walk {
namespace {

uint64_t mix(uint64_t a, uint64_t b) {
  a ^= b + 0x9e3779b97f4a7c15ull + (a << 6) + (a >> 2);
  return a * 0xff51afd7ed558ccdull;
}

uint64_t key_hash(PyObject* o) {
  if (!o) return 0;
  if (!PyUnicode_CheckExact(o) && !PyLong_CheckExact(o)) return reinterpret_cast<uint64_t>(o);
  PendingError keep;
  const Py_hash_t h = PyObject_Hash(o);
  if (h == -1) PyErr_Clear();
  return static_cast<uint64_t>(h);
}

bool is_dropped(GuardKind kind) {
  switch (kind) {
    case GuardKind::is:
    case GuardKind::is_not:
    case GuardKind::equals:
      return fault(Fault::guard_value);
    case GuardKind::type:
      return fault(Fault::guard_type);
    case GuardKind::length:
    case GuardKind::truth:
      return fault(Fault::guard_length);
    case GuardKind::keys:
    case GuardKind::present_key:
      return fault(Fault::guard_keys);
    case GuardKind::absent_attribute:
    case GuardKind::absent_slot:
    case GuardKind::absent_key:
      return fault(Fault::guard_absent);
    case GuardKind::same:
    case GuardKind::not_same:
      return fault(Fault::guard_alias);
    case GuardKind::function:
      return false;
  }
  return false;
}

}  // namespace

void GuardList::add(GuardKind kind, Source& source, PyObject* object, Source* other, Py_ssize_t n) {
  const bool fixed = source.kind == SourceKind::constant;
  if (fixed && (kind == GuardKind::is || kind == GuardKind::is_not || kind == GuardKind::type ||
                kind == GuardKind::equals))
    return;
  if (is_dropped(kind)) return;
  uint64_t h = mix(reinterpret_cast<uint64_t>(&source), static_cast<uint64_t>(kind));
  if (kind != GuardKind::length && kind != GuardKind::truth && kind != GuardKind::type &&
      kind != GuardKind::equals && kind != GuardKind::keys)
    h = mix(h, mix(key_hash(object), reinterpret_cast<uint64_t>(other)));
  if (!known_.insert(h).second) return;
  guards_.push_back({kind, &source, Ref::share(object), other, n, {}, {}});
}

bool GuardList::has(GuardKind kind, const Source& source) const {
  return known_.count(mix(reinterpret_cast<uint64_t>(&source), static_cast<uint64_t>(kind))) != 0;
}

void GuardList::function(Source& source, PyFunctionObject* f) {
  const uint64_t h =
      mix(reinterpret_cast<uint64_t>(&source), static_cast<uint64_t>(GuardKind::function));
  if (!known_.insert(h).second) return;
  guards_.push_back({GuardKind::function, &source, Ref::share(f->func_code), nullptr, 0,
                     Ref::share(f->func_defaults), Ref::share(f->func_kwdefaults)});
}

PyObject* GuardList::lookup(PyTypeObject* type, PyObject* name) {
  // _PyType_Lookup clears a pending exception where it misses its cache.
  PendingError keep;
  PyObject* found = _PyType_Lookup(type, name);
  auto [it, is_new] = type_index_.emplace(type, types_.size());
  if (is_new) types_.push_back({Ref::share(reinterpret_cast<PyObject*>(type)), {}, 0, {}});
  TypeGuard& g = types_[it->second];
  g.version = type->tp_version_tag;
  if (is_new) g.order = Ref::share(type->tp_mro);
  if (names_known_.insert(mix(reinterpret_cast<uint64_t>(type), key_hash(name))).second)
    g.found.emplace_back(Ref::share(name), Ref::share(found));
  return found;
}

std::string guard_text(const Guard& g) {
  const std::string s = source_text(*g.source);
  PyObject* o = g.object.get();
  switch (g.kind) {
    case GuardKind::is:
      return s + " is " + text_of(o);
    case GuardKind::is_not:
      return s + " is not " + text_of(o);
    case GuardKind::type:
      return "type(" + s + ") is " + text_of(o);
    case GuardKind::equals:
      return s + " == " + (PyUnicode_Check(o) ? "'" + text_of(o) + "'" : text_of(o));
    case GuardKind::length:
      return fmt::format("len({}) == {}", s, g.n);
    case GuardKind::keys:
      return fmt::format("{} has the same {} keys", s, g.n);
    case GuardKind::absent_attribute:
    case GuardKind::absent_slot:
      return s + " has no ." + text_of(o);
    case GuardKind::absent_key:
      return (g.source->kind == SourceKind::constant ? "there is no global " : s + " has no ") +
             text_of(o);
    case GuardKind::present_key:
      return s + " has " + text_of(o);
    case GuardKind::truth:
      return g.n ? s + " is not empty" : s + " is empty";
    case GuardKind::same:
      return s + " is " + source_text(*g.other);
    case GuardKind::not_same:
      return s + " is not " + source_text(*g.other);
    case GuardKind::function:
      return s + " is unchanged";
  }
  return s;
}

// --- the program ---

GuardProgram::GuardProgram(const SourceTable& sources, const GuardList& guards,
                           std::vector<TypeGuard> types, const std::vector<const Source*>& needed)
    : types_(std::move(types)) {
  const auto& all = sources.all();
  std::vector<bool> wanted(all.size(), false);
  auto want = [&](const Source* s) {
    for (; s && !wanted[static_cast<size_t>(s->id)]; s = s->parent)
      wanted[static_cast<size_t>(s->id)] = true;
  };
  for (const Source* s : needed) want(s);
  std::vector<std::vector<const Guard*>> at(all.size());
  for (const Guard& g : guards.all()) {
    want(g.source);
    want(g.other);
    const int last = g.other && g.other->id > g.source->id ? g.other->id : g.source->id;
    at[static_cast<size_t>(last)].push_back(&g);
  }
  slot_by_source_.assign(all.size(), -1);
  for (size_t i = 0; i < all.size(); ++i) {
    const Source& s = all[i];
    if (!wanted[i]) continue;
    slot_by_source_[i] = static_cast<int>(slots_.size());
    slots_.push_back(s.kind == SourceKind::constant ? hold(s.seen) : nullptr);
    if (s.kind != SourceKind::constant) load(s);
    for (const Guard* g : at[i]) {
      Step step;
      step.op = static_cast<Op>(static_cast<int>(Op::is) + static_cast<int>(g->kind));
      step.slot = slot_by_source_[static_cast<size_t>(g->source->id)];
      step.parent = g->other ? slot_by_source_[static_cast<size_t>(g->other->id)] : -1;
      step.object = hold(g->object);
      step.n = g->n;
      step.second = hold(g->second);
      step.third = hold(g->third);
      step.text = static_cast<int>(texts_.size());
      texts_.push_back(guard_text(*g));
      names_.push_back(source_text(*g->source));
      step.source = static_cast<int>(names_.size()) - 1;
      steps_.push_back(step);
    }
  }
}

void GuardProgram::load(const Source& s) {
  Step step;
  step.op = s.kind == SourceKind::local       ? Op::load_local
            : s.kind == SourceKind::attribute ? Op::load_attribute
            : s.kind == SourceKind::slot      ? Op::load_slot
            : s.kind == SourceKind::dict      ? Op::load_dict
            : s.kind == SourceKind::item      ? Op::load_item
            : s.kind == SourceKind::key       ? Op::load_key
            : s.kind == SourceKind::cell      ? Op::load_cell
            : s.kind == SourceKind::self      ? Op::load_self
            : s.kind == SourceKind::function  ? Op::load_function
                                              : Op::load_state;
  step.slot = slot_by_source_[static_cast<size_t>(s.id)];
  step.parent = s.parent ? slot_by_source_[static_cast<size_t>(s.parent->id)] : -1;
  step.object = hold(s.key);
  step.n = s.index;
  if (s.kind == SourceKind::slot) {
    // The descriptor, found again under the type's guard.
    PyObject* d = _PyType_Lookup(Py_TYPE(s.parent->seen.get()), s.key.get());
    step.second = hold(Ref::share(d));
  }
  names_.push_back(source_text(s));
  step.source = static_cast<int>(names_.size()) - 1;
  steps_.push_back(step);
}

bool GuardProgram::types_hold() {
  for (TypeGuard& g : types_) {
    auto* t = reinterpret_cast<PyTypeObject*>(g.type.get());
    if (g.version && t->tp_version_tag == g.version) continue;
    if (t->tp_mro != g.order.get()) {
      failed_type_ = &g;
      return false;
    }
    for (const auto& [name, found] : g.found)
      if (_PyType_Lookup(t, name.get()) != found.get()) {
        failed_type_ = &g;
        return false;
      }
    g.version = t->tp_version_tag;
  }
  return true;
}

bool GuardProgram::check(PyObject* const* locals) {
  failed_ = nullptr;
  failed_type_ = nullptr;
  locals_ = locals;
  states_.clear();
  if (!types_hold()) return false;
  for (const Step& s : steps_)
    if (!run(s)) {
      failed_ = &s;
      if (PyErr_Occurred()) PyErr_Clear();
      return false;
    }
  return true;
}

namespace {

bool equal(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (Py_TYPE(a) != Py_TYPE(b)) return false;
  if (PyFloat_CheckExact(a)) {
    // By bits: -0.0 is not 0.0, and a NaN is itself.
    const double x = PyFloat_AS_DOUBLE(a), y = PyFloat_AS_DOUBLE(b);
    return __builtin_memcmp(&x, &y, sizeof(double)) == 0;
  }
  return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
}

PyObject* dict_of(PyObject* o) {
  PyObject** p = _PyObject_GetDictPtr(o);
  return p ? *p : nullptr;
}

bool same_keys(PyObject* dict, PyObject* keys) {
  if (!PyDict_Check(dict) || PyDict_GET_SIZE(dict) != PyList_GET_SIZE(keys)) return false;
  Py_ssize_t at = 0, i = 0;
  PyObject *key, *value;
  auto is_next = [&](PyObject* now) {
    PyObject* was = PyList_GET_ITEM(keys, i++);
    return now == was || (PyUnicode_CheckExact(was) && equal(now, was)) ||
           (PyLong_CheckExact(was) && equal(now, was));
  };
  if (PyODict_Check(dict)) {
    Ref now = keys_in_order(dict);
    for (Py_ssize_t k = 0; now && k < PyList_GET_SIZE(now.get()); ++k)
      if (!is_next(PyList_GET_ITEM(now.get(), k))) return false;
    return static_cast<bool>(now);
  }
  while (PyDict_Next(dict, &at, &key, &value))
    if (!is_next(key)) return false;
  return true;
}

}  // namespace

bool GuardProgram::run(const Step& s) {
  PyObject* o = slots_[static_cast<size_t>(s.slot)];
  PyObject* p = s.parent >= 0 ? slots_[static_cast<size_t>(s.parent)] : nullptr;
  auto loaded = [&](PyObject* found) {
    slots_[static_cast<size_t>(s.slot)] = found;
    return found != nullptr;
  };
  switch (s.op) {
    case Op::load_local:
      return loaded(locals_[s.n]);
    case Op::load_attribute: {
      PyObject* d = dict_of(p);
      return loaded(d ? PyDict_GetItemWithError(d, s.object) : nullptr);
    }
    case Op::load_slot: {
      return loaded(member_slot(p, s.second));
    }
    case Op::load_dict:
      return loaded(dict_of(p));
    case Op::load_item:
      if (PyTuple_Check(p))
        return loaded(s.n < PyTuple_GET_SIZE(p) ? PyTuple_GET_ITEM(p, s.n) : nullptr);
      return loaded(s.n < PyList_GET_SIZE(p) ? PyList_GET_ITEM(p, s.n) : nullptr);
    case Op::load_key:
      return loaded(PyDict_GetItemWithError(p, s.object));
    case Op::load_cell:
      return loaded(PyCell_GET(p));
    case Op::load_self:
      return loaded(PyMethod_GET_SELF(p));
    case Op::load_function:
      return loaded(PyMethod_GET_FUNCTION(p));
    case Op::load_state: {
      states_.push_back(Ref::take(PyObject_CallNoArgs(p)));
      return loaded(states_.back().get());
    }
    case Op::is:
      return o == s.object;
    case Op::is_not:
      return o != s.object;
    case Op::type:
      return reinterpret_cast<PyObject*>(Py_TYPE(o)) == s.object;
    case Op::equals:
      return equal(o, s.object);
    case Op::length:
      return (PyTuple_Check(o)  ? PyTuple_GET_SIZE(o)
              : PyList_Check(o) ? PyList_GET_SIZE(o)
              : PyDict_Check(o) ? PyDict_GET_SIZE(o)
                                : PyObject_Size(o)) == s.n;
    case Op::keys:
      return same_keys(o, s.object);
    case Op::absent_attribute: {
      PyObject* d = dict_of(o);
      return !d || (!PyDict_GetItemWithError(d, s.object) && !PyErr_Occurred());
    }
    case Op::absent_slot: {
      PyObject* d = _PyType_Lookup(Py_TYPE(o), s.object);
      return d && is_object_slot(d) && !member_slot(o, d);
    }
    case Op::absent_key:
    case Op::present_key: {
      const int there =
          PyDict_Check(o) ? PyDict_Contains(o, s.object) : PySet_Contains(o, s.object);
      return there == (s.op == Op::present_key);
    }
    case Op::truth:
      return (PyObject_Size(o) != 0) == (s.n != 0);
    case Op::same:
      return o == p;
    case Op::not_same:
      return o != p;
    case Op::function: {
      auto* f = reinterpret_cast<PyFunctionObject*>(o);
      return f->func_code == s.object && f->func_defaults == s.second &&
             f->func_kwdefaults == s.third;
    }
  }
  return false;
}

std::string GuardProgram::changed_number() const {
  if (!failed_ || failed_->op != Op::equals) return "";
  PyObject* now = slots_[static_cast<size_t>(failed_->slot)];
  const bool number = (PyLong_CheckExact(failed_->object) && PyLong_CheckExact(now)) ||
                      (PyFloat_CheckExact(failed_->object) && PyFloat_CheckExact(now));
  return number ? names_[static_cast<size_t>(failed_->source)] : "";
}

std::string GuardProgram::why() const {
  if (failed_type_) return "the class " + text_of(failed_type_->type.get()) + " was changed";
  if (!failed_) return "";
  const Step& s = *failed_;
  const std::string& name = names_[static_cast<size_t>(s.source)];
  if (s.text < 0) return name + " is gone";
  PyObject* o = slots_[static_cast<size_t>(s.slot)];
  switch (s.op) {
    case Op::equals:
      return fmt::format("{} was {}, now {}", name, text_of(s.object), text_of(o));
    case Op::is:
      return fmt::format("{} was {}, now {}", name, text_of(s.object),
                         Py_TYPE(o) == Py_TYPE(s.object) && text_of(o) == text_of(s.object)
                             ? "another one"
                             : text_of(o));
    case Op::type:
      return fmt::format("type({}) was {}, now {}", name, text_of(s.object), Py_TYPE(o)->tp_name);
    case Op::length: {
      const Py_ssize_t n = PyObject_Size(o);
      if (n < 0) PyErr_Clear();
      return fmt::format("len({}) was {}, now {}", name, s.n, n);
    }
    case Op::keys:
      return "the keys of " + name + " changed";
    case Op::function:
      return name + " was changed";
    default:
      return texts_[static_cast<size_t>(s.text)] + ": no longer";
  }
}

}  // namespace frit::walk
