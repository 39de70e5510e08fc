// Ops that write an out argument, compiled.
#include <frit/autograd.h>
#include <frit/compile.h>
#include <frit/ops.h>
#include <gtest/gtest.h>

#include "compile/callable.h"

namespace frit {
namespace {

// matmul and true_divide run as their parts: the write is watched with them.
TEST(OutForms, WhatRunsAsItsPartsWritesItsOut) {
  auto fn = [](Tensor a, Tensor out) {
    frit::matmul_out(out, a, a);
    frit::true_divide_out(out, out, a);
    return out * 2;
  };
  auto f = compile(fn);
  for (int call = 0; call < 3; ++call) {
    manual_seed(static_cast<uint64_t>(call));
    Tensor a = frit::randn({3, 3});
    Tensor expected = frit::zeros({3, 3}), given = frit::zeros({3, 3});
    Tensor x = fn(a, expected), y = f(a, given);
    EXPECT_EQ(x.to_vector<float>(), y.to_vector<float>());
    EXPECT_EQ(expected.to_vector<float>(), given.to_vector<float>());
    EXPECT_EQ(expected.version(), given.version());
  }
  EXPECT_EQ(f.callable()->eager_calls(), 0u);
  EXPECT_TRUE(f.callable()->breaks().empty());
}

TEST(OutForms, AResizedOutIsLeftToEager) {
  auto fn = [](Tensor a, Tensor out) { return frit::matmul_out(out, a, a) + 1; };
  auto f = compile(fn);
  Tensor a = frit::ones({2, 2});
  for (int call = 0; call < 2; ++call) {
    Tensor expected = frit::zeros({0}), given = frit::zeros({0});
    Tensor x = fn(a, expected), y = f(a, given);
    EXPECT_EQ(x.to_vector<float>(), y.to_vector<float>());
    EXPECT_EQ(expected.to_vector<float>(), given.to_vector<float>());
  }
  ASSERT_FALSE(f.callable()->breaks().empty());
  EXPECT_EQ(f.callable()->breaks()[0].stop.kind, "unsupported");
}

}  // namespace
}  // namespace frit
