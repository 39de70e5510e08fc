// Views written in other views, and the scatters that write through a view.
#include <fmt/format.h>

#include <algorithm>

#include "ops/copy/memory_format.h"
#include "ops/families.h"
#include "ops/views/view_rules.h"
#include "ops/vjp_helpers.h"

namespace frit {
namespace {

IntList sizes_of(const Ref& t) { return IntList(meta(t).sizes); }

Ref slice(Caller& c, const Ref& t, int64_t dim, Int start, Int end) {
  return c.op<"slice.Tensor">(t, dim, start, end);
}

[[noreturn]] void fail(std::string_view op, std::string message, std::string hint,
                       ErrorKind kind = ErrorKind::runtime) {
  throw UserError(kind, op, std::move(message), std::move(hint));
}

int64_t dim_arg(const Arg& a, int64_t rank, std::string_view op) {
  return wrap_dim(a.to_int().hint(), rank, op);
}

RefList split_by(Caller& c, const Ref& t, std::span<const Int> lengths, int64_t dim) {
  RefList parts;
  Int at = 0;
  for (Int n : lengths) {
    parts.push_back(slice(c, t, dim, at, at + n));
    at = at + n;
  }
  return parts;
}

// Equal pieces, the last one smaller; how many there are is part of the program, hence a guard.
RefList split_equally(Caller& c, const Ref& t, Int piece, int64_t dim) {
  Int size = meta(t).size(dim);
  int64_t count = 1;
  if (piece.hint() > 0)
    count = std::max<int64_t>((size.hint() + piece.hint() - 1) / piece.hint(), 1);
  std::vector<Int> lengths;
  Int left = size;
  for (int64_t i = 0; i + 1 < count; ++i) {
    lengths.push_back(piece);
    left = left - piece;
  }
  // Asked so that other sizes that give another number of pieces do not take this path.
  if (count > 1 || piece.hint() > 0) {
    (void)holds(left <= piece);
    if (count > 1) (void)holds(left > Int(0));
  }
  lengths.push_back(left);
  return split_by(c, t, lengths, dim);
}

// self's own strides, gaps included, as PyTorch copies it; packed where elements share memory.
// The source of a scatter must be as large as what the view op of the same arguments shows.
template <class S>
void source_fits(S& s, std::string_view view) {
  using I = IntOf<S>;
  auto src = s.tensor(1);
  ArgList args{s.args()[0]};
  args.append(s.args().begin() + 2, s.args().end());
  const OpRecord& record = find_op(view);
  ShapeCtx<I> shown(record, args, &s.called());
  if constexpr (std::is_same_v<I, Int>)
    record.shape_symbolic(shown);
  else
    record.shape(shown);
  std::span<const I> wanted = shown.outs()[0].sizes;
  bool fits = src.sizes.size() == wanted.size();
  for (size_t d = 0; fits && d < wanted.size(); ++d) fits = sizes_agree(src.sizes[d], wanted[d]);
  if (!fits)
    s.fail("expected src to have a size equal to the slice of self. src size = " +
               dims_text(src.sizes) + ", slice size = " + dims_text(wanted),
           "a src of sizes " + dims_text(wanted));
}

template <class S>
void scatter_rule(S& s) {
  auto t = s.tensor(0);
  using I = IntOf<S>;
  bool shared = false;
  for (size_t i = 0; i < t.sizes.size(); ++i)
    shared = shared || (ask_or(size_eq(t.strides[i], I(0)), false) && !known_one(t.sizes[i]) &&
                        ask_or(t.sizes[i] > I(1), true));
  s.out(t.dtype, t.sizes, shared ? preserved_strides(t) : DimsOf<I>(t.strides));
}

// The gradient is what unfold gives of a tensor of input_sizes.
template <class S>
void unfold_backward_rule(S& s) {
  auto g = s.tensor(0);
  auto sizes = s.ints(1);
  using I = std::remove_cvref_t<decltype(g.offset)>;
  const int64_t rank = static_cast<int64_t>(sizes.size()), d = s.dim(2, rank);
  const I size = s.integer(3), step = s.integer(4);
  if (!holds(step > I(0)))
    s.fail(fmt::format("step is {} but must be > 0", to_text(step)), "a step of 1 or more",
           ErrorKind::value);
  DimsOf<I> wanted(sizes);
  const I room = rank ? wanted[static_cast<size_t>(d)] : I(1);
  if (!holds(size >= I(0)) || !holds(size <= room))
    s.fail(fmt::format("size is {} but must be from 0 to {}", to_text(size), to_text(room)),
           "the size that was given to unfold");
  if (rank) wanted[static_cast<size_t>(d)] = floordiv(room - size, step) + I(1);
  wanted.push_back(size);
  bool fits = g.sizes.size() == wanted.size();
  for (size_t i = 0; fits && i < wanted.size(); ++i) fits = sizes_agree(g.sizes[i], wanted[i]);
  if (!fits)
    s.fail(fmt::format("the gradient is {}, expected {}", dims_text(g.sizes),
                       dims_text(std::span<const I>(wanted))),
           "the gradient of what unfold gave");
  s.out(g.dtype, sizes);
}

template <class S>
void as_strided_backward_rule(S& s) {
  auto g = s.tensor(0);
  auto sizes = s.ints(1), strides = s.ints(2), seen = s.ints(3), steps = s.ints(4);
  using I = std::remove_cvref_t<decltype(g.offset)>;
  auto text = [](const auto& dims) { return dims_text(std::span<const I>(dims)); };
  if (sizes.size() != strides.size() || seen.size() != steps.size())
    s.fail(fmt::format("the input is {} with strides {}, the view {} with strides {}", text(sizes),
                       text(strides), text(seen), text(steps)),
           "a stride for each size");
  bool fits = g.sizes.size() == seen.size();
  for (size_t i = 0; fits && i < seen.size(); ++i) fits = sizes_agree(g.sizes[i], seen[i]);
  if (!fits)
    s.fail(fmt::format("the gradient is {}, expected {}", dims_text(g.sizes), text(seen)),
           "the gradient of what as_strided gave");
  s.out(g.dtype, sizes);
}

// The positions in storage, one after the other in row-major order, that sizes and strides show.
Term positions(Caller& c, const IntList& sizes, const IntList& strides, Int offset) {
  Term at(c, c.op<"full">(IntList{}, Scalar(offset), DType::i64));
  for (size_t d = 0; d < sizes.size(); ++d) {
    Term along = Term(c, c.op<"arange">(Scalar(sizes[d]))) * Scalar(strides[d]);
    IntList column(sizes.size() - d, Int(1));
    column[0] = sizes[d];
    at = at + along.op<"view">(column);
  }
  return at.op<"reshape">(IntList{Int(-1)});
}

// How many elements of a storage sizes and strides reach into.
Int extent(const IntList& sizes, const IntList& strides) {
  Int last = 1;
  for (size_t d = 0; d < sizes.size(); ++d)
    last = last + max(sizes[d] - Int(1), Int(0)) * strides[d];
  return last;
}

// The dimensions of a view in the order of memory, where it shows all of a tensor without gaps and
// every element once: that permutation of it is the tensor again, under other sizes.
std::optional<IntList> order_in_memory(const IntList& sizes, const IntList& strides,
                                       const IntList& seen, const IntList& steps, Int offset) {
  for (const IntList* list : {&sizes, &strides, &seen, &steps})
    for (Int n : *list)
      if (!n.is_constant()) return std::nullopt;
  const Int numel = numel_of<Int>(seen);
  if (!known_zero(offset) || known_zero(numel) || !numel.same_as(numel_of<Int>(sizes)) ||
      !contiguous(std::span<const Int>(sizes), std::span<const Int>(strides)))
    return std::nullopt;
  IntList order;
  for (size_t d = 0; d < seen.size(); ++d) order.push_back(Int(static_cast<int64_t>(d)));
  auto at = [](Int d) { return static_cast<size_t>(d.constant()); };
  std::ranges::sort(order, [&](Int a, Int b) {
    const bool one_a = known_one(seen[at(a)]), one_b = known_one(seen[at(b)]);
    if (one_a || one_b) return one_a == one_b ? at(a) < at(b) : one_a;
    const int64_t x = steps[at(a)].constant(), y = steps[at(b)].constant();
    return x == y ? at(a) < at(b) : x > y;
  });
  Int expected = 1;
  for (size_t i = order.size(); i-- > 0; expected = expected * seen[at(order[i])])
    if (!known_one(seen[at(order[i])]) && !steps[at(order[i])].same_as(expected))
      return std::nullopt;
  return order;
}

// Is each element known to have a place of its own? In the order of memory, each dimension goes on
// where the ones within it end, or later.
bool known_apart(const IntList& sizes, const IntList& strides) {
  SmallVector<size_t, 5> left;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (!known_one(sizes[d])) left.push_back(d);
  Int within = 1;  // places that are taken
  while (!left.empty()) {
    auto next = std::ranges::find_if(left, [&](size_t d) {
      return strides[d].same_as(within) || (strides[d].is_constant() && within.is_constant() &&
                                            strides[d].constant() >= within.constant());
    });
    if (next == left.end()) return false;
    // Of several that fit, the nearest.
    for (auto i = next; i != left.end(); ++i)
      if (strides[*i].is_constant() && strides[*next].is_constant() && within.is_constant() &&
          strides[*i].constant() >= within.constant() &&
          strides[*i].constant() < strides[*next].constant())
        next = i;
    within = strides[*next] * sizes[*next];
    left.erase(static_cast<size_t>(next - left.begin()));
  }
  return true;
}

// The output's gradient laid out as self was, so that the view means the same elements of it.
GradList as_strided_scatter_vjp(VjpCtx& v) {
  const auto& m = v.meta(0);
  IntList sizes(m.sizes), strides(m.strides), seen = v.args[2].to_ints(),
                                              steps = v.args[3].to_ints();
  Int offset = v.args[4].is_none() ? Int(0) : v.args[4].to_int() - m.offset;
  Int before = max(Int(0) - offset, Int(0));
  offset = offset + before;
  Int room = max(extent(sizes, strides) + before, extent(seen, steps) + offset);
  Term self_at = positions(v.c, sizes, strides, before),
       view_at = positions(v.c, seen, steps, offset);
  Term storage(v.c, v.op<"full">(IntList{room}, Scalar(0), m.dtype));
  storage = storage.op<"index_copy">(0, self_at, grad(v).op<"reshape">(IntList{Int(-1)}));
  return Grads(v)(0, [&] {
    Term zeros(v.c, v.op<"full">(IntList{numel_of<Int>(seen)}, Scalar(0), m.dtype));
    return storage.op<"index_copy">(0, view_at, zeros)
        .op<"index_select">(0, self_at)
        .op<"view">(sizes);
  })(1, [&] { return storage.op<"index_select">(0, view_at).op<"view">(seen); });
}

}  // namespace

void register_view_composites(Registry& r) {
  r.op("reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        ShapeCtx<Int> s(find_op("reshape"), a);
        auto t = meta(a[0].ref());
        IntList sizes = infer_size(s, a[1].to_ints(), t.numel());
        if (view_strides<Int>(t, sizes)) return {c.op<"view">(a[0].ref(), sizes)};
        expect_layout_matters(t.sizes);
        return {c.op<"view">(c.op<"clone">(a[0].ref(), "contiguous_format"), sizes)};
      })
      .doc("The same elements under other sizes; a copy only where no view will do.");

