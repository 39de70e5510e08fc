// Views: ops whose output shares argument 0's storage. Each has a shape rule, an index map (which
// element an output index shows) and an inverse (the base with those elements replaced).
#include <algorithm>

#include "ops/families.h"
#include "ops/kind_rules.h"
#include "ops/views/view_rules.h"

namespace frit {
namespace {

using Index = std::span<const Int>;

// The multi-index of the k-th element in logical order, and back.
IntList unflatten_index(Int flat, std::span<const Int> sizes) {
  IntList index(sizes.size(), Int(0));
  for (size_t i = sizes.size(); i-- > 0;) {
    if (known_one(sizes[i])) continue;
    if (known_zero(sizes[i])) continue;  // there is no element to ask for
    index[i] = i == 0 ? flat : mod(flat, sizes[i]);
    flat = floordiv(flat, sizes[i]);
  }
  return index;
}
Int flatten_index(Index index, std::span<const Int> sizes) {
  Int flat = 0;
  for (size_t i = 0; i < sizes.size(); ++i) flat = flat * sizes[i] + index[i];
  return flat;
}

Ref reshaped_to(Caller& c, const Ref& t, std::span<const Int> sizes) {
  return c.op<"reshape">(t, IntList(sizes));
}

// dims normalised to a permutation of [0, rank).
template <class S>
SmallVector<int64_t, 8> permutation(S& s, int arg, int64_t rank) {
  auto given = s.ints(arg);
  SmallVector<int64_t, 8> dims;
  if (static_cast<int64_t>(given.size()) != rank)
    s.fail(
        "permute(sparse_coo): number of dimensions in the tensor input does not match the length "
        "of the desired "
        "ordering of dimensions i.e. input.dim() = " +
            std::to_string(rank) + " is not equal to len(dims) = " + std::to_string(given.size()),
        "every dimension once");
  for (size_t i = 0; i < given.size(); ++i) {
    int64_t d = wrap_dim(Int(given[i]).hint(), rank, s.op());
    if (std::find(dims.begin(), dims.end(), d) != dims.end())
      s.fail("permute(): duplicate dims are not allowed.", "every dimension once");
    dims.push_back(d);
  }
  return dims;
}

SmallVector<int64_t, 8> permutation_of(std::span<const Arg> args, int64_t rank) {
  SmallVector<int64_t, 8> dims;
  for (Int d : args[1].to_ints()) dims.push_back(wrap_dim(d.hint(), rank, "permute"));
  return dims;
}

// Which dims squeeze takes away: those of size 1 among the asked ones. A size that data decides is
// taken to be another; `checked`: by a check.
template <class S>
SmallVector<bool, 8> squeezed(S& s, int dims_arg, bool checked) {
  auto t = s.tensor(0);
  SmallVector<bool, 8> gone(t.sizes.size(), false);
  auto try_dim = [&](size_t d) {
    const IntOf<S> one(1);
    gone[d] = known_one(t.sizes[d]) || ask_or(size_eq(t.sizes[d], one), false) ||
              (checked && !holds(t.sizes[d] != one));
  };
  if (dims_arg < 0) {
    for (size_t d = 0; d < t.sizes.size(); ++d) try_dim(d);
    return gone;
  }
  SmallVector<bool, 8> seen(std::max<size_t>(t.sizes.size(), 1), false);
  for (auto given : s.ints(dims_arg)) {
    auto d = static_cast<size_t>(wrap_dim(Int(given).hint(), t.dim(), s.op()));
    if (seen[d])
      s.fail("dim " + std::to_string(d) + " appears multiple times in the list of dims",
             "each dim once");
    seen[d] = true;
    if (!t.sizes.empty()) try_dim(d);
  }
  return gone;
}

template <class S>
void squeeze_rule(S& s, int dims_arg) {
  auto t = s.tensor(0);
  auto gone = squeezed(s, dims_arg, true);
  DimsOf<IntOf<S>> sizes, strides;
  for (size_t d = 0; d < gone.size(); ++d)
    if (!gone[d]) sizes.push_back(t.sizes[d]), strides.push_back(t.strides[d]);
  s.view(0, sizes, strides, t.offset);
}

IndexMap squeeze_map(int dims_arg) {
  return [dims_arg](ShapeCtx<Int>& s, Index out) {
    auto gone = squeezed(s, dims_arg, false);
    IntList in;
    size_t next = 0;
    for (bool g : gone) in.push_back(g ? Int(0) : out[next++]);
    return in;
  };
}

Ref reshape_inverse(Caller& c, const Ref& base, const Ref& updated, std::span<const Arg>) {
  return reshaped_to(c, updated, meta(base).sizes);
}

// An expanded view that may be written repeats nothing: it has the base's elements, or none.
Ref expand_inverse(Caller& c, const Ref& base, const Ref& updated, std::span<const Arg> args) {
  if (std::ranges::any_of(meta(updated).sizes, [](Int s) { return known_zero(s); })) return base;
  return reshape_inverse(c, base, updated, args);
}

GradList reshape_back(VjpCtx& v) {
  return {Arg(v.op<"reshape">(v.grad(), IntList(v.meta(0).sizes)))};
}

// --- the rules that need more than a line ---

template <class S>
void slice_rule(S& s) {
  using I = IntOf<S>;
  auto t = s.tensor(0);
  if (t.dim() == 0) s.fail("slice() cannot be applied to a 0-dim tensor.", "unsqueeze(0) first");
  auto d = static_cast<size_t>(s.dim(1, t.dim()));
  auto opt = [&](int i) { return s.has(i) ? std::optional<I>(s.integer(i)) : std::nullopt; };
  I step = s.integer(4);
  auto range = slice_range(s, t.sizes[d], opt(2), opt(3), step);
  DimsOf<I> sizes(t.sizes), strides(t.strides);
  sizes[d] = range.length;
  strides[d] = checked_mul(t.strides[d], step);
  s.view(0, sizes, strides, checked_add(t.offset, checked_mul(range.start, t.strides[d])));
}

template <class S>
void select_rule(S& s) {
  using I = IntOf<S>;
  auto t = s.tensor(0);
  if (t.dim() == 0)
    s.fail("select() cannot be applied to a 0-dim tensor.", "item() reads it", ErrorKind::index);
  auto d = static_cast<size_t>(s.dim(1, t.dim()));
  I index = s.integer(2);
  if (!holds(index >= I(0) - t.sizes[d]) || !holds(index < t.sizes[d]))
    s.fail("select(): index " + text_of(index) + " out of range for tensor of size " +
               dims_text(std::span<const I>(t.sizes)) + " at dimension " + std::to_string(d),
           "an index between " + text_of(I(0) - t.sizes[d]) + " and " + text_of(t.sizes[d] - I(1)),
           ErrorKind::index);
  if (from_end(index)) index = index + t.sizes[d];
  DimsOf<I> sizes(t.sizes), strides(t.strides);
  I offset = checked_add(t.offset, checked_mul(index, t.strides[d]));
  sizes.erase(d);
  strides.erase(d);
  s.view(0, sizes, strides, offset);
}

Int selected_index(ShapeCtx<Int>& s, size_t d) {
  Int index = s.integer(2);
  return from_end(index) ? index + s.tensor(0).sizes[d] : index;
}

template <class S>
void expand_rule(S& s) {
  using I = IntOf<S>;
  auto t = s.tensor(0);
  auto wanted = s.ints(1);
  if (wanted.size() < t.sizes.size())
    s.fail("expand(" + std::string(name(t.dtype)) + "{" + dims_text(std::span<const I>(t.sizes)) +
               "}, size=" + dims_text(std::span<const I>(wanted)) +
               "): the number of sizes provided (" + std::to_string(wanted.size()) +
               ") must be greater or equal to the number of dimensions in the tensor (" +
               std::to_string(t.dim()) + ")",
           "at least as many sizes");
  size_t lead = wanted.size() - t.sizes.size();
  DimsOf<I> sizes(wanted.size(), I(1)), strides(wanted.size(), I(0));
  for (size_t i = 0; i < wanted.size(); ++i) {
    bool keep = known_equal(wanted[i], I(-1));
    if (i < lead) {
      if (keep || ask_or(wanted[i] < I(0), false))
        s.fail("The expanded size of the tensor (" + text_of(wanted[i]) +
                   ") isn't allowed in a leading, non-existing dimension " + std::to_string(i),
               "a size of 0 or more");
      sizes[i] = wanted[i];
      // A new dimension of any size takes the stride PyTorch gives it: as if it were laid out.
      continue;
    }
    const I& size = t.sizes[i - lead];
    if (keep || known_equal(size, wanted[i])) {
      sizes[i] = size;
      strides[i] = t.strides[i - lead];
    } else if (known_one(size) || ask_or(size_eq(size, I(1)), false)) {
      sizes[i] = wanted[i];
      strides[i] = ask_or(size_eq(wanted[i], I(1)), false) ? t.strides[i - lead] : I(0);
    } else if (holds(size_eq(size, wanted[i]))) {
      sizes[i] = size;
      strides[i] = t.strides[i - lead];
    } else {
      s.fail("The expanded size of the tensor (" + text_of(wanted[i]) +
                 ") must match the existing size (" + text_of(size) +
                 ") at non-singleton dimension " + std::to_string(i) +
                 ".  Target sizes: " + dims_text(std::span<const I>(wanted)) +
                 ".  Tensor sizes: " + dims_text(std::span<const I>(t.sizes)),
             "a size of " + text_of(size) + " there, or -1 to keep it");
    }
  }
  // PyTorch's inferExpandGeometry: a new dimension's stride is size * stride of the one inside it.
  for (size_t i = t.sizes.empty() ? 0 : lead; i-- > 0;) {
    I inner = i + 1 < sizes.size() ? checked_mul(sizes[i + 1], strides[i + 1]) : I(1);
    strides[i] = known_one(sizes[i]) || ask_or(size_eq(sizes[i], I(1)), false) ? inner : I(0);
  }
  s.view(0, sizes, strides, t.offset);
}

template <class S>
void as_strided_rule(S& s) {
  using I = IntOf<S>;
  auto t = s.tensor(0);
  auto sizes = s.ints(1), strides = s.ints(2);
  check_strided(s, std::span<const I>(sizes), std::span<const I>(strides));
  I offset = s.has(3) ? s.integer(3) : t.offset;
  if constexpr (std::is_same_v<I, int64_t>) within_storage(s, t.dtype, sizes, strides, offset);
  s.view(0, sizes, strides, offset);
}

// Where in t (dense, in some order of its dimensions) the element at storage position `flat` lies.
IntList index_of_position(const TensorMeta<Int>& t, Int flat) {
  SmallVector<size_t, 8> order;
  for (size_t i = 0; i < t.sizes.size(); ++i)
    if (!known_one(t.sizes[i])) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    int64_t x = t.strides[a].hint(), y = t.strides[b].hint();
    return x != y ? x > y : a < b;
  });
  IntList index(t.sizes.size(), Int(0));
  for (size_t k = 0; k < order.size(); ++k) {
    size_t i = order[k];
    index[i] = floordiv(flat, t.strides[i]);
    flat = flat - index[i] * t.strides[i];
  }
  return index;
}

