// Writing by index along one dimension: scatter and its kin, index_add, index_copy, index_fill.
#include "ops/index/parts.h"

namespace frit {
namespace {

using namespace index;

// self with elements replaced or combined: arguments self, dim, index, and src where it has one.
template <class S>
void scatter_rule(S& s, const char* op, bool has_src) {
  auto self = s.tensor(0), at = s.tensor(2);
  int64_t d = s.dim(1, self.dim());
  if (has_src && s.tensor(3).dtype != self.dtype)
    s.fail("scatter(): Expected self.dtype to be equal to src.dtype",
           fmt::format("self is {}, src is {}", name(self.dtype), name(s.tensor(3).dtype)));
  if (!is_empty(at)) {
    if (!is_index(at.dtype))
      s.fail(fmt::format("{}(): Expected dtype int32/int64 for index", op),
             fmt::format("the index is {}", name(at.dtype)));
    if (rank_of(self) != rank_of(at))
      s.fail("Index tensor must have the same number of dimensions as self tensor",
             fmt::format("self is {}, the index {}", dims_text(self.sizes), dims_text(at.sizes)));
    if (has_src && rank_of(s.tensor(3)) != rank_of(at))
      s.fail("Index tensor must have the same number of dimensions as src tensor",
             fmt::format("src is {}, the index {}", dims_text(s.tensor(3).sizes),
                         dims_text(at.sizes)));
    bool fits = true;
    for (int64_t i = 0; fits && i < rank_of(at); ++i) {
      if (i != d) fits = holds(size_at(at, i) <= size_at(self, i));
      if (fits && has_src) fits = holds(size_at(at, i) <= size_at(s.tensor(3), i));
    }
    if (!fits) {
      std::string text = fmt::format(
          "Expected index {} to be no larger than self {} apart from "
          "dimension {}",
          dims_text(at.sizes), dims_text(self.sizes), d);
      if (has_src)
        text += fmt::format(" and to be no larger size than src {}", dims_text(s.tensor(3).sizes));
      s.fail(text, "slice the index");
    }
  }
  s.out(self.dtype, self.sizes);
}

// The gradient of src: what index sees of the output's, 0 where src reaches beyond the index.
Term gathered(VjpCtx& v, const Term& g, int src) {
  Term part = g.op<"gather">(v.args[1], v.arg(2));
  const auto& m = v.meta(src);
  for (int64_t d = 0; d < m.dim(); ++d) {
    auto have = part.meta();
    if (known_equal(have.size(d), m.size(d)) || ask_or(size_eq(have.size(d), m.size(d)), false))
      continue;
    IntList sizes(have.sizes);
    sizes[static_cast<size_t>(d)] = m.size(d);
    Term wider(v.c, zeros(v, sizes, have.dtype));
    part = wider.op<"slice_scatter">(part, d, 0, have.size(d));
  }
  return part;
}

Term without_written(VjpCtx& v) {
  return grad(v).op<"scatter.value">(v.args[1], v.arg(2), Scalar(0));
}

void scatters(Registry& r) {
  r.op("scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor")
      .kind(Kind::index)
      .lowering("scatter")
      .shape([](auto& s) { scatter_rule(s, "scatter", true); })
      .inplace()
      .out()
      .raises_on_data()
      .saves({"index"})
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] { return without_written(v); })(
            3, [&] { return gathered(v, grad(v), 3); });
      })
      .doc("self with the elements that index names, along dim, replaced by those of src.");
  r.op("scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor")
      .kind(Kind::index)
      .lowering("scatter")
      .shape([](auto& s) { scatter_rule(s, "scatter", false); })
      .inplace()
      .out()
      .raises_on_data()
      .saves({"index"})
      .vjp([](VjpCtx& v) -> GradList { return Grads(v)(0, [&] { return without_written(v); }); });
  r.op("scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor")
      .kind(Kind::index)
      .lowering("scatter_add")
      .shape([](auto& s) { scatter_rule(s, "scatter_add", true); })
      .inplace()
      .out()
      .raises_on_data()
      .saves({"index"})
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] { return grad(v); })(3, [&] { return gathered(v, grad(v), 3); });
      })
      .doc("self with the elements of src added where index says.");
}

// --- scatter_reduce ---

