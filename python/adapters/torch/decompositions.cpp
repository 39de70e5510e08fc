// Ops that torch has and Frit has no record of, as ops that have one.
#include <algorithm>

#include "adapters/torch/recording.h"
#include "core/layout.h"
#include "eager/dispatch.h"
#include "ops/vjp_helpers.h"

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

// native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
// running statistics are written in training alone.
bool Recording::decompose_batch_norm(std::span<PyObject* const> args, PyObject* result) {
  const Tensor x = twins_.of(args[0]);
  if ((x.dtype() != DType::f32 && x.dtype() != DType::f64) || x.dim() < 2 || !x.impl()->numel())
    return false;
  Tensor given[5];
  for (size_t i = 1; i < 5; ++i)
    if (args[i] != Py_None) {
      given[i] = twins_.of(args[i]);
      if (given[i].dtype() != x.dtype()) return false;
    }
  const auto& [none, weight, bias, running_mean, running_var] = given;
  const bool training = args[5] == Py_True;
  if (!training && (!running_mean.defined() || !running_var.defined())) return false;
  const double momentum = PyFloat_AsDouble(args[6]), eps = PyFloat_AsDouble(args[7]);
  if (PyErr_Occurred()) return false;

  eager::EagerCaller c(here());
  const IntList sizes = x.sizes();
  IntList dims, channels(sizes.size(), Int(1));
  channels[1] = sizes[1];
  for (size_t d = 0; d < sizes.size(); ++d)
    if (d != 1) dims.push_back(Int(static_cast<int64_t>(d)));
  auto spread = [&](const Tensor& t) { return Term(c, c.op<"view">(t, channels)); };
  const Term in(c, frit::Ref(x));
  Term mean = in, variance = in;
  if (training) {
    const RefList both = c.ops<"var_mean.correction">(x, dims, Scalar(0), true);
    variance = Term(c, both[0]);
    mean = Term(c, both[1]);
  } else {
    variance = spread(running_var);
    mean = spread(running_mean);
  }
  Term y = (in - mean) * (variance + eps).op<"rsqrt">();
  if (weight.defined()) y = y * spread(weight);
  if (bias.defined()) y = y + spread(bias);
  Tensor made = y.ref().tensor();
  const Arg input(x);
  lay_out(std::span(&input, 1), made, result);
  if (!same(std::span(&input, 1), std::span(&made, 1), std::span(&result, 1))) return false;
  if (!training) return true;

  auto write = [&](const Tensor& running, const frit::Ref& now) {
    if (!running.defined()) return;
    const Term old(c, frit::Ref(running)), next(c, c.op<"detach">(now));
    const Term to = old * (1 - momentum) + next * momentum;
    const Arg copy[] = {Arg(running), Arg(to.ref()), Arg(false)};
    capture_.note(*find_op("copy").inplace, copy, std::span(&running, 1), {}, here());
    running.impl()->storage->bump_version();
  };
  const frit::Ref quiet = c.op<"detach">(frit::Ref(x));
  if (running_mean.defined()) write(running_mean, c.op<"mean.dim">(quiet, dims, false));
  if (running_var.defined())
    write(running_var, c.op<"var.correction">(quiet, dims, Scalar(1), false));
  return true;
}

// _native_multi_head_attention(query, key, value, embed_dim, num_head, qkv_weight, qkv_bias,
// proj_weight, proj_bias, mask, need_weights, ...) of one tensor with itself.
bool Recording::decompose_attention(std::span<PyObject* const> args, PyObject* result) {
  if (args[0] != args[1] || args[0] != args[2] || args[9] != Py_None || args[10] != Py_False)
    return false;
  const Tensor x = twins_.of(args[0]);
  const int64_t width = PyLong_AsLongLong(args[3]), heads = PyLong_AsLongLong(args[4]);
  if (PyErr_Occurred() || heads <= 0 || x.dim() != 3 || !x.impl()->numel()) return false;
  Tensor given[4];
  for (size_t i = 0; i < 4; ++i) {
    if (args[5 + i] == Py_None) return false;
    given[i] = twins_.of(args[5 + i]);
    if (given[i].dtype() != x.dtype()) return false;
  }
  eager::EagerCaller c(here());
  const IntList sizes = x.sizes();
  const Term all = Term(c, frit::Ref(x)).op<"linear">(given[0], given[1]);
  const Term parts =
      all.op<"view">(IntList{sizes[0], sizes[1], Int(3), Int(heads), Int(width / heads)})
          .op<"permute">(IntList{Int(2), Int(0), Int(3), Int(1), Int(4)});
  const Term query = parts.op<"select.int">(0, 0);
  const Term shown = query.op<"scaled_dot_product_attention">(parts.op<"select.int">(0, 1),
                                                              parts.op<"select.int">(0, 2));
  const Term joined = shown.op<"transpose.int">(1, 2).op<"reshape">(
      IntList{sizes[0], sizes[1], Int(width)});
  Tensor made = joined.op<"linear">(given[2], given[3]).ref().tensor();
  const Arg input(x);
  lay_out(std::span(&input, 1), made, result);
  return same(std::span(&input, 1), std::span(&made, 1), std::span(&result, 1));
}

}  // namespace frit::torch
