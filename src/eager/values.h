// Elements as numbers, whatever the dtype.
#pragma once
#include <frit/tensor.h>

#include "base/error.h"

namespace frit::eager {

// The element at this address.
Scalar read_element(const void* at, DType);
// Calls fn(address) for every element in logical row-major order.
template <class F>
void for_each_element(const TensorImpl& t, F&& fn) {
  int64_t n = t.numel();
  const auto* base = static_cast<const std::byte*>(t.data());
  Dims index(t.sizes.size(), 0);
  int64_t offset = 0;
  for (int64_t i = 0; i < n; ++i) {
    fn(base + offset * size_of(t.dtype));
    for (size_t d = t.sizes.size(); d-- > 0;) {
      offset += t.strides[d];
      if (++index[d] < t.sizes[d]) break;
      offset -= t.strides[d] * t.sizes[d];
      index[d] = 0;
    }
  }
}
// Tells the interceptor that values are about to be read; UserError where there are none.
void reading_values(const Tensor& t, SourceLocation where, std::string_view op);

}  // namespace frit::eager
