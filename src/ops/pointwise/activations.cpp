// Activations, and the gradients that aten has as ops of their own.
#include <cmath>
#include <numbers>

#include "ops/copy/memory_format.h"
#include "ops/families.h"
#include "ops/pointwise/checks.h"
#include "ops/vjp_helpers.h"

namespace frit {
namespace {

// The second derivative is 0 wherever there is one: only the incoming gradient's path counts.
template <OpName op, size_t x = 1>
GradList piecewise_linear_vjp(VjpCtx& v) {
  ArgList args(v.args.begin(), v.args.end());
  return Grads(v)(0, [&] {
    args[0] = grad(v).ref();
    static const OpRecord& record = find_op(op.text);
    return Term(v.c, v.c.call_with_defaults(record, args)[0]);
  })(static_cast<int>(x), [&] { return grad(v).zeros_like(); });
}

// Backward ops name their out argument grad_input.
OpBuilder& backward(Registry& r, std::string_view schema, std::string_view body) {
  return r.op(schema)
      .pointwise(body)
      .check([](auto& s) { checks::floats_only(s, s.record().schema.name.c_str()); })
      .out("grad_input", {"grad_input"});
}

void relus(Registry& r) {
  r.op("relu(Tensor self) -> Tensor")
      .pointwise("relu")
      .inplace()
      .out()
      .saves({}, 1)
      .check([](auto& s) {
        if (is_bool(s.tensor(0).dtype))
          s.fail("Boolean inputs not supported for relu", "convert to a number type");
      })
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] { return grad(v).op<"threshold_backward">(v.out(), Scalar(0)); });
      })
      .doc("self where it is above 0, else 0.");
  r.op("threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor")
      .pointwise("threshold")
      .inplace()
      .out()
      .saves({"self"})
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0,
                        [&] { return grad(v).op<"threshold_backward">(v.arg(0), number(v, 1)); });
      })
      .doc("self where it is above threshold, else value.");
  backward(r, "threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor",
           "threshold_backward")
      .saves({"self"})
      .vjp(piecewise_linear_vjp<"threshold_backward">);
  r.op("leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor")
      .pointwise("leaky_relu")
      .inplace()
      .out()
      .saves({"self"})
      .check([](auto& s) { checks::floats_only(s, "leaky_relu_cpu"); })
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(
            0, [&] { return grad(v).op<"leaky_relu_backward">(v.arg(0), number(v, 1), false); });
      })
      .doc("self above 0, negative_slope * self below.");
  backward(r,
           "leaky_relu_backward(Tensor grad_output, Tensor self, Scalar negative_slope, bool "
           "self_is_result) -> Tensor",
           "leaky_relu_backward")
      .saves({"self"})
      .vjp(piecewise_linear_vjp<"leaky_relu_backward">);
  r.op("hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor")
      .pointwise("hardtanh")
      .shape([](auto& s) {  // as empty_like
        pointwise_rule(s);
        s.outs()[0].strides = preserved_strides(s.tensor(0));
      })
      .inplace()
      .out()
      .saves({"self"})
      .check([](auto& s) {
        if (is_bool(s.tensor(0).dtype))
          s.fail("Bool inputs not supported for hardtanh", "convert to a number type");
      })
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] {
          return grad(v).op<"hardtanh_backward">(v.arg(0), number(v, 1), number(v, 2));
        });
      })
      .doc("self kept between min_val and max_val.");
  backward(r,
           "hardtanh_backward(Tensor grad_output, Tensor self, Scalar min_val, Scalar max_val) -> "
           "Tensor",
           "hardtanh_backward")
      .saves({"self"})
      .vjp(piecewise_linear_vjp<"hardtanh_backward">);
  r.op("relu6(Tensor self) -> Tensor")
      .composite([](Caller& c, auto a) -> RefList {
        return {c.op<"hardtanh">(a[0], Scalar(0), Scalar(6))};
      })
      .inplace()
      .doc("self kept between 0 and 6.");
}

