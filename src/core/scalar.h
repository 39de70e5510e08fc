// A number as an op's argument: a bool, an integer (which may be symbolic), or a double.
#pragma once
#include <cmath>
#include <concepts>
#include <limits>
#include <string>
#include <type_traits>

#include "core/dtype.h"
#include "sym/int.h"

namespace frit {

class Scalar {
 public:
  enum class Tag : uint8_t { boolean, integer, real };
  Scalar() : Scalar(int64_t{0}) {}
  Scalar(bool v) : tag_(Tag::boolean), int_(v ? 1 : 0) {}
  Scalar(int v) : Scalar(int64_t{v}) {}
  // An Int begins at -2^62; what is below is kept 2^62 too high.
  Scalar(int64_t v)
      : tag_(Tag::integer), low_(v < Int::kLowest), int_(low_ ? v - Int::kLowest : v) {}
  template <std::integral T>  // the other integer types: above int64's range is a UserError
    requires(!std::same_as<T, bool> && !std::same_as<T, int> && !std::same_as<T, int64_t>)
  Scalar(T v) : Scalar(int64_t{checked(v)}) {}
  Scalar(Int v) : tag_(Tag::integer), int_(v) {}
  Scalar(float v) : Scalar(double{v}) {}
  Scalar(double v) : tag_(Tag::real), real_(v) {}

  Tag tag() const { return tag_; }
  bool is_bool() const { return tag_ == Tag::boolean; }
  bool is_integer() const { return tag_ == Tag::integer; }
  bool is_real() const { return tag_ == Tag::real; }
  bool is_symbolic() const { return tag_ == Tag::integer && int_.is_symbolic(); }
  // UserError below -2^62, which an Int does not hold.
  Int as_int() const {
    if (is_real()) return Int(static_cast<int64_t>(real_));
    return low_ ? Int(to_int64()) : int_;
  }
  // The value as a double; a symbolic integer gives its hint.
  double to_double() const { return is_real() ? real_ : static_cast<double>(to_int64()); }
  int64_t to_int64() const {
    if (is_real()) return static_cast<int64_t>(real_);
    return low_ ? int_.constant() + Int::kLowest : int_.hint();
  }
  bool to_bool() const { return is_real() ? real_ != 0 : to_int64() != 0; }
  // Can T hold the value, its fraction cut off where T is an integer type? NaN and infinities fit
  // into floating point only.
  template <class T>
  bool fits() const {
    if constexpr (std::floating_point<T>) {
      double v = to_double();
      return !std::isfinite(v) || std::abs(v) <= std::numeric_limits<T>::max();
    } else {
      if (!is_real()) {
        int64_t v = to_int64();
        return static_cast<int64_t>(static_cast<T>(v)) == v && (std::is_signed_v<T> || v >= 0);
      }
      // Powers of two: doubles hold them exactly.
      double above = std::ldexp(1.0, std::numeric_limits<T>::digits), v = std::trunc(real_);
      return v < above && v >= (std::is_signed_v<T> ? -above : 0);
    }
  }
  // What it counts as in type promotion: bool, int64 or the default float type.
  DType number_type() const {
    return is_bool() ? DType::boolean : is_integer() ? DType::i64 : default_dtype();
  }
  // Same tag and same value; NaN equals NaN.
  bool same_as(const Scalar& o) const {
    if (tag_ != o.tag_) return false;
    if (!is_real()) return low_ == o.low_ && int_.same_as(o.int_);
    return real_ == o.real_ ? std::signbit(real_) == std::signbit(o.real_)
                            : real_ != real_ && o.real_ != o.real_;
  }

 private:
  template <std::integral T>
  static int64_t checked(T v) {
    int64_t n = static_cast<int64_t>(v);
    if (std::is_unsigned_v<T> && n < 0) [[unlikely]]
      raise_range(std::to_string(v));
    return n;
  }
  [[noreturn]] static void raise_range(const std::string& value);
  Tag tag_;
  bool low_ = false;
  Int int_ = 0;
  double real_ = 0;
};

}  // namespace frit
