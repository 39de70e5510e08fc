// Sums, products, quotients, powers and what is built of them.
#include "ops/families.h"
#include "ops/pointwise/checks.h"
#include "ops/vjp_helpers.h"

namespace frit {
namespace {

Term scaled(const Term& g, Scalar by) {
  return !by.is_symbolic() && by.to_double() == 1 ? g : g * by;
}

void add_family(Registry& r) {
  Vjp add_vjp = [](VjpCtx& v) -> GradList {
    Term g = grad(v);
    return Grads(v)(0, [&] { return g; })(1, [&] { return scaled(g, number(v, 2)); });
  };
  r.op("add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")
      .pointwise("add")
      .check([](auto& s) { checks::alpha(s, 2); })
      .inplace()
      .out("out")
      .vjp(add_vjp)
      .doc("self + alpha * other.");
  r.op("add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor")
      .pointwise("add")
      .promoting({"other"})
      .check([](auto& s) { checks::alpha(s, 2); })
      .inplace()
      .out()
      .vjp(add_vjp);

  Vjp sub_vjp = [](VjpCtx& v) -> GradList {
    Term g = grad(v);
    return Grads(v)(0, [&] { return g; })(1, [&] { return scaled(-g, number(v, 2)); });
  };
  r.op("sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")
      .pointwise("sub")
      .check([](auto& s) { checks::subtractable(s), checks::alpha(s, 2); })
      .inplace()
      .out("out")
      .vjp(sub_vjp)
      .doc("self - alpha * other. Not for bool tensors.");
  r.op("sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor")
      .pointwise("sub")
      .promoting({"other"})
      .check([](auto& s) { checks::subtractable(s), checks::alpha(s, 2); })
      .inplace()
      .out()
      .vjp(sub_vjp);

  Vjp rsub_vjp = [](VjpCtx& v) -> GradList {
    Term g = grad(v);
    return Grads(v)(0, [&] { return scaled(-g, number(v, 2)); })(1, [&] { return g; });
  };
  r.op("rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")
      .pointwise("rsub")
      .shape([](auto& s) {
        // PyTorch runs it as sub with the operands exchanged, and its layout follows from that.
        using Ctx = std::remove_cvref_t<decltype(s)>;
        const ArgList exchanged{s.args()[1], s.args()[0], s.args()[2]};
        Ctx sub(s.record(), exchanged, &s.called());
        pointwise_rule(sub);
        s.outs() = std::move(sub.outs());
      })
      .check([](auto& s) { checks::subtractable(s), checks::alpha(s, 2); })
      .out()
      .vjp(rsub_vjp)
      .doc("other - alpha * self.");
  r.op("rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor")
      .pointwise("rsub")
      .promoting({"other"})
      .check([](auto& s) { checks::subtractable(s), checks::alpha(s, 2); })
      .out()
      .vjp(rsub_vjp);
}

void mul_family(Registry& r) {
  r.op("mul.Tensor(Tensor self, Tensor other) -> Tensor")
      .pointwise("mul")
      .inplace()
      .out("out")
      .saves({"self", "other"})
      .vjp([](VjpCtx& v) -> GradList {
        Term g = grad(v);
        return Grads(v)(0, [&] { return g * arg(v, 1); })(1, [&] { return g * arg(v, 0); });
      })
      .doc("The product, element by element; of bools, and.");
  r.op("mul.Scalar(Tensor self, Scalar other) -> Tensor")
      .pointwise("mul")
      .promoting({"other"})
      .inplace()
      .out()
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] { return grad(v) * number(v, 1); });
      });
  r.op("addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor")
      .pointwise("addcmul")
      .check([](auto& s) { checks::no_bools(s, "addcmul_cpu_out"); })
      .inplace()
      .out()
      .saves({"tensor1", "tensor2"})
      .vjp([](VjpCtx& v) -> GradList {
        Term g = grad(v);
        Scalar value = number(v, 3);
        return Grads(v)(0, [&] { return g; })(1, [&] { return g * scaled(arg(v, 2), value); })(
            2, [&] { return g * scaled(arg(v, 1), value); });
      })
      .doc("self + value * tensor1 * tensor2.");
  r.op("addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor")
      .pointwise("addcdiv")
      .inplace()
      .out()
      .saves({"tensor1", "tensor2"})
      .check([](auto& s) {
        if (!is_floating(s.tensor(1).dtype) && !is_floating(s.tensor(2).dtype))
          s.fail(
              "Integer division with addcdiv is no longer supported, and in a future  release "
              "addcdiv will "
              "perform a true division of tensor1 and tensor2. The historic addcdiv behavior can "
              "be "
              "implemented as (self + value * trunc(tensor1 / tensor2)).to(self.dtype()) for "
              "integer "
              "inputs and as (self + value * tensor1 / tensor2) for float inputs.",
              "convert tensor1 to a float type");
      })
      .vjp([](VjpCtx& v) -> GradList {
        Term g = grad(v), b = arg(v, 2);
        Scalar value = number(v, 3);
        return Grads(v)(0, [&] { return g; })(1, [&] {
          return g * scaled(b.op<"reciprocal">(), value);
        })(2, [&] { return -g * (scaled(arg(v, 1), value) / (b * b)); });
      })
      .doc("self + value * tensor1 / tensor2.");
}

