// Tensor's operators, each the op of its name; numbers on either side; int(), float(), bool().
#include <string>

#include "base/location.h"
#include "bindings/arguments.h"
#include "bindings/op_object.h"
#include "bindings/tensor_object.h"
#include "ops/record.h"

namespace frit::python {
namespace {

// The records of one operator. A number on the left exchanges the operands where that is the same,
// else has a record of its own.
struct Binary {
  const OpRecord* tensors = nullptr;
  const OpRecord* scalar = nullptr;
  const OpRecord* left_scalar = nullptr;
  bool swaps = false;  // left_scalar takes the tensor first

  Binary(const char* tensors, const char* scalar, const char* left, bool swaps)
      : tensors(&find_op(tensors)),
        scalar(scalar ? &find_op(scalar) : nullptr),
        left_scalar(left ? &find_op(left) : nullptr),
        swaps(swaps) {}
};

PyObject* run(const OpRecord& r, Arg a, Arg b) {
  Call call;
  call.record = &r;
  call.args.push_back(std::move(a));
  call.args.push_back(std::move(b));
  for (size_t i = 2; i < r.schema.args.size(); ++i)
    call.args.push_back(r.schema.args[i].default_value);
  return run_call(call);
}

PyObject* binary(const Binary& op, PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    Scalar s;
    if (is_tensor(a)) {
      if (is_tensor(b)) return run(*op.tensors, tensor_of(a), tensor_of(b));
      if (op.scalar && to_scalar(b, Match::strict, s)) return run(*op.scalar, tensor_of(a), s);
    } else if (op.left_scalar && to_scalar(a, Match::strict, s)) {
      return op.swaps ? run(*op.left_scalar, tensor_of(b), s)
                      : run(*op.left_scalar, s, tensor_of(b));
    }
    Py_RETURN_NOTIMPLEMENTED;
  });
}

#define FRIT_BINARY(function, ...)               \
  PyObject* function(PyObject* a, PyObject* b) { \
    static const Binary op(__VA_ARGS__);         \
    return binary(op, a, b);                     \
  }
FRIT_BINARY(add, "add.Tensor", "add.Scalar", "add.Scalar", true)
FRIT_BINARY(sub, "sub.Tensor", "sub.Scalar", "rsub.Scalar", true)
FRIT_BINARY(mul, "mul.Tensor", "mul.Scalar", "mul.Scalar", true)
FRIT_BINARY(divide_tensors, "div.Tensor", "div.Scalar", nullptr, false)
FRIT_BINARY(floor_divide_tensors, "floor_divide", "floor_divide.Scalar", nullptr, false)
FRIT_BINARY(remainder, "remainder.Tensor", "remainder.Scalar", "remainder.Scalar_Tensor", false)
FRIT_BINARY(matmul, "matmul", nullptr, nullptr, false)
FRIT_BINARY(bit_and, "bitwise_and.Tensor", "bitwise_and.Scalar", "bitwise_and.Scalar", true)
FRIT_BINARY(bit_or, "bitwise_or.Tensor", "bitwise_or.Scalar", "bitwise_or.Scalar", true)
FRIT_BINARY(bit_xor, "bitwise_xor.Tensor", "bitwise_xor.Scalar", "bitwise_xor.Scalar", true)
FRIT_BINARY(shift_left, "bitwise_left_shift.Tensor", "bitwise_left_shift.Tensor_Scalar",
            "bitwise_left_shift.Scalar_Tensor", false)
FRIT_BINARY(shift_right, "bitwise_right_shift.Tensor", "bitwise_right_shift.Tensor_Scalar",
            "bitwise_right_shift.Scalar_Tensor", false)
FRIT_BINARY(power, "pow.Tensor_Tensor", "pow.Tensor_Scalar", "pow.Scalar", false)

