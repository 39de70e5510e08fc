// Calls of ops without a record that are noted as ops that have one.
#include <algorithm>

#include "adapters/torch/decompositions.h"
#include "adapters/torch/recording.h"
#include "eager/dispatch.h"

namespace frit::torch {

bool Recording::decompose(const AtenOp& op, PyObject* arguments, PyObject* keywords,
                          std::span<PyObject* const> results) {
  if (results.empty()) return false;
  std::vector<PyObject*> args;
  for (size_t i = 0; i < op.names.size(); ++i) {
    PyObject* o = argument(op, i, arguments, keywords);
    args.push_back(o ? o : Py_None);
  }
  // Where the program calls it by this name, it has all its results.
  if (op.name == "native_batch_norm" && args.size() == 8 && watched_name_ != op.name)
    return decompose_batch_norm(args, results[0]);
  if (op.name == "_native_multi_head_attention" && args.size() >= 11 && results.size() == 1)
    return decompose_attention(args, results[0]);
  return false;
}

bool Recording::is_decomposed(frit::Ref made, PyObject* of, PyObject* result) {
  const Arg input(twins_.of(of));
  Tensor t = made.tensor();
  lay_out(std::span(&input, 1), t, result);
  return same(std::span(&input, 1), std::span(&t, 1), std::span(&result, 1));
}

// (input, weight, bias, running_mean, running_var, training, momentum, eps): the running
// statistics are written in training alone.
bool Recording::decompose_batch_norm(std::span<PyObject* const> args, PyObject* result) {
  const Tensor x = twins_.of(args[0]);
  if ((x.dtype() != DType::f32 && x.dtype() != DType::f64) || x.dim() < 2 || !x.impl()->numel())
    return false;
  BatchNorm b;
  b.x = x;
  frit::Ref* const given[] = {&b.weight, &b.bias, &b.running_mean, &b.running_var};
  for (size_t i = 0; i < 4; ++i)
    if (args[1 + i] != Py_None) {
      const Tensor t = twins_.of(args[1 + i]);
      if (t.dtype() != x.dtype()) return false;
      *given[i] = t;
    }
  b.training = args[5] == Py_True;
  b.momentum = PyFloat_AsDouble(args[6]);
  b.eps = PyFloat_AsDouble(args[7]);
  if (PyErr_Occurred() || (!b.training && (!b.running_mean.defined() || !b.running_var.defined())))
    return false;
  eager::EagerCaller c(here());
  if (!is_decomposed(batch_norm(c, b), args[0], result)) return false;
  if (!b.training) return true;
  const RunningStatistics now = running_statistics(c, b);
  auto write = [&](const frit::Ref& running, const frit::Ref& to) {
    if (!running.defined()) return;
    // Torch has written it already.
    const Tensor target = running.tensor();
    const Arg copy[] = {Arg(target), Arg(to), Arg(false)};
    capture_.note(*find_op("copy").inplace, copy, std::span(&target, 1), {}, here());
    target.impl()->storage->bump_version();
  };
  write(b.running_mean, now.mean);
  write(b.running_var, now.var);
  return true;
}

// (query, key, value, embed_dim, num_head, qkv_weight, qkv_bias, proj_weight, proj_bias, mask,
// need_weights, ...)
bool Recording::decompose_attention(std::span<PyObject* const> args, PyObject* result) {
  if (args[0] != args[1] || args[0] != args[2] || args[9] != Py_None || args[10] != Py_False)
    return false;
  const Tensor x = twins_.of(args[0]);
  SelfAttention a;
  a.x = x;
  a.heads = PyLong_AsLongLong(args[4]);
  if (PyErr_Occurred() || a.heads <= 0 || x.dim() != 3 || !x.impl()->numel()) return false;
  frit::Ref* const given[] = {&a.qkv_weight, &a.qkv_bias, &a.weight, &a.bias};
  for (size_t i = 0; i < 4; ++i) {
    if (args[5 + i] == Py_None) return false;
    const Tensor t = twins_.of(args[5 + i]);
    if (t.dtype() != x.dtype()) return false;
    *given[i] = t;
  }
  eager::EagerCaller c(here());
  return is_decomposed(self_attention(c, a), args[0], result);
}

}  // namespace frit::torch
