#include "harness.h"

namespace frit::codegen::cpu {
namespace {

const DType f32 = DType::f32, f64 = DType::f64, bf16 = DType::bf16, f16 = DType::f16;

TEST(Pointwise, OneDimension) {
  Compiled c = compile_text(R"G(graph f(x: f32[s0], y: f32[s0], z: f32[s0]) {
  symbol s0 = 4 in [0, inf] from "x.size(0)"
  %0: f32[s0] = mul.Tensor(x, y)
  %1: f32[s0] = add.Tensor(%0, z)
  %2: f32[s0] = relu(%1)
  return %2
})G");
  for (int64_t n : {0, 1, 4, 15, 16, 17, 1000, 200000})
    expect_equal(c, {numbers({n}), numbers({n}, f32, 2), numbers({n}, f32, 3)});
}

TEST(Pointwise, NoDimensions) {
  Maker m;
  Ref x = m.input({}), y = m.input({});
  m.output(m.op<"exp">(m.op<"sub.Tensor">(x, y)));
  expect_equal(compile(std::move(m)), {numbers({}), numbers({}, f32, 2)});
}

TEST(Pointwise, BroadcastAndTransposed) {
  Maker m;
  Int a = m.symbol(), b = m.symbol();
  Ref x = m.input({a, b}), y = m.input({b}), z = m.input({a, Int(1)}),
      w = m.input({a, b}, f32, {Int(1), a});
  Ref s = m.input({});
  m.output(m.op<"mul.Tensor">(m.op<"add.Tensor">(m.op<"mul.Tensor">(x, y), z), s));
  m.output(m.op<"add.Tensor">(x, m.op<"tanh">(w)));
  Compiled c = compile(std::move(m));
  for (auto [p, q] :
       {std::pair<int64_t, int64_t>{3, 5}, {2, 2}, {17, 33}, {64, 64}, {300, 500}, {2, 50000}})
    expect_equal(c, {numbers({p, q}), numbers({q}, f32, 2), numbers({p, 1}, f32, 3),
                     strided_numbers({p, q}, {1, p}, f32, 4), numbers({}, f32, 5)});
}

TEST(Pointwise, EveryDtype) {
  for (int t = 0; t < kNumDTypes; ++t) {
    auto d = static_cast<DType>(t);
    SCOPED_TRACE(std::string(short_name(d)));
    Maker m;
    Int n = m.symbol();
    Ref x = m.input({n, Int(3)}, d), y = m.input({n, Int(3)}, d);
    m.output(m.op<"add.Tensor">(m.op<"mul.Tensor">(x, y), y));
    m.output(m.op<"lt.Tensor">(x, y));
    m.output(m.op<"maximum">(x, y));
    m.output(m.op<"_to_copy">(x, f64));
    m.output(m.op<"_to_copy">(y, DType::i32));
    m.output(m.op<"_to_copy">(y, DType::boolean));
    Compiled c = compile(std::move(m));
    for (int64_t k : {2, 5, 6, 43}) expect_equal(c, {numbers({k, 3}, d), numbers({k, 3}, d, 2)});
  }
}

TEST(Pointwise, HalfTypesRoundAfterEveryOp) {
  for (DType d : {bf16, f16}) {
    Maker m;
    Int n = m.symbol();
    Ref x = m.input({n}, d), y = m.input({n}, d);
    Ref t = m.op<"silu">(m.op<"mul.Tensor">(m.op<"add.Tensor">(x, y), x));
    m.output(t);
    m.output(m.op<"mul.Tensor">(t, m.op<"exp">(y)));
    Compiled c = compile(std::move(m));
    for (int64_t k : {2, 31, 1000}) expect_equal(c, {numbers({k}, d), numbers({k}, d, 2)});
  }
}

TEST(Pointwise, ManyFunctions) {
  Maker m;
  Int n = m.symbol();
  Ref x = m.input({n}), y = m.input({n});
  Ref p = m.op<"abs">(x);
  for (const Ref& r : {m.op<"sigmoid">(x), m.op<"tanh">(x), m.op<"exp">(x), m.op<"log">(p),
                       m.op<"erf">(x), m.op<"sqrt">(p), m.op<"rsqrt">(p),
                       m.op<"pow.Tensor_Scalar">(x, Scalar(2.0)), m.op<"pow.Tensor_Tensor">(p, y),
                       m.op<"gelu">(x), m.op<"div.Tensor">(x, y), m.op<"remainder.Tensor">(x, y),
                       m.op<"floor">(x), m.op<"where.self">(m.op<"gt.Tensor">(x, y), x, y),
                       m.op<"clamp">(x, Scalar(-1.0), Scalar(1.5)),
                       m.op<"masked_fill.Scalar">(x, m.op<"isnan">(m.op<"log">(x)), Scalar(-1.0)),
                       m.op<"sin">(x), m.op<"cos">(y)})
    m.output(r);
  Compiled c = compile(std::move(m));
  for (int64_t k : {2, 16, 37, 4000}) expect_equal(c, {numbers({k}), numbers({k}, f32, 2)});
}

// A pass for each function, over blocks: between vectors, blocks, rows and dtypes.
TEST(Pointwise, FunctionsOfFunctions) {
  for (DType d : {f32, f64, bf16}) {
    Maker m;
    Int a = m.symbol(), b = m.symbol();
    Ref x = m.input({a, b}, d), y = m.input({b, a}, d);
    Ref s = m.op<"sigmoid">(x);
    m.output(m.op<"sin">(m.op<"mul.Tensor">(m.op<"exp">(m.op<"tanh">(x)), s)));
    m.output(m.op<"tanh">(m.op<"add.Tensor">(m.op<"sin">(m.op<"t">(y)), s)));
    Compiled c = compile(std::move(m));
    EXPECT_NE(c.generated.modules[0].find("kept"), std::string::npos) << c.generated.modules[0];
    for (auto [p, q] : {std::pair<int64_t, int64_t>{2, 2}, {2, 255}, {3, 257}, {2, 5000}, {70, 9}})
      expect_equal(c, {numbers({p, q}, d), numbers({q, p}, d, 2)});
  }
}

TEST(Pointwise, ViewsAndPieces) {
  Maker m;
  Int n = m.symbol();
  Ref x = m.input({n, Int(10)}), y = m.input({n, Int(6)});
  m.output(m.op<"cat">(Arg(std::vector<Ref>{x, m.op<"exp">(y)}), 1));
  m.output(m.op<"neg">(m.op<"slice.Tensor">(x, 1, 2, 9, 3)));
  m.output(m.op<"add.Tensor">(m.op<"reshape">(x, Arg(IntList{n * 10})),
                              m.op<"reshape">(m.op<"t">(x), Arg(IntList{n * 10}))));
  Compiled c = compile(std::move(m));
  for (int64_t k : {2, 7, 16, 40}) expect_equal(c, {numbers({k, 10}), numbers({k, 6}, f32, 2)});
}

TEST(Pointwise, ManyTensorsInOneRegion) {
  Maker m;
  std::vector<Tensor> inputs;
  for (int i = 0; i < 6; ++i) {
    int64_t a = 7 + 40 * i, b = 3 + i;
    Ref p = m.input({Int(a), Int(b)}), g = m.input({Int(a), Int(b)});
    m.write(2 * i, m.op<"sub.Tensor">(p, m.op<"mul.Scalar">(g, Scalar(0.1))));
    inputs.push_back(numbers({a, b}, f32, static_cast<uint64_t>(i)));
    inputs.push_back(numbers({a, b}, f32, static_cast<uint64_t>(i + 100)));
  }
  Compiled c = compile(std::move(m));
  EXPECT_EQ(c.generated.plan.kernels.size(), 1u);
  expect_equal(c, inputs);
}

TEST(Pointwise, Random) {
  Maker m;
  Int n = m.symbol();
  Ref x = m.input({n, Int(7)});
  m.output(m.op<"mul.Tensor">(x, m.op<"rand">(Arg(IntList{n, Int(7)}), f32)));
  m.output(m.op<"randn">(Arg(IntList{n}), f64));
  m.output(m.op<"rand">(Arg(IntList{Int(3), n}), bf16));
  RefList d = m.ops<"native_dropout">(x, 0.3, true);
  m.output(d[0]);
  m.output(d[1]);
  m.output(m.op<"randint">(Int(100), Arg(IntList{n}), DType::i64));
  Compiled c = compile(std::move(m));
  for (int64_t k : {2, 5, 16, 333, 20000}) expect_equal(c, {numbers({k, 7})});
}

}  // namespace
}  // namespace frit::codegen::cpu
