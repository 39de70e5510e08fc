// Whether a number can be stored in a dtype.
#pragma once
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string_view>

#include "core/dtype.h"
#include "core/scalar.h"

namespace frit {

// Is the number one that the dtype has? As PyTorch counts: a negative one may wrap into uint8.
inline bool representable(const Scalar& v, DType t) {
  if (is_floating(t)) {
    double limit = t == DType::f32    ? std::numeric_limits<float>::max()
                   : t == DType::f16  ? 65504.0
                   : t == DType::bf16 ? 0x1.fep127
                                      : std::numeric_limits<double>::max();
    double x = v.to_double();
    return !std::isfinite(x) || std::abs(x) <= limit;
  }
  if (is_bool(t)) return true;
  double bits = static_cast<double>(size_of(t) * 8);
  double high = t == DType::u8 ? 256 : std::exp2(bits - 1);
  double low = t == DType::u8 ? -256 : -high - 1;
  double x = v.to_double();
  if (v.is_real()) x = std::trunc(x);
  return x > low && x < high;
}

inline std::string_view c_name(DType t) {
  switch (t) {
    case DType::f32:
      return "float";
    case DType::f64:
      return "double";
    case DType::bf16:
      return "at::BFloat16";
    case DType::f16:
      return "at::Half";
    case DType::i8:
      return "int8_t";
    case DType::i16:
      return "int16_t";
    case DType::i32:
      return "int";
    case DType::i64:
      return "int64_t";
    case DType::u8:
      return "uint8_t";
    case DType::boolean:
      return "bool";
  }
  return "";
}

template <class S>
void value_fits(S& s, const Scalar& value, DType t) {
  // 64-bit integers are exact where a double is not, and always fit.
  if (value.is_symbolic() || (t == DType::i64 && !value.is_real()) || representable(value, t))
    return;
  s.fail(fmt::format("value cannot be converted to type {} without overflow", c_name(t)),
         fmt::format("a value that {} can hold, or another dtype", name(t)));
}

}  // namespace frit
