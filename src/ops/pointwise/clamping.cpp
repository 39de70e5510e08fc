// Bounds: clamp, minimum, maximum and their kin.
#include "ops/families.h"
#include "ops/pointwise/checks.h"
#include "ops/vjp_helpers.h"

namespace frit {
namespace {

RefList clamp_by_numbers(Caller& c, std::span<const Arg> a) {
  if (a[1].is_none() && a[2].is_none())
    throw UserError(ErrorKind::runtime, "clamp", "At least one of 'min' or 'max' must not be None",
                    "give min, max or both");
  if (a[1].is_none()) return {c.op<"clamp_max">(a[0], a[2])};
  if (a[2].is_none()) return {c.op<"clamp_min">(a[0], a[1])};
  return {c.op<"_clamp">(a[0], a[1], a[2])};
}
RefList clamp_by_tensors(Caller& c, std::span<const Arg> a) {
  if (a[1].is_none() && a[2].is_none()) return clamp_by_numbers(c, a);
  if (a[1].is_none()) return {c.op<"clamp_max.Tensor">(a[0], a[2])};
  if (a[2].is_none()) return {c.op<"clamp_min.Tensor">(a[0], a[1])};
  return {c.op<"_clamp.Tensor">(a[0], a[1], a[2])};
}
void clamps(Registry& r) {
  r.op("clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor")
      .composite(clamp_by_numbers)
      .inplace()
      .out()
      .doc("self kept between min and max; above a max below min, max. NaN stays.");
  r.op("clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor")
      .composite(clamp_by_tensors)
      .inplace()
      .out();

  r.op("_clamp(Tensor self, Scalar min, Scalar max) -> Tensor")
      .pointwise("clamp")
      .promoting({}, {"min", "max"})
      .inplace()
      .saves({"self"})
      .check([](auto& s) { checks::no_bools(s, "clamp_scalar_cpu"); })
      .vjp([](VjpCtx& v) -> GradList {
        Term x = arg(v, 0);
        return Grads(v)(0, [&] { return grad(v).where(x >= number(v, 1) && x <= number(v, 2)); });
      })
      .doc("clamp with both bounds.");
  r.op("_clamp.Tensor(Tensor self, Tensor min, Tensor max) -> Tensor")
      .pointwise("clamp")
      .inplace()
      .saves({"self", "min", "max"})
      .check([](auto& s) { checks::no_bools(s, "clamp_cpu"); })
      .vjp([](VjpCtx& v) -> GradList {
        Term g = grad(v), x = arg(v, 0), low = arg(v, 1), high = arg(v, 2);
        return Grads(v)(0, [&] { return g.where(x >= low && x <= high); })(1, [&] {
          return g.where(low < high && x < low);
        })(2, [&] { return g.where(x > high || high < low); });
      });
  r.op("clamp_min(Tensor self, Scalar min) -> Tensor")
      .pointwise("clamp_min")
      .promoting({}, {"min"})
      .inplace()
      .out()
      .saves({"self"})
      .check([](auto& s) { checks::no_bools(s, "clamp_min_scalar_cpu"); })
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] { return grad(v).where(arg(v, 0) >= number(v, 1)); });
      })
      .doc("The greater of self and min.");
  r.op("clamp_max(Tensor self, Scalar max) -> Tensor")
      .pointwise("clamp_max")
      .promoting({}, {"max"})
      .inplace()
      .out()
      .saves({"self"})
      .check([](auto& s) { checks::no_bools(s, "clamp_max_scalar_cpu"); })
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] { return grad(v).where(arg(v, 0) <= number(v, 1)); });
      })
      .doc("The lesser of self and max.");
  r.op("clamp_min.Tensor(Tensor self, Tensor min) -> Tensor")
      .pointwise("clamp_min")
      .inplace()
      .out()
      .saves({"self", "min"})

      .vjp([](VjpCtx& v) -> GradList {
        Term g = grad(v), x = arg(v, 0), low = arg(v, 1);
        return Grads(v)(0, [&] { return g.where(x >= low); })(1, [&] { return g.where(x < low); });
      });
  r.op("clamp_max.Tensor(Tensor self, Tensor max) -> Tensor")
      .pointwise("clamp_max")
      .inplace()
      .out()
      .saves({"self", "max"})

      .vjp([](VjpCtx& v) -> GradList {
        Term g = grad(v), x = arg(v, 0), high = arg(v, 1);
        return Grads(v)(0, [&] { return g.where(x <= high); })(1,
                                                               [&] { return g.where(x > high); });
      });
}

// Half the gradient to each where both are equal.
Term extreme_gradient(const Term& g, const Term& equal, const Term& lost) {
  return Term(g.caller(), g.caller().op<"where.self">(equal, g / Scalar(2), g)).zero_where(lost);
}

void extremes(Registry& r) {
  r.op("maximum(Tensor self, Tensor other) -> Tensor")
      .pointwise("maximum")
      .out()
      .saves({"self", "other"})
      .vjp([](VjpCtx& v) -> GradList {
        Term g = grad(v), a = arg(v, 0), b = arg(v, 1);
        return Grads(v)(0, [&] { return extreme_gradient(g, a == b, a < b); })(
            1, [&] { return extreme_gradient(g, a == b, a > b); });
      })
      .doc("The greater of two; NaN if either is.");
  r.op("minimum(Tensor self, Tensor other) -> Tensor")
      .pointwise("minimum")
      .out()
      .saves({"self", "other"})
      .vjp([](VjpCtx& v) -> GradList {
        Term g = grad(v), a = arg(v, 0), b = arg(v, 1);
        return Grads(v)(0, [&] { return extreme_gradient(g, a == b, a > b); })(
            1, [&] { return extreme_gradient(g, a == b, a < b); });
      })
      .doc("The lesser of two; NaN if either is.");
  r.op("fmax(Tensor self, Tensor other) -> Tensor")
      .pointwise("fmax")
      .out()
      .saves({"self", "other"})
      .vjp([](VjpCtx& v) -> GradList {
        Term g = grad(v), a = arg(v, 0), b = arg(v, 1);
        Term first = a >= b || b.op<"isnan">();
        return Grads(v)(0, [&] { return g.where(first); })(1, [&] { return g.zero_where(first); });
      })
      .doc("The greater of two; where one is NaN, the other.");
  r.op("fmin(Tensor self, Tensor other) -> Tensor")
      .pointwise("fmin")
      .out()
      .saves({"self", "other"})
      .vjp([](VjpCtx& v) -> GradList {
        Term g = grad(v), a = arg(v, 0), b = arg(v, 1);
        Term first = a <= b || b.op<"isnan">();
        return Grads(v)(0, [&] { return g.where(first); })(1, [&] { return g.zero_where(first); });
      })
      .doc("The lesser of two; where one is NaN, the other.");
  r.op("max.other(Tensor self, Tensor other) -> Tensor")
      .composite([](Caller& c, auto a) -> RefList { return {c.op<"maximum">(a[0], a[1])}; });
  r.op("min.other(Tensor self, Tensor other) -> Tensor")
      .composite([](Caller& c, auto a) -> RefList { return {c.op<"minimum">(a[0], a[1])}; });
}

}  // namespace

void register_clamping(Registry& r) {
  clamps(r);
  extremes(r);
}

}  // namespace frit
