#include "kernels/cpu/iterate.h"

#include <algorithm>

namespace frit::kernels {

LoopNest make_nest(std::span<const int64_t> sizes, std::span<const Dims> strides) {
  LoopNest nest;
  for (int64_t s : sizes) nest.numel *= s;
  SmallVector<LoopDim, 5> dims;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1) continue;
    LoopDim dim;
    dim.size = sizes[d];
    for (size_t k = 0; k < strides.size(); ++k) dim.strides[k] = strides[k][d];
    dims.push_back(dim);
  }
  // The output's memory order, outermost first; ties by the first input that can tell.
  auto before = [&](const LoopDim& a, const LoopDim& b) {
    for (size_t k = 0; k < strides.size(); ++k) {
      int64_t sa = std::abs(a.strides[k]), sb = std::abs(b.strides[k]);
      if (sa != sb) return sa > sb;
    }
    return false;
  };
  for (auto d = dims.begin(); d != dims.end(); ++d)
    std::rotate(std::upper_bound(dims.begin(), d, *d, before), d, d + 1);
  for (const LoopDim& dim : dims) {
    if (!nest.dims.empty()) {
      LoopDim& outer = nest.dims.back();
      bool joins = true;
      for (size_t k = 0; joins && k < strides.size(); ++k)
        joins = outer.strides[k] == dim.strides[k] * dim.size;
      if (joins) {
        int64_t size = outer.size * dim.size;
        outer = dim;
        outer.size = size;
        continue;
      }
    }
    nest.dims.push_back(dim);
  }
  if (nest.dims.empty()) nest.dims.push_back(LoopDim{});
  return nest;
}

Dims broadcast_strides(const TensorImpl& t, std::span<const int64_t> sizes) {
  Dims strides(sizes.size(), 0);
  size_t lead = sizes.size() - t.sizes.size();
  for (size_t i = 0; i < t.sizes.size(); ++i)
    if (t.sizes[i] != 1 || sizes[lead + i] == 1) strides[lead + i] = t.strides[i];
  return strides;
}

}  // namespace frit::kernels