// The product of the others, for each element of src, without dividing by 0.
Term prod_gradient(VjpCtx& v, const Term& g) {
  Term self = arg(v, 0), at = arg(v, 2), src = arg(v, 3);
  Arg dim = v.args[1];
  Term zero = src == Scalar(0);
  Term none(v.c, zeros(v, self.meta().sizes, self.dtype()));
  Term zeros_there = none.op<"scatter_add">(dim, at, zero.to(self.dtype())).op<"gather">(dim, at);
  Term alone = zero && zeros_there == Scalar(1);
  Term others = self.op<"scatter_reduce.two">(
      dim, at, src.op<"masked_fill.Scalar">(alone, Scalar(1)), v.args[4], v.args[5]);
  Term at_zero = (g * others).op<"gather">(dim, at);
  Term elsewhere =
      (g * out(v)).op<"gather">(dim, at) / src.op<"masked_fill.Scalar">(zero, Scalar(1));
  return {v.c, v.op<"where.self">(alone.ref(), at_zero.ref(), elsewhere.ref())};
}

GradList scatter_reduce_vjp(VjpCtx& v) {
  Term g = grad(v), at = arg(v, 2);
  Arg dim = v.args[1];
  Symbol how = v.args[4].as<Symbol>();
  bool include_self = v.args[5].to_bool();
  auto finish = [&](const Term& g_self) {
    return include_self ? g_self : g_self.op<"scatter.value">(dim, at, Scalar(0));
  };
  if (how == "sum")
    return Grads(v)(0, [&] { return finish(g); })(3, [&] { return gathered(v, g, 3); });
  if (how == "mean") {
    const auto& m = v.meta(0);
    Term count(v.c, v.op<"full">(IntList(m.sizes), Scalar(include_self ? 1 : 0), g.dtype()));
    Term ones(v.c, v.op<"full">(IntList(v.meta(3).sizes), Scalar(1), g.dtype()));
    count = count.op<"scatter_add">(dim, at, ones).op<"clamp_min">(Scalar(1));
    Term share = g / count;
    return Grads(v)(0, [&] { return finish(share); })(3, [&] { return gathered(v, share, 3); });
  }
  if (how == "prod") {
    return Grads(v)(0, [&] {
      Term self = arg(v, 0);
      Term safe = self.op<"masked_fill.Scalar">(self == Scalar(0), Scalar(1));
      Term product = safe.op<"scatter_reduce.two">(dim, at, arg(v, 3), v.args[4], v.args[5]);
      return finish(g * product / safe);
    })(3, [&] { return prod_gradient(v, g); });
  }
  // amax and amin: equal extremes share.
  Term self = arg(v, 0), src = arg(v, 3), y = out(v);
  Term mine = (self == y).to(g.dtype());
  Term theirs = (src == y.op<"gather">(dim, at)).to(g.dtype());
  Term share = g / mine.op<"scatter_add">(dim, at, theirs);
  return Grads(v)(0, [&] { return finish(mine * share); })(
      3, [&] { return theirs * share.op<"gather">(dim, at); });
}

template <class S>
void scatter_reduce_rule(S& s) {
  std::string_view how = s.text(4);
  if (how != "sum" && how != "prod" && how != "mean" && how != "amax" && how != "amin")
    s.fail(fmt::format("reduce argument must be either sum, prod, mean, amax or amin, got {}", how),
           "one of those");
  scatter_rule(s, "scatter", true);
}

// scatter with reduce="add" or "multiply", the older way to say it.
RefList scatter_with(Caller& c, const Arg& self, const Arg& dim, const Arg& at, const Ref& src,
                     const Arg& reduce) {
  Symbol how = reduce.as<Symbol>();
  if (how != "add" && how != "multiply")
    fail("scatter", "reduce argument must be either add or multiply.",
         fmt::format("it is '{}'", how.str()));
  return {c.op<"scatter_reduce.two">(self, dim, at, src, how == "add" ? "sum" : "prod", true)};
}

void reducing_scatters(Registry& r) {
  r.op("scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool "
       "include_self=True) -> Tensor")
      .kind(Kind::index)
      .lowering("scatter_reduce")
      .shape([](auto& s) { scatter_reduce_rule(s); })
      .inplace()
      .out()
      .raises_on_data()
      .saves({"self", "index", "src"}, 1)
      .vjp(scatter_reduce_vjp)
      .doc(
          "self with the elements of src combined where index says: reduce is sum, prod, mean, "
          "amax "
          "or amin; include_self says whether self's own element is one of those combined.");
  r.op("scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) {
        return scatter_with(c, a[0], a[1], a[2], a[3].ref(), a[4]);
      })
      .inplace();
  r.op("scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> "
       "Tensor")
      .composite([](Caller& c, std::span<const Arg> a) {
        DType t = meta(a[0].ref()).dtype;
        Ref src = c.op<"full">(IntList(meta(a[2].ref()).sizes), a[3], t);
        return scatter_with(c, a[0], a[1], a[2], src, a[4]);
      })
      .inplace();
}

