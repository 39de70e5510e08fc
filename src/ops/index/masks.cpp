// Masks: what is chosen, counted or kept by a condition on each element or on its place.
#include "ops/index/parts.h"

namespace frit {
namespace {

using namespace index;

template <class I>
void nonzero_rule(ShapeCtx<I>& s) {
  auto self = s.tensor(0);
  if constexpr (std::is_same_v<I, Int>) {
    Int n = s.unbacked("nonzero", self.numel());
    // As PyTorch lays it out: a column for each dimension, one after the other.
    s.out(DType::i64, DimsOf<I>{n, Int(self.dim())}, DimsOf<I>{Int(1), n});
  }
}

Ref flat(Caller& c, const Ref& t) { return c.op<"reshape">(t, IntList{Int(-1)}); }

// self and mask, expanded to the sizes of both.
struct Masked {
  Ref self, mask;
};
Masked expanded(Caller& c, const Ref& self, const Ref& mask, std::string_view op) {
  auto m = meta(self), k = meta(mask);
  IntList sizes(m.sizes);
  size_t at = 0;
  if (!broadcast_into<Int>(sizes, k.sizes, at)) {
    size_t lead = sizes.size() - k.sizes.size();
    fail(op,
         fmt::format("The size of tensor a ({}) must match the size of tensor b ({}) at "
                     "non-singleton dimension {}",
                     to_text(sizes[at]), to_text(k.sizes[at - lead]), at),
         "a mask that broadcasts with self");
  }
  return {c.op<"expand">(self, sizes), c.op<"expand">(mask, sizes)};
}

RefList masked_select(Caller& c, std::span<const Arg> a) {
  DType t = meta(a[1].ref()).dtype;
  if (!is_bool(t))
    fail("masked_select", "masked_select: expected BoolTensor for mask",
         fmt::format("the mask is {}", name(t)));
  Masked m = expanded(c, a[0].ref(), a[1].ref(), "masked_select");
  Ref places = c.op<"select.int">(c.op<"nonzero">(flat(c, m.mask)), 1, 0);
  return {c.op<"index_select">(flat(c, m.self), 0, places)};
}

template <class S>
void masked_scatter_rule(S& s) {
  auto self = s.tensor(0), mask = s.tensor(1), source = s.tensor(2);
  using I = std::remove_cvref_t<decltype(self.offset)>;
  if (self.dtype != source.dtype)
    s.fail(
        fmt::format("masked_scatter: expected self and source to have same dtypes but got{} and {}",
                    scalar_type_name(self.dtype), scalar_type_name(source.dtype)),
        "convert the source");
  if (!is_bool(mask.dtype))
    s.fail(fmt::format("masked_scatter_ only supports boolean masks, but got mask with dtype {}",
                       scalar_type_name(mask.dtype)),
           "compare with something, or to(bool)");
  DimsOf<I> sizes(self.sizes);
  size_t at = 0;
  if (!broadcast_into<I>(sizes, mask.sizes, at))
    s.fail(fmt::format("The size of tensor a ({}) must match the size of tensor b ({}) at "
                       "non-singleton dimension {}",
                       to_text(sizes[at]),
                       to_text(mask.sizes[at - (sizes.size() - mask.sizes.size())]), at),
           "a mask that broadcasts with self");
  s.out(self.dtype, sizes);
}

// For each element of the flat mask, which element of the source it would take: how many are true
// before it. 0 before the first.
Term source_index(const Term& flat_mask) {
  return (flat_mask.op<"cumsum">(0, DType::i64) - Scalar(1)).op<"clamp_min">(Scalar(0));
}

RefList masked_scatter_parts(Caller& c, std::span<const Arg> a) {
  Masked m = expanded(c, a[0].ref(), a[1].ref(), "masked_scatter");
  auto sizes = IntList(meta(m.self).sizes);
  Term self(c, flat(c, m.self)), mask(c, flat(c, m.mask)), source(c, flat(c, a[2].ref()));
  if (is_empty(self.meta()) || is_empty(source.meta()))
    return {c.op<"clone">(m.self, "contiguous_format")};
  // Behind the last true element there may be no source left, and none is taken.
  Term last = Term(c, c.op<"full">(IntList{}, Scalar(source.meta().numel() - 1), DType::i64));
  Term at = source_index(mask);
  at = Term(c, c.op<"where.self">(mask.ref(), at.ref(), at.op<"minimum">(last).ref()));
  Term taken = source.op<"index_select">(0, at);
  Term all(c, c.op<"where.self">(mask.ref(), taken.ref(), self.ref()));
  return {all.op<"view">(sizes).ref()};
}

GradList masked_scatter_vjp(VjpCtx& v) {
  Term g = grad(v), mask = arg(v, 1);
  return Grads(v)(0, [&] { return g.zero_where(mask); })(2, [&] {
    const auto& m = v.meta(2);
    Term none(v.c, zeros(v, IntList{m.numel()}, m.dtype));
    if (is_empty(m)) return none.op<"view">(IntList(m.sizes));
    Term wide = mask.op<"expand">(IntList(v.out_metas[0].sizes)).op<"reshape">(IntList{Int(-1)});
    Term part = g.op<"reshape">(IntList{Int(-1)}).where(wide);
    Term last(v.c, v.op<"full">(IntList{}, Scalar(m.numel() - 1), DType::i64));
    Term at = source_index(wide).op<"minimum">(last);
    return none.op<"index_add">(0, at, part).op<"view">(IntList(m.sizes));
  });
}

// In place, the mask must expand to self's sizes.
RefList masked_scatter_in_place(Caller& c, std::span<const Arg> a) {
  auto self = meta(a[0].ref()), mask = meta(a[1].ref());
  if (mask.dim() > self.dim())
    fail("masked_scatter_",
         fmt::format("expand(CPU{}Type{{{}}}, size={}): the number of sizes provided ({}) must be "
                     "greater or equal to the number of dimensions in the tensor ({})",
                     scalar_type_name(mask.dtype), dims_text(mask.sizes), dims_text(self.sizes),
                     self.dim(), mask.dim()),
         "a mask of self's rank, or less");
  Ref wide = c.op<"expand">(a[1], IntList(self.sizes));
  return {c.op<"copy_">(a[0].ref(), c.op<"masked_scatter">(a[0].ref(), wide, a[2]))};
}

// --- by place ---

template <bool lower>
RefList triangle(Caller& c, std::span<const Arg> a) {
  Term self(c, a[0].ref());
  auto m = self.meta();
  if (m.dim() < 2) {
    const char* op = lower ? "tril" : "triu";
    fail(op, fmt::format("{}: input tensor must have at least 2 dimensions", op), "a matrix");
  }
  Term rows(c, c.op<"arange">(Scalar(m.size(-2)))), columns(c, c.op<"arange">(Scalar(m.size(-1))));
  Term edge = (rows + Scalar(a[1].to_int())).template op<"unsqueeze">(1);
  return {self.zero_where(lower ? columns > edge : columns < edge).ref()};
}

RefList one_hot(Caller& c, std::span<const Arg> a) {
  Term self(c, a[0].ref());
  auto m = self.meta();
  if (m.dtype != DType::i64)
    fail("one_hot", "one_hot is only applicable to index tensor of type LongTensor.",
         fmt::format("self is {}: to(int64) first", name(m.dtype)));
  int64_t classes = a[1].to_int().hint();
  bool none = is_empty(m);
  if (classes == -1 && none)
    fail("one_hot", "Can not infer total number of classes from empty tensor.", "give num_classes");
  if (classes == -1) return {c.op<"_one_hot_of_all">(self.ref())};
  if (classes < 1)
    fail("one_hot",
         none ? "Class values must be positive." : "Class values must be smaller than num_classes.",
         "num_classes above every value");
  IntList sizes(m.sizes);
  sizes.push_back(Int(classes));
  Ref zeros = c.op<"full">(sizes, Scalar(0), DType::i64);
  if (none) return {zeros};
  return {c.op<"scatter.value">(zeros, -1, self.op<"unsqueeze">(-1).ref(), Scalar(1))};
}

template <class I>
void one_hot_of_all_rule(ShapeCtx<I>& s) {
  auto self = s.tensor(0);
  if (self.dtype != DType::i64)
    s.fail("one_hot is only applicable to index tensor of type LongTensor.",
           fmt::format("self is {}: to(int64) first", name(self.dtype)));
  if constexpr (std::is_same_v<I, Int>) {
    DimsOf<I> sizes(self.sizes);
    // Any number of classes that memory can hold: bounds are reckoned with and must not overflow.
    sizes.push_back(s.unbacked("one_hot", Int(int64_t{1} << 47)));
    s.out(DType::i64, sizes);
  }
}

}  // namespace

void register_masks(Registry& r) {
  r.op("nonzero(Tensor self) -> Tensor")
      .kind(Kind::library)
      .shape([](auto& s) { nonzero_rule(s); })
      .data_dependent()
      .not_differentiable()
      .doc("The indices of the elements that are not 0, a row for each, in row-major order.");
  r.op("nonzero_numpy(Tensor self) -> Tensor[]")
      .composite([](Caller& c, std::span<const Arg> a) {
        Ref self = a[0].ref();
        if (meta(self).dim() == 0) self = c.op<"unsqueeze">(self, 0);
        return c.ops<"unbind.int">(c.op<"nonzero">(self), 1);
      })
      .doc("nonzero, a tensor for each dimension.");
  r.op("masked_select(Tensor self, Tensor mask) -> Tensor")
      .composite(masked_select)
      .doc("The elements where mask is true, in row-major order.");
  r.op("masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor")
      .shape([](auto& s) { masked_scatter_rule(s); })
      .composite(masked_scatter_parts)
      .out()
      .raises_on_data()
      .saves({"mask"})
      .vjp(masked_scatter_vjp)
      .doc("self with the elements where mask is true replaced by those of source, in order.");
  r.op("masked_scatter_(Tensor(a!) self, Tensor mask, Tensor source) -> Tensor(a!)")
      .composite(masked_scatter_in_place)
      .raises_on_data();

  r.op("tril(Tensor self, SymInt diagonal=0) -> Tensor")
      .composite(triangle<true>)
      .inplace()
      .doc("The elements on and below a diagonal of the last two dimensions, 0 elsewhere.");
  r.op("triu(Tensor self, SymInt diagonal=0) -> Tensor")
      .composite(triangle<false>)
      .inplace()
      .doc("The elements on and above a diagonal of the last two dimensions, 0 elsewhere.");
  r.op("one_hot(Tensor self, int num_classes=-1) -> Tensor")
      .composite(one_hot)
      .raises_on_data()
      .doc("A new last dimension with 1 at the index that self gives and 0 elsewhere.");
  r.op("_one_hot_of_all(Tensor self) -> Tensor")
      .kind(Kind::library)
      .shape([](auto& s) { one_hot_of_all_rule(s); })
      .data_dependent()
      .not_differentiable()
      .doc("one_hot with as many classes as the largest element asks for.");

  r.op("_item_int(Tensor self) -> Tensor")
      .kind(Kind::library)
      .shape([](auto& s) {
        auto self = s.tensor(0);
        using I = std::remove_cvref_t<decltype(self.offset)>;
        if (!holds(size_eq(self.numel(), I(1))))
          s.fail(fmt::format("a Tensor with {} elements cannot be converted to Scalar",
                             to_text(self.numel())),
                 "a tensor of one element");
        if (is_floating(self.dtype))
          s.fail(fmt::format("item_int() reads an integer, the tensor is {}", name(self.dtype)),
                 "to(int64) first");
        s.out(self.dtype, {});
      })
      .not_differentiable()
      .doc("The single element of an integer tensor, as a node whose value sizes may be made of.");
}

}  // namespace frit
