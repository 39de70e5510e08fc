// Indexing: sizes, strides, dtypes and errors are those PyTorch gives.
#include "rules.h"

namespace frit {
namespace {
using namespace test;
using testing::HasSubstr;

Tensor mask(Dims sizes) { return make(DType::boolean, std::move(sizes)); }

TEST(IndexRules, IndexSelect) {
  EXPECT_EQ(rule_of("index_select", f32({3, 4}, Dims{1, 3}), 0, i64({2})), "f32[2, 4]");
  EXPECT_EQ(rule_of("index_select", f32({4, 3}), 0, i64({})), "f32[1, 3]");
  EXPECT_EQ(rule_of("index_select", f32({4, 3}), -1, make(DType::i32, {5})), "f32[4, 5]");
  EXPECT_EQ(rule_of("index_select", f32({}), 0, i64({1})), "f32[]");
  EXPECT_EQ(rule_of("index_select", f32({4, 3}), 0, i64({1, 2})),
            "[index_select] index_select(): Index is supposed to be a vector");
  EXPECT_EQ(rule_of("index_select", f32({4, 3}), 0, f32({2})),
            "[index_select] index_select(): Expected dtype int32 or int64 for index");
  EXPECT_EQ(rule_of("index_select", f32({}), 0, i64({2})),
            "[index_select] index_select(): Index to scalar can have only 1 value, got 2 value(s)");
  EXPECT_EQ(rule_of("index_select", f32({0, 3}), 0, i64({1})),
            "[index_select] index_select(): self indexing axis dim should be positive");
}

TEST(IndexRules, Gather) {
  EXPECT_EQ(rule_of("gather", f32({3, 4}, Dims{1, 3}), 0, i64({2, 4})), "f32[2, 4]");
  EXPECT_EQ(rule_of("gather", f32({4, 3}), 0, i64({0})), "f32[0]");
  EXPECT_EQ(rule_of("gather", f32({}), 0, i64({3})), "f32[3]");
  EXPECT_EQ(rule_of("gather", f32({3}), 0, i64({})), "f32[]");
  EXPECT_EQ(rule_of("gather", f32({4, 3}), 0, i64({2, 4})),
            "[gather] Size does not match at dimension 1 expected index [2, 4] to be no larger "
            "than self [4, 3] "
            "apart from dimension 0");
  EXPECT_EQ(rule_of("gather", f32({4, 3}), 0, i64({2})),
            "[gather] Index tensor must have the same number of dimensions as input tensor");
  EXPECT_EQ(rule_of("gather", f32({4, 3}), 0, f32({2, 3})),
            "[gather] gather(): Expected dtype int32/int64 for index");
}

TEST(IndexRules, TakeAlongDim) {
  EXPECT_EQ(rule_of("take_along_dim", f32({4, 3}), i64({2, 1}), 0), "f32[2, 3]");
  EXPECT_EQ(rule_of("take_along_dim", f32({4, 3}), i64({2})), "f32[2]");
  // Along a dim, indices wrap around.
  EXPECT_EQ(parts_of("take_along_dim", {Arg(f32({4, 3})), Arg(i64({2, 3})), Arg(0)}),
            "remainder.Scalar; expand; expand; gather");
  EXPECT_EQ(rule_of("take_along_dim", f32({4, 3}), i64({2}), 0),
            "[take_along_dim] input and indices should have the same number of "
            "dimensions, but got 2 dimensions for input, and 1 dimensions for indices");
  EXPECT_EQ(rule_of("take_along_dim", f32({4, 3}), f32({2, 1}), 0),
            "[take_along_dim] dtype of indices should be int64 but got float32");
}

TEST(IndexRules, Scatter) {
  EXPECT_EQ(rule_of("scatter.src", f32({3, 4}, Dims{1, 3}), 0, i64({2, 4}), f32({3, 4})),
            "f32[3, 4]");
  EXPECT_EQ(rule_of("scatter_.src", f32({3, 4}, Dims{1, 3}), 0, i64({2, 4}), f32({3, 4})),
            "f32[3, 4] [1, 3]");
  EXPECT_EQ(rule_of("scatter.value", f32({4, 3}), 0, i64({2, 3}), Scalar(1.5)), "f32[4, 3]");
  EXPECT_EQ(rule_of("scatter_add", f32({4, 3}), 1, i64({4, 9}), f32({4, 9})), "f32[4, 3]");
  EXPECT_EQ(rule_of("scatter.value_reduce", f32({4, 3}), 0, i64({2, 3}), Scalar(1.5), "add"),
            "f32[4, 3]");
  EXPECT_EQ(rule_of("scatter_reduce.two", f32({4, 3}), 0, i64({2, 3}), f32({2, 3}), "mean"),
            "f32[4, 3]");
}

TEST(IndexRules, ScatterErrors) {
  Tensor self = f32({4, 3});
  EXPECT_EQ(rule_of("scatter.src", self, 0, i64({2, 3}), f32({1, 3})),
            "[scatter] Expected index [2, 3] to be no larger than self [4, 3] apart from dimension "
            "0 and to be "
            "no larger size than src [1, 3]");
  EXPECT_EQ(
      rule_of("scatter.value", self, 0, i64({2, 4}), Scalar(1)),
      "[scatter] Expected index [2, 4] to be no larger than self [4, 3] apart from dimension 0");
  EXPECT_EQ(rule_of("scatter.src", self, 0, i64({2, 3}), make(DType::f64, {2, 3})),
            "[scatter] scatter(): Expected self.dtype to be equal to src.dtype");
  EXPECT_EQ(rule_of("scatter.src", self, 0, f32({2, 3}), f32({2, 3})),
            "[scatter] scatter(): Expected dtype int32/int64 for index");
  EXPECT_EQ(rule_of("scatter.src", self, 0, i64({2}), f32({2, 3})),
            "[scatter] Index tensor must have the same number of dimensions as self tensor");
  EXPECT_EQ(rule_of("scatter.src", self, 0, i64({2, 3}), f32({2})),
            "[scatter] Index tensor must have the same number of dimensions as src tensor");
  EXPECT_EQ(rule_of("scatter.value_reduce", self, 0, i64({2, 3}), Scalar(1), "x"),
            "[scatter] reduce argument must be either add or multiply.");
  EXPECT_EQ(rule_of("scatter_reduce.two", self, 0, i64({2, 3}), f32({2, 3}), "x"),
            "[scatter_reduce] reduce argument must be either sum, prod, mean, amax or amin, got x");
}

TEST(IndexRules, IndexAdd) {
  Tensor self = f32({4, 3});
  EXPECT_EQ(rule_of("index_add", f32({3, 4}, Dims{1, 3}), 0, i64({2}), f32({2, 4})), "f32[3, 4]");
  EXPECT_EQ(rule_of("index_add", self, 0, i64({2}), f32({2, 4})),
            "[index_add] source tensor shape must match self tensor shape, excluding the specified "
            "dimension. "
            "Got self.shape = [4, 3] source.shape = [2, 4]");
  EXPECT_EQ(rule_of("index_add", self, 0, i64({2}), f32({3, 3})),
            "[index_add] index_add_(): Number of indices (2) should be equal to source.size(dim): "
            "(3), for dim: 0");
  EXPECT_EQ(rule_of("index_add", self, 0, i64({1, 2}), f32({2, 3})),
            "[index_add] index_add_(): Index is supposed to be a vector, but got dim: 2 with type: "
            "Long and "
            "size: [1, 2]");
  EXPECT_EQ(rule_of("index_add", self, 0, f32({2}), f32({2, 3})),
            "[index_add] index_add_(): Expected dtype int32/int64 for index but got: Float");
  EXPECT_EQ(
      rule_of("index_add", self, 0, i64({2}), make(DType::f64, {2, 3})),
      "[index_add] index_add_(): self (Float) and source (Double) must have the same scalar type");
}

TEST(IndexRules, IndexCopy) {
  Tensor self = f32({4, 3});
  EXPECT_EQ(rule_of("index_copy", self, 0, i64({2}), f32({2, 3})), "f32[4, 3]");
  EXPECT_EQ(rule_of("index_copy", self, 0, i64({2}), f32({2, 4})),
            "[index_copy] index_copy_(): Source/destination tensor must have same slice shapes. "
            "Destination "
            "slice shape: [3] at dimension 0 and source slice shape: [4] at dimension 0.");
  EXPECT_EQ(
      rule_of("index_copy", self, 0, i64({2}), f32({3, 3})),
      "[index_copy] index_copy_(): Number of indices (2) should be equal to source.size(dim) (3)");
  EXPECT_EQ(rule_of("index_copy", self, 0, i64({1, 2}), f32({2, 3})),
            "[index_copy] index_copy_(): Index should have dimension 1 or 0 (got 2)");
  EXPECT_EQ(rule_of("index_copy", self, 0, make(DType::i32, {2}), f32({2, 3})),
            "[index_copy] index_copy_(): Expected a long tensor for index, but got Int");
  EXPECT_EQ(rule_of("index_copy", self, 0, i64({2}), make(DType::f64, {2, 3})),
            "[index_copy] index_copy_(): self and source expected to have the same dtype, but got "
            "(self) Float "
            "and (source) Double");
  EXPECT_EQ(rule_of("index_copy", self, 0, i64({2}), f32({2})),
            "[index_copy] index_copy_(): When source and destination are not scalars, their "
            "dimensionality must "
            "match. Source dimensionality (1), destination dimensionality (2)");
}

TEST(IndexRules, IndexFill) {
  EXPECT_EQ(rule_of("index_fill.int_Scalar", f32({3, 4}, Dims{1, 3}), 0, i64({2}), Scalar(1.0)),
            "f32[3, 4] [1, 3]");
  EXPECT_EQ(rule_of("index_fill.int_Scalar", i64({4, 3}), 0, i64({2}), Scalar(1.5)), "i64[4, 3]");
  EXPECT_EQ(rule_of("index_fill.int_Tensor", f32({}), 0, i64({1}), f32({})), "f32[]");
  EXPECT_EQ(rule_of("index_fill.int_Scalar", f32({4, 3}), 0, i64({1, 2}), Scalar(1)),
            "[index_fill] Index has to be a vector/scalar");
  EXPECT_EQ(rule_of("index_fill.int_Scalar", f32({4, 3}), 0, make(DType::i32, {2}), Scalar(1)),
            "[index_fill] index_fill_(): Expected dtype int64 for index.");
  EXPECT_EQ(
      rule_of("index_fill.int_Tensor", f32({4, 3}), 0, i64({2}), f32({1})),
      "[index_fill] index_fill_ only supports a 0-dimensional value tensor, but got tensor with 1 "
      "dimension(s).");
}

std::string indexed(const Tensor& x, std::vector<Ref> list) {
  return rule_of("index.Tensor", x, Arg(std::move(list)));
}

TEST(IndexRules, AdvancedIndexing) {
  Tensor x = f32({4, 3, 5});
  Ref two(i64({2})), none;
  EXPECT_EQ(indexed(x, {two}), "f32[2, 3, 5]");
  EXPECT_EQ(indexed(x, {two, none, two}), "f32[2, 3]");
  EXPECT_EQ(indexed(x, {none, two, Ref(i64({6, 1}))}), "f32[4, 6, 2]");
  EXPECT_EQ(indexed(x, {Ref(i64({})), none}), "f32[3, 5]");
  EXPECT_EQ(indexed(x, {Ref(make(DType::i32, {2}))}), "f32[2, 3, 5]");
}

// PyTorch's iterator lays the result out as self lies in memory.
TEST(IndexRules, AdvancedIndexingKeepsSelfsOrder) {
  Tensor p = f32({5, 4, 3}, Dims{1, 15, 5});  // zeros(4, 3, 5).permute(2, 0, 1)
  Tensor q = f32({5, 3, 4}, Dims{1, 5, 15});  // zeros(4, 3, 5).permute(2, 1, 0)
  Ref two(i64({2})), none, turned(i64({6, 2}, Dims{1, 6}));
  EXPECT_EQ(indexed(p, {two}), "f32[2, 4, 3]");
  EXPECT_EQ(indexed(p, {none, two}), "f32[5, 2, 3] [1, 5, 10]");
  EXPECT_EQ(indexed(q, {none, two}), "f32[5, 2, 4] [1, 5, 10]");
  EXPECT_EQ(indexed(q, {none, none, two}), "f32[5, 3, 2] [2, 10, 1]");
  EXPECT_EQ(indexed(q, {two, none, two}), "f32[2, 3]");
  EXPECT_EQ(indexed(f32({4, 3, 5}), {none, turned}), "f32[4, 6, 2, 5] [60, 5, 30, 1]");
  EXPECT_EQ(indexed(q, {none, turned, two}), "f32[5, 6, 2] [12, 1, 6]");
}

TEST(IndexRules, AdvancedIndexingErrors) {
  Tensor x = f32({4, 3});
  EXPECT_EQ(indexed(x, {Ref(i64({2})), Ref(i64({3}))}),
            "[_index] shape mismatch: indexing tensors could not be broadcast together with shapes "
            "[2], [3]");
  EXPECT_EQ(indexed(x, {Ref(f32({2}))}),
            "[index] tensors used as indices must be long, int, byte or bool tensors");
  EXPECT_EQ(indexed(x, {Ref(mask({4, 2}))}),
            "[index] The shape of the mask [4, 2] at index 1 does not match the shape of the "
            "indexed tensor "
            "[4, 3] at index 1");
  EXPECT_EQ(indexed(x, {Ref(i64({})), Ref(i64({})), Ref(i64({}))}),
            "[index] too many indices for tensor of dimension 2 (got 3)");
  EXPECT_EQ(indexed(x, {Ref()}), "[_index] at least one index must be provided");
  EXPECT_EQ(indexed(f32({0, 3}), {Ref(i64({1}))}),
            "[_index] index is out of bounds for dimension with size 0");
}

std::string put(std::string_view op, const Tensor& x, std::vector<Ref> list, const Tensor& v) {
  return rule_of(op, x, Arg(std::move(list)), v, false);
}

TEST(IndexRules, IndexPut) {
  EXPECT_EQ(put("index_put", f32({3, 4}, Dims{1, 3}), {Ref(i64({1}))}, f32({4})),
            "f32[3, 4] [1, 3]");
  EXPECT_EQ(put("index_put", f32({4, 3}), {Ref(mask({4, 3}))}, f32({})), "f32[4, 3]");
  EXPECT_EQ(put("index_put", f32({4, 3}), {Ref(i64({2}))}, f32({1, 1, 2, 3})), "f32[4, 3]");
  EXPECT_EQ(put("index_put", f32({4, 3}), {Ref(i64({1}))}, f32({4})),
            "[_index_put] shape mismatch: value tensor of shape [4] cannot be broadcast to "
            "indexing result of "
            "shape [1, 3]");
  EXPECT_EQ(
      put("index_put", f32({4, 3}), {Ref(i64({1}))}, make(DType::f64, {3})),
      "[_index_put] Index put requires the source and destination dtypes match, got Float for the "
      "destination and Double for the source.");
}

TEST(IndexRules, AMaskAndOneValueDependOnNoData) {
  std::vector<Ref> list{Ref(mask({4}))};
  EXPECT_EQ(parts_of("index_put", {Arg(f32({4, 3})), Arg(list), Arg(f32({})), Arg(false)}),
            "view; where.self");
  EXPECT_EQ(parts_of("index_put_", {Arg(f32({4, 3})), Arg(list), Arg(f32({})), Arg(false)}),
            "view; masked_fill_.Tensor");
  EXPECT_THAT(parts_of("index_put", {Arg(f32({4, 3})), Arg(list), Arg(f32({})), Arg(true)}),
              HasSubstr("nonzero"));
}

TEST(IndexRules, Embedding) {
  EXPECT_EQ(rule_of("embedding", f32({4, 3}), i64({1, 2})), "f32[1, 2, 3]");
  EXPECT_EQ(rule_of("embedding_dense_backward", f32({2, 3}), i64({2}), 5, -1, false), "f32[5, 3]");
  EXPECT_EQ(rule_of("embedding", f32({4}), i64({2})), "[embedding] 'weight' must be 2-D");
  EXPECT_EQ(
      rule_of("embedding", f32({4, 3}), f32({2})),
      "[embedding] Expected tensor for argument #1 'indices' to have one of the following "
      "scalar types: Long, Int; but got float32 instead (while checking arguments for embedding)");
}

TEST(IndexRules, SizesThatDependOnData) {
  auto env = std::make_shared<sym::ShapeEnv>();
  const OpRecord& r = find_op("nonzero");
  EXPECT_TRUE(r.data_dependent);
  ArgList args{Arg(f32({4, 3}))};
  ShapeCtx<Int> s(r, args);
  s.set_env(env.get());
  r.shape_symbolic(s);
  ASSERT_EQ(s.outs().size(), 1u);
  Int n = s.outs()[0].sizes[0];
  EXPECT_EQ(n.str(), "u0");
  EXPECT_TRUE((n >= Int(0)).known_true());
  EXPECT_TRUE((n <= Int(12)).known_true());
  EXPECT_EQ(s.outs()[0].sizes[1].constant(), 2);
  EXPECT_EQ(s.outs()[0].strides[0].constant(), 1);
  ShapeCtx<int64_t> eager(r, args);
  r.shape(eager);
  EXPECT_TRUE(eager.outs().empty());  // the kernel makes it
}

TEST(IndexRules, SizesThatDependOnDataNeedAGraph) {
  const OpRecord& r = find_op("nonzero");
  ArgList args{Arg(f32({4}))};
  ShapeCtx<Int> s(r, args);
  EXPECT_THROW(r.shape_symbolic(s), InternalError);
}

TEST(IndexRules, Masks) {
  EXPECT_THAT(rule_of("masked_select", f32({4, 3}), f32({3})),
              "[masked_select] masked_select: expected BoolTensor for mask");
  EXPECT_THAT(rule_of("masked_select", f32({4, 3}), mask({4})),
              "[masked_select] The size of tensor a (3) must match the size of tensor b (4) at "
              "non-singleton "
              "dimension 1");
  EXPECT_EQ(rule_of("masked_scatter", f32({3}), mask({4, 3}), f32({12})), "f32[4, 3]");
  EXPECT_EQ(rule_of("masked_scatter", f32({4, 3}), f32({3}), f32({12})),
            "[masked_scatter] masked_scatter_ only supports boolean masks, but got mask with dtype "
            "Float");
  EXPECT_EQ(rule_of("masked_scatter", f32({4, 3}), mask({3}), make(DType::f64, {12})),
            "[masked_scatter] masked_scatter: expected self and source to have same dtypes but "
            "gotFloat and Double");
  EXPECT_EQ(rule_of("masked_scatter", f32({4, 3}), mask({4}), f32({12})),
            "[masked_scatter] The size of tensor a (3) must match the size of tensor b (4) at "
            "non-singleton "
            "dimension 1");
}

TEST(IndexRules, Triangles) {
  EXPECT_EQ(rule_of("tril", f32({3, 4}, Dims{1, 3})), "f32[3, 4]");
  EXPECT_EQ(rule_of("triu", mask({2, 4, 4}), 1), "bool[2, 4, 4]");
  EXPECT_EQ(rule_of("tril", f32({4})), "[tril] tril: input tensor must have at least 2 dimensions");
}

TEST(IndexRules, OneHot) {
  EXPECT_EQ(rule_of("one_hot", i64({2}), 5), "i64[2, 5]");
  EXPECT_EQ(rule_of("one_hot", i64({0}), 3), "i64[0, 3]");
  EXPECT_EQ(rule_of("one_hot", i64({}), 3), "i64[3]");
  EXPECT_EQ(rule_of("one_hot", f32({2}), 5),
            "[one_hot] one_hot is only applicable to index tensor of type LongTensor.");
  EXPECT_EQ(rule_of("one_hot", i64({0})),
            "[one_hot] Can not infer total number of classes from empty tensor.");
  EXPECT_EQ(rule_of("one_hot", i64({2}), -2),
            "[one_hot] Class values must be smaller than num_classes.");
}

TEST(IndexRules, Ordering) {
  EXPECT_EQ(rule_of("sort", f32({3, 4}, Dims{1, 3}), 0), "f32[3, 4] [1, 3]; i64[3, 4] [1, 3]");
  EXPECT_EQ(rule_of("sort", f32({2, 4}, Dims{2, 3}), 0), "f32[2, 4] [1, 2]; i64[2, 4] [1, 2]");
  EXPECT_EQ(rule_of("argsort", f32({4})), "i64[4]");
  EXPECT_EQ(rule_of("topk", f32({3, 4}, Dims{1, 3}), 2), "f32[3, 2]; i64[3, 2]");
  EXPECT_EQ(rule_of("topk", f32({}), 1), "f32[]; i64[]");
  EXPECT_EQ(rule_of("topk", f32({4, 3}), 4), "[topk] selected index k out of range");
  EXPECT_EQ(rule_of("topk", f32({4, 3}), -1), "[topk] selected index k out of range");
  EXPECT_THAT(rule_of("sort", f32({4, 3}), 2), HasSubstr("Dimension out of range"));
}

TEST(IndexRules, ItemInt) {
  EXPECT_EQ(rule_of("_item_int", i64({1, 1})), "i64[]");
  EXPECT_EQ(rule_of("_item_int", i64({2})),
            "[_item_int] a Tensor with 2 elements cannot be converted to Scalar");
  EXPECT_EQ(rule_of("_item_int", f32({})),
            "[_item_int] item_int() reads an integer, the tensor is float32");
}

}  // namespace
}  // namespace frit
