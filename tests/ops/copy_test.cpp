// Copies, creation and random ops: sizes, strides, dtypes and errors are those PyTorch gives.
#include "rules.h"

namespace frit {
namespace {
using namespace test;
using testing::HasSubstr;

TEST(CopyRules, CloneKeepsADenseLayout) {
  EXPECT_EQ(rule_of("clone", f32({4, 3}, Dims{1, 4})), "f32[4, 3] [1, 4]");
  EXPECT_EQ(rule_of("clone", f32({3, 2}, Dims{4, 2})), "f32[3, 2]");
  EXPECT_EQ(rule_of("clone", f32({2, 3}, Dims{2, 4})), "f32[2, 3] [1, 2]");
  EXPECT_EQ(rule_of("clone", f32({3, 4}, Dims{1, 0})), "f32[3, 4]");
  EXPECT_EQ(rule_of("clone", f32({4, 3}, Dims{1, 4}), "contiguous_format"), "f32[4, 3]");
  EXPECT_EQ(rule_of("clone", f32({2, 3, 4, 5}), "channels_last"), "f32[2, 3, 4, 5] [60, 1, 15, 3]");
}

TEST(CopyRules, FormatsThatDoNotFit) {
  EXPECT_EQ(rule_of("clone", f32({2, 3}), "channels_last"),
            "[clone] required rank 4 tensor to use channels_last format");
  EXPECT_EQ(rule_of("clone", f32({2, 3}), "channels_last_3d"),
            "[clone] required rank 5 tensor to use channels_last_3d format");
  EXPECT_EQ(rule_of("clone", f32({2, 3}), "diagonal"),
            "[clone] memory_format is 'diagonal', which is no memory format");
  EXPECT_EQ(rule_of("contiguous", f32({2, 3}), "preserve_format"),
            "[contiguous] preserve memory format is unsupported by the contiguous operator");
}

TEST(CopyRules, CopyTakesSelfsPlace) {
  EXPECT_EQ(rule_of("copy", f32({4, 3}, Dims{1, 4}), i64({3})), "f32[4, 3] [1, 4]");
  EXPECT_EQ(rule_of("copy_", f32({4, 3}), f32({1})), "f32[4, 3]");
  EXPECT_EQ(rule_of("copy_", f32({3}), f32({2, 3})),
            "[copy_] output with shape [3] doesn't match the broadcast shape [2, 3]");
  EXPECT_EQ(rule_of("copy_", f32({3}), f32({4})),
            "[copy_] The size of tensor a (3) must match the size of tensor b (4) at non-singleton "
            "dimension 0");
}

TEST(CopyRules, ConversionsThatChangeNothingRunNothing) {
  EXPECT_EQ(parts_of("to.dtype", {Arg(f32({2})), Arg(DType::f32)}), "");
  EXPECT_EQ(parts_of("to.dtype", {Arg(f32({2})), Arg(DType::f64)}), "_to_copy");
  EXPECT_EQ(parts_of("to.dtype", {Arg(f32({2})), Arg(DType::f32), Arg(false), Arg(true)}),
            "_to_copy");
  EXPECT_EQ(parts_of("to.other", {Arg(f32({2})), Arg(i64({2}))}), "_to_copy");
  EXPECT_EQ(parts_of("type_as", {Arg(f32({2})), Arg(f32({3}))}), "");
  EXPECT_EQ(parts_of("contiguous", {Arg(f32({2, 3}))}), "");
  EXPECT_EQ(parts_of("contiguous", {Arg(f32({2, 3}, Dims{1, 2}))}), "clone");
  EXPECT_EQ(rule_of("_to_copy", f32({4, 3}, Dims{1, 4}), DType::bf16), "bf16[4, 3] [1, 4]");
}

TEST(CopyRules, Flip) {
  EXPECT_EQ(rule_of("flip", f32({4, 3}, Dims{1, 4}), IntList{0}), "f32[4, 3] [1, 4]");
  EXPECT_EQ(rule_of("flip", f32({}), IntList{0}), "f32[]");
  EXPECT_EQ(rule_of("flip", f32({3, 4}), IntList{0, -2}),
            "[flip] dim 0 appears multiple times in the list of dims");
  EXPECT_THAT(rule_of("flip", f32({3, 4}), IntList{2}),
              HasSubstr("Dimension out of range (expected to be in range of [-2, 1], but got 2)"));
}

TEST(CopyRules, Roll) {
  EXPECT_EQ(rule_of("roll", f32({4, 3}, Dims{1, 4}), IntList{1}, IntList{0}), "f32[4, 3]");
  EXPECT_EQ(rule_of("roll", f32({4, 3}, Dims{1, 4}), IntList{1}), "f32[4, 3]");
  EXPECT_EQ(rule_of("roll", f32({4, 0}, Dims{1, 4}), IntList{1}, IntList{0}), "f32[4, 0] [1, 4]");
  EXPECT_EQ(rule_of("roll", f32({}), IntList{1}), "f32[]");
  EXPECT_EQ(rule_of("roll", f32({3, 4}), IntList{1, 2}),
            "[roll] shifts and dimensions must align. shifts: 2, dims:0");
  EXPECT_EQ(rule_of("roll", f32({3, 4}), IntList{}, IntList{}), "[roll] `shifts` required");
  EXPECT_EQ(rule_of("roll", f32({}), IntList{1}, IntList{0}),
            "[roll] Dimension specified as 0 but tensor has no dimensions");
}

// The index map, evaluated: which element of the input output index (1, 0) shows.
std::vector<int64_t> mapped(std::string_view op, ArgList args, IntList at) {
  const OpRecord& r = find_op(op);
  ShapeCtx<Int> s(r, args);
  std::vector<int64_t> in;
  for (Int i : r.index_map(s, at)) in.push_back(i.constant());
  return in;
}

TEST(CopyRules, IndexMaps) {
  using testing::ElementsAre;
  Tensor x = f32({3, 4});
  EXPECT_THAT(mapped("flip", {Arg(x), Arg(IntList{1})}, {1, 0}), ElementsAre(1, 3));
  EXPECT_THAT(mapped("roll", {Arg(x), Arg(IntList{1}), Arg(IntList{1})}, {1, 0}),
              ElementsAre(1, 3));
  EXPECT_THAT(mapped("roll", {Arg(x), Arg(IntList{-5}), Arg(IntList{-2})}, {1, 0}),
              ElementsAre(0, 0));
  EXPECT_THAT(mapped("roll", {Arg(x), Arg(IntList{1}), Arg(IntList{})}, {1, 0}), ElementsAre(0, 3));
}

std::string cat(std::vector<Ref> list, int64_t dim = 0) {
  return rule_of("cat", Arg(std::move(list)), dim);
}

TEST(CopyRules, Cat) {
  EXPECT_EQ(cat({f32({2, 3}), f32({4, 3})}), "f32[6, 3]");
  EXPECT_EQ(cat({f32({2, 3}), f32({2, 1})}, -1), "f32[2, 4]");
  EXPECT_EQ(cat({make(DType::i32, {2, 3}), make(DType::bf16, {2, 4})}, 1), "bf16[2, 7]");
  EXPECT_EQ(cat({f32({2, 3}), f32({0})}, 1), "f32[2, 3]");
  EXPECT_EQ(cat({f32({0}), f32({0})}, 1), "f32[0]");
  EXPECT_EQ(cat({f32({4, 3}, Dims{1, 4}), f32({4, 3}, Dims{1, 4})}, 1), "f32[4, 6]");
  Dims nhwc{60, 1, 15, 3};
  EXPECT_EQ(cat({f32({2, 3, 4, 5}, nhwc), f32({2, 3, 4, 5}, nhwc)}, 1),
            "f32[2, 6, 4, 5] [120, 1, 30, 6]");
}

TEST(CopyRules, CatErrors) {
  EXPECT_EQ(cat({}), "[cat] expected a non-empty list of Tensors");
  EXPECT_EQ(cat({f32({})}), "[cat] zero-dimensional tensor (at position 0) cannot be concatenated");
  EXPECT_EQ(cat({f32({2}), f32({2, 3})}),
            "[cat] Tensors must have same number of dimensions: got 1 and 2");
  EXPECT_EQ(
      cat({f32({2, 3}), f32({2, 4})}),
      "[cat] Sizes of tensors must match except in dimension 0. Expected size 3 but got size 4 "
      "for tensor number 1 in the list.");
  EXPECT_THAT(cat({f32({2, 3})}, 2), HasSubstr("Dimension out of range"));
}

// --- creation ---

TEST(CreationRules, Full) {
  IntList two{2};
  EXPECT_EQ(rule_of("full", two, Scalar(true)), "bool[2]");
  EXPECT_EQ(rule_of("full", two, Scalar(1)), "i64[2]");
  EXPECT_EQ(rule_of("full", two, Scalar(1.0)), "f32[2]");
  EXPECT_EQ(rule_of("full", IntList{-2}, Scalar(1.0)),
            "[full] Trying to create tensor with negative dimension -2: [-2]");
  EXPECT_EQ(rule_of("full", two, Scalar(300), DType::i8),
            "[full] value cannot be converted to type int8_t without overflow");
  EXPECT_EQ(rule_of("full", two, Scalar(-200), DType::u8), "u8[2]");
  EXPECT_EQ(rule_of("full", two, Scalar(1e30), DType::f16),
            "[full] value cannot be converted to type at::Half without overflow");
  EXPECT_EQ(rule_of("zeros", IntList{2, -1}),
            "[zeros] zeros: Dimension size must be non-negative.");
  EXPECT_EQ(rule_of("scalar_tensor", Scalar(3)), "f32[]");
}

TEST(CreationRules, LikeAnotherTensor) {
  EXPECT_EQ(rule_of("zeros_like", f32({4, 3}, Dims{1, 4})), "f32[4, 3] [1, 4]");
  EXPECT_EQ(rule_of("zeros_like", f32({4, 3}, Dims{0, 1})), "f32[4, 3]");
  EXPECT_EQ(rule_of("ones_like", i64({4, 3}), DType::f64), "f64[4, 3]");
  EXPECT_EQ(rule_of("full_like", make(DType::i8, {2}), Scalar(1.5)), "i8[2]");
  EXPECT_EQ(rule_of("empty_like", f32({2, 3}, Dims{2, 4})), "f32[2, 3] [1, 2]");
  EXPECT_EQ(rule_of("new_zeros", i64({2, 3}), IntList{4}), "i64[4]");
  EXPECT_EQ(rule_of("new_full", f32({2, 3}), IntList{4}, Scalar(3)), "f32[4]");
}

TEST(CreationRules, EmptyStrided) {
  EXPECT_EQ(rule_of("empty_strided", IntList{2, 3}, IntList{1, 2}), "f32[2, 3] [1, 2]");
  EXPECT_EQ(rule_of("empty_strided", IntList{2, 3}, IntList{1}),
            "[empty_strided] dimensionality of sizes (2) must match dimensionality of strides (1)");
  EXPECT_EQ(
      rule_of("empty_strided", IntList{2, 3}, IntList{1, -2}),
      "[empty_strided] Storage size calculation overflowed with sizes=[2, 3] and strides=[1, -2]");
  EXPECT_EQ(rule_of("empty.memory_format", IntList{2, 3, 4, 5}, Arg(), Arg(), Arg(), Arg(),
                    "channels_last"),
            "f32[2, 3, 4, 5] [60, 1, 15, 3]");
}

TEST(CreationRules, Arange) {
  auto arange = [](Scalar a, Scalar b, Scalar s, Arg t = {}) {
    return rule_of("arange.start_step", a, b, s, t);
  };
  EXPECT_EQ(rule_of("arange", Scalar(5)), "i64[5]");
  EXPECT_EQ(rule_of("arange", Scalar(5.0)), "f32[5]");
  EXPECT_EQ(rule_of("arange", Scalar(true)), "i64[1]");
  EXPECT_EQ(arange(0, 5, 2), "i64[3]");
  EXPECT_EQ(arange(5, 0, -2), "i64[3]");
  EXPECT_EQ(arange(0, 5.5, 2, DType::i64), "i64[3]");
  EXPECT_EQ(arange(0, 5.5, 2, DType::i32), "i32[3]");
  EXPECT_EQ(arange(0, 1, 0.1), "f32[10]");
  EXPECT_EQ(arange(0, 5, 0), "[arange] step must be nonzero");
  EXPECT_EQ(arange(0, 5, -1), "[arange] upper bound and lower bound inconsistent with step sign");
  EXPECT_EQ(arange(0.0, std::numeric_limits<double>::infinity(), 1),
            "[arange] unsupported range: 0 -> inf");
  EXPECT_EQ(arange(0, 3, 1, DType::boolean), "[arange] \"arange_cpu\" not implemented for 'Bool'");
}

TEST(CreationRules, EyeAndLinspace) {
  EXPECT_EQ(rule_of("eye.m", Int(3), Int(2)), "f32[3, 2]");
  EXPECT_EQ(rule_of("eye", Int(2), DType::i64), "i64[2, 2]");
  EXPECT_EQ(rule_of("eye", Int(-1)), "[eye] n must be greater or equal to 0, got -1");
  EXPECT_EQ(rule_of("linspace", Scalar(0), Scalar(1), 5), "f32[5]");
  EXPECT_EQ(rule_of("linspace", Scalar(0), Scalar(1), 0, DType::i64), "i64[0]");
  EXPECT_EQ(rule_of("linspace", Scalar(0), Scalar(1), -5),
            "[linspace] number of steps must be non-negative");
}

// --- random ---

Int words(std::string_view op, ArgList args) {
  const OpRecord& r = find_op(op);
  ShapeCtx<Int> s(r, args);
  r.shape_symbolic(s);
  return r.words(s);
}

TEST(RandomRules, Words) {
  IntList five{5};
  EXPECT_EQ(words("_rand", {Arg(five), Arg(), Arg(DType::f32)}).constant(), 5);
  EXPECT_EQ(words("_rand", {Arg(five), Arg(), Arg(DType::f64)}).constant(), 10);
  EXPECT_EQ(words("_randn", {Arg(five), Arg(), Arg(DType::f32)}).constant(), 6);
  EXPECT_EQ(words("_randn", {Arg(five), Arg(), Arg(DType::f64)}).constant(), 12);
  EXPECT_EQ(words("_bernoulli", {Arg(five), Arg(0.5), Arg(), Arg(DType::f64)}).constant(), 5);
  auto randint = [&](int64_t high) {
    return words("randint.low_generator", {Arg(0), Arg(high), Arg(five), Arg(), Arg(DType::i64)})
        .constant();
  };
  EXPECT_EQ(randint(int64_t{1} << 32), 5);
  EXPECT_EQ(randint((int64_t{1} << 32) + 1), 10);
}

TEST(RandomRules, Floats) {
  EXPECT_EQ(rule_of("rand", IntList{2, 3}), "f32[2, 3]");
  EXPECT_EQ(rule_of("randn", IntList{2, 3}, DType::f16), "f16[2, 3]");
  EXPECT_EQ(rule_of("rand_like", f32({2, 3}, Dims{1, 2})), "f32[2, 3] [1, 2]");
  EXPECT_EQ(rule_of("uniform", f32({2, 3}, Dims{1, 2}), -1.0, 2.0), "f32[2, 3] [1, 2]");
  EXPECT_EQ(rule_of("rand", IntList{2}, DType::i64),
            "[rand] \"check_uniform_bounds\" not implemented for 'Long'");
  EXPECT_EQ(rule_of("randn", IntList{2}, DType::i64),
            "[randn] \"normal_kernel_cpu\" not implemented for 'Long'");
  EXPECT_EQ(rule_of("rand", IntList{-2}),
            "[_rand] Trying to create tensor with negative dimension -2: [-2]");
  EXPECT_EQ(rule_of("uniform", f32({2}), 2.0, 1.0),
            "[uniform] uniform_ expects to return a [from, to) range, but found from=2 > to=1");
  EXPECT_EQ(rule_of("uniform", f32({2}), 0.0, std::numeric_limits<double>::infinity()),
            "[uniform] to is out of bounds for float");
  EXPECT_EQ(rule_of("normal_", f32({2}), 0.0, -1.0),
            "[normal_] normal expects std >= 0.0, but found std -1");
  EXPECT_EQ(rule_of("normal.Tensor_Tensor", f32({2, 1}), f32({3})), "f32[2, 3]");
  EXPECT_EQ(rule_of("normal.Tensor_Tensor", f32({2}), f32({3})),
            "[normal] The size of tensor a (2) must match the size of tensor b (3) at "
            "non-singleton dimension 0");
}

TEST(RandomRules, Integers) {
  auto randint = [](Int low, Int high, DType t) {
    return rule_of("randint.low", low, high, IntList{2}, t);
  };
  EXPECT_EQ(randint(0, 10, DType::i64), "i64[2]");
  EXPECT_EQ(randint(0, 2, DType::f32), "f32[2]");
  EXPECT_EQ(randint(3, 3, DType::i64),
            "[randint] random_ expects 'from' to be less than 'to', but got from=3 >= to=3");
  EXPECT_EQ(randint(0, 300, DType::u8), "[randint] to - 1 is out of bounds for unsigned char");
  EXPECT_EQ(randint(-3, 30, DType::u8), "[randint] from is out of bounds for unsigned char");
}

TEST(RandomRules, CoinFlips) {
  EXPECT_EQ(rule_of("bernoulli.p", i64({2, 3}), 0.5), "i64[2, 3]");
  EXPECT_EQ(rule_of("bernoulli", f32({2, 3}, Dims{1, 2})), "f32[2, 3]");
  EXPECT_EQ(rule_of("bernoulli_.float", f32({2}), 1.5),
            "[bernoulli_] bernoulli_ expects p to be in [0, 1], but got p=1.5");
  EXPECT_EQ(rule_of("bernoulli", i64({2})),
            "[bernoulli] \"bernoulli_tensor_cpu_p_\" not implemented for 'Long'");
}

TEST(RandomRules, DropoutIsAMaskAndTwoProducts) {
  Tensor x = f32({2, 3}, Dims{1, 2});
  EXPECT_EQ(parts_of("dropout", {Arg(x), Arg(0.5), Arg(true)}),
            "_bernoulli; mul.Tensor; mul.Scalar");
  EXPECT_EQ(parts_of("dropout", {Arg(x), Arg(0.5), Arg(false)}), "");
  EXPECT_EQ(parts_of("dropout", {Arg(x), Arg(0.0), Arg(true)}), "");
  EXPECT_EQ(parts_of("dropout", {Arg(x), Arg(1.0), Arg(true)}), "full; mul.Tensor");
  EXPECT_EQ(rule_of("dropout", x, 0.5, true), "f32[2, 3] [1, 2]");
  EXPECT_EQ(rule_of("native_dropout", x, 0.5, false), "f32[2, 3] [1, 2]; bool[2, 3]");
  EXPECT_EQ(rule_of("dropout", x, 1.5, true),
            "[dropout] dropout probability has to be between 0 and 1, but got 1.5");
  EXPECT_EQ(rule_of("dropout", i64({2}), 0.5, true),
            "[dropout] result type Float can't be cast to the desired output type Long");
}

}  // namespace
}  // namespace frit
