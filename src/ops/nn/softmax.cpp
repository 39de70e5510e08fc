// softmax and log_softmax.
//
// Written so that a kernel can give the same bits: in float32 for the half types, each operation
// rounded, the reductions those of amax and sum over dim:
//   high = amax(x); e = exp(x - high)
//   softmax      e / sum(e)
//   log_softmax  (x - high) - log(sum(e))
// and of the gradient g and the output y:
//   softmax      (g - sum(g * y)) * y
//   log_softmax  g - exp(y) * sum(g)
#include <fmt/format.h>

#include "ops/families.h"
#include "ops/generic.h"
#include "ops/kind_rules.h"
#include "ops/vjp_helpers.h"

namespace frit {
namespace {

template <class S>
void softmax_rule(S& s, const char* name) {
  auto x = s.tensor(0);
  int64_t d = s.dim(1, x.dim());
  if (s.flag(2))
    s.fail("softmax with half to float conversion is not supported on CPU", "half_to_float=false");
  if (!is_floating(x.dtype))
    s.fail(
        fmt::format("\"{}_{}kernel_impl\" not implemented for '{}'", name,
                    d == x.dim() - 1 || x.dim() == 0 ? "lastdim_" : "", scalar_type_name(x.dtype)),
        "dtype=float32, or convert first", ErrorKind::not_implemented);
  s.out(x.dtype, x.sizes);
}

template <class S>
void backward_rule(S& s, const char* name) {
  auto g = s.tensor(0), y = s.tensor(1);
  s.dim(2, g.dim());
  bool same = g.dim() == y.dim();
  for (int64_t i = 0; same && i < g.dim(); ++i) same = sizes_agree(g.size(i), y.size(i));
  if (!same)
    s.fail(fmt::format("Expected tensor for argument #1 'grad' to have same size as tensor for "
                       "argument #2 'output'; but {} does not equal {} (while checking arguments "
                       "for {})",
                       dims_text(g.sizes), dims_text(y.sizes), name),
           "the gradient of that output");
  DType input = s.dtype_or(3, g.dtype);
  if (g.dtype != y.dtype || !is_floating(g.dtype))
    s.fail(fmt::format("expected scalar type {} but found {}", scalar_type_name(y.dtype),
                       scalar_type_name(g.dtype)),
           "the gradient of that output, of a float type");
  if (input != g.dtype && !(input == DType::f16 && g.dtype == DType::f32))
    s.fail(
        "expected input and grad types to match, or input to be at::Half and grad to be "
        "at::Float",
        fmt::format("input_dtype={}", frit::name(g.dtype)));
  s.out(s.dtype_or(3, g.dtype), g.sizes);
}

// Nothing to reduce over, or nothing at all.
bool is_empty(const Term& x) { return ask_or(x.meta().numel() == Int(0), false); }

struct Shifted {
  Term away, exp, sum;
};
Shifted shifted(const Term& x, const IntList& dim) {
  Term away = x - x.op<"amax">(dim, true);
  Term e = away.op<"exp">();
  return {away, e, e.op<"sum.dim_IntList">(dim, true)};
}

RefList softmax_parts(Caller& c, std::span<const Arg> a, bool log) {
  Term given(c, a[0].ref());
  DType t = given.dtype();
  if (is_empty(given)) return {c.op<"full">(IntList(given.meta().sizes), Scalar(0), t)};
  Shifted s = shifted(given.to(compute_type(t)), IntList{a[1].to_int()});
  Term y = log ? s.away - s.sum.op<"log">() : s.exp / s.sum;
  return {c.op<"contiguous">(y.to(t).ref())};
}

RefList backward_parts(Caller& c, std::span<const Arg> a, bool log) {
  Term g(c, a[0].ref()), y(c, a[1].ref());
  DType t = a[3].as<DType>(), compute = compute_type(t);
  g = g.to(compute), y = y.to(compute);
  IntList dim{a[2].to_int()};
  Term x = log ? g - y.op<"exp">() * g.op<"sum.dim_IntList">(dim, true)
               : (g - (g * y).op<"sum.dim_IntList">(dim, true)) * y;
  return {c.op<"contiguous">(x.to(t).ref())};
}

// The gradients of softmax's gradient, of which gg is the gradient.
GradList softmax_second(VjpCtx& v) {
  IntList dim{v.args[2].to_int()};
  Term gg = grad(v), y = arg(v, 1);
  if (gg.dtype() != y.dtype()) gg = gg.to(y.dtype());
  return Grads(v)(0, [&] { return gg.op<"_softmax_backward_data">(y, v.args[2], v.args[3]); })(
      1, [&] {
        Term g = arg(v, 0);
        Term sum_g = (g * y).op<"sum.dim_IntList">(dim, true);
        Term sum_gg = (gg * y).op<"sum.dim_IntList">(dim, true);
        return gg * (g - sum_g) - sum_gg * g;
      });
}
GradList log_softmax_second(VjpCtx& v) {
  IntList dim{v.args[2].to_int()};
  Term gg = grad(v), y = arg(v, 1);
  if (gg.dtype() != y.dtype()) gg = gg.to(y.dtype());
  Term weighted = gg * y.op<"exp">();
  return Grads(v)(0, [&] { return gg - weighted.op<"sum.dim_IntList">(dim, true); })(
      1, [&] { return -(weighted * arg(v, 0).op<"sum.dim_IntList">(dim, true)); });
}

// softmax.int and log_softmax.int: the dtype first.
template <OpName primitive>
RefList with_dtype(Caller& c, std::span<const Arg> a) {
  Term x(c, a[0].ref());
  if (!a[2].is_none()) x = x.to(a[2].as<DType>());
  return {c.op<primitive>(x.ref(), a[1], false)};
}

}  // namespace

void register_softmax(Registry& r) {
  r.op("_softmax(Tensor self, int dim, bool half_to_float) -> Tensor")
      .shape([](auto& s) { softmax_rule(s, "softmax"); })
      .composite([](Caller& c, std::span<const Arg> a) { return softmax_parts(c, a, false); })
      .out()
      .saves({}, 1)
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] {
          return grad(v).op<"_softmax_backward_data">(v.out(), v.args[1], v.meta(0).dtype);
        });
      })
      .doc("softmax of a float tensor.");
  r.op("_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor")
      .shape([](auto& s) { softmax_rule(s, "log_softmax"); })
      .composite([](Caller& c, std::span<const Arg> a) { return softmax_parts(c, a, true); })
      .out()
      .saves({}, 1)
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] {
          return grad(v).op<"_log_softmax_backward_data">(v.out(), v.args[1], v.meta(0).dtype);
        });
      })
      .doc("log_softmax of a float tensor.");
  r.op("_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) "
       "-> Tensor")
      .shape([](auto& s) { backward_rule(s, "softmax_backward"); })
      .composite([](Caller& c, std::span<const Arg> a) { return backward_parts(c, a, false); })
      .out("out", {"grad_input"})
      .saves({"grad_output", "output"})
      .vjp(softmax_second)
      .doc("The gradient of softmax, from its output.");
  r.op("_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType "
       "input_dtype) -> Tensor")
      .shape([](auto& s) { backward_rule(s, "log_softmax_backward"); })
      .composite([](Caller& c, std::span<const Arg> a) { return backward_parts(c, a, true); })
      .out("out")
      .saves({"grad_output", "output"})
      .vjp(log_softmax_second)
      .doc("The gradient of log_softmax, from its output.");
  r.op("softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor")
      .composite(with_dtype<"_softmax">)
      .doc("exp(self) scaled to sum to 1 along dim, without overflow.");
  r.op("log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor")
      .composite(with_dtype<"_log_softmax">)
      .doc("The logarithm of softmax, exact where that is small.");
}

}  // namespace frit
