// Tensor's operators, each the op of its name, and reading single values.
#include <frit/tensor.h>

#include "base/location.h"
#include "eager/dispatch.h"
#include "eager/intercept.h"

namespace frit {
namespace {

template <OpName name, class... A>
Tensor call(SourceLocation where, A&&... args) {
  try {
    return eager::EagerCaller(where).op<name>(std::forward<A>(args)...).tensor();
  } catch (const UserError& e) {
    throw e.at(located(where));
  }
}

}  // namespace

Tensor operator-(Operand a) { return call<"neg">(a.where, a.tensor); }
Tensor operator~(Operand a) { return call<"bitwise_not">(a.where, a.tensor); }

// A number on the left of an op that may exchange its operands, or of one that has a reverse.
#define FRIT_COMMUTING(op, name)                                                                 \
  Tensor operator op(Operand a, Operand b) {                                                     \
    return call<name ".Tensor">(a.where, a.tensor, b.tensor);                                    \
  }                                                                                              \
  Tensor operator op(Operand a, Scalar b) { return call<name ".Scalar">(a.where, a.tensor, b); } \
  Tensor operator op(Scalar a, Operand b) { return call<name ".Scalar">(b.where, b.tensor, a); }
#define FRIT_COMPARING(op, name, reverse)                                                        \
  Tensor operator op(Operand a, Operand b) {                                                     \
    return call<name ".Tensor">(a.where, a.tensor, b.tensor);                                    \
  }                                                                                              \
  Tensor operator op(Operand a, Scalar b) { return call<name ".Scalar">(a.where, a.tensor, b); } \
  Tensor operator op(Scalar a, Operand b) { return call<reverse ".Scalar">(b.where, b.tensor, a); }

FRIT_COMMUTING(+, "add")
FRIT_COMMUTING(*, "mul")
FRIT_COMMUTING(&, "bitwise_and")
FRIT_COMMUTING(|, "bitwise_or")
FRIT_COMMUTING(^, "bitwise_xor")
FRIT_COMPARING(<, "lt", "gt")
FRIT_COMPARING(<=, "le", "ge")
FRIT_COMPARING(>, "gt", "lt")
FRIT_COMPARING(>=, "ge", "le")
FRIT_COMPARING(==, "eq", "eq")
FRIT_COMPARING(!=, "ne", "ne")
#undef FRIT_COMMUTING
#undef FRIT_COMPARING

Tensor operator-(Operand a, Operand b) { return call<"sub.Tensor">(a.where, a.tensor, b.tensor); }
Tensor operator-(Operand a, Scalar b) { return call<"sub.Scalar">(a.where, a.tensor, b); }
Tensor operator-(Scalar a, Operand b) { return call<"rsub.Scalar">(b.where, b.tensor, a); }
Tensor operator/(Operand a, Operand b) { return call<"div.Tensor">(a.where, a.tensor, b.tensor); }
Tensor operator/(Operand a, Scalar b) { return call<"div.Scalar">(a.where, a.tensor, b); }
Tensor operator/(Scalar a, Operand b) {
  return call<"mul.Scalar">(b.where, call<"reciprocal">(b.where, b.tensor), a);
}

Tensor& Tensor::operator+=(Operand o) {
  call<"add_.Tensor">(o.where, *this, o.tensor);
  return *this;
}
Tensor& Tensor::operator-=(Operand o) {
  call<"sub_.Tensor">(o.where, *this, o.tensor);
  return *this;
}
Tensor& Tensor::operator*=(Operand o) {
  call<"mul_.Tensor">(o.where, *this, o.tensor);
  return *this;
}
Tensor& Tensor::operator/=(Operand o) {
  call<"div_.Tensor">(o.where, *this, o.tensor);
  return *this;
}
Tensor& Tensor::operator+=(NumberOperand o) {
  call<"add_.Scalar">(o.where, *this, o.number);
  return *this;
}
Tensor& Tensor::operator-=(NumberOperand o) {
  call<"sub_.Scalar">(o.where, *this, o.number);
  return *this;
}
Tensor& Tensor::operator*=(NumberOperand o) {
  call<"mul_.Scalar">(o.where, *this, o.number);
  return *this;
}
Tensor& Tensor::operator/=(NumberOperand o) {
  call<"div_.Scalar">(o.where, *this, o.number);
  return *this;
}

}  // namespace frit
