// Choosing and filling: where, masked_fill, fill, lerp, nan_to_num.
#include <limits>

#include "ops/copy/memory_format.h"
#include "ops/families.h"
#include "ops/pointwise/checks.h"
#include "ops/value_fits.h"
#include "ops/vjp_helpers.h"

namespace frit {
namespace {

template <class S>
void bool_condition(S& s) {
  DType t = s.tensor(0).dtype;
  if (!is_bool(t) && t != DType::u8)
    s.fail(fmt::format(
               "where expected condition to be a boolean tensor, but got a tensor with dtype {}",
               scalar_type_name(t)),
           "compare with something, or to(bool)");
}

void wheres(Registry& r) {
  r.op("where.self(Tensor condition, Tensor self, Tensor other) -> Tensor")
      .pointwise("where")
      .uncast({"condition"})
      .out("self_out")
      .saves({"condition"})
      .check([](auto& s) { bool_condition(s); })
      .vjp([](VjpCtx& v) -> GradList {
        Term g = grad(v), mask = arg(v, 0);
        return Grads(v)(1, [&] { return g.where(mask); })(
            2, [&] { return Term(v.c, v.op<"where.ScalarSelf">(mask.ref(), Scalar(0), g.ref())); });
      })
      .doc("self where condition is true, other elsewhere.");
  r.op("where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor")
      .pointwise("where")
      .uncast({"condition"})
      .promoting({"other"})
      .saves({"condition"})
      .check([](auto& s) { bool_condition(s); })
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(1, [&] { return grad(v).where(arg(v, 0)); });
      });
  r.op("where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor")
      .pointwise("rwhere")
      .uncast({"condition"})
      .promoting({"self"})
      .saves({"condition"})
      .check([](auto& s) { bool_condition(s); })
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(
            2, [&] { return Term(v.c, v.op<"where.ScalarSelf">(v.arg(0), Scalar(0), v.grad())); });
      });
  r.op("where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor")
      .pointwise("where")
      .uncast({"condition"})
      .promoting({"self", "other"})
      .not_differentiable()
      .check([](auto& s) { bool_condition(s); });
}

template <class S>
void mask_is_bool(S& s) {
  DType t = s.tensor(1).dtype;
  if (!is_bool(t))
    s.fail(fmt::format("masked_fill_ only supports boolean masks, but got mask with dtype {}",
                       torch_name(t)),
           "compare with something, or to(bool)");
}

// Broadcast, but contiguous whatever the inputs' layout, as PyTorch's clone-then-fill makes it.
template <class S>
void contiguous_result(S& s) {
  pointwise_rule(s);
  auto& o = s.outs()[0];
  using I = std::remove_cvref_t<decltype(o.offset)>;
  o.strides = contiguous_strides<I>(o.sizes);
}

// As PyTorch's empty_like gives it.
template <class S>
void layout_of_self(S& s) {
  pointwise_rule(s);
  s.outs()[0].strides = preserved_strides(s.tensor(0));
}

void fills(Registry& r) {
  r.op("masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor")
      .pointwise("masked_fill", Promotion::same_as_self)
      .uncast({"mask"})
      .inplace()
      .out()
      .saves({"mask"})
      .check([](auto& s) {
        mask_is_bool(s);
        value_fits(s, s.scalar(2), s.tensor(0).dtype);
      })
      .shape([](auto& s) { contiguous_result(s); })
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] { return grad(v).zero_where(arg(v, 1)); });
      })
      .doc("self, with value where mask is true.");
  r.op("masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor")
      .pointwise("masked_fill", Promotion::same_as_self)
      .uncast({"mask"})
      .inplace()
      .out()
      .saves({"mask"})
      .check([](auto& s) {
        mask_is_bool(s);
        if (auto dims = s.tensor(2).dim(); dims != 0)
          s.fail(
              fmt::format(
                  "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {} "
                  "dimension(s).",
                  dims),
              "where(mask, value, self)");
      })
      .shape([](auto& s) { contiguous_result(s); })
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] { return grad(v).zero_where(arg(v, 1)); })(
            2, [&] { return grad(v).where(arg(v, 1)); });
      });
  r.op("fill.Scalar(Tensor self, Scalar value) -> Tensor")
      .pointwise("fill", Promotion::same_as_self)
      .check([](auto& s) { value_fits(s, s.scalar(1), s.tensor(0).dtype); })
      .shape([](auto& s) { layout_of_self(s); })
      .inplace()
      .out()
      .vjp(flat_vjp)
      .doc("value everywhere, in self's sizes and dtype.");
  r.op("fill.Tensor(Tensor self, Tensor value) -> Tensor")
      .pointwise("fill", Promotion::same_as_self)
      .shape([](auto& s) { layout_of_self(s); })
      .inplace()
      .out()
      .check([](auto& s) {
        if (auto dims = s.tensor(1).dim(); dims != 0)
          s.fail(
              fmt::format(
                  "fill_ only supports 0-dimension value tensor but got tensor with {} dimensions.",
                  dims),
              "copy_ takes values of any sizes");
      })
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] { return grad(v).zeros_like(); })(1, [&] { return grad(v); });
      });
  r.op("zero(Tensor self) -> Tensor")
      .pointwise("zero", Promotion::same_as_self)
      .shape([](auto& s) { layout_of_self(s); })
      .inplace()
      .out()
      .vjp(flat_vjp)
      .doc("0 everywhere.");
}

