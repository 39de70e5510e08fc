#include <algorithm>
#include <cmath>

#include "nn/common.h"

namespace frit::test {
namespace {

void expect_near(const Tensor& t, std::vector<float> wanted, float tolerance = 1e-6f) {
  auto got = values(t);
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], tolerance) << i;
}

// All values lie in [-bound, bound] and come near both ends.
void expect_uniform(const Tensor& t, double bound) {
  auto v = values(t);
  auto [low, high] = std::minmax_element(v.begin(), v.end());
  EXPECT_GE(*low, -bound);
  EXPECT_LE(*high, bound);
  EXPECT_LT(*low, -0.9 * bound);
  EXPECT_GT(*high, 0.9 * bound);
  double sum = 0;
  for (float x : v) sum += x;
  EXPECT_NEAR(sum / static_cast<double>(v.size()), 0,
              bound * 3 / std::sqrt(3.0 * static_cast<double>(v.size())) * 1.5);
}

TEST(Layers, LinearStartsAsPyTorchs) {
  manual_seed(1);
  nn::Linear lin(100, 60);
  expect_uniform(lin.weight, 0.1);  // kaiming_uniform(sqrt(5)): 1 / sqrt(in)
  expect_uniform(lin.bias, 0.1);
  EXPECT_THAT(lin.weight->impl()->sizes, ElementsAre(60, 100));
  nn::Linear empty(0, 3), none(3, 0);
  EXPECT_THAT(values(empty.bias), ElementsAre(0, 0, 0));
  EXPECT_EQ(none(make({1, 2, 3}, {1, 3})).impl()->sizes[1], 0);
}

TEST(Layers, SameSeedSameNetwork) {
  manual_seed(3);
  Net a;
  manual_seed(3);
  Net b;
  EXPECT_EQ(values(a.block.lin.weight), values(b.block.lin.weight));
  EXPECT_EQ(values(a.out.weight), values(b.out.weight));
}

TEST(Layers, EmbeddingIsNormal) {
  manual_seed(2);
  nn::Embedding table(100, 50);
  auto v = values(table.weight);
  double sum = 0, squares = 0;
  for (float x : v) sum += x, squares += x * x;
  EXPECT_NEAR(sum / 5000, 0, 0.05);
  EXPECT_NEAR(squares / 5000, 1, 0.1);
  std::vector<int64_t> rows{7, 7, 0}, three{3};
  Tensor y = table(tensor_from<int64_t>(std::span<const int64_t>(rows), three));
  EXPECT_THAT(y.impl()->sizes, ElementsAre(3, 50));
  EXPECT_EQ(values(y)[50], v[7 * 50]);
}

TEST(Layers, LinearComputes) {
  nn::Linear lin(2, 2);
  lin.weight = make({1, 2, 3, 4}, {2, 2});
  lin.bias = make({10, 20}, {2});
  expect_near(lin(make({1, 1, 0, 2}, {2, 2})), {13, 27, 14, 28});
  std::string text = error_of([&] { lin(make({1, 2, 3}, {1, 3})); });
  EXPECT_THAT(text, HasSubstr("layers_test.cpp:"));  // where the layer was called
}

TEST(Layers, LayerNormComputes) {
  nn::LayerNorm norm(4);
  EXPECT_THAT(values(norm.weight), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(values(norm.bias), ElementsAre(0, 0, 0, 0));
  // torch 2.13: layer_norm([1, 2, 3, 6], [4])
  expect_near(norm(make({1, 2, 3, 6}, {1, 4})), {-1.0690434f, -0.5345217f, 0, 1.6035651f}, 1e-6f);
  nn::LayerNorm plain({2, 2}, {.elementwise_affine = false});
  EXPECT_TRUE(plain.parameters().empty());
  expect_near(plain(make({1, 2, 3, 6}, {1, 2, 2})), {-1.0690434f, -0.5345217f, 0, 1.6035651f},
              1e-6f);
}

TEST(Layers, DropoutOnlyWhileTraining) {
  nn::Dropout drop(0.25);
  Tensor x = make(std::vector<float>(1000, 3), {1000});
  manual_seed(5);
  auto a = values(drop(x));
  auto zeros = std::count(a.begin(), a.end(), 0.f);
  EXPECT_NEAR(static_cast<double>(zeros), 250, 45);
  for (float v : a) EXPECT_TRUE(v == 0 || v == 4) << v;
  auto other = values(drop(x));
  EXPECT_NE(a, other);
  manual_seed(5);
  EXPECT_EQ(values(drop(x)), a);
  drop.eval();
  EXPECT_EQ(values(drop(x)), values(x));
}

TEST(Layers, SequentialRunsInOrder) {
  nn::Sequential net;
  net.add<nn::Linear>(2, 2).weight = make({1, 0, 0, -1}, {2, 2});
  net.add<nn::ReLU>();
  net.add<nn::Identity>();
  EXPECT_EQ(net.size(), 3u);
  EXPECT_THAT(names(net.named_parameters()), ElementsAre("0.weight", "0.bias"));
  dynamic_cast<nn::Linear&>(net[0]).bias = make({0, 0}, {2});
  expect_near(net(make({2, 3}, {1, 2})), {2, 0});
}

TEST(Layers, Activations) {
  Tensor x = make({-1, 0, 2}, {3});
  // torch 2.13, float32
  nn::GELU gelu;
  nn::SiLU silu;
  nn::Tanh tanh;
  nn::Sigmoid sigmoid;
  expect_near(gelu(x), {-0.15865526f, 0, 1.9544997f});
  expect_near(silu(x), {-0.26894143f, 0, 1.7615942f});
  expect_near(tanh(x), {-0.76159418f, 0, 0.96402758f});
  expect_near(sigmoid(x), {0.26894143f, 0.5f, 0.88079703f});
}

TEST(Layers, CrossEntropy) {
  Tensor scores = make({1, 2, 3, 0.5f, 0, -1}, {2, 3});
  std::vector<int64_t> classes{2, 0}, two{2};
  Tensor target = tensor_from<int64_t>(std::span<const int64_t>(classes), two);
  // torch 2.13, float32: functional.cross_entropy
  EXPECT_NEAR(cross_entropy(scores, target).item<float>(), 0.50586832f, 1e-6f);
  EXPECT_NEAR(cross_entropy(scores, target, {.reduction = Reduction::sum}).item<float>(),
              1.01173663f, 1e-6f);
  expect_near(cross_entropy(scores, target, {.reduction = Reduction::none}),
              {0.40760595f, 0.60413063f});
  EXPECT_NEAR(cross_entropy(scores, target, {.ignore_index = 0}).item<float>(), 0.40760595f, 1e-6f);
}

TEST(Init, Ranges) {
  manual_seed(4);
  Tensor t = empty_cpu(std::vector<int64_t>{80, 40}, kFloat32).requires_grad_();
  nn::init::xavier_uniform_(t);
  expect_uniform(t, std::sqrt(6.0 / 120));
  nn::init::kaiming_uniform_(t, 0);
  expect_uniform(t, std::sqrt(6.0 / 40));
  nn::init::uniform_(t, -2, 2);
  expect_uniform(t, 2);
  nn::init::constant_(t, 0.5);
  EXPECT_THAT(values(t), ::testing::Each(0.5f));
  EXPECT_TRUE(t.is_leaf());
  EXPECT_THAT(error_of([&] { nn::init::xavier_uniform_(make({1, 2}, {2})); }),
              HasSubstr("the fan of a tensor of 1 dimensions is not defined"));
}

}  // namespace
}  // namespace frit::test
