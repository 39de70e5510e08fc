// golden/<case>.txt: a graph, its joint graph, and the two it is cut into. Every output is
// differentiated.
#include "golden.h"

#include "grad/joint.h"

namespace frit::grad {
namespace {

std::string folder() { return std::string(FRIT_SOURCE_DIR) + "/tests/grad/golden"; }

class GradGolden : public testing::TestWithParam<std::string> {};

TEST_P(GradGolden, Text) {
  testing_golden::expect(folder(), GetParam(), [](const std::string& source) {
    auto g = ir::parse(source);
    std::vector<int> all;
    for (size_t i = 0; i < g->outputs.size(); ++i) all.push_back(static_cast<int>(i));
    Joint joint = differentiate(*g, all);
    ir::verify(*joint.graph);
    std::string text = ir::print(*joint.graph);
    Partition p = partition(joint);
    ir::verify(*p.forward);
    ir::verify(*p.backward);
    text += "\n" + ir::print(*p.forward) + "\n" + ir::print(*p.backward) + "saved:";
    for (const auto& s : p.saved)
      text += std::string(s.is_input ? " input " : " output ") + std::to_string(s.index);
    return text + "\n";
  });
}

INSTANTIATE_TEST_SUITE_P(All, GradGolden, testing::ValuesIn(testing_golden::names(folder())),
                         [](const auto& i) { return testing_golden::test_name(i.param); });

}  // namespace
}  // namespace frit::grad
