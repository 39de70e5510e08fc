// The same values in another place, layout or dtype.
//
// Of a record of kind copy, the last tensor argument is what is copied: broadcast to the output's
// sizes and converted to its dtype. With an index map, output element i is element map(i) of it.
#include <fmt/format.h>

#include <algorithm>

#include "ops/copy/memory_format.h"
#include "ops/families.h"
#include "ops/vjp_helpers.h"

namespace frit {
namespace {

using Index = std::span<const Int>;

// Argument i as a memory format.
template <class I>
MemoryFormat format_at(const ShapeCtx<I>& s, std::string_view arg, MemoryFormat otherwise) {
  int i = s.find(arg);
  return memory_format(s.args()[static_cast<size_t>(i)], otherwise, s.op());
}

template <class S>
void clone_rule(S& s) {
  auto t = s.tensor(0);
  int dtype = s.find("dtype");
  auto strides = format_strides(s, t, format_at(s, "memory_format", MemoryFormat::preserve));
  s.out(dtype < 0 ? t.dtype : s.dtype_or(dtype, t.dtype), t.sizes, strides);
}

// src in self's sizes, strides and dtype. It must broadcast to them.
template <class S>
void copy_rule(S& s) {
  auto self = s.tensor(0), src = s.tensor(1);
  using I = std::remove_cvref_t<decltype(self.offset)>;
  DimsOf<I> sizes(self.sizes);
  size_t at = 0;
  if (!broadcast_into<I>(sizes, src.sizes, at)) {
    size_t lead = sizes.size() - src.sizes.size();
    s.fail(fmt::format("The size of tensor a ({}) must match the size of tensor b ({}) at "
                       "non-singleton dimension {}",
                       to_text(sizes[at]), to_text(src.sizes[at - lead]), at),
           fmt::format("a is {}, b is {}; sizes are compared from the last one back, and b's must "
                       "be equal or 1",
                       dims_text(self.sizes), dims_text(src.sizes)));
  }
  bool fits = sizes.size() == self.sizes.size();
  for (size_t i = 0; fits && i < sizes.size(); ++i) fits = sizes_agree(sizes[i], self.sizes[i]);
  if (!fits)
    s.fail(fmt::format("output with shape {} doesn't match the broadcast shape {}",
                       dims_text(self.sizes), dims_text(std::span<const I>(sizes))),
           "the source must broadcast to the sizes of the tensor that is written");
  s.out(self.dtype, self.sizes, preserved_strides(self));
}

GradList history_vjp(VjpCtx& v) {
  GradList grads(3);
  if (v.needs(1)) grads[1] = Arg(v.grad());
  if (v.needs(2)) {
    std::vector<Ref> zeros;
    for (const TensorMeta<Int>& m : v.list_metas[2])
      zeros.push_back(v.cast_to(sum_to_sizes(v.c, grad(v).zeros_like(), m.sizes), m.dtype));
    grads[2] = Arg(std::move(zeros));
  }
  return grads;
}

void copies(Registry& r) {
  r.op("copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor")
      .kind(Kind::copy)
      .shape([](auto& s) { copy_rule(s); })
      .inplace()
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] { return grad(v).zeros_like(); })(1, [&] { return grad(v); });
      })
      .doc("src, broadcast and converted to self's sizes and dtype.");

  r.op("_history(Tensor self, Tensor? kept, Tensor[] flat) -> Tensor")
      .shape([](auto& s) {
        auto self = s.tensor(0);
        s.out(self.dtype, self.sizes, self.strides);
      })
      .composite([](Caller&, auto a) -> RefList { return {a[0].ref()}; })
      .of_graphs()
      .vjp(history_vjp)
      .doc(
          "self, whose gradient goes to kept as it is, and is 0 for flat: what a write means to "
          "a graph where the tape has it otherwise than the op that computes self.");

  r.op("clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor")
      .kind(Kind::copy)
      .shape([](auto& s) { clone_rule(s); })
      .vjp([](VjpCtx& v) -> GradList { return Grads(v)(0, [&] { return grad(v); }); })
      .doc("A copy, with the same strides where self is dense.");

  r.op("_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
       "bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> "
       "Tensor")
      .kind(Kind::copy)
      .shape([](auto& s) { clone_rule(s); })
      .vjp([](VjpCtx& v) -> GradList { return Grads(v)(0, [&] { return grad(v); }); })
      .doc("A copy in another dtype.");

  r.op("contiguous(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        auto t = meta(a[0].ref());
        MemoryFormat f = memory_format(a[1], MemoryFormat::contiguous, "contiguous");
        if (f == MemoryFormat::preserve)
          throw UserError(ErrorKind::runtime, "contiguous",
                          "preserve memory format is unsupported by the contiguous operator",
                          "clone() keeps the layout");
        if (f == MemoryFormat::contiguous) {
          if (contiguous(t.sizes, t.strides)) return {a[0].ref()};
          expect_layout_matters(t.sizes);
        } else {
          ShapeCtx<Int> s(find_op("contiguous"), a);
          if (layout::same_dims<Int>(format_strides(s, t, f), t.strides)) return {a[0].ref()};
        }
        return {c.op<"clone">(a[0].ref(), a[1])};
      })
      .doc("self where it lies in memory in row-major order, else a copy that does.");
}

