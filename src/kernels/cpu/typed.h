// Elements by type on the host, for kernels that move single elements by data.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/dtype.h"

namespace frit::kernels {

// Storage types of the half types and of bools; `get` gives what they are computed as.
struct BFloat16Element {
  uint16_t bits;
  float get() const { return std::bit_cast<float>(uint32_t{bits} << 16); }
  void set(float v) {
    const auto u = std::bit_cast<uint32_t>(v);
    bits = static_cast<uint16_t>(v != v ? (u >> 16) | 0x40 : (u + 0x7fff + (u >> 16 & 1)) >> 16);
  }
};
struct Float16Element {
  uint16_t bits;
  float get() const { return static_cast<float>(std::bit_cast<_Float16>(bits)); }
  void set(float v) { bits = std::bit_cast<uint16_t>(static_cast<_Float16>(v)); }
};
struct BoolElement {
  uint8_t byte;
  bool get() const { return byte != 0; }
  void set(bool v) { byte = v; }
};

template <class T>
auto get(const T& t) {
  if constexpr (std::is_arithmetic_v<T>)
    return t;
  else
    return t.get();
}
template <class T, class V>
void set(T& t, V v) {
  if constexpr (std::is_arithmetic_v<T>)
    t = static_cast<T>(v);
  else
    t.set(v);
}

// Calls fn with a value of dtype's storage type.
template <class F>
auto with_type(DType t, F&& fn) {
  switch (t) {
    case DType::f32:
      return fn(float{});
    case DType::f64:
      return fn(double{});
    case DType::bf16:
      return fn(BFloat16Element{});
    case DType::f16:
      return fn(Float16Element{});
    case DType::i8:
      return fn(int8_t{});
    case DType::i16:
      return fn(int16_t{});
    case DType::i32:
      return fn(int32_t{});
    case DType::i64:
      return fn(int64_t{});
    case DType::u8:
      return fn(uint8_t{});
    case DType::boolean:
      break;
  }
  return fn(BoolElement{});
}
// With an unsigned integer as wide as an element.
template <class F>
auto with_width(int64_t bytes, F&& fn) {
  switch (bytes) {
    case 1:
      return fn(uint8_t{});
    case 2:
      return fn(uint16_t{});
    case 4:
      return fn(uint32_t{});
    default:
      return fn(uint64_t{});
  }
}

// Sums and products that wrap where they are of integers; of bools, or and and.
template <class V>
V wrapping_add(V a, V b) {
  if constexpr (std::is_same_v<V, bool>)
    return a || b;
  else if constexpr (std::is_integral_v<V>)
    return static_cast<V>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else
    return a + b;
}
template <class V>
V wrapping_mul(V a, V b) {
  if constexpr (std::is_same_v<V, bool>)
    return a && b;
  else if constexpr (std::is_integral_v<V>)
    return static_cast<V>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else
    return a * b;
}
template <class V>
bool is_nan(V v) {
  if constexpr (std::is_floating_point_v<V>)
    return v != v;
  else
    return false;
}

}  // namespace frit::kernels
