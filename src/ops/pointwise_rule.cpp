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

// From the promoted type of the operands and the first operand's own.
OpTypes types_of(Promotion p, DType common, DType first) {
  switch (p) {
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
      return {first, first};
  }
  return {common, common};
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
  return types_of(r.promotion, common, first.value_or(common));
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

bool row_major(const TensorImpl& t) {
  int64_t expected = 1;
  for (size_t i = t.sizes.size(); i-- > 0;) {
    if (t.sizes[i] == 0 || t.strides[i] != expected) return false;
    expected *= t.sizes[i];
  }
  return true;
}

// A number that does not change the type of a tensor operand.
bool number_fits(const Arg& a, DType t) {
  if (is_floating(t)) return true;
  const Scalar s = a.to_scalar();
  return s.is_bool() || (s.is_integer() && !is_bool(t));
}

// The call that eager code makes most: row-major tensors of one dtype and the same sizes, which
// need no general answer. False where it is another call.
bool plain_call(ShapeCtx<int64_t>& s) {
  const OpRecord& r = s.record();
  if (r.uncast_args) return false;
  const TensorImpl* first = nullptr;
  for (size_t i = 0; i < r.schema.args.size(); ++i) {
    const Arg& a = s.args()[i];
    if (r.schema.args[i].type == ArgType::tensor) {
      const TensorImpl* t = a.ref().tensor().impl();
      if (!t || !row_major(*t)) return false;
      if (!first)
        first = t;
      else if (t->dtype != first->dtype || !(t->sizes == first->sizes))
        return false;
    } else if ((r.promoting_args >> i & 1) && first && !a.is_none()) {
      if (!number_fits(a, first->dtype)) return false;
    } else if (r.promoting_args >> i & 1) {
      return false;
    }
  }
  if (!first) return false;
  s.out(types_of(r.promotion, first->dtype, first->dtype).result, first->sizes, first->strides);
  return true;
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
  if constexpr (std::is_same_v<I, int64_t>)
    if (plain_call(s)) return;
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
