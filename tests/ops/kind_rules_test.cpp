// What follows from an op's kind and form: layouts, dtypes and errors of pointwise ops, reductions,
// in-place and out forms.
#include "ops/kind_rules.h"

#include <gtest/gtest.h>

#include "rules.h"

namespace frit::test {
namespace {

Tensor of(DType t, Dims sizes) { return make(t, std::move(sizes)); }

TEST(Pointwise, LayoutFollowsTheOperands) {
  EXPECT_EQ(rule_of("relu", f32({2, 3})), "f32[2, 3]");
  EXPECT_EQ(rule_of("relu", f32({2, 3}, Dims{1, 2})), "f32[2, 3] [1, 2]");  // column-major stays
  EXPECT_EQ(rule_of("relu", f32({2, 3}, Dims{9, 2})), "f32[2, 3]");         // gaps are closed
  EXPECT_EQ(rule_of("relu", f32({2, 3, 4}, Dims{4, 8, 1})),
            "f32[2, 3, 4] [4, 8, 1]");  // permuted stays
  // The first operand decides, the next where it cannot.
  EXPECT_EQ(rule_of("mul.Tensor", f32({2, 3}, Dims{1, 2}), f32({2, 3})), "f32[2, 3] [1, 2]");
  EXPECT_EQ(rule_of("mul.Tensor", f32({3}), f32({2, 3}, Dims{1, 2})), "f32[2, 3] [1, 2]");
  EXPECT_EQ(rule_of("mul.Tensor", f32({2, 1}), f32({1, 3})), "f32[2, 3]");
}

TEST(Pointwise, TypesArePromoted) {
  EXPECT_EQ(rule_of("add.Tensor", of(kInt32, {2}), of(kInt64, {})), "i32[2]");
  EXPECT_EQ(rule_of("add.Tensor", of(kInt32, {2}), of(kFloat64, {})), "f64[2]");
  EXPECT_EQ(rule_of("add.Scalar", of(kInt32, {2}), 2.5), "f32[2]");
  EXPECT_EQ(rule_of("add.Scalar", of(kFloat16, {2}), 2.5), "f16[2]");
  EXPECT_EQ(rule_of("div.Tensor", of(kInt32, {2}), of(kInt32, {2})), "f32[2]");
  EXPECT_EQ(rule_of("sqrt", of(kInt64, {2})), "f32[2]");
  EXPECT_EQ(rule_of("square", of(kBool, {2})), "i64[2]");
  EXPECT_EQ(rule_of("lt.Scalar", of(kInt64, {2}), 0.5), "bool[2]");
  EXPECT_EQ(rule_of("where.self", of(kBool, {2}), of(kBFloat16, {2}), of(kFloat16, {2})), "f32[2]");
  EXPECT_EQ(rule_of("masked_fill.Scalar", of(kInt64, {2}), of(kBool, {2}), 2.5), "i64[2]");
}

TEST(Pointwise, Errors) {
  Tensor bools = of(kBool, {2}), ints = of(kInt64, {2});
  EXPECT_EQ(rule_of("add.Tensor", f32({2, 3}), f32({2, 4})),
            "[add] The size of tensor a (3) must match the size of tensor b (4) at non-singleton "
            "dimension 1");
  EXPECT_EQ(
      rule_of("add.Tensor", ints, ints, 0.5),
      "[add] For integral input tensors, argument alpha must not be a floating point number.");
  EXPECT_EQ(rule_of("add.Tensor", f32({2}), f32({2}), true),
            "[add] Boolean alpha only supported for Boolean results.");
  EXPECT_EQ(
      rule_of("sub.Tensor", bools, bools),
      "[sub] Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
      "`logical_xor()` operator instead.");
  EXPECT_EQ(rule_of("rsub.Scalar", bools, 1),
            "[rsub] Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
            "trying to invert a "
            "mask, use the `~` or `logical_not()` operator instead.");
  EXPECT_EQ(rule_of("neg", bools),
            "[neg] Negation, the `-` operator, on a bool tensor is not supported. If you are "
            "trying to invert a mask, "
            "use the `~` or `logical_not()` operator instead.");
  EXPECT_EQ(rule_of("bitwise_and.Tensor", f32({2}), f32({2})),
            "[bitwise_and] \"bitwise_and_cpu\" not implemented for 'Float'");
  EXPECT_EQ(rule_of("gelu", ints, "none"), "[gelu] \"GeluKernelImpl\" not implemented for 'Long'");
  EXPECT_EQ(rule_of("gelu", f32({2}), "erf"),
            "[gelu] approximate argument must be either none or tanh.");
  EXPECT_EQ(rule_of("relu", bools), "[relu] Boolean inputs not supported for relu");
  EXPECT_EQ(rule_of("pow.Tensor_Scalar", ints, -1),
            "[pow] Integers to negative integer powers are not allowed.");
  EXPECT_EQ(
      rule_of("where.self", ints, ints, ints),
      "[where] where expected condition to be a boolean tensor, but got a tensor with dtype Long");
  EXPECT_EQ(rule_of("masked_fill.Tensor", f32({2}), bools, f32({2})),
            "[masked_fill] masked_fill_ only supports a 0-dimensional value tensor, but got tensor "
            "with 1 dimension(s).");
  EXPECT_EQ(rule_of("lerp.Scalar", f32({2}), make(kFloat64, {2}), 0.5),
            "[lerp] expected dtype float for `end` but got dtype double");
  EXPECT_EQ(rule_of("clamp", f32({2})), "[clamp] At least one of 'min' or 'max' must not be None");
  EXPECT_EQ(
      rule_of("div.Tensor_mode", f32({2}), f32({2}), "up"),
      "[div] div expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'up'");
}

TEST(Reductions, SizesAndTypes) {
  Tensor x = f32({2, 3, 4});
  EXPECT_EQ(rule_of("sum", x), "f32[]");
  EXPECT_EQ(rule_of("sum.dim_IntList", x, IntList{0, -1}), "f32[3]");
  EXPECT_EQ(rule_of("sum.dim_IntList", x, IntList{0, -1}, true), "f32[1, 3, 1]");
  EXPECT_EQ(rule_of("sum.dim_IntList", x, Arg(), true), "f32[1, 1, 1]");
  EXPECT_EQ(rule_of("sum.dim_IntList", x, IntList{}), "f32[]");
  EXPECT_EQ(rule_of("any.dims", x, IntList{}),
            "bool[2, 3, 4]");  // of no dims: only the truth of each
  EXPECT_EQ(rule_of("sum", of(kInt8, {2})), "i64[]");
  EXPECT_EQ(rule_of("sum", of(kInt8, {2}), kFloat64), "f64[]");
  EXPECT_EQ(rule_of("prod.dim_int", of(kBool, {2}), 0), "i64[]");
  EXPECT_EQ(rule_of("mean", of(kInt64, {2}), kFloat32), "f32[]");
  EXPECT_EQ(rule_of("any", of(kUInt8, {2})), "u8[]");
  EXPECT_EQ(rule_of("any", of(kInt64, {2})), "bool[]");
  EXPECT_EQ(rule_of("argmax", x, 1), "i64[2, 4]");
  EXPECT_EQ(rule_of("max.dim", x, 1, true), "f32[2, 1, 4]; i64[2, 1, 4]");
  EXPECT_EQ(rule_of("var_mean.correction", x, IntList{1}), "f32[2, 4]; f32[2, 4]");
  EXPECT_EQ(rule_of("sum.dim_IntList", f32({}), IntList{-1}), "f32[]");
  EXPECT_EQ(rule_of("sum", f32({2, 3}, Dims{1, 2})), "f32[]");
}

TEST(Reductions, Errors) {
  Tensor x = f32({2, 3});
  EXPECT_EQ(rule_of("sum.dim_IntList", x, IntList{2}),
            "[sum] Dimension out of range (expected to be in range of [-2, 1], but got 2)");
  EXPECT_EQ(rule_of("sum.dim_IntList", x, IntList{1, -1}),
            "[sum] dim 1 appears multiple times in the list of dims");
  EXPECT_EQ(rule_of("mean", of(kInt64, {2})),
            "[mean] mean(): could not infer output dtype. Input dtype must be either a floating "
            "point or complex "
            "dtype. Got: Long");
  EXPECT_EQ(rule_of("amax", f32({0, 2})),
            "[amax] amax(): Expected reduction dim to be specified for input.numel() == 0. Specify "
            "the reduction dim "
            "with the 'dim' argument.");
  EXPECT_EQ(rule_of("argmax", f32({0, 2}), 0),
            "[argmax] argmax(): Expected reduction dim 0 to have non-zero size.");
  EXPECT_EQ(rule_of("argmax", of(kBool, {2})), "[argmax] argmax(): does not support bool input");
  EXPECT_EQ(rule_of("var.correction", of(kInt64, {2})),
            "[var] std and var only support floating point and complex dtypes");
  EXPECT_EQ(rule_of("linalg_vector_norm", of(kInt64, {2})),
            "[linalg_vector_norm] linalg.vector_norm: Expected a floating point or complex tensor "
            "as input. Got Long");
  EXPECT_EQ(rule_of("sum_to_size", x, IntList{4}),
            "[sum_to_size] size {[4]} is not expandable to size {[2, 3]}.");
}

TEST(Inplace, GivesTheTensorItself) {
  EXPECT_EQ(rule_of("add_.Tensor", f32({2, 3}, Dims{1, 2}), f32({3})).substr(0, 17),
            "f32[2, 3] [1, 2]");
  EXPECT_EQ(rule_of("eq_.Tensor", f32({2}), f32({2})).substr(0, 6),
            "f32[2]");  // bools become floats
}

TEST(Inplace, Errors) {
  EXPECT_EQ(rule_of("add_.Tensor", f32({3}), f32({2, 3})),
            "[add_] output with shape [3] doesn't match the broadcast shape [2, 3]");
  EXPECT_EQ(rule_of("div_.Tensor", of(kInt64, {2}), of(kInt64, {2})),
            "[div_] result type Float can't be cast to the desired output type Long");
  EXPECT_EQ(rule_of("add_.Tensor", f32({2, 3}), f32({4})),
            "[add_] The size of tensor a (3) must match the size of tensor b (4) at non-singleton "
            "dimension 1");
  EXPECT_EQ(rule_of("mul_.Scalar", f32({2, 3}, Dims{0, 1}), 2),
            "[mul_] unsupported operation: more than one element of the written-to tensor refers "
            "to a single memory "
            "location. Please clone() the tensor before performing the operation.");
  Tensor base = f32({6});
  Tensor head = alias_view(base, Dims{4}, Dims{1}, 0), tail = alias_view(base, Dims{4}, Dims{1}, 2);
  const OpRecord& add = find_op("add_.Tensor");
  ArgList args{Arg(head), Arg(tail), Arg(Scalar(1))};
  try {
    ShapeCtx<int64_t> ctx(add, args);
    add.shape(ctx);
    FAIL();
  } catch (const UserError& e) {
    EXPECT_EQ(e.message(),
              "unsupported operation: some elements of the input tensor and the written-to tensor "
              "refer to a single "
              "memory location. Please clone() the tensor before performing the operation.");
  }
  args[1] = Arg(head);  // the very same elements are fine
  ShapeCtx<int64_t> ctx(add, args);
  EXPECT_NO_THROW(add.shape(ctx));
}

TEST(Out, ResultsGoIntoWhatIsGiven) {
  auto out = [](std::string_view op, ArgList args) {
    const OpRecord& r = find_op(op);
    try {
      ShapeCtx<int64_t> ctx(r, args);
      r.shape(ctx);
      const auto& o = ctx.outs()[0];
      return std::string(short_name(o.dtype)) + dims_text(std::span<const int64_t>(o.sizes)) +
             " in argument " + std::to_string(o.alias_of);
    } catch (const UserError& e) {
      return e.message();
    }
  };
  Tensor x = f32({2, 3});
  EXPECT_EQ(out("add.out", {x, x, Scalar(1), make(kFloat64, {2, 3})}), "f64[2, 3] in argument 3");
  EXPECT_EQ(out("add.out", {x, x, Scalar(1), f32({0})}),
            "f32[2, 3] in argument 3");  // to be resized
  EXPECT_EQ(out("add.out", {x, x, Scalar(1), f32({2})}),
            "output with shape [2] doesn't match the result's shape [2, 3]");
  EXPECT_EQ(out("add.out", {x, x, Scalar(1), make(kInt64, {2, 3})}),
            "result type Float can't be cast to the desired output type Long");
}

}  // namespace
}  // namespace frit::test
