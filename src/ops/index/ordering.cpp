// Sorting and the largest elements.
#include "ops/index/parts.h"

namespace frit {
namespace {

template <class S>
void sort_rule(S& s) {
  auto self = s.tensor(0);
  s.dim(2, self.dim());
  auto strides = preserved_strides(self);
  s.out(self.dtype, self.sizes, strides);
  s.out(DType::i64, self.sizes, strides);
}

template <class S>
void topk_rule(S& s) {
  auto self = s.tensor(0);
  using I = std::remove_cvref_t<decltype(self.offset)>;
  int64_t d = s.dim(2, self.dim());
  I k = s.integer(1);
  if (!holds(k >= I(0)) || !holds(k <= (self.dim() ? self.size(d) : I(1))))
    s.fail("selected index k out of range",
           fmt::format("k is {}; dimension {} has {} elements", to_text(k), d,
                       self.dim() ? to_text(self.size(d)) : "1"));
  if (is_bool(self.dtype))
    s.fail("Sort currently does not support bool dtype on CPU.", "to(uint8) first");
  DimsOf<I> sizes(self.sizes);
  if (!sizes.empty()) sizes[static_cast<size_t>(d)] = k;
  s.out(self.dtype, sizes);
  s.out(DType::i64, sizes);
}

// Each value's gradient goes back to where it came from.
template <int dim_at>
GradList order_vjp(VjpCtx& v) {
  return Grads(v)(0, [&] {
    if (!v.grad(0).defined())
      return Term(v.c, v.op<"full">(IntList(v.meta(0).sizes), Scalar(0), v.meta(0).dtype));
    return grad(v).op<"value_selecting_reduction_backward">(v.args[dim_at], v.out(1),
                                                            IntList(v.meta(0).sizes), true);
  });
}

}  // namespace

void register_ordering(Registry& r) {
  r.op("sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor "
       "values, Tensor indices)")
      .kind(Kind::library)
      .shape([](auto& s) { sort_rule(s); })
      .out("values_stable", {"values", "indices"})
      .saves({}, 2)
      .vjp(order_vjp<2>)
      .doc(
          "The elements along dim in order, and where they were. Equal ones keep theirs; NaN "
          "counts "
          "as the largest.");
  r.op("sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)")
      .composite([](Caller& c, std::span<const Arg> a) {
        return c.ops<"sort.stable">(a[0], false, a[1], a[2]);
      })
      .out("values", {"values", "indices"});
  r.op("argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return {c.ops<"sort.stable">(a[0], false, a[1], a[2])[1]};
      })
      .doc("Where the elements along dim are, in their order.");
  r.op("argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return {c.ops<"sort.stable">(a[0], a[1], a[2], a[3])[1]};
      });
  r.op("topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor "
       "values, Tensor indices)")
      .kind(Kind::library)
      .shape([](auto& s) { topk_rule(s); })
      .out("values", {"values", "indices"})
      .saves({}, 2)
      .vjp(order_vjp<2>)
      .doc("The k largest (or smallest) elements along dim, in order, and where they were.");
}

}  // namespace frit
