// What the walk holds: every value is a real Python object and a shadow that says where it came
// from. Shadows live as long as the walk.
#pragma once
#include <unordered_map>
#include <vector>

#include "frame/walk/ref.h"
#include "sym/int.h"

namespace frit::walk {

struct Shadow;
struct Fresh;

enum class SourceKind : uint8_t {
  local,      // of the frame at entry: `index`, called `key`
  constant,   // the object itself, whose identity is fixed: a function, a type, a module
  attribute,  // `key` in the parent's instance dict
  slot,       // `key` through a member descriptor of the parent's type
  dict,       // the parent's instance dict itself
  item,       // `index` of a list or a tuple
  key,        // `key` of a dict
  cell,       // what a closure cell holds
  self,       // of a bound method
  function,   // of a bound method
  state,      // what calling the parent, which reads some state, gives
};

// Where an object is found from the frame. Hash-consed: one object a path.
struct Source {
  SourceKind kind = SourceKind::constant;
  Source* parent = nullptr;
  Ref key;
  Py_ssize_t index = 0;
  Ref seen;  // what was there
  Shadow* shadow = nullptr;
  int id = 0;
  bool dynamic = false;  // reached without attributes from an argument: sizes may be symbols
  // The program has stored there since: `now` is what (none: it was deleted).
  bool written = false;
  bool was_read = false;  // before it was written: it is there, whatever becomes of it
  struct {
    PyObject* object = nullptr;
    Shadow* shadow = nullptr;
  } now;
  Fresh* parts = nullptr;  // of a list that the program has changed
  bool changed = false;    // of an object: something was stored in it
  bool external = false;   // a tensor that is given to each run
  Ref stand_in;            // a tensor in place of a float
  Source* next = nullptr;  // same hash
};

enum class ShadowKind : uint8_t {
  constant,  // fixed, or computed from guarded values by pure code
  input,     // read from `source`
  tensor,    // made by an op of this recording
  number,    // an int that is `number`, an expression of sizes
  fresh,     // made in this run: `fresh` says of what
};

struct Shadow {
  ShadowKind kind = ShadowKind::constant;
  Source* source = nullptr;
  Fresh* fresh = nullptr;
  Int number = 0;
};

struct Value {
  Ref object;
  Shadow* shadow = nullptr;

  Value() = default;
  Value(Ref o, Shadow* s) : object(std::move(o)), shadow(s) {}
  PyObject* get() const { return object.get(); }
  PyTypeObject* type() const { return Py_TYPE(object.get()); }
  ShadowKind kind() const { return shadow->kind; }
  bool is(ShadowKind k) const { return shadow->kind == k; }
  explicit operator bool() const { return static_cast<bool>(object); }
};

// One part of a fresh object: what was stored there (compared only), and its shadow.
struct Part {
  PyObject* seen = nullptr;
  Shadow* shadow = nullptr;
};

enum class Iterates : uint8_t {
  nothing,
  sequence,
  reversed,
  keys,
  values,
  items,
  enumerate,
  zip,
  map,
  filter,
  chain,
  generator
};

// What is known of the parts of an object that this run made or changed.
struct Fresh {
  Ref object;
  std::vector<Part> items;                         // list, tuple, cell, bound method, slice, set
  std::unordered_map<PyObject*, Part> attributes;  // by interned name
  Ref keys;  // dict: key -> index into entries; iterator over values: the dict's keys, in order
  std::vector<Part> entries;
  // Iterators and dict views: over `base`, `index` elements on; `inner` iterators of zip, map.
  Iterates iterates = Iterates::nothing;
  Value base;
  Py_ssize_t index = 0;
  std::vector<Value> inner;
  // A list of the caller's that was changed: how it was at entry.
  Source* of = nullptr;
  bool length_known = true;
  Py_ssize_t length_at_entry = 0;
  Fresh* owner = nullptr;   // this is the instance dict of an object made here
  bool stored = false;      // in another object made or changed here
  bool strict = false;      // a zip whose iterators must end together
  bool rebuildable = true;  // can be made again from its parts
};

struct Args {
  std::vector<Value> positional;
  std::vector<std::pair<PyObject*, Value>> keywords;  // names are borrowed from code or dicts
  std::vector<Ref> held;                              // names that nobody else holds
};

}  // namespace frit::walk
