#include "harness.h"

namespace frit::codegen::cpu {
namespace {

const DType f32 = DType::f32;

Arg dims(std::initializer_list<Int> l) { return Arg(IntList(l)); }

TEST(Reduction, RowsAndColumns) {
  for (DType d : {f32, DType::f64, DType::bf16, DType::i32, DType::u8, DType::boolean}) {
    SCOPED_TRACE(std::string(short_name(d)));
    Maker m;
    Int a = m.symbol(), b = m.symbol();
    Ref x = m.input({a, b}, d);
    m.output(m.op<"sum.dim_IntList">(x, dims({1}), false));
    m.output(m.op<"sum.dim_IntList">(x, dims({0}), true));
    m.output(m.op<"sum">(x));
    m.output(m.op<"amax">(x, dims({1}), false));
    m.output(m.op<"amin">(x, dims({0}), false));
    m.output(m.op<"any.dim">(x, Int(1), false));
    m.output(m.op<"all.dim">(x, Int(0), false));
    m.output(m.op<"prod.dim_int">(x, Int(1), false));
    if (!is_bool(d)) {
      m.output(m.op<"argmax">(x, Arg(Int(1)), false));
      m.output(m.op<"argmin">(x, Arg(Int(0)), false));
    }
    Compiled c = compile(std::move(m));
    for (auto [p, q] :
         {std::pair<int64_t, int64_t>{2, 2}, {3, 17}, {70, 33}, {200, 5}, {3, 5000}, {5000, 3}})
      expect_equal(c, {numbers({p, q}, d)});
  }
}

// Truth values in memory are reduced as bytes; computed ones, and those read backwards, as masks.
TEST(Reduction, TruthColumns) {
  Maker m;
  Int a = m.symbol(), b = m.symbol();
  Ref x = m.input({a, b}, DType::boolean), y = m.input({a, b});
  m.output(m.op<"any.dim">(x, Int(0), false));
  m.output(m.op<"all.dim">(m.op<"logical_not">(x), Int(0), false));
  m.output(m.op<"amax">(m.op<"flip">(x, dims({1})), dims({0}), false));
  m.output(m.op<"any.dim">(m.op<"gt.Scalar">(y, 1.5), Int(0), true));
  m.output(m.op<"logical_not">(m.op<"amin">(x, dims({0}), true)));
  Compiled c = compile(std::move(m));
  for (auto [p, q] : {std::pair<int64_t, int64_t>{2, 2}, {3, 200}, {70, 67}, {5000, 64}})
    expect_equal(c, {numbers({p, q}, DType::boolean), numbers({p, q}, f32)});
}

// The largest element with its place is one search; without its place nobody looks for it.
TEST(Reduction, ExtremesAndTheirPlaces) {
  for (DType d : {f32, DType::f64, DType::bf16, DType::i32, DType::boolean}) {
    SCOPED_TRACE(std::string(short_name(d)));
    Maker m;
    Int a = m.symbol(), b = m.symbol();
    Ref x = m.input({a, b}, d), y = m.input({a, Int(3), b}, d);
    for (Int dim : {Int(0), Int(1)}) {
      RefList both = m.ops<"max.dim">(x, dim, false);
      m.output(both[0]);
      m.output(both[1]);
      m.output(m.ops<"min.dim">(x, dim, true)[0]);
      m.output(m.ops<"max.dim">(y, dim, false)[1]);
    }
    Compiled c = compile(std::move(m));
    for (auto [p, q] : {std::pair<int64_t, int64_t>{2, 2}, {3, 17}, {70, 33}, {3, 5000}, {5000, 3}})
      expect_equal(c, {numbers({p, q}, d), numbers({p, 3, q}, d, 2)});
  }
  Maker m;
  Ref x = m.input({m.symbol(), m.symbol()});
  RefList both = m.ops<"max.dim">(x, Int(1), false);
  m.output(both[0]);
  m.output(both[1]);
  auto searches = [](const Compiled& c) {
    int n = 0;
    for (const std::string& text : c.generated.modules)
      for (size_t at = 0; (at = text.find("fv::row_arg<", at)) != std::string::npos; ++at) ++n;
    return n;
  };
  EXPECT_EQ(searches(compile(std::move(m))), 1);
}

TEST(Reduction, LongOnes) {
  Maker m;
  Int n = m.symbol();
  Ref x = m.input({n});
  m.output(m.op<"sum">(m.op<"mul.Tensor">(x, x)));
  m.output(m.op<"mean">(x));
  m.output(m.op<"amax">(x, dims({}), false));
  Compiled c = compile(std::move(m));
  for (int64_t k : {2, 1000, 32768, 32769, 300001, 3000000}) expect_equal(c, {numbers({k})});
}

TEST(Reduction, ChunksOnSeveralThreads) {
  for (bool checked : {false, true}) {
    Maker m;
    Int n = m.symbol(1000000);
    Ref x = m.input({n}), i = m.input({n}, DType::u8), t = m.input({Int(100)});
    Ref y = checked ? m.op<"index_select">(t, Int(0), m.op<"_to_copy">(i, DType::i64)) : x;
    m.output(m.op<"mean">(m.op<"mul.Tensor">(y, x)));
    Compiled c = compile(std::move(m));
    EXPECT_NE(c.generated.modules[0].find("_chunks"), std::string::npos);
    for (int64_t k : {2, 32768, 300001, 3000000})
      expect_equal(c, {numbers({k}), numbers({k}, DType::u8, 2), numbers({100}, f32, 3)});
  }
}

TEST(Reduction, SeveralDims) {
  Maker m;
  Int a = m.symbol(), b = m.symbol();
  Ref x = m.input({a, Int(5), b});
  m.output(m.op<"sum.dim_IntList">(x, dims({0, 2}), false));
  m.output(m.op<"sum.dim_IntList">(x, dims({1}), false));
  m.output(m.op<"argmax">(x, Arg(), false));
  m.output(m.op<"sum.dim_IntList">(m.op<"permute">(x, dims({2, 1, 0})), dims({0, 1}), false));
  Compiled c = compile(std::move(m));
  for (auto [p, q] : {std::pair<int64_t, int64_t>{2, 2}, {3, 70}, {130, 33}, {70, 3}})
    expect_equal(c, {numbers({p, 5, q})});
}

TEST(Reduction, EmptyRanges) {
  Maker m;
  Int a = m.symbol(4, 0);
  Ref x = m.input({Int(3), Int(0)}), y = m.input({Int(3), Int(1)}), z = m.input({a, Int(2)});
  m.output(m.op<"sum.dim_IntList">(m.op<"mul.Tensor">(x, y), dims({1}), false));
  m.output(m.op<"sum.dim_IntList">(z, dims({0}), false));
  m.output(m.op<"sum.dim_IntList">(z, dims({1}), false));
  Compiled c = compile(std::move(m));
  for (int64_t k : {0, 1, 5}) expect_equal(c, {numbers({3, 0}), numbers({3, 1}), numbers({k, 2})});
}

TEST(Reduction, Softmax) {
  for (int64_t dim : {0, 1}) {
    Maker m;
    Int a = m.symbol(), b = m.symbol();
    Ref x = m.input({a, b});
    m.output(m.op<"_softmax">(x, Int(dim), false));
    m.output(m.op<"_log_softmax">(x, Int(dim), false));
    Compiled c = compile(std::move(m));
    for (auto [p, q] : {std::pair<int64_t, int64_t>{2, 2}, {5, 10}, {64, 10}, {70, 300}, {3, 9000}})
      expect_equal(c, {numbers({p, q})});
  }
}

TEST(Reduction, LayerNorm) {
  for (DType d : {f32, DType::bf16}) {
    Maker m;
    Int a = m.symbol();
    Ref x = m.input({a, Int(48)}, d), w = m.input({Int(48)}, d), b = m.input({Int(48)}, d);
    RefList r = m.ops<"native_layer_norm">(m.op<"relu">(x), dims({48}), w, b, 1e-5);
    for (const Ref& o : r) m.output(o);
    Compiled c = compile(std::move(m));
    for (int64_t k : {2, 5, 700})
      expect_equal(c, {numbers({k, 48}, d), numbers({48}, d, 2), numbers({48}, d, 3)});
  }
}

TEST(Reduction, VarianceOfColumns) {
  Maker m;
  Int a = m.symbol(), b = m.symbol();
  Ref x = m.input({a, b});
  m.output(m.op<"var.correction">(x, dims({0}), Arg(Scalar(1)), false));
  m.output(m.op<"var.correction">(x, dims({1}), Arg(Scalar(0)), true));
  Compiled c = compile(std::move(m));
  for (auto [p, q] : {std::pair<int64_t, int64_t>{2, 3}, {5, 10}, {64, 40}, {300, 20}})
    expect_equal(c, {numbers({p, q})});
}

}  // namespace
}  // namespace frit::codegen::cpu