// self itself where nothing would change.
RefList converted(Caller& c, const Ref& t, DType dtype, bool copy, const Arg& format,
                  std::string_view op) {
  auto m = meta(t);
  MemoryFormat f = memory_format(format, MemoryFormat::preserve, op);
  bool laid_out =
      f == MemoryFormat::preserve ||
      (f == MemoryFormat::contiguous ? !looks_channels_last(m) : looks_channels_last(m));
  if (!copy && m.dtype == dtype && laid_out) return {t};
  return {c.op<"_to_copy">(t, dtype, Arg(), Arg(), Arg(), false, format)};
}

void conversions(Registry& r) {
  r.op("to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, "
       "MemoryFormat? memory_format=None) -> Tensor(a)")
      .composite([](Caller& c, std::span<const Arg> a) {
        return converted(c, a[0].ref(), a[1].as<DType>(), a[3].to_bool(), a[4], "to");
      })
      .doc("self in another dtype; self itself where it has that dtype already and copy is false.");
  r.op("to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, "
       "MemoryFormat? memory_format=None) -> Tensor(a)")
      .composite([](Caller& c, std::span<const Arg> a) {
        return converted(c, a[0].ref(), meta(a[1].ref()).dtype, a[3].to_bool(), a[4], "to");
      });
  r.op("to.device(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, bool "
       "copy=False, MemoryFormat? memory_format=None) -> Tensor(a)")
      .composite([](Caller& c, std::span<const Arg> a) {
        return converted(c, a[0].ref(), a[2].as<DType>(), a[4].to_bool(), a[5], "to");
      });
  r.op("type_as(Tensor self, Tensor other) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) {
        return converted(c, a[0].ref(), meta(a[1].ref()).dtype, false, Arg(), "type_as");
      })
      .doc("self in the dtype of other.");
}

// dims as a mask over [0, rank); an error where one is given twice.
template <class S>
SmallVector<bool, 8> dims_mask(S& s, int arg, int64_t rank) {
  SmallVector<bool, 8> mask(static_cast<size_t>(std::max<int64_t>(rank, 1)), false);
  for (const auto& given : s.ints(arg)) {
    int64_t d = wrap_dim(as_int64_or_hint(given), rank, s.op());
    if (std::exchange(mask[static_cast<size_t>(d)], true))
      s.fail(fmt::format("dim {} appears multiple times in the list of dims", d),
             "name each dim once; negative ones count from the end");
  }
  return mask;
}

