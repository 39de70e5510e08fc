// Raw strided copies, and tensors in the layout and dtype that a kernel wants.
#pragma once
#include <frit/tensor.h>

#include <span>

#include "core/layout.h"
#include "core/scalar.h"

namespace frit::kernels {

// A piece of memory with a dtype; strides are in elements, of any sign.
struct Place {
  std::byte* data;
  DType dtype;
  Dims strides;
};
inline Place place_of(const TensorImpl& t) {
  return {static_cast<std::byte*>(t.data()), t.dtype, t.strides};
}

// to = from, element by element over `sizes`, converted. They do not overlap, and `to` meets no
// element twice.
void copy_elements(std::span<const int64_t> sizes, const Place& to, const Place& from);

// t itself where it is row-major and of that dtype, else a copy that is.
Tensor packed(const Tensor& t, DType dtype);
inline Tensor packed(const Tensor& t) { return packed(t, t.impl()->dtype); }

// Sets elements to one of the dtype's size.
void fill_elements(std::span<const int64_t> sizes, const Place& to, const void* element);

// The bytes of a number in a dtype, converted as eager converts numbers.
struct Element {
  alignas(8) std::byte bytes[8];
};
Element element_of(const Scalar& s, DType t);

}  // namespace frit::kernels
