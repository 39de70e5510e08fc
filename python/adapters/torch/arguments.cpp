#include "adapters/torch/arguments.h"

#include "bindings/dtype_object.h"
#include "bindings/tensor_object.h"

namespace frit::torch {

Ref as_frit(const Api& a, Twins& twins, PyObject* o) {
  if (is_tensor(a, o)) {
    Tensor unused;
    if (!twins.find(o) && !describe(a, o, unused)) return {};
    return Ref::take(python::wrap(twins.of(o)));
  }
  PyTypeObject* type = Py_TYPE(o);
  if (o == Py_None || PyBool_Check(o) || PyLong_Check(o) || PyFloat_Check(o) || PyUnicode_Check(o))
    return Ref::share(o);
  if (type == a.dtype) {
    std::optional<DType> t = dtype_of(a, o);
    return t ? Ref::take(python::wrap(*t)) : Ref();
  }
  if (type == a.device) {
    Ref same = Ref::take(PyObject_RichCompare(o, a.cpu, Py_EQ));
    return same.get() == Py_True ? Ref::take(PyUnicode_FromString("cpu")) : Ref();
  }
  if (type == a.layout) return o == a.strided ? Ref::share(o) : Ref();
  if (type == a.memory_format)
    return o == a.contiguous_format || o == a.preserve_format ? Ref::share(o) : Ref();
  if (PyTuple_Check(o) || PyList_Check(o)) {
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    Ref made = Ref::take(PyList_Check(o) ? PyList_New(n) : PyTuple_New(n));
    for (Py_ssize_t i = 0; made && i < n; ++i) {
      Ref item = as_frit(a, twins, PySequence_Fast_GET_ITEM(o, i));
      if (!item) return {};
      if (PyList_Check(o))
        PyList_SET_ITEM(made.get(), i, item.release());
      else
        PyTuple_SET_ITEM(made.get(), i, item.release());
    }
    return made;
  }
  if (PySlice_Check(o)) {
    auto* s = reinterpret_cast<PySliceObject*>(o);
    Ref x = as_frit(a, twins, s->start), y = as_frit(a, twins, s->stop),
        z = as_frit(a, twins, s->step);
    return x && y && z ? Ref::take(PySlice_New(x.get(), y.get(), z.get())) : Ref();
  }
  if (o == Py_Ellipsis) return Ref::share(o);
  if (PyIndex_Check(o) || (type->tp_as_number && type->tp_as_number->nb_float)) {
    // NumPy's numbers.
    return PySequence_Check(o) ? Ref() : Ref::share(o);
  }
  return {};
}

}  // namespace frit::torch
