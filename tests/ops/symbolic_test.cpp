// The same rules with sizes as symbols: on PyTorch's samples, what the symbols evaluate to is what
// the rule gives for numbers, and plain programs are captured without a guard.
#include <gtest/gtest.h>

#include "sample_args.h"
#include "sym/shape_env.h"

namespace frit::test {
namespace {

const std::filesystem::path kData = std::string(FRIT_SOURCE_DIR) + "/tests/op_samples/data";

// Sizes of 2 and more become symbols; strides, products of them where they are.
void make_symbolic(const Tensor& t, sym::ShapeEnv& env) {
  TensorImpl& i = *t.impl();
  if (i.symbolic) return;
  auto meta = std::make_unique<SymbolicMeta>();
  meta->sizes = IntList(i.sizes.begin(), i.sizes.end());
  meta->strides = IntList(i.strides.begin(), i.strides.end());
  meta->offset = Int(i.offset);
  for (size_t d = 0; d < i.sizes.size(); ++d)
    if (i.sizes[d] >= 2)
      meta->sizes[d] =
          env.new_symbol(i.sizes[d], 2, std::nullopt, "x.size(" + std::to_string(d) + ")");
  std::vector<size_t> order(i.sizes.size());
  for (size_t d = 0; d < order.size(); ++d) order[d] = d;
  std::ranges::sort(order, {}, [&](size_t d) { return std::pair(i.strides[d], d); });
  for (size_t k = 0; k + 1 < order.size(); ++k) {
    size_t in = order[k], out = order[k + 1];
    if (i.sizes[in] * i.strides[in] == i.strides[out])
      meta->strides[out] = meta->sizes[in] * meta->strides[in];
  }
  i.symbolic = std::move(meta);
}

Dims hints(std::span<const Int> ints) {
  Dims d;
  for (Int v : ints) d.push_back(v.hint());
  return d;
}

TEST(SymbolicRules, EvaluateToWhatTheRuleGivesForNumbers) {
  int checked = 0;
  std::map<std::string, std::string> faults;
  for (const auto& path : op_samples::files(kData)) {
    auto file = op_samples::File::load(path);
    for (const op_samples::Sample& s : file.samples()) {
      if (s.error) continue;
      SampleArgs sample(s);
      auto call = sample.call();
      if (!call || !call->record->shape || call->record->data_dependent) continue;
      const OpRecord& r = *call->record;
      try {
        ShapeCtx<int64_t> numbers(r, call->args);
        r.shape(numbers);
        auto env = std::make_shared<sym::ShapeEnv>();
        for (const Tensor& t : call->inputs) make_symbolic(t, *env);
        ShapeCtx<Int> symbols(r, call->args);
        r.shape_symbolic(symbols);
        ASSERT_EQ(numbers.outs().size(), symbols.outs().size());
        for (size_t i = 0; i < numbers.outs().size(); ++i) {
          const auto& a = numbers.outs()[i];
          const auto& b = symbols.outs()[i];
          std::string one = text(a.dtype, a.sizes, a.strides, a.offset);
          std::string other = text(b.dtype, hints(b.sizes), hints(b.strides), b.offset.hint());
          if (one != other)
            faults.try_emplace(r.full_name,
                               std::string(s.source) + ": " + one + ", by symbols " + other);
        }
        for (const sym::Guard& g : env->guards())
          if (!env->evaluate(g.condition, env->hints()))
            faults.try_emplace(r.full_name,
                               "a guard that its own sizes break: " + env->text(g.condition));
        ++checked;
      } catch (const std::exception& e) {
        faults.try_emplace(r.full_name, std::string(s.source) + ": " + e.what());
      }
    }
  }
  std::string all;
  for (auto& [op, fault] : faults) all += op + ": " + fault + "\n";
  EXPECT_TRUE(faults.empty()) << all;
  EXPECT_GT(checked, 5000);
}

class Symbols : public testing::Test {
 protected:
  Int symbol(int64_t hint) { return env->new_symbol(hint, 2, std::nullopt, "s"); }
  Tensor tensor(IntList sizes, DType t = kFloat32) {
    Dims n = hints(sizes);
    Tensor x = shape_only(n, contiguous_strides<int64_t>(n), t);
    auto meta = std::make_unique<SymbolicMeta>();
    meta->strides = contiguous_strides<Int>(sizes);
    meta->sizes = std::move(sizes);
    x.impl()->symbolic = std::move(meta);
    return x;
  }
  // A vector whose length is only known when the graph runs.
  Tensor tensor_of_unbacked(Int n) {
    Tensor x = shape_only(Dims{3}, Dims{1}, kFloat32);
    auto meta = std::make_unique<SymbolicMeta>();
    meta->sizes = {n};
    meta->strides = {Int(1)};
    x.impl()->symbolic = std::move(meta);
    return x;
  }
  template <class... A>
  std::string out(std::string_view op, A&&... args) {
    const OpRecord& r = find_op(op);
    ArgList list;
    (list.emplace_back(std::forward<A>(args)), ...);
    for (size_t i = list.size(); i < r.schema.args.size(); ++i)
      list.push_back(r.schema.args[i].default_value);
    for (size_t i = 0; i < list.size(); ++i) list[i] = canonical(r.schema, i, list[i]);
    ShapeCtx<Int> ctx(r, list);
    r.shape_symbolic(ctx);
    std::string t;
    for (auto& o : ctx.outs()) t += std::string(short_name(o.dtype)) + symbolic_text(o.sizes) + " ";
    return t;
  }
  std::string guards() { return env->guards_text(); }

