// Reading values of tensors on the host: item, to_vector, printing.
#include "eager/values.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "base/location.h"
#include "core/layout.h"
#include "eager/intercept.h"

namespace frit {
namespace eager {
namespace {

float half_to_float(uint16_t h) {
  uint32_t sign = uint32_t(h & 0x8000) << 16, exponent = h >> 10 & 31, mantissa = h & 0x3ff;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
  if (exponent == 0)
    return std::copysign(std::ldexp(static_cast<float>(mantissa), -24), sign ? -1.f : 1.f);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

}  // namespace

Scalar read_element(const void* at, DType t) {
  switch (t) {
    case DType::f32:
      return Scalar(*static_cast<const float*>(at));
    case DType::f64:
      return Scalar(*static_cast<const double*>(at));
    case DType::bf16:
      return Scalar(std::bit_cast<float>(uint32_t(*static_cast<const uint16_t*>(at)) << 16));
    case DType::f16:
      return Scalar(half_to_float(*static_cast<const uint16_t*>(at)));
    case DType::i8:
      return Scalar(int64_t{*static_cast<const int8_t*>(at)});
    case DType::i16:
      return Scalar(int64_t{*static_cast<const int16_t*>(at)});
    case DType::i32:
      return Scalar(int64_t{*static_cast<const int32_t*>(at)});
    case DType::i64:
      return Scalar(*static_cast<const int64_t*>(at));
    case DType::u8:
      return Scalar(int64_t{*static_cast<const uint8_t*>(at)});
    case DType::boolean:
      return Scalar(*static_cast<const uint8_t*>(at) != 0);
  }
  throw InternalError("no such dtype");
}

void reading_values(const Tensor& t, SourceLocation where, std::string_view op) {
  if (!t.impl()->storage->has_data())
    throw UserError(ErrorKind::runtime, op,
                    "this tensor stands for a value that has no data here (a shape-only tensor)",
                    "read values outside of export and of shape rules", located(where));
  if (recording()) [[unlikely]]
    interceptor()->reading_value(t, located(where));
}

namespace {

const void* single(const Tensor& t, SourceLocation where) {
  const TensorImpl& i = *t.impl();
  if (i.numel() != 1) {
    std::string text =
        fmt::format("a Tensor with {} elements cannot be converted to Scalar", i.numel());
    if (!located(where) && t_last_place)
      text += "; the last op before was at " + t_last_place.text();
    throw UserError(ErrorKind::runtime, "item", std::move(text),
                    "reduce it first (sum, max, any), or to_vector() for all", located(where));
  }
  return i.data();
}

}  // namespace
}  // namespace eager

Scalar Tensor::item_scalar(std::source_location where) const {
  checked(where);
  eager::single(*this, where);
  eager::reading_values(*this, where, "item");
  return eager::read_element(impl_->data(), impl_->dtype);
}

void Tensor::fail_item(const Scalar& value, bool real, bool is_signed, size_t bytes,
                       std::source_location where) {
  std::string type = real ? "float" : fmt::format("{}int{}_t", is_signed ? "" : "u", 8 * bytes);
  throw UserError(
      ErrorKind::runtime, "item",
      fmt::format("value cannot be converted to type {} without overflow: it is {}", type,
                  value.is_real() ? fmt::format("{}", value.to_double())
                                  : fmt::format("{}", value.to_int64())),
      value.is_real() ? "item<double>()" : "item<int64_t>()", located(where));
}

Int Tensor::item_int(std::source_location where) const {
  const TensorImpl& t = checked(where);
  eager::single(*this, where);
  if (is_floating(t.dtype))
    throw UserError(ErrorKind::type, "item_int",
                    "the tensor is " + std::string(name(t.dtype)) + ", an integer is asked for",
                    "to(int64) first, or item<double>()", located(where));
  if (!t.storage->has_data()) eager::reading_values(*this, where, "item_int");
  int64_t value = eager::read_element(t.data(), t.dtype).to_int64();
  if (recording()) [[unlikely]]
    if (auto symbol = interceptor()->symbol_for(*this, value, located(where))) return *symbol;
  return Int(value);
}

template <class T>
std::vector<T> Tensor::to_vector(std::source_location where) const {
  check_dtype(dtype_of<T>(), where);
  eager::reading_values(*this, where, "to_vector");
  std::vector<T> values;
  values.reserve(static_cast<size_t>(impl_->numel()));
  eager::for_each_element(*impl_,
                          [&](const void* at) { values.push_back(*static_cast<const T*>(at)); });
  return values;
}

template std::vector<float> Tensor::to_vector(std::source_location) const;
template std::vector<double> Tensor::to_vector(std::source_location) const;
template std::vector<bfloat16> Tensor::to_vector(std::source_location) const;
template std::vector<float16> Tensor::to_vector(std::source_location) const;
template std::vector<int8_t> Tensor::to_vector(std::source_location) const;
template std::vector<int16_t> Tensor::to_vector(std::source_location) const;
template std::vector<int32_t> Tensor::to_vector(std::source_location) const;
template std::vector<int64_t> Tensor::to_vector(std::source_location) const;
template std::vector<uint8_t> Tensor::to_vector(std::source_location) const;
template std::vector<bool> Tensor::to_vector(std::source_location) const;

}  // namespace frit
