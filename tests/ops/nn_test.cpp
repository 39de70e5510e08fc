// softmax, layer normalization and losses: sizes, dtypes, errors, and what they run as.
#include "rules.h"

namespace frit {
namespace {
using namespace test;
using testing::HasSubstr;

TEST(SoftmaxRules, GiveRowMajorResults) {
  EXPECT_EQ(rule_of("softmax.int", f32({4, 3}, Dims{1, 4}), 0), "f32[4, 3]");
  EXPECT_EQ(rule_of("softmax.int", f32({}), 0), "f32[]");
  EXPECT_EQ(rule_of("log_softmax.int", make(DType::bf16, {2, 3}), -1), "bf16[2, 3]");
  EXPECT_EQ(rule_of("softmax.int", i64({2, 3}), 1, DType::f32), "f32[2, 3]");
  EXPECT_EQ(rule_of("_softmax_backward_data", f32({2, 3}), f32({2, 3}), 1, DType::f32),
            "f32[2, 3]");
}

TEST(SoftmaxRules, AreOneNode) {
  EXPECT_EQ(parts_of("log_softmax.int", {Arg(f32({2, 3})), Arg(1)}), "_log_softmax");
  EXPECT_EQ(parts_of("softmax.int", {Arg(f32({2, 3})), Arg(1)}), "_softmax");
}

TEST(SoftmaxRules, Errors) {
  EXPECT_THAT(rule_of("softmax.int", f32({3, 4}), 2), HasSubstr("Dimension out of range"));
  EXPECT_EQ(rule_of("softmax.int", i64({3, 4}), 1),
            "[_softmax] \"softmax_lastdim_kernel_impl\" not implemented for 'Long'");
  EXPECT_EQ(rule_of("log_softmax.int", i64({3, 4}), 0),
            "[_log_softmax] \"log_softmax_kernel_impl\" not implemented for 'Long'");
  EXPECT_EQ(rule_of("_softmax", f32({2}), 0, true),
            "[_softmax] softmax with half to float conversion is not supported on CPU");
  EXPECT_EQ(rule_of("_softmax_backward_data", f32({2, 3}), f32({2, 3}), 1, DType::f64),
            "[_softmax_backward_data] expected input and grad types to match, or input to be "
            "at::Half and grad to be at::Float");
  EXPECT_EQ(rule_of("_softmax_backward_data", f32({2, 3}), f32({2, 4}), 1, DType::f32),
            "[_softmax_backward_data] Expected tensor for argument #1 'grad' to have same size as "
            "tensor for "
            "argument #2 'output'; but [2, 3] does not equal [2, 4] (while checking arguments for "
            "softmax_backward)");
}

std::string layer_norm(const Tensor& x, IntList shape, Arg w = {}, Arg b = {}) {
  return rule_of("native_layer_norm", x, std::move(shape), std::move(w), std::move(b), 1e-5);
}

TEST(LayerNormRules, Outputs) {
  EXPECT_EQ(layer_norm(f32({3, 4}, Dims{1, 3}), {4}), "f32[3, 4]; f32[3, 1]; f32[3, 1]");
  EXPECT_EQ(layer_norm(f32({3, 4, 5}), {4, 5}), "f32[3, 4, 5]; f32[3, 1, 1]; f32[3, 1, 1]");
  Tensor half = make(DType::bf16, {3, 4});
  EXPECT_EQ(layer_norm(half, {4}), "bf16[3, 4]; bf16[3, 1]; bf16[3, 1]");
  EXPECT_EQ(layer_norm(half, {4}, f32({4})), "bf16[3, 4]; f32[3, 1]; f32[3, 1]");
  EXPECT_EQ(parts_of("layer_norm", {Arg(f32({3, 4})), Arg(IntList{4})}), "native_layer_norm");
}

TEST(LayerNormRules, Errors) {
  Tensor x = f32({3, 4});
  EXPECT_EQ(layer_norm(x, {}),
            "[native_layer_norm] Expected normalized_shape to be at least 1-dimensional, i.e., "
            "containing at "
            "least one element, but got normalized_shape = []");
  EXPECT_EQ(layer_norm(x, {5}),
            "[native_layer_norm] Given normalized_shape=[5], expected input with shape [*, 5], but "
            "got input of "
            "size[3, 4]");
  EXPECT_EQ(layer_norm(x, {2, 3, 4}),
            "[native_layer_norm] Given normalized_shape=[2, 3, 4], expected input with shape [*, "
            "2, 3, 4], but "
            "got input of size[3, 4]");
  EXPECT_EQ(layer_norm(x, {4}, f32({3})),
            "[native_layer_norm] Expected weight to be of same shape as normalized_shape, but got "
            "weight of "
            "shape [3] and normalized_shape = [4]");
  EXPECT_EQ(layer_norm(x, {4}, make(DType::f64, {4})),
            "[native_layer_norm] mixed dtype (CPU): expect parameter to have scalar type of Float");
  EXPECT_EQ(layer_norm(i64({3, 4}), {4}),
            "[native_layer_norm] \"LayerNormKernelImpl\" not implemented for 'Long'");
}

TEST(LayerNormRules, Backward) {
  Tensor x = f32({3, 4}), s = f32({3, 1}), w = f32({4});
  auto back = [&](IntList mask) {
    return rule_of("native_layer_norm_backward", x, x, IntList{4}, s, s, w, w, std::move(mask));
  };
  EXPECT_EQ(back({1, 1, 1}), "f32[3, 4]; f32[4]; f32[4]");
  EXPECT_EQ(back({1, 0, 0}), "f32[3, 4]; f32[0]; f32[0]");
  EXPECT_EQ(back({1}), "[native_layer_norm_backward] output_mask has 1 elements, expected 3");
}

std::string nll(const Tensor& x, const Tensor& t, Arg w = {}, int64_t reduction = 1) {
  return rule_of("nll_loss_forward", x, t, std::move(w), reduction, Int(-100));
}

TEST(LossRules, NllForward) {
  EXPECT_EQ(nll(f32({3, 4}), i64({3})), "f32[]; f32[]");
  EXPECT_EQ(nll(f32({3, 4}), i64({3}), {}, 0), "f32[3]; f32[]");
  EXPECT_EQ(nll(f32({4}), i64({}), {}, 0), "f32[]; f32[]");
  EXPECT_EQ(nll(make(DType::bf16, {3, 4}), make(DType::u8, {3}), {}, 2), "bf16[]; bf16[]");
  EXPECT_EQ(rule_of("nll_loss_backward", f32({}), f32({3, 4}, Dims{1, 3}), i64({3}), Arg(), 1,
                    Int(-100), f32({})),
            "f32[3, 4]");
}

TEST(LossRules, NllErrors) {
  Tensor x = f32({3, 4});
  EXPECT_EQ(nll(x, f32({3})),
            "[nll_loss_forward] expected target dtype to be Long or Byte, but got Float");
  EXPECT_EQ(nll(x, i64({4})), "[nll_loss_forward] size mismatch (got input: [3, 4], target: [4])");
  EXPECT_EQ(nll(x, i64({3, 1})),
            "[nll_loss_forward] 0D or 1D target tensor expected, multi-target not supported");
  EXPECT_EQ(nll(f32({3, 4, 1}), i64({3})), "[nll_loss_forward] input tensor should be 1D or 2D");
  EXPECT_EQ(nll(x, i64({3}), f32({3})),
            "[nll_loss_forward] weight tensor should be defined either for all 4 classes or no "
            "classes but got "
            "weight tensor of shape: [3]");
  EXPECT_EQ(nll(x, i64({3}), make(DType::f64, {4})),
            "[nll_loss_forward] expected scalar type Float but found Double");
  EXPECT_EQ(nll(i64({3, 4}), i64({3})),
            "[nll_loss_forward] \"nll_loss_out_frame\" not implemented for 'Long'");
  EXPECT_EQ(nll(x, i64({3}), {}, 7), "[nll_loss_forward] 7 is not a valid value for reduction");
  EXPECT_EQ(rule_of("nll_loss_backward", f32({2}), x, i64({3}), Arg(), 1, Int(-100), f32({})),
            "[nll_loss_backward] Expected a single element grad_output tensor, but got: [2]");
  EXPECT_EQ(rule_of("nll_loss_backward", f32({2}), x, i64({3}), Arg(), 0, Int(-100), f32({})),
            "[nll_loss_backward] Expected a tensor of dimension 1 and tensor.size[0] == 3 but got: "
            "dimension 1 "
            "and tensor.size[0] = 2");
}

std::string cross_entropy(const Tensor& x, const Tensor& t, Arg w = {}, int64_t reduction = 1,
                          int64_t ignore = -100, double smoothing = 0) {
  return rule_of("cross_entropy_loss", x, t, std::move(w), reduction, Int(ignore), smoothing);
}

TEST(LossRules, CrossEntropyIsTwoNodes) {
  EXPECT_EQ(parts_of("cross_entropy_loss", {Arg(f32({3, 4})), Arg(i64({3}))}),
            "_log_softmax; nll_loss_forward");
}

TEST(LossRules, CrossEntropy) {
  EXPECT_EQ(cross_entropy(f32({3, 4, 5}), i64({3, 5}), {}, 0), "f32[3, 5]");
  EXPECT_EQ(cross_entropy(f32({3, 4, 5, 6}), i64({3, 5, 6}), {}, 0), "f32[3, 5, 6]");
  EXPECT_EQ(cross_entropy(f32({3, 4, 2, 5, 6}), i64({3, 2, 5, 6}), {}, 0), "f32[3, 2, 5, 6]");
  EXPECT_EQ(cross_entropy(f32({3, 4}), f32({3, 4}), f32({4}), 0, -100, 0.1), "f32[3]");
  EXPECT_EQ(cross_entropy(f32({3, 4}), i64({3}), f32({4}), 1, -100, 0.1), "f32[]");
  EXPECT_EQ(cross_entropy(f32({4}), i64({})), "f32[]");
}

TEST(LossRules, CrossEntropyErrors) {
  Tensor x = f32({3, 4});
  EXPECT_EQ(cross_entropy(x, i64({3}), {}, 1, -100, 2),
            "[cross_entropy_loss] label_smoothing must be between 0.0 and 1.0. Got: 2");
  EXPECT_EQ(cross_entropy(x, i64({3, 4})),
            "[cross_entropy_loss] Expected floating point type for target with class "
            "probabilities, got Long");
  EXPECT_EQ(cross_entropy(x, f32({3, 4}), {}, 1, 0),
            "[cross_entropy_loss] ignore_index is not supported for floating point target");
  EXPECT_EQ(cross_entropy(x, f32({3, 4}), f32({3})),
            "[cross_entropy_loss] cross_entropy: weight tensor should be defined either for all 4 "
            "classes or no "
            "classes but got weight tensor of shape: [3]");
  EXPECT_EQ(cross_entropy(x, i64({5})),
            "[nll_loss_nd] Expected input batch_size (3) to match target batch_size (5).");
  EXPECT_EQ(cross_entropy(f32({3, 4, 5}), i64({3, 4})),
            "[nll_loss_nd] Expected target size [3, 5], got [3, 4]");
  EXPECT_EQ(rule_of("nll_loss_nd", f32({}), i64({})),
            "[nll_loss_nd] Expected 1 or more dimensions (got 0)");
  EXPECT_EQ(rule_of("nll_loss_nd", f32({3, 4, 2, 2}), i64({3, 4, 2})),
            "[nll_loss_nd] size mismatch (got input: [3, 4, 2, 2] , target: [3, 4, 2]");
  EXPECT_EQ(rule_of("nll_loss2d", f32({3, 4, 2, 2}), i64({3, 4})),
            "[nll_loss2d] only batches of spatial targets supported (3D tensors) but got targets "
            "of dimension: 2");
  EXPECT_EQ(rule_of("nll_loss2d", f32({3, 4, 2}), i64({3, 4, 2})),
            "[nll_loss2d] only batches of spatial inputs supported (4D tensors), but got input of "
            "dimension: 3");
}

TEST(LossRules, ByElement) {
  EXPECT_EQ(rule_of("mse_loss", f32({4, 3}, Dims{1, 4}), f32({4, 3}), 0), "f32[4, 3] [1, 4]");
  EXPECT_EQ(rule_of("mse_loss", make(DType::bf16, {3, 4}), f32({4}), 0), "f32[3, 4]");
  EXPECT_EQ(rule_of("l1_loss", i64({2}), i64({2}), 2), "i64[]");
  EXPECT_EQ(rule_of("smooth_l1_loss", f32({2, 3}), f32({3})), "f32[]");
  EXPECT_EQ(rule_of("huber_loss", f32({2, 3}), f32({3}), 0), "f32[2, 3]");
  EXPECT_EQ(
      rule_of("binary_cross_entropy_with_logits", f32({2, 3}), f32({2, 3}), Arg(), f32({3}), 0),
      "f32[2, 3]");
}

TEST(LossRules, ByElementErrors) {
  EXPECT_EQ(rule_of("mse_loss", i64({2}), i64({2})),
            "[mse_loss] \"mse_cpu\" not implemented for 'Long'");
  EXPECT_EQ(rule_of("smooth_l1_loss", f32({2}), f32({2}), 1, -1.0),
            "[smooth_l1_loss] smooth_l1_loss does not support negative values for beta.");
  EXPECT_EQ(rule_of("huber_loss", f32({2}), f32({2}), 1, -1.0),
            "[huber_loss] huber_loss does not support non-positive values for delta.");
  EXPECT_EQ(rule_of("huber_loss", i64({2}), i64({2})),
            "[huber_loss] \"huber_cpu\" not implemented for 'Long'");
  EXPECT_EQ(rule_of("binary_cross_entropy_with_logits", f32({3, 4}), f32({4})),
            "[binary_cross_entropy_with_logits] output with shape [4] doesn't match the broadcast "
            "shape [3, 4]");
  EXPECT_EQ(rule_of("binary_cross_entropy_with_logits", f32({3}), f32({4})),
            "[binary_cross_entropy_with_logits] The size of tensor a (4) must match the size of "
            "tensor b (3) at "
            "non-singleton dimension 0");
  EXPECT_EQ(rule_of("binary_cross_entropy_with_logits", f32({3}), i64({3})),
            "[binary_cross_entropy_with_logits] result type Float can't be cast to the desired "
            "output type Long");
  EXPECT_EQ(rule_of("binary_cross_entropy", f32({3}), f32({2, 3}), Arg(), 0),
            "[binary_cross_entropy] the target's sizes [2, 3] are other than the input's [3]");
  EXPECT_EQ(rule_of("binary_cross_entropy", i64({3}), f32({3})),
            "[binary_cross_entropy] Found dtype Float but expected Long");
  EXPECT_EQ(rule_of("binary_cross_entropy", i64({3}), i64({3})),
            "[binary_cross_entropy] \"binary_cross_entropy\" not implemented for 'Long'");
  EXPECT_EQ(rule_of("binary_cross_entropy", f32({3}), f32({3}), f32({2, 3}), 0),
            "[binary_cross_entropy] weights of sizes [2, 3] do not broadcast to the input's [3]");
}

}  // namespace
}  // namespace frit
