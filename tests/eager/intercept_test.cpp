// What an interceptor sees of ops, values and the backward pass.
#include "eager/intercept.h"

#include "common.h"
#include "eager/tape.h"

namespace frit {
namespace {
using namespace test;

class Log : public Interceptor, public eager::TapeObserver {
 public:
  std::vector<std::string> lines;
  std::vector<std::string> freed_nodes;
  std::vector<TensorList> results;  // of the noted ops, for replays
  size_t replayed = 0;
  bool follows_backward = true;
  bool keep = false;  // results of noted ops: whoever keeps them sees gradients copied, not taken

  void note(const OpRecord& r, std::span<const Arg>, std::span<const Tensor> outs, PhiloxState,
            SourceLocation where) override {
    EXPECT_TRUE(static_cast<bool>(where)) << r.full_name;
    lines.push_back((eager::current_stage() == eager::Stage::backward ? "backward " : "") +
                    r.full_name);
    if (keep) results.emplace_back(outs.begin(), outs.end());
  }
  bool answer(const OpRecord& r, std::span<const Arg>, std::span<Tensor> outs,
              SourceLocation) override {
    if (replayed == results.size()) {
      eager::set_intercepting(true, false);
      return false;
    }
    for (size_t i = 0; i < outs.size(); ++i) outs[i] = results[replayed][i];
    ++replayed;
    lines.push_back("replayed " + r.full_name);
    return true;
  }
  void reading_value(const Tensor&, SourceLocation) override { lines.push_back("value"); }
  std::optional<Int> symbol_for(const Tensor&, int64_t, SourceLocation) override { return Int(42); }
  void reading_metadata(const TensorImpl&) override { lines.push_back("metadata"); }
  void unsupported(const TensorImpl&, const char* what, const char*, SourceLocation) override {
    lines.push_back(std::string("unsupported: ") + what);
  }
  bool backward_begins(std::span<const Tensor>, SourceLocation) override {
    lines.push_back("backward begins");
    return follows_backward;
  }
  void grad_read(const Tensor&) override { lines.push_back("grad read"); }
  void grad_changed(const Tensor&, const Tensor& g) override {
    lines.push_back(g.defined() ? "grad set" : "grad cleared");
  }
  void aliased(const Tensor&, const Tensor&) override { lines.push_back("alias"); }
  void taped(const eager::TapeNode&) override {}
  void freed(const eager::TapeNode& n) override { freed_nodes.push_back(n.name()); }
};

SourceLocation here() { return std::source_location::current(); }
Tensor exp(const Tensor& t) { return eager::EagerCaller(here()).op<"exp">(t).tensor(); }

TEST(Intercept, OpsAreNotedOnce) {
  Log log;
  Tensor x = vec({1, 2}), y;
  {
    eager::InterceptorScope scope(log);
    y = exp(x * x);
    eager::EagerCaller(here()).op<"add_.Tensor">(y, x);
  }
  (void)(y * y);
  EXPECT_THAT(log.lines, ElementsAre("mul.Tensor", "exp", "add_.Tensor"));
}

TEST(Intercept, CompositesAreNotedAsTheirParts) {
  Log log;
  Tensor x = make({1, 2, 3, 4}, {2, 2});
  eager::InterceptorScope scope(log);
  eager::EagerCaller(here()).op<"flatten.using_ints">(x);
  for (const std::string& line : log.lines) EXPECT_NE(line, "flatten.using_ints");
  EXPECT_FALSE(log.lines.empty());
}

TEST(Intercept, ValuesAndMetadata) {
  Log log;
  Tensor x = vec({1}), n = tensor_from<int64_t>(std::vector<int64_t>{3}, std::vector<int64_t>{1});
  eager::InterceptorScope scope(log);
  (void)x.size(0);
  (void)x.item<double>();
  (void)x.to_vector<double>();
  EXPECT_TRUE(n.item_int().same_as(42));
  (void)x.data<double>();
  EXPECT_THAT(log.lines, ElementsAre("metadata", "value", "value", "unsupported: data()"));
}

TEST(Intercept, TheBackwardPass) {
  Log log;
  Tensor x = leaf({1, 2});
  {
    eager::InterceptorScope scope(log);
    Tensor loss = eager::EagerCaller(here()).op<"sum">(exp(x)).tensor();
    loss.backward();
    (void)x.grad();
    x.set_grad({});
  }
  EXPECT_THAT(log.freed_nodes, ElementsAre("SumBackward", "ExpBackward", "AccumulateGrad"));
  std::erase_if(log.lines,
                [](const std::string& l) {  // how sum spreads its gradient is its own affair
                  return l.starts_with("backward unsqueeze") || l.starts_with("backward view");
                });
  for (std::string& l : log.lines)  // the first gradient
    if (l == "backward full") l = "backward ones_like";
  EXPECT_THAT(log.lines, ElementsAre("exp", "alias", "sum", "backward begins", "backward ones_like",
                                     "backward expand", "backward mul.Tensor", "grad read",
                                     "grad set", "grad read", "grad cleared"));
}

TEST(Intercept, GradientsOfALayerAreNotCopied) {
  Log log;
  Tensor x = make({1, 2, 3, 4, 5, 6}, {2, 3}), w = leaf({1, 2, 3, 4, 5, 6}, {2, 3}),
         b = leaf({1, 2});
  eager::InterceptorScope scope(log);
  eager::EagerCaller c(here());
  c.op<"sum">(c.op<"relu">(c.op<"linear">(x, w, b))).tensor().backward();
  EXPECT_THAT(log.lines, ::testing::Not(::testing::Contains("backward clone")));
  EXPECT_THAT(log.lines, ::testing::Not(::testing::Contains("backward copy_")));
}

TEST(Intercept, ABackwardPassThatIsNotFollowed) {
  Log log;
  log.follows_backward = false;
  Tensor x = leaf({1, 2});
  Tensor loss = sum(x * x);
  eager::InterceptorScope scope(log);
  loss.backward();
  Tensor g = autograd::grad({eager::EagerCaller(here()).op<"sum">(exp(x)).tensor()}, {x}, {}, false,
                            /*create_graph=*/true)[0];
  EXPECT_THAT(log.lines,
              ElementsAre("backward begins", "exp", "alias", "sum",
                          "unsupported: a backward pass with create_graph", "backward begins"));
}

TEST(Intercept, HooksAndFunctionsAreNotFollowed) {
  Log log;
  Tensor x = leaf({1, 2});
  x.register_hook([](const Tensor& g) { return g; });
  Tensor loss = sum(x * 2.0);
  eager::InterceptorScope scope(log);
  loss.backward();
  EXPECT_THAT(log.lines, ::testing::Contains("unsupported: a hook on a gradient"));
}

TEST(Intercept, WhatAnInPlaceOpOverwritesIsAnOp) {
  Log log;
  Tensor x = leaf({1, 2}), w = leaf({3, 4});
  Tensor y = x * 1.0;
  eager::InterceptorScope scope(log);
  eager::EagerCaller(here()).op<"mul_.Tensor">(y, w);
  EXPECT_THAT(log.lines, ElementsAre("clone", "mul_.Tensor"));
}

TEST(Intercept, ReplayAnswersAndThenRecords) {
  Log log;
  log.keep = true;
  Tensor x = vec({1, 2}), first;
  {
    eager::InterceptorScope scope(log);
    first = x * x;
  }
  log.lines.clear();
  eager::InterceptorScope scope(log, /*replaying=*/true);
  Tensor again = x * x;
  EXPECT_TRUE(again.is_same(first));
  (void)exp(again);
  EXPECT_THAT(log.lines, ElementsAre("replayed mul.Tensor", "exp"));
}

TEST(Intercept, ModesInsideDoNotBringItBack) {
  Log log;
  Tensor x = vec({1, 2});
  eager::InterceptorScope scope(log);
  {
    NoGrad off;
    eager::set_intercepting(false, false);
  }
  (void)exp(x);
  EXPECT_TRUE(log.lines.empty());
}

}  // namespace
}  // namespace frit
