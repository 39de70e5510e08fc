// Sizes and strides as arithmetic, for int64 and for Int alike.
#pragma once
#include <span>
#include <string>

#include "base/small_vector.h"
#include "core/tensor_impl.h"

namespace frit {

template <class I>
using DimsOf = SmallVector<I, 5>;

template <class I>
DimsOf<I> contiguous_strides(std::span<const I> sizes) {
  DimsOf<I> strides(sizes.size(), I(1));
  I running(1);
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = running;
    if (i > 0) running = checked_mul(running, max(sizes[i], I(1)));  // as PyTorch: 0 counts as 1
  }
  return strides;
}

template <class I>
I numel_of(std::span<const I> sizes) {
  if constexpr (std::is_same_v<I, int64_t>)
    for (int64_t s : sizes)
      if (s == 0) return 0;  // however large the others are
  I n(1);
  for (const I& s : sizes) n = checked_mul(n, s);
  return n;
}

bool is_contiguous(std::span<const int64_t> sizes, std::span<const int64_t> strides);
// No two indices meet the same element, and every element between first and last is met.
bool is_dense_non_overlapping(std::span<const int64_t> sizes, std::span<const int64_t> strides);
// Some element is met twice (stride 0 of a size above 1, or a tighter overlap): false positives
// are possible for exotic strides, false negatives are not.
bool may_overlap_itself(std::span<const int64_t> sizes, std::span<const int64_t> strides);
// Two extents of one storage share a byte, exactly or by a conservative bound.
bool may_overlap(const TensorImpl& a, const TensorImpl& b);

// "[2, 3]"
std::string dims_text(std::span<const int64_t>);
// For messages: a symbolic size as the number it is in this run, where that is known.
std::string dims_text(std::span<const Int>);
// For graphs: as it is.
std::string symbolic_text(std::span<const Int>);

// dim in [-rank, rank) made non-negative; IndexError otherwise (rank 0 allows -1 and 0).
int64_t wrap_dim(int64_t dim, int64_t rank, std::string_view op);

}  // namespace frit
