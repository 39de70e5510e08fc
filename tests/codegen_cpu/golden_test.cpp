// Generated text as it stands, small enough to read.
#include "golden.h"

#include "harness.h"

namespace frit::codegen::cpu {
namespace {

void expect_text(const std::string& name, const std::string& text) {
  testing_golden::expect_text(
      std::string(FRIT_SOURCE_DIR) + "/tests/codegen_cpu/golden/" + name + ".cpp.txt", text);
}

TEST(Golden, Pointwise) {
  Maker m;
  Int n = m.symbol(), k = m.symbol();
  Ref x = m.input({n, k}), y = m.input({k}), z = m.input({n, Int(1)}, DType::bf16);
  m.output(m.op<"relu">(m.op<"add.Tensor">(m.op<"mul.Tensor">(x, y), z)));
  expect_text("pointwise", compile(std::move(m)).generated.modules[0]);
}

TEST(Golden, Softmax) {
  Maker m;
  Int n = m.symbol();
  Ref x = m.input({n, Int(10)});
  m.output(m.op<"_softmax">(x, Int(1), false));
  m.output(m.op<"sum.dim_IntList">(x, Arg(IntList{Int(0)}), false));
  expect_text("softmax", compile(std::move(m)).generated.modules[0]);
}

TEST(Golden, LinearRelu) {
  Maker m;
  Int n = m.symbol();
  Ref x = m.input({n, Int(64)}), w = m.input({Int(32), Int(64)}), b = m.input({Int(32)});
  m.output(m.op<"relu">(m.op<"addmm">(b, x, m.op<"t">(w))));
  expect_text("linear_relu", compile(std::move(m)).generated.modules[0]);
}

TEST(Golden, Embedding) {
  Maker m;
  Int n = m.symbol();
  Ref table = m.input({Int(100), Int(16)}), i = m.input({n}, DType::i64);
  m.output(m.op<"mul.Scalar">(m.op<"embedding">(table, i), Scalar(0.5)));
  expect_text("embedding", compile(std::move(m)).generated.modules[0]);
}

}  // namespace
}  // namespace frit::codegen::cpu
