// Intervals of integers, with arithmetic that always contains the true result. The extreme int64
// values stand for infinity, and what leaves int64 is clamped to them.
#pragma once
#include <cstdint>
#include <limits>
#include <string>

namespace frit::sym {

inline constexpr int64_t kMinusInf = std::numeric_limits<int64_t>::min();
inline constexpr int64_t kPlusInf = std::numeric_limits<int64_t>::max();

struct Range {
  int64_t lo = kMinusInf, hi = kPlusInf;

  static Range of(int64_t v) { return {v, v}; }
  bool is_empty() const { return lo > hi; }
  bool is_single() const { return lo == hi && lo != kMinusInf && lo != kPlusInf; }
  bool contains(int64_t v) const { return lo <= v && v <= hi; }
  bool excludes_zero() const { return lo > 0 || hi < 0; }
  bool operator==(const Range&) const = default;
  // "[2, inf)", "[0, 7]", "(-inf, inf)"
  std::string str() const;
};

Range intersect(Range a, Range b);
Range hull(Range a, Range b);  // the smallest interval with both in it
Range operator+(Range a, Range b);
Range operator-(Range a);
Range operator*(Range a, Range b);
// For every divisor in b but zero, which has no result.
Range floordiv(Range a, Range b);
Range mod(Range a, Range b);
Range min(Range a, Range b);
Range max(Range a, Range b);

}  // namespace frit::sym
