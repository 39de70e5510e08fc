// What the tests see of the vector header: for each level a table of loops over arrays, one that
// uses the vector form of a function and one that uses the scalar form.
#pragma once

#include <cstdint>

namespace frit::vec_test {

template <class T>
using UnaryLoop = void (*)(const T* x, T* y, std::int64_t n);
template <class T>
using BinaryLoop = void (*)(const T* a, const T* b, T* y, std::int64_t n);

template <template <class> class Loop>
struct Function {
  const char* name;
  Loop<float> f32_vector, f32_scalar;
  Loop<double> f64_vector, f64_scalar;
};
using Unary = Function<UnaryLoop>;
using Binary = Function<BinaryLoop>;

struct Functions {
  const char* level;
  const Unary* unary;
  int unary_count;
  const Binary* binary;
  int binary_count;
};

extern const Functions kFunctionsAvx2, kFunctionsAvx512;

}  // namespace frit::vec_test
