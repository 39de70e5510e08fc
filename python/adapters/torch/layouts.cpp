#include "adapters/torch/layouts.h"

#include <algorithm>
#include <utility>

namespace frit::torch {

std::vector<size_t> order_of(const TensorImpl& t) {
  std::vector<size_t> order;
  for (size_t d = 0; d < t.sizes.size(); ++d) order.push_back(d);
  // Of those that have one element, as they stand.
  for (size_t i = 1; i < order.size(); ++i)
    for (size_t k = i; k > 0; --k) {
      const size_t a = order[k - 1], b = order[k];
      if (!(t.strides[b] > t.strides[a] && t.sizes[a] > 1 && t.sizes[b] > 1)) break;
      std::swap(order[k - 1], order[k]);
    }
  return order;
}

Dims dense_strides(const TensorImpl& t) {
  const std::vector<size_t> order = order_of(t);
  Dims strides(t.sizes);
  int64_t running = 1;
  for (size_t k = order.size(); k-- > 0;) {
    strides[order[k]] = running;
    running *= std::max<int64_t>(t.sizes[order[k]], 1);
  }
  return strides;
}

}  // namespace frit::torch
