// What shape rules ask of sizes, for int64 and for Int alike. Each says whether it may guard.
#pragma once
#include "core/layout.h"
#include "sym/int.h"

namespace frit {

// Truth, by a guard where sizes have hints; `otherwise` where they depend on data.
inline bool ask_or(bool b, bool) { return b; }
inline bool ask_or(Bool b, bool otherwise) { return b.guard_or(otherwise); }
inline bool known_true(bool b) { return b; }
inline bool known_true(Bool b) { return b.known_true(); }

// A condition that must hold: false where it does not; where it depends on data, true with a check
// in the graph.
inline bool holds(bool b) { return b; }
inline bool holds(Bool b) {
  if (b.known_true()) return true;
  if (!b.guard_or(true)) return false;
  check(b);  // no-op when the guard has decided it
  return true;
}
// holds(a == b) without building the comparison for equal expressions.
template <class I>
bool sizes_agree(const I& a, const I& b) {
  return known_equal(a, b) || holds(size_eq(a, b));
}

// Contiguity without a guard where strides are what is expected; else guards on sizes of 1.
// A size that is not known to be 0 counts as not 0.
template <class I>
bool contiguous(std::span<const I> sizes, std::span<const I> strides) {
  I expected(1);
  bool fits = true;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (known_zero(sizes[i])) return true;
    if (!fits) continue;  // a size of 0 may still come
    if (!known_equal(strides[i], expected) && !ask_or(size_eq(sizes[i], I(1)), false) &&
        !ask_or(size_eq(strides[i], expected), false))
      fits = false;
    expected = checked_mul(expected, sizes[i]);
  }
  return fits;
}
inline bool contiguous(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  return is_contiguous(sizes, strides);
}

// The sizes of both together, by NumPy's rule, into `a`. False where they do not fit: `at` is the
// dimension of the result.
template <class I>
bool broadcast_into(DimsOf<I>& a, std::span<const I> b, size_t& at) {
  if (b.size() > a.size()) {
    DimsOf<I> wider(b.subspan(0, b.size() - a.size()));
    wider.append(a.begin(), a.end());
    a = std::move(wider);
  }
  size_t shift = a.size() - b.size();
  for (size_t i = b.size(); i-- > 0;) {  // errors name the last dimension that does not fit
    I& x = a[shift + i];
    const I& y = b[i];
    if (known_one(y) || known_equal(x, y)) continue;
    if (known_one(x)) {
      x = y;
      continue;
    }
    at = shift + i;
    if (ask_or(size_eq(x, y), false)) continue;
    if (ask_or(size_eq(y, I(1)), false)) continue;
    if (ask_or(size_eq(x, I(1)), false)) {
      x = y;
      continue;
    }
    if (!holds(size_eq(x, y))) return false;
  }
  return true;
}

}  // namespace frit
