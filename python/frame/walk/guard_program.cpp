#include <fmt/format.h>

#include "frame/walk/guard_watches.h"
#include "frame/walk/members.h"
#include "frame/walk/no_collection.h"

namespace frit::walk {

GuardProgram::GuardProgram(const SourceTable& sources, const GuardList& guards,
                           std::vector<TypeGuard> types, const std::vector<const Source*>& needed,
                           const std::vector<Source*>& tensors)
    : types_(std::move(types)) {
  const auto& all = sources.all();
  std::vector<bool> wanted(all.size(), false);
  auto want = [&](const Source* s) {
    for (; s && !wanted[static_cast<size_t>(s->id)]; s = s->parent)
      wanted[static_cast<size_t>(s->id)] = true;
  };
  for (const Source* s : needed) want(s);
  // Guards by the source that is read last of those they look at, in their order.
  std::vector<int> first(all.size() + 1, 0), order(guards.all().size());
  auto last = [](const Guard& g) {
    return static_cast<size_t>(g.other && g.other->id > g.source->id ? g.other->id : g.source->id);
  };
  for (const Guard& g : guards.all()) {
    want(g.source);
    want(g.other);
    ++first[last(g) + 1];
  }
  // What was read and not used decided at least that nothing was raised, unless a guard says so.
  std::vector<bool> counted(all.size(), false);
  for (const Guard& g : guards.all())
    if (g.kind == GuardKind::length || g.kind == GuardKind::keys)
      counted[static_cast<size_t>(g.source->id)] = true;
  std::vector<const Source*> only_read;
  for (const Source& s : all) {
    const bool of_container = s.kind == SourceKind::item || s.kind == SourceKind::key;
    if (!s.was_read || wanted[static_cast<size_t>(s.id)] ||
        (of_container && counted[static_cast<size_t>(s.parent->id)]) ||
        (!of_container && s.kind != SourceKind::attribute && s.kind != SourceKind::slot &&
         s.kind != SourceKind::cell))
      continue;
    want(&s);
    only_read.push_back(&s);
  }
  for (size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  {
    std::vector<int> next(first);
    for (size_t k = 0; k < order.size(); ++k)
      order[static_cast<size_t>(next[last(guards.all()[k])]++)] = static_cast<int>(k);
  }
  slot_by_source_.assign(all.size(), -1);
  steps_.reserve(all.size() + order.size());
  for (size_t i = 0; i < all.size(); ++i) {
    const Source& s = all[i];
    if (!wanted[i]) continue;
    slot_by_source_[i] = static_cast<int>(slots_.size());
    slots_.push_back(s.kind == SourceKind::constant ? hold(s.seen) : nullptr);
    if (s.kind != SourceKind::constant) load(s);
    for (int k = first[i]; k < first[i + 1]; ++k) {
      const Guard& g = guards.all()[static_cast<size_t>(order[static_cast<size_t>(k)])];
      Step step;
      step.op = static_cast<Op>(static_cast<int>(Op::is) + static_cast<int>(g.kind));
      step.slot = slot_by_source_[static_cast<size_t>(g.source->id)];
      step.parent = g.other ? slot_by_source_[static_cast<size_t>(g.other->id)] : -1;
      step.object = hold(g.object);
      step.n = g.n;
      step.second = hold(g.second);
      step.third = hold(g.third);
      steps_.push_back(step);
    }
  }
  for (const Source* s : only_read) only_read_.push_back(slot_of(*s));
  for (const Source* s : tensors) tensor_slots_.push_back(slot_of(*s));
  tensors_.resize(tensor_slots_.size());
  live_tensors_.resize(tensor_slots_.size());
  for (size_t i = 0; i < live_tensors_.size(); ++i) live_tensors_[i] = static_cast<int>(i);
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
  loads_.push_back(static_cast<int>(steps_.size()));
  steps_.push_back(step);
}

// --- in the user's words ---

// The slot's path, made again.
Source& GuardProgram::source(int slot, std::deque<Source>& made) const {
  // Slots are loaded in their order.
  const Step* load = nullptr;
  size_t low = 0, high = loads_.size();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const Step& s = steps_[static_cast<size_t>(loads_[middle])];
    if (s.slot == slot) load = &s;
    (s.slot < slot ? low : high) = s.slot < slot ? middle + 1 : middle;
  }
  Source s;
  if (!load) {
    s.kind = SourceKind::constant;
    s.seen = Ref::share(slots_[static_cast<size_t>(slot)]);
  } else {
    constexpr SourceKind kKinds[] = {SourceKind::local, SourceKind::attribute, SourceKind::slot,
                                     SourceKind::dict,  SourceKind::item,      SourceKind::key,
                                     SourceKind::cell,  SourceKind::self,      SourceKind::function,
                                     SourceKind::state};
    s.kind = kKinds[static_cast<int>(load->op)];
    s.key = Ref::share(load->object);
    s.index = load->n;
    if (load->parent >= 0) s.parent = &source(load->parent, made);
  }
  return made.emplace_back(std::move(s));
}

std::string GuardProgram::slot_text(int slot) const {
  std::deque<Source> made;
  return source_text(source(slot, made));
}

Guard GuardProgram::guard(const Step& s, std::deque<Source>& made) const {
  Guard g{};
  g.kind = static_cast<GuardKind>(static_cast<int>(s.op) - static_cast<int>(Op::is));
  g.source = &source(s.slot, made);
  g.object = Ref::share(s.object);
  if (s.parent >= 0) g.other = &source(s.parent, made);
  g.n = s.n;
  return g;
}

std::vector<std::string> GuardProgram::texts() const {
  std::vector<std::string> texts;
  for (const Step& s : steps_) {
    if (s.is_load()) continue;
    std::deque<Source> made;
    texts.push_back(guard_text(guard(s, made)));
  }
  for (int slot : only_read_) texts.push_back(slot_text(slot) + " is there");
  return texts;
}

// --- the check in full ---

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

PyObject* dict_of(PyObject* o) {
  PyObject** p = _PyObject_GetDictPtr(o);
  return p ? *p : nullptr;
}

bool GuardProgram::full(PyObject* const* locals) {
  locals_ = locals;
  states_.clear();
  if (!types_hold()) return false;
  for (const Step& s : steps_)
    if (!run(s)) {
      failed_ = &s;
      if (PyErr_Occurred()) PyErr_Clear();
      return false;
    }
  for (size_t i = 0; i < tensor_slots_.size(); ++i) tensors_[i] = object(tensor_slots_[i]);
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

bool same_keys(PyObject* dict, PyObject* keys) {
  if (PyDict_GET_SIZE(dict) != PyList_GET_SIZE(keys)) return false;
  Py_ssize_t at = 0, i = 0;
  PyObject *key, *value;
  auto is_next = [&](PyObject* now) {
    PyObject* was = PyList_GET_ITEM(keys, i++);
    return now == was || (PyUnicode_CheckExact(was) && equal(now, was)) ||
           (PyLong_CheckExact(was) && equal(now, was));
  };
  if (PyODict_Check(dict)) {
    const NoCollection quiet;
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

// A guard on what a dict has.
bool GuardProgram::run_on_dict(const Step& s, PyObject* dict) {
  switch (s.op) {
    case Op::absent_attribute:
    case Op::absent_key:
      return PyDict_Contains(dict, s.object) == 0;
    case Op::present_key:
      return PyDict_Contains(dict, s.object) == 1;
    case Op::length:
      return PyDict_GET_SIZE(dict) == s.n;
    case Op::truth:
      return (PyDict_GET_SIZE(dict) != 0) == (s.n != 0);
    case Op::keys:
      return same_keys(dict, s.object);
    default:
      return false;
  }
}

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
    case Op::absent_attribute: {
      PyObject* d = dict_of(o);
      return !d || run_on_dict(s, d);
    }
    case Op::keys:
      return PyDict_Check(o) && run_on_dict(s, o);
    case Op::absent_slot: {
      PyObject* d = _PyType_Lookup(Py_TYPE(o), s.object);
      return d && is_object_slot(d) && !member_slot(o, d);
    }
    case Op::absent_key:
    case Op::present_key:
      if (PyDict_Check(o)) return run_on_dict(s, o);
      return PySet_Contains(o, s.object) == (s.op == Op::present_key);
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

bool GuardProgram::is_changed_number(const Step& s) const {
  if (s.op != Op::equals) return false;
  PyObject* now = slots_[static_cast<size_t>(s.slot)];
  return (PyLong_CheckExact(s.object) && PyLong_CheckExact(now)) ||
         (PyFloat_CheckExact(s.object) && PyFloat_CheckExact(now));
}

std::vector<std::string> GuardProgram::changed_numbers(PyObject* const* locals) {
  std::vector<std::string> names;
  if (!failed_ || !is_changed_number(*failed_)) return names;
  const std::vector<PyObject*> before = slots_;
  locals_ = locals;
  for (const Step& s : steps_) {
    if (run(s)) continue;
    PyErr_Clear();
    if (!is_changed_number(s)) break;
    names.push_back(slot_text(s.slot));
  }
  slots_ = before;
  return names;
}

std::string GuardProgram::hint() const {
  if (failed_type_) return "change classes before the first call";
  if (!failed_ || failed_->is_load()) return "";
  const Step& s = *failed_;
  const std::string name = slot_text(s.slot);
  switch (s.op) {
    case Op::equals:
      if (is_changed_number(s)) return "nothing: from now on " + name + " may be any number";
      return "the same " + name + " at each call, or a compiled function for each of its values";
    case Op::is:
    case Op::is_not:
    case Op::same:
    case Op::not_same:
      return "the same object as " + name + " at each call";
    case Op::type:
      return "a value of one type as " + name + " at each call";
    case Op::length:
    case Op::keys:
    case Op::truth:
    case Op::absent_key:
    case Op::present_key:
      return "a container of the same form as " + name + " at each call";
    case Op::absent_attribute:
    case Op::absent_slot:
      return "setting the attributes of " + name + " before the first call";
    case Op::function:
      return "change functions before the first call";
    default:
      return "";
  }
}

std::string GuardProgram::why() const {
  if (failed_type_) return "the class " + text_of(failed_type_->type.get()) + " was changed";
  if (!failed_) return "";
  const Step& s = *failed_;
  const std::string name = slot_text(s.slot);
  if (s.is_load()) return name + " is gone";
  PyObject* o = slots_[static_cast<size_t>(s.slot)];
  switch (s.op) {
    case Op::equals:
      return fmt::format("{} was {}, now {}", name, text_of(s.object), text_of(o));
    case Op::is:
      return fmt::format("{} was {}, now {}", name, text_of(s.object),
                         Py_TYPE(o) == Py_TYPE(s.object) && text_of(o) == text_of(s.object)
                             ? "another one"
                             : text_of(o));
    case Op::is_not:
      return fmt::format("{} was not {}, now it is", name, text_of(s.object));
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
    default: {
      std::deque<Source> made;
      return guard_text(guard(s, made)) + ": no longer";
    }
  }
}

}  // namespace frit::walk
