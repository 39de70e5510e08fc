// Counting differences without the standard library's inline functions, which must not be built
// with a level's instructions.
#pragma once

#include <stdio.h>

#include <initializer_list>

#include "vec/vec.h"

namespace frit::vec_test {
namespace {

struct Differences {
  char* message;
  int count = 0;

  // `what` describes the case; x and y are printed as they are, as numbers.
  void note(const char* what, long a, long b, double x, double y) {
    if (count++ == 0)
      snprintf(message, 256, "%s, %ld, %ld: %.17g, expected %.17g", what, a, b, x, y);
  }
};

// Bits equal, or both NaN.
template <class T>
bool same_bits(T x, T y) {
  if constexpr (fv::is_float<T>) {
    if (x != x && y != y) return true;
  }
  return __builtin_memcmp(&x, &y, sizeof x) == 0;
}

// A small generator for arguments.
struct Bits {
  unsigned long state = 88172645463325252ul;
  unsigned long next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  }
};

}  // namespace
}  // namespace frit::vec_test
