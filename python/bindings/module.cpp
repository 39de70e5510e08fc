// The extension frit._C.
#include <frit/tensor.h>

#include "adapters/frit/bind.h"
#include "adapters/torch/gradients.h"
#include "base/parallel.h"
#include "bindings/autograd.h"
#include "bindings/construct.h"
#include "bindings/dtype_object.h"
#include "bindings/generator.h"
#include "bindings/io.h"
#include "bindings/op_object.h"
#include "bindings/size_object.h"
#include "bindings/tensor_object.h"
#include "eager/intercept.h"
#include "frame/testing/test_module.h"

namespace {

namespace nb = nanobind;
using namespace frit;

void bind_bindings(nb::module_& m) {
  python::bind_dtypes(m);
  python::bind_size(m);
  python::bind_generator(m);
  python::bind_tensor(m);
  python::bind_ops(m);
  python::bind_autograd(m);
  python::bind_construct(m);
  python::bind_io(m);

  m.def("get_default_dtype", [] { return nb::steal(python::wrap(default_dtype())); });
  m.def("set_default_dtype", [](nb::object d) {
    std::optional<DType> t = python::as_dtype(d.ptr());
    if (!t || !is_floating(*t))
      throw UserError(ErrorKind::type, "set_default_dtype",
                      "only floating-point types are supported as the default type");
    set_default_dtype(*t);
  });
  m.def("get_num_threads", [] { return num_threads(); });
  m.def("set_num_threads", [](int n) {
    if (n < 1)
      throw UserError(ErrorKind::runtime, "set_num_threads",
                      "set_num_threads expects a positive integer");
    set_num_threads(n);
  });
  m.def("promote_types", [](nb::object a, nb::object b) {
    std::optional<DType> s = python::as_dtype(a.ptr()), t = python::as_dtype(b.ptr());
    if (!s || !t) throw UserError(ErrorKind::type, "promote_types", "two dtypes are expected");
    return nb::steal(python::wrap(promote_types(*s, *t)));
  });
  // The type is made of C++ structures, so Python's part of it is put in from here.
  m.def("_add_to_tensor", [](nb::str name, nb::object value) {
    python::checked(PyDict_SetItem(python::tensor_type()->tp_dict, name.ptr(), value.ptr()));
    PyType_Modified(python::tensor_type());
  });
  m.def("_make_subclass", [](nb::type_object type, const Tensor& data, bool requires_grad) {
    const TensorImpl& i = *data.impl();
    Tensor t = alias_view(data, i.sizes, i.strides, i.offset);
    if (requires_grad) t.requires_grad_(true, {});
    return nb::steal(
        python::checked(python::wrap_as(reinterpret_cast<PyTypeObject*>(type.ptr()), t)));
  });
  // Calls fn; what it does to tensors is not noted by a recording.
  m.def("_unrecorded", [](nb::callable fn) {
    eager::UnrecordedScope quiet;
    return fn();
  });
  m.def("_mark_parameter", [](const Tensor& t) { t.impl()->is_parameter = true; });
}

}  // namespace

NB_MODULE(_C, m) {
  // Tensor's type is never freed, nor what its methods refer to: all of this module.
  nb::set_leak_warnings(false);
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const frit::Error&) {
      python::raise_current();
    }
  });
  bind_bindings(m);
  m.attr("_frame_test") = nb::steal(python::checked(frame::make_test_module()));
  python::bind_compile(m);
  torch::bind_gradients(m);
}
