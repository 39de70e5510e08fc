// Tensor's methods that are no ops. Those that need no speed are in python/frit/_tensor.py.
#include <frit/autograd.h>

#include "base/location.h"
#include "bindings/arguments.h"
#include "bindings/autograd.h"
#include "bindings/size_object.h"
#include "bindings/tensor_object.h"
#include "eager/values.h"

namespace frit::python {
namespace {

template <auto fn>
PyObject* method(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    LocationScope here(location_if_watched());
    return fn(tensor_of(self));
  });
}

int64_t dim_of(const char* what, const Tensor& t, PyObject* o) {
  Int d;
  if (!to_int(o, Match::loose, d))
    throw UserError(ErrorKind::type, what,
                    std::string(what) + "(): argument 'dim' must be int, not " + given_text(o));
  int64_t rank = t.dim(), at = d.hint();
  if (at < -rank || at >= rank)
    throw UserError(ErrorKind::index, what,
                    "Dimension out of range (expected to be in range of [" +
                        std::to_string(-std::max<int64_t>(rank, 1)) + ", " +
                        std::to_string(std::max<int64_t>(rank, 1) - 1) + "], but got " +
                        std::to_string(at) + ")");
  return at < 0 ? at + rank : at;
}

// The one argument of size(dim) and stride(dim), or null.
PyObject* dim_argument(const char* what, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"dim", nullptr};
  PyObject* dim = nullptr;
  std::string format = std::string("|O:") + what;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, format.c_str(), const_cast<char**>(names), &dim))
    throw_python();
  return dim == Py_None ? nullptr : dim;
}
PyObject* size(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    const Tensor& t = tensor_of(self);
    PyObject* dim = dim_argument("size", args, kwargs);
    return dim ? PyLong_FromLongLong(t.size(dim_of("size", t, dim)).hint()) : make_size(t.sizes());
  });
}
PyObject* stride(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_of(self);
    if (PyObject* dim = dim_argument("stride", args, kwargs))
      return PyLong_FromLongLong(t.stride(dim_of("stride", t, dim)).hint());
    IntList strides = t.strides();
    nb::object tuple = nb::steal(checked(PyTuple_New(static_cast<Py_ssize_t>(strides.size()))));
    for (size_t i = 0; i < strides.size(); ++i)
      PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i),
                       checked(PyLong_FromLongLong(strides[i].hint())));
    return tuple.release().ptr();
  });
}

PyObject* dim(const Tensor& t) { return PyLong_FromLongLong(t.dim()); }
PyObject* numel(const Tensor& t) { return PyLong_FromLongLong(t.numel().hint()); }
PyObject* storage_offset(const Tensor& t) {
  return PyLong_FromLongLong(t.storage_offset(std::source_location()).hint());
}
PyObject* data_ptr(const Tensor& t) {
  return PyLong_FromVoidPtr(t.raw_data(std::source_location()));
}
PyObject* element_size(const Tensor& t) { return PyLong_FromLongLong(size_of(t.dtype())); }
PyObject* is_floating_point(const Tensor& t) { return PyBool_FromLong(t.is_floating_point()); }
PyObject* no(const Tensor&) { Py_RETURN_FALSE; }
PyObject* is_signed(const Tensor& t) {
  return PyBool_FromLong(t.dtype() != DType::u8 && !is_bool(t.dtype()));
}

PyObject* item(const Tensor& t) {
  if (is_bool(t.dtype())) return PyBool_FromLong(t.item<bool>(std::source_location()));
  if (t.is_floating_point()) return PyFloat_FromDouble(t.item<double>(std::source_location()));
  return PyLong_FromLongLong(t.item<int64_t>(std::source_location()));
}

PyObject* nested(const TensorImpl& t, size_t d, const std::byte* at) {
  if (d == t.sizes.size()) return checked(from_scalar(eager::read_element(at, t.dtype)));
  nb::object list = nb::steal(checked(PyList_New(t.sizes[d])));
  for (int64_t i = 0; i < t.sizes[d]; ++i)
    PyList_SET_ITEM(list.ptr(), i, nested(t, d + 1, at + i * t.strides[d] * size_of(t.dtype)));
  return list.release().ptr();
}
PyObject* tolist(const Tensor& t) {
  eager::reading_values(t, {}, "tolist");
  const TensorImpl& i = *t.impl();
  return nested(i, 0, static_cast<const std::byte*>(i.numel() ? i.data() : nullptr));
}

PyObject* requires_grad_(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"requires_grad", nullptr};
  int on = 1;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|p:requires_grad_", const_cast<char**>(names),
                                   &on))
    return nullptr;
  return guarded([&] {
    LocationScope here(location_if_watched());
    tensor_of(self).requires_grad_(on != 0, {});
    return Py_NewRef(self);
  });
}
PyObject* retain_grad(const Tensor& t) {
  t.retain_grad(std::source_location());
  Py_RETURN_NONE;
}
PyObject* is_contiguous(PyObject* self, PyObject*, PyObject*) {
  return guarded([&] { return PyBool_FromLong(tensor_of(self).is_contiguous()); });
}
PyObject* is_same_storage(PyObject* self, PyObject* other) {
  if (!is_tensor(other)) Py_RETURN_FALSE;
  return PyBool_FromLong(tensor_of(self).shares_storage_with(tensor_of(other)));
}

template <auto fn>
PyMethodDef plain(const char* name, const char* doc = nullptr) {
  return {name, method<fn>, METH_NOARGS, doc};
}
PyMethodDef with_keywords(const char* name, PyCFunctionWithKeywords fn, const char* doc = nullptr) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(fn)),
          METH_VARARGS | METH_KEYWORDS, doc};
}

}  // namespace

PyMethodDef* tensor_methods() {
  static PyMethodDef methods[] = {
      with_keywords("size", size, "the sizes, or the one of a dimension"),
      with_keywords("stride", stride, "the strides, or the one of a dimension"),
      plain<dim>("dim"),
      plain<dim>("ndimension"),
      plain<numel>("numel", "how many elements"),
      plain<numel>("nelement"),
      plain<storage_offset>("storage_offset"),
      plain<data_ptr>("data_ptr", "the address of the first element"),
      plain<element_size>("element_size"),
      plain<is_floating_point>("is_floating_point"),
      plain<no>("is_complex"),
      plain<is_signed>("is_signed"),
      plain<item>("item", "the single element as a number"),
      plain<tolist>("tolist", "the elements as nested lists"),
      plain<retain_grad>("retain_grad", "keeps the gradient of a tensor that is no leaf"),
      with_keywords("requires_grad_", requires_grad_),
      with_keywords("is_contiguous", is_contiguous),
      {"_shares_storage_with", is_same_storage, METH_O, nullptr},
      {}};
  return methods;
}

}  // namespace frit::python
