// What torch's functions, methods and properties are to the walk, by torch's own definitions.
#pragma once
#include "adapters/torch/api.h"
#include "frame/tensor_library.h"

namespace frit::torch {

class Names {
 public:
  explicit Names(const Api&);
  walk::TensorCall call(PyObject* callable) const;
  walk::TensorCall attribute(PyObject* name) const;  // interned
  // aten's name of an op that is called; empty: it is none.
  std::string op(PyObject* callable) const;
  // The method's name of a call of kind `sizes`.
  std::string sizes(PyObject* callable_or_name) const;

 private:
  struct Known {
    walk::TensorCall kind = walk::TensorCall::none;
    std::string name;
  };
  const Known* find(PyObject* callable) const;
  bool is_aten(const std::string& name) const;
  const Api& api_;
  PyObject* find_aten_;
  mutable std::unordered_map<const void*, Known> calls_;
  std::unordered_map<PyObject*, walk::TensorCall> attributes_;
};

// aten's name of an operator's method on tensors: "__add__" is add, "__iadd__" add_. Null: other.
const char* op_of_method(const std::string& method);

}  // namespace frit::torch
