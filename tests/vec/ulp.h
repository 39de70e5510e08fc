// Errors in ulps: against MPFR, or, where every f32 is tried, against the C library's doubles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vec/levels/functions.h"

namespace frit::vec_test {

// The levels this processor can run.
std::vector<const Functions*> levels();

// A function whose exact value the tests know, the arguments at which it is tried, and the largest
// error it is allowed, in ulps of the exact result.
struct Known {
  const char* name;
  double low, high;  // arguments: spread over this range, linearly and by magnitude
  double f32_limit, f64_limit;
};
const std::vector<Known>& known_unary();

struct Worst {
  double ulps = 0;
  double a = 0, b = 0;  // where
};
// Of the vector forms, one a level (the exact values are what takes time), at about `count`
// arguments of the range.
std::vector<Worst> measure_f32(const Known& known, int count);
std::vector<Worst> measure_f64(const Known& known, int count);
// At every f32 (`step` apart as integers), against doubles.
std::vector<Worst> measure_every_f32(const Known& known, int step);
// pow, atan2, hypot and logaddexp.
const std::vector<Known>& known_binary();
std::vector<Worst> measure_binary_f32(const Known& known, int count);
std::vector<Worst> measure_binary_f64(const Known& known, int count);

const Unary& find_unary(const Functions& level, const std::string& name);
const Binary& find_binary(const Functions& level, const std::string& name);

// Arguments that are worth a try for any function: zeros, infinities, NaN, denormals, powers of
// two, multiples of pi/2, numbers next to these.
template <class T>
std::vector<T> special_arguments();

}  // namespace frit::vec_test
