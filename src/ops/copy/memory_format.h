// Memory formats: how the dimensions of a fresh tensor lie in memory.
#pragma once
#include "ops/layout_rule.h"
#include "ops/shape.h"

namespace frit {

// In PyTorch's order, which is how defaults in schemas number them.
enum class MemoryFormat : uint8_t { contiguous, preserve, channels_last, channels_last_3d };

// An argument of type MemoryFormat: a number as in schemas, or "contiguous_format",
// "preserve_format", "channels_last", "channels_last_3d"; `otherwise` where it is None.
// UserError (value) names the op for any other text.
MemoryFormat memory_format(const Arg&, MemoryFormat otherwise, std::string_view op);

// The strides that a copy of t has under the preserve format: t's own where every element has its
// own place and none is left out; else packed in the order of t's strides.
template <class I>
DimsOf<I> preserved_strides(const TensorMeta<I>& t) {
  if (layout::canonical_strides(t)) return DimsOf<I>(t.strides);
  if (layout::dense(t.sizes, t.strides)) return DimsOf<I>(t.strides);
  return elementwise_strides<I>(t.sizes, std::span(&t, 1), true);
}

// Channels innermost, then the last dimension, and so on out to the batch: NHWC, or NDHWC.
template <class I>
DimsOf<I> channels_inside_strides(std::span<const I> sizes) {
  DimsOf<I> strides(sizes.size(), I(1));
  I next = sizes[1];
  for (size_t d = sizes.size(); d-- > 2;) {
    strides[d] = next;
    next = checked_mul(next, max(sizes[d], I(1)));
  }
  strides[0] = next;
  return strides;
}

template <class I>
DimsOf<I> format_strides(const ShapeCtx<I>& s, const TensorMeta<I>& t, MemoryFormat format) {
  switch (format) {
    case MemoryFormat::contiguous:
      return contiguous_strides<I>(t.sizes);
    case MemoryFormat::preserve:
      return preserved_strides(t);
    case MemoryFormat::channels_last:
      if (t.dim() != 4)
        s.fail("required rank 4 tensor to use channels_last format",
               "a tensor of batch, channels, height and width");
      return channels_inside_strides<I>(t.sizes);
    case MemoryFormat::channels_last_3d:
      if (t.dim() != 5)
        s.fail("required rank 5 tensor to use channels_last_3d format",
               "a tensor of batch, channels, depth, height and width");
      return channels_inside_strides<I>(t.sizes);
  }
  return {};
}

// Do the strides rise in the order of a channels-last tensor? As PyTorch decides it, for tensors
// whose sizes of 1 leave it open too.
template <class I>
bool looks_channels_last(const TensorMeta<I>& t) {
  if ((t.dim() != 4 && t.dim() != 5) || layout::canonical_strides(t)) return false;
  if (ask_or(size_eq(t.strides[1], I(0)), false)) return false;
  SmallVector<size_t, 5> order{1};
  for (size_t d = t.sizes.size(); d-- > 2;) order.push_back(d);
  order.push_back(0);
  I least(0);
  for (size_t d : order) {
    if (ask_or(size_eq(t.sizes[d], I(0)), false)) return false;
    if (!known_equal(t.strides[d], least) && ask_or(t.strides[d] < least, false)) return false;
    if (d == 0 && ask_or(size_eq(least, t.strides[1]), false)) return false;
    least = t.strides[d];
    if (!known_one(t.sizes[d])) least = checked_mul(least, t.sizes[d]);
  }
  return true;
}

// A copy was chosen because a size that depends on data is not known to be 0 or 1, where no layout
// needs one: a check in the graph that it is neither, for then eager makes none.
void expect_layout_matters(std::span<const Int> sizes);

}  // namespace frit
