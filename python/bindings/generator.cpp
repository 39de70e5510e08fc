#include "bindings/generator.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include "core/generator.h"

namespace frit::python {
namespace {

// As PyTorch: a negative seed is the unsigned number of the same bits.
uint64_t seed_of(nb::int_ seed) {
  uint64_t v = PyLong_AsUnsignedLongLongMask(seed.ptr());
  if (PyErr_Occurred()) throw_python();
  return v;
}

}  // namespace

bool to_generator(PyObject* o, Arg& to) {
  std::shared_ptr<Generator> g;
  if (!nb::try_cast(nb::handle(o), g) || !g) return false;
  to = Arg(std::move(g));
  return true;
}

void bind_generator(nb::module_& m) {
  nb::class_<Generator>(m, "Generator", "A source of random numbers: Philox 4x32-10.")
      .def(
          "__init__", [](Generator* self, nb::object device) { new (self) Generator(); },
          nb::arg("device") = nb::str("cpu"))
      .def(
          "manual_seed",
          [](nb::object self, nb::int_ seed) {
            nb::cast<Generator&>(self).manual_seed(seed_of(seed));
            return self;
          },
          nb::arg("seed"))
      .def("initial_seed", [](const Generator& g) { return g.state().seed; })
      .def("get_state",
           [](const Generator& g) {
             PhiloxState s = g.state();
             return std::make_tuple(s.seed, s.offset);
           })
      .def(
          "set_state",
          [](nb::object self, std::tuple<uint64_t, uint64_t> s) {
            nb::cast<Generator&>(self).set_state({std::get<0>(s), std::get<1>(s)});
            return self;
          },
          nb::arg("new_state"));
  m.attr("default_generator") = nb::cast(default_generator());
  m.def(
      "manual_seed",
      [](nb::int_ seed) {
        default_generator()->manual_seed(seed_of(seed));
        return default_generator();
      },
      nb::arg("seed"));
}

}  // namespace frit::python
