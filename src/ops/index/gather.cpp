// Reading by index along one dimension: index_select, gather, take_along_dim.
#include "ops/index/parts.h"

namespace frit {
namespace {

using namespace index;

template <class S>
void index_select_rule(S& s) {
  auto self = s.tensor(0), at = s.tensor(2);
  using I = std::remove_cvref_t<decltype(self.offset)>;
  int64_t d = s.dim(1, self.dim());
  if (at.dim() > 1)
    s.fail("index_select(): Index is supposed to be a vector", "reshape(-1) on the index",
           ErrorKind::index);
  if (!is_index(at.dtype))
    s.fail("index_select(): Expected dtype int32 or int64 for index",
           fmt::format("the index is {}", name(at.dtype)));
  I count = at.numel();
  if (self.dim() == 0) {
    if (!holds(size_eq(count, I(1))))
      s.fail(fmt::format("index_select(): Index to scalar can have only 1 value, got {} value(s)",
                         to_text(count)),
             "one index, 0");
    s.out(self.dtype, {});
    return;
  }
  if (known_zero(self.size(d)) && !known_zero(count))
    s.fail("index_select(): self indexing axis dim should be positive",
           fmt::format("dimension {} has size 0: there is nothing to select", d));
  DimsOf<I> sizes(self.sizes);
  sizes[static_cast<size_t>(d)] = count;
  s.out(self.dtype, sizes);
}

template <class S>
void gather_rule(S& s) {
  auto self = s.tensor(0), at = s.tensor(2);
  int64_t d = s.dim(1, self.dim());
  if (!is_index(at.dtype) && !is_empty(at))
    s.fail("gather(): Expected dtype int32/int64 for index",
           fmt::format("the index is {}", name(at.dtype)));
  if (!is_empty(at)) {
    if (rank_of(self) != rank_of(at))
      s.fail("Index tensor must have the same number of dimensions as input tensor",
             fmt::format("self is {}, the index {}", dims_text(self.sizes), dims_text(at.sizes)));
    for (int64_t i = 0; i < rank_of(self); ++i)
      if (i != d && !holds(size_at(at, i) <= size_at(self, i)))
        s.fail(fmt::format("Size does not match at dimension {} expected index {} to be no larger "
                           "than self {} apart from dimension {}",
                           i, dims_text(at.sizes), dims_text(self.sizes), d),
               "slice the index");
  }
  s.out(self.dtype, at.sizes);
}

// The sizes of both but at dim, where each keeps its own.
RefList take_along_dim(Caller& c, std::span<const Arg> a) {
  constexpr std::string_view op = "take_along_dim";
  Term self(c, a[0].ref()), at(c, a[1].ref());
  if (at.dtype() != DType::i64)
    fail(op, fmt::format("dtype of indices should be int64 but got {}", name(at.dtype())),
         "to(int64) on the indices");
  if (a[2].is_none()) {
    IntList flat{Int(-1)};
    return {c.op<"gather">(c.op<"view">(self.ref(), flat), 0, c.op<"view">(at.ref(), flat))};
  }
  auto x = self.meta(), i = at.meta();
  if (x.dim() != i.dim())
    fail(op,
         fmt::format("input and indices should have the same number of "
                     "dimensions, but got {} dimensions for input, and {} dimensions for indices",
                     x.dim(), i.dim()),
         "unsqueeze() one of them");
  int64_t d = wrap_dim(a[2].to_int().hint(), x.dim(), op);
  // As in PyTorch, and unlike gather: indices wrap around.
  at = at.op<"remainder.Scalar">(Scalar(size_at(x, d)));
  IntList mine(x.sizes), theirs(i.sizes);
  if (x.dim() > 0) {
    auto k = static_cast<size_t>(d);
    Int keep = mine[k];
    mine[k] = theirs[k];
    size_t where = 0;
    if (!broadcast_into<Int>(mine, std::span<const Int>(theirs), where))
      fail(op,
           fmt::format("The size of tensor a ({}) must match the size of tensor b ({}) at "
                       "non-singleton dimension {}",
                       to_text(mine[where]), to_text(theirs[where]), where),
           "sizes that broadcast, but for dim");
    theirs = mine;
    mine[k] = keep;
  }
  return {c.op<"gather">(c.op<"expand">(self.ref(), mine), d, c.op<"expand">(at.ref(), theirs))};
}

}  // namespace

void register_gathers(Registry& r) {
  r.op("index_select(Tensor self, int dim, Tensor index) -> Tensor")
      .kind(Kind::index)
      .lowering("index_select")
      .shape([](auto& s) { index_select_rule(s); })
      .out()
      .raises_on_data()
      .saves({"index"})
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] {
          const auto& m = v.meta(0);
          return Term(v.c,
                      v.op<"index_add">(zeros(v, m.sizes, m.dtype), v.args[1], v.arg(2), v.grad()));
        });
      })
      .doc("The slices of a dimension that index names, in its order.");
  r.op("gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor")
      .kind(Kind::index)
      .lowering("gather")
      .shape([](auto& s) { gather_rule(s); })
      .out()
      .raises_on_data()
      .saves({"index"})
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] {
          const auto& m = v.meta(0);
          return Term(
              v.c, v.op<"scatter_add">(zeros(v, m.sizes, m.dtype), v.args[1], v.arg(2), v.grad()));
        });
      })
      .doc(
          "For each element of index, the element of self at its place, but with that index along "
          "dim.");
  r.op("take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor")
      .composite(take_along_dim)
      .raises_on_data()
      .doc("gather, broadcast; of the flattened tensors without dim.");
}

}  // namespace frit
