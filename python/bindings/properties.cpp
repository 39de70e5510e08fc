// Tensor's attributes.
#include <frit/ops.h>

#include "base/location.h"
#include "bindings/autograd.h"
#include "bindings/dtype_object.h"
#include "bindings/op_object.h"
#include "bindings/size_object.h"
#include "bindings/tensor_object.h"
#include "eager/data.h"

namespace frit::python {
namespace {

template <auto fn>
PyObject* get(PyObject* self, void*) {
  return guarded([&]() -> PyObject* { return fn(tensor_of(self)); });
}
template <auto fn>
int set(PyObject* self, PyObject* value, void*) {
  return guarded<int>(-1, [&] {
    LocationScope here(location_if_watched());
    fn(tensor_of(self), value);
    return 0;
  });
}

PyObject* shape(const Tensor& t) { return make_size(t.sizes()); }
PyObject* dtype(const Tensor& t) { return wrap(t.dtype()); }
PyObject* ndim(const Tensor& t) { return PyLong_FromLongLong(t.dim()); }
PyObject* requires_grad(const Tensor& t) { return PyBool_FromLong(t.requires_grad()); }
PyObject* is_leaf(const Tensor& t) { return PyBool_FromLong(t.is_leaf()); }
PyObject* grad(const Tensor& t) { return wrap(t.grad()); }
PyObject* version(const Tensor& t) { return PyLong_FromUnsignedLongLong(t.version()); }
PyObject* itemsize(const Tensor& t) { return PyLong_FromLongLong(size_of(t.dtype())); }
PyObject* nbytes(const Tensor& t) {
  return PyLong_FromLongLong(t.numel().hint() * size_of(t.dtype()));
}
PyObject* no(const Tensor&) { Py_RETURN_FALSE; }
PyObject* yes(const Tensor&) { Py_RETURN_TRUE; }
PyObject* retains(const Tensor& t) { return PyBool_FromLong(retains_grad(t)); }
PyObject* maker(const Tensor& t) { return wrap_grad_fn(t); }

PyObject* run(const char* name, const Tensor& t) {
  Call call;
  call.record = &find_op(name);
  call.args.push_back(t);
  return run_call(call);
}
PyObject* transposed(const Tensor& t) { return run("numpy_T", t); }
PyObject* matrix_transposed(const Tensor& t) { return run("mT", t); }
PyObject* data(const Tensor& t) { return run("detach", t); }

void set_requires_grad(Tensor& t, PyObject* v) {
  if (!v || !PyBool_Check(v))
    throw UserError(ErrorKind::runtime, "requires_grad", "requires_grad must be a bool");
  t.requires_grad_(v == Py_True, {});
}
void set_grad(Tensor& t, PyObject* v) {
  if (v && v != Py_None && !is_tensor(v))
    throw UserError(ErrorKind::type, "grad",
                    std::string("assigned grad expected to be a Tensor or None but got grad of "
                                "type ") +
                        Py_TYPE(v)->tp_name);
  t.set_grad(v && v != Py_None ? tensor_of(v) : Tensor(), {});
}
void set_data(Tensor& t, PyObject* v) {
  if (!v || !is_tensor(v))
    throw UserError(ErrorKind::type, "data",
                    std::string("Variable data has to be a tensor, but got ") +
                        (v ? Py_TYPE(v)->tp_name : "nothing"));
  eager::set_data(t, tensor_of(v), "x.data = ...");
}

PyGetSetDef properties[] = {
    {"shape", get<shape>, nullptr, "the sizes", nullptr},
    {"dtype", get<dtype>, nullptr, "the elements' type", nullptr},
    {"ndim", get<ndim>, nullptr, "the number of dimensions", nullptr},
    {"requires_grad", get<requires_grad>, set<set_requires_grad>, "do gradients flow to it",
     nullptr},
    {"is_leaf", get<is_leaf>, nullptr, "was it made by no op that is differentiated", nullptr},
    {"retains_grad", get<retains>, nullptr, nullptr, nullptr},
    {"grad", get<grad>, set<set_grad>, "the gradient that backward() added up", nullptr},
    {"grad_fn", get<maker>, nullptr, "the node that made it", nullptr},
    {"data", get<data>, set<set_data>, "the same elements without gradients", nullptr},
    {"T", get<transposed>, nullptr, "all dimensions in reverse order", nullptr},
    {"mT", get<matrix_transposed>, nullptr, "the last two dimensions exchanged", nullptr},
    {"itemsize", get<itemsize>, nullptr, "bytes of an element", nullptr},
    {"nbytes", get<nbytes>, nullptr, "bytes of all elements", nullptr},
    {"_version", get<version>, nullptr, "how often its storage was written", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {"is_cpu", get<yes>, nullptr, nullptr, nullptr},
    {"is_cuda", get<no>, nullptr, nullptr, nullptr},
    {"is_sparse", get<no>, nullptr, nullptr, nullptr},
    {"is_quantized", get<no>, nullptr, nullptr, nullptr},
    {"is_meta", get<no>, nullptr, nullptr, nullptr},
    {}};

}  // namespace

PyGetSetDef* tensor_properties() { return properties; }

}  // namespace frit::python