template <class S>
void diagonal_rule(S& s) {
  using I = IntOf<S>;
  auto t = s.tensor(0);
  auto a = static_cast<size_t>(s.dim(2, t.dim())), b = static_cast<size_t>(s.dim(3, t.dim()));
  if (a == b)
    s.fail("diagonal dimensions cannot be identical " + std::to_string(s.constant(2)) + ", " +
               std::to_string(s.constant(3)),
           "two different dims");
  I k = s.integer(1);
  bool upper = ask_or(k >= I(0), true);
  I room = upper ? min(t.sizes[a], t.sizes[b] - k) : min(t.sizes[a] + k, t.sizes[b]);
  I length = max(room, I(0));
  I offset = t.offset;
  if (!ask_or(size_eq(length, I(0)), false))
    offset = checked_add(
        offset, upper ? checked_mul(k, t.strides[b]) : checked_mul(I(0) - k, t.strides[a]));
  DimsOf<I> sizes, strides;
  for (size_t i = 0; i < t.sizes.size(); ++i)
    if (i != a && i != b) sizes.push_back(t.sizes[i]), strides.push_back(t.strides[i]);
  sizes.push_back(length);
  strides.push_back(checked_add(t.strides[a], t.strides[b]));
  s.view(0, sizes, strides, offset);
}

