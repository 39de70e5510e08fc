#include "harness.h"

namespace frit::codegen::cpu {
namespace {

TEST(Pointwise, OneDimension) {
  Compiled c = compile_text(R"(graph f(x: f32[s0], y: f32[s0], z: f32[s0]) {
  symbol s0 = x.size(0) in [0, inf), 4
  %0: f32[s0] = mul.Tensor(x, y)
  %1: f32[s0] = add.Tensor(%0, z, alpha=1)
  %2: f32[s0] = relu(%1)
  return %2
})");
  for (int64_t n : {0, 1, 4, 15, 16, 17, 1000, 200000})
    expect_equal(c, {numbers({n}), numbers({n}, DType::f32, 2), numbers({n}, DType::f32, 3)});
}

}  // namespace
}  // namespace frit::codegen::cpu
