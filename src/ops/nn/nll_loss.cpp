// The negative log likelihood of classes, and cross entropy.
//
// Written so that a kernel can give the same bits: in float32 for the half types, each operation
// rounded. Of sample i with class c = target[i], with w = weight[c], or 1 without weights:
//   loss_i  -(self[i, c] * w), or -self[i, c] without weights; 0 where c is ignore_index
//   none    loss; total_weight is 0
//   sum     sum(loss); total_weight is the sum of w (0 where ignored)
//   mean    sum(loss) / total_weight
// and of the gradient g of the output (mean: g / total_weight first):
//   self[i, c] gets -(g * w), or -g without weights; 0 where ignored and elsewhere
#include <fmt/format.h>

#include "ops/families.h"
#include "ops/generic.h"
#include "ops/kind_rules.h"
#include "ops/nn/reduction.h"

namespace frit {
namespace {

[[noreturn]] void fail(std::string_view op, std::string message, std::string hint,
                       ErrorKind kind = ErrorKind::runtime) {
  throw UserError(kind, op, std::move(message), std::move(hint));
}

template <class I>
bool same_sizes(std::span<const I> a, std::span<const I> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!sizes_agree(a[i], b[i])) return false;
  return true;
}

// Checks self, target and weight, given at these arguments.
template <class S>
void inputs_fit(S& s, int self, int target, int weight) {
  auto x = s.tensor(self), t = s.tensor(target);
  if (x.dim() != 1 && x.dim() != 2)
    s.fail("input tensor should be 1D or 2D", "[classes] or [batch, classes]");
  if (t.dim() > 1)
    s.fail("0D or 1D target tensor expected, multi-target not supported",
           "a class for each sample");
  if (t.dtype != DType::i64 && t.dtype != DType::u8)
    s.fail(fmt::format("expected target dtype to be Long or Byte, but got {}",
                       scalar_type_name(t.dtype)),
           "to(int64) on the target");
  bool no_batch = x.dim() == 1 && t.dim() == 0;
  if (!no_batch && (t.dim() == 0 || (x.dim() == 2 && !sizes_agree(x.size(0), t.size(0)))))
    s.fail(fmt::format("size mismatch (got input: {}, target: {})", dims_text(x.sizes),
                       dims_text(t.sizes)),
           "a class for each sample");
  using I = std::remove_cvref_t<decltype(x.offset)>;
  if (x.dim() == 1 && t.dim() == 1 && !sizes_agree(t.size(0), I(1)))
    s.fail(fmt::format("For 1D input, 1D target must have size 1, but got target size: {}",
                       to_text(t.size(0))),
           "one class: a 1D input is one sample", ErrorKind::value);
  if (!is_floating(x.dtype))
    s.fail(
        fmt::format("\"nll_loss_out_frame\" not implemented for '{}'", scalar_type_name(x.dtype)),
        "log-probabilities of a float type", ErrorKind::not_implemented);
  if (!s.has(weight)) return;
  auto w = s.tensor(weight);
  if (w.dim() != 1 || !sizes_agree(w.size(0), x.size(-1)))
    s.fail(
        fmt::format("weight tensor should be defined either for all {} classes or no classes but "
                    "got weight tensor of shape: {}",
                    to_text(x.size(-1)), dims_text(w.sizes)),
        "a weight for each class");
  if (w.dtype != x.dtype)
    s.fail(fmt::format("expected scalar type {} but found {}", scalar_type_name(x.dtype),
                       scalar_type_name(w.dtype)),
           fmt::format("weights of {}", name(x.dtype)));
}

template <class S>
void forward_rule(S& s) {
  inputs_fit(s, 0, 1, 2);
  LossReduction reduction = loss_reduction(s.args()[3], s.op());
  auto x = s.tensor(0);
  using I = std::remove_cvref_t<decltype(x.offset)>;
  if (reduction == LossReduction::none && x.dim() == 2)
    s.out(x.dtype, DimsOf<I>{x.size(0)});
  else
    s.out(x.dtype, {});
  s.out(x.dtype, {});
}

template <class S>
void backward_rule(S& s) {
  inputs_fit(s, 1, 2, 3);
  LossReduction reduction = loss_reduction(s.args()[4], s.op());
  auto g = s.tensor(0), x = s.tensor(1), total = s.tensor(6);
  if (!holds(size_eq(total.numel(), decltype(g.offset)(1))))
    s.fail(fmt::format("expected total_weight to be a single element tensor, got: {} ({} elements)",
                       dims_text(total.sizes), to_text(total.numel())),
           "the total_weight that nll_loss_forward gave");
  if (reduction == LossReduction::none && x.dim() == 2) {
    if (g.dim() != 1 || !sizes_agree(g.size(0), x.size(0)))
      s.fail(fmt::format("Expected a tensor of dimension 1 and tensor.size[0] == {} but got: "
                         "dimension {} and tensor.size[0] = {}",
                         to_text(x.size(0)), g.dim(), g.dim() ? to_text(g.size(0)) : "1"),
             "the gradient of the output");
  } else if (g.dim() > 1 || !holds(size_eq(g.numel(), decltype(g.offset)(1)))) {
    s.fail(fmt::format("Expected a single element grad_output tensor, but got: {}",
                       dims_text(g.sizes)),
           "the gradient of the output");
  }
  s.out(x.dtype, x.sizes);
}

// A batch of samples; one sample without a batch dimension is a batch of one.
struct Batch {
  Term x, target;               // [n, classes], [n] of int64
  Term ignored;                 // [n]
  Term safe;                    // [n]: the target, 0 where ignored
  std::optional<Term> weights;  // [n]
  DType dtype, compute;
  bool single;

