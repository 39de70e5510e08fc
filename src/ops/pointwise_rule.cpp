// Broadcasting, type promotion and output layout of pointwise ops.
#include <fmt/format.h>

#include "core/handle.h"
#include "ops/kind_rules.h"
#include "ops/layout_rule.h"

namespace frit {
namespace {

struct TypeAndRank {
  DType dtype;
  int64_t rank;
};

TypeAndRank type_and_rank(const Ref& r) {
  if (r.kind() == Ref::Kind::tensor) return {r.tensor().impl()->dtype, r.tensor().impl()->dim()};
  auto m = meta(r);
  return {m.dtype, m.dim()};
}

template <class I>
void broadcast_failed(ShapeCtx<I>& s, const DimsOf<I>& a, const TensorMeta<I>& b, size_t at) {
  size_t shift = a.size() - b.sizes.size();
  s.fail(
      fmt::format("The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton "
                  "dimension {}",
                  to_text(a[at]), to_text(b.sizes[at - shift]), at),
      fmt::format(
          "a is {}, b is {}; sizes are compared from the last one back, and must be equal or 1",
          dims_text(std::span<const I>(a)), dims_text(b.sizes)));
}

}  // namespace

OpTypes pointwise_types(const OpRecord& r, std::span<const Arg> args) {
  TypePromotion promotion;
  std::optional<DType> first;
  for (size_t i = 0; i < r.schema.args.size() && i < args.size(); ++i) {
    const SchemaArg& a = r.schema.args[i];
    if (args[i].is_none()) continue;
    if (a.type == ArgType::tensor && !(r.uncast_args >> i & 1)) {
      auto [dtype, rank] = type_and_rank(args[i].ref());
      if (!first) first = dtype;
      promotion.add_tensor(dtype, rank == 0);
    } else if (r.promoting_args >> i & 1) {
      promotion.add_number(args[i].to_scalar().number_type());
    }
  }
  DType common = promotion.result();
  switch (r.promotion) {
    case Promotion::result_type:
      return {common, common};
    case Promotion::with_integer:
      if (is_bool(common)) common = DType::i64;
      return {common, common};
    case Promotion::sum_type:
      return {common, is_floating(common) ? common : DType::i64};
    case Promotion::to_float:
      if (!is_floating(common)) common = default_dtype();
      return {common, common};
    case Promotion::comparison:
    case Promotion::to_bool:
      return {common, DType::boolean};
    case Promotion::to_index:
      return {common, DType::i64};
    case Promotion::same_as_self:
      return {first.value_or(common), first.value_or(common)};
  }
  return {common, common};
}

bool may_raise(const OpRecord& r, std::span<const Arg> args) {
  return r.raises_on_data &&
         !(r.raises_on_integers && is_floating(pointwise_types(*r.functional, args).compute));
}

std::string body_of(const OpRecord& r, std::span<const Arg> args) {
  if (r.variant_arg == kNoArg) return r.body;
  return r.body + "_" + std::string(args[static_cast<size_t>(r.variant_arg)].as<Symbol>().str());
}

template <class I>
void check_variant(ShapeCtx<I>& s) {
  const OpRecord& r = s.record();
  std::string_view given = s.text(r.variant_arg);
  std::string known;
  for (size_t i = 0; i < r.variants.size(); ++i) {
    if (given == r.variants[i]) return;
    known += (i == 0 ? "" : i + 1 == r.variants.size() ? " or " : ", ") + r.variants[i];
  }
  const std::string& arg = r.schema.args[static_cast<size_t>(r.variant_arg)].name;
  s.fail(fmt::format("{} argument must be either {}.", arg, known),
         fmt::format("it is '{}'", given));
}

template <class I>
void pointwise_rule(ShapeCtx<I>& s) {
  const OpRecord& r = s.record();
  if constexpr (std::is_same_v<I, Int>) {
    if (r.check_symbolic) r.check_symbolic(s);
  } else {
    if (r.check) r.check(s);
  }
  if (r.variant_arg != kNoArg) check_variant(s);
  SmallVector<TensorMeta<I>, 4> operands;
  for (size_t i = 0; i < r.schema.args.size(); ++i)
    if (r.schema.args[i].type == ArgType::tensor && s.has(static_cast<int>(i)))
      operands.push_back(s.tensor(static_cast<int>(i)));
  OpTypes types = pointwise_types(r, s.args());
  if (operands.empty()) {
    s.out(types.result, {});
    return;
  }
  DimsOf<I> shape(operands[0].sizes);
  // A number that PyTorch wraps as a tensor of no dimensions makes shapes differ, as such a tensor
  // does.
  bool same_shape = r.operand_args == 0 || shape.empty();
  for (size_t k = 1; k < operands.size(); ++k) {
    const TensorMeta<I>& t = operands[k];
    bool same = t.sizes.size() == shape.size();
    for (size_t i = 0; same && i < shape.size(); ++i) same = known_equal(shape[i], t.sizes[i]);
    if (same) continue;
    size_t at = 0;
    DimsOf<I> before = shape;
    if (!broadcast_into<I>(shape, t.sizes, at)) broadcast_failed(s, shape, t, at);
    // Equal after all (a guard has said so): still the same shape.
    same_shape =
        same_shape && t.sizes.size() == before.size() && layout::same_dims<I>(before, t.sizes);
  }
  auto strides = elementwise_strides<I>(shape, {operands.data(), operands.size()}, same_shape);
  s.out(types.result, shape, strides);
}

template void pointwise_rule(ShapeCtx<int64_t>&);
template void pointwise_rule(ShapeCtx<Int>&);

}  // namespace frit