template <class S>
void flip_rule(S& s) {
  auto t = s.tensor(0);
  dims_mask(s, 1, t.dim());
  s.out(t.dtype, t.sizes, preserved_strides(t));
}

IntList flip_map(ShapeCtx<Int>& s, Index out) {
  auto t = s.tensor(0);
  auto mask = dims_mask(s, 1, t.dim());
  IntList in(out);
  for (size_t d = 0; d < in.size(); ++d)
    if (mask[d]) in[d] = t.sizes[d] - 1 - in[d];
  return in;
}

template <class S>
void roll_rule(S& s) {
  auto t = s.tensor(0);
  using I = std::remove_cvref_t<decltype(t.offset)>;
  auto shifts = s.ints(1), dims = s.ints(2);
  if (shifts.empty()) s.fail("`shifts` required", "one shift for each dim");
  if (!(dims.empty() && shifts.size() == 1)) {
    if (shifts.size() != dims.size())
      s.fail(fmt::format("shifts and dimensions must align. shifts: {}, dims:{}", shifts.size(),
                         dims.size()),
             "one shift for each dim, or one shift and no dims to roll the flattened tensor");
    for (const I& d : dims) {
      if (t.dim() == 0)
        s.fail(fmt::format("Dimension specified as {} but tensor has no dimensions", to_text(d)),
               "no dims", ErrorKind::index);
      wrap_dim(as_int64_or_hint(d), t.dim(), s.op());
    }
  }
  // Made by cat in PyTorch, which gives row-major or channels-last results; a copy where empty.
  bool empty = ask_or(size_eq(t.numel(), I(0)), false);
  bool one_dim = dims.size() >= 1;
  if (empty && one_dim)
    s.out(t.dtype, t.sizes, preserved_strides(t));
  else if (one_dim && looks_channels_last(t))
    s.out(t.dtype, t.sizes, channels_inside_strides<I>(t.sizes));
  else
    s.out(t.dtype, t.sizes);
}

// The index that comes to i when a dimension of that size is rolled on.
Int rolled(Int i, Int shift, Int size) { return known_zero(size) ? i : mod(i - shift, size); }

IntList roll_map(ShapeCtx<Int>& s, Index out) {
  auto t = s.tensor(0);
  IntList shifts = s.ints(1), dims = s.ints(2), in(out);
  if (!dims.empty()) {
    for (size_t k = 0; k < dims.size(); ++k) {
      auto d = static_cast<size_t>(wrap_dim(dims[k].hint(), t.dim(), s.op()));
      in[d] = rolled(in[d], shifts[k], t.sizes[d]);
    }
    return in;
  }
  Int flat = 0;
  for (size_t d = 0; d < in.size(); ++d) flat = flat * t.sizes[d] + in[d];
  flat = rolled(flat, shifts[0], t.numel());
  for (size_t d = in.size(); d-- > 0;) {
    if (known_zero(t.sizes[d])) continue;
    in[d] = d == 0 ? flat : mod(flat, t.sizes[d]);
    flat = floordiv(flat, t.sizes[d]);
  }
  return in;
}

OpBuilder& moving(OpBuilder& b, IndexMap map) {
  b.kind(Kind::copy);
  b.record().index_map = std::move(map);
  return b;
}

void moves(Registry& r) {
  moving(r.op("flip(Tensor self, int[] dims) -> Tensor"), flip_map)
      .shape([](auto& s) { flip_rule(s); })
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] { return grad(v).op<"flip">(v.args[1]); });
      })
      .doc("The elements in reverse order along dims.");
  moving(r.op("roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor"), roll_map)
      .shape([](auto& s) { roll_rule(s); })
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] {
          IntList back = v.args[1].to_ints();
          for (Int& n : back) n = -n;
          return grad(v).op<"roll">(back, v.args[2]);
        });
      })
      .doc("Each element shifts on along dims; what leaves at the end comes in at the start.");
}