  Batch(Caller& c, const Arg& self, const Arg& target_arg, const Arg& weight, Int ignore_index,
        bool wants_values)
      : x(c, self.ref()),
        target(c, target_arg.ref()),
        ignored(x),
        safe(x),
        dtype(x.dtype()),
        compute(compute_type(dtype)),
        single(x.meta().dim() == 1) {
    if (single) x = x.op<"unsqueeze">(0);
    if (wants_values) x = x.to(compute);
    target = target.to(DType::i64);
    if (target.meta().dim() == 0) target = target.op<"unsqueeze">(0);
    ignored = target == Scalar(ignore_index);
    safe = target.zero_where(ignored);
    if (!weight.is_none()) weights = Term(c, weight.ref()).op<"index_select">(0, safe).to(compute);
  }
};

RefList forward_parts(Caller& c, std::span<const Arg> a) {
  LossReduction reduction = loss_reduction(a[3], "nll_loss_forward");
  Batch b(c, a[0], a[1], a[2], a[4].to_int(), true);
  Term picked = b.x.op<"gather">(1, b.safe.op<"unsqueeze">(1)).op<"squeeze.dim">(1);
  Term loss = (-(b.weights ? picked * *b.weights : picked)).zero_where(b.ignored);
  if (reduction == LossReduction::none && !b.single)
    return {loss.to(b.dtype).ref(), c.op<"full">(IntList{}, Scalar(0), b.dtype)};
  Term each = b.weights ? b.weights->zero_where(b.ignored) : (!b.ignored).to(b.compute);
  Term total = each.op<"sum">(), sum = loss.op<"sum">();
  if (reduction == LossReduction::mean) sum = sum / total;
  return {sum.to(b.dtype).ref(), total.to(b.dtype).ref()};
}

RefList backward_parts(Caller& c, std::span<const Arg> a) {
  LossReduction reduction = loss_reduction(a[4], "nll_loss_backward");
  Batch b(c, a[1], a[2], a[3], a[5].to_int(), false);
  // Raises for a target that is no class; behind forward, it is forward's own.
  b.x.to(b.compute).op<"gather">(1, b.safe.op<"unsqueeze">(1));
  Term g = Term(c, a[0].ref()).to(b.compute);
  if (reduction != LossReduction::none || b.single) g = g.op<"reshape">(IntList{Int(1)});
  if (reduction == LossReduction::mean) {
    Term total(c, a[6].ref());
    if (total.meta().dim() > 1) total = total.op<"reshape">(IntList{Int(1)});
    g = g / total.to(b.compute);
  }
  Term each = (-(b.weights ? g * *b.weights : g));
  Term column = each.op<"unsqueeze">(1);
  Term classes(c, c.op<"arange">(Scalar(b.x.meta().size(1))));
  Term hit = (b.target.op<"unsqueeze">(1) == classes) && !b.ignored.op<"unsqueeze">(1);
  Term gx = column.where(hit).to(b.dtype);
  return {(b.single ? gx.op<"squeeze.dim">(0) : gx).ref()};
}

void nll_ops(Registry& r) {
  r.op("nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt "
       "ignore_index) -> (Tensor output, Tensor total_weight)")
      .shape([](auto& s) { forward_rule(s); })
      .composite(forward_parts)
      .raises_on_data()
      .saves({"self", "target", "weight"}, 2)
      .not_differentiable_in({"weight"})
      .vjp([](VjpCtx& v) -> GradList {
        GradList g(5);
        if (v.needs(0) && v.grad().defined())
          g[0] = Arg(v.op<"nll_loss_backward">(v.grad(), v.args[0], v.args[1], v.args[2], v.args[3],
                                               v.args[4], v.out(1)));
        return g;
      })
      .doc("nll_loss, and the sum of the weights of the classes.");
  // Its own gradients are those of its parts.
  r.op("nll_loss_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int "
       "reduction, SymInt ignore_index, Tensor total_weight) -> Tensor")
      .shape([](auto& s) { backward_rule(s); })
      .composite(backward_parts)
      .out("grad_input", {"grad_input"})
      .raises_on_data();
  r.op("nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt "
       "ignore_index=-100) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return {c.ops<"nll_loss_forward">(a[0], a[1], a[2], a[3], a[4])[0]};
      })
      .raises_on_data()
      .doc("The negative of the log-probability of each sample's class, reduced.");
}

