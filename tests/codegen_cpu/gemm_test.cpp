#include "harness.h"

namespace frit::codegen::cpu {
namespace {

const DType f32 = DType::f32;

TEST(Gemm, WithEpilogues) {
  for (DType d : {f32, DType::f64, DType::bf16}) {
    SCOPED_TRACE(std::string(short_name(d)));
    Maker m;
    Int n = m.symbol();
    Ref x = m.input({n, Int(20)}, d), w = m.input({Int(33), Int(20)}, d), b = m.input({Int(33)}, d),
        r = m.input({n, Int(33)}, d);
    Ref h = m.op<"addmm">(b, x, m.op<"t">(w));
    m.output(m.op<"add.Tensor">(m.op<"relu">(h), r));
    m.output(m.op<"mm">(m.op<"t">(x), r));
    Compiled c = compile(std::move(m));
    for (int64_t k : {2, 17, 64, 200})
      expect_equal(c, {numbers({k, 20}, d), numbers({33, 20}, d, 2), numbers({33}, d, 3),
                       numbers({k, 33}, d, 4)});
  }
}

TEST(Gemm, Batched) {
  Maker m;
  Int n = m.symbol();
  Ref x = m.input({n, Int(9), Int(5)}), y = m.input({n, Int(5), Int(7)});
  m.output(m.op<"mul.Scalar">(m.op<"bmm">(x, y), Scalar(0.5)));
  Compiled c = compile(std::move(m));
  for (int64_t k : {2, 11}) expect_equal(c, {numbers({k, 9, 5}), numbers({k, 5, 7}, f32, 2)});
}

}  // namespace
}  // namespace frit::codegen::cpu
