// What says that something a guard program has looked at may be another now: CPython's watchers of
// dicts, types and functions (3.12 and later), version tags of dicts behind one number of the whole
// process (3.11, and where no watcher is free), and hooks on the setters of `__class__` and
// `__dict__`, which neither of them sees.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "frame/walk/ref.h"

namespace frit::walk {

class WatchSet;

enum class WatchKind : uint8_t { dict, object, type, function };

// One dict, object, type or function, and what of it matters to one program.
struct WatchGroup {
  WatchSet* set = nullptr;
  WatchKind kind = WatchKind::dict;
  PyObject* box = nullptr;  // not owned; none once it is gone
  bool dirty = false, registered = false;
  bool whole = false;  // any key that comes or goes matters
  bool lost = false;   // which keys changed is not known
  struct Key {
    PyObject* key;
    PyObject* wanted;      // that very object (none: nothing) is fine
    bool exact;            // no other is
    bool changed = false;  // another was there meanwhile, and may be gone by now
  };
  std::vector<Key> keys;
  std::unordered_map<PyObject*, size_t> by_key;  // where they are many
  bool names_only = true;                        // all keys are interned strings
  std::vector<int> steps;                        // of the program, which look at it
  uint64_t tag = 0;                              // of a dict, as it was found

  void add_key(PyObject* key, PyObject* wanted, bool exact);
  Key* find(PyObject* key);
  void clear_keys();
};

// The groups of one program that were reported.
class WatchSet {
 public:
  bool quiet() const { return !reported_; }
  void report(WatchGroup& g) {
    if (g.dirty) return;
    g.dirty = true;
    reported_ = true;
    pending.push_back(&g);
  }
  // Which group cannot be said, or it is gone: all is to be looked at.
  void report_all() { reported_ = all = true; }
  void settle() { reported_ = all = false; }

  std::vector<WatchGroup*> pending;
  bool all = false;

 private:
  bool reported_ = false;
};

enum class WatchMode : uint8_t { watchers, tags, none };

// Once, with the interpreter's lock held.
void start_watching();
// `none`: every guard is compared at each call. For tests.
void set_watch_mode(WatchMode mode);
WatchMode watch_mode();

// False: nothing would tell of its changes, so it is to be compared at each call.
bool watch(WatchGroup& g);
void unwatch(WatchGroup& g);

// Does a hook see it when the object's dict is exchanged for another?
bool dict_swaps_are_seen(PyTypeObject* type);
// Is a change of the object's class seen? (It cannot change where its type is one of C's.)
inline bool class_may_change(PyTypeObject* type) {
  return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) || PyType_IsSubtype(type, &PyModule_Type);
}

// Another number whenever any dict of the process has changed.
uint64_t dict_changes();
uint64_t dict_tag(PyObject* dict);

}  // namespace frit::walk