// [n, classes, d1, d2, ...] and [n, d1, d2, ...] as samples of one class each.
RefList flat_loss(Caller& c, const Term& x, const Term& target, std::span<const Arg> rest) {
  int64_t rank = x.meta().dim();
  Term rows = x.op<"movedim.int">(1, rank - 1).op<"reshape">(IntList{Int(-1), x.meta().size(1)});
  RefList loss = c.ops<"nll_loss_forward">(rows.ref(), target.op<"reshape">(IntList{Int(-1)}).ref(),
                                           rest[0], rest[1], rest[2]);
  if (loss_reduction(rest[1], "nll_loss") == LossReduction::none)
    loss[0] = c.op<"view">(loss[0], IntList(target.meta().sizes));
  return loss;
}

// The loss of samples at places, one loss a place. Sizes are checked here since rows are flattened.
RefList nll_loss_2d(Caller& c, std::span<const Arg> a, std::string_view op) {
  Term x(c, a[0].ref()), target(c, a[1].ref());
  auto m = x.meta(), t = target.meta();
  if (t.dim() != 3)
    fail(op,
         fmt::format("only batches of spatial targets supported (3D tensors) but got targets of "
                     "dimension: {}",
                     t.dim()),
         "a class for each place");
  if (m.dim() != 4)
    fail(op,
         fmt::format("only batches of spatial inputs supported (4D tensors), but got input of "
                     "dimension: {}",
                     m.dim()),
         "[batch, classes, height, width]");
  if (!sizes_agree(m.size(0), t.size(0)) || !sizes_agree(m.size(2), t.size(1)) ||
      !sizes_agree(m.size(3), t.size(2)))
    fail(op,
         fmt::format("size mismatch (got input: {} , target: {}", dims_text(m.sizes),
                     dims_text(t.sizes)),
         "a class for each place");
  return flat_loss(c, x, target, a.subspan(2));
}

