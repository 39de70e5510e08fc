#include "adapters/torch/functions.h"

#include "frame/walk/c_functions.h"

namespace frit::torch {
namespace {

using walk::Args;
using walk::CKind;
using walk::Value;
using walk::Walker;

// has_torch_function(x, ...): reads the types of its arguments and of what they hold.
Value has_torch_function(Walker& w, PyObject* f, Args& args, bool) {
  for (Value& v : args.positional) {
    w.use_type(v);
    if (!w.recording() || !walk::is_sequence(v.get())) continue;
    w.use_length(v);
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(v.get()); ++i) {
      Value item = w.item_at(v, i);
      if (!item) return {};
      w.use_type(item);
    }
  }
  return w.call_plain(f, args);
}

// x.type() says what it is, x.type(dtype) is x.to(dtype).
Value type_of(Walker& w, PyObject* f, Args& args, bool bound) {
  static PyObject* const n_to = walk::name_of("to");
  if (args.positional.size() == 1 && args.keywords.empty() && w.is_tensor(args.positional[0].get()))
    return w.tensor_call(f, walk::TensorCall::metadata, args);
  if (args.positional.size() == 2 && args.keywords.empty() &&
      w.is_tensor(args.positional[0].get()) && w.library().is_plain(args.positional[1].get())) {
    Value to = w.load_attribute(args.positional[0], n_to);
    return to ? w.call_with(to, {args.positional[1]}) : Value();
  }
  if (w.stop("c_function", "this call of Tensor.type is not followed", "to()")) return {};
  if (bound) args.positional.erase(args.positional.begin());
  return w.call_plain(f, args);
}

// Gradients of PyTorch's tensors are its own engine's, compiled entries among its nodes.
Value backward(Walker& w, PyObject* f, Args& args, bool) {
  Ref name = Ref::take(PyObject_GetAttrString(f, "__qualname__"));
  if (w.stop("backward", "torch's " + walk::text_of(name.get()) + "() runs PyTorch's own engine",
             "it after the compiled call, which it differentiates by compiled code"))
    return {};
  return w.call_plain(f, args);
}

}  // namespace

void add_functions(const Api& a) {
  auto add = [&](PyObject* from, std::initializer_list<const char*> names, walk::CFunction f) {
    for (const char* name : names) {
      Ref o = Ref::take(PyObject_GetAttrString(from, name));
      PyErr_Clear();
      if (o) walk::add_c_function(o.get(), f);
    }
  };
  add(a.c_module,
      {"_has_torch_function", "_has_torch_function_unary", "_has_torch_function_variadic"},
      {CKind::model, has_torch_function});
  add(reinterpret_cast<PyObject*>(a.tensor_base), {"type"}, {CKind::model, type_of});
  add(a.c_module, {"_log_api_usage_once", "_log_api_usage_metadata"}, {CKind::no_effect, nullptr});
  add(a.c_module,
      {"_get_tracing_state", "_is_tracing", "_is_torch_function_enabled",
       "_is_torch_function_all_disabled", "_len_torch_function_stack", "_len_torch_dispatch_stack",
       "_get_mkldnn_enabled", "_has_mkldnn", "_get_cudnn_enabled", "_get_flash_sdp_enabled",
       "_get_math_sdp_enabled", "_get_mem_efficient_sdp_enabled", "_cuda_getDeviceCount",
       "_is_key_in_tls", "_get_deterministic_algorithms", "_is_autocast_available",
       "is_autocast_enabled", "is_autocast_cpu_enabled", "_are_functorch_transforms_active"},
      {CKind::state, nullptr});
  add(a.module, {"finfo", "iinfo"}, {CKind::pure, nullptr});
  // True in the walk, as under PyTorch's own compiler.
  Ref compiler = Ref::take(PyObject_GetAttrString(a.module, "compiler"));
  Ref is_compiling =
      Ref::take(compiler ? PyObject_GetAttrString(compiler.get(), "is_compiling") : nullptr);
  PyErr_Clear();
  if (is_compiling)
    walk::add_python_model(is_compiling.get(),
                           [](Walker& w, PyObject*, Args&, bool) { return w.boolean(true); });
  Ref autograd = Ref::take(PyObject_GetAttrString(a.module, "autograd"));
  for (auto [owner, name] : {std::pair{reinterpret_cast<PyObject*>(a.tensor), "backward"},
                             {autograd.get(), "backward"},
                             {autograd.get(), "grad"}}) {
    Ref function = Ref::take(owner ? PyObject_GetAttrString(owner, name) : nullptr);
    PyErr_Clear();
    if (function) walk::add_python_model(function.get(), backward);
  }
  Ref functorch = Ref::take(PyObject_GetAttrString(a.c_module, "_functorch"));
  PyErr_Clear();
  if (functorch)
    add(functorch.get(), {"peek_interpreter_stack", "maybe_current_level"},
        {CKind::state, nullptr});
}

}  // namespace frit::torch
