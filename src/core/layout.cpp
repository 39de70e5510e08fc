#include "core/layout.h"

#include <algorithm>

#include "base/error.h"

namespace frit {

bool is_contiguous(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  uint64_t expected = 1;  // wraps only where a size of 0 is still to come
  bool fits = true;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 0) return true;  // whatever the strides
    fits = fits && (sizes[i] == 1 || static_cast<uint64_t>(strides[i]) == expected);
    expected *= static_cast<uint64_t>(sizes[i]);
  }
  return fits;
}

namespace {

struct Axis {
  int64_t size, stride;
};

// Axes of size above 1, by rising stride.
SmallVector<Axis, 8> sorted_axes(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  SmallVector<Axis, 8> axes;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] > 1) axes.push_back({sizes[i], strides[i]});
  std::sort(axes.begin(), axes.end(), [](Axis a, Axis b) { return a.stride < b.stride; });
  return axes;
}

}  // namespace

bool is_dense_non_overlapping(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  for (int64_t s : sizes)
    if (s == 0) return true;
  int64_t expected = 1;
  for (Axis a : sorted_axes(sizes, strides)) {
    if (a.stride != expected) return false;
    expected *= a.size;
  }
  return true;
}

bool may_overlap_itself(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  for (int64_t s : sizes)
    if (s == 0) return false;
  int64_t reach = 0;  // the largest offset the axes so far can add
  for (Axis a : sorted_axes(sizes, strides)) {
    if (a.stride <= reach) return true;
    reach += a.stride * (a.size - 1);
  }
  return false;
}

bool may_overlap(const TensorImpl& a, const TensorImpl& b) {
  if (!(a.storage == b.storage)) return false;
  auto extent = [](const TensorImpl& t) {
    int64_t low = t.offset, high = t.offset;
    for (size_t i = 0; i < t.sizes.size(); ++i) {
      if (t.sizes[i] == 0) return std::pair<int64_t, int64_t>(0, 0);
      int64_t span = (t.sizes[i] - 1) * t.strides[i];
      span < 0 ? low += span : high += span;
    }
    return std::pair<int64_t, int64_t>(low * size_of(t.dtype), (high + 1) * size_of(t.dtype));
  };
  auto [a0, a1] = extent(a);
  auto [b0, b1] = extent(b);
  return a0 < b1 && b0 < a1;
}

std::string dims_text(std::span<const int64_t> dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

std::string dims_text(std::span<const Int> dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) text += (i ? ", " : "") + to_text(dims[i]);
  return text + "]";
}

std::string symbolic_text(std::span<const Int> dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) text += (i ? ", " : "") + dims[i].str();
  return text + "]";
}

int64_t wrap_dim(int64_t dim, int64_t rank, std::string_view op) {
  int64_t n = std::max<int64_t>(rank, 1);
  if (dim < -n || dim >= n)
    throw UserError(ErrorKind::index, op,
                    "Dimension out of range (expected to be in range of [" + std::to_string(-n) +
                        ", " + std::to_string(n - 1) + "], but got " + std::to_string(dim) + ")",
                    "a dim between " + std::to_string(-n) + " and " + std::to_string(n - 1));
  return dim < 0 ? dim + n : dim;
}

}  // namespace frit
