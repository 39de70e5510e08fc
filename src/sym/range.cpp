#include "sym/range.h"

#include <algorithm>

namespace frit::sym {
namespace {

using Wide = __int128;

bool infinite(int64_t v) { return v == kMinusInf || v == kPlusInf; }

int64_t clamp(Wide v) {
  if (v <= kMinusInf) return kMinusInf;
  if (v >= kPlusInf) return kPlusInf;
  return static_cast<int64_t>(v);
}

int sign(int64_t v) { return (v > 0) - (v < 0); }

// Zero times infinity is zero: an infinite bound is only ever approached.
int64_t times(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (infinite(a) || infinite(b)) return sign(a) * sign(b) > 0 ? kPlusInf : kMinusInf;
  return clamp(Wide(a) * b);
}

int64_t negate(int64_t v) { return v == kMinusInf ? kPlusInf : -v; }

// b is at least 1; an infinite divisor leaves 0 or, rounding down, -1.
int64_t quotient(int64_t a, int64_t b) {
  if (infinite(a)) return a;
  if (b == kPlusInf) return a < 0 ? -1 : 0;
  int64_t q = a / b;
  return q - (a - q * b < 0);
}

Range quotient_by_positive(Range a, Range b) {
  return {std::min(quotient(a.lo, b.lo), quotient(a.lo, b.hi)),
          std::max(quotient(a.hi, b.lo), quotient(a.hi, b.hi))};
}

Range remainder_by_positive(Range a, Range b) {
  if (a.lo >= 0 && a.hi < b.lo) return a;
  int64_t most = b.hi == kPlusInf ? kPlusInf : b.hi - 1;
  if (a.lo >= 0) most = std::min(most, a.hi);
  return {0, most};
}

// Applies `positive` to the divisors above zero and, with both sides negated, to those below.
template <class F>
Range split_divisor(Range a, Range b, F positive, bool negate_result) {
  Range above{std::max<int64_t>(b.lo, 1), b.hi}, below = -b;
  below.lo = std::max<int64_t>(below.lo, 1);
  if (above.is_empty() && below.is_empty()) return {};
  if (below.is_empty()) return positive(a, above);
  Range under = positive(-a, below);
  if (negate_result) under = -under;
  return above.is_empty() ? under : hull(positive(a, above), under);
}

std::string bound_text(int64_t v) {
  if (v == kPlusInf) return "inf";
  if (v == kMinusInf) return "-inf";
  return std::to_string(v);
}

}  // namespace

std::string Range::str() const {
  return (lo == kMinusInf ? "(" : "[") + bound_text(lo) + ", " + bound_text(hi) +
         (hi == kPlusInf ? ")" : "]");
}

Range intersect(Range a, Range b) { return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)}; }
Range hull(Range a, Range b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

Range operator+(Range a, Range b) {
  return {a.lo == kMinusInf || b.lo == kMinusInf ? kMinusInf : clamp(Wide(a.lo) + b.lo),
          a.hi == kPlusInf || b.hi == kPlusInf ? kPlusInf : clamp(Wide(a.hi) + b.hi)};
}

Range operator-(Range a) { return {negate(a.hi), negate(a.lo)}; }

Range operator*(Range a, Range b) {
  int64_t c[] = {times(a.lo, b.lo), times(a.lo, b.hi), times(a.hi, b.lo), times(a.hi, b.hi)};
  return {*std::min_element(c, c + 4), *std::max_element(c, c + 4)};
}

Range floordiv(Range a, Range b) { return split_divisor(a, b, quotient_by_positive, false); }
Range mod(Range a, Range b) { return split_divisor(a, b, remainder_by_positive, true); }
Range min(Range a, Range b) { return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)}; }
Range max(Range a, Range b) { return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)}; }

}  // namespace frit::sym