// --- along a vector of indices ---

// What the source of index_add gets: a slice for each index.
Term selected(VjpCtx& v, const Term& g) {
  const auto& m = v.meta(3);
  Term at = arg(v, 2);
  if (m.dim() == 0 && v.meta(0).dim() > 0) at = at.op<"reshape">(IntList{Int(1)});
  Term slices = g.op<"index_select">(v.args[1], at);
  return m.dim() == 0 ? slices.op<"reshape">(IntList{}) : slices.op<"expand">(IntList(m.sizes));
}

template <class S>
void index_add_rule(S& s) {
  auto self = s.tensor(0), at = s.tensor(2), source = s.tensor(3);
  int64_t d = s.dim(1, self.dim());
  if (at.dim() > 1)
    s.fail(fmt::format("index_add_(): Index is supposed to be a vector, but got dim: {} with type: "
                       "{} and size: {}",
                       at.dim(), scalar_type_name(at.dtype), dims_text(at.sizes)),
           "reshape(-1) on the index", ErrorKind::index);
  if (!is_index(at.dtype))
    s.fail(fmt::format("index_add_(): Expected dtype int32/int64 for index but got: {}",
                       scalar_type_name(at.dtype)),
           "to(int64) on the index");
  if (self.dtype != source.dtype)
    s.fail(fmt::format("index_add_(): self ({}) and source ({}) must have the same scalar type",
                       scalar_type_name(self.dtype), scalar_type_name(source.dtype)),
           "convert one of them");
  if (source.dim() > 0 && d >= source.dim())
    s.fail(
        fmt::format("index_add_(): Indexing dim {} is out of bounds of the source tensor with dim "
                    "{}",
                    d, source.dim()),
        "a source of self's rank");
  bool same = rank_of(self) == rank_of(source);
  for (int64_t i = 0; same && i < rank_of(self); ++i)
    if (i != d) same = sizes_agree(size_at(self, i), size_at(source, i));
  if (!same)
    s.fail(fmt::format("source tensor shape must match self tensor shape, excluding the specified "
                       "dimension. Got self.shape = {} source.shape = {}",
                       dims_text(self.sizes), dims_text(source.sizes)),
           "a source with self's other sizes");
  if (!sizes_agree(at.numel(), size_at(source, d)))
    s.fail(fmt::format("index_add_(): Number of indices ({}) should be equal to source.size(dim): "
                       "({}), for dim: {}",
                       to_text(at.numel()), to_text(size_at(source, d)), d),
           "an index for each slice of the source");
  s.out(self.dtype, self.sizes);
}

template <class S>
void index_copy_rule(S& s) {
  auto self = s.tensor(0), at = s.tensor(2), source = s.tensor(3);
  using I = std::remove_cvref_t<decltype(self.offset)>;
  int64_t d = s.dim(1, self.dim());
  if (at.dim() > 1)
    s.fail(fmt::format("index_copy_(): Index should have dimension 1 or 0 (got {})", at.dim()),
           "reshape(-1) on the index", ErrorKind::index);
  if (source.dim() == 0 && !holds(size_eq(at.numel(), I(1))))
    s.fail(
        fmt::format("index_copy_(): When source is scalar, index should have one element (got {})",
                    to_text(at.numel())),
        "one index", ErrorKind::index);
  if (source.dim() != 0 && self.dim() != 0 && source.dim() != self.dim())
    s.fail(fmt::format("index_copy_(): When source and destination are not scalars, their "
                       "dimensionality must match. Source dimensionality ({}), destination "
                       "dimensionality ({})",
                       source.dim(), self.dim()),
           "a source of self's rank", ErrorKind::index);
  if (at.dtype != DType::i64)
    s.fail(fmt::format("index_copy_(): Expected a long tensor for index, but got {}",
                       scalar_type_name(at.dtype)),
           "to(int64) on the index");
  if (self.dtype != source.dtype)
    s.fail(fmt::format("index_copy_(): self and source expected to have the same dtype, but got "
                       "(self) {} and (source) {}",
                       scalar_type_name(self.dtype), scalar_type_name(source.dtype)),
           "convert one of them");
  DimsOf<I> mine(self.sizes), theirs(source.sizes);
  if (!mine.empty()) mine.erase(static_cast<size_t>(d));
  if (!theirs.empty()) theirs.erase(static_cast<size_t>(d));
  for (size_t i = 0; i < std::max(mine.size(), theirs.size()); ++i)
    if (mine.size() != theirs.size() || !sizes_agree(mine[i], theirs[i]))
      s.fail(fmt::format(
                 "index_copy_(): Source/destination tensor must have same slice shapes. "
                 "Destination slice shape: {} at dimension {} and source slice shape: {} at "
                 "dimension 0.",
                 dims_text(std::span<const I>(mine)), d, dims_text(std::span<const I>(theirs))),
             "a source with self's other sizes");
  if (source.dim() > 0 && !sizes_agree(at.numel(), source.size(d)))
    s.fail(fmt::format("index_copy_(): Number of indices ({}) should be equal to source.size(dim) "
                       "({})",
                       to_text(at.numel()), to_text(source.size(d))),
           "an index for each slice of the source", ErrorKind::index);
  s.out(self.dtype, self.sizes);
}

