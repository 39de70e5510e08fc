#include "frame/walk/sources.h"

namespace frit::walk {
namespace {

bool is_plain_key(PyObject* k) {
  return PyUnicode_CheckExact(k) || PyLong_CheckExact(k) || PyBytes_CheckExact(k) ||
         PyFloat_CheckExact(k) || PyTuple_CheckExact(k) || PyBool_Check(k) || k == Py_None;
}

// Sources are keyed by exact strings, ints and other plain values: comparing runs no program code.
bool same_key(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (!a || !b || Py_TYPE(a) != Py_TYPE(b)) return false;
  if (!is_plain_key(a)) return false;  // found by identity
  PendingError keep;
  const int equal = PyObject_RichCompareBool(a, b, Py_EQ);
  if (equal < 0) PyErr_Clear();
  return equal == 1;
}

uint64_t mix(uint64_t a, uint64_t b) {
  a ^= b + 0x9e3779b97f4a7c15ull + (a << 6) + (a >> 2);
  return a * 0xff51afd7ed558ccdull;
}

uint64_t hash_of(SourceKind kind, const Source* parent, PyObject* key, Py_ssize_t index) {
  uint64_t h = mix(reinterpret_cast<uint64_t>(parent),
                   static_cast<uint64_t>(kind) * 131 + static_cast<uint64_t>(index));
  if (!key) return h;
  if (!is_plain_key(key)) return mix(h, reinterpret_cast<uint64_t>(key));
  PendingError keep;
  const Py_hash_t k = PyObject_Hash(key);
  if (k == -1) PyErr_Clear();
  return mix(h, static_cast<uint64_t>(k));
}

std::string key_text(PyObject* key) {
  return PyUnicode_Check(key) ? "'" + text_of(key) + "'" : text_of(key);
}

bool is_module_table(const Source& s) {
  if (s.kind != SourceKind::attribute || !s.key) return false;
  const std::string n = text_of(s.key.get());
  return n == "_modules" || n == "_parameters" || n == "_buffers";
}

}  // namespace

std::string source_text(const Source& s) {
  auto parent = [&] { return source_text(*s.parent); };
  auto is_globals = [&] {
    return s.parent->kind == SourceKind::constant && PyDict_Check(s.parent->seen.get());
  };
  switch (s.kind) {
    case SourceKind::local:
      return text_of(s.key.get());
    case SourceKind::constant:
      return text_of(s.seen.get());
    case SourceKind::attribute:
    case SourceKind::slot:
      return parent() + "." + text_of(s.key.get());
    case SourceKind::dict:
      return parent() + ".__dict__";
    case SourceKind::item:
      return parent() + "[" + std::to_string(s.index) + "]";
    case SourceKind::key:
      if (is_globals() && PyUnicode_Check(s.key.get())) return text_of(s.key.get());
      if (is_module_table(*s.parent) && PyUnicode_Check(s.key.get())) {
        const std::string n = text_of(s.key.get()), owner = source_text(*s.parent->parent);
        return !n.empty() && n[0] >= '0' && n[0] <= '9' ? owner + "[" + n + "]" : owner + "." + n;
      }
      return parent() + "[" + key_text(s.key.get()) + "]";
    case SourceKind::cell:
      return s.key ? text_of(s.key.get()) : parent() + ".cell_contents";
    case SourceKind::self:
      return parent() + ".__self__";
    case SourceKind::function:
      return parent() + ".__func__";
    case SourceKind::state:
      return parent() + "()";
  }
  return "?";
}

Source* SourceTable::lookup(uint64_t hash, SourceKind kind, Source* parent, PyObject* key,
                            Py_ssize_t index) {
  auto it = by_hash_.find(hash);
  if (it == by_hash_.end()) return nullptr;
  for (Source* s = it->second; s; s = s->next)
    if (s->kind == kind && s->parent == parent && s->index == index &&
        (kind == SourceKind::cell || same_key(s->key.get(), key)))
      return s;
  return nullptr;
}

Source* SourceTable::find(SourceKind kind, Source* parent, PyObject* key, Py_ssize_t index) {
  return lookup(hash_of(kind, parent, kind == SourceKind::cell ? nullptr : key, index), kind,
                parent, key, index);
}

Source& SourceTable::at(SourceKind kind, Source* parent, PyObject* key, Py_ssize_t index,
                        PyObject* seen, bool* is_new) {
  const uint64_t hash = hash_of(kind, parent, kind == SourceKind::cell ? nullptr : key, index);
  if (Source* s = lookup(hash, kind, parent, key, index)) {
    if (is_new) *is_new = false;
    return *s;
  }
  if (is_new) *is_new = true;
  Source& s = sources_.emplace_back();
  s.kind = kind;
  s.parent = parent;
  s.key = Ref::share(key);
  s.index = index;
  s.seen = Ref::share(seen);
  s.id = static_cast<int>(sources_.size()) - 1;
  s.shadow = &new_shadow(ShadowKind::input);
  s.shadow->source = &s;
  s.dynamic = parent && parent->dynamic &&
              (kind == SourceKind::item || kind == SourceKind::key || kind == SourceKind::cell);
  Source*& head = by_hash_[hash];
  s.next = head;
  head = &s;
  return s;
}

Source& SourceTable::constant(PyObject* o) {
  Source*& s = constants_[o];
  if (s) return *s;
  s = &sources_.emplace_back();
  s->kind = SourceKind::constant;
  s->seen = Ref::share(o);
  s->id = static_cast<int>(sources_.size()) - 1;
  s->shadow = &new_shadow(ShadowKind::constant);
  s->shadow->source = s;
  return *s;
}

Shadow& SourceTable::new_shadow(ShadowKind kind) {
  Shadow& s = shadows_.emplace_back();
  s.kind = kind;
  return s;
}

Fresh& SourceTable::new_fresh() { return fresh_.emplace_back(); }

}  // namespace frit::walk