IntList diagonal_index(ShapeCtx<Int>& s, Index out) {
  auto t = s.tensor(0);
  auto a = static_cast<size_t>(s.dim(2, t.dim())), b = static_cast<size_t>(s.dim(3, t.dim()));
  Int k = s.integer(1), i = out.back();
  bool upper = ask_or(k >= Int(0), true);
  IntList in;
  size_t next = 0;
  for (size_t d = 0; d < t.sizes.size(); ++d)
    in.push_back(d == a ? (upper ? i : i - k) : d == b ? (upper ? i + k : i) : out[next++]);
  return in;
}

template <class S>
void unfold_rule(S& s) {
  using I = IntOf<S>;
  auto t = s.tensor(0);
  auto d = static_cast<size_t>(s.dim(1, t.dim()));
  I room = t.dim() == 0 ? I(1) : t.sizes[d];
  I size = s.integer(2), step = s.integer(3);
  if (ask_or(size < I(0), false))
    s.fail("size is " + text_of(size) + " but must be >= 0", "a size of 0 or more");
  if (!holds(size <= room))
    s.fail("maximum size for tensor at dimension " + std::to_string(d) + " is " + text_of(room) +
               " but size is " + text_of(size),
           "a size of at most " + text_of(room));
  if (!holds(step > I(0)))
    s.fail("step is " + text_of(step) + " but must be > 0", "a step of 1 or more");
  DimsOf<I> sizes(t.sizes), strides(t.strides);
  if (t.dim() == 0) {
    sizes.push_back(size);
    strides.push_back(I(1));
  } else {
    I inner = strides[d];
    sizes[d] = floordiv(room - size, step) + I(1);
    strides[d] = checked_mul(step, inner);
    sizes.push_back(size);
    strides.push_back(inner);
  }
  s.view(0, sizes, strides, t.offset);
}

}  // namespace

