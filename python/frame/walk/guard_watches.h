// What a guard program knows between its checks.
#pragma once
#include <unordered_map>

#include "frame/walk/guard_program.h"

namespace frit::walk {

struct GuardProgram::Watches {
  struct Node : WatchGroup {
    int round = 0;
    bool ok = false;
  };
  struct Root {
    PyObject* object = nullptr;
    Ref reference;  // weak
  };
  // Remembers which object it was, weakly; false: it cannot be told from one at its address.
  bool pin(size_t slot, PyObject* o) {
    if (is_pinned(slot, o)) return true;
    roots[slot] = {};
    if (!PyType_SUPPORTS_WEAKREFS(Py_TYPE(o))) return false;
    roots[slot] = {o, Ref::take(PyWeakref_NewRef(o, nullptr))};
    if (!roots[slot].reference) PyErr_Clear();
    return static_cast<bool>(roots[slot].reference);
  }
  bool is_pinned(size_t slot, PyObject* o) const {
    const Root& root = roots[slot];
    return root.reference && root.object == o &&
           reinterpret_cast<PyWeakReference*>(root.reference.get())->wr_object == o;
  }

  // A dict whose tag is compared after: none other has had it.
  bool has_tag(PyObject* o) const {
    auto it = groups[static_cast<int>(WatchKind::dict)].find(o);
    return PyDict_CheckExact(o) && it != groups[static_cast<int>(WatchKind::dict)].end() &&
           it->second->round == round && it->second->ok;
  }

  // In order; `group`: of a dict whose tag is compared, where tags are.
  struct Item {
    int step = -1;
    Node* group = nullptr;
  };

  ~Watches() {
    for (auto& kind : groups)
      for (auto& [box, g] : kind) unwatch(*g);
  }

  WatchSet set;
  std::unordered_map<PyObject*, std::unique_ptr<Node>> groups[4];  // by kind
  std::vector<Hold> holds;                                         // by slot
  std::vector<Root> roots;                                         // by slot
  std::vector<int> always;                                         // steps that nothing watches
  std::vector<Item> order;                                         // all that is compared, for tags
  std::vector<bool> worth;               // by slot: something is read from it
  std::vector<bool> simple;              // by slot: it may hold another plain value
  std::vector<int> first_check, checks;  // by slot: the steps that look at it
  std::unordered_map<PyTypeObject*, bool> swaps_seen;
  bool valid = false, compare_types = false;
  uint64_t generation = 0, changes = 0;
  int round = 0, penalty = 0, wait = 0, hits = 0;
};

}  // namespace frit::walk
