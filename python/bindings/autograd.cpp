#include "bindings/autograd.h"

#include <frit/autograd.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "base/location.h"
#include "bindings/tensor_object.h"
#include "eager/autograd_meta.h"

namespace frit::python {
namespace {

// A node of the tape, as the program sees it.
struct GradFn {
  Ptr<eager::TapeNode> node;
};

// A Python function as a hook: any thread may call it.
std::function<Tensor(const Tensor&)> as_hook(nb::callable fn) {
  auto held = std::make_shared<HeldObject>(fn.ptr());
  return [held](const Tensor& grad) -> Tensor {
    WithGil gil;
    nb::object result = nb::handle(held->get())(grad);
    if (result.is_none()) return {};
    if (!is_tensor(result.ptr()))
      throw UserError(
          ErrorKind::type, "register_hook",
          std::string("a hook returns a tensor or None, not ") + Py_TYPE(result.ptr())->tp_name);
    return tensor_of(result.ptr());
  };
}

TensorList as_list(nb::handle o, const char* what) {
  TensorList list;
  if (o.is_none()) return list;
  if (is_tensor(o.ptr())) {
    list.push_back(tensor_of(o.ptr()));
    return list;
  }
  for (nb::handle e : nb::iter(o)) {
    if (!e.is_none() && !is_tensor(e.ptr()))
      throw UserError(ErrorKind::type, what,
                      std::string("expected Tensors, not ") + Py_TYPE(e.ptr())->tp_name);
    list.push_back(e.is_none() ? Tensor() : tensor_of(e.ptr()));
  }
  return list;
}

}  // namespace

PyObject* wrap_grad_fn(const Tensor& t) {
  Ptr<eager::TapeNode> node = eager::grad_fn(t);
  if (!node) Py_RETURN_NONE;
  return nb::cast(GradFn{node}).release().ptr();
}

bool retains_grad(const Tensor& t) {
  const eager::AutogradMeta* m = eager::meta_of(*t.impl());
  return m && m->retains_grad;
}

void bind_autograd(nb::module_& m) {
  nb::class_<GradFn>(m, "GradFn")
      .def("name", [](const GradFn& f) { return f.node->name() + "0"; })
      .def_prop_ro(
          "next_functions",
          [](const GradFn& f) {
            nb::list l;
            for (const eager::Edge& e : f.node->edges)
              l.append(nb::make_tuple(e.node ? nb::cast(GradFn{e.node}) : nb::none(), e.index));
            return nb::tuple(l);
          })
      .def_prop_ro("variable", [](const GradFn& f) { return f.node->leaf(); })
      .def("__eq__", [](const GradFn& a, const GradFn& b) { return a.node == b.node; })
      .def("__hash__", [](const GradFn& f) { return std::hash<void*>()(f.node.get()); })
      .def("__repr__", [](const GradFn& f) { return "<" + f.node->name() + "0>"; });

  m.def(
      "_backward",
      [](nb::object tensors, nb::object gradients, bool retain, bool create, nb::object inputs) {
        LocationScope here(python_location());
        TensorList outs = as_list(tensors, "backward"), grads = as_list(gradients, "backward"),
                   ins = as_list(inputs, "backward");
        WithoutGil unlocked(!recording());
        autograd::backward(outs, grads, retain, create, ins, std::source_location());
      },
      nb::arg("tensors"), nb::arg("gradients").none(), nb::arg("retain"), nb::arg("create"),
      nb::arg("inputs").none());
  m.def(
      "_grad",
      [](nb::object outputs, nb::object inputs, nb::object gradients, bool retain, bool create,
         bool allow_unused) {
        LocationScope here(python_location());
        TensorList outs = as_list(outputs, "grad"), ins = as_list(inputs, "grad"),
                   grads = as_list(gradients, "grad");
        TensorList made;
        {
          WithoutGil unlocked(!recording());
          made = autograd::grad(outs, ins, grads, retain, create, allow_unused,
                                std::source_location());
        }
        return nb::steal(checked(wrap(made)));
      },
      nb::arg("outputs"), nb::arg("inputs"), nb::arg("gradients").none(), nb::arg("retain"),
      nb::arg("create"), nb::arg("allow_unused"));
  m.def("_register_hook", [](const Tensor& t, nb::callable fn) {
    LocationScope here(location_if_watched());
    return t.register_hook(as_hook(fn), std::source_location());
  });
  m.def("_register_post_accumulate_grad_hook", [](const Tensor& t, nb::callable fn) {
    LocationScope here(location_if_watched());
    auto hook = as_hook(fn);
    return autograd::register_post_accumulate_grad_hook(
        t, [hook](const Tensor& leaf) { hook(leaf); }, std::source_location());
  });
  m.def("_remove_hook", [](const Tensor& t, uint64_t handle) {
    LocationScope here(location_if_watched());
    t.remove_hook(handle, std::source_location());
  });
  m.def("is_grad_enabled", [] { return is_grad_enabled(); });
  m.def("_set_grad_enabled", [](bool on) { set_grad_enabled(on); });
  m.def("is_inference_mode_enabled", [] { return is_inference_mode(); });
  m.def("_set_modes", [](bool grad, bool inference) {
    set_grad_enabled(grad);
    t_state.word = inference ? t_state.word | kInferenceMode : t_state.word & ~kInferenceMode;
  });
}

}  // namespace frit::python