void register_views(Registry& r) {
  r.op("view(Tensor(a) self, SymInt[] size) -> Tensor(a)")
      .shape([](auto& s) {
        using I = IntOf<decltype(s)>;
        auto t = s.tensor(0);
        auto sizes = infer_size(s, s.ints(1), t.numel());
        auto strides = view_strides<I>(t, sizes);
        if (!strides)
          s.fail(
              "view size is not compatible with input tensor's size and stride (at least one "
              "dimension spans across "
              "two contiguous subspaces). Use .reshape(...) instead.",
              "reshape(" + dims_text(std::span<const I>(sizes)) + ")");
        s.view(0, sizes, *strides, t.offset);
      })
      .view(
          [](ShapeCtx<Int>& s, Index out) {
            auto t = s.tensor(0);
            return unflatten_index(flatten_index(out, infer_size(s, s.ints(1), t.numel())),
                                   t.sizes);
          },
          reshape_inverse)
      .vjp(reshape_back)
      .doc("The same elements under other sizes, without a copy.");

  r.op("permute(Tensor(a) self, int[] dims) -> Tensor(a)")
      .shape([](auto& s) {
        using I = IntOf<decltype(s)>;
        auto t = s.tensor(0);
        DimsOf<I> sizes, strides;
        for (int64_t d : permutation(s, 1, t.dim()))
          sizes.push_back(t.size(d)), strides.push_back(t.stride(d));
        s.view(0, sizes, strides, t.offset);
      })
      .view(
          [](ShapeCtx<Int>& s, Index out) {
            auto dims = permutation_of(s.args(), s.tensor(0).dim());
            IntList in(dims.size(), Int(0));
            for (size_t i = 0; i < dims.size(); ++i) in[static_cast<size_t>(dims[i])] = out[i];
            return in;
          },
          [](Caller& c, const Ref& base, const Ref& updated, std::span<const Arg> args) {
            auto dims = permutation_of(args, meta(base).dim());
            IntList inverse(dims.size(), Int(0));
            for (size_t i = 0; i < dims.size(); ++i)
              inverse[static_cast<size_t>(dims[i])] = Int(static_cast<int64_t>(i));
            return c.op<"permute">(updated, inverse);
          })
      .vjp([](VjpCtx& v) -> GradList {
        auto dims = permutation_of(v.args, v.meta(0).dim());
        IntList inverse(dims.size(), Int(0));
        for (size_t i = 0; i < dims.size(); ++i)
          inverse[static_cast<size_t>(dims[i])] = Int(static_cast<int64_t>(i));
        return {Arg(v.op<"permute">(v.grad(), inverse))};
      })
      .doc("The dimensions in another order.");

  r.op("transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)")
      .shape([](auto& s) {
        using I = IntOf<decltype(s)>;
        auto t = s.tensor(0);
        auto a = static_cast<size_t>(s.dim(1, t.dim())), b = static_cast<size_t>(s.dim(2, t.dim()));
        DimsOf<I> sizes(t.sizes), strides(t.strides);
        if (t.dim() > 0) std::swap(sizes[a], sizes[b]), std::swap(strides[a], strides[b]);
        s.view(0, sizes, strides, t.offset);
      })
      .view(
          [](ShapeCtx<Int>& s, Index out) {
            int64_t rank = s.tensor(0).dim();
            IntList in(out);
            if (rank > 0)
              std::swap(in[static_cast<size_t>(s.dim(1, rank))],
                        in[static_cast<size_t>(s.dim(2, rank))]);
            return in;
          },
          [](Caller& c, const Ref&, const Ref& updated, std::span<const Arg> args) {
            return c.op<"transpose.int">(updated, args[1], args[2]);
          })
      .inplace("")
      .vjp([](VjpCtx& v) -> GradList {
        return {Arg(v.op<"transpose.int">(v.grad(), v.args[1], v.args[2]))};
      })
      .doc("Two dimensions exchanged.");

  r.op("t(Tensor(a) self) -> Tensor(a)")
      .shape([](auto& s) {
        using I = IntOf<decltype(s)>;
        auto t = s.tensor(0);
        if (t.dim() > 2)
          s.fail("t() expects a tensor with <= 2 dimensions, but self is " +
                     std::to_string(t.dim()) + "D",
                 "transpose(0, 1)");
        DimsOf<I> sizes(t.sizes), strides(t.strides);
        if (t.dim() == 2) std::swap(sizes[0], sizes[1]), std::swap(strides[0], strides[1]);
        s.view(0, sizes, strides, t.offset);
      })
      .view(
          [](ShapeCtx<Int>&, Index out) {
            IntList in(out);
            if (in.size() == 2) std::swap(in[0], in[1]);
            return in;
          },
          [](Caller& c, const Ref&, const Ref& updated, std::span<const Arg>) {
            return c.op<"t">(updated);
          })
      .inplace()
      .vjp([](VjpCtx& v) -> GradList { return {Arg(v.op<"t">(v.grad()))}; })
      .doc("A matrix transposed; vectors and scalars as they are.");

  r.op("expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)")
      .shape([](auto& s) { expand_rule(s); })
      .view(
          [](ShapeCtx<Int>& s, Index out) {
            auto t = s.tensor(0);
            IntList in;
            size_t lead = out.size() - t.sizes.size();
            for (size_t i = 0; i < t.sizes.size(); ++i)
              in.push_back(known_one(t.sizes[i]) || ask_or(size_eq(t.sizes[i], Int(1)), false)
                               ? Int(0)
                               : out[lead + i]);
            return in;
          },
          expand_inverse)
      .vjp(
          [](VjpCtx& v) -> GradList { return {Arg(sum_to_sizes(v.c, v.grad(), v.meta(0).sizes))}; })
      .doc("Dimensions of size 1 repeated, without a copy.");

  r.op("squeeze(Tensor(a) self) -> Tensor(a)")
      .shape([](auto& s) { squeeze_rule(s, -1); })
      .view(squeeze_map(-1), reshape_inverse)
      .inplace()
      .vjp(reshape_back)
      .doc("Without the dimensions of size 1.");
  r.op("squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)")
      .shape([](auto& s) { squeeze_rule(s, 1); })
      .view(squeeze_map(1), reshape_inverse)
      .inplace()
      .vjp(reshape_back);
  r.op("squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)")
      .shape([](auto& s) { squeeze_rule(s, 1); })
      .view(squeeze_map(1), reshape_inverse)
      .inplace()
      .vjp(reshape_back);

  r.op("unsqueeze(Tensor(a) self, int dim) -> Tensor(a)")
      .shape([](auto& s) {
        using I = IntOf<decltype(s)>;
        auto t = s.tensor(0);
        auto d = static_cast<size_t>(s.dim(1, t.dim() + 1));
        DimsOf<I> sizes(t.sizes), strides(t.strides);
        I stride = d < t.sizes.size() ? checked_mul(t.sizes[d], t.strides[d]) : I(1);
        sizes.insert(d, I(1));
        strides.insert(d, stride);
        s.view(0, sizes, strides, t.offset);
      })
      .view(
          [](ShapeCtx<Int>& s, Index out) {
            IntList in(out);
            in.erase(static_cast<size_t>(s.dim(1, s.tensor(0).dim() + 1)));
            return in;
          },
          reshape_inverse)
      .inplace()
      .vjp(reshape_back)
      .doc("With a new dimension of size 1.");

  r.op("select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)")
      .shape([](auto& s) { select_rule(s); })
      .view(
          [](ShapeCtx<Int>& s, Index out) {
            auto d = static_cast<size_t>(s.dim(1, s.tensor(0).dim()));
            IntList in(out);
            in.insert(d, selected_index(s, d));
            return in;
          },
          [](Caller& c, const Ref& base, const Ref& updated, std::span<const Arg> args) {
            return c.op<"select_scatter">(base, updated, args[1], args[2]);
          })
      .vjp([](VjpCtx& v) -> GradList {
        return {
            Arg(v.op<"select_backward">(v.grad(), IntList(v.meta(0).sizes), v.args[1], v.args[2]))};
      })
      .doc("One index of a dimension, which goes away.");

  r.op("slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt "
       "step=1) -> Tensor(a)")
      .shape([](auto& s) { slice_rule(s); })
      .view(
          [](ShapeCtx<Int>& s, Index out) {
            auto t = s.tensor(0);
            auto d = static_cast<size_t>(s.dim(1, t.dim()));
            auto opt = [&](int i) {
              return s.has(i) ? std::optional<Int>(s.integer(i)) : std::nullopt;
            };
            auto range = slice_range(s, t.sizes[d], opt(2), opt(3), s.integer(4));
            IntList in(out);
            in[d] = range.start + out[d] * s.integer(4);
            return in;
          },
          [](Caller& c, const Ref& base, const Ref& updated, std::span<const Arg> args) {
            return c.op<"slice_scatter">(base, updated, args[1], args[2], args[3], args[4]);
          })
      .vjp([](VjpCtx& v) -> GradList {
        // slice_backward's bounds are not optional: the whole range where they are absent.
        Arg start = v.args[2].is_none() ? Arg(0) : v.args[2];
        Arg end =
            v.args[3].is_none()
                ? Arg(v.meta(0).size(wrap_dim(v.args[1].to_int().hint(), v.meta(0).dim(), "slice")))
                : v.args[3];
        return {Arg(v.op<"slice_backward">(v.grad(), IntList(v.meta(0).sizes), v.args[1], start,
                                           end, v.args[4]))};
      })
      .doc("A range of one dimension.");

  r.op("as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> "
       "Tensor(a)")
      .shape([](auto& s) { as_strided_rule(s); })
      .view(
          [](ShapeCtx<Int>& s, Index out) {
            auto t = s.tensor(0);
            auto strides = s.ints(2);
            Int flat = s.has(3) ? s.integer(3) : Int(0);
            for (size_t i = 0; i < out.size(); ++i) flat = flat + out[i] * strides[i];
            return index_of_position(t, flat);
          },
          [](Caller& c, const Ref& base, const Ref& updated, std::span<const Arg> args) {
            return c.op<"as_strided_scatter">(base, updated, args[1], args[2], args[3]);
          })
      .counts_from_storage("storage_offset")
      .inplace()
      .vjp([](VjpCtx& v) -> GradList {
        // Each element's gradient goes back to the storage position it was read from.
        Int from = v.args[3].is_none() ? Int(0) : v.args[3].to_int() - v.meta(0).offset;
        return {Arg(v.op<"as_strided_backward">(v.grad(), IntList(v.meta(0).sizes),
                                                IntList(v.meta(0).strides), v.args[1], v.args[2],
                                                from))};
      })
      .doc("A view of the storage with any sizes and strides.");

  r.op("diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)")
      .shape([](auto& s) { diagonal_rule(s); })
      .view(diagonal_index,
            [](Caller& c, const Ref& base, const Ref& updated, std::span<const Arg> args) {
              return c.op<"diagonal_scatter">(base, updated, args[1], args[2], args[3]);
            })
      .vjp([](VjpCtx& v) -> GradList {
        return {Arg(v.op<"diagonal_backward">(v.grad(), IntList(v.meta(0).sizes), v.args[1],
                                              v.args[2], v.args[3]))};
      })
      .doc("A diagonal of two dimensions, as the last dimension.");

  r.op("unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)")
      .shape([](auto& s) { unfold_rule(s); })
      .view(
          [](ShapeCtx<Int>& s, Index out) {
            auto t = s.tensor(0);
            if (t.dim() == 0) return IntList{};
            auto d = static_cast<size_t>(s.dim(1, t.dim()));
            IntList in(out.begin(), out.end() - 1);
            in[d] = out[d] * s.integer(3) + out.back();
            return in;
          },
          [](Caller& c, const Ref& base, const Ref& updated, std::span<const Arg> args) {
            ArgList call{Arg(base), args[1], args[2], args[3]};
            ShapeCtx<Int> s(find_op("unfold"), call);
            unfold_rule(s);
            return c.op<"as_strided_scatter">(base, updated, s.outs()[0].sizes, s.outs()[0].strides,
                                              Arg());
          })
      .vjp([](VjpCtx& v) -> GradList {
        return {Arg(v.op<"unfold_backward">(v.grad(), IntList(v.meta(0).sizes), v.args[1],
                                            v.args[2], v.args[3]))};
      })
      .doc("Overlapping windows of a dimension, as a new last one.");

  r.op("alias(Tensor(a) self) -> Tensor(a)")
      .shape([](auto& s) {
        auto t = s.tensor(0);
        s.view(0, t.sizes, t.strides, t.offset);
      })
      .view([](ShapeCtx<Int>&, Index out) { return IntList(out); },
            [](Caller&, const Ref&, const Ref& updated, std::span<const Arg>) { return updated; })
      .vjp([](VjpCtx& v) -> GradList { return {Arg(v.grad())}; })
      .doc("The same tensor as another object.");

  r.op("detach(Tensor(a) self) -> Tensor(a)")
      .shape([](auto& s) {
        auto t = s.tensor(0);
        s.view(0, t.sizes, t.strides, t.offset);
      })
      .view([](ShapeCtx<Int>&, Index out) { return IntList(out); },
            [](Caller&, const Ref&, const Ref& updated, std::span<const Arg>) { return updated; })
      .not_differentiable()
      .doc("The same elements, cut from the tape.");
}

}  // namespace frit
