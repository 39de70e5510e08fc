// golden/<pass>.<case>.txt: a graph, and what the pass makes of it.
#include "golden.h"

#include "passes/pass.h"

namespace frit::passes {
namespace {

std::string folder() { return std::string(FRIT_SOURCE_DIR) + "/tests/passes/golden"; }

class PassGolden : public testing::TestWithParam<std::string> {};

TEST_P(PassGolden, Text) {
  std::string name = GetParam(), pass_name = name.substr(0, name.find('.'));
  testing_golden::expect(folder(), name, [&](const std::string& source) {
    auto g = ir::parse(source);
    int changes = -1;
    for (auto list : {before_grad(), before_lowering()})
      for (const Pass& pass : list)
        if (changes < 0 && pass.name == pass_name) changes = pass.run(*g);
    EXPECT_GE(changes, 0) << "no pass is called " << pass_name;
    ir::verify(*g);
    return "# changes: " + std::to_string(changes) + "\n" + ir::print(*g);
  });
}

INSTANTIATE_TEST_SUITE_P(All, PassGolden, testing::ValuesIn(testing_golden::names(folder())),
                         [](const auto& i) { return testing_golden::test_name(i.param); });

TEST(Pipeline, EveryPassHasItsText) {
  std::vector<std::string> names = testing_golden::names(folder());
  for (auto list : {before_grad(), before_lowering()})
    for (const Pass& pass : list) {
      auto own = [&](const std::string& n) { return n.starts_with(std::string(pass.name) + "."); };
      EXPECT_GE(std::count_if(names.begin(), names.end(), own), 2) << pass.name;
    }
}

TEST(Pipeline, DisabledPassesAreLeftOutAndOthersTimed) {
  auto g = ir::parse(
      "graph g(x: f32[4]) {\n  %0: f32[4] = relu(x)\n  %1: f32[4] = relu(x)\n  return %0, %1\n}\n");
  PassOptions options;
  options.disabled = {"common_subexpressions"};
  auto times = run_passes(*g, before_lowering(), options);
  EXPECT_EQ(g->nodes().size(), 2u);
  for (const PassTime& t : times) EXPECT_STRNE(t.name, "common_subexpressions");
  options.disabled.clear();
  std::vector<std::string> changed;
  options.after = [&](const char* pass, const ir::Graph&) { changed.push_back(pass); };
  run_passes(*g, before_lowering(), options);
  EXPECT_EQ(g->nodes().size(), 1u);
  EXPECT_EQ(changed, std::vector<std::string>{"common_subexpressions"});
}

TEST(Pipeline, AFailingPassIsNamed) {
  static constexpr Pass broken[] = {{"broken", "fails", [](ir::Graph&) -> int {
                                       throw UserError(ErrorKind::runtime, "op", "no");
                                     }}};
  auto g = ir::parse("graph g(x: f32[4]) {\n  return input x\n}\n");
  try {
    run_passes(*g, broken, {});
    FAIL();
  } catch (const InternalError& e) {
    EXPECT_NE(std::string(e.what()).find("pass broken: [op] no"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace frit::passes