RefList nll_loss_nd(Caller& c, std::span<const Arg> a) {
  Term x(c, a[0].ref()), target(c, a[1].ref());
  auto m = x.meta(), t = target.meta();
  if (m.dim() < 1)
    fail("nll_loss_nd", fmt::format("Expected 1 or more dimensions (got {})", m.dim()),
         "[classes] or [batch, classes]", ErrorKind::value);
  if (m.dim() != 1 && (t.dim() == 0 || !sizes_agree(m.size(0), t.size(0))))
    fail("nll_loss_nd",
         fmt::format("Expected input batch_size ({}) to match target batch_size ({}).",
                     to_text(m.size(0)), t.dim() ? to_text(t.size(0)) : ""),
         "a class for each sample", ErrorKind::value);
  if (m.dim() <= 2) return {c.op<"nll_loss">(a[0], a[1], a[2], a[3], a[4])};
  if (m.dim() == 4) return {nll_loss_2d(c, a, "nll_loss_nd")[0]};
  if (!same_sizes<Int>(t.sizes.subspan(1), m.sizes.subspan(2))) {
    IntList wanted(m.sizes.subspan(1));
    wanted[0] = m.size(0);
    fail("nll_loss_nd",
         fmt::format("Expected target size {}, got {}", dims_text(std::span<const Int>(wanted)),
                     dims_text(t.sizes)),
         "a class for each place");
  }
  return {flat_loss(c, x, target, a.subspan(2))[0]};
}

void spatial_ops(Registry& r) {
  r.op("nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt "
       "ignore_index=-100) -> Tensor")
      .composite(nll_loss_nd)
      .raises_on_data()
      .doc("nll_loss of [batch, classes, ...] and [batch, ...].");
  r.op("nll_loss2d(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt "
       "ignore_index=-100) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return {nll_loss_2d(c, a, "nll_loss2d")[0]};
      })
      .raises_on_data()
      .doc("nll_loss of [batch, classes, height, width] and [batch, height, width].");
  r.op("nll_loss2d_forward(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt "
       "ignore_index) -> (Tensor output, Tensor total_weight)")
      .composite(
          [](Caller& c, std::span<const Arg> a) { return nll_loss_2d(c, a, "nll_loss2d_forward"); })
      .raises_on_data()
      .doc("nll_loss2d, and the sum of the weights of the classes.");
  r.op("nll_loss2d_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int "
       "reduction, SymInt ignore_index, Tensor total_weight) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        Term g(c, a[0].ref()), x(c, a[1].ref());
        auto m = x.meta();
        Term moved = x.op<"movedim.int">(1, 3);
        Term rows = moved.op<"reshape">(IntList{Int(-1), m.size(1)});
        if (loss_reduction(a[4], "nll_loss2d_backward") == LossReduction::none)
          g = g.op<"reshape">(IntList{Int(-1)});
        Ref target = c.op<"reshape">(a[2], IntList{Int(-1)});
        Term back(c,
                  c.op<"nll_loss_backward">(g.ref(), rows.ref(), target, a[3], a[4], a[5], a[6]));
        return {back.op<"view">(IntList(moved.meta().sizes))
                    .op<"movedim.int">(3, 1)
                    .op<"contiguous">()
                    .ref()};
      });
}

// --- cross entropy ---

struct CrossEntropy {
  Caller& c;
  std::span<const Arg> args;  // self, target, weight, reduction, ignore_index, label_smoothing
  Term self, target;
  int64_t class_dim;
  Int classes;
  LossReduction reduction;
  double smoothing;

  CrossEntropy(Caller& c, std::span<const Arg> a)
      : c(c),
        args(a),
        self(c, a[0].ref()),
        target(c, a[1].ref()),
        class_dim(self.meta().dim() == 1 ? 0 : 1),
        classes(self.meta().dim() == 0 ? Int(1) : self.meta().size(class_dim)),
        reduction(loss_reduction(a[3], "cross_entropy_loss")),
        smoothing(a[5].to_double()) {}

  Term log_probabilities() const {
    return Term(c, c.op<"log_softmax.int">(self.ref(), class_dim, self.dtype()));
  }
  void check_weight(const char* prefix) const {
    if (args[2].is_none()) return;
    auto w = meta(args[2].ref());
    if (w.dim() != 1 || !sizes_agree(w.size(0), classes))
      fail("cross_entropy_loss",
           fmt::format("{}weight tensor should be defined either for all {} classes or no classes "
                       "but got weight tensor of shape: {}",
                       prefix, to_text(classes), dims_text(w.sizes)),
           "a weight for each class");
  }
  // log-probabilities times the weight of their class.
  Term weighted(const Term& x) const {
    if (args[2].is_none()) return x;
    IntList sizes(static_cast<size_t>(x.meta().dim()), Int(1));
    sizes[static_cast<size_t>(class_dim)] = classes;
    return x * Term(c, args[2].ref()).op<"reshape">(sizes);
  }
  Term over_classes(const Term& x) const {
    return x.op<"sum.dim_IntList">(IntList{Int(class_dim)}, false);
  }

