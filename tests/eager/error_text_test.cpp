// What ops say when they are misused: each expression beside its text, in golden/error_texts.txt.
// Where the message is in PyTorch's words the samples of op_db check it; here is the whole text as
// the user reads it, with the hint.
#include <frit/ops.h>

#include <limits>

#include "eager/common.h"
#include "golden.h"

namespace frit::test {
namespace {

struct Misuse {
  const char* expression;
  std::function<void()> run;
};
#define MISUSE(...)                           \
  Misuse {                                    \
    #__VA_ARGS__, [] { (void)(__VA_ARGS__); } \
  }

Tensor f32(std::initializer_list<Int> sizes) { return ones(IntList(sizes.begin(), sizes.end())); }
Tensor f64(std::initializer_list<Int> sizes) { return f32(sizes).to(kFloat64); }
Tensor i64(std::initializer_list<Int> sizes) { return f32(sizes).to(kInt64); }
Tensor bools(std::initializer_list<Int> sizes) { return f32(sizes).to(kBool); }
Tensor number() { return scalar_tensor(1.0); }

std::vector<Misuse> products() {
  return {
      MISUSE(mm(f32({3}), f32({3, 2}))),
      MISUSE(mm(f32({2, 3}), f32({3}))),
      MISUSE(mm(f32({2, 3}), f32({4, 2}))),
      MISUSE(mm(f32({2, 3}), f64({3, 2}))),
      MISUSE(mm(bools({2, 3}), bools({3, 2}))),
      MISUSE(bmm(f32({2, 3}), f32({2, 3, 2}))),
      MISUSE(bmm(f32({2, 3, 4}), f32({2, 3, 2}))),
      MISUSE(bmm(f32({2, 3, 4}), f64({2, 4, 2}))),
      MISUSE(addmm(f32({2, 2, 2}), f32({2, 3}), f32({3, 2}))),
      MISUSE(addmm(f32({4}), f32({2, 3}), f32({3, 2}))),
      MISUSE(addmm(f32({2}), f32({2, 3}), f32({3}))),
      MISUSE(baddbmm(f32({2}), f32({2, 3}), f32({2, 3, 2}))),
      MISUSE(baddbmm(f32({2}), f32({2, 3, 4}), f32({2, 3, 2}))),
      MISUSE(linear(f32({2, 3}), f32({4, 5}))),
      MISUSE(linear(f32({2, 3}), f32({1, 4, 3}))),
      MISUSE(linear(number(), f32({4, 3}))),
      MISUSE(addmv(f32({2}), f32({2}), f32({3}))),
      MISUSE(addmv(f32({2}), f32({2, 3}), f32({4}))),
      MISUSE(f32({1}).addmv_(f32({2, 3}), f32({3}))),
      MISUSE(mv(f32({2}), f32({3}))),
      MISUSE(mv(f32({2, 3}), f32({4}))),
      MISUSE(dot(f32({2, 3}), f32({3}))),
      MISUSE(dot(f32({3}), f64({3}))),
      MISUSE(dot(f32({3}), f32({4}))),
      MISUSE(matmul(number(), f32({3}))),
      MISUSE(outer(f32({2, 2}), f32({3}))),
  };
}

std::vector<Misuse> views() {
  return {
      MISUSE(f32({4, 3}).view({-1, -1})),
      MISUSE(f32({4, 3}).view({-2, 6})),
      MISUSE(f32({4, 3}).view({5, 2})),
      MISUSE(f32({0, 3}).view({-1, 0})),
      MISUSE(f32({4, 3}).t().view({12})),
      MISUSE(f32({4, 3}).permute({0})),
      MISUSE(f32({4, 3}).permute({0, 0})),
      MISUSE(f32({4, 3}).permute({0, 2})),
      MISUSE(f32({4, 3}).transpose(0, 2)),
      MISUSE(number().slice(0, 0, 1)),
      MISUSE(f32({4}).slice(0, 0, 4, 0)),
      MISUSE(number().select(0, 0)),
      MISUSE(f32({4}).select(0, 4)),
      MISUSE(f32({4, 3}).expand({3})),
      MISUSE(f32({4, 3}).expand({5, 3})),
      MISUSE(f32({3}).expand({-1, 3})),
      MISUSE(f32({4}).as_strided({2}, {1, 1})),
      MISUSE(f32({4}).as_strided({-2}, {1})),
      MISUSE(f32({4}).as_strided({2}, {-1})),
      MISUSE(f32({4}).as_strided({5}, {1})),
      MISUSE(as_strided_scatter(f32({4}), f32({5}), {5}, {1})),
      MISUSE(diagonal(f32({4, 3}), 0, 1, 1)),
      MISUSE(f32({4}).unfold(0, -1, 1)),
      MISUSE(f32({4}).unfold(0, 5, 1)),
      MISUSE(f32({4}).unfold(0, 2, 0)),
      MISUSE(f32({4, 3}).flatten(1, 0)),
      MISUSE(number().narrow(0, 0, 1)),
      MISUSE(f32({4}).narrow(0, 0, -1)),
      MISUSE(f32({4}).narrow(0, 3, 2)),
      MISUSE(split(number(), 2)),
      MISUSE(split(f32({4}), -1)),
      MISUSE(split(f32({4}), 0)),
      MISUSE(split(f32({4}), {1, 2})),
      MISUSE(chunk(number(), 2)),
      MISUSE(chunk(f32({4}), 0)),
      MISUSE(movedim(f32({4, 3}), {0, 1}, {0})),
      MISUSE(mT(f32({4}))),
      MISUSE(stack({})),
      MISUSE(stack({f32({4}), f32({3})})),
      MISUSE(cat({})),
      MISUSE(cat({f32({4, 3}), f32({4, 2})})),
      MISUSE(f32({4}).squeeze(1)),
      MISUSE(f32({4}).unsqueeze(3)),
  };
}

std::vector<Misuse> elements() {
  return {
      MISUSE(f32({2, 3}) + f32({4})),
      MISUSE(positive(bools({2}))),
      MISUSE(-bools({2})),
      MISUSE(bools({2}) - bools({2})),
      MISUSE(f32({2}) & f32({2})),
      MISUSE(hardtanh(bools({2}))),
      MISUSE(addcdiv(i64({2}), i64({2}), i64({2}))),
      MISUSE(f32({2}).masked_fill_(i64({2}), 1.0)),
      MISUSE(f32({2}).fill_(f32({2}))),
      MISUSE(i64({2}).fill_(std::numeric_limits<double>::quiet_NaN())),
      MISUSE(i64({2}).masked_fill(bools({2}), 1e30)),
      MISUSE(f32({2}).add_(f32({3, 2}))),
      MISUSE(i64({2}).add_(0.5)),
      MISUSE(i64({2}).mul_(f32({2}))),
      MISUSE(uniform(f32({2}), 1.0, 0.0)),
      MISUSE(uniform(f32({2}), -3e38, 3e38)),
      MISUSE(f32({2}).normal_(0.0, -1.0)),
      MISUSE(bernoulli(f32({2}), 1.5)),
      MISUSE(dropout(f32({2}), 1.5, true)),
      MISUSE(randint(0, {2})),
      MISUSE(arange(0, 4, -1)),
      MISUSE(arange(0, 4, 0)),
      MISUSE(arange(0.0, 1e30, 1e-3)),
      MISUSE(full({-2}, 1.0)),
      MISUSE(ones({Int(1099511627776), Int(1099511627776)})),
  };
}

std::vector<Misuse> reductions_and_indices() {
  return {
      MISUSE(f32({2, 3}).sum({0, 0})),
      MISUSE(f32({2, 3}).sum({2})),
      MISUSE(f32({1}).view(IntList(65, Int(1))).sum({0})),
      MISUSE(f32({0}).amax()),
      MISUSE(aminmax(f32({0, 2}), 0)),
      MISUSE(f32({0}).argmax()),
      MISUSE(i64({2}).mean()),
      MISUSE(i64({2}).softmax(0)),
      MISUSE(f32({2}).softmax(1)),
      MISUSE(f32({4, 3}).index_select(0, f32({2}))),
      MISUSE(f32({4, 3}).index_select(0, i64({2, 2}))),
      MISUSE(f32({4, 3}).index_select(0, i64({2}) * 9)),
      MISUSE(f32({4, 3}).gather(0, i64({2}))),
      MISUSE(f32({4, 3}).gather(0, i64({5, 5}))),
      MISUSE(f32({4, 3}).gather(0, i64({2, 2}) * 9)),
      MISUSE(scatter(f32({4, 3}), 0, i64({5, 5}), f32({5, 5}))),
      MISUSE(scatter(f32({4, 3}), 1, i64({4, 1}) * 7, f32({4, 1}))),
      MISUSE(index_add(f32({4, 3}), 1, i64({3}), f32({3}))),
      MISUSE(index_add(f32({4, 3}), 0, i64({2}), f64({2, 3}))),
      MISUSE(index_add(f32({4, 3}), 0, i64({2}) * 8, f32({2, 3}))),
      MISUSE(embedding(f32({4, 3}), f32({2}))),
      MISUSE(embedding(f32({4, 3}), i64({2}) * 5)),
      MISUSE(as_strided_backward(f32({2}), {4}, {1, 1}, {2}, {1}, {})),
      MISUSE(as_strided_backward(f32({2}), {4}, {1}, {3}, {1}, {})),
      MISUSE(embedding_dense_backward(f32({}), i64({2}), 3, -1, false)),
      MISUSE(f32({}).unflatten(0, {1, -1})),
      MISUSE(masked_select(f32({4}), i64({4}))),
      MISUSE(masked_scatter(f32({3}), bools({3}), f32({2}))),
      MISUSE(cross_entropy_loss(f32({4, 3}), i64({5}))),
      MISUSE(cross_entropy_loss(f32({4, 3}), i64({4}) * 3)),
      MISUSE(cross_entropy_loss(f32({4, 3}), f32({4}))),
      MISUSE(layer_norm(f32({4, 3}), {4})),
      MISUSE(native_layer_norm_backward(f32({4}), f32({4, 3}), {3}, f32({4, 1}), f32({4, 1}), {},
                                        {}, {1, 1, 1})),
      MISUSE(native_layer_norm_backward(f32({4, 3}), f32({4, 3}), {3}, f32({1, 1}), f32({4, 1}), {},
                                        {}, {1, 1, 1})),
      MISUSE(native_layer_norm_backward(i64({2}), i64({2}), {2}, i64({1}), i64({1}), {}, {},
                                        {1, 1, 1})),
      MISUSE(nll_loss(f32({2}), i64({2}))),
      MISUSE(nll_loss(f32({2}), i64({0}))),
      MISUSE(nll_loss_backward(f32({}), f32({1}), i64({1}), {}, 1, -100, f32({2}))),
      MISUSE(one_hot(f32({2}))),
      MISUSE(_one_hot_of_all(f32({2}))),
      MISUSE(_full_strided({8}, {2, 1}, 2, kFloat32)),
      MISUSE(unfold_backward(f32({2, 2}), {1, 0}, 0, 2, -1)),
      MISUSE(unfold_backward(f32({2, 2}), {4}, 0, 5, 1)),
      MISUSE(unfold_backward(f32({2, 2}), {5}, 0, 2, 1)),
      MISUSE(mse_loss(f32({4}), f32({3}))),
      MISUSE(mse_loss(f32({4}), f32({4}), 7)),
      MISUSE(f32({2}).item<float>()),
      MISUSE(f32({1}).item_int()),
      MISUSE(relu(Tensor())),
      MISUSE(Tensor().size(0)),
      MISUSE(f32({2}).size(1)),
  };
}

TEST(ErrorTexts, OfMisusedOps) {
  std::string text;
  for (auto list : {products(), views(), elements(), reductions_and_indices()})
    for (const Misuse& m : list) {
      const std::string said = error_of(m.run);
      EXPECT_TRUE(said.starts_with("[")) << m.expression << ": " << said;
      // The place is the line of the expression: its number is no text of ours.
      std::string shown = said;
      if (size_t at = shown.find("\n  at error_text_test.cpp:"); at != shown.npos)
        shown.erase(at, shown.find('\n', at + 1) - at);
      text += std::string(m.expression) + "\n  " + shown + "\n";
    }
  testing_golden::expect_text(std::string(FRIT_SOURCE_DIR) + "/tests/eager/golden/error_texts.txt",
                              text);
}

}  // namespace
}  // namespace frit::test