// As PyTorch: div with rounding_mode="floor", which is flat, has one.
GradList no_floor_divide_gradient(VjpCtx& v) {
  throw UserError(ErrorKind::runtime, v.record.schema.name,
                  "derivative for aten::floor_divide is not implemented",
                  "div with rounding_mode=\"floor\", or detach() what it divides");
}

void div_family(Registry& r) {
  r.op("div.Tensor(Tensor self, Tensor other) -> Tensor")
      .pointwise("div", Promotion::to_float)
      .inplace()
      .out("out")
      .saves({"self", "other"})
      .vjp([](VjpCtx& v) -> GradList {
        Term g = grad(v), b = arg(v, 1);
        return Grads(v)(0, [&] { return g / b; })(1, [&] { return -g * ((arg(v, 0) / b) / b); });
      })
      .doc("The quotient; of integers, as floats.");
  r.op("div.Scalar(Tensor self, Scalar other) -> Tensor")
      .pointwise("div", Promotion::to_float)
      .promoting({"other"})
      .inplace()
      .out()
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] { return grad(v) / number(v, 1); });
      });
  r.op("true_divide.Tensor(Tensor self, Tensor other) -> Tensor")
      .composite([](Caller& c, auto a) -> RefList { return {c.op<"div.Tensor">(a[0], a[1])}; })
      .inplace()
      .out("out")
      .doc("div.");
  r.op("true_divide.Scalar(Tensor self, Scalar other) -> Tensor")
      .composite([](Caller& c, auto a) -> RefList { return {c.op<"div.Scalar">(a[0], a[1])}; })
      .inplace();

  r.op("_div_trunc.Tensor(Tensor self, Tensor other) -> Tensor")
      .pointwise("div_trunc")
      .raises_on_integers()
      .check([](auto& s) { checks::no_bools(s, "div_trunc_cpu"); })
      .inplace()
      .out("out")
      .vjp(flat_vjp)
      .doc("div with rounding_mode=\"trunc\": the quotient rounded toward zero.");
  r.op("_div_trunc.Scalar(Tensor self, Scalar other) -> Tensor")
      .pointwise("div_trunc")
      .promoting({"other"})
      .raises_on_integers()
      .check([](auto& s) { checks::no_bools(s, "div_trunc_cpu"); })
      .inplace()
      .out()
      .vjp(flat_vjp);
  r.op("_div_floor.Tensor(Tensor self, Tensor other) -> Tensor")
      .pointwise("floor_divide")
      .raises_on_integers()
      .check([](auto& s) { checks::no_bools(s, "div_floor_cpu"); })
      .inplace()
      .out("out")
      .vjp(flat_vjp)
      .doc("div with rounding_mode=\"floor\": the quotient rounded down.");
  r.op("_div_floor.Scalar(Tensor self, Scalar other) -> Tensor")
      .pointwise("floor_divide")
      .promoting({"other"})
      .raises_on_integers()
      .check([](auto& s) { checks::no_bools(s, "div_floor_cpu"); })
      .inplace()
      .out()
      .vjp(flat_vjp);
  r.op("floor_divide(Tensor self, Tensor other) -> Tensor")
      .pointwise("floor_divide")
      .raises_on_integers()
      .check([](auto& s) { checks::no_bools(s, "div_floor_cpu"); })
      .inplace("Tensor")
      .out("out")
      .vjp(no_floor_divide_gradient)
      .doc("The quotient rounded down, in the operands' own type.");
  r.op("floor_divide.Scalar(Tensor self, Scalar other) -> Tensor")
      .pointwise("floor_divide")
      .promoting({"other"})
      .raises_on_integers()
      .check([](auto& s) { checks::no_bools(s, "div_floor_cpu"); })
      .inplace()
      .out()
      .vjp(no_floor_divide_gradient);
}

