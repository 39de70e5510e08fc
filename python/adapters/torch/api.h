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

struct Api {
  PyObject *module, *c_module;
  PyTypeObject *tensor, *parameter, *size, *dtype, *device, *layout, *memory_format, *generator;
  PyTypeObject* tensor_base;
  PyObject *strided, *contiguous_format, *preserve_format;
  PyObject* cpu;         // torch.device("cpu")
  PyObject* dtypes[16];  // by DType
  const ExchangeTable* table;
  // State that is read at each call.
  PyObject *is_grad_enabled, *is_inference, *default_dtype, *autocast, *function_modes,
      *dispatch_modes, *functorch, *increment_version, *set_grad_enabled;
  std::string version;
};

// Null where the process has not imported torch, or cannot use it (then `why` says so).
const Api* api(std::string* why = nullptr);

inline bool is_tensor(const Api& t, PyObject* o) {
  return Py_TYPE(o) == t.tensor || Py_TYPE(o) == t.parameter;
}
// The dtype of the object torch has for it.
std::optional<DType> dtype_of(const Api&, PyObject* dtype);

// Throws what Python has set; the reference is new.
Ref attribute(PyObject* o, PyObject* name);
bool flag(PyObject* o, PyObject* name);
int64_t integer(PyObject* o);

// A tensor of torch's for memory of Frit's, which lives as long as it does.
Ref to_torch(const Api&, const Tensor&);

}  // namespace frit::torch
