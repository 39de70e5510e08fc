// Sequential, ModuleList, ModuleDict; lists of one module's own; initial values' distributions.
#include <cmath>
#include <limits>

#include "nn/common.h"

namespace frit::test {
namespace {

std::vector<std::string> all_names(const nn::Module& m) { return names(m.named_parameters()); }

TEST(Sequential, NamesOfYourOwn) {
  nn::Module root;
  nn::Sequential mlp(root, "mlp");
  mlp.add<nn::Linear>(2, 3);
  mlp.add_named<nn::ReLU>("act");
  nn::Linear& out = mlp.add_named<nn::Linear>("out", 3, 1);
  EXPECT_THAT(all_names(root),
              ElementsAre("mlp.0.weight", "mlp.0.bias", "mlp.out.weight", "mlp.out.bias"));
  EXPECT_EQ(mlp.size(), 3u);
  EXPECT_EQ(&mlp["out"], &out);
  EXPECT_EQ(&mlp[2], &out);
  size_t n = 0;
  for (nn::Layer& layer : mlp) n += layer.path().size();
  EXPECT_EQ(n, std::string("mlp.0mlp.actmlp.out").size());
  EXPECT_THAT(error_of([&] { mlp[3]; }),
              AllOf(StartsWith("[Sequential] there is no module 3\n  at containers_test.cpp:"),
                    HasSubstr("\n  try: 0 to 2")));
  EXPECT_THAT(error_of([&] { mlp["in"]; }),
              AllOf(StartsWith("[Sequential] there is no module 'in'\n  at containers_test.cpp:"),
                    HasSubstr("\n  try: 0, act, out")));
  EXPECT_THAT(error_of([&] { mlp.add_named<nn::ReLU>("act"); }),
              HasSubstr("the name 'act' is taken by a module"));
}

TEST(ModuleList, HoldsModulesOfOneType) {
  struct Part : nn::Module {
    explicit Part(int64_t n) : lin(*this, "lin", n, n) {}
    virtual ~Part() = default;
    virtual Tensor forward(const Tensor& x) { return lin(x); }
    nn::Linear lin;
  };
  struct Twice : Part {
    using Part::Part;
    Tensor forward(const Tensor& x) override { return lin(x) * 2; }
  };
  nn::Module root;
  nn::ModuleList<Part> parts(root, "parts");
  parts.add(2);
  parts.add<Twice>(2);
  EXPECT_THAT(all_names(root), ElementsAre("parts.0.lin.weight", "parts.0.lin.bias",
                                           "parts.1.lin.weight", "parts.1.lin.bias"));
  Tensor x = make({1, 2}, {1, 2}), y = x;
  for (Part& p : parts) y = p.forward(y);
  EXPECT_EQ(values(y), values(parts[1].lin(parts[0].lin(x)) * 2));
  EXPECT_THAT(error_of([&] { parts[2]; }),
              AllOf(StartsWith("[ModuleList] there is no module 2\n  at containers_test.cpp:"),
                    HasSubstr("\n  try: 0 to 1")));
  nn::ModuleList<> none;
  EXPECT_TRUE(none.empty());
  EXPECT_THAT(error_of([&] { none[0]; }),
              AllOf(StartsWith("[ModuleList] there is no module 0\n  at containers_test.cpp:"),
                    HasSubstr("\n  try: it is empty: add() one first")));
  root.train(false);
  EXPECT_FALSE(parts[1].lin.is_training());
}

TEST(ModuleDict, HoldsModulesByName) {
  nn::Module root;
  nn::ModuleDict<> heads(root, "heads");
  heads.add<nn::Linear>("b", 2, 1);
  heads.add<nn::Identity>("a");
  EXPECT_TRUE(heads.contains("a"));
  EXPECT_FALSE(heads.contains("c"));
  std::string order;
  for (auto& [name, m] : heads.items()) order += name;
  EXPECT_EQ(order, "ba");
  EXPECT_EQ(heads["b"].path(), "heads.b");
  EXPECT_THAT(error_of([&] { heads["c"]; }),
              AllOf(StartsWith("[ModuleDict] there is no module 'c'\n  at containers_test.cpp:"),
                    HasSubstr("\n  try: b, a")));
  nn::Module other;
  nn::ModuleDict<> same(other, "heads");
  same.add<nn::Linear>("b", 2, 1);
  same.add<nn::Identity>("a");
  other.load_state_dict(root.state_dict());
  EXPECT_EQ(values(other.parameters()[0]), values(root.parameters()[0]));
}

TEST(Module, ItsOwnAlone) {
  Net net;
  EXPECT_TRUE(net.parameters(false).empty());
  EXPECT_THAT(names(net.block.lin.named_parameters(false)), ElementsAre("weight", "bias"));
  EXPECT_THAT(names(net.block.named_buffers(false)), ElementsAre("count", "scratch"));
  EXPECT_EQ(net.buffers().size(), 2u);
  EXPECT_TRUE(net.buffers(false).empty());
}

TEST(Parameter, AsAnOperandKeepsTheLine) {
  Net net;
  Tensor x = make({1, 2, 3, 4, 5}, {5});
  std::string here = "at containers_test.cpp:" + std::to_string(__LINE__ + 1);
  EXPECT_THAT(error_of([&] { x* net.out.weight; }), HasSubstr(here));
  here = "at containers_test.cpp:" + std::to_string(__LINE__ + 1);
  EXPECT_THAT(error_of([&] { net.out.weight + x; }), HasSubstr(here));
  here = "at containers_test.cpp:" + std::to_string(__LINE__ + 1);
  EXPECT_THAT(error_of([&] { x -= net.out.weight; }), HasSubstr(here));
  here = "at containers_test.cpp:" + std::to_string(__LINE__ + 1);
  EXPECT_THAT(error_of([&] { frit::matmul(x, net.out.weight); }), HasSubstr(here));
  Tensor y = -net.out.weight * 2.0 + 1 - net.out.weight * net.out.weight;
  EXPECT_EQ(y.dim(), 2);
}

// --- initial values ---

struct Moments {
  double mean, deviation, low, high;
};
Moments moments(const Tensor& t) {
  Moments m{0, 0, INFINITY, -INFINITY};
  auto all = values(t);
  for (float v : all) {
    m.mean += v;
    m.deviation += double{v} * v;
    m.low = std::min<double>(m.low, v);
    m.high = std::max<double>(m.high, v);
  }
  double n = static_cast<double>(all.size());
  m.mean /= n;
  m.deviation = std::sqrt(m.deviation / n - m.mean * m.mean);
  return m;
}

// 16,000 values: their mean is within 4 / sqrt(n) deviations, their deviation within 3 percent.
void expect_normal(const Tensor& t, double mean, double std) {
  Moments m = moments(t);
  EXPECT_NEAR(m.mean, mean, std * 0.032);
  EXPECT_NEAR(m.deviation, std, std * 0.03);
  EXPECT_GT(m.high, mean + 3 * std);
  EXPECT_LT(m.low, mean - 3 * std);
}
void expect_even(const Tensor& t, double low, double high) {
  Moments m = moments(t);
  double width = high - low;
  EXPECT_GE(m.low, low);
  EXPECT_LE(m.high, high);
  EXPECT_NEAR(m.low, low, width * 0.003);
  EXPECT_NEAR(m.high, high, width * 0.003);
  EXPECT_NEAR(m.mean, (low + high) / 2, width * 0.01);
  EXPECT_NEAR(m.deviation, width / std::sqrt(12.0), width * 0.01);
}

TEST(Init, GainsAsPyTorch) {
  using enum nn::init::Nonlinearity;
  EXPECT_EQ(nn::init::calculate_gain(linear), 1);
  EXPECT_EQ(nn::init::calculate_gain(sigmoid), 1);
  EXPECT_EQ(nn::init::calculate_gain(tanh), 1.6666666666666667);
  EXPECT_EQ(nn::init::calculate_gain(relu), 1.4142135623730951);
  EXPECT_EQ(nn::init::calculate_gain(leaky_relu), 1.4141428569978354);
  EXPECT_EQ(nn::init::calculate_gain(leaky_relu, 0.2), 1.3867504905630728);
  EXPECT_EQ(nn::init::calculate_gain(selu), 0.75);
}

TEST(Init, Distributions) {
  using nn::init::FanMode;
  using nn::init::Nonlinearity;
  manual_seed(11);
  Tensor t =
      empty_cpu(std::vector<int64_t>{40, 80, 5}, kFloat32).requires_grad_();  // fans 400, 200
  nn::init::xavier_uniform_(t, 2);
  expect_even(t, -2 * std::sqrt(6.0 / 600), 2 * std::sqrt(6.0 / 600));
  nn::init::xavier_normal_(t);
  expect_normal(t, 0, std::sqrt(2.0 / 600));
  nn::init::kaiming_uniform_(t);
  expect_even(t, -std::sqrt(6.0 / 400), std::sqrt(6.0 / 400));
  nn::init::kaiming_uniform_(t, 0, FanMode::fan_out, Nonlinearity::tanh);
  expect_even(t, -5 / 3.0 * std::sqrt(3.0 / 200), 5 / 3.0 * std::sqrt(3.0 / 200));
  nn::init::kaiming_normal_(t, 0, FanMode::fan_out, Nonlinearity::relu);
  expect_normal(t, 0, std::sqrt(2.0 / 200));
  nn::init::normal_(t, 1, 0.5);
  expect_normal(t, 1, 0.5);
  nn::init::uniform_(t);
  expect_even(t, 0, 1);
  nn::init::zeros_(t);
  EXPECT_THAT(values(t), ::testing::Each(0.0f));
  nn::init::ones_(t);
  EXPECT_THAT(values(t), ::testing::Each(1.0f));
  EXPECT_TRUE(t.is_leaf());
  EXPECT_TRUE(t.requires_grad());
}

}  // namespace
}  // namespace frit::test
