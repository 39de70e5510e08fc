// Calls of shape rules, for tests: what a rule says of tensors that are only described, and that it
// says the same when their sizes are symbols.
#pragma once
#include <frit/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/caller.h"
#include "ops/record.h"
#include "sym/shape_env.h"

namespace frit::test {

// A tensor of those sizes; row-major where no strides are given. Zeros.
Tensor make(DType, Dims sizes, std::optional<Dims> strides = {});
inline Tensor f32(Dims sizes, std::optional<Dims> strides = {}) {
  return make(DType::f32, std::move(sizes), std::move(strides));
}
inline Tensor i64(Dims sizes, std::optional<Dims> strides = {}) {
  return make(DType::i64, std::move(sizes), std::move(strides));
}

// "f32[2, 3]", or "f32[2, 3] (1, 2)" where the strides are not row-major; outputs joined by "; ".
// An error is its text, "[op] message". The op is a full name; trailing defaults are filled.
//
// The rule runs for int64 and again with every size of 2 and more as a symbol: a difference is told
// instead ("int64: ..., symbolic: ..."). Composites run on a Caller that only runs rules.
std::string rule(std::string_view op, ArgList args);

template <class... A>
std::string rule_of(std::string_view op, A&&... a) {
  ArgList list;
  (list.emplace_back(std::forward<A>(a)), ...);
  return rule(op, std::move(list));
}

// The primitive ops a call runs as, in order: "full; masked_fill.Scalar".
std::string parts_of(std::string_view op, ArgList args);

// In the two below, sizes that are equal numbers are one symbol, and this one stays a number: a
// size that parameters fix.
inline constexpr int64_t kFixedSize = 7;

// Of an op with a rule and a decomposition, on symbolic sizes: empty where both give the same
// dtypes, sizes and strides and neither asked anything of the sizes, else what is wrong.
std::string decomposition_fault(std::string_view op, ArgList args);

// The gradients that an op's vjp gives for its tensor arguments, on symbolic sizes, as their rules
// say: "f32[2, 3]; none". Ends with the guards that it installed, where it did.
std::string gradients_of(std::string_view op, ArgList args);

}  // namespace frit::test
