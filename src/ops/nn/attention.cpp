// Attention, in products and a softmax.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ops/families.h"
#include "ops/generic.h"
#include "ops/kind_rules.h"
#include "ops/vjp_helpers.h"

namespace frit {

void register_attention(Registry&);

namespace {

[[noreturn]] void fail(std::string message, std::string hint) {
  throw UserError(ErrorKind::runtime, "scaled_dot_product_attention", std::move(message),
                  std::move(hint));
}

// Every head of t as often as it takes to have `heads` of them.
Term with_heads(const Term& t, Int heads) {
  auto m = t.meta();
  const size_t d = m.sizes.size() - 3;
  const Int own = m.sizes[d];
  if (!holds(size_eq(mod(heads, own), Int(0))))
    fail(fmt::format("enable_gqa with {} heads of the query and {} of key or value", to_text(heads),
                     to_text(own)),
         "a number of the query's heads that is a multiple of the others'");
  IntList wide(m.sizes), sizes(m.sizes);
  wide.insert(d + 1, floordiv(heads, own));
  sizes[d] = heads;
  return t.op<"unsqueeze">(static_cast<int64_t>(d) + 1).op<"expand">(wide).op<"reshape">(sizes);
}

RefList attention(Caller& c, std::span<const Arg> a) {
  Term q(c, a[0].ref()), k(c, a[1].ref()), v(c, a[2].ref());
  const bool causal = a[5].to_bool();
  const double dropout = a[4].to_double();
  for (const Term& t : {q, k, v})
    if (t.meta().dim() < 2)
      fail(fmt::format("query, key and value need at least 2 dimensions, got {}", t.meta().dim()),
           "[..., length, size]");
  if (q.dtype() != k.dtype() || q.dtype() != v.dtype())
    fail(fmt::format("query, key and value have dtypes {}, {} and {}", name(q.dtype()),
                     name(k.dtype()), name(v.dtype())),
         "one dtype for the three");
  if (causal && !a[3].is_none())
    fail("attn_mask is given together with is_causal", "one of the two");
  if (a[7].to_bool()) {
    if (q.meta().dim() < 3 || k.meta().dim() < 3 || v.meta().dim() < 3)
      fail("enable_gqa needs a dimension of heads", "[..., heads, length, size]");
    const Int heads = q.meta().size(-3);
    k = with_heads(k, heads);
    v = with_heads(v, heads);
  }
  // As PyTorch: half of the scale on either side keeps the products in range.
  Term scale_q = q, scale_k = k;
  if (a[6].is_none()) {
    const double size = static_cast<double>(q.meta().size(-1).hint());
    (void)holds(size_eq(q.meta().size(-1), Int(q.meta().size(-1).hint())));
    const double half = std::sqrt(1 / std::sqrt(size));
    scale_q = q * Scalar(half), scale_k = k * Scalar(half);
  } else {
    const double scale = a[6].to_double(), half = std::sqrt(std::abs(scale));
    scale_q = q * Scalar(scale < 0 ? -half : half), scale_k = k * Scalar(half);
  }
  Term scores = scale_q.op<"matmul">(scale_k.op<"transpose.int">(-2, -1));
  const double low = -std::numeric_limits<double>::infinity();
  Term weights = scores;
  if (causal) {
    const IntList sizes{q.meta().size(-2), k.meta().size(-2)};
    Term kept(c, c.op<"tril">(c.op<"ones">(sizes, DType::boolean)));
    weights = scores.op<"masked_fill.Scalar">(!kept, Scalar(low)).op<"softmax.int">(-1);
  } else if (!a[3].is_none()) {
    Term mask(c, a[3].ref());
    if (is_bool(mask.dtype()))
      scores = scores.op<"masked_fill.Scalar">(!mask, Scalar(low));
    else
      scores = scores + mask.to(scores.dtype());
    // Rows of which nothing is kept are 0.
    Term none = (scores == Scalar(low)).op<"all.dim">(-1, true);
    weights = scores.op<"softmax.int">(-1).zero_where(none);
  } else {
    weights = scores.op<"softmax.int">(-1);
  }
  if (dropout > 0) weights = weights.op<"dropout">(dropout, true);
  return {weights.op<"matmul">(v).ref()};
}

}  // namespace

void register_attention(Registry& r) {
  r.op("scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? "
       "attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool "
       "enable_gqa=False) -> Tensor")
      .composite(attention)
      .doc(
          "softmax(query @ key^T * scale) @ value; scale is 1 / sqrt(size) where it is not given.");
}

}  // namespace frit