void sigmoids(Registry& r) {
  backward(r, "sigmoid_backward(Tensor grad_output, Tensor output) -> Tensor", "sigmoid_backward")
      .saves({"grad_output", "output"})
      .vjp([](VjpCtx& v) -> GradList {
        Term gg = grad(v), y = arg(v, 1);
        return Grads(v)(0, [&] { return gg.op<"sigmoid_backward">(y); })(
            1, [&] { return gg * arg(v, 0) * (y * Scalar(-2) + Scalar(1)); });
      });
  backward(r, "tanh_backward(Tensor grad_output, Tensor output) -> Tensor", "tanh_backward")
      .saves({"grad_output", "output"})
      .vjp([](VjpCtx& v) -> GradList {
        Term gg = grad(v), y = arg(v, 1);
        return Grads(v)(0, [&] { return gg.op<"tanh_backward">(y); })(
            1, [&] { return gg * (y * Scalar(-2) * arg(v, 0)); });
      });
  r.op("hardsigmoid(Tensor self) -> Tensor")
      .pointwise("hardsigmoid")
      .inplace()
      .out()
      .saves({"self"})
      .check([](auto& s) { checks::floats_only(s, "hardsigmoid_cpu"); })
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] { return grad(v).op<"hardsigmoid_backward">(v.arg(0)); });
      })
      .doc("self / 6 + 1/2, kept between 0 and 1.");
  backward(r, "hardsigmoid_backward(Tensor grad_output, Tensor self) -> Tensor",
           "hardsigmoid_backward")
      .saves({"self"})
      .vjp(piecewise_linear_vjp<"hardsigmoid_backward">);
  r.op("hardswish(Tensor self) -> Tensor")
      .pointwise("hardswish")
      .inplace()
      .out()
      .saves({"self"})
      .check([](auto& s) { checks::floats_only(s, "hardswish_cpu"); })
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] { return grad(v).op<"hardswish_backward">(v.arg(0)); });
      })
      .doc("self * hardsigmoid(self).");
  r.op("hardswish_backward(Tensor grad_output, Tensor self) -> Tensor")
      .pointwise("hardswish_backward")
      .check([](auto& s) { checks::floats_only(s, "hardswish_backward_cpu"); })
      .saves({"grad_output", "self"})
      .vjp([](VjpCtx& v) -> GradList {
        Term gg = grad(v), x = arg(v, 1);
        return Grads(v)(0, [&] { return gg.op<"hardswish_backward">(x); })(1, [&] {
          return (gg * arg(v, 0) / Scalar(3.0)).where(x > Scalar(-3.0) && x < Scalar(3.0));
        });
      });
  r.op("silu(Tensor self) -> Tensor")
      .pointwise("silu")
      .inplace()
      .out()
      .saves({"self"})
      .check([](auto& s) { checks::floats_only(s, "silu_cpu"); })
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] { return grad(v).op<"silu_backward">(v.arg(0)); });
      })
      .doc("self * sigmoid(self).");
  backward(r, "silu_backward(Tensor grad_output, Tensor self) -> Tensor", "silu_backward")
      .saves({"grad_output", "self"})
      .vjp([](VjpCtx& v) -> GradList {
        Term gg = grad(v), x = arg(v, 1);
        return Grads(v)(0, [&] { return gg.op<"silu_backward">(x); })(1, [&] {
          Term s = x.op<"sigmoid">();
          return gg * arg(v, 0) * (s * (Scalar(1) - s)) *
                 (x * (Scalar(1) - s * Scalar(2)) + Scalar(2));
        });
      });
}

Term sech2(const Term& tanh) { return Scalar(1) - tanh * tanh; }

// d2/dx2 of x Phi(x), exact or by tanh.
Term gelu_curvature(const Term& x, bool tanh) {
  if (!tanh) {
    Term density =
        (x * x * Scalar(-0.5)).op<"exp">() * Scalar(std::numbers::inv_sqrtpi / std::numbers::sqrt2);
    return density * (Scalar(2) - x * x);
  }
  const double beta = std::numbers::sqrt2 * std::numbers::inv_sqrtpi, kappa = 0.044715;
  Term xx = x * x;
  Term t = (x * (xx * Scalar(kappa) + Scalar(1)) * Scalar(beta)).op<"tanh">();
  Term slope = (xx * Scalar(3 * kappa) + Scalar(1)) * Scalar(beta);  // of tanh's argument
  return sech2(t) * (slope - x * t * slope * slope + xx * Scalar(3 * kappa * beta));
}