  std::shared_ptr<sym::ShapeEnv> env = std::make_shared<sym::ShapeEnv>();
};

TEST_F(Symbols, PlainOpsNeedNoGuard) {
  Int s0 = symbol(8), s1 = symbol(5);
  Tensor x = tensor({s0, 64}), bias = tensor({64}), cube = tensor({s0, s1, 64});
  EXPECT_EQ(out("add.Tensor", x, x), "f32[s0, 64] ");
  EXPECT_EQ(out("add.Tensor", x, bias), "f32[s0, 64] ");
  EXPECT_EQ(out("mul.Scalar", cube, 2), "f32[s0, s1, 64] ");
  EXPECT_EQ(out("add.Tensor", cube, bias), "f32[s0, s1, 64] ");
  EXPECT_EQ(out("add.Tensor", cube, tensor({s0, 1, 1})), "f32[s0, s1, 64] ");
  EXPECT_EQ(out("relu", cube), "f32[s0, s1, 64] ");
  EXPECT_EQ(out("sum.dim_IntList", cube, IntList{1}), "f32[s0, 64] ");
  EXPECT_EQ(out("sum.dim_IntList", cube, IntList{-1}, true), "f32[s0, s1, 1] ");
  EXPECT_EQ(out("max.dim", cube, 2), "f32[s0, s1] i64[s0, s1] ");
  EXPECT_EQ(out("gt.Scalar", x, 0.5), "bool[s0, 64] ");
  EXPECT_EQ(out("add_.Tensor", x, bias), "f32[s0, 64] ");
  EXPECT_EQ(guards(), "");
}

TEST_F(Symbols, SizesThatMustAgreeAreGuarded) {
  Int s0 = symbol(8), s1 = symbol(8);
  EXPECT_EQ(out("add.Tensor", tensor({s0, 4}), tensor({s1, 4})), "f32[s0, 4] ");
  EXPECT_EQ(env->guards().size(), 1u) << guards();
  EXPECT_TRUE(env->statically_known_true(s0 == s1));
}

TEST_F(Symbols, SizesThatDoNotFitAreTheUsersError) {
  Int s0 = symbol(8), s1 = symbol(9);
  try {
    out("add.Tensor", tensor({s0, 4}), tensor({s1, 4}));
    FAIL();
  } catch (const UserError& e) {
    EXPECT_EQ(e.message(),
              "The size of tensor a (8) must match the size of tensor b (9) at non-singleton "
              "dimension 0");
  }
}

TEST_F(Symbols, UnbackedSizesBroadcastByAsserts) {
  Int u0 = env->new_unbacked("mask.sum().item_int()", {}, 0);
  EXPECT_EQ(out("add.Tensor", tensor_of_unbacked(u0), tensor_of_unbacked(u0)), "f32[u0] ");
  EXPECT_TRUE(env->runtime_asserts().empty());
  Int u1 = env->new_unbacked("other.item_int()", {}, 0);
  EXPECT_EQ(out("add.Tensor", tensor_of_unbacked(u0), tensor_of_unbacked(u1)), "f32[u0] ");
  EXPECT_EQ(env->runtime_asserts().size(), 1u);
  EXPECT_EQ(guards(), "");
}

}  // namespace
}  // namespace frit::test
