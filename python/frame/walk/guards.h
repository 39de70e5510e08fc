// Under which state of the program an entry is valid, collected by a walk in program order.
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

}  // namespace frit::walk