  Term with_probabilities() const {
    DType t = target.dtype();
    if (!is_floating(t))
      fail("cross_entropy_loss",
           fmt::format("Expected floating point type for target with class probabilities, got {}",
                       scalar_type_name(t)),
           "probabilities, or classes without the dimension of classes");
    if (!args[4].to_int().same_as(Int(-100)) && ask_or(args[4].to_int() >= Int(0), true))
      fail("cross_entropy_loss", "ignore_index is not supported for floating point target",
           "classes as targets, or no ignore_index");
    check_weight("cross_entropy: ");
    Term wanted = target;
    if (smoothing > 0)
      wanted =
          wanted * Scalar(1 - smoothing) +
          (Term(c, c.op<"full">(IntList{}, Scalar(smoothing), compute_type(t))) / Scalar(classes))
              .to(t);
    Term each = weighted(log_probabilities() * wanted);
    if (reduction == LossReduction::none) return -over_classes(each);
    Term sum = -each.op<"sum">();
    if (reduction == LossReduction::sum) return sum;
    Int samples = known_zero(classes) ? Int(0) : floordiv(self.meta().numel(), classes);
    return sum / Scalar(samples);
  }

  Term with_smoothing() const {
    check_weight("");
    Term x = log_probabilities();
    Term nll(c, c.op<"nll_loss_nd">(x.ref(), target.ref(), args[2], args[3], args[4]));
    Term ignored = target == Scalar(args[4].to_int());
    Term smooth = (-over_classes(weighted(x))).zero_where(ignored);
    if (reduction == LossReduction::sum) smooth = smooth.op<"sum">();
    if (reduction == LossReduction::mean) {
      Term count = ignored;
      if (args[2].is_none()) {
        count = (!ignored).to(smooth.dtype()).op<"sum">();
      } else {
        Term safe = target.zero_where(ignored).op<"reshape">(IntList{Int(-1)}).to(DType::i64);
        Term w = Term(c, args[2].ref()).op<"index_select">(0, safe);
        count = w.zero_where(ignored.op<"reshape">(IntList{Int(-1)})).op<"sum">();
      }
      smooth = smooth.op<"sum">() / count;
    }
    return nll * Scalar(1 - smoothing) + smooth * Scalar(smoothing) / Scalar(classes);
  }
};

RefList cross_entropy(Caller& c, std::span<const Arg> a) {
  CrossEntropy e(c, a);
  if (!(e.smoothing >= 0 && e.smoothing <= 1))
    fail("cross_entropy_loss",
         fmt::format("label_smoothing must be between 0.0 and 1.0. Got: {}", e.smoothing),
         "a value between 0 and 1");
  auto x = e.self.meta(), t = e.target.meta();
  bool same = x.dim() == t.dim();
  for (int64_t d = 0; same && d < x.dim(); ++d)
    same = known_equal(x.size(d), t.size(d)) || ask_or(size_eq(x.size(d), t.size(d)), false);
  if (same) return {e.with_probabilities().ref()};
  if (e.smoothing > 0) return {e.with_smoothing().ref()};
  return {c.op<"nll_loss_nd">(e.log_probabilities().ref(), a[1], a[2], a[3], a[4])};
}

}  // namespace

void register_nll_losses(Registry& r) {
  nll_ops(r);
  spatial_ops(r);
  r.op("cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, "
       "SymInt "
       "ignore_index=-100, float label_smoothing=0.0) -> Tensor")
      .composite(cross_entropy)
      .raises_on_data()
      .doc(
          "nll_loss of log_softmax. The target holds classes, or, with self's sizes, their "
          "probabilities.");
}

}  // namespace frit
