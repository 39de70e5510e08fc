// Functions of one number: roots, exponentials, trigonometry, rounding, signs.
#include <cmath>
#include <numbers>

#include "ops/families.h"
#include "ops/pointwise/checks.h"
#include "ops/vjp_helpers.h"

namespace frit {
namespace {

// name(Tensor self) -> Tensor with its in-place and out forms.
OpBuilder& unary(Registry& r, std::string name, Promotion p = Promotion::to_float,
                 std::string body = {}) {
  return r.op(name + "(Tensor self) -> Tensor")
      .pointwise(body.empty() ? name : body, p)
      .inplace()
      .out();
}

void predicate(Registry& r, std::string name, std::string_view doc) {
  r.op(name + "(Tensor self) -> Tensor")
      .pointwise(name, Promotion::to_bool)
      .out()
      .not_differentiable()
      .doc(doc);
}

// A vjp of one formula over the gradient and the input, or the output.
template <class F>
OpBuilder& by_input(OpBuilder& b, F) {
  return b.saves({"self"}).vjp(
      [](VjpCtx& v) -> GradList { return Grads(v)(0, [&] { return F{}(grad(v), arg(v, 0)); }); });
}
template <class F>
OpBuilder& by_output(OpBuilder& b, F) {
  return b.saves({}, 1).vjp(
      [](VjpCtx& v) -> GradList { return Grads(v)(0, [&] { return F{}(grad(v), out(v)); }); });
}

void roots_and_exponentials(Registry& r) {
  by_output(unary(r, "sqrt"), [](Term g, Term y) {
    return g / (y * 2);
  }).doc("The square root; NaN below 0.");
  by_output(unary(r, "rsqrt"), [](Term g, Term y) {
    return (g * -0.5) * y.pow(3);
  }).doc("1 / sqrt(self).");
  by_output(unary(r, "reciprocal"), [](Term g, Term y) { return -g * (y * y); }).doc("1 / self.");
  by_input(unary(r, "square", Promotion::with_integer), [](Term g, Term x) {
    return g * (x * 2);
  }).doc("self * self.");
  by_output(unary(r, "exp"), [](Term g, Term y) { return g * y; }).doc("e to the power of self.");
  by_output(unary(r, "exp2"), [](Term g, Term y) {
    return g * y * std::numbers::ln2;
  }).doc("2 to the power of self.");
  by_output(unary(r, "expm1"), [](Term g, Term y) {
    return g * (y + 1);
  }).doc("exp(self) - 1, exact near 0.");
  by_input(unary(r, "log"), [](Term g, Term x) { return g / x; }).doc("The natural logarithm.");
  by_input(unary(r, "log1p"), [](Term g, Term x) {
    return g / (x + 1);
  }).doc("log(1 + self), exact near 0.");
  by_input(unary(r, "log2"), [](Term g, Term x) {
    return g / (x * std::numbers::ln2);
  }).doc("The logarithm to base 2.");
  by_input(unary(r, "log10"), [](Term g, Term x) {
    return g / (x * std::numbers::ln10);
  }).doc("The logarithm to base 10.");
}

void trigonometry(Registry& r) {
  by_input(unary(r, "sin"), [](Term g, Term x) { return g * x.op<"cos">(); }).doc("The sine.");
  by_input(unary(r, "cos"), [](Term g, Term x) { return g * -x.op<"sin">(); }).doc("The cosine.");
  by_output(unary(r, "tan"), [](Term g, Term y) { return g * (y * y + 1); }).doc("The tangent.");
  by_input(unary(r, "asin"), [](Term g, Term x) {
    return g * (1 - x * x).op<"rsqrt">();
  }).doc("The inverse sine.");
  by_input(unary(r, "acos"), [](Term g, Term x) {
    return g * -(1 - x * x).op<"rsqrt">();
  }).doc("The inverse cosine.");
  by_input(unary(r, "atan"), [](Term g, Term x) {
    return g / (x * x + 1);
  }).doc("The inverse tangent.");
  by_input(unary(r, "sinh"), [](Term g, Term x) {
    return g * x.op<"cosh">();
  }).doc("The hyperbolic sine.");
  by_input(unary(r, "cosh"), [](Term g, Term x) {
    return g * x.op<"sinh">();
  }).doc("The hyperbolic cosine.");
  by_output(unary(r, "tanh"), [](Term g, Term y) {
    return g.op<"tanh_backward">(y);
  }).doc("The hyperbolic tangent.");
  by_output(unary(r, "sigmoid"), [](Term g, Term y) {
    return g.op<"sigmoid_backward">(y);
  }).doc("1 / (1 + exp(-self)).");
  by_input(unary(r, "erf"), [](Term g, Term x) {
    return (-(x * x)).op<"exp">() * (2 * std::numbers::inv_sqrtpi) * g;
  }).doc("The error function.");
  by_input(unary(r, "erfc"), [](Term g, Term x) {
    return (-(x * x)).op<"exp">() * (-2 * std::numbers::inv_sqrtpi) * g;
  }).doc("1 - erf(self), exact where it is small.");

  r.op("atan2(Tensor self, Tensor other) -> Tensor")
      .pointwise("atan2", Promotion::to_float)
      .inplace()
      .out()
      .saves({"self", "other"})
      .vjp([](VjpCtx& v) -> GradList {
        Term g = grad(v), y = arg(v, 0), x = arg(v, 1);
        // At the origin, where there is none, the gradient is 0.
        Term square = y * y + x * x;
        Term inverse = square.op<"reciprocal">().where(square.op<"ne.Scalar">(Scalar(0)));
        return Grads(v)(0, [&] { return g * (x * inverse); })(1,
                                                              [&] { return g * (-y * inverse); });
      })
      .doc("The angle of the point (other, self).");
  r.op("hypot(Tensor self, Tensor other) -> Tensor")
      .pointwise("hypot")
      .inplace()
      .out()
      .saves({"self", "other"}, 1)
      .check([](auto& s) {
        if (!is_floating(pointwise_types(s.record(), s.args()).compute))
          checks::floats_only(s, "hypot_cpu");
      })
      .vjp([](VjpCtx& v) -> GradList {
        Term g = grad(v), y = out(v);
        return Grads(v)(0, [&] { return g * (arg(v, 0) / y); })(
            1, [&] { return g * (arg(v, 1) / y); });
      })
      .doc("sqrt(self**2 + other**2) without overflow.");
}

void rounding(Registry& r) {
  auto flat = [&](const char* name, auto check, const char* doc) {
    unary(r, name, Promotion::result_type).check(check).vjp(flat_vjp).doc(doc);
  };
  flat("floor", [](auto& s) { checks::no_bools(s, "floor_vml_cpu"); }, "The integer at or below.");
  flat("ceil", [](auto& s) { checks::no_bools(s, "ceil_vml_cpu"); }, "The integer at or above.");
  flat(
      "round", [](auto& s) { checks::no_bools(s, "round_vml_cpu"); },
      "The nearest integer, ties to even.");
  flat("trunc", [](auto& s) { checks::no_bools(s, "trunc_vml_cpu"); }, "The integer part.");
  r.op("round.decimals(Tensor self, *, int decimals) -> Tensor")
      .composite([](Caller& c, auto a) -> RefList {
        int64_t decimals = a[1].to_int().hint();
        Scalar ten(std::pow(10.0, static_cast<double>(std::abs(decimals)))), one(1.0);
        return {decimals < 0 ? c.op<"_round_scaled">(a[0], one, ten)
                             : c.op<"_round_scaled">(a[0], ten, one)};
      })
      .inplace()
      .out();
  r.op("_round_scaled(Tensor self, Scalar up, Scalar down) -> Tensor")
      .pointwise("round_scaled")
      .check([](auto& s) { checks::floats_only(s, "round_cpu"); })
      .vjp(flat_vjp)
      .doc("The nearest multiple of down / up: round with decimals.");
  unary(r, "frac", Promotion::result_type)
      .check([](auto& s) { checks::floats_only(s, "frac"); })
      .vjp([](VjpCtx& v) -> GradList { return Grads(v)(0, [&] { return grad(v); }); })
      .doc("The fractional part, with self's sign.");
}

void signs(Registry& r) {
  unary(r, "neg", Promotion::result_type)
      .check([](auto& s) {
        if (is_bool(s.tensor(0).dtype))
          s.fail(
              "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
              "invert "
              "a mask, use the `~` or `logical_not()` operator instead.",
              "~mask");
      })
      .vjp([](VjpCtx& v) -> GradList { return Grads(v)(0, [&] { return -grad(v); }); })
      .doc("-self.");
  by_input(unary(r, "abs", Promotion::result_type).check([](auto& s) {
    checks::no_bools(s, "abs_cpu");
  }),
           [](Term g, Term x) { return g * x.op<"sgn">(); })
      .doc("The absolute value.");
  unary(r, "sign", Promotion::result_type).vjp(flat_vjp).doc("-1, 0 or 1; 0 for NaN.");
  unary(r, "sgn", Promotion::result_type)
      .vjp(flat_vjp)
      .doc("sign, under the name that also covers complex numbers.");
  r.op("positive(Tensor(a) self) -> Tensor(a)")
      .composite([](Caller& c, auto a) -> RefList {
        if (is_bool(meta(a[0].ref()).dtype))
          throw UserError(ErrorKind::runtime, "positive",
                          "The `+` operator, on a bool tensor is not supported.",
                          "convert to a number type");
        return {a[0].ref()};
      })
      .doc("self.");
  r.op("copysign.Tensor(Tensor self, Tensor other) -> Tensor")
      .pointwise("copysign", Promotion::to_float)
      .inplace()
      .out("out")
      .saves({"self"}, 1)
      .vjp([](VjpCtx& v) -> GradList {
        Term g = grad(v), x = arg(v, 0);
        return Grads(v)(0, [&] { return g * (out(v) / x).zero_where(x == Scalar(0)); })(
            1, [&] { return g.zeros_like(); });
      })
      .doc("self's magnitude with other's sign.");
  r.op("copysign.Scalar(Tensor self, Scalar other) -> Tensor")
      .pointwise("copysign", Promotion::to_float)
      .promoting({"other"})
      .inplace()
      .out()
      .saves({"self"}, 1)
      .vjp([](VjpCtx& v) -> GradList {
        Term x = arg(v, 0);
        return Grads(v)(0, [&] { return grad(v) * (out(v) / x).zero_where(x == Scalar(0)); });
      });
  predicate(r, "isnan", "Is it NaN?");
  predicate(r, "isinf", "Is it infinite, of either sign?");
  predicate(r, "isfinite", "Neither infinite nor NaN?");
  predicate(r, "signbit", "Is the sign bit set (for -0 too)?");
}

Term pow_gradient(const Term& g, const Term& x, Scalar e) {
  if (!e.is_symbolic() && e.to_double() == 0) return g.zeros_like();
  Scalar less = e.is_real() ? Scalar(e.to_double() - 1) : Scalar(e.as_int() - 1);
  return g * (x.pow(less) * e);
}

void powers(Registry& r) {
  r.op("pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor")
      .pointwise("pow")
      .promoting({}, {"exponent"})
      .inplace("Scalar")
      .out()
      .saves({"self"})
      .check([](auto& s) {
        Scalar e = s.scalar(1);
        if (!e.is_bool()) checks::no_bools(s, "pow");  // x ** True is x, x ** False is 1
        if (!is_floating(s.tensor(0).dtype) && !e.is_real() && e.to_int64() < 0)
          s.fail("Integers to negative integer powers are not allowed.",
                 "convert self to a float type");
      })
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] { return pow_gradient(grad(v), arg(v, 0), number(v, 1)); });
      })
      .doc("self to the power of exponent.");
  r.op("pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor")
      .pointwise("pow")
      .check([](auto& s) { checks::no_bools(s, "pow"); })
      .inplace("Tensor")
      .out()
      .saves({"self", "exponent"}, 1)
      .vjp([](VjpCtx& v) -> GradList {
        Term g = grad(v), x = arg(v, 0), e = arg(v, 1);
        return Grads(v)(0, [&] {
          return (g * (e * x.op<"pow.Tensor_Tensor">(e - 1))).zero_where(e == Scalar(0));
        })(1, [&] {
          Term zero = x == Scalar(0) && e >= Scalar(0);  // 0 * log(0) counts as 0
          return g * (out(v) * x.op<"log">()).zero_where(zero);
        });
      });
  r.op("pow.Scalar(Scalar self, Tensor exponent) -> Tensor")
      .pointwise("rpow")
      .check([](auto& s) { checks::no_bools(s, "pow"); })
      .promoting({}, {"self"})
      .out()
      .saves({"exponent"}, 1)
      .vjp([](VjpCtx& v) -> GradList {
        double base = number(v, 0).to_double();
        return Grads(v)(1, [&] {
          Term slope = out(v) * std::log(base);
          return grad(v) * (base == 0 ? slope.zero_where(arg(v, 1) >= Scalar(0)) : slope);
        });
      });
}

}  // namespace

void register_unary(Registry& r) {
  roots_and_exponentials(r);
  trigonometry(r);
  rounding(r);
  signs(r);
  powers(r);
}

}  // namespace frit
