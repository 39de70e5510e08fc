// How the objects that an entry ends with are made again on a later call: results, what a frame
// holds, what effects store.
#pragma once
#include <string>
#include <vector>

#include "frame/walk/guard_program.h"

namespace frit::walk {

class Walker;

// One object: where it comes from.
struct Recipe {
  enum class Kind : uint8_t {
    nothing,
    constant,
    source,
    tensor,
    number,
    made,
    handled  // the exception that is being handled where the entry begins, or None
  } kind = Kind::nothing;
  int index = -1;  // source, tensor, number, made: which
  const Source* source = nullptr;
  Ref object;  // constant
};

// An object that is made again, from others.
struct Build {
  enum class Kind : uint8_t {
    tuple,
    list,
    dict,
    set,
    slice,
    cell,
    method,
    bound_c,
    function,
    instance,
    iterator,
    size,
    call,     // of `type`, with parts and entries
    partial,  // its function, tuple and dict
    steps     // an iterator of a dict or one of its views, `at` steps on
  } kind = Kind::tuple;
  Ref type;  // instance, iterator (what it goes over is parts[0])
  std::vector<Recipe> parts;
  std::vector<std::pair<Ref, Recipe>> entries;  // dict; attributes of an instance or function
  std::vector<std::pair<Ref, Recipe>> held;     // an instance's that is a dict: what it has
  std::vector<bool> slots;                      // which of the attributes are slots
  Ref code, globals, name;                      // function
  Py_ssize_t at = 0;                            // iterator
};

// What the entry's tensors part computes for recipes.
struct Computed {
  std::vector<PyObject*> tensors;  // by number, at capture
  std::vector<Int> numbers;
};

class RecipeBook {
 public:
  explicit RecipeBook(Walker& walker) : walker_(walker) {}
  // Sets refused() where the value cannot be made again.
  Recipe add(Value v);
  const std::string& refused() const { return refused_; }
  Computed computed;
  std::vector<Build> builds;
  std::vector<const Source*> sources;  // those recipes read

 private:
  Recipe add_built(Value& v);
  bool attributes(Value& v, Build& b);
  // Iterators over others; false: not one of them.
  bool iterator(Value& v, Build& b);
  Recipe refuse(std::string why);
  Walker& walker_;
  std::unordered_map<PyObject*, int> built_, tensor_index_;
  std::vector<bool> finished_;
  int depth_ = 0;
  std::string refused_;
};

// One run of an entry's recipes.
class Maker {
 public:
  // `sources`: the objects that recipes read.
  Maker(const std::vector<Build>& builds, const std::vector<Ref>& sources, std::vector<Ref> tensors,
        std::vector<Ref> numbers);
  // Null with an exception set; a new reference.
  PyObject* make(const Recipe& r);

 private:
  PyObject* build(int index);
  bool fill(PyObject* dict, const std::vector<std::pair<Ref, Recipe>>& entries);
  const std::vector<Build>& builds_;
  const std::vector<Ref>& sources_;
  std::vector<Ref> tensors_, numbers_, built_;
};

}  // namespace frit::walk