void gelus(Registry& r) {
  r.op("gelu(Tensor self, *, str approximate=\"none\") -> Tensor")
      .pointwise("gelu")
      .variants("approximate", {"none", "tanh"})
      .inplace()
      .out()
      .saves({"self"})
      .check([](auto& s) { checks::floats_only(s, "GeluKernelImpl"); })
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] { return grad(v).op<"gelu_backward">(v.arg(0), v.args[1]); });
      })
      .doc(
          "self times the normal distribution's probability below it; approximate: \"none\" or "
          "\"tanh\".");
  backward(r,
           "gelu_backward(Tensor grad_output, Tensor self, *, str approximate=\"none\") -> Tensor",
           "gelu_backward")
      .variants("approximate", {"none", "tanh"})
      .saves({"grad_output", "self"})
      .vjp([](VjpCtx& v) -> GradList {
        Term gg = grad(v), x = arg(v, 1);
        bool tanh = v.args[2].as<Symbol>() == "tanh";
        return Grads(v)(0, [&] { return gg.op<"gelu_backward">(x, v.args[2]); })(
            1, [&] { return gg * arg(v, 0) * gelu_curvature(x, tanh); });
      });
}

void exponential_units(Registry& r) {
  r.op("softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor")
      .pointwise("softplus")
      .out()
      .saves({"self"})
      .check([](auto& s) { checks::floats_only(s, "softplus_cpu"); })
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] {
          return grad(v).op<"softplus_backward">(v.arg(0), number(v, 1), number(v, 2));
        });
      })
      .doc("log(1 + exp(beta * self)) / beta; self itself where beta * self is above threshold.");
  backward(
      r,
      "softplus_backward(Tensor grad_output, Tensor self, Scalar beta, Scalar threshold) -> Tensor",
      "softplus_backward")
      .saves({"grad_output", "self"})
      .vjp([](VjpCtx& v) -> GradList {
        Term gg = grad(v), x = arg(v, 1);
        return Grads(v)(
            0, [&] { return gg.op<"softplus_backward">(x, number(v, 2), number(v, 3)); })(1, [&] {
          Term scaled = x * number(v, 2);
          Term s = scaled.op<"sigmoid">();
          Term slope = (gg * arg(v, 0)).op<"sigmoid_backward">(s) * number(v, 2);
          return slope.where(scaled < number(v, 3));
        });
      });
  r.op("elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor")
      .pointwise("elu")
      .inplace()
      .out()
      .saves({"self"})
      .check([](auto& s) { checks::floats_only(s, "elu_cpu"); })
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] {
          return grad(v).op<"elu_backward">(number(v, 1), number(v, 2), number(v, 3), false,
                                            v.arg(0));
        });
      })
      .doc("scale * self above 0, scale * alpha * (exp(input_scale * self) - 1) below.");
  backward(r,
           "elu_backward(Tensor grad_output, Scalar alpha, Scalar scale, Scalar input_scale, bool "
           "is_result, Tensor "
           "self_or_result) -> Tensor",
           "elu_backward")
      .saves({"grad_output", "self_or_result"})
      .vjp([](VjpCtx& v) -> GradList {
        Term gg = grad(v), x = arg(v, 5);
        auto again = [&](const Term& g) {
          return g.op<"elu_backward">(number(v, 1), number(v, 2), number(v, 3), v.args[4], x);
        };
        return Grads(v)(0, [&] { return again(gg); })(5, [&] {
          Term bent = gg * arg(v, 0) * number(v, 3);
          return (v.args[4].to_bool() ? bent : again(bent)).where(x < Scalar(0));
        });
      });
}

}  // namespace

void register_activations(Registry& r) {
  relus(r);
  sigmoids(r);
  gelus(r);
  exponential_units(r);
}

}  // namespace frit