  r.op("flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        auto t = meta(a[0].ref());
        int64_t from = dim_arg(a[1], t.dim(), "flatten"), to = dim_arg(a[2], t.dim(), "flatten");
        if (from > to)
          fail("flatten", "flatten() has invalid args: start_dim cannot come after end_dim",
               "start_dim <= end_dim");
        if (t.dim() == 0) return {c.op<"reshape">(a[0].ref(), IntList{Int(1)})};
        if (from == to) return {a[0].ref()};
        IntList sizes;
        Int run = 1;
        for (int64_t d = 0; d < t.dim(); ++d) {
          if (d < from || d > to) {
            sizes.push_back(t.size(d));
            continue;
          }
          run = run * t.size(d);
          if (d == to) sizes.push_back(run);
        }
        return {c.op<"reshape">(a[0].ref(), sizes)};
      })
      .doc("A run of dimensions as one.");

  r.op("unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        auto t = meta(a[0].ref());
        if (t.dim() == 0)
          fail("unflatten",
               "Dimension specified as " + std::to_string(a[1].to_int().hint()) +
                   " but tensor has no dimensions",
               "reshape() gives it some", ErrorKind::index);
        int64_t d = dim_arg(a[1], t.dim(), "unflatten");
        ShapeCtx<Int> s(find_op("unflatten.int"), a);
        IntList inner = infer_size(s, a[2].to_ints(), t.size(d));
        IntList sizes;
        for (int64_t i = 0; i < t.dim(); ++i)
          if (i == d)
            sizes.append(inner.begin(), inner.end());
          else
            sizes.push_back(t.size(i));
        return {c.op<"view">(a[0].ref(), sizes)};
      })
      .doc("One dimension as several.");

  r.op("narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        auto t = meta(a[0].ref());
        if (t.dim() == 0)
          fail("narrow", "narrow() cannot be applied to a 0-dim tensor.", "unsqueeze(0) first");
        int64_t d = dim_arg(a[1], t.dim(), "narrow");
        Int start = a[2].to_int(), length = a[3].to_int(), size = t.size(d);
        if (!holds(length >= Int(0)))
          fail("narrow", "narrow(): length must be non-negative.", "a length of 0 or more");
        if (!holds(start >= -size) || !holds(start <= size))
          fail("narrow",
               "start out of range (expected to be in range of [" + text_of(-size) + ", " +
                   text_of(size) + "], but got " + text_of(start) + ")",
               "a start inside the dimension", ErrorKind::index);
        if (ask_or(start < Int(0), false)) start = start + size;
        if (!holds(start + length <= size))
          fail("narrow",
               "start (" + text_of(start) + ") + length (" + text_of(length) +
                   ") exceeds dimension size (" + text_of(size) + ").",
               "a shorter length");
        return {slice(c, a[0].ref(), d, start, start + length)};
      })
      .doc("`length` indices of a dimension from `start` on.");

  r.op("narrow.Tensor(Tensor(a) self, int dim, Tensor start, SymInt length) -> Tensor(a)")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        auto start = meta(a[2].ref());
        if (start.dim() != 0 || is_floating(start.dtype) || is_bool(start.dtype))
          fail("narrow", "start must be an 0-dim integral Tensor.",
               "an integer, or a scalar tensor of them");
        return {c.op<"narrow">(a[0], a[1], Int(c.item(a[2].ref())), a[3])};
      })
      .doc("narrow from where a tensor says: its value is read.");

  r.op("split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        auto t = meta(a[0].ref());
        if (t.dim() == 0)
          fail("split", "split expects at least a 1-dimensional tensor", "unsqueeze(0) first");
        int64_t d = dim_arg(a[2], t.dim(), "split");
        Int piece = a[1].to_int();
        if (!holds(piece >= Int(0)))
          fail("split",
               "split expects split_size be non-negative, but got split_size=" + text_of(piece),
               "a size of 1 or more");
        if (ask_or(piece == Int(0), false) && !ask_or(t.size(d) == Int(0), false))
          fail("split",
               "split_size can only be 0 if dimension size is 0, but got dimension size of " +
                   text_of(t.size(d)),
               "a size of 1 or more");
        return split_equally(c, a[0].ref(), piece, d);
      })
      .doc("Pieces of `split_size` along a dimension, the last one smaller.");

  r.op("split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        auto t = meta(a[0].ref());
        if (t.dim() == 0)
          fail("split_with_sizes", "split expects at least a 1-dimensional tensor",
               "unsqueeze(0) first");
        int64_t d = dim_arg(a[2], t.dim(), "split_with_sizes");
        IntList lengths = a[1].to_ints();
        Int sum = 0;
        for (Int n : lengths) {
          if (!holds(n >= Int(0)))
            fail("split_with_sizes",
                 "split_with_sizes expects split_sizes have only non-negative entries, but got "
                 "split_sizes=" +
                     dims_text(std::span<const Int>(lengths)),
                 "sizes of 0 or more");
          sum = sum + n;
        }
        if (!sizes_agree(sum, t.size(d)))
          fail("split_with_sizes",
               "split_with_sizes expects split_sizes to sum exactly to " + text_of(t.size(d)) +
                   " (input tensor's size at dimension " + std::to_string(d) +
                   "), but got split_sizes=" + dims_text(std::span<const Int>(lengths)),
               "sizes that sum to " + text_of(t.size(d)));
        return split_by(c, a[0].ref(), lengths, d);
      })
      .doc("Pieces of the given sizes along a dimension.");

  r.op("split.sizes(Tensor(a -> *) self, SymInt[] split_size, int dim=0) -> Tensor(a)[]")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return c.ops<"split_with_sizes">(a[0].ref(), a[1], a[2]);
      });
  r.op("chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        auto t = meta(a[0].ref());
        if (t.dim() == 0)
          fail("chunk", "chunk expects at least a 1-dimensional tensor", "unsqueeze(0) first");
        int64_t chunks = a[1].to_int().hint();
        if (chunks <= 0)
          fail("chunk",
               "chunk expects `chunks` to be greater than 0, got: " + std::to_string(chunks),
               "1 or more");
        int64_t d = dim_arg(a[2], t.dim(), "chunk");
        if (ask_or(t.size(d) == Int(0), false))
          return split_by(c, a[0].ref(), std::vector<Int>(static_cast<size_t>(chunks), Int(0)), d);
        return split_equally(c, a[0].ref(), ceildiv(t.size(d), Int(chunks)), d);
      })
      .doc("At most `chunks` equal pieces along a dimension.");

  r.op("unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        auto t = meta(a[0].ref());
        if (t.dim() == 0)
          fail("unbind", "Dimension specified as 0 but tensor has no dimensions", "item() reads it",
               ErrorKind::index);
        int64_t d = dim_arg(a[1], t.dim(), "unbind");
        // How many tensors come out is part of the program.
        int64_t n = t.size(d).hint();
        (void)holds(t.size(d) == Int(n));
        RefList parts;
        for (int64_t i = 0; i < n; ++i) parts.push_back(c.op<"select.int">(a[0].ref(), d, i));
        return parts;
      })
      .doc("Each index of a dimension as a tensor of its own.");

  auto moved = [](Caller& c, const Ref& t, const IntList& from, const IntList& to) -> RefList {
    int64_t rank = meta(t).dim();
    if (from.size() != to.size())
      fail("movedim",
           "movedim: Invalid source or destination dims: source (" +
               dims_text(std::span<const Int>(from)) +
               " dims) should contain the same number of dims as destination (" +
               dims_text(std::span<const Int>(to)) + " dims)",
           "as many destinations as sources");
    // A number has one dimension to name, 0 or -1, and none to move.
    const auto places = static_cast<size_t>(std::max<int64_t>(rank, 1));
    SmallVector<int64_t, 8> order(places, -1);
    SmallVector<bool, 8> taken(places, false);
    for (size_t i = 0; i < from.size(); ++i) {
      auto s = static_cast<size_t>(wrap_dim(from[i].hint(), rank, "movedim"));
      auto d = static_cast<size_t>(wrap_dim(to[i].hint(), rank, "movedim"));
      if (taken[s] || order[d] >= 0)
        fail("movedim",
             "movedim: repeated dim in `" + std::string(taken[s] ? "source" : "destination") +
                 "` (" + dims_text(std::span<const Int>(taken[s] ? from : to)) + ")",
             "every dim once");
      taken[s] = true;
      order[d] = static_cast<int64_t>(s);
    }
    size_t next = 0;
    IntList dims;
    for (size_t d = 0; d < static_cast<size_t>(rank); ++d) {
      if (order[d] < 0) {
        while (taken[next]) ++next;
        order[d] = static_cast<int64_t>(next++);
      }
      dims.push_back(Int(order[d]));
    }
    return {c.op<"permute">(t, dims)};
  };
  r.op("movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)")
      .composite([moved](Caller& c, std::span<const Arg> a) {
        return moved(c, a[0].ref(), a[1].to_ints(), a[2].to_ints());
      })
      .doc("A dimension at another place.");
  r.op("movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)")
      .composite([moved](Caller& c, std::span<const Arg> a) {
        return moved(c, a[0].ref(), a[1].to_ints(), a[2].to_ints());
      });

  r.op("moveaxis.int(Tensor(a) self, int source, int destination) -> Tensor(a)")
      .composite([moved](Caller& c, std::span<const Arg> a) {
        return moved(c, a[0].ref(), a[1].to_ints(), a[2].to_ints());
      })
      .doc("movedim under another name.");
  r.op("moveaxis.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)")
      .composite([moved](Caller& c, std::span<const Arg> a) {
        return moved(c, a[0].ref(), a[1].to_ints(), a[2].to_ints());
      })
      .doc("movedim under another name.");
  r.op("expand_as(Tensor(a) self, Tensor other) -> Tensor(a)")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return {c.op<"expand">(a[0].ref(), sizes_of(a[1].ref()))};
      })
      .doc("Expanded to the sizes of `other`.");
  r.op("reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return {c.op<"reshape">(a[0].ref(), sizes_of(a[1].ref()))};
      })
      .doc("Reshaped to the sizes of `other`.");
  r.op("broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return {c.op<"expand">(a[0].ref(), a[1])};
      })
      .doc("expand under another name.");
  r.op("mT(Tensor(a) self) -> Tensor(a)")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        int64_t rank = meta(a[0].ref()).dim();
        if (rank < 2)
          fail("mT",
               "tensor.mT is only supported on matrices or batches of matrices. Got " +
                   std::to_string(rank) + "-D tensor.",
               "unsqueeze() makes it one");
        return {c.op<"transpose.int">(a[0].ref(), -2, -1)};
      })
      .doc("The last two dimensions exchanged.");
  r.op("view_as(Tensor(a) self, Tensor other) -> Tensor(a)")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return {c.op<"view">(a[0].ref(), sizes_of(a[1].ref()))};
      })
      .doc("Viewed under the sizes of `other`.");
  r.op("numpy_T(Tensor(a) self) -> Tensor(a)")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        IntList dims;
        for (int64_t d = meta(a[0].ref()).dim(); d-- > 0;) dims.push_back(Int(d));
        return {c.op<"permute">(a[0].ref(), dims)};
      })
      .doc("All dimensions in reverse order.");

  r.op("_unsafe_view(Tensor self, SymInt[] size) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return {c.op<"view">(a[0].ref(), a[1])};
      })
      .doc("view, of a tensor that nobody else refers to.");
  r.op("_reshape_alias(Tensor(a) self, SymInt[] size, SymInt[] stride) -> Tensor(a)")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return {c.op<"view">(a[0].ref(), a[1])};
      })
      .doc("view, whose strides are known.");
  r.op("stack(Tensor[] tensors, int dim=0) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        const auto& tensors = a[0].refs();
        if (tensors.empty())
          fail("stack", "stack expects a non-empty TensorList", "at least one tensor");
        auto first = meta(tensors[0]);
        int64_t d = wrap_dim(a[1].to_int().hint(), first.dim() + 1, "stack");
        std::vector<Ref> parts;
        for (size_t i = 0; i < tensors.size(); ++i) {
          auto m = meta(tensors[i]);
          bool same = m.dim() == first.dim();
          for (int64_t k = 0; same && k < m.dim(); ++k)
            same = sizes_agree(m.size(k), first.size(k));
          if (!same)
            fail("stack",
                 "stack expects each tensor to be equal size, but got " + dims_text(first.sizes) +
                     " at entry 0 and " + dims_text(m.sizes) + " at entry " + std::to_string(i),
                 "tensors of one size");
          parts.push_back(c.op<"unsqueeze">(tensors[i], d));
        }
        return {c.op<"cat">(Arg(std::move(parts)), d)};
      })
      .doc("Tensors of one size along a new dimension.");

  r.op("repeat(Tensor self, SymInt[] repeats) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        auto t = meta(a[0].ref());
        IntList repeats = a[1].to_ints();
        if (static_cast<int64_t>(repeats.size()) < t.dim())
          fail("repeat",
               "Number of dimensions of repeat dims can not be smaller than number of dimensions "
               "of tensor",
               "one number for each of the " + std::to_string(t.dim()) + " dimensions");
        for (Int n : repeats)
          if (!holds(n >= Int(0)))
            fail("repeat", "Trying to create tensor with negative dimension " + text_of(n),
                 "numbers of 0 or more");
        // [a, b] repeated (m, n): expanded to [m, a, n, b] and copied to [m*a, n*b].
        size_t lead = repeats.size() - t.sizes.size();
        IntList split, wide, sizes;
        for (size_t i = 0; i < repeats.size(); ++i) {
          Int size = i < lead ? Int(1) : t.sizes[i - lead];
          split.push_back(Int(1)), split.push_back(size);
          wide.push_back(repeats[i]), wide.push_back(size);
          sizes.push_back(repeats[i] * size);
        }
        Ref x = c.op<"reshape">(a[0].ref(), split);
        return {c.op<"view">(c.op<"clone">(c.op<"expand">(x, wide), "contiguous_format"), sizes)};
      })
      .doc("The tensor repeated along each dimension.");
  r.op("tile(Tensor self, SymInt[] dims) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        IntList dims = a[1].to_ints(), repeats;
        const auto rank = static_cast<size_t>(meta(a[0].ref()).dim());
        for (size_t i = dims.size(); i < rank; ++i) repeats.push_back(Int(1));
        repeats.append(dims.begin(), dims.end());
        return {c.op<"repeat">(a[0].ref(), repeats)};
      })
      .doc("repeat, with 1 for the dimensions in front that dims leaves out.");

  // Writing through a view: the base with the viewed elements replaced.
  r.op("select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> Tensor")
      .kind(Kind::index)
      .lowering("select_scatter")
      .shape([](auto& s) {
        source_fits(s, "select.int");
        scatter_rule(s);
      })
      .vjp([](VjpCtx& v) -> GradList {
        GradList g(4);
        if (v.needs(0)) {
          Ref zeros = v.op<"zeros_like">(v.op<"select.int">(v.grad(), v.args[2], v.args[3]));
          g[0] = v.op<"select_scatter">(v.grad(), zeros, v.args[2], v.args[3]);
        }
        if (v.needs(1)) g[1] = v.op<"select.int">(v.grad(), v.args[2], v.args[3]);
        return g;
      })
      .doc("`self` with one index of a dimension replaced by `src`.");
  r.op("slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, "
       "SymInt step=1) -> Tensor")
      .kind(Kind::index)
      .lowering("slice_scatter")
      .shape([](auto& s) {
        source_fits(s, "slice.Tensor");
        scatter_rule(s);
      })
      .vjp([](VjpCtx& v) -> GradList {
        GradList g(6);
        if (v.needs(0)) {
          Ref zeros = v.op<"zeros_like">(
              v.op<"slice.Tensor">(v.grad(), v.args[2], v.args[3], v.args[4], v.args[5]));
          g[0] = v.op<"slice_scatter">(v.grad(), zeros, v.args[2], v.args[3], v.args[4], v.args[5]);
        }
        if (v.needs(1))
          g[1] = v.op<"slice.Tensor">(v.grad(), v.args[2], v.args[3], v.args[4], v.args[5]);
        return g;
      })
      .doc("`self` with a range of a dimension replaced by `src`.");
  r.op("diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor")
      .kind(Kind::index)
      .lowering("diagonal_scatter")
      .shape([](auto& s) {
        source_fits(s, "diagonal");
        scatter_rule(s);
      })
      .vjp([](VjpCtx& v) -> GradList {
        GradList g(5);
        if (v.needs(0)) {
          Ref zeros =
              v.op<"zeros_like">(v.op<"diagonal">(v.grad(), v.args[2], v.args[3], v.args[4]));
          g[0] = v.op<"diagonal_scatter">(v.grad(), zeros, v.args[2], v.args[3], v.args[4]);
        }
        if (v.needs(1)) g[1] = v.op<"diagonal">(v.grad(), v.args[2], v.args[3], v.args[4]);
        return g;
      })
      .doc("`self` with a diagonal replaced by `src`.");
  r.op("as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? "
       "storage_offset=None) -> Tensor")
      .kind(Kind::library)
      .shape([](auto& s) {
        using I = IntOf<decltype(s)>;
        check_strided(s, std::span<const I>(s.ints(2)), std::span<const I>(s.ints(3)));
        if constexpr (std::is_same_v<I, int64_t>)
          within_storage(s, s.tensor(0).dtype, s.ints(2), s.ints(3),
                         s.has(4) ? s.integer(4) : s.tensor(0).offset);
        else {  // whether eager has nothing to object is a guard on sizes
          auto t = s.tensor(0);
          const Int from = s.has(4) ? s.integer(4) : t.offset;
          const Int needed = extent(IntList(s.ints(2)), IntList(s.ints(3))) + from;
          (void)ask_or(from >= t.offset, true);
          (void)ask_or(needed <= extent(IntList(t.sizes), IntList(t.strides)) + t.offset, true);
        }
        source_fits(s, "as_strided");
        scatter_rule(s);
      })
      .counts_from_storage("storage_offset")
      .vjp(as_strided_scatter_vjp)
      .doc("`self` with the elements of a strided view replaced by `src`.");

  // Gradients of views: zeros with the gradient at the viewed places.
  r.op("select_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt index) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        Ref zeros = c.op<"zeros">(a[1].to_ints(), meta(a[0].ref()).dtype);
        return {c.op<"select_scatter">(zeros, a[0].ref(), a[2], a[3])};
      });
  r.op("slice_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt start, SymInt "
       "end, SymInt step) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        Ref zeros = c.op<"zeros">(a[1].to_ints(), meta(a[0].ref()).dtype);
        return {c.op<"slice_scatter">(zeros, a[0].ref(), a[2], a[3], a[4], a[5])};
      });
  r.op("diagonal_backward(Tensor grad_output, SymInt[] input_sizes, int offset, int dim1, int "
       "dim2) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        Ref zeros = c.op<"zeros">(a[1].to_ints(), meta(a[0].ref()).dtype);
        return {c.op<"diagonal_scatter">(zeros, a[0].ref(), a[2], a[3], a[4])};
      });
  r.op("unfold_backward(Tensor grad_in, SymInt[] input_sizes, int dim, int size, int step) -> "
       "Tensor")
      .shape([](auto& s) { unfold_backward_rule(s); })
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        Term g(c, a[0].ref());
        auto m = g.meta();
        IntList sizes = a[1].to_ints();
        if (sizes.empty()) return {g.op<"sum.dim_IntList">(IntList{Int(0)}, false, m.dtype).ref()};
        int64_t rank = static_cast<int64_t>(sizes.size());
        int64_t d = dim_arg(a[2], rank, "unfold_backward");
        // Window i, place k was element i * step + k; the places of a window next to it, as one
        // dimension with it.
        Int windows = m.size(d), size = a[3].to_int();
        Term at = positions(c, {windows, size}, {a[4].to_int(), Int(1)}, 0);
        Term moved = g.op<"movedim.int">(rank, d + 1);
        IntList merged(moved.meta().sizes);
        merged.erase(static_cast<size_t>(d + 1));
        merged[static_cast<size_t>(d)] = windows * size;
        Ref zeros = c.op<"full">(sizes, Scalar(0), m.dtype);
        return {c.op<"index_add">(zeros, d, at.ref(), moved.op<"reshape">(merged).ref())};
      })
      .vjp([](VjpCtx& v) -> GradList {
        GradList g(5);
        g[0] = v.op<"unfold">(v.grad(), v.args[2], v.args[3], v.args[4]);
        return g;
      })
      .doc("Sums overlapping windows back into the dimension they came from.");
  // storage_offset counts from the input's first element. Its own gradients are those of its parts.
  r.op("as_strided_backward(Tensor grad, SymInt[] input_sizes, SymInt[] input_strides, SymInt[] "
       "size, SymInt[] stride, "
       "SymInt? storage_offset) -> Tensor")
      .shape([](auto& s) { as_strided_backward_rule(s); })
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        Term g(c, a[0].ref());
        IntList sizes = a[1].to_ints(), strides = a[2].to_ints(), seen = a[3].to_ints(),
                steps = a[4].to_ints();
        // Both begin where the first of them does; what only the view shows has no gradient to
        // give.
        Int offset = a[5].is_none() ? Int(0) : a[5].to_int();
        // Where an element is repeated, its gradients are summed as expand's are, rounded once.
        IntList repeats;
        for (size_t d = 0; d < seen.size(); ++d)
          if (known_zero(steps[d]) && !known_one(seen[d])) {
            repeats.push_back(Int(static_cast<int64_t>(d)));
            seen[d] = Int(1);
          }
        if (!repeats.empty()) g = g.op<"sum.dim_IntList">(repeats, true, g.dtype());
        if (auto order = order_in_memory(sizes, strides, seen, steps, offset))
          return {g.op<"permute">(*order).op<"clone">("contiguous_format").op<"view">(sizes).ref()};
        Int before = max(Int(0) - offset, Int(0));
        offset = offset + before;
        Int room = max(extent(sizes, strides) + before, extent(seen, steps) + offset);
        Ref storage = c.op<"full">(IntList{room}, Scalar(0), g.dtype());
        Term at = positions(c, seen, steps, offset);
        Ref sums = c.op<"index_add">(storage, 0, at.ref(), g.op<"reshape">(IntList{Int(-1)}).ref());
        Term self_at = positions(c, sizes, strides, before);
        // A place that several of the input's elements share gives each of them as much.
        if (!known_apart(sizes, strides)) {
          Ref ones = c.op<"full">(IntList{numel_of<Int>(sizes)}, Scalar(1), g.dtype());
          Ref shares = c.op<"index_add">(storage, 0, self_at.ref(), ones);
          sums = c.op<"div.Tensor">(sums, shares);
        }
        Ref shown = c.op<"index_select">(sums, 0, self_at.ref());
        return {c.op<"view">(shown, sizes)};
      })
      .doc("Sums a strided view's gradient into the positions it shows.");
}

}  // namespace frit
