#include "frame/walk/guards.h"

#include <fmt/format.h>

#include "frame/walk/fault.h"

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

}  // namespace frit::walk
