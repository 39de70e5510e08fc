// What the tests of this room share.
#pragma once
#include <frit/autograd.h>
#include <frit/nn.h>
#include <frit/ops.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "core/generator.h"
#include "error_of.h"

namespace frit::test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

inline Tensor make(std::vector<float> values, std::vector<int64_t> sizes) {
  return tensor_from<float>(std::span<const float>(values), sizes);
}
inline std::vector<float> values(const Tensor& t) { return t.detach().to_vector<float>(); }

inline std::vector<std::string> names(const nn::NamedTensors& list) {
  std::vector<std::string> all;
  for (auto& [name, t] : list) all.push_back(name);
  return all;
}

struct Block : nn::Module {
  Block(nn::Module& parent, std::string_view name) : Module(parent, name) {
    register_buffer("count", count, make({0}, {1}));
    register_buffer("scratch", scratch, make({0, 0}, {2}), false);
  }
  Tensor forward(const Tensor& x) { return drop(lin(x)); }
  nn::Linear lin{*this, "lin", 3, 2};
  nn::Dropout drop{*this, "drop", 0.5};
  nn::Parameter count, scratch;
};
struct Net : nn::Module {
  nn::LayerNorm norm{*this, "norm", 3};
  Block block{*this, "block"};
  nn::Linear out{*this, "out", 2, 1, {.bias = false}};
  Tensor forward(const Tensor& x) { return out(block.forward(norm(x))); }
};

}  // namespace frit::test
