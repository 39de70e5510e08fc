#include "nn/common.h"

namespace frit::test {
namespace {

TEST(Module, NamesInOrderOfRegistration) {
  Net net;
  EXPECT_THAT(
      names(net.named_parameters()),
      ElementsAre("norm.weight", "norm.bias", "block.lin.weight", "block.lin.bias", "out.weight"));
  EXPECT_THAT(names(net.named_buffers()), ElementsAre("block.count", "block.scratch"));
  EXPECT_THAT(names(net.state_dict()),
              ElementsAre("norm.weight", "norm.bias", "block.count", "block.lin.weight",
                          "block.lin.bias", "out.weight"));
  EXPECT_EQ(net.parameters().size(), 5u);
  std::vector<std::string> modules;
  for (auto& [name, m] : net.named_modules()) modules.push_back(name);
  EXPECT_THAT(modules, ElementsAre("", "norm", "block", "block.lin", "block.drop", "out"));
  EXPECT_EQ(net.named_children().size(), 3u);
  EXPECT_EQ(net.block.lin.path(), "block.lin");
  EXPECT_EQ(net.path(), "");
  for (const Tensor& p : net.parameters()) {
    EXPECT_TRUE(p.requires_grad());
    EXPECT_TRUE(p.impl()->is_parameter);
  }
  for (auto& [name, b] : net.named_buffers()) EXPECT_FALSE(b.requires_grad());
}

TEST(Module, NamesThatDoNotWork) {
  Net net;
  nn::Parameter p;
  nn::Module child;
  auto add = [&](const char* name) {
    return error_of([&] { net.register_parameter(name, p, make({1}, {1})); });
  };
  EXPECT_THAT(add(""), StartsWith("[Module] the name '' is empty"));
  EXPECT_THAT(add("a.b"), HasSubstr("the name 'a.b' has a dot in it"));
  EXPECT_THAT(add("norm"), HasSubstr("the name 'norm' is taken by a module"));
  EXPECT_THAT(error_of([&] { net.out.register_module("weight", child); }),
              HasSubstr("is taken by a parameter or buffer"));
  EXPECT_THAT(error_of([&] { net.register_module("again", net.out); }),
              HasSubstr("the module 'again' has a parent already"));
  EXPECT_THAT(error_of([&] { nn::Linear l(-1, 2); }), HasSubstr("[Linear] in is -1"));
  EXPECT_THAT(error_of([&] { nn::Dropout d(1.5); }), HasSubstr("[Dropout] p is 1.5"));
  EXPECT_THAT(error_of([&] { nn::LayerNorm n(std::vector<int64_t>{}); }),
              HasSubstr("the normalized sizes are empty"));
  EXPECT_THAT(error_of([&] { nn::Embedding e(-3, 2); }),
              HasSubstr("[Embedding] the number of rows is -3"));
}

TEST(Module, AChildThatDiesIsForgotten) {
  nn::Module parent;
  {
    nn::Linear lin(parent, "lin", 2, 2);
    EXPECT_EQ(parent.parameters().size(), 2u);
  }
  EXPECT_TRUE(parent.parameters().empty());
  nn::Linear again(parent, "lin", 2, 2);
  EXPECT_EQ(parent.parameters().size(), 2u);
}

TEST(Module, AParentThatDiesLeavesItsChildren) {
  auto parent = std::make_unique<nn::Module>();
  nn::Linear lin(*parent, "lin", 2, 2);
  parent.reset();
  EXPECT_EQ(lin.path(), "");
  EXPECT_EQ(lin.parameters().size(), 2u);
}

TEST(Module, ReplacingAParameterIsSeen) {
  Net net;
  uint64_t before = nn::structure_epoch();
  net.out.weight = make({5, 6}, {1, 2});
  EXPECT_GT(nn::structure_epoch(), before);
  EXPECT_TRUE(net.out.weight->requires_grad());  // as the one it replaces
  EXPECT_TRUE(net.out.weight->impl()->is_parameter);
  EXPECT_THAT(values(net.named_parameters().back().second), ElementsAre(5, 6));
  net.out.weight->requires_grad_(false);
  net.out.weight = make({7, 8}, {1, 2});
  EXPECT_FALSE(net.out.weight->requires_grad());
  before = nn::structure_epoch();
  net.block.count = make({9}, {1});
  EXPECT_GT(nn::structure_epoch(), before);
  EXPECT_FALSE(net.block.count->requires_grad());
}

TEST(Module, WhatElseTheEpochCounts) {
  Net net;
  auto changes = [](auto&& fn) {
    uint64_t before = nn::structure_epoch();
    fn();
    return nn::structure_epoch() != before;
  };
  EXPECT_FALSE(changes([&] { net.train(); }));
  EXPECT_TRUE(changes([&] { net.eval(); }));
  EXPECT_FALSE(changes([&] { net.parameters(), net.state_dict(), net.zero_grad(); }));
  uint64_t hook = 0;
  EXPECT_TRUE(changes([&] {
    hook = net.out.register_forward_pre_hook([](nn::Module&, const Tensor&) { return Tensor(); });
  }));
  EXPECT_TRUE(changes([&] { net.out.remove_hook(hook); }));
  EXPECT_TRUE(changes([&] { nn::Linear lin(net, "more", 1, 1); }));
}

TEST(Module, SharedParametersAreListedOnce) {
  struct Tied : nn::Module {
    nn::Linear a{*this, "a", 2, 2}, b{*this, "b", 2, 2};
    Tied() { b.weight = a.weight.tensor(); }
  } net;
  EXPECT_THAT(names(net.named_parameters()), ElementsAre("a.weight", "a.bias", "b.bias"));
  EXPECT_THAT(names(net.state_dict()), ElementsAre("a.weight", "a.bias", "b.weight", "b.bias"));
  net.a(net.b(make({1, 2}, {1, 2}))).sum().backward();
  EXPECT_TRUE(net.a.weight->grad().is_same(net.b.weight->grad()));
  Tied other;
  other.load_state_dict(net.state_dict());
  EXPECT_EQ(values(other.a.weight), values(net.a.weight));
  EXPECT_TRUE(other.a.weight->is_same(other.b.weight));
}

TEST(Module, StateComesBack) {
  Net a, b;
  EXPECT_NE(values(a.block.lin.weight), values(b.block.lin.weight));
  a.block.count = make({3}, {1});
  const Tensor kept = b.block.lin.weight;
  b.load_state_dict(a.state_dict());
  auto x = a.state_dict(), y = b.state_dict();
  ASSERT_EQ(x.size(), y.size());
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(x[i].first, y[i].first);
    EXPECT_EQ(values(x[i].second), values(y[i].second));
    EXPECT_FALSE(x[i].second.requires_grad());
  }
  EXPECT_TRUE(kept.is_same(b.block.lin.weight));  // written, not replaced
  EXPECT_TRUE(kept.requires_grad());
  // Another dtype is converted.
  for (auto& [name, t] : x) t = t.to(kFloat64);
  b.load_state_dict(x);
  EXPECT_EQ(b.out.weight->dtype(), kFloat32);
}

TEST(Module, EverythingThatDoesNotFitIsSaidAtOnce) {
  Net net;
  auto state = net.state_dict();
  auto before = values(net.norm.weight);
  state[0].second = make({8, 8, 8}, {3});  // norm.weight, which fits
  state[1].second = make({1, 2}, {2});     // norm.bias
  state[2].second = Tensor();              // block.count
  state[3].first = "block.lin.wait";
  state.push_back(state[0]);
  std::string text = error_of([&] { net.load_state_dict(state); });
  EXPECT_THAT(text, StartsWith("[load_state_dict] the state does not fit this module:"));
  EXPECT_THAT(text, HasSubstr("\n    norm.bias is [2] in the state and [3] here"));
  EXPECT_THAT(text, HasSubstr("\n    undefined: block.count"));
  EXPECT_THAT(text, HasSubstr("\n    missing: block.lin.weight [2, 3]"));
  EXPECT_THAT(text, HasSubstr("\n    unexpected: block.lin.wait [2, 3]"));
  EXPECT_THAT(text, HasSubstr("\n    twice: norm.weight"));
  EXPECT_EQ(values(net.norm.weight), before);
  // What is not strict skips names, never sizes.
  state = {{"norm.weight", make({8, 8, 8}, {3})}, {"other", make({1}, {1})}};
  net.load_state_dict(state, false);
  EXPECT_THAT(values(net.norm.weight), ElementsAre(8, 8, 8));
  EXPECT_THAT(error_of([&] { net.load_state_dict({{"norm.weight", make({1}, {1})}}, false); }),
              HasSubstr("norm.weight is [1] in the state and [3] here"));
}

TEST(Module, TrainingFlagReachesAll) {
  Net net;
  EXPECT_TRUE(net.is_training());
  net.eval();
  for (auto& [name, m] : net.named_modules()) EXPECT_FALSE(m->is_training()) << name;
  net.block.train();
  EXPECT_TRUE(net.block.drop.is_training());
  EXPECT_FALSE(net.out.is_training());
}

TEST(Module, GradientsOfAll) {
  Net net;
  net.forward(make({1, 2, 3}, {1, 3})).sum().backward();
  EXPECT_TRUE(net.out.weight->grad().defined());
  net.zero_grad();
  for (const Tensor& p : net.parameters()) EXPECT_FALSE(p.grad().defined());
  net.requires_grad_(false);
  EXPECT_FALSE(net.forward(make({1, 2, 3}, {1, 3})).requires_grad());
}

TEST(Module, AnotherDtype) {
  Net net;
  net.out.weight->requires_grad_(false);
  uint64_t before = nn::structure_epoch();
  net.to(kFloat64);
  EXPECT_GT(nn::structure_epoch(), before);
  for (auto& [name, t] : net.state_dict()) EXPECT_EQ(t.dtype(), kFloat64) << name;
  EXPECT_TRUE(net.norm.weight->requires_grad());
  EXPECT_TRUE(net.norm.weight->is_leaf());
  EXPECT_FALSE(net.out.weight->requires_grad());
  before = nn::structure_epoch();
  net.to(kFloat64);
  EXPECT_EQ(nn::structure_epoch(), before);
  EXPECT_THAT(error_of([&] { net.to(kInt64); }),
              HasSubstr("[Module.to] modules hold floating point numbers, asked for int64"));
}

// As PyTorch's module.to(): the tensors are the same, in another dtype.
TEST(Module, AnotherDtypeOfTheSameTensors) {
  struct Tied : nn::Module {
    nn::Linear a{*this, "a", 2, 2}, b{*this, "b", 2, 2};
    Tied() { b.weight = a.weight.tensor(); }
  } net;
  const Tensor w = net.a.weight, x = make({1, 2}, {1, 2});
  const Tensor old = w.detach();
  Tensor loss = net.b(net.a(x)).sum();
  loss.backward(Tensor(), true);
  const Tensor grad = w.grad();
  net.to(kFloat64);
  EXPECT_TRUE(net.a.weight->is_same(w));
  EXPECT_TRUE(net.b.weight->is_same(w));
  EXPECT_TRUE(w.grad().is_same(grad));
  EXPECT_EQ(grad.dtype(), kFloat64);
  EXPECT_EQ(old.dtype(), kFloat32);
  EXPECT_EQ(values(old), values(w.detach().to(kFloat32)));
  EXPECT_EQ(net.named_parameters().size(), 3u);
  EXPECT_THAT(names(net.named_slots()), ElementsAre("a.weight", "a.bias", "b.weight", "b.bias"));
  // What was kept of them for a backward pass is not what they are now.
  EXPECT_THAT(error_of([&] { loss.backward(); }), HasSubstr("modified by an inplace operation"));
  net.zero_grad();
  net.b(net.a(x.to(kFloat64))).sum().backward();
  EXPECT_EQ(w.grad().dtype(), kFloat64);
}

TEST(Module, ApplyGoesToChildrenFirst) {
  Net net;
  std::vector<std::string> order;
  net.apply([&](nn::Module& m) { order.push_back(m.path()); });
  EXPECT_THAT(order, ElementsAre("norm", "block.lin", "block.drop", "block", "out", ""));
}

TEST(Hooks, SeeAndReplace) {
  nn::Linear lin(2, 1, {.bias = false});
  lin.weight = make({1, 10}, {1, 2});
  Tensor x = make({1, 2}, {1, 2});
  std::vector<std::string> order;
  uint64_t a = lin.register_forward_pre_hook([&](nn::Module& m, const Tensor& in) {
    EXPECT_EQ(&m, &lin);
    order.push_back("before");
    return in + 1;
  });
  uint64_t b = lin.register_forward_hook([&](nn::Module&, const Tensor& in, const Tensor& out) {
    EXPECT_THAT(values(in), ElementsAre(2, 3));
    order.push_back("after");
    return out * 2;
  });
  lin.register_forward_hook([&](nn::Module&, const Tensor&, const Tensor& out) {
    EXPECT_THAT(values(out), ElementsAre(64));
    return Tensor();  // only looks
  });
  EXPECT_THAT(values(lin(x)), ElementsAre(64));
  EXPECT_THAT(order, ElementsAre("before", "after"));
  lin.remove_hook(a);
  lin.remove_hook(b);
  EXPECT_NE(a, b);
}

TEST(Hooks, MayRaise) {
  nn::Identity layer;
  layer.register_forward_hook([](nn::Module&, const Tensor&, const Tensor&) -> Tensor {
    throw std::runtime_error("mine");
  });
  EXPECT_THROW(layer(make({1}, {1})), std::runtime_error);
}

TEST(Module, ANameThatIsTakenIsToldWithItsPlace) {
  nn::Module net;
  nn::Linear first(net, "up", 2, 3);
  const std::string place = "\n  at module_test.cpp:";
  uint32_t line = __LINE__ + 1;
  std::string text = error_of([&] { nn::Linear again(net, "up", 2, 3); });
  EXPECT_THAT(text, HasSubstr(place + std::to_string(line)));
  line = __LINE__ + 1;
  text = error_of([&] { nn::ReLU again(net, "up"); });
  EXPECT_THAT(text, HasSubstr(place + std::to_string(line)));
}

TEST(Module, MisuseIsSaidWithItsPlace) {
  auto at = [](uint32_t line) {
    return HasSubstr("\n  at module_test.cpp:" + std::to_string(line));
  };
  uint32_t line = __LINE__ + 1;
  EXPECT_THAT(error_of([] { nn::Linear l(-2, 3); }), at(line));
  EXPECT_THAT(error_of([] { nn::LayerNorm l(-1); }), at(line + 1));
  EXPECT_THAT(error_of([] { nn::Dropout d(2); }), at(line + 2));
  EXPECT_THAT(error_of([] { nn::Embedding e(-2, 3); }), at(line + 3));
  nn::Sequential net;
  EXPECT_THAT(error_of([&] { net[3]; }), at(line + 5));
  EXPECT_THAT(error_of([&] { net["foo"]; }), at(line + 6));
  EXPECT_THAT(error_of([&] { nn::ModuleList<nn::Linear>()[1]; }), at(line + 7));
  EXPECT_THAT(error_of([&] { nn::ModuleDict<nn::Linear>()["a"]; }), at(line + 8));
  EXPECT_THAT(error_of([&] { net.load_state_dict({{"a", make({1}, {1})}}); }), at(line + 9));
  // What a container makes has no place of its own.
  EXPECT_EQ(error_of([&] { net.add<nn::Linear>(-2, 3); }), "[Linear] in is -2\n  try: 0 or more");
}

}  // namespace
}  // namespace frit::test
