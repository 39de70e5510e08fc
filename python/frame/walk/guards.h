// Under which state of the program an entry is valid, collected by a walk in program order and made
// a flat program that is run at each call.
#pragma once
#include <string>
#include <unordered_set>
#include <vector>

#include "frame/walk/sources.h"

namespace frit::walk {

enum class GuardKind : uint8_t {
  is,  // the object itself
  is_not,
  type,              // its exact type
  equals,            // a plain value: int, float, str, bytes, ...
  length,            // `n` elements
  keys,              // of a dict, in order
  absent_attribute,  // nothing under that name in the instance dict
  absent_slot,       // a slot that is empty
  absent_key,
  present_key,
  truth,  // a container is empty (n = 0) or not
  same,   // the same object as `other`
  not_same,
  function,  // code, defaults and keyword defaults are as they were
};

struct Guard {
  GuardKind kind;
  Source* source;
  Ref object;
  Source* other = nullptr;
  Py_ssize_t n = 0;
  Ref second, third;  // of a function
};

// What was found along a type's method resolution order.
struct TypeGuard {
  Ref type, order;  // order: its bases, flat
  unsigned version = 0;
  std::vector<std::pair<Ref, Ref>> found;  // name, descriptor (none: nothing)
};

class GuardList {
 public:
  void add(GuardKind kind, Source& source, PyObject* object = nullptr, Source* other = nullptr,
           Py_ssize_t n = 0);
  void function(Source& source, PyFunctionObject* f);
  // Looks along the type's order as CPython does and guards what is found. Borrowed; no error set.
  PyObject* lookup(PyTypeObject* type, PyObject* name);
  const std::vector<Guard>& all() const { return guards_; }
  std::vector<TypeGuard>& types() { return types_; }
  bool has(GuardKind kind, const Source& source) const;

 private:
  std::vector<Guard> guards_;
  std::unordered_set<uint64_t> known_;
  std::vector<TypeGuard> types_;
  std::unordered_map<PyTypeObject*, size_t> type_index_;
  std::unordered_set<uint64_t> names_known_;
};

// One line in the user's words: "x.training is False".
std::string guard_text(const Guard&);

// The flat program.
class GuardProgram {
 public:
  GuardProgram() = default;
  // `needed`: sources whose objects are wanted besides those the guards look at.
  GuardProgram(const SourceTable&, const GuardList&, std::vector<TypeGuard> types,
               const std::vector<const Source*>& needed);
  // Runs no code of the program's. Objects are read into slots: borrowed until any such code runs.
  bool check(PyObject* const* locals);
  // After a check that failed: which guard, in the user's words, with both values.
  std::string why() const;
  // The source whose number was another one; empty where it was not that.
  std::string changed_number() const;
  PyObject* object(int slot) const { return slots_[static_cast<size_t>(slot)]; }
  int slot_of(const Source& s) const { return slot_by_source_[static_cast<size_t>(s.id)]; }
  size_t size() const { return steps_.size(); }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  enum class Op : uint8_t {
    load_local,
    load_attribute,
    load_slot,
    load_dict,
    load_item,
    load_key,
    load_cell,
    load_self,
    load_function,
    load_state,
    is,
    is_not,
    type,
    equals,
    length,
    keys,
    absent_attribute,
    absent_slot,
    absent_key,
    present_key,
    truth,
    same,
    not_same,
    function
  };
  struct Step {
    Op op;
    int slot = 0, parent = 0;
    PyObject* object = nullptr;  // owned through held_
    Py_ssize_t n = 0;
    int text = -1;    // of a guard
    int source = -1;  // its name, of a load
    PyObject *second = nullptr, *third = nullptr;
  };
  bool run(const Step&);
  bool types_hold();
  void load(const Source&);
  PyObject* hold(const Ref& r) {
    if (r) held_.push_back(r);
    return r.get();
  }
  std::vector<Step> steps_;
  std::vector<PyObject*> slots_;
  std::vector<int> slot_by_source_;
  std::vector<Ref> held_;
  std::vector<Ref> states_;  // what state reads gave at the last check
  std::vector<TypeGuard> types_;
  std::vector<std::string> texts_, names_;
  PyObject* const* locals_ = nullptr;
  const Step* failed_ = nullptr;
  const TypeGuard* failed_type_ = nullptr;
};

}  // namespace frit::walk
