// Sizes and strides of views, for int64 and for Int alike.
#pragma once
#include <optional>

#include "ops/generic.h"
#include "ops/shape.h"
#include "sym/expr.h"

namespace frit {

inline std::string text_of(int64_t v) { return std::to_string(v); }
inline std::string text_of(Int v) { return to_text(v); }

// The integer type of a shape rule's context.
template <class S>
using IntOf = std::decay_t<decltype(std::declval<S&>().integer(0))>;

// A size list with at most one -1, completed for `numel` elements.
template <class S, class I>
DimsOf<I> infer_size(S& s, DimsOf<I> sizes, const I& numel) {
  int inferred = -1;
  I known(1);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (known_equal(sizes[i], I(-1))) {
      if (inferred >= 0) s.fail("only one dimension can be inferred", "one -1 in the sizes");
      inferred = static_cast<int>(i);
    } else if (ask_or(sizes[i] < I(0), false)) {
      s.fail("invalid shape dimension " + text_of(sizes[i]),
             "sizes of 0 or more, and at most one -1");
    } else {
      known = checked_mul(known, sizes[i]);
    }
  }
  auto invalid = [&] {
    s.fail("shape '" + dims_text(std::span<const I>(sizes)) + "' is invalid for input of size " +
               text_of(numel),
           "sizes whose product is " + text_of(numel));
  };
  if (inferred < 0) {
    if (!sizes_agree(known, numel)) invalid();
    return sizes;
  }
  if (ask_or(size_eq(known, I(0)), false)) {
    if (!ask_or(size_eq(numel, I(0)), false)) invalid();
    s.fail("cannot reshape tensor of 0 elements into shape " +
               dims_text(std::span<const I>(sizes)) +
               " because the unspecified dimension size -1 can be any value and is ambiguous",
           "give that size");
  }
  if (!holds(size_eq(mod(numel, known), I(0)))) invalid();
  sizes[static_cast<size_t>(inferred)] = floordiv(numel, known);
  return sizes;
}

// The strides with which `sizes` is a view of t, or nothing where it is none: the algorithm of
// PyTorch's computeStride. Runs of old dimensions that lie in memory as one are matched with runs
// of new ones.
template <class I>
std::optional<DimsOf<I>> view_strides(const TensorMeta<I>& t, std::span<const I> sizes) {
  if (contiguous(t.sizes, t.strides)) {
    bool canonical = true;
    I expected(1);
    for (size_t i = t.sizes.size(); canonical && i-- > 0;) {
      canonical = known_equal(t.strides[i], expected);
      expected = checked_mul(expected, max(t.sizes[i], I(1)));
    }
    if (canonical || t.sizes.empty()) return contiguous_strides<I>(sizes);
  }
  if (ask_or(size_eq(t.numel(), I(0)), false)) {
    if (t.sizes.size() == sizes.size()) {
      bool same = true;
      for (size_t i = 0; i < sizes.size(); ++i) same = same && known_equal(t.sizes[i], sizes[i]);
      if (same) return DimsOf<I>(t.strides);
    }
    return contiguous_strides<I>(sizes);
  }
  DimsOf<I> strides(sizes.size(), I(1));
  int64_t view_d = static_cast<int64_t>(sizes.size()) - 1;
  if (t.sizes.empty()) return strides;
  I base_stride = t.strides.back();
  I tensor_numel(1), view_numel(1);
  for (int64_t d = t.dim() - 1; d >= 0; --d) {
    size_t i = static_cast<size_t>(d);
    tensor_numel = checked_mul(tensor_numel, t.sizes[i]);
    bool run_ends = d == 0;
    if (!run_ends && !ask_or(size_eq(t.sizes[i - 1], I(1)), false)) {
      I next = checked_mul(tensor_numel, base_stride);
      run_ends =
          !known_equal(t.strides[i - 1], next) && !ask_or(size_eq(t.strides[i - 1], next), false);
    }
    if (!run_ends) continue;
    while (view_d >= 0 && (ask_or(view_numel < tensor_numel, true) ||
                           ask_or(size_eq(sizes[static_cast<size_t>(view_d)], I(1)), false))) {
      if (known_equal(view_numel, tensor_numel) && !known_one(sizes[static_cast<size_t>(view_d)]))
        break;
      strides[static_cast<size_t>(view_d)] = checked_mul(view_numel, base_stride);
      view_numel = checked_mul(view_numel, sizes[static_cast<size_t>(view_d)]);
      --view_d;
    }
    if (!known_equal(view_numel, tensor_numel) && !ask_or(size_eq(view_numel, tensor_numel), false))
      return std::nullopt;
    if (d > 0) {
      base_stride = t.strides[i - 1];
      tensor_numel = I(1);
      view_numel = I(1);
    }
  }
  if (view_d != -1) return std::nullopt;
  return strides;
}