// A mask over one dimension, marked where the index says, chooses between value and self: the
// layout stays self's, and nothing is scattered but the mask.
RefList index_fill(Caller& c, const Arg& self_arg, const Arg& dim, const Arg& index,
                   const Term& value) {
  constexpr std::string_view op = "index_fill";
  Term self(c, self_arg.ref()), at(c, index.ref());
  auto m = self.meta(), i = at.meta();
  if (i.dtype != DType::i64)
    fail(op, "index_fill_(): Expected dtype int64 for index.",
         fmt::format("the index is {}", name(i.dtype)), ErrorKind::index);
  if (i.dim() > 1) fail(op, "Index has to be a vector/scalar", "reshape(-1) on the index");
  int64_t d = wrap_dim(dim.to_int().hint(), m.dim(), op);
  Int size = size_at(m, d);
  at = at.op<"reshape">(IntList{Int(-1)});
  at = Term(c, c.op<"where.self">((at < Scalar(0)).ref(), (at + Scalar(size)).ref(), at.ref()));
  Ref none = c.op<"full">(IntList{size}, Scalar(false), DType::boolean);
  Ref marks = c.op<"full">(IntList{at.meta().size(0)}, Scalar(true), DType::boolean);
  Term mask(c, c.op<"index_copy">(none, 0, at.ref(), marks));
  IntList sizes(m.sizes.size(), Int(1));
  if (m.dim() > 0) sizes[static_cast<size_t>(d)] = size;
  mask = mask.op<"reshape">(sizes);
  Ref filled = c.op<"where.self">(mask.ref(), value.to(m.dtype).ref(), self.ref());
  // Sizes of 1 keep their strides too, as in a copy of self.
  IntList strides = preserved_strides(m);
  bool same = true;
  for (size_t k = 0; k < strides.size(); ++k)
    same = same && known_equal(strides[k], meta(filled).strides[k]);
  return {same ? filled : c.op<"copy">(self.ref(), filled)};
}

void vectors(Registry& r) {
  r.op("index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor")
      .kind(Kind::index)
      .lowering("index_add")
      .shape([](auto& s) { index_add_rule(s); })
      .inplace()
      .out()
      .raises_on_data()
      .saves({"index"})
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] { return grad(v); })(3, [&] {
          Scalar alpha = number(v, 4);
          bool one = !alpha.is_symbolic() && alpha.to_double() == 1;
          return one ? selected(v, grad(v)) : selected(v, grad(v)) * alpha;
        });
      })
      .doc("self with alpha times each slice of source added to the slice that index names.");
  r.op("index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor")
      .kind(Kind::index)
      .lowering("index_copy")
      .shape([](auto& s) { index_copy_rule(s); })
      .inplace()
      .out()
      .raises_on_data()
      .saves({"index"})
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] {
          return grad(v).op<"index_fill.int_Scalar">(v.args[1], v.arg(2), Scalar(0));
        })(3, [&] { return selected(v, grad(v)); });
      })
      .doc("self with the slices that index names replaced by those of source.");
  r.op("index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) {
        Term value(c, c.op<"full">(IntList{}, a[3], meta(a[0].ref()).dtype));
        return index_fill(c, a[0], a[1], a[2], value);
      })
      .inplace()
      .raises_on_data()
      .doc("self with the slices that index names filled with value.");
  r.op("index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) {
        Term value(c, a[3].ref());
        if (value.meta().dim() != 0)
          fail("index_fill",
               fmt::format("index_fill_ only supports a 0-dimensional value tensor, but "
                           "got tensor with {} dimension(s).",
                           value.meta().dim()),
               "index_copy takes a slice for each index");
        return index_fill(c, a[0], a[1], a[2], value);
      })
      .inplace();
}

}  // namespace

void register_scatters(Registry& r) {
  scatters(r);
  reducing_scatters(r);
  vectors(r);
}

}  // namespace frit