FRIT_BINARY(add_to, "add_.Tensor", "add_.Scalar", nullptr, false)
FRIT_BINARY(sub_from, "sub_.Tensor", "sub_.Scalar", nullptr, false)
FRIT_BINARY(mul_by, "mul_.Tensor", "mul_.Scalar", nullptr, false)
FRIT_BINARY(div_by, "div_.Tensor", "div_.Scalar", nullptr, false)
FRIT_BINARY(floor_div_by, "floor_divide_.Tensor", "floor_divide_.Scalar", nullptr, false)
FRIT_BINARY(remainder_by, "remainder_.Tensor", "remainder_.Scalar", nullptr, false)
FRIT_BINARY(and_with, "bitwise_and_.Tensor", "bitwise_and_.Scalar", nullptr, false)
FRIT_BINARY(or_with, "bitwise_or_.Tensor", "bitwise_or_.Scalar", nullptr, false)
FRIT_BINARY(xor_with, "bitwise_xor_.Tensor", "bitwise_xor_.Scalar", nullptr, false)
FRIT_BINARY(shift_left_by, "bitwise_left_shift_.Tensor", "bitwise_left_shift_.Tensor_Scalar",
            nullptr, false)
FRIT_BINARY(shift_right_by, "bitwise_right_shift_.Tensor", "bitwise_right_shift_.Tensor_Scalar",
            nullptr, false)
FRIT_BINARY(raise_to, "pow_.Tensor", "pow_.Scalar", nullptr, false)

FRIT_BINARY(lt, "lt.Tensor", "lt.Scalar", nullptr, false)
FRIT_BINARY(le, "le.Tensor", "le.Scalar", nullptr, false)
FRIT_BINARY(eq, "eq.Tensor", "eq.Scalar", nullptr, false)
FRIT_BINARY(ne, "ne.Tensor", "ne.Scalar", nullptr, false)
FRIT_BINARY(gt, "gt.Tensor", "gt.Scalar", nullptr, false)
FRIT_BINARY(ge, "ge.Tensor", "ge.Scalar", nullptr, false)
#undef FRIT_BINARY

// A number divided by a tensor is the tensor's reciprocal times it, as PyTorch computes it.
PyObject* divide(PyObject* a, PyObject* b) {
  if (is_tensor(a)) return divide_tensors(a, b);
  return guarded([&]() -> PyObject* {
    static const OpRecord& reciprocal = find_op("reciprocal");
    static const OpRecord& times = find_op("mul.Scalar");
    Scalar s;
    if (!to_scalar(a, Match::strict, s)) Py_RETURN_NOTIMPLEMENTED;
    Call call;
    call.record = &reciprocal;
    call.args.push_back(tensor_of(b));
    nb::object r = nb::steal(checked(run_call(call)));
    return run(times, tensor_of(r.ptr()), s);
  });
}

PyObject* floor_divide(PyObject* a, PyObject* b) {
  if (is_tensor(a)) return floor_divide_tensors(a, b);
  return guarded([&]() -> PyObject* {
    static const OpRecord& scalar_tensor = find_op("scalar_tensor");
    static const OpRecord& divided = find_op("floor_divide");
    Scalar s;
    if (!to_scalar(a, Match::strict, s)) Py_RETURN_NOTIMPLEMENTED;
    Call call;
    call.record = &scalar_tensor;
    call.args.push_back(s);
    call.args.push_back(
        s.is_real() ? Arg(tensor_of(b).is_floating_point() ? tensor_of(b).dtype() : default_dtype())
                    : Arg(s.number_type()));
    for (size_t i = 2; i < scalar_tensor.schema.args.size(); ++i) call.args.emplace_back();
    nb::object n = nb::steal(checked(run_call(call)));
    // A number does not widen another integer type, though a tensor of no dimensions would.
    const DType t = tensor_of(b).dtype();
    if (!s.is_real() && !is_floating(t) && !is_bool(t) && tensor_of(n.ptr()).dtype() != t) {
      static const OpRecord& converted = find_op("_to_copy");
      Call cast;
      cast.record = &converted;
      cast.args.push_back(tensor_of(n.ptr()));
      cast.args.push_back(t);
      for (int i = 0; i < 3; ++i) cast.args.emplace_back();
      cast.args.push_back(false);
      cast.args.emplace_back();
      n = nb::steal(checked(run_call(cast)));
    }
    return run(divided, tensor_of(n.ptr()), tensor_of(b));
  });
}

