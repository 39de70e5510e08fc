// Losses by element: of each, then reduced.
#include <fmt/format.h>

#include <algorithm>

#include "ops/families.h"
#include "ops/generic.h"
#include "ops/kind_rules.h"
#include "ops/layout_rule.h"
#include "ops/nn/reduction.h"

namespace frit {

void register_nll_losses(Registry&);
void register_attention(Registry&);

namespace {

[[noreturn]] void fail(std::string_view op, std::string message, std::string hint,
                       ErrorKind kind = ErrorKind::runtime) {
  throw UserError(kind, op, std::move(message), std::move(hint));
}

void floats_only(const Term& a, const Term& b, std::string_view op, const char* kernel) {
  DType t = a.dtype(), u = b.dtype();
  if (!is_floating(t) && !is_floating(u))
    fail(op,
         fmt::format("\"{}\" not implemented for '{}'", kernel,
                     scalar_type_name(promote_types(t, u))),
         "convert to a float type first", ErrorKind::not_implemented);
}

Term choose(const Term& mask, const Term& a, const Term& b) {
  return {mask.caller(), mask.caller().op<"where.self">(mask.ref(), a.ref(), b.ref())};
}

RefList mse_loss(Caller& c, std::span<const Arg> a) {
  Term x(c, a[0].ref()), t(c, a[1].ref());
  floats_only(x, t, "mse_loss", "mse_cpu");
  Term d = x - t;
  return {reduced(d.op<"square">(), loss_reduction(a[2], "mse_loss")).ref()};
}

RefList mse_loss_backward(Caller& c, std::span<const Arg> a) {
  Term g(c, a[0].ref()), x(c, a[1].ref()), t(c, a[2].ref());
  Term d = (x - t) * Scalar(2.0);
  if (loss_reduction(a[3], "mse_loss_backward") == LossReduction::mean)
    d = d / Scalar(x.meta().numel());
  return {(d * g).ref()};
}

RefList l1_loss(Caller& c, std::span<const Arg> a) {
  Term d = Term(c, a[0].ref()) - Term(c, a[1].ref());
  return {reduced(d.op<"abs">(), loss_reduction(a[2], "l1_loss")).ref()};
}

// z * z / (2 beta) below beta, z - beta / 2 above.
RefList smooth_l1_loss(Caller& c, std::span<const Arg> a) {
  double beta = a[3].to_double();
  if (beta < 0)
    fail("smooth_l1_loss", "smooth_l1_loss does not support negative values for beta.",
         "0 or more");
  if (beta == 0) return l1_loss(c, a);
  Term x(c, a[0].ref()), t(c, a[1].ref());
  floats_only(x, t, "smooth_l1_loss", "smooth_l1_cpu");
  Term z = (x - t).op<"abs">();
  // The square of what is above may overflow, and its gradient is nobody's.
  Term below = z < Scalar(beta), part = z.where(below);
  Term loss = choose(below, part * part * Scalar(0.5) / Scalar(beta), z - Scalar(0.5 * beta));
  return {reduced(loss, loss_reduction(a[2], "smooth_l1_loss")).ref()};
}

RefList huber_loss(Caller& c, std::span<const Arg> a) {
  double delta = a[3].to_double();
  if (!(delta > 0))
    fail("huber_loss", "huber_loss does not support non-positive values for delta.", "above 0");
  Term x(c, a[0].ref()), t(c, a[1].ref());
  floats_only(x, t, "huber_loss", "huber_cpu");
  Term z = (x - t).op<"abs">();
  Term below = z <= Scalar(delta), part = z.where(below);  // as above
  Term loss = choose(below, part * part * Scalar(0.5), (z - Scalar(0.5 * delta)) * Scalar(delta));
  return {reduced(loss, loss_reduction(a[2], "huber_loss")).ref()};
}

// log(sigmoid(x)), as the negative of a softplus that turns linear where the difference is below
// float64's precision; its slope at 0 is exact.
Term log_sigmoid(const Term& x) { return -(-x).op<"softplus">(Scalar(1), Scalar(40)); }

RefList bce_with_logits(Caller& c, std::span<const Arg> a) {
  constexpr std::string_view op = "binary_cross_entropy_with_logits";
  Term x(c, a[0].ref()), t(c, a[1].ref());
  auto tm = t.meta();
  IntList sizes(tm.sizes);
  size_t at = 0;
  bool broadcasts = broadcast_into<Int>(sizes, x.meta().sizes, at);
  if (!broadcasts)
    fail(op,
         fmt::format("The size of tensor a ({}) must match the size of tensor b ({}) at "
                     "non-singleton dimension {}",
                     to_text(sizes[at]),
                     to_text(x.meta().sizes[at - (sizes.size() - x.meta().sizes.size())]), at),
         "target and input of one size");
  bool same = sizes.size() == tm.sizes.size();
  for (size_t i = 0; same && i < sizes.size(); ++i) same = sizes_agree(sizes[i], tm.sizes[i]);
  if (!same)
    fail(op,
         fmt::format("output with shape {} doesn't match the broadcast shape {}",
                     dims_text(tm.sizes), dims_text(std::span<const Int>(sizes))),
         "target and input of one size");
  Term loss = (Scalar(1) - t) * x;
  if (!is_floating(tm.dtype) && is_floating(loss.dtype()))
    fail(op,
         fmt::format("result type {} can't be cast to the desired output type {}",
                     scalar_type_name(loss.dtype()), scalar_type_name(tm.dtype)),
         "a target of a float type");
  Term l = log_sigmoid(x);
  if (!a[3].is_none()) l = l * ((Term(c, a[3].ref()) - Scalar(1)) * t + Scalar(1));
  loss = loss - l;
  if (!a[2].is_none()) loss = loss * Term(c, a[2].ref());
  return {reduced(loss.to(tm.dtype), loss_reduction(a[4], op)).ref()};
}

// One size and one float type; weights that broadcast to it.
template <class I>
void check_cross_entropy(const TensorMeta<I>& x, const TensorMeta<I>& t,
                         const TensorMeta<I>* weight) {
  constexpr std::string_view op = "binary_cross_entropy";
  auto alike = [](std::span<const I> a, std::span<const I> b) {
    return std::ranges::equal(a, b, [](const I& m, const I& n) { return sizes_agree(m, n); });
  };
  if (!alike(x.sizes, t.sizes))
    fail(op,
         fmt::format("the target's sizes {} are other than the input's {}", dims_text(t.sizes),
                     dims_text(x.sizes)),
         "a target of the input's sizes", ErrorKind::value);
  if (x.dtype != t.dtype)
    fail(op,
         fmt::format("Found dtype {} but expected {}", scalar_type_name(t.dtype),
                     scalar_type_name(x.dtype)),
         "a target of the input's dtype");
  if (!is_floating(x.dtype))
    fail(op, fmt::format("\"{}\" not implemented for '{}'", op, scalar_type_name(x.dtype)),
         "convert to a float type first", ErrorKind::not_implemented);
  if (!weight) return;
  DimsOf<I> both(x.sizes);
  size_t at = 0;
  if (!broadcast_into<I>(both, weight->sizes, at) || !alike(both, x.sizes))
    fail(op,
         fmt::format("weights of sizes {} do not broadcast to the input's {}",
                     dims_text(weight->sizes), dims_text(x.sizes)),
         "weights that broadcast to the input's sizes");
}

// Logarithms no lower than -100, so that a loss is finite.
Term binary_losses(const Term& x, const Term& t) {
  const Scalar low(-100);
  return (t - Scalar(1)) * (-x).op<"log1p">().op<"clamp_min">(low) -
         t * x.op<"log">().op<"clamp_min">(low);
}

RefList binary_cross_entropy(Caller& c, std::span<const Arg> a) {
  constexpr std::string_view op = "binary_cross_entropy";
  Term x(c, a[0].ref()), t(c, a[1].ref());
  c.op<"_check_probabilities">(c.op<"detach">(a[0]), c.op<"detach">(a[1]));
  Term loss = binary_losses(x, t);
  if (!a[2].is_none()) loss = loss * Term(c, a[2].ref());
  return {reduced(loss.to(x.dtype()), loss_reduction(a[3], op)).ref()};
}

// As PyTorch's, which is finite at 0 and 1, too.
GradList binary_cross_entropy_vjp(VjpCtx& v) {
  Term g = grad(v), x = arg(v, 0), t = arg(v, 1);
  if (loss_reduction(v.args[3], "binary_cross_entropy") == LossReduction::mean)
    g = g / Scalar(v.meta(0).numel());
  const Term of_losses = g;
  if (!v.args[2].is_none()) g = g * arg(v, 2);
  return Grads(v)(0, [&] {
    return g * (x - t) / ((Scalar(1) - x) * x).op<"clamp_min">(Scalar(1e-12));
  })(1, [&] { return g * ((-x).op<"log1p">() - x.op<"log">()); })(2, [&] {
    return of_losses * binary_losses(x, t);
  });
}

RefList kl_div(Caller& c, std::span<const Arg> a) {
  Term x(c, a[0].ref()), t(c, a[1].ref());
  Term loss = a[3].to_bool() ? t.op<"exp">() * (t - x)
                             : choose(t == Scalar(0), t.zeros_like(), t * t.op<"log">()) - t * x;
  return {reduced(loss, loss_reduction(a[2], "kl_div")).ref()};
}

}  // namespace

void register_losses(Registry& r) {
  register_attention(r);
  register_nll_losses(r);
  r.op("mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor")
      .composite(mse_loss)
      .out()
      .doc("The square of the difference, reduced.");
  r.op("mse_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor")
      .composite(mse_loss_backward);
  r.op("l1_loss(Tensor self, Tensor target, int reduction=1) -> Tensor")
      .composite(l1_loss)
      .doc("The size of the difference, reduced.");
  r.op("smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float beta=1.0) -> Tensor")
      .composite(smooth_l1_loss)
      .out()
      .doc("Squared below beta, linear above, reduced.");
  r.op("huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.0) -> Tensor")
      .composite(huber_loss)
      .out()
      .doc("Squared up to delta, linear with slope delta above, reduced.");
  r.op("binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? "
       "pos_weight=None, int reduction=1) -> Tensor")
      .composite(bce_with_logits)
      .out()
      .doc("The cross entropy of two classes, of which self gives the log-odds.");
  r.op("_check_probabilities(Tensor input, Tensor target) -> Tensor")
      .kind(Kind::library)
      .shape([](auto& s) {
        using I = std::remove_cvref_t<decltype(s.tensor(0).offset)>;
        s.out(DType::boolean, DimsOf<I>());
      })
      .raises_on_data()
      .not_differentiable()
      .doc("True: every element of both is between 0 and 1; what binary_cross_entropy asks.");
  r.op("binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> "
       "Tensor")
      .kind(Kind::composite)
      .shape([](auto& s) {
        auto self = s.tensor(0);
        using I = std::remove_cvref_t<decltype(self.offset)>;
        TensorMeta<I> weight = s.has(2) ? s.tensor(2) : TensorMeta<I>{};
        check_cross_entropy<I>(self, s.tensor(1), s.has(2) ? &weight : nullptr);
        if (loss_reduction(s.args()[3], "binary_cross_entropy") != LossReduction::none) {
          s.out(self.dtype, DimsOf<I>());
          return;
        }
        // Laid out as the parts' results are.
        TensorMeta<I> parts[] = {s.tensor(1), self};
        DimsOf<I> strides = elementwise_strides<I>(self.sizes, std::span(parts), true);
        if (s.has(2)) {
          const DimsOf<I> before = strides;
          parts[0].strides = before;
          parts[1] = s.tensor(2);
          const bool alike =
              std::ranges::equal(parts[0].sizes, parts[1].sizes,
                                 [](const I& a, const I& b) { return known_equal(a, b); });
          strides = elementwise_strides<I>(self.sizes, std::span(parts), alike);
        }
        s.out(self.dtype, self.sizes, strides);
      })
      .decomp(binary_cross_entropy)
      .raises_on_data()
      .saves({"self", "target", "weight"})
      .not_differentiable_in({"weight"})
      .vjp(binary_cross_entropy_vjp)
      .doc("The cross entropy of two classes, of which self gives the probability.");
  r.op("kl_div(Tensor self, Tensor target, int reduction=1, *, bool log_target=False) -> Tensor")
      .composite(kl_div)
      .doc(
          "target * (log(target) - self), reduced: self is a logarithm, and target where "
          "log_target says so.");
}

}  // namespace frit
