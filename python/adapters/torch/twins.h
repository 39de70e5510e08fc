// Tensors of torch's as tensors of Frit's over the same memory: what a recording and an entry know
// them by.
#pragma once
#include <deque>
#include <unordered_map>
#include <vector>

#include "adapters/torch/api.h"

namespace frit::torch {

// Why a tensor cannot be part of a graph ("it is on the device cuda:0"); empty where it can.
std::string unsuitable(const Api&, PyObject* tensor);

// What is seen of a tensor from outside; the memory of sizes and strides is torch's.
struct Seen {
  dlpack::DlTensor layout;
  DType dtype;
  bool requires_grad;
  std::byte* data() const { return static_cast<std::byte*>(layout.data) + layout.byte_offset; }
};
// False where it is unsuitable.
bool look(const Api&, PyObject* tensor, Seen&);
// Is the twin that of this tensor still?
bool shows(const Tensor& twin, const Seen&);
Tensor twin_of(const Seen&);

// Without its storage: its elements as they lie, at offset 0 of a storage of their own. False where
// it is unsuitable.
bool describe(const Api&, PyObject* tensor, Tensor& to);
// With its storage, which those that share it have, too. Throws what Python raises.
class Storages {
 public:
  Ptr<Storage> of(const Api&, PyObject* tensor);

 private:
  std::unordered_map<int64_t, Ptr<Storage>> by_address_;
};
Tensor describe(const Api&, PyObject* tensor, Storages&);
void set_requires_grad(const Tensor& twin, bool);

// Those of one recording. Each holds its tensor, so that no address is used again.
class Twins {
 public:
  explicit Twins(const Api& api) : api_(api) {}
  // Null: it has none.
  const Tensor* find(PyObject* tensor) const;
  const Tensor& of(PyObject* tensor);
  // As it would be, for one that has none; add() makes it that.
  Tensor described(PyObject* tensor) { return describe(api_, tensor, storages_); }
  const Tensor& add(PyObject* tensor, Tensor described);
  // What was made since `from` and shows the same as this one, which was made behind its back:
  // autograd gives a view an object of its own.
  const Tensor* same_as(const Tensor& twin, size_t from) const;
  void forget(const Tensor& twin);
  size_t size() const { return order_.size(); }
  // The object of a twin, borrowed; null: no torch tensor has it.
  PyObject* object_of(const TensorImpl*) const;
  bool is_one(PyObject* o) const { return is_tensor(api_, o); }

 private:
  struct Pair {
    Ref object;
    Tensor twin;
  };
  const Api& api_;
  Storages storages_;
  std::deque<Pair> order_;  // stays where it is
  std::unordered_map<PyObject*, size_t> by_object_;
  std::unordered_map<const TensorImpl*, size_t> by_twin_;
};

}  // namespace frit::torch