PyObject* power_of(PyObject* a, PyObject* b, PyObject* modulo) {
  if (modulo != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return power(a, b);
}
PyObject* raise_to_of(PyObject* a, PyObject* b, PyObject*) { return raise_to(a, b); }

template <int which>
PyObject* unary(PyObject* a) {
  static const OpRecord& r = find_op(which == 0   ? "neg"
                                     : which == 1 ? "bitwise_not"
                                     : which == 2 ? "abs"
                                                  : "positive");
  return guarded([&] {
    if (which == 1 && tensor_of(a).is_floating_point())
      throw UserError(ErrorKind::type, "bitwise_not",
                      "~ (operator.invert) is only implemented on integer and Boolean-type tensors",
                      "x == 0, or x.to(frit.bool) first");
    Call call;
    call.record = &r;
    call.args.push_back(tensor_of(a));
    return run_call(call);
  });
}

PyObject* compare(PyObject* a, PyObject* b, int op) {
  switch (op) {
    case Py_LT:
      return lt(a, b);
    case Py_LE:
      return le(a, b);
    case Py_EQ:
      return eq(a, b);
    case Py_NE:
      return ne(a, b);
    case Py_GT:
      return gt(a, b);
    default:
      return ge(a, b);
  }
}

int truth(PyObject* self) {
  return guarded<int>(-1, [&] {
    int64_t n = tensor_of(self).impl()->numel();
    if (n != 1)
      throw UserError(ErrorKind::runtime, "bool",
                      std::string("Boolean value of Tensor with ") +
                          (n ? "more than one value" : "no values") + " is ambiguous",
                      "x.any() or x.all()");
    LocationScope here(location_if_watched());
    return tensor_of(self).item<bool>(std::source_location()) ? 1 : 0;
  });
}
void check_single(const Tensor& t, const char* what) {
  if (t.impl()->numel() != 1)
    throw UserError(ErrorKind::value, what,
                    "only one element tensors can be converted to Python scalars",
                    "x.tolist() for all of them");
}
PyObject* as_int(PyObject* self) {
  return guarded([&]() -> PyObject* {
    check_single(tensor_of(self), "int");
    LocationScope here(location_if_watched());
    const Tensor& t = tensor_of(self);
    if (!t.is_floating_point()) return PyLong_FromLongLong(t.item<int64_t>(std::source_location()));
    return PyLong_FromDouble(t.item<double>(std::source_location()));
  });
}
PyObject* as_float(PyObject* self) {
  return guarded([&] {
    check_single(tensor_of(self), "float");
    LocationScope here(location_if_watched());
    return PyFloat_FromDouble(tensor_of(self).item<double>(std::source_location()));
  });
}
PyObject* as_index(PyObject* self) {
  return guarded([&] {
    const Tensor& t = tensor_of(self);
    if (t.is_floating_point() || t.impl()->numel() != 1)
      throw UserError(ErrorKind::type, "index",
                      "only integer tensors of a single element can be converted to an index");
    LocationScope here(location_if_watched());
    return PyLong_FromLongLong(t.item<int64_t>(std::source_location()));
  });
}

PyNumberMethods g_number;

}  // namespace

void add_operators(PyTypeObject& type) {
  PyNumberMethods& n = g_number;
  n.nb_add = add;
  n.nb_subtract = sub;
  n.nb_multiply = mul;
  n.nb_true_divide = divide;
  n.nb_floor_divide = floor_divide;
  n.nb_remainder = remainder;
  n.nb_power = power_of;
  n.nb_matrix_multiply = matmul;
  n.nb_and = bit_and;
  n.nb_or = bit_or;
  n.nb_xor = bit_xor;
  n.nb_lshift = shift_left;
  n.nb_rshift = shift_right;
  n.nb_inplace_lshift = shift_left_by;
  n.nb_inplace_rshift = shift_right_by;
  n.nb_inplace_add = add_to;
  n.nb_inplace_subtract = sub_from;
  n.nb_inplace_multiply = mul_by;
  n.nb_inplace_true_divide = div_by;
  n.nb_inplace_floor_divide = floor_div_by;
  n.nb_inplace_remainder = remainder_by;
  n.nb_inplace_and = and_with;
  n.nb_inplace_or = or_with;
  n.nb_inplace_xor = xor_with;
  n.nb_inplace_power = raise_to_of;
  n.nb_negative = unary<0>;
  n.nb_invert = unary<1>;
  n.nb_absolute = unary<2>;
  n.nb_positive = unary<3>;
  n.nb_bool = truth;
  n.nb_int = as_int;
  n.nb_float = as_float;
  n.nb_index = as_index;
  type.tp_as_number = &n;
  type.tp_richcompare = compare;
}

}  // namespace frit::python
