// Ops as Python objects: one a name, made at import from the records. Calling one chooses among the
// overloads of its name, as PyTorch's parser does. A method of Tensor is the same object.
#pragma once
#include <span>

#include "bindings/python.h"
#include "ops/record.h"

namespace frit::python {

bool is_op(PyObject* o);
// The records that a call by this name chooses among, in order of trial.
std::span<const OpRecord* const> overloads(PyObject* op);

// The overload that a call with these arguments (of the vectorcall convention) means, and its
// complete arguments. Throws the TypeError of a call that no overload fits.
struct Call {
  const OpRecord* record = nullptr;
  ArgList args;
  bool requires_grad = false;  // asked of the result, where tensors are made
};
Call parse_call(PyObject* op, PyObject* const* args, size_t count, PyObject* keywords);
// Runs it, and gives what Python gets.
PyObject* run_call(const Call& call);
// The results as Python gets them: a tensor, a tuple of them, one with names.
PyObject* wrap_results(const OpRecord& record, std::span<const Tensor> results);

// The op of that name (a borrowed reference), or null.
PyObject* find_op_object(std::string_view name);

// Makes all ops: the dict m.ops, and methods of Tensor. After bind_tensor.
void bind_ops(nb::module_& m);

}  // namespace frit::python
