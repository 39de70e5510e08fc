#include "adapters/torch/api.h"

#include <fmt/format.h>

#include "adapters/frit/recording.h"
#include "frame/walk/made_once.h"

namespace frit::torch {
namespace {

using python::checked;

const ExchangeTable* table_of(PyObject* tensor_type) {
  for (const char* name : {"__dlpack_c_exchange_api__", "__c_dlpack_exchange_api__"}) {
    Ref capsule = Ref::take(PyObject_GetAttrString(tensor_type, name));
    PyErr_Clear();
    if (!capsule || !PyCapsule_CheckExact(capsule.get())) continue;
    auto* t = static_cast<const ExchangeTable*>(
        PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
    PyErr_Clear();
    while (t && t->version.major > dlpack::kVersion.major) t = t->older;
    if (t && t->version.major == dlpack::kVersion.major && t->describe) return t;
  }
  return nullptr;
}

bool is_plain_method(const PyMethodDef* m) { return m->ml_flags == METH_NOARGS; }

}  // namespace

Reader Reader::of_function(PyObject* stolen) {
  Reader r;
  r.callable_ = stolen;
  if (PyCFunction_CheckExact(stolen)) {
    auto* f = reinterpret_cast<PyCFunctionObject*>(stolen);
    if (is_plain_method(f->m_ml)) r.call_ = f->m_ml->ml_meth, r.self_ = f->m_self;
  }
  return r;
}

Reader Reader::of_method(PyTypeObject* type, const char* name) {
  Reader r;
  r.callable_ = walk::name_of(name);
  PyObject* d = _PyType_Lookup(type, r.callable_);
  if (d && Py_TYPE(d) == &PyMethodDescr_Type) {
    const PyMethodDef* m = reinterpret_cast<PyMethodDescrObject*>(d)->d_method;
    if (is_plain_method(m)) r.call_ = m->ml_meth;
  }
  return r;
}

Reader Reader::of_property(PyTypeObject* type, const char* name) {
  Reader r;
  r.callable_ = walk::name_of(name);
  r.is_property_ = true;
  PyObject* d = _PyType_Lookup(type, r.callable_);
  if (d && Py_TYPE(d) == &PyGetSetDescr_Type) {
    const PyGetSetDef* p = reinterpret_cast<PyGetSetDescrObject*>(d)->d_getset;
    r.get_ = p->get, r.closure_ = p->closure;
  }
  return r;
}

Ref Reader::operator()(PyObject* self) const {
  PyObject* given = self ? self : self_;
  return Ref::take(checked(get_           ? get_(given, closure_)
                           : call_        ? call_(given, nullptr)
                           : is_property_ ? PyObject_GetAttr(given, callable_)
                           : self         ? PyObject_CallMethodNoArgs(given, callable_)
                                          : PyObject_CallNoArgs(callable_)));
}

namespace {

Api load(PyObject* module) {
  Api a{};
  auto get = [&](PyObject* from, const char* name) {
    return checked(PyObject_GetAttrString(from, name));
  };
  auto type = [&](PyObject* from, const char* name) {
    return reinterpret_cast<PyTypeObject*>(get(from, name));
  };
  a.module = Py_NewRef(module);
  a.version = nb::cast<std::string>(nb::str(nb::steal(get(module, "__version__"))));
  a.c_module = get(module, "_C");
  a.tensor = type(module, "Tensor");
  a.tensor_base = type(a.c_module, "TensorBase");
  Ref nn = Ref::take(get(module, "nn"));
  a.parameter = type(nn.get(), "Parameter");
  a.size = type(module, "Size");
  a.dtype = type(module, "dtype");
  a.device = type(module, "device");
  a.layout = type(module, "layout");
  a.memory_format = type(module, "memory_format");
  a.finfo = type(module, "finfo");
  a.iinfo = type(module, "iinfo");
  a.generator = type(module, "Generator");
  a.strided = get(module, "strided");
  a.contiguous_format = get(module, "contiguous_format");
  a.preserve_format = get(module, "preserve_format");
  a.cpu = checked(PyObject_CallFunction(reinterpret_cast<PyObject*>(a.device), "s", "cpu"));
  for (int i = 0; i < kNumDTypes; ++i)
    a.dtypes[i] = get(module, std::string(name(static_cast<DType>(i))).c_str());
  auto reader = [&](PyObject* from, const char* name) {
    return Reader::of_function(get(from, name));
  };
  a.is_grad_enabled = reader(a.c_module, "is_grad_enabled");
  a.is_inference = reader(a.c_module, "is_inference_mode_enabled");
  a.default_dtype = reader(module, "get_default_dtype");
  a.autocast = reader(a.c_module, "_is_any_autocast_enabled");
  a.function_modes = reader(a.c_module, "_len_torch_function_stack");
  a.dispatch_modes = reader(a.c_module, "_len_torch_dispatch_stack");
  Ref functorch = Ref::take(get(a.c_module, "_functorch"));
  a.functorch = reader(functorch.get(), "peek_interpreter_stack");
  a.requires_grad = Reader::of_property(a.tensor_base, "requires_grad");
  a.is_neg = Reader::of_method(a.tensor_base, "is_neg");
  a.storage_offset = Reader::of_method(a.tensor_base, "storage_offset");
  a.untyped_storage = Reader::of_method(a.tensor_base, "untyped_storage");
  Ref storage = Ref::take(get(a.c_module, "StorageBase"));
  auto* storages = reinterpret_cast<PyTypeObject*>(storage.get());
  a.storage_address = Reader::of_property(storages, "_cdata");
  a.storage_data = Reader::of_method(storages, "data_ptr");
  a.storage_bytes = Reader::of_method(storages, "nbytes");
  a.set_grad_enabled = get(a.c_module, "_set_grad_enabled");
  a.increment_version = get(a.c_module, "_increment_version");
  a.table = table_of(reinterpret_cast<PyObject*>(a.tensor));
  if (!a.table)
    throw UserError(ErrorKind::runtime, "compile",
                    "its tensors have no table of DLPack 1 for the exchange of tensors");
  return a;
}

}  // namespace

const Api* api(std::string* why) {
  static const Api* found = nullptr;
  static std::string refused;
  if (found) return found;
  if (refused.empty()) {
    PyObject* modules = PyImport_GetModuleDict();
    PyObject* module = PyDict_GetItemString(modules, "torch");
    if (!module || !PyObject_HasAttrString(module, "nn") ||
        !PyObject_HasAttrString(module, "autograd"))
      return nullptr;  // not imported, or in the middle of it
    walk::PendingError keep;
    try {
      return found = &walk::made_once([&] { return load(module); });
    } catch (const std::exception& e) {
      PyErr_Clear();
      Ref version = Ref::take(PyObject_GetAttrString(module, "__version__"));
      PyErr_Clear();
      refused =
          fmt::format("PyTorch {} is not supported: {}", walk::text_of(version.get()), e.what());
    }
  }
  if (why) *why = refused;
  return nullptr;
}

std::optional<DType> dtype_of(const Api& a, PyObject* dtype) {
  for (int i = 0; i < kNumDTypes; ++i)
    if (a.dtypes[i] == dtype) return static_cast<DType>(i);
  return std::nullopt;
}

Ref imported(const char* name) {
  return Ref::take(checked(walk::imported("frit._torch", name).release()));
}
Ref attribute(PyObject* o, PyObject* name) { return Ref::take(checked(PyObject_GetAttr(o, name))); }
bool flag(PyObject* o, PyObject* name) { return attribute(o, name).get() == Py_True; }
int64_t integer(PyObject* o) {
  const long long n = PyLong_AsLongLong(o);
  if (n == -1 && PyErr_Occurred()) python::throw_python();
  return n;
}

namespace {

struct Shared {
  dlpack::ManagedVersioned managed;
  Tensor keep;
};

}  // namespace

Ref to_torch(const Api& a, const Tensor& t) {
  const TensorImpl& i = *t.impl();
  auto s = std::make_unique<Shared>();
  s->keep = t;
  TensorImpl& kept = *s->keep.impl();
  dlpack::DataType type{dlpack::kFloat, static_cast<uint8_t>(size_of(i.dtype) * 8), 1};
  if (i.dtype == DType::bf16)
    type.code = dlpack::kBfloat;
  else if (is_bool(i.dtype))
    type.code = dlpack::kBool;
  else if (i.dtype == DType::u8)
    type.code = dlpack::kUInt;
  else if (!is_floating(i.dtype))
    type.code = dlpack::kInt;
  dlpack::ManagedVersioned& m = s->managed;
  m.version = dlpack::kVersion;
  m.context = s.get();
  m.deleter = [](dlpack::ManagedVersioned* self) { delete static_cast<Shared*>(self->context); };
  m.flags = 0;
  m.tensor = {i.data(), {dlpack::kCpu, 0}, static_cast<int32_t>(i.dim()),
              type,     kept.sizes.data(), kept.strides.data(),
              0};
  void* object = nullptr;
  if (a.table->object_of(&m, &object) != 0) python::throw_python();
  s.release();  // torch's now
  return Ref::take(static_cast<PyObject*>(object));
}

Ref float_tensor(const Api& a, PyObject* number) { return to_torch(a, python::scalar_of(number)); }

}  // namespace frit::torch