// An empty tensor of one dimension stands for nothing, whatever the others' rank.
template <class I>
bool skipped(const TensorMeta<I>& t) {
  return t.dim() == 1 && ask_or(size_eq(t.sizes[0], I(0)), false);
}

template <class S>
void cat_rule(S& s) {
  auto tensors = s.tensors(0);
  using I = std::remove_cvref_t<decltype(tensors[0].offset)>;
  if (tensors.empty())
    s.fail("expected a non-empty list of Tensors", "at least one tensor", ErrorKind::value);
  TypePromotion types;
  const TensorMeta<I>* first = nullptr;
  bool channels_last = true;
  size_t first_at = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto& t = tensors[i];
    if (t.dim() == 0)
      s.fail(fmt::format("zero-dimensional tensor (at position {}) cannot be concatenated", i),
             "stack() makes a dimension");
    types.add_tensor(t.dtype, false);
    channels_last = channels_last && looks_channels_last(t);
    if (!first && !skipped(t)) first = &t, first_at = i;
  }
  if (!first) {
    s.out(types.result(), DimsOf<I>{I(0)});
    return;
  }
  auto d = static_cast<size_t>(s.dim(1, first->dim()));
  DimsOf<I> sizes(first->sizes);
  for (size_t i = first_at + 1; i < tensors.size(); ++i) {
    const auto& t = tensors[i];
    if (skipped(t)) continue;
    if (t.dim() != first->dim())
      s.fail(fmt::format("Tensors must have same number of dimensions: got {} and {}", first->dim(),
                         t.dim()),
             "unsqueeze() adds a dimension");
    for (size_t k = 0; k < sizes.size(); ++k) {
      if (k == d || sizes_agree(t.sizes[k], sizes[k])) continue;
      s.fail(fmt::format("Sizes of tensors must match except in dimension {}. Expected size {} but "
                         "got size {} for tensor number {} in the list.",
                         d, to_text(sizes[k]), to_text(t.sizes[k]), i),
             fmt::format("tensor {} is {}, tensor {} is {}", first_at, dims_text(first->sizes), i,
                         dims_text(t.sizes)));
    }
    sizes[d] = checked_add(sizes[d], t.sizes[d]);
  }
  if (channels_last)
    s.out(types.result(), sizes, channels_inside_strides<I>(sizes));
  else
    s.out(types.result(), sizes);
}

GradList cat_vjp(VjpCtx& v) {
  GradList g(2);
  if (!v.needs(0)) return g;
  const auto& list = v.list_metas[0];
  int64_t rank = v.out_metas[0].dim();
  Int dim = wrap_dim(v.args[1].to_int().hint(), rank, "cat");
  std::vector<Ref> parts;
  Int at = 0;
  for (const TensorMeta<Int>& t : list) {
    if (skipped(t) && rank != 1) {
      parts.push_back(v.op<"zeros">(IntList(t.sizes), t.dtype));
      continue;
    }
    Int end = at + t.size(dim.constant());
    parts.push_back(v.cast_to(v.op<"slice.Tensor">(v.grad(), dim, at, end), t.dtype));
    at = end;
  }
  g[0] = Arg(std::move(parts));
  return g;
}

void concatenation(Registry& r) {
  r.op("cat(Tensor[] tensors, int dim=0) -> Tensor")
      .kind(Kind::copy)
      .lowering("cat")
      .shape([](auto& s) { cat_rule(s); })
      .out()
      .vjp(cat_vjp)
      .doc("Tensors one after the other along a dimension they have; other sizes are equal.");
  for (const char* name : {"concat", "concatenate"})
    r.op(std::string(name) + "(Tensor[] tensors, int dim=0) -> Tensor")
        .composite(
            [](Caller& c, std::span<const Arg> a) -> RefList { return {c.op<"cat">(a[0], a[1])}; })
        .doc("cat under another name.");
}

}  // namespace

void register_copy(Registry& r) {
  copies(r);
  conversions(r);
  moves(r);
  concatenation(r);
}

}  // namespace frit
