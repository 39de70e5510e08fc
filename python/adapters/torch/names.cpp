#include "adapters/torch/names.h"

#include <algorithm>

#include "adapters/graph_entry.h"
#include "frame/walk/layouts.h"

namespace frit::torch {
namespace {

using python::key_of;
using walk::TensorCall;

const char* ml_name(PyObject* o) {
  if (PyCFunction_Check(o)) return reinterpret_cast<PyCFunctionObject*>(o)->m_ml->ml_name;
  if (Py_TYPE(o) == &PyMethodDescr_Type)
    return reinterpret_cast<PyMethodDescrObject*>(o)->d_method->ml_name;
  return nullptr;
}

// Methods that are no ops, whatever aten has under their names.
constexpr std::pair<const char*, TensorCall> kMethods[] = {
    {"size", TensorCall::sizes},
    {"stride", TensorCall::sizes},
    {"numel", TensorCall::sizes},
    {"nelement", TensorCall::sizes},
    {"dim", TensorCall::metadata},
    {"ndimension", TensorCall::metadata},
    {"element_size", TensorCall::metadata},
    {"is_floating_point", TensorCall::metadata},
    {"is_complex", TensorCall::metadata},
    {"is_signed", TensorCall::metadata},
    {"is_contiguous", TensorCall::metadata},
    {"is_conj", TensorCall::metadata},
    {"is_neg", TensorCall::metadata},
    {"is_inference", TensorCall::data},
    {"get_device", TensorCall::metadata},
    {"item", TensorCall::data},
    {"tolist", TensorCall::data},
    {"numpy", TensorCall::data},
    {"data_ptr", TensorCall::data},
    {"const_data_ptr", TensorCall::data},
    {"storage_offset", TensorCall::data},
    {"untyped_storage", TensorCall::data},
    {"is_nonzero", TensorCall::data},
    {"equal", TensorCall::data},
    {"is_same_size", TensorCall::data},
    {"is_set_to", TensorCall::data},
    {"allclose", TensorCall::data},
    {"nonzero", TensorCall::data},
    {"masked_select", TensorCall::data},
    {"unique_dim", TensorCall::data},
    {"set_", TensorCall::data},
    {"resize_", TensorCall::data},
    {"resize_as_", TensorCall::data},
    {"requires_grad_", TensorCall::data},
    {"retain_grad", TensorCall::data},
    {"detach_", TensorCall::data},
    {"share_memory_", TensorCall::data},
    {"apply_", TensorCall::data},
    {"map_", TensorCall::data},
    {"map2_", TensorCall::data},
    {"as_subclass", TensorCall::data},
    {"pin_memory", TensorCall::data},
    {"record_stream", TensorCall::data},
    {"rename", TensorCall::data},
    {"rename_", TensorCall::data},
    {"t_", TensorCall::data},
    {"transpose_", TensorCall::data},
    {"squeeze_", TensorCall::data},
    {"unsqueeze_", TensorCall::data},
    {"swapaxes_", TensorCall::data},
    {"swapdims_", TensorCall::data},
    {"as_strided_", TensorCall::data},
    {"__bool__", TensorCall::data},
    {"__int__", TensorCall::data},
    {"__float__", TensorCall::data},
    {"__complex__", TensorCall::data},
    {"__index__", TensorCall::data},
    {"new_tensor", TensorCall::data},
};
// Those that torch has under no name of aten's.
constexpr const char* kCasts[] = {"bfloat16", "bool",  "byte", "char", "double",    "float",
                                  "half",     "short", "int",  "long", "new_tensor"};

constexpr std::pair<const char*, TensorCall> kFunctions[] = {
    {"is_grad_enabled", TensorCall::state},
    {"is_inference_mode_enabled", TensorCall::state},
    {"get_default_dtype", TensorCall::state},
    {"_is_any_autocast_enabled", TensorCall::state},
    {"_set_grad_enabled", TensorCall::set_state},
    {"promote_types", TensorCall::metadata},
    {"can_cast", TensorCall::metadata},
    {"result_type", TensorCall::data},
    {"is_nonzero", TensorCall::data},
    {"is_same_size", TensorCall::data},
    {"equal", TensorCall::data},
    {"allclose", TensorCall::data},
    {"nonzero", TensorCall::data},
    {"argwhere", TensorCall::data},
    {"masked_select", TensorCall::data},
    {"bincount", TensorCall::data},
    {"unique_consecutive", TensorCall::data},
    {"_unique", TensorCall::data},
    {"_unique2", TensorCall::data},
    {"unique_dim", TensorCall::data},
    {"from_numpy", TensorCall::data},
    {"from_file", TensorCall::data},
    {"frombuffer", TensorCall::data},
    {"tensor", TensorCall::literal},
    {"as_tensor", TensorCall::literal},
    {"asarray", TensorCall::none},
};

constexpr std::pair<const char*, TensorCall> kProperties[] = {
    {"shape", TensorCall::sizes},
    {"dtype", TensorCall::metadata},
    {"device", TensorCall::metadata},
    {"layout", TensorCall::metadata},
    {"ndim", TensorCall::metadata},
    {"requires_grad", TensorCall::metadata},
    {"itemsize", TensorCall::metadata},
    {"is_cpu", TensorCall::metadata},
    {"is_cuda", TensorCall::metadata},
    {"is_meta", TensorCall::metadata},
    {"is_mkldnn", TensorCall::metadata},
    {"is_mps", TensorCall::metadata},
    {"is_mtia", TensorCall::metadata},
    {"is_nested", TensorCall::metadata},
    {"is_quantized", TensorCall::metadata},
    {"is_sparse", TensorCall::metadata},
    {"is_sparse_csr", TensorCall::metadata},
    {"is_xla", TensorCall::metadata},
    {"is_xpu", TensorCall::metadata},
    {"T", TensorCall::op},
    {"mT", TensorCall::op},
    {"H", TensorCall::op},
    {"mH", TensorCall::op},
    {"grad", TensorCall::data},
    {"_grad", TensorCall::data},
    {"grad_fn", TensorCall::data},
    {"_grad_fn", TensorCall::data},
    {"is_leaf", TensorCall::data},
    {"retains_grad", TensorCall::data},
    {"nbytes", TensorCall::data},
    {"_version", TensorCall::data},
    {"_base", TensorCall::data},
    {"data", TensorCall::data},
    {"names", TensorCall::data},
    {"_cdata", TensorCall::data},
    {"output_nr", TensorCall::data},
    {"real", TensorCall::data},
    {"imag", TensorCall::data},
    {"_backward_hooks", TensorCall::data},
    {"_post_accumulate_grad_hooks", TensorCall::data},
};

struct OperatorName {
  const char *method, *op;
};
constexpr OperatorName kOperators[] = {
    {"__add__", "add"},
    {"__iadd__", "add_"},
    {"__sub__", "sub"},
    {"__isub__", "sub_"},
    {"__mul__", "mul"},
    {"__imul__", "mul_"},
    {"__truediv__", "div"},
    {"__itruediv__", "div_"},
    {"__floordiv__", "floor_divide"},
    {"__ifloordiv__", "floor_divide_"},
    {"__mod__", "remainder"},
    {"__imod__", "remainder_"},
    {"__pow__", "pow"},
    {"__ipow__", "pow_"},
    {"__matmul__", "matmul"},
    {"__neg__", "neg"},
    {"__invert__", "bitwise_not"},
    {"__and__", "bitwise_and"},
    {"__or__", "bitwise_or"},
    {"__xor__", "bitwise_xor"},
    {"__iand__", "bitwise_and_"},
    {"__ior__", "bitwise_or_"},
    {"__ixor__", "bitwise_xor_"},
    {"__lshift__", "bitwise_left_shift"},
    {"__rshift__", "bitwise_right_shift"},
    {"__lt__", "lt"},
    {"__le__", "le"},
    {"__eq__", "eq"},
    {"__ne__", "ne"},
    {"__gt__", "gt"},
    {"__ge__", "ge"},
};

}  // namespace

const char* op_of_method(const std::string& method) {
  for (const OperatorName& o : kOperators)
    if (method == o.method) return o.op;
  return nullptr;
}

Names::Names(const Api& api) : api_(api) {
  find_aten_ = python::checked(PyObject_GetAttrString(api.c_module, "_jit_get_operation"));
  auto put = [&](PyObject* o, TensorCall kind, std::string name) {
    calls_[key_of(o)] = {kind, std::move(name)};
  };
  Ref methods = walk::layout::dict_of_type(api.tensor_base);
  for (auto [name, kind] : kMethods)
    if (PyObject* d = PyDict_GetItemString(methods.get(), name)) put(d, kind, name);
  for (const char* name : kCasts)
    if (PyObject* d = PyDict_GetItemString(methods.get(), name))
      put(d, std::string_view(name) == "new_tensor" ? TensorCall::data : TensorCall::op, name);
  for (const OperatorName& o : kOperators)
    if (PyObject* d = PyDict_GetItemString(methods.get(), o.method);
        d && Py_TYPE(d) == &PyMethodDescr_Type)
      put(d, TensorCall::op, o.op);
  for (PyObject* from : {api.c_module, api.module})
    for (auto [name, kind] : kFunctions) {
      Ref f = Ref::take(PyObject_GetAttrString(from, name));
      PyErr_Clear();
      if (f) put(f.get(), kind, name);
    }
  for (auto [name, kind] : kProperties) attributes_[PyUnicode_InternFromString(name)] = kind;
}

bool Names::is_aten(const std::string& name) const {
  walk::PendingError keep;
  Ref found = Ref::take(PyObject_CallFunction(find_aten_, "s", ("aten::" + name).c_str()));
  const bool is =
      found && PyTuple_Check(found.get()) && PyTuple_GET_ITEM(found.get(), 0) != Py_None;
  PyErr_Clear();
  return is;
}

const Names::Known* Names::find(PyObject* callable) const {
  // One that holds its tensor already is found by its type's method.
  if (PyCFunction_Check(callable) && PyCFunction_GET_SELF(callable) &&
      PyObject_TypeCheck(PyCFunction_GET_SELF(callable), api_.tensor_base))
    return nullptr;
  const void* key = key_of(callable);
  if (auto it = calls_.find(key); it != calls_.end()) return &it->second;
  const char* name = ml_name(callable);
  if (!name) return nullptr;
  // Methods of tensors, and functions of torch's own modules.
  bool of_torch = false;
  if (Py_TYPE(callable) == &PyMethodDescr_Type) {
    of_torch = reinterpret_cast<PyDescrObject*>(callable)->d_type == api_.tensor_base;
  } else {
    auto* c = reinterpret_cast<PyCFunctionObject*>(callable);
    if (c->m_self && PyModule_Check(c->m_self)) {
      const std::string module = walk::text_of(c->m_self);
      of_torch = module == "torch._C._nn" || module == "torch._C._linalg" ||
                 module == "torch._C._fft" || module == "torch._C._special" ||
                 module == "torch._C._sparse" || module == "torch._C._nested";
    } else if (!c->m_self || PyType_Check(c->m_self) || c->m_self == Py_None) {
      static PyObject* const functions =
          PyObject_GetAttrString(api_.c_module, "_VariableFunctions");
      Ref same = Ref::take(PyObject_GetAttrString(functions, name));
      PyErr_Clear();
      of_torch = same && PyCFunction_Check(same.get()) && key_of(same.get()) == key;
    }
  }
  Known k;
  if (of_torch && is_aten(name)) k = {TensorCall::op, name};
  return &(calls_[key] = std::move(k));
}

TensorCall Names::call(PyObject* callable) const {
  const Known* k = find(callable);
  return k ? k->kind : TensorCall::none;
}

std::string Names::op(PyObject* callable) const {
  const Known* k = find(callable);
  return k && k->kind == TensorCall::op ? k->name : "";
}

std::string Names::sizes(PyObject* what) const {
  if (PyUnicode_Check(what)) return walk::text_of(what);
  const Known* k = find(what);
  return k ? k->name : "";
}

TensorCall Names::attribute(PyObject* name) const {
  auto it = attributes_.find(name);
  return it == attributes_.end() ? TensorCall::none : it->second;
}

}  // namespace frit::torch
