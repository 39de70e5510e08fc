#include "harness.h"

namespace frit::codegen::cpu {
namespace {

Tensor indices(std::vector<int64_t> v) {
  std::vector<int64_t> sizes{static_cast<int64_t>(v.size())};
  return tensor_from<int64_t>(v, sizes);
}

TEST(Index, RowsOfATable) {
  Maker m;
  Int n = m.symbol();
  Ref table = m.input({Int(10), Int(6)}), i = m.input({n}, DType::i64);
  m.output(m.op<"relu">(m.op<"index_select">(table, Int(0), i)));
  m.output(m.op<"embedding">(table, i));
  Compiled c = compile(std::move(m));
  EXPECT_EQ(expect_equal(c, {numbers({10, 6}), indices({3, 9, 0, 3})}), -1);
  EXPECT_GE(expect_equal(c, {numbers({10, 6}), indices({3, 10, 0, 3})}), 0);
  EXPECT_GE(expect_equal(c, {numbers({10, 6}), indices({3, -11, 0, 3})}), 0);
}

TEST(Index, Gather) {
  Maker m;
  Int n = m.symbol();
  Ref x = m.input({n, Int(20)}), i = m.input({n, Int(20)}, DType::i64);
  m.output(
      m.op<"exp">(m.op<"gather">(x, Int(1), m.op<"remainder.Scalar">(m.op<"abs">(i), Scalar(20)))));
  Compiled c = compile(std::move(m));
  for (int64_t k : {2, 9}) expect_equal(c, {numbers({k, 20}), numbers({k, 20}, DType::i64, 2)});
}

TEST(Index, NllLoss) {
  Maker m;
  Int n = m.symbol();
  Ref x = m.input({n, Int(10)}), t = m.input({n}, DType::i64);
  m.output(m.ops<"nll_loss_forward">(m.op<"_log_softmax">(x, Int(1), false), t, Arg(), Int(1),
                                     Int(-100))[0]);
  Compiled c = compile(std::move(m));
  EXPECT_EQ(expect_equal(c, {numbers({4, 10}), indices({3, 9, 0, 3})}), -1);
  EXPECT_GE(expect_equal(c, {numbers({4, 10}), indices({3, 10, 0, 3})}), 0);
}

}  // namespace
}  // namespace frit::codegen::cpu
