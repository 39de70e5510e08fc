// Rows of a table.
#include "ops/index/parts.h"

namespace frit {
namespace {

using namespace index;

template <class S, class I>
void check_indices(S& s, const TensorMeta<I>& at, int argument, const char* function) {
  if (!is_index(at.dtype))
    s.fail(
        fmt::format("Expected tensor for argument #{} 'indices' to have one of the following "
                    "scalar types: Long, Int; but got {} instead (while checking arguments for {})",
                    argument, name(at.dtype), function),
        "to(int64) on the indices");
}

template <class S>
void embedding_rule(S& s) {
  auto weight = s.tensor(0), at = s.tensor(1);
  if (weight.dim() != 2) s.fail("'weight' must be 2-D", "[rows, size of a row]");
  check_indices(s, at, 1, "embedding");
  using I = std::remove_cvref_t<decltype(weight.offset)>;
  DimsOf<I> sizes(at.sizes);
  sizes.push_back(weight.sizes[1]);
  s.out(weight.dtype, sizes);
}

RefList embedding_parts(Caller& c, std::span<const Arg> a) {
  auto m = meta(a[0].ref()), at = meta(a[1].ref());
  if (at.dim() == 1) return {c.op<"index_select">(a[0].ref(), 0, a[1].ref())};
  IntList sizes(at.sizes);
  sizes.push_back(m.size(1));
  Ref rows = c.op<"index_select">(a[0].ref(), 0, c.op<"reshape">(a[1].ref(), IntList{Int(-1)}));
  return {c.op<"view">(rows, sizes)};
}

template <class S>
void backward_rule(S& s) {
  auto g = s.tensor(0), at = s.tensor(1);
  check_indices(s, at, 2, "embedding_backward");
  using I = std::remove_cvref_t<decltype(g.offset)>;
  if (g.dim() == 0)
    s.fail("Dimension specified as -1 but tensor has no dimensions",
           "the gradient of what embedding gave", ErrorKind::index);
  s.out(g.dtype, DimsOf<I>{s.integer(2), g.size(-1)});
}

// The gradients of a row's uses, added in the order of the indices.
RefList backward_parts(Caller& c, std::span<const Arg> a) {
  Term g(c, a[0].ref()), at(c, a[1].ref());
  Int rows = a[2].to_int(), padding = a[3].to_int(), width = g.meta().size(-1);
  DType t = g.dtype();
  Term flat = at.op<"reshape">(IntList{Int(-1)}).to(DType::i64);
  g = g.op<"reshape">(IntList{flat.meta().size(0), width});
  if (ask_or(padding >= Int(0), true))
    g = g.zero_where((flat == Scalar(padding)).op<"unsqueeze">(1));
  if (a[4].to_bool()) {
    Ref none = c.op<"full">(IntList{rows}, Scalar(0), t);
    Ref ones = c.op<"full">(IntList{flat.meta().size(0)}, Scalar(1), t);
    Term uses(c, c.op<"index_add">(none, 0, flat.ref(), ones));
    g = g / uses.op<"index_select">(0, flat).op<"unsqueeze">(1);
  }
  Ref table = c.op<"full">(IntList{rows, width}, Scalar(0), t);
  return {c.op<"index_add">(table, 0, flat.ref(), g.ref())};
}

}  // namespace

void register_embedding(Registry& r) {
  r.op("embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool "
       "scale_grad_by_freq=False, bool sparse=False) -> Tensor")
      .shape([](auto& s) { embedding_rule(s); })
      .composite(embedding_parts)
      .out()
      .raises_on_data()
      .saves({"indices"})
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] {
          return grad(v).op<"embedding_dense_backward">(v.arg(1), v.meta(0).size(0), v.args[2],
                                                        v.args[3]);
        });
      })
      .doc("The rows of weight that indices name. The row padding_idx gets no gradient.");
  // Its own gradients are those of its parts.
  r.op("embedding_dense_backward(Tensor grad_output, Tensor indices, SymInt num_weights, SymInt "
       "padding_idx, bool scale_grad_by_freq) -> Tensor")
      .shape([](auto& s) { backward_rule(s); })
      .composite(backward_parts)
      .out()
      .raises_on_data();
}

}  // namespace frit
