// x[...], x[...] = ..., len(x), iteration, `in`.
#include "eager/indexing.h"

#include <vector>

#include "base/location.h"
#include "bindings/arguments.h"
#include "bindings/construct.h"
#include "bindings/op_object.h"
#include "bindings/tensor_object.h"

namespace frit::python {
namespace {

using indexing::Index;
using Indices = std::vector<Index>;

std::optional<Int> slice_end(PyObject* o) {
  if (o == Py_None) return std::nullopt;
  Int n;
  if (!to_int(o, Match::loose, n))
    throw UserError(ErrorKind::type, "slice",
                    "slice indices must be integers or None or have an __index__ method");
  return n;
}

Index index_of(PyObject* o) {
  if (o == Py_None) return indexing::None{};
  if (o == Py_Ellipsis) return indexing::Ellipsis{};
  if (PyBool_Check(o)) return Index(o == Py_True);
  if (is_tensor(o)) return tensor_of(o);
  Int n;
  if (to_int(o, Match::strict, n)) return n;
  if (PySlice_Check(o)) {
    auto* s = reinterpret_cast<PySliceObject*>(o);
    indexing::Slice slice{slice_end(s->start), slice_end(s->stop)};
    if (std::optional<Int> step = slice_end(s->step)) {
      if (step->is_constant() && step->constant() <= 0)
        throw UserError(
            ErrorKind::value, "slice",
            step->constant() ? "step must be greater than zero" : "slice step cannot be zero",
            "x.flip(dim) for the reverse order");
      slice.step = *step;
    }
    return slice;
  }
  if (PyUnicode_Check(o))
    throw UserError(ErrorKind::type, "index", "new(): invalid data type 'str'");
  if (PySequence_Check(o) && !PyBytes_Check(o)) return index_tensor(o);
  throw UserError(ErrorKind::index, "index",
                  std::string("only integers, slices (`:`), ellipsis (`...`), None and long or "
                              "bool tensors are valid indices (got ") +
                      Py_TYPE(o)->tp_name + ")");
}

Indices indices_of(PyObject* key) {
  Indices indices;
  if (!PyTuple_Check(key)) {
    indices.push_back(index_of(key));
    return indices;
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i)
    indices.push_back(index_of(PyTuple_GET_ITEM(key, i)));
  return indices;
}

void check_rank(const Tensor& self, PyObject* key) {
  if (self.dim() == 0 && PyLong_Check(key) && !PyBool_Check(key))
    throw UserError(ErrorKind::index, "index",
                    "invalid index of a 0-dim tensor: there is no dimension to index",
                    "x.item() for its number");
}

PyObject* subscript(PyObject* self, PyObject* key) {
  return guarded([&] {
    const Tensor& t = tensor_of(self);
    check_rank(t, key);
    LocationScope here(location_if_watched());
    Indices indices = indices_of(key);
    return wrap(eager::index(t, indices, std::source_location()));
  });
}

int assign(PyObject* self, PyObject* key, PyObject* value) {
  return guarded<int>(-1, [&] {
    const Tensor& t = tensor_of(self);
    if (!value)
      throw UserError(ErrorKind::type, "index_put_", "Tensor does not support deleting items");
    check_rank(t, key);
    LocationScope here(location_if_watched());
    Indices indices = indices_of(key);
    Scalar s;
    if (is_tensor(value)) {
      eager::index_put(t, indices, tensor_of(value), std::source_location());
    } else if (to_scalar(value, Match::strict, s)) {
      eager::index_put(t, indices, s, std::source_location());
    } else {
      throw UserError(ErrorKind::type, "index_put_",
                      "can't assign a " + given_text(value) + " to a tensor",
                      "frit.tensor(value) first");
    }
    return 0;
  });
}

Py_ssize_t length(PyObject* self) {
  return guarded<Py_ssize_t>(-1, [&] {
    const Tensor& t = tensor_of(self);
    if (t.dim() == 0)
      throw UserError(ErrorKind::type, "len", "len() of a 0-d tensor",
                      "x.numel() is 1; x.item() is its number");
    return static_cast<Py_ssize_t>(t.size(0).hint());
  });
}

PyObject* run(const char* name, const Tensor& self, std::optional<Arg> second) {
  Call call;
  call.record = &find_op(name);
  call.args.push_back(self);
  if (second) call.args.push_back(std::move(*second));
  return run_call(call);
}

PyObject* iterate(PyObject* self) {
  return guarded([&] {
    const Tensor& t = tensor_of(self);
    if (t.dim() == 0)
      throw UserError(ErrorKind::type, "iter", "iteration over a 0-d tensor",
                      "x.item() is its number");
    nb::object rows = nb::steal(checked(run("unbind.int", t, Arg(0))));
    return PyObject_GetIter(rows.ptr());
  });
}

// Is any element equal to it?
int contains(PyObject* self, PyObject* element) {
  return guarded<int>(-1, [&] {
    const Tensor& t = tensor_of(self);
    Scalar s;
    nb::object equal;
    if (is_tensor(element))
      equal = nb::steal(checked(run("eq.Tensor", t, Arg(tensor_of(element)))));
    else if (to_scalar(element, Match::strict, s))
      equal = nb::steal(checked(run("eq.Scalar", t, Arg(s))));
    else
      throw UserError(ErrorKind::runtime, "contains",
                      "Tensor.__contains__ only supports Tensor or scalar, but you passed in a " +
                          given_text(element));
    nb::object any = nb::steal(checked(run("any", tensor_of(equal.ptr()), {})));
    return PyObject_IsTrue(any.ptr());
  });
}

PyMappingMethods g_mapping;
PySequenceMethods g_sequence;

}  // namespace

void add_indexing(PyTypeObject& type) {
  g_mapping.mp_length = length;
  g_mapping.mp_subscript = subscript;
  g_mapping.mp_ass_subscript = assign;
  g_sequence.sq_length = length;
  g_sequence.sq_contains = contains;
  type.tp_iter = iterate;
  type.tp_as_mapping = &g_mapping;
  type.tp_as_sequence = &g_sequence;
}

}  // namespace frit::python