// What as_strided takes as sizes and strides.
template <class S, class I>
void check_strided(S& s, std::span<const I> sizes, std::span<const I> strides) {
  if (sizes.size() != strides.size())
    s.fail("mismatch in length of strides and shape", "as many strides as sizes");
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (ask_or(sizes[i] < I(0), false))
      s.fail("negative size in as_strided: " + dims_text(sizes), "sizes of 0 or more");
    if (ask_or(strides[i] < I(0), false))
      s.fail("as_strided: Negative strides are not supported at the moment, got strides: " +
                 dims_text(strides),
             "flip() for a reversed copy");
  }
}

// Of a tensor that is there (argument 0): the view must not reach out of its memory.
inline void within_storage(const ShapeCtx<int64_t>& s, DType dtype, std::span<const int64_t> sizes,
                           std::span<const int64_t> strides, int64_t offset) {
  const Ref& self = s.args()[0].ref();
  if (self.kind() != Ref::Kind::tensor) return;
  int64_t last = checked_add(offset, 1);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return;
    last = checked_add(last, checked_mul(sizes[i] - 1, strides[i]));
  }
  int64_t item = size_of(dtype), needed = checked_mul(last, item);
  auto have = static_cast<int64_t>(self.tensor().impl()->storage->bytes());
  if (offset >= 0 && needed <= have) return;
  s.fail("setStorage: sizes " + dims_text(sizes) + ", strides " + dims_text(strides) +
             ", storage offset " + std::to_string(offset) + ", and itemsize " +
             std::to_string(item) + " requiring a storage size of " + std::to_string(needed) +
             " are out of bounds for storage of size " + std::to_string(have),
         "sizes and strides that stay inside the storage");
}

// Does a position count from the end? Of one that data decides this becomes a check of the graph.
inline bool from_end(int64_t v) { return v < 0; }
inline bool from_end(Int v) {
  const Bool negative = v < Int(0), counted = v >= Int(0);
  const bool on_data = v.expr() && v.expr()->has_unbacked();
  if (!on_data || negative.known_true() || counted.known_true() || !v.has_hint())
    return ask_or(negative, false);
  const bool seen = v.hint() < 0;
  (void)holds(seen ? negative : counted);
  return seen;
}

// Python's slice rules: the begin, and how many elements.
template <class I>
struct SliceRange {
  I start, length;
};

// A window of a length that no data decides, at a place that data does (x.slice(0, p, p + 4)): its
// length is known where it is not cut off, which becomes a check of the graph.
inline bool is_window_inside(int64_t, int64_t, int64_t) { return false; }
inline bool is_window_inside(Int start, Int end, Int size) {
  auto on_data = [](Int v) { return v.expr() && v.expr()->has_unbacked(); };
  if (!on_data(start) || !on_data(end) || on_data(end - start) || on_data(size)) return false;
  if (!ask_or(start <= end, false)) return false;
  auto known = [](Bool inside) { return inside.known_true(); };
  if (!known(start >= Int(0)) || !known(end <= size)) {
    // As it was seen; where it was cut off, sizes that allow for that are the better ones.
    if (!start.has_hint() || !end.has_hint() || !size.has_hint()) return false;
    if (start.hint() < 0 || end.hint() > size.hint()) return false;
  }
  return holds(start >= Int(0)) && holds(end <= size);
}
template <class S, class I>
SliceRange<I> slice_range(S& s, const I& size, std::optional<I> start, std::optional<I> end,
                          const I& step) {
  if (ask_or(step <= I(0), false)) s.fail("slice step must be positive", "a step of 1 or more");
  if (start && end && is_window_inside(*start, *end, size)) {
    I length = *end - *start;
    return {*start, known_one(step) ? length : floordiv(length + step - I(1), step)};
  }
  auto clamp = [&](I v) {
    if (known_equal(v, I(0))) return v;
    if (known_equal(v, size)) return v;
    if (from_end(v)) {
      v = v + size;
      return from_end(v) ? I(0) : v;
    }
    return min(v, size);
  };
  I from = start ? clamp(*start) : I(0);
  I to = end ? clamp(*end) : size;
  I length = known_zero(from) ? to : max(to - from, I(0));
  return {from, known_one(step) ? length : floordiv(length + step - I(1), step)};
}

}  // namespace frit