// div with a rounding mode runs as the op of that mode.
template <OpName none, OpName trunc, OpName floor>
RefList div_mode(Caller& c, std::span<const Arg> a) {
  std::string_view mode = a[2].is_none() ? "" : a[2].as<Symbol>().str();
  if (mode.empty()) return {c.op<none>(a[0], a[1])};
  if (mode == "trunc") {
    // PyTorch rounds the quotient of half types before it cuts it off.
    if (is_reduced_float(pointwise_types(find_op(trunc.text), a.first(2)).result))
      return {c.op<"trunc">(c.op<none>(a[0], a[1]))};
    return {c.op<trunc>(a[0], a[1])};
  }
  if (mode == "floor") return {c.op<floor>(a[0], a[1])};
  throw UserError(ErrorKind::runtime, "div",
                  "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '" +
                      std::string(mode) + "'",
                  "one of the three");
}

void div_modes(Registry& r) {
  r.op("div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor")
      .composite(div_mode<"div.Tensor", "_div_trunc.Tensor", "_div_floor.Tensor">)
      .inplace()
      .out("out_mode")
      .doc("The quotient rounded by rounding_mode: None, \"trunc\" or \"floor\".");
  r.op("div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor")
      .composite(div_mode<"div.Scalar", "_div_trunc.Scalar", "_div_floor.Scalar">)
      .inplace()
      .out();
}

void remainder_family(Registry& r) {
  r.op("remainder.Tensor(Tensor self, Tensor other) -> Tensor")
      .pointwise("remainder")
      .raises_on_integers()
      .check([](auto& s) { checks::no_bools(s, "remainder_cpu"); })
      .inplace()
      .out()
      .saves({"self", "other"})
      .vjp([](VjpCtx& v) -> GradList {
        Term g = grad(v);
        return Grads(v)(0, [&] { return g; })(
            1, [&] { return -g * arg(v, 0).op<"_div_floor.Tensor">(v.arg(1)); });
      })
      .doc("The remainder of division rounded down: it has the divisor's sign.");
  r.op("remainder.Scalar(Tensor self, Scalar other) -> Tensor")
      .pointwise("remainder")
      .promoting({"other"})
      .raises_on_integers()
      .check([](auto& s) { checks::no_bools(s, "remainder_cpu"); })
      .inplace()
      .out()
      .vjp([](VjpCtx& v) -> GradList { return Grads(v)(0, [&] { return grad(v); }); });
  r.op("remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor")
      .pointwise("rremainder")
      .promoting({"self"})
      .raises_on_integers()
      .check([](auto& s) { checks::no_bools(s, "remainder_cpu"); })
      .out()
      .saves({"other"})
      .vjp([](VjpCtx& v) -> GradList {
        Term b = arg(v, 1);
        return Grads(v)(1, [&] {
          Term quotient = (b.op<"reciprocal">() * number(v, 0)).op<"floor">();
          return -grad(v) * quotient;
        });
      });
  r.op("fmod.Tensor(Tensor self, Tensor other) -> Tensor")
      .pointwise("fmod")
      .raises_on_integers()
      .check([](auto& s) { checks::no_bools(s, "fmod_cpu"); })
      .inplace()
      .out()
      .saves({"self", "other"})
      .vjp([](VjpCtx& v) -> GradList {
        Term g = grad(v);
        return Grads(v)(0, [&] { return g; })(
            1, [&] { return -g * arg(v, 0).op<"_div_trunc.Tensor">(v.arg(1)); });
      })
      .doc("The remainder of division rounded toward zero: it has the dividend's sign.");
  r.op("fmod.Scalar(Tensor self, Scalar other) -> Tensor")
      .pointwise("fmod")
      .promoting({"other"})
      .raises_on_integers()
      .check([](auto& s) { checks::no_bools(s, "fmod_cpu"); })
      .inplace()
      .out()
      .vjp([](VjpCtx& v) -> GradList { return Grads(v)(0, [&] { return grad(v); }); });
}

}  // namespace

void register_arithmetic(Registry& r) {
  add_family(r);
  mul_family(r);
  div_family(r);
  div_modes(r);
  remainder_family(r);
}

}  // namespace frit
