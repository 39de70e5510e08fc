// The strides of a fresh elementwise output: what PyTorch's TensorIterator chooses, so that
// programs that look at strides, or view the result, find the same.
#pragma once
#include "ops/generic.h"
#include "ops/shape.h"

namespace frit {
namespace layout {

// Strides of `t` in the broadcast shape: 0 where it is repeated.
template <class I>
DimsOf<I> broadcast_strides(const TensorMeta<I>& t, std::span<const I> shape) {
  DimsOf<I> strides(shape.size(), I(0));
  size_t shift = shape.size() - t.sizes.size();
  for (size_t i = 0; i < t.sizes.size(); ++i) {
    const I& size = t.sizes[i];
    bool repeated = !known_equal(size, shape[shift + i]) && ask_or(size_eq(size, I(1)), false);
    if (!repeated) strides[shift + i] = t.strides[i];
  }
  return strides;
}

template <class I>
bool same_dims(std::span<const I> a, std::span<const I> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!known_equal(a[i], b[i]) && !ask_or(size_eq(a[i], b[i]), false)) return false;
  return true;
}

// No element skipped, none shared: dims by rising stride are exactly one another's products.
template <class I>
bool dense(std::span<const I> sizes, std::span<const I> strides) {
  SmallVector<size_t, 8> order;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (known_zero(sizes[i])) return true;
    if (!ask_or(size_eq(sizes[i], I(1)), false)) order.push_back(i);
  }
  I expected(1);
  while (!order.empty()) {
    size_t k = 0;
    while (k < order.size() && !known_equal(strides[order[k]], expected)) ++k;
    if (k == order.size())
      for (k = 0; k < order.size() && !ask_or(size_eq(strides[order[k]], expected), false);) ++k;
    if (k == order.size()) return false;
    expected = checked_mul(expected, sizes[order[k]]);
    order.erase(k);
  }
  return true;
}

template <class I>
DimsOf<I> channels_last_strides(std::span<const I> n) {
  I channels = n[1], row = checked_mul(n[3], channels);
  return {checked_mul(n[2], row), I(1), row, channels};
}

template <class I>
bool is_channels_last(std::span<const I> sizes, std::span<const I> strides) {
  if (sizes.size() != 4) return false;
  I expected(1);
  for (size_t d : {1, 3, 2, 0}) {
    if (!known_equal(strides[d], expected) && !ask_or(size_eq(sizes[d], I(1)), false) &&
        !ask_or(size_eq(strides[d], expected), false))
      return false;
    expected = checked_mul(expected, sizes[d]);
  }
  return true;
}

template <class I>
bool canonical_strides(const TensorMeta<I>& t) {
  I expected(1);
  for (size_t i = t.sizes.size(); i-- > 0;) {
    if (known_zero(t.sizes[i]) || !known_equal(t.strides[i], expected)) return false;
    expected = checked_mul(expected, t.sizes[i]);
  }
  return true;
}

// Positive: dimension a belongs outside b; negative: inside; 0: this operand cannot tell.
template <class I>
int order_of(std::span<const I> strides, std::span<const I> shape, size_t a, size_t b) {
  const I &sa = strides[a], &sb = strides[b];
  if (ask_or(size_eq(sa, I(0)), false) || ask_or(size_eq(sb, I(0)), false)) return 0;
  if (!known_equal(sa, sb)) {
    // Also where the size is one that data decides: of 0 or 1, no stride of it leads anywhere.
    if (known_equal(checked_mul(sa, shape[a]), sb)) return -1;
    if (known_equal(checked_mul(sb, shape[b]), sa)) return 1;
    if (ask_or(sa < sb, false)) return -1;
    if (ask_or(sa > sb, false)) return 1;
  }
  // A size that data decides is not compared with a number. A stride that is a multiple of the
  // other is no smaller, unless nothing is there to be laid out.
  if constexpr (std::is_same_v<I, Int>) {
    if (sa.is_constant() && !sb.is_constant() && known_equal(sb % sa, I(0))) return -1;
    if (sb.is_constant() && !sa.is_constant() && known_equal(sa % sb, I(0))) return 1;
  }
  return !known_equal(shape[a], shape[b]) && ask_or(shape[a] > shape[b], false) ? 1 : 0;
}

// Dimensions from the innermost out, by the operands' strides, the first operand deciding first. An
// insertion sort, since the order is partial and PyTorch's answer depends on how it is sorted.
template <class I>
SmallVector<size_t, 8> loop_order(std::span<const DimsOf<I>> strides, std::span<const I> shape) {
  SmallVector<size_t, 8> order;
  for (size_t i = shape.size(); i-- > 0;) order.push_back(i);
  for (size_t i = 1; i < order.size(); ++i) {
    size_t at = i;
    for (size_t below = i; below-- > 0;) {
      int cmp = 0;
      for (size_t k = 0; k < strides.size() && cmp == 0; ++k)
        cmp = order_of<I>(strides[k], shape, order[below], order[at]);
      if (cmp < 0) break;
      if (cmp > 0) {
        std::swap(order[below], order[at]);
        at = below;
      }
    }
  }
  return order;
}

}  // namespace layout

// `same_shape`: every operand has `shape`, and no number takes part as an operand of no dimensions.
template <class I>
DimsOf<I> elementwise_strides(std::span<const I> shape, std::span<const TensorMeta<I>> operands,
                              bool same_shape) {
  using namespace layout;
  auto all = [&](auto&& test) {
    for (const TensorMeta<I>& t : operands)
      if (!test(t)) return false;
    return true;
  };
  if (all([](const TensorMeta<I>& t) { return canonical_strides(t); }))
    return contiguous_strides<I>(shape);
  if (same_shape) {
    if (all([](const TensorMeta<I>& t) { return contiguous(t.sizes, t.strides); }))
      return contiguous_strides<I>(shape);
    if (all([](const TensorMeta<I>& t) { return is_channels_last(t.sizes, t.strides); }))
      return channels_last_strides<I>(shape);
    const auto& first = operands.front().strides;
    if (all([&](const TensorMeta<I>& t) {
          return dense(t.sizes, t.strides) && same_dims<I>(t.strides, first);
        }))
      return DimsOf<I>(first);
  }
  SmallVector<DimsOf<I>, 4> strides;
  for (const TensorMeta<I>& t : operands) strides.push_back(broadcast_strides(t, shape));
  auto order = loop_order<I>(std::span<const DimsOf<I>>(strides.data(), strides.size()), shape);
  bool inverted = true;
  for (size_t i = 0; i < order.size(); ++i) inverted &= order[i] == order.size() - 1 - i;
  if (inverted) return contiguous_strides<I>(shape);
  DimsOf<I> result(shape.size(), I(1));
  I next(1);
  for (size_t d : order) {
    result[d] = next;
    next = checked_mul(next, shape[d]);
  }
  return result;
}

}  // namespace frit
