// Sugar for vjps and decompositions: a Ref with a Caller, so that formulas read as formulas.
#pragma once
#include "ops/caller.h"
#include "ops/record.h"

namespace frit {

// A tensor inside a formula. Operators call the op of that name; numbers are Scalars.
class Term {
 public:
  Term(Caller& c, Ref r) : c_(&c), r_(std::move(r)) {}
  operator const Ref&() const { return r_; }
  operator Arg() const { return Arg(r_); }
  const Ref& ref() const { return r_; }
  Caller& caller() const { return *c_; }
  TensorMeta<Int> meta() const { return frit::meta(r_); }
  DType dtype() const { return meta().dtype; }

  // t.op<"exp">(), t.op<"pow.Tensor_Scalar">(2)
  template <OpName name, class... A>
  Term op(A&&... a) const {
    return {*c_, c_->op<name>(r_, unwrap(std::forward<A>(a))...)};
  }

  friend Term operator+(const Term& a, const Term& b) { return a.op<"add.Tensor">(b); }
  friend Term operator-(const Term& a, const Term& b) { return a.op<"sub.Tensor">(b); }
  friend Term operator*(const Term& a, const Term& b) { return a.op<"mul.Tensor">(b); }
  friend Term operator/(const Term& a, const Term& b) { return a.op<"div.Tensor">(b); }
  friend Term operator+(const Term& a, Scalar b) { return a.op<"add.Scalar">(b); }
  friend Term operator-(const Term& a, Scalar b) { return a.op<"sub.Scalar">(b); }
  friend Term operator*(const Term& a, Scalar b) { return a.op<"mul.Scalar">(b); }
  friend Term operator/(const Term& a, Scalar b) { return a.op<"div.Scalar">(b); }
  friend Term operator-(Scalar a, const Term& b) { return b.op<"rsub.Scalar">(a); }
  friend Term operator*(Scalar a, const Term& b) { return b * a; }
  friend Term operator+(Scalar a, const Term& b) { return b + a; }
  Term operator-() const { return op<"neg">(); }
  // Comparisons give bool tensors.
  friend Term operator<(const Term& a, const Term& b) { return a.op<"lt.Tensor">(b); }
  friend Term operator<=(const Term& a, const Term& b) { return a.op<"le.Tensor">(b); }
  friend Term operator>(const Term& a, const Term& b) { return a.op<"gt.Tensor">(b); }
  friend Term operator>=(const Term& a, const Term& b) { return a.op<"ge.Tensor">(b); }
  friend Term operator==(const Term& a, const Term& b) { return a.op<"eq.Tensor">(b); }
  friend Term operator<(const Term& a, Scalar b) { return a.op<"lt.Scalar">(b); }
  friend Term operator<=(const Term& a, Scalar b) { return a.op<"le.Scalar">(b); }
  friend Term operator>(const Term& a, Scalar b) { return a.op<"gt.Scalar">(b); }
  friend Term operator>=(const Term& a, Scalar b) { return a.op<"ge.Scalar">(b); }
  friend Term operator==(const Term& a, Scalar b) { return a.op<"eq.Scalar">(b); }
  friend Term operator&&(const Term& a, const Term& b) { return a.op<"logical_and">(b); }
  friend Term operator||(const Term& a, const Term& b) { return a.op<"logical_or">(b); }
  Term operator!() const { return op<"logical_not">(); }

  Term square() const { return *this * *this; }
  Term pow(Scalar e) const { return op<"pow.Tensor_Scalar">(e); }
  // This where `mask` is true, 0 elsewhere; and the other way round.
  Term where(const Term& mask) const {
    return {*c_, c_->op<"where.ScalarOther">(mask.r_, r_, Scalar(0))};
  }
  Term zero_where(const Term& mask) const { return op<"masked_fill.Scalar">(mask, Scalar(0)); }
  Term zeros_like() const { return op<"zeros_like">(); }
  Term to(DType t) const { return dtype() == t ? *this : op<"_to_copy">(t); }

 private:
  static const Ref& unwrap(const Term& t) { return t.r_; }
  template <class A>
  static A&& unwrap(A&& a) {
    return std::forward<A>(a);
  }
  Caller* c_;
  Ref r_;
};

inline Term term(const VjpCtx& v, const Ref& r) { return {v.c, r}; }
inline Term grad(const VjpCtx& v, int i = 0) { return {v.c, v.grad(i)}; }
inline Term arg(const VjpCtx& v, int i) { return {v.c, v.arg(i)}; }
inline Term out(const VjpCtx& v, int i = 0) { return {v.c, v.out(i)}; }
inline Scalar number(const VjpCtx& v, int i) { return v.args[static_cast<size_t>(i)].to_scalar(); }

// Collects gradients: Grads(v)(0, [&] { return g * b; })(1, ...). Each function runs only where its
// gradient is wanted; what it gives is summed to the argument's sizes and cast to its dtype.
class Grads {
 public:
  explicit Grads(VjpCtx& v) : v_(v) { list_.resize(v.args.size()); }
  template <class F>
  Grads& operator()(int i, F&& formula) {
    if (v_.needs(i)) list_[static_cast<size_t>(i)] = Arg(v_.reduce_to(i, Ref(formula().ref())));
    return *this;
  }
  operator GradList() { return std::move(list_); }

 private:
  VjpCtx& v_;
  GradList list_;
};

// The gradient of an op that is flat wherever it has a slope: zeros for every argument asked.
inline GradList flat_vjp(VjpCtx& v) {
  Grads g(v);
  for (int i = 0; i < static_cast<int>(v.args.size()); ++i)
    g(i, [&] { return grad(v).zeros_like(); });
  return g;
}

}  // namespace frit
