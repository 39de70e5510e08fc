// What the tests of this room share: small tensors of float64, ops by name, and errors as text.
#pragma once
#include <frit/autograd.h>
#include <frit/indexing.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eager/dispatch.h"
#include "error_of.h"

namespace frit::test {

inline Tensor make(std::vector<double> values, std::vector<int64_t> sizes) {
  return tensor_from<double>(values, sizes);
}
inline Tensor vec(std::vector<double> values) {
  std::vector<int64_t> sizes{static_cast<int64_t>(values.size())};
  return make(std::move(values), sizes);
}
inline Tensor leaf(std::vector<double> values) { return vec(std::move(values)).requires_grad_(); }
inline Tensor leaf(std::vector<double> values, std::vector<int64_t> sizes) {
  return make(std::move(values), std::move(sizes)).requires_grad_();
}
inline std::vector<double> values(const Tensor& t) { return t.to_vector<double>(); }

template <OpName name, class... A>
Tensor op(A&&... args) {
  return eager::EagerCaller().op<name>(std::forward<A>(args)...).tensor();
}
inline Tensor sum(const Tensor& t) { return op<"sum">(t); }

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

}  // namespace frit::test
