// Shape rules of in-place and out forms, from the functional op's.
#include <fmt/format.h>

#include <algorithm>

#include "ops/generic.h"
#include "ops/kind_rules.h"

namespace frit {
namespace {

template <class I>
const ShapeRule<I>& rule_of(const OpRecord& r) {
  if constexpr (std::is_same_v<I, Int>)
    return r.shape_symbolic;
  else
    return r.shape;
}

template <class I>
bool same_sizes(std::span<const I> a, std::span<const I> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!sizes_agree(a[i], b[i])) return false;
  return true;
}

void refuse_cast(std::string_view op, DType result, DType wanted) {
  throw UserError(
      ErrorKind::runtime, op,
      fmt::format("result type {} can't be cast to the desired output type {}",
                  scalar_type_name(result), scalar_type_name(wanted)),
      fmt::format("write into a {} tensor, or use the form that makes a new one", name(result)));
}

template <class I>
void refuse_sizes(std::string_view op, bool elementwise, std::span<const I> written,
                  std::span<const I> result) {
  const char* text = elementwise ? "output with shape {} doesn't match the broadcast shape {}"
                                 : "Bad in-place call: input tensor size {} and output tensor "
                                   "size {} should match";
  throw UserError(ErrorKind::runtime, op,
                  fmt::format(fmt::runtime(text), dims_text(written), dims_text(result)),
                  "in place, the result must have the sizes of the tensor that is written");
}

template <class I>
void check_castable(const ShapeCtx<I>& s, DType result, DType wanted) {
  if (!can_cast(result, wanted)) refuse_cast(s.op(), result, wanted);
}

// Writing through a tensor whose elements share memory has no defined order.
template <class I>
void check_no_overlap(const ShapeCtx<I>& s, const TensorMeta<I>& t) {
  if (std::ranges::any_of(t.sizes, [](const I& n) { return known_zero(n); })) return;
  for (size_t i = 0; i < t.sizes.size(); ++i)
    if (known_zero(t.strides[i]) && !known_one(t.sizes[i]) && ask_or(t.sizes[i] > I(1), true))
      s.fail(
          "unsupported operation: more than one element of the written-to tensor refers to a "
          "single memory "
          "location. Please clone() the tensor before performing the operation.",
          "clone() first");
}

// Two tensors over one storage that meet without being the same view: what is read would depend on
// what is already written. Exotic strides count as not meeting, as in PyTorch.
void check_apart(const ShapeCtx<int64_t>& s, const Ref& written, const Ref& read) {
  const TensorImpl* w = written.tensor().impl();
  const TensorImpl* r = read.tensor().impl();
  if (!w || !r || w == r || !(w->storage == r->storage)) return;
  if (w->numel() == 0 || r->numel() == 0) return;
  if (!is_dense_non_overlapping(w->sizes, w->strides) ||
      !is_dense_non_overlapping(r->sizes, r->strides))
    return;
  if (!may_overlap(*w, *r)) return;
  if (w->offset == r->offset && w->strides == r->strides && w->numel() == r->numel()) return;
  s.fail(
      "unsupported operation: some elements of the input tensor and the written-to tensor refer to "
      "a single "
      "memory location. Please clone() the tensor before performing the operation.",
      "clone() the input first");
}

template <class I>
void check_written(const ShapeCtx<I>& s, int written) {
  check_no_overlap(s, s.tensor(written));
  if constexpr (std::is_same_v<I, int64_t>)
    if (s.record().functional->kind == Kind::pointwise)
      for (size_t i = 0; i < s.args().size(); ++i)
        if (static_cast<int>(i) != written && s.args()[i].is_ref())
          check_apart(s, s.args()[static_cast<size_t>(written)].ref(), s.args()[i].ref());
}

}  // namespace

template <class I>
void inplace_rule(ShapeCtx<I>& s) {
  const OpRecord& functional = *s.record().functional;
  ShapeCtx<I> result(functional, s.args(), &s.called());
  rule_of<I>(functional)(result);
  const OutMeta<I>& out = result.outs()[0];
  if (functional.kind == Kind::view) {  // the tensor itself becomes the view
    s.view(0, out.sizes, out.strides, out.offset);
    return;
  }
  TensorMeta<I> self = s.tensor(0);
  if (!same_sizes<I>(self.sizes, out.sizes)) {
    bool elementwise = functional.kind == Kind::pointwise || functional.kind == Kind::copy;
    refuse_sizes<I>(s.op(), elementwise, self.sizes, out.sizes);
  }
  check_castable(s, out.dtype, self.dtype);
  check_written(s, 0);
  s.view(0, self.sizes, self.strides, self.offset);
}

template <class I>
void out_rule(ShapeCtx<I>& s) {
  const OpRecord& functional = *s.record().functional;
  size_t inputs = functional.schema.args.size();
  ShapeCtx<I> result(functional, s.args().subspan(0, inputs), &s.called());
  rule_of<I>(functional)(result);
  for (size_t k = 0; k < result.outs().size(); ++k) {
    const OutMeta<I>& o = result.outs()[k];
    int at = static_cast<int>(inputs + k);
    TensorMeta<I> out = s.tensor(at);
    check_castable(s, o.dtype, out.dtype);
    if (same_sizes<I>(out.sizes, o.sizes)) {
      check_written(s, at);
      s.view(at, out.sizes, out.strides, out.offset);
      continue;
    }
    if (!ask_or(size_eq(out.numel(), I(0)), false))
      s.fail(fmt::format("output with shape {} doesn't match the result's shape {}",
                         dims_text(out.sizes), dims_text(std::span<const I>(o.sizes))),
             "give an output of the result's sizes, or an empty one to be resized");
    OutMeta<I>& resized = s.view(at, o.sizes, o.strides, out.offset);
    resized.dtype = out.dtype;
  }
}

template void inplace_rule(ShapeCtx<int64_t>&);
template void inplace_rule(ShapeCtx<Int>&);
template void out_rule(ShapeCtx<int64_t>&);
template void out_rule(ShapeCtx<Int>&);

void check_storable(const OpRecord& inplace, const TensorMeta<Int>& result,
                    const TensorMeta<Int>& written) {
  if (!same_sizes<Int>(written.sizes, result.sizes))
    refuse_sizes<Int>(inplace.schema.name, true, written.sizes, result.sizes);
  if (!can_cast(result.dtype, written.dtype))
    refuse_cast(inplace.schema.name, result.dtype, written.dtype);
}

bool can_cast(DType from, DType to) {
  if (is_floating(from) && !is_floating(to)) return false;
  return is_bool(from) || !is_bool(to);
}

std::string_view scalar_type_name(DType t) {
  constexpr std::string_view names[kNumDTypes] = {"Float", "Double", "BFloat16", "Half", "Char",
                                                  "Short", "Int",    "Long",     "Byte", "Bool"};
  return names[static_cast<int>(t)];
}

std::string_view torch_name(DType t) {
  constexpr std::string_view names[kNumDTypes] = {
      "float", "double", "c10::BFloat16", "c10::Half",     "signed char",
      "short", "int",    "long int",      "unsigned char", "bool"};
  return names[static_cast<int>(t)];
}

}  // namespace frit
