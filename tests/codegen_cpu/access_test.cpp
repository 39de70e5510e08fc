// Accesses that are not plain: pieces, scattered stores, draws in another order, sizes from data.
#include "harness.h"

namespace frit::codegen::cpu {
namespace {

const DType f32 = DType::f32;

Tensor indices(std::vector<int64_t> v) {
  std::vector<int64_t> sizes{static_cast<int64_t>(v.size())};
  return tensor_from<int64_t>(v, sizes);
}
Arg list(std::initializer_list<Int> l) { return Arg(IntList(l)); }

TEST(Access, GradientsOfPieces) {
  Maker m;
  Int n = m.symbol();
  Ref x = m.input({n, Int(5)});
  m.output(m.op<"slice_backward">(x, list({n, Int(20)}), Int(1), Int(3), Int(18), Int(3)));
  m.output(m.op<"select_backward">(m.op<"select.int">(x, Int(1), Int(2)), list({n, Int(7)}), Int(1),
                                   Int(4)));
  m.output(m.op<"mul.Tensor">(m.op<"flip">(x, list({0, 1})), x));
  m.output(m.op<"tril">(x, Int(1)));
  m.output(m.op<"roll">(x, list({2}), list({1})));
  m.output(m.op<"repeat">(m.op<"exp">(x), list({2, 3})));
  m.output(m.op<"stack">(Arg(std::vector<Ref>{x, m.op<"neg">(x)}), Int(2)));
  Compiled c = compile(std::move(m));
  for (int64_t k : {2, 3, 16, 50}) expect_equal(c, {numbers({k, 5})});
}

// Lanes along a dimension that is read backward, of every width, whole vectors and parts of them.
TEST(Access, ReadBackward) {
  for (DType d : {f32, DType::f64, DType::bf16, DType::i32, DType::u8, DType::boolean}) {
    Maker m;
    Int n = m.symbol(), k = m.symbol();
    Ref x = m.input({n, k}, d);
    m.output(m.op<"flip">(x, list({0, 1})));
    m.output(m.op<"flip">(x, list({1})));
    m.output(m.op<"flip">(m.op<"transpose.int">(x, Int(0), Int(1)), list({0})));
    Compiled c = compile(std::move(m));
    if (d == f32) {
      EXPECT_NE(c.generated.modules[0].find("load_reversed"), std::string::npos);
    }
    for (auto [p, q] : {std::pair<int64_t, int64_t>{2, 2}, {3, 16}, {5, 37}, {70, 64}})
      expect_equal(c, {numbers({p, q}, d)});
  }
}

// Patches of an image as rows of a matrix: the copy of the patches is that matrix.
TEST(Access, ReshapesThatCopy) {
  Maker m;
  Int n = m.symbol(4), h = m.symbol(9, 5), w = m.symbol(8, 5);
  Ref x = m.input({n, Int(8), h, w}), y = m.input({Int(72), Int(16)});
  Ref patches = m.op<"unfold">(m.op<"unfold">(x, Int(2), Int(3), Int(1)), Int(3), Int(3), Int(1));
  Ref rows = m.op<"view">(
      m.op<"clone">(m.op<"permute">(patches, list({0, 2, 3, 1, 4, 5})), Arg("contiguous_format")),
      list({Int(n * (h - 2) * (w - 2)), Int(72)}));
  m.output(m.op<"mm">(rows, y));
  Compiled c = compile(std::move(m));
  for (const std::string& text : c.generated.modules)
    EXPECT_EQ(text.find("floormod"), std::string::npos) << text;
  for (auto [p, q, r] : {std::array<int64_t, 3>{2, 5, 7}, {4, 34, 34}, {3, 20, 6}})
    expect_equal(c, {numbers({p, 8, q, r}), numbers({72, 16}, f32, 2)});
}

TEST(Access, CatOfManyAndSplit) {
  Maker m;
  Int n = m.symbol(), k = m.symbol();
  Ref x = m.input({n, Int(4)}), y = m.input({k, Int(4)}), z = m.input({Int(3), Int(4)});
  Ref all = m.op<"cat">(Arg(std::vector<Ref>{x, y, z}), Int(0));
  m.output(m.op<"relu">(all));
  m.output(m.op<"sum.dim_IntList">(m.op<"mul.Tensor">(all, all), list({1}), false));
  m.output(m.op<"sum.dim_IntList">(all, list({0}), false));
  Compiled c = compile(std::move(m));
  for (auto [p, q] : {std::pair<int64_t, int64_t>{2, 3}, {17, 5}, {40, 100}})
    expect_equal(c, {numbers({p, 4}), numbers({q, 4}, f32, 2), numbers({3, 4}, f32, 3)});
}

TEST(Access, IndexAdd) {
  Maker m;
  Int n = m.symbol();
  Ref x = m.input({n, Int(6)}), i = m.input({n}, DType::i64), t = m.input({Int(10), Int(6)});
  m.output(m.op<"index_add">(t, Int(0), i, m.op<"exp">(x)));
  m.output(m.op<"embedding_dense_backward">(x, i, Int(10), Int(-1), false));
  Compiled c = compile(std::move(m));
  EXPECT_EQ(expect_equal(c, {numbers({5, 6}), indices({1, 1, 9, 0, 1}), numbers({10, 6}, f32, 2)}),
            -1);
}

TEST(Access, ScatterAddAndGather) {
  Maker m;
  Int n = m.symbol();
  Ref x = m.input({n, Int(20)}), i = m.input({n, Int(20)}, DType::i64), t = m.input({n, Int(20)});
  Ref at = m.op<"remainder.Scalar">(m.op<"abs">(i), Scalar(20));
  m.output(m.op<"scatter_add">(t, Int(1), at, x));
  m.output(m.op<"gather">(x, Int(0), m.op<"zeros_like">(i)));
  Compiled c = compile(std::move(m));
  for (int64_t k : {2, 9})
    expect_equal(c, {numbers({k, 20}), numbers({k, 20}, DType::i64, 2), numbers({k, 20}, f32, 3)});
}

TEST(Access, DrawsReadTransposed) {
  Maker m;
  Int n = m.symbol();
  Ref x = m.input({Int(7), n});
  Ref r = m.op<"rand">(list({n, Int(7)}), f32);
  m.output(m.op<"mul.Tensor">(x, m.op<"t">(r)));
  m.output(m.op<"sum.dim_IntList">(m.op<"randn">(list({n, Int(9)}), f32), list({0}), false));
  m.output(m.op<"sum.dim_IntList">(m.op<"rand">(list({n, Int(9)}), DType::f64), list({1}), false));
  Compiled c = compile(std::move(m));
  for (int64_t k : {2, 5, 130}) expect_equal(c, {numbers({7, k})});
}

TEST(Access, StridedInputsOfEveryWidth) {
  for (DType d : {DType::u8, DType::bf16, DType::i32, DType::i64, DType::boolean}) {
    Maker m;
    Int n = m.symbol();
    Ref x = m.input({n, Int(21)}, d, {Int(63), Int(3)}),
        y = m.input({n, Int(21)}, d, {Int(0), Int(1)}), z = m.input({n, Int(21)}, d, {Int(1), n});
    m.output(m.op<"add.Tensor">(m.op<"add.Tensor">(x, y), z));
    m.output(m.op<"sum.dim_IntList">(x, list({1}), false));
    m.output(m.op<"sum.dim_IntList">(x, list({0}), false));
    Compiled c = compile(std::move(m));
    for (int64_t k : {2, 17, 40})
      expect_equal(c, {strided_numbers({k, 21}, {63, 3}, d), strided_numbers({k, 21}, {0, 1}, d, 2),
                       strided_numbers({k, 21}, {1, k}, d, 3)});
  }
}

TEST(Access, InPlaceSteps) {
  Maker m;
  Int n = m.symbol();
  Ref p = m.input({n, Int(3)}), g = m.input({n, Int(3)}), s = m.input({n, Int(3)});
  Ref next = m.op<"add.Tensor">(m.op<"mul.Scalar">(s, Scalar(0.9)), g);
  m.write(2, next);
  m.write(0, m.op<"sub.Tensor">(p, m.op<"mul.Scalar">(next, Scalar(0.1))));
  m.output(m.op<"sum">(p));
  Compiled c = compile(std::move(m));
  for (int64_t k : {2, 30, 30000})
    expect_equal(c, {numbers({k, 3}), numbers({k, 3}, f32, 2), numbers({k, 3}, f32, 3)});
}

TEST(Access, DivisionOfIntegers) {
  Maker m;
  Int n = m.symbol();
  Ref x = m.input({n}, DType::i64), y = m.input({n}, DType::i64);
  m.output(m.op<"div.Tensor_mode">(x, y, Arg("floor")));
  Compiled c = compile(std::move(m));
  EXPECT_EQ(expect_equal(c, {indices({5, -7, 8}), indices({2, 2, -3})}), -1);
  EXPECT_GE(expect_equal(c, {indices({5, -7, 8}), indices({2, 0, -3})}), 0);
}

TEST(Access, ProductsOfNothing) {
  Maker m;
  Int n = m.symbol(4, 0);
  Ref x = m.input({n, Int(0)}), y = m.input({Int(0), Int(7)}), b = m.input({Int(7)});
  m.output(m.op<"relu">(m.op<"addmm">(b, x, y)));
  m.output(m.op<"mm">(x, y));
  Compiled c = compile(std::move(m));
  for (int64_t k : {0, 1, 5}) expect_equal(c, {numbers({k, 0}), numbers({0, 7}), numbers({7})});
}

}  // namespace
}  // namespace frit::codegen::cpu
