// PyTorch as a running process has it: its Python objects, and the table of C functions by which it
// exchanges tensors (DLPack's). Nothing of it is linked.
#pragma once
#include <string>

#include "bindings/python.h"
#include "core/dlpack.h"
#include "frame/walk/ref.h"

namespace frit::torch {

namespace nb = nanobind;
using walk::Ref;  // frit::Ref is a tensor's

// DLPack 1.x, `DLPackExchangeAPI`.
struct ExchangeTable {
  dlpack::Version version;
  ExchangeTable* older;
  int (*allocate)(dlpack::DlTensor*, dlpack::ManagedVersioned**, void*,
                  void (*)(void*, const char*, const char*));
  int (*managed_of)(void* object, dlpack::ManagedVersioned**);
  int (*object_of)(dlpack::ManagedVersioned*, void** object);
  int (*describe)(void* object, dlpack::DlTensor*);  // borrowed; may be null
  int (*stream)(int32_t, int32_t, void**);
};

// What C functions of torch's give that take nothing but an object, called without CPython's way to
// them where they are what they are expected to be.
class Reader {
 public:
  Reader() = default;
  static Reader of_function(PyObject* stolen);
  static Reader of_method(PyTypeObject*, const char* name);
  static Reader of_property(PyTypeObject*, const char* name);
  // Throws what Python has set. `self`: not for functions, which have their own.
  Ref operator()(PyObject* self = nullptr) const;
  bool is_true(PyObject* self = nullptr) const { return (*this)(self).get() == Py_True; }

 private:
  PyObject* callable_ = nullptr;  // or the attribute's name
  bool is_property_ = false;
  PyCFunction call_ = nullptr;
  PyObject* self_ = nullptr;
  getter get_ = nullptr;
  void* closure_ = nullptr;
};

struct Api {
  PyObject *module, *c_module;
  PyTypeObject *tensor, *parameter, *size, *dtype, *device, *layout, *memory_format, *generator,
      *finfo, *iinfo;
  PyTypeObject* tensor_base;
  PyObject *strided, *contiguous_format, *preserve_format;
  PyObject* cpu;         // torch.device("cpu")
  PyObject* dtypes[16];  // by DType
  const ExchangeTable* table;
  // State that is read at each call.
  Reader is_grad_enabled, is_inference, default_dtype, autocast, function_modes, dispatch_modes,
      functorch;
  // Of tensors.
  Reader requires_grad, is_neg, storage_offset, untyped_storage;
  Reader storage_address, storage_data, storage_bytes;  // of their storages
  PyObject *increment_version, *set_grad_enabled;
  std::string version;
};

// Null where the process has not imported torch, or cannot use it (then `why` says so).
const Api* api(std::string* why = nullptr);

inline bool is_tensor(const Api& t, PyObject* o) {
  return Py_TYPE(o) == t.tensor || Py_TYPE(o) == t.parameter;
}
// The dtype of the object torch has for it.
std::optional<DType> dtype_of(const Api&, PyObject* dtype);

// These throw what Python has set; references are new.
// Of frit._torch, the part of the adapter that is written in Python.
Ref imported(const char* name);
Ref attribute(PyObject* o, PyObject* name);
bool flag(PyObject* o, PyObject* name);
int64_t integer(PyObject* o);

// A float as a float64 tensor without dimensions.
Ref float_tensor(const Api&, PyObject* number);
// A tensor of torch's for memory of Frit's, which lives as long as it does.
Ref to_torch(const Api&, const Tensor&);

}  // namespace frit::torch
