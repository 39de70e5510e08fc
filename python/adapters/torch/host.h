// Ops of aten's that Frit has no record of: a node calls torch for them while the graph runs.
#pragma once
#include <map>

#include "adapters/torch/twins.h"
#include "ops/record.h"

namespace frit::torch {

// What is known of an op of aten's, from its schema.
struct AtenOp {
  std::string name;  // "convolution", "add.Tensor"
  const OpRecord* record = nullptr;
  std::vector<bool> written;       // by argument
  std::vector<std::string> names;  // of its arguments
  std::vector<bool> sizes;         // by argument: a number that may be one of sizes
  bool draws = false;              // random numbers
  bool of_aten = false;
};
const AtenOp& aten_op(PyObject* overload);

// One call: a record of its own, so that no pass takes two calls for one.
struct Host : OpRecord {
  const Api* api = nullptr;
  Ref function, arguments, keywords;  // tensors are places: see torch_arguments()
  std::string aten;
  std::vector<size_t> writes;  // tensors that it writes; it is given copies, whose contents are
                               // results, after those it gives
  size_t tensors = 0, results = 0;
  bool grad_mode = false;  // as it was called
  bool ordered = false;    // the last tensor and the last result only keep calls in order
  bool backward = false;   // gradients of `of`: tensors are those it was given, after the gradients
  const Host* of = nullptr;
  std::vector<bool> wanted;  // backward: of which tensors
  mutable std::map<std::vector<bool>, std::unique_ptr<Host>> backwards;
};

// Tensors in a call's arguments, in order.
void tensors_of(const Api&, PyObject* o, std::vector<PyObject*>& tensors);

struct HostCall {
  PyObject *function, *arguments, *keywords;
  const AtenOp* op;
  std::vector<Tensor> tensors;  // twins
  std::vector<size_t> writes;
  std::vector<Tensor> results;  // twins; then, of what is written, how it is now
  bool ordered = false, differentiable = true;
};
// Null where no rule can say which sizes its results have.
std::shared_ptr<Host> make_host(const Api&, const HostCall&);

}  // namespace frit::torch
