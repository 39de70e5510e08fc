// A number as an op's argument: a bool, an integer (which may be symbolic), or a double.
#pragma once
#include <cmath>
#include <concepts>

#include "core/dtype.h"
#include "sym/int.h"

namespace frit {

class Scalar {
 public:
  enum class Tag : uint8_t { boolean, integer, real };
  Scalar() : Scalar(int64_t{0}) {}
  Scalar(bool v) : tag_(Tag::boolean), int_(v ? 1 : 0) {}
  Scalar(int v) : Scalar(int64_t{v}) {}
  Scalar(int64_t v) : tag_(Tag::integer), int_(v) {}
  template <std::integral T>  // the other integer types: out of an Int's range is a UserError
    requires(!std::same_as<T, bool> && !std::same_as<T, int> && !std::same_as<T, int64_t>)
  Scalar(T v) : Scalar(Int(v)) {}
  Scalar(Int v) : tag_(Tag::integer), int_(v) {}
  Scalar(float v) : Scalar(double{v}) {}
  Scalar(double v) : tag_(Tag::real), real_(v) {}

  Tag tag() const { return tag_; }
  bool is_bool() const { return tag_ == Tag::boolean; }
  bool is_integer() const { return tag_ == Tag::integer; }
  bool is_real() const { return tag_ == Tag::real; }
  bool is_symbolic() const { return tag_ == Tag::integer && int_.is_symbolic(); }
  Int as_int() const { return is_real() ? Int(static_cast<int64_t>(real_)) : int_; }
  // The value as a double; a symbolic integer gives its hint.
  double to_double() const { return is_real() ? real_ : static_cast<double>(int_.hint()); }
  int64_t to_int64() const { return is_real() ? static_cast<int64_t>(real_) : int_.hint(); }
  bool to_bool() const { return is_real() ? real_ != 0 : int_.hint() != 0; }
  // What it counts as in type promotion: bool, int64 or the default float type.
  DType number_type() const {
    return is_bool() ? DType::boolean : is_integer() ? DType::i64 : default_dtype();
  }
  // Same tag and same value; NaN equals NaN.
  bool same_as(const Scalar& o) const {
    if (tag_ != o.tag_) return false;
    if (!is_real()) return int_.same_as(o.int_);
    return real_ == o.real_ ? std::signbit(real_) == std::signbit(o.real_)
                            : real_ != real_ && o.real_ != o.real_;
  }

 private:
  Tag tag_;
  Int int_ = 0;
  double real_ = 0;
};

}  // namespace frit
