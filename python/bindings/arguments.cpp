#include "bindings/arguments.h"

#include <fmt/format.h>

#include "bindings/dtype_object.h"
#include "bindings/generator.h"
#include "bindings/symbolic_int.h"
#include "bindings/tensor_object.h"

namespace frit::python {
namespace {

// A tensor that may stand for a number: one element, no dimensions, no gradient.
bool is_number_tensor(PyObject* o) {
  if (!is_tensor(o)) return false;
  const TensorImpl& t = *tensor_of(o).impl();
  return t.dim() == 0 && !t.requires_grad();
}

int64_t to_int64(PyObject* o) {
  int overflow = 0;
  long long v = PyLong_AsLongLongAndOverflow(o, &overflow);
  if (overflow)
    throw UserError(ErrorKind::runtime, "int",
                    "Overflow when unpacking long long: the number does not fit into 64 bits",
                    "a number in [-2^63, 2^63)");
  if (v == -1 && PyErr_Occurred()) throw_python();
  return v;
}

bool is_plain_int(PyObject* o) { return PyLong_Check(o) && !PyBool_Check(o); }
// NumPy's integers and others that are integers without being Python's.
bool is_index(PyObject* o) {
  return PyIndex_Check(o) && !PyLong_Check(o) && !is_tensor(o) && !PySequence_Check(o);
}
bool is_numpy_bool(PyObject* o) {
  std::string_view n = Py_TYPE(o)->tp_name;
  return n == "numpy.bool" || n == "numpy.bool_";
}
// NumPy's floats that are not Python's.
bool is_float_like(PyObject* o) {
  PyNumberMethods* n = Py_TYPE(o)->tp_as_number;
  return n && n->nb_float && !PyFloat_Check(o) && !PyLong_Check(o) && !is_tensor(o) &&
         !PySequence_Check(o) && !is_numpy_bool(o);
}

bool to_double(PyObject* o, Match match, double& to) {
  if (PyFloat_Check(o)) {
    to = PyFloat_AS_DOUBLE(o);
    return true;
  }
  if (PyLong_Check(o) || is_float_like(o)) {
    to = PyFloat_AsDouble(o);
    if (to == -1 && PyErr_Occurred()) throw_python();
    return true;
  }
  if (match == Match::loose && is_number_tensor(o)) {
    to = tensor_of(o).item<double>(std::source_location());
    return true;
  }
  return false;
}

bool to_bool(PyObject* o, bool& to) {
  if (!PyBool_Check(o) && !is_numpy_bool(o)) return false;
  to = o == Py_True || (o != Py_False && PyObject_IsTrue(o) == 1);
  return true;
}

bool is_list(PyObject* o) { return PyTuple_Check(o) || PyList_Check(o); }
Py_ssize_t list_size(PyObject* o) { return PySequence_Fast_GET_SIZE(o); }
PyObject* list_item(PyObject* o, Py_ssize_t i) { return PySequence_Fast_GET_ITEM(o, i); }

bool to_refs(PyObject* o, bool optional, Arg& to) {
  if (!is_list(o)) return false;
  std::vector<Ref> refs;
  for (Py_ssize_t i = 0; i < list_size(o); ++i) {
    PyObject* e = list_item(o, i);
    if (is_tensor(e))
      refs.emplace_back(tensor_of(e));
    else if (optional && e == Py_None)
      refs.emplace_back();
    else
      return false;
  }
  to = Arg(std::move(refs));
  return true;
}

bool to_ints(PyObject* o, const SchemaArg& a, Match match, Arg& to) {
  Int one;
  if (!is_list(o)) {
    if (!a.list_size || !to_int(o, match, one)) return false;
    to = Arg(IntList(static_cast<size_t>(a.list_size), one));
    return true;
  }
  IntList list;
  for (Py_ssize_t i = 0; i < list_size(o); ++i) {
    // Elements are numbers, and tensors of one, in any overload: nothing else is a list.
    if (!to_int(list_item(o, i), Match::loose, one)) return false;
    list.push_back(one);
  }
  to = Arg(std::move(list));
  return true;
}

bool to_reals(PyObject* o, Match match, Arg& to) {
  if (!is_list(o)) return false;
  std::vector<double> list;
  for (Py_ssize_t i = 0; i < list_size(o); ++i) {
    double v;
    if (!to_double(list_item(o, i), match, v)) return false;
    list.push_back(v);
  }
  to = Arg(std::move(list));
  return true;
}

bool to_bools(PyObject* o, Arg& to) {
  if (!is_list(o)) return false;
  IntList list;
  for (Py_ssize_t i = 0; i < list_size(o); ++i) {
    bool v;
    if (!to_bool(list_item(o, i), v)) return false;
    list.push_back(Int(v ? 1 : 0));
  }
  to = Arg(std::move(list));
  return true;
}

// "cpu", "cpu:0" or frit.device of it.
bool is_cpu(PyObject* o) {
  std::string text;
  if (PyUnicode_Check(o))
    text = nb::cast<std::string>(nb::handle(o));
  else if (std::string_view(Py_TYPE(o)->tp_name) == "frit.device" ||
           std::string_view(Py_TYPE(o)->tp_name) == "device")
    return true;
  else
    return false;
  if (text == "cpu" || text == "cpu:0") return true;
  throw UserError(ErrorKind::runtime, "device",
                  fmt::format("there is no device '{}': Frit's tensors are on the processor", text),
                  "device=\"cpu\"");
}

}  // namespace

bool to_int(PyObject* o, Match match, Int& to) {
  if (is_plain_int(o)) {
    to = is_symbolic_int(o) ? symbolic_int(o) : Int(to_int64(o));
    return true;
  }
  if (is_index(o)) {
    nb::object i = nb::steal(checked(PyNumber_Index(o)));
    to = Int(to_int64(i.ptr()));
    return true;
  }
  if (match == Match::loose && is_number_tensor(o) && !is_floating(tensor_of(o).dtype())) {
    to = tensor_of(o).item_int(std::source_location());
    return true;
  }
  return false;
}

bool to_scalar(PyObject* o, Match match, Scalar& to) {
  if (PyFloat_Check(o)) {
    to = Scalar(PyFloat_AS_DOUBLE(o));
    return true;
  }
  if (is_plain_int(o)) {
    to = is_symbolic_int(o) ? Scalar(symbolic_int(o)) : Scalar(to_int64(o));
    return true;
  }
  bool truth;
  if (to_bool(o, truth)) {
    to = Scalar(truth);
    return true;
  }
  if (is_index(o)) {
    nb::object i = nb::steal(checked(PyNumber_Index(o)));
    to = Scalar(to_int64(i.ptr()));
    return true;
  }
  if (is_float_like(o)) {
    double v = PyFloat_AsDouble(o);
    if (v == -1 && PyErr_Occurred()) throw_python();
    to = Scalar(v);
    return true;
  }
  if (match == Match::strict || !is_number_tensor(o)) return false;
  const Tensor& t = tensor_of(o);
  if (is_bool(t.dtype()))
    to = Scalar(t.item<bool>(std::source_location()));
  else if (is_floating(t.dtype()))
    to = Scalar(t.item<double>(std::source_location()));
  else
    to = Scalar(t.item<int64_t>(std::source_location()));
  return true;
}

PyObject* from_scalar(const Scalar& s) {
  if (s.is_bool()) return PyBool_FromLong(s.to_bool());
  if (s.is_integer()) return PyLong_FromLongLong(s.to_int64());
  return PyFloat_FromDouble(s.to_double());
}

bool convert(PyObject* o, const SchemaArg& a, Match match, Arg& to) {
  if (o == Py_None) {
    to = Arg();
    return a.optional || a.type == ArgType::layout || a.type == ArgType::device ||
           a.type == ArgType::memory_format;
  }
  Int integer;
  Scalar scalar;
  double real;
  bool truth;
  switch (a.type) {
    case ArgType::tensor:
      if (!is_tensor(o)) return false;
      to = Arg(tensor_of(o));
      return true;
    case ArgType::tensor_list:
      return to_refs(o, a.optional_elements, to);
    case ArgType::integer:
      if (!to_int(o, match, integer)) return false;
      to = Arg(integer);
      return true;
    case ArgType::integer_list:
      return to_ints(o, a, match, to);
    case ArgType::real:
      if (!to_double(o, match, real)) return false;
      to = Arg(real);
      return true;
    case ArgType::real_list:
      return to_reals(o, match, to);
    case ArgType::boolean:
      if (!to_bool(o, truth)) return false;
      to = Arg(truth);
      return true;
    case ArgType::boolean_list:
      return to_bools(o, to);
    case ArgType::scalar:
      if (!to_scalar(o, match, scalar)) return false;
      to = Arg(scalar);
      return true;
    case ArgType::dtype:
      if (std::optional<DType> t = as_dtype(o)) {
        to = Arg(*t);
        return true;
      }
      return false;
    case ArgType::string: {
      if (!PyUnicode_Check(o)) return false;
      Py_ssize_t n = 0;
      const char* s = PyUnicode_AsUTF8AndSize(o, &n);
      if (!s) throw_python();
      to = Arg(std::string_view(s, static_cast<size_t>(n)));
      return true;
    }
    case ArgType::generator:
      return to_generator(o, to);
    case ArgType::device:
      to = Arg();
      return is_cpu(o);
    case ArgType::layout:
    case ArgType::memory_format:
      to = Arg();  // there is one of each
      return std::string_view(Py_TYPE(o)->tp_name)
          .ends_with(a.type == ArgType::layout ? "layout" : "memory_format");
  }
  return false;
}

std::string given_text(PyObject* o) {
  if (is_tensor(o)) return Py_TYPE(o) == tensor_type() ? "Tensor" : Py_TYPE(o)->tp_name;
  if (is_list(o)) {
    std::string text = PyTuple_Check(o) ? "tuple of (" : "list of [";
    for (Py_ssize_t i = 0; i < list_size(o); ++i) {
      if (i == 8) {
        text += ", ...";
        break;
      }
      text += (i ? ", " : "") + given_text(list_item(o, i));
    }
    return text + (PyTuple_Check(o) ? ")" : "]");
  }
  return Py_TYPE(o)->tp_name;
}

std::string wanted_text(const SchemaArg& a) {
  switch (a.type) {
    case ArgType::tensor:
      return "Tensor";
    case ArgType::tensor_list:
      return "tuple of Tensors";
    case ArgType::integer:
      return "int";
    case ArgType::integer_list:
      return "tuple of ints";
    case ArgType::real:
      return "float";
    case ArgType::real_list:
      return "tuple of floats";
    case ArgType::boolean:
      return "bool";
    case ArgType::boolean_list:
      return "tuple of bools";
    case ArgType::scalar:
      return "Number";
    case ArgType::dtype:
      return "frit.dtype";
    case ArgType::string:
      return "str";
    case ArgType::generator:
      return "frit.Generator";
    case ArgType::layout:
      return "frit.layout";
    case ArgType::device:
      return "frit.device";
    case ArgType::memory_format:
      return "frit.memory_format";
  }
  return "";
}

}  // namespace frit::python
