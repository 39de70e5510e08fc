// Dtype checks that pointwise ops share, in PyTorch's words.
#pragma once
#include <fmt/format.h>

#include "ops/kind_rules.h"

namespace frit::checks {

template <class I>
DType dtype_at(const ShapeCtx<I>& s, int i) {
  return s.tensor(i).dtype;
}

// PyTorch's kernel has no version for integers and bools.
template <class I>
void floats_only(const ShapeCtx<I>& s, const char* kernel) {
  DType t = dtype_at(s, 0);
  if (!is_floating(t))
    s.fail(fmt::format("\"{}\" not implemented for '{}'", kernel, scalar_type_name(t)),
           "convert to a float type first", ErrorKind::not_implemented);
}

// Bitwise ops and shifts: after promotion.
template <class I>
void integers_only(const ShapeCtx<I>& s, const char* kernel, bool bools = true) {
  DType t = pointwise_types(s.record(), s.args()).compute;
  if (is_floating(t) || (is_bool(t) && !bools))
    s.fail(fmt::format("\"{}\" not implemented for '{}'", kernel, scalar_type_name(t)),
           "convert to an integer type first", ErrorKind::not_implemented);
}

template <class I>
void no_bools(const ShapeCtx<I>& s, const char* kernel) {
  DType t = pointwise_types(s.record(), s.args()).compute;
  if (is_bool(t))
    s.fail(fmt::format("\"{}\" not implemented for 'Bool'", kernel),
           "convert to a number type first", ErrorKind::not_implemented);
}

// add and sub: alpha must be a number of the result's kind.
template <class I>
void alpha(const ShapeCtx<I>& s, int arg) {
  Scalar a = s.scalar(arg);
  if (a.is_integer()) return;
  DType t = pointwise_types(s.record(), s.args()).result;
  if (a.is_bool() && !is_bool(t))
    s.fail("Boolean alpha only supported for Boolean results.", "give alpha as a number");
  if (!is_floating(t) && a.is_real())
    s.fail("For integral input tensors, argument alpha must not be a floating point number.",
           "an integer alpha, or convert the tensors to a float type");
}

inline bool is_bool_arg(const Arg& a) {
  if (a.is_ref() && a.ref().kind() == Ref::Kind::tensor)
    return is_bool(a.ref().tensor().impl()->dtype);
  return a.is_ref() ? is_bool(meta(a.ref()).dtype) : a.to_scalar().is_bool();
}

template <class I>
void subtractable(const ShapeCtx<I>& s) {
  bool a = is_bool_arg(s.args()[0]), b = is_bool_arg(s.args()[1]);
  if (a && b)
    s.fail(
        "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
        "`logical_xor()` operator instead.",
        "a ^ b");
  if (a || b)
    s.fail(
        "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
        "invert "
        "a mask, use the `~` or `logical_not()` operator instead.",
        "~mask");
}

}  // namespace frit::checks
