#include "frame/walk/watch.h"

#include <algorithm>
#include <unordered_map>

namespace frit::walk {
namespace {

constexpr size_t kManyKeys = 16;
constexpr bool kHasWatchers = PY_VERSION_HEX >= 0x030C0000;
// The low bits of a dict's tag belong to watchers.
#if PY_VERSION_HEX >= 0x030D0000
constexpr uint64_t kTagStep = 1u << 12;
#elif PY_VERSION_HEX >= 0x030C0000
constexpr uint64_t kTagStep = 1u << 8;
#else
constexpr uint64_t kTagStep = 1;
#endif

WatchMode g_mode = WatchMode::none;
[[maybe_unused]] int g_dict_id = -1, g_type_id = -1, g_function_id = -1;  // from 3.12 on
// A store into an object's own values is not reported (CPython 3.13.0), and changes no tag on 3.13.
bool g_silent_values = false;

auto& registry() {
  static auto& r = *new std::unordered_map<PyObject*, std::vector<WatchGroup*>>();
  return r;
}

bool is_interned(PyObject* o) { return PyUnicode_CheckExact(o) && PyUnicode_CHECK_INTERNED(o); }

#if PY_VERSION_HEX >= 0x030C0000

bool matters(WatchGroup& g, PyDict_WatchEvent event, PyObject* key, PyObject* value) {
  // Cleared, or filled from another dict while empty.
  if (event == PyDict_EVENT_CLEARED || event == PyDict_EVENT_CLONED || !key) return g.lost = true;
  if (WatchGroup::Key* k = g.find(key)) {
    if (k->exact && k->wanted == value) return g.whole && event != PyDict_EVENT_MODIFIED;
    return k->changed = true;
  }
  // Others may be equal to one of them.
  if (!g.keys.empty() && !(g.names_only && is_interned(key))) return g.lost = true;
  return g.whole && event != PyDict_EVENT_MODIFIED;
}

int on_dict(PyDict_WatchEvent event, PyObject* dict, PyObject* key, PyObject* value) {
  auto it = registry().find(dict);
  if (it == registry().end()) return 0;
  if (event == PyDict_EVENT_DEALLOCATED) {
    for (WatchGroup* g : it->second) {
      g->registered = false;
      g->box = nullptr;
      g->set->report_all();
    }
    registry().erase(it);
    return 0;
  }
  for (WatchGroup* g : it->second)
    if (!g->lost && matters(*g, event, key, value)) g->set->report(*g);
  return 0;
}

void report(PyObject* o, WatchKind kind) {
  auto it = registry().find(o);
  if (it == registry().end()) return;
  for (WatchGroup* g : it->second)
    if (g->kind == kind) g->set->report(*g);
}

int on_type(PyTypeObject* type) {
  report(reinterpret_cast<PyObject*>(type), WatchKind::type);
  return 0;
}

int on_function(PyFunction_WatchEvent event, PyFunctionObject* f, PyObject*) {
  if (event != PyFunction_EVENT_CREATE && event != PyFunction_EVENT_DESTROY)
    report(reinterpret_cast<PyObject*>(f), WatchKind::function);
  return 0;
}

#endif

// --- `__class__` and `__dict__` ---

void touch(PyObject* o) {
  auto it = registry().find(o);
  if (it == registry().end()) return;
  for (WatchGroup* g : it->second)
    if (g->kind == WatchKind::object) g->set->report_all();
}

setter g_set_class = nullptr, g_set_dict = nullptr, g_set_only_dict = nullptr;

int set_class(PyObject* o, PyObject* v, void* c) {
  touch(o);
  return g_set_class(o, v, c);
}
int set_dict(PyObject* o, PyObject* v, void* c) {
  touch(o);
  return g_set_dict(o, v, c);
}
int set_only_dict(PyObject* o, PyObject* v, void* c) {
  touch(o);
  return g_set_only_dict(o, v, c);
}

// The records of these descriptors are C's own, the same for every class that Python code makes.
void hook(PyTypeObject* type, const char* name, setter mine, setter& before) {
  Ref dict = Ref::take(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__dict__"));
  Ref d = Ref::take(dict ? PyMapping_GetItemString(dict.get(), name) : nullptr);
  PyErr_Clear();
  if (!d || Py_TYPE(d.get()) != &PyGetSetDescr_Type) return;
  PyGetSetDef* record = reinterpret_cast<PyGetSetDescrObject*>(d.get())->d_getset;
  if (record->set == mine || !record->set) return;
  before = record->set;
  record->set = mine;
}

Ref make_class(const char* slots) {
  Ref body = Ref::take(PyDict_New());
  if (slots) {
    Ref names = Ref::take(Py_BuildValue("(s)", slots));
    PyDict_SetItemString(body.get(), "__slots__", names.get());
  }
  return Ref::take(PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s()O",
                                         "Watched", body.get()));
}

// --- tags ---

PyObject* g_probe = nullptr;
PyObject* g_probe_key = nullptr;

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
uint64_t raw_tag(PyObject* dict) { return reinterpret_cast<PyDictObject*>(dict)->ma_version_tag; }
#pragma clang diagnostic pop

// A table of its own for a dict that shares its object's: taking the last item out does it, and
// putting it back keeps content and order.
bool unshare(PyObject* dict) {
  if (!PyDict_CheckExact(dict) || !reinterpret_cast<PyDictObject*>(dict)->ma_values) return true;
  PendingError keep;
  const bool empty = PyDict_GET_SIZE(dict) == 0;
  if (empty && PyDict_SetItem(dict, g_probe_key, Py_None) < 0) return PyErr_Clear(), false;
  static PyObject* const popitem = name_of("popitem");
  Ref last = Ref::take(PyObject_CallMethodNoArgs(dict, popitem));
  const bool ok = last && (empty || PyDict_SetItem(dict, PyTuple_GET_ITEM(last.get(), 0),
                                                   PyTuple_GET_ITEM(last.get(), 1)) == 0);
  if (!ok) PyErr_Clear();
  return ok;
}

#if PY_VERSION_HEX >= 0x030C0000
// Finds out by a store whether it is reported.
bool stores_are_silent() {
  Ref cls = make_class(nullptr);
  Ref o = Ref::take(cls ? PyObject_CallNoArgs(cls.get()) : nullptr);
  if (!o) return PyErr_Clear(), true;
  Ref name = Ref::take(name_of("x"));
  PyObject_SetAttr(o.get(), name.get(), Py_None);
  Ref dict = Ref::take(PyObject_GenericGetDict(o.get(), nullptr));
  WatchSet set;
  WatchGroup g;
  g.set = &set;
  g.box = dict.get();
  g.add_key(name.get(), Py_None, true);
  registry()[dict.get()].push_back(&g);
  PyDict_Watch(g_dict_id, dict.get());
  PyObject_SetAttr(o.get(), name.get(), Py_True);
  PyDict_Unwatch(g_dict_id, dict.get());
  registry().erase(dict.get());
  PyErr_Clear();
  return set.quiet();
}
#endif

bool watchers_are_there() { return kHasWatchers && g_dict_id >= 0; }

}  // namespace

void WatchGroup::add_key(PyObject* key, PyObject* wanted, bool exact) {
  if (Key* k = find(key)) {
    k->exact = k->exact && exact && k->wanted == wanted;
    return;
  }
  names_only = names_only && is_interned(key);
  keys.push_back({key, wanted, exact});
  if (keys.size() < kManyKeys) return;
  for (size_t i = by_key.size(); i < keys.size(); ++i) by_key[keys[i].key] = i;
}

WatchGroup::Key* WatchGroup::find(PyObject* key) {
  if (by_key.empty()) {
    for (Key& k : keys)
      if (k.key == key) return &k;
    return nullptr;
  }
  auto it = by_key.find(key);
  return it == by_key.end() ? nullptr : &keys[it->second];
}

void WatchGroup::clear_keys() {
  keys.clear();
  by_key.clear();
  names_only = true;
  lost = false;
}

void start_watching() {
  if (g_probe) return;
  g_probe = PyDict_New();
  g_probe_key = name_of("probe");
  PyDict_SetItem(g_probe, g_probe_key, Py_None);
  hook(&PyBaseObject_Type, "__class__", set_class, g_set_class);
  Ref full = make_class(nullptr), only = make_class("__dict__");
  if (full) hook(reinterpret_cast<PyTypeObject*>(full.get()), "__dict__", set_dict, g_set_dict);
  if (only)
    hook(reinterpret_cast<PyTypeObject*>(only.get()), "__dict__", set_only_dict, g_set_only_dict);
#if PY_VERSION_HEX >= 0x030C0000
  // Each may be taken by others: then what it would tell is compared.
  if ((g_dict_id = PyDict_AddWatcher(on_dict)) < 0) PyErr_Clear();
  if ((g_type_id = PyType_AddWatcher(on_type)) < 0) PyErr_Clear();
  if ((g_function_id = PyFunction_AddWatcher(on_function)) < 0) PyErr_Clear();
  if (g_dict_id >= 0) g_silent_values = stores_are_silent();
#endif
  PyErr_Clear();
  g_mode = !g_set_class || !g_set_dict ? WatchMode::none
           : watchers_are_there()      ? WatchMode::watchers
                                       : WatchMode::tags;
}

void set_watch_mode(WatchMode mode) {
  g_mode = mode == WatchMode::watchers && !watchers_are_there() ? WatchMode::tags : mode;
}
WatchMode watch_mode() { return g_mode; }

bool watch(WatchGroup& g) {
  if (g_mode == WatchMode::none) return false;
  if (g.kind == WatchKind::dict) {
    const bool tags = g_mode == WatchMode::tags;
    if ((g_silent_values || (tags && PY_VERSION_HEX >= 0x030D0000)) && !unshare(g.box))
      return false;
    if (tags) {
      g.tag = dict_tag(g.box);
      return true;
    }
  }
#if PY_VERSION_HEX >= 0x030C0000
  switch (g.kind) {
    case WatchKind::dict:
      if (PyDict_Watch(g_dict_id, g.box) < 0) return PyErr_Clear(), false;
      break;
    case WatchKind::type:
      if (g_mode != WatchMode::watchers || g_type_id < 0) return false;
      if (PyType_Watch(g_type_id, g.box) < 0) return PyErr_Clear(), false;
      // A class that has run out of versions tells nothing for ever.
      if (reinterpret_cast<PyTypeObject*>(g.box)->tp_version_tag == 0) return false;
      break;
    case WatchKind::function:
      if (g_mode != WatchMode::watchers || g_function_id < 0) return false;
      break;
    case WatchKind::object:
      break;
  }
#else
  if (g.kind == WatchKind::type || g.kind == WatchKind::function) return false;
#endif
  if (!g.registered) {
    registry()[g.box].push_back(&g);
    g.registered = true;
  }
  return true;
}

void unwatch(WatchGroup& g) {
  if (!g.registered) return;
  g.registered = false;
  auto it = registry().find(g.box);
  if (it == registry().end()) return;
  auto& groups = it->second;
  groups.erase(std::remove(groups.begin(), groups.end(), &g), groups.end());
  if (!groups.empty()) return;
  registry().erase(it);
#if PY_VERSION_HEX >= 0x030C0000
  // It is alive: one that dies says so before.
  if (g.kind == WatchKind::dict && PyDict_Unwatch(g_dict_id, g.box) < 0) PyErr_Clear();
#endif
}

bool dict_swaps_are_seen(PyTypeObject* type) {
  static PyObject* const n_dict = name_of("__dict__");
  if (PyType_IsSubtype(type, &PyModule_Type)) return true;  // theirs cannot be set
  PendingError keep;
  PyObject* d = _PyType_Lookup(type, n_dict);
  if (!d || Py_TYPE(d) != &PyGetSetDescr_Type) return false;
  const setter set = reinterpret_cast<PyGetSetDescrObject*>(d)->d_getset->set;
  return set == set_dict || set == set_only_dict || !set;
}

uint64_t dict_tag(PyObject* dict) { return raw_tag(dict) & ~(kTagStep - 1); }

uint64_t dict_changes() {
  static uint64_t probes = 0;
  ++probes;
  PyDict_SetItem(g_probe, g_probe_key, probes & 1 ? Py_True : Py_False);
  return dict_tag(g_probe) / kTagStep - probes;
}

}  // namespace frit::walk
