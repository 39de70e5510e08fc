#include "adapters/torch/decompositions.h"

#include "ops/vjp_helpers.h"

namespace frit::torch {
namespace {

IntList all_but_channels(const Ref& x) {
  IntList dims;
  for (size_t d = 0; d < meta(x).sizes.size(); ++d)
    if (d != 1) dims.push_back(Int(static_cast<int64_t>(d)));
  return dims;
}

}  // namespace

Ref batch_norm(Caller& c, const BatchNorm& b) {
  const Term x(c, b.x);
  IntList channels(x.meta().sizes.size(), Int(1));
  channels[1] = x.meta().sizes[1];
  auto spread = [&](const Ref& t) { return Term(c, c.op<"view">(t, channels)); };
  Term mean = x, variance = x;
  if (b.training) {
    const RefList both = c.ops<"var_mean.correction">(b.x, all_but_channels(b.x), Scalar(0), true);
    variance = Term(c, both[0]);
    mean = Term(c, both[1]);
  } else {
    variance = spread(b.running_var);
    mean = spread(b.running_mean);
  }
  Term y = (x - mean) * (variance + Scalar(b.eps)).op<"rsqrt">();
  if (b.weight.defined()) y = y * spread(b.weight);
  if (b.bias.defined()) y = y + spread(b.bias);
  return y.ref();
}

RunningStatistics running_statistics(Caller& c, const BatchNorm& b) {
  const Ref x = c.op<"detach">(b.x);
  const IntList dims = all_but_channels(x);
  auto moved = [&](const Ref& running, const Ref& now) {
    return (Term(c, running) * Scalar(1 - b.momentum) + Term(c, now) * Scalar(b.momentum)).ref();
  };
  RunningStatistics s;
  if (b.running_mean.defined()) s.mean = moved(b.running_mean, c.op<"mean.dim">(x, dims, false));
  if (b.running_var.defined())
    s.var = moved(b.running_var, c.op<"var.correction">(x, dims, Scalar(1), false));
  return s;
}

Ref self_attention(Caller& c, const SelfAttention& a) {
  const Term x(c, a.x);
  const IntList sizes = x.meta().sizes;
  const Int width = sizes[2];
  const Term parts = x.op<"linear">(a.qkv_weight, a.qkv_bias)
                         .op<"view">(IntList{sizes[0], sizes[1], Int(3), Int(a.heads),
                                             floordiv(width, Int(a.heads))})
                         .op<"permute">(IntList{Int(2), Int(0), Int(3), Int(1), Int(4)});
  const Term shown = parts.op<"select.int">(0, 0).op<"scaled_dot_product_attention">(
      parts.op<"select.int">(0, 1), parts.op<"select.int">(0, 2));
  return shown.op<"transpose.int">(1, 2)
      .op<"reshape">(IntList{sizes[0], sizes[1], width})
      .op<"linear">(a.weight, a.bias)
      .ref();
}

}  // namespace frit::torch