template <class S>
void same_dtypes(S& s, std::initializer_list<int> others) {
  DType t = s.tensor(0).dtype;
  for (int i : others)
    if (s.tensor(i).dtype != t)
      s.fail(fmt::format("expected dtype {} for `{}` but got dtype {}", torch_name(t),
                         s.record().schema.args[static_cast<size_t>(i)].name,
                         torch_name(s.tensor(i).dtype)),
             "convert one of them");
}

void blends(Registry& r) {
  r.op("lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor")
      .pointwise("lerp")
      .inplace()
      .out()
      .check([](auto& s) { same_dtypes(s, {1}), checks::floats_only(s, "lerp_kernel_scalar"); })
      .vjp([](VjpCtx& v) -> GradList {
        Term g = grad(v);
        double w = number(v, 2).to_double();
        return Grads(v)(0, [&] { return g * Scalar(1 - w); })(1, [&] { return g * Scalar(w); });
      })
      .doc("self + weight * (end - self).");
  r.op("lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor")
      .pointwise("lerp")
      .inplace()
      .out()
      .saves({"self", "end", "weight"})
      .check([](auto& s) { same_dtypes(s, {1, 2}), checks::floats_only(s, "lerp_kernel_tensor"); })
      .vjp([](VjpCtx& v) -> GradList {
        Term g = grad(v), w = arg(v, 2);
        return Grads(v)(0, [&] { return g * (Scalar(1) - w); })(1, [&] { return g * w; })(
            2, [&] { return g * (arg(v, 1) - arg(v, 0)); });
      });
  r.op("logaddexp(Tensor self, Tensor other) -> Tensor")
      .pointwise("logaddexp")
      .out()
      .saves({"self", "other"})
      .check([](auto& s) { checks::floats_only(s, "logaddexp_cpu"); })
      .vjp([](VjpCtx& v) -> GradList {
        Term g = grad(v), a = arg(v, 0), b = arg(v, 1);
        return Grads(v)(0, [&] { return g / ((b - a).op<"exp">() + Scalar(1)); })(
            1, [&] { return g / ((a - b).op<"exp">() + Scalar(1)); });
      })
      .doc("log(exp(self) + exp(other)) without overflow.");
  r.op("_nan_to_num(Tensor self, Scalar nan, Scalar posinf, Scalar neginf) -> Tensor")
      .pointwise("nan_to_num")
      .check([](auto& s) { checks::floats_only(s, "nan_to_num"); })
      .inplace()
      .saves({"self"})
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] { return grad(v).where(arg(v, 0).op<"isfinite">()); });
      })
      .doc("nan_to_num with every replacement given.");
}

double largest(DType t) {
  switch (t) {
    case DType::f64:
      return std::numeric_limits<double>::max();
    case DType::f16:
      return 65504.0;
    case DType::bf16:
      return 0x1.fep127;
    default:
      return std::numeric_limits<float>::max();
  }
}

RefList nan_to_num(Caller& c, std::span<const Arg> a) {
  DType t = meta(a[0].ref()).dtype;
  if (!is_floating(t)) return {c.op<"clone">(a[0])};  // nothing there to replace
  auto value = [&](size_t i, double otherwise) {
    return Scalar(a[i].is_none() ? otherwise : a[i].to_double());
  };
  return {c.op<"_nan_to_num">(a[0], value(1, 0), value(2, largest(t)), value(3, -largest(t)))};
}

}  // namespace

void register_selection(Registry& r) {
  wheres(r);
  fills(r);
  blends(r);
  r.op("nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor")
      .composite(nan_to_num)
      .inplace()
      .out()
      .doc(
          "NaN replaced by nan (0), infinities by posinf and neginf (the largest numbers of the "
          "dtype).");
}

}  // namespace frit
