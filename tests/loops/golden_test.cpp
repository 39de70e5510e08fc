// Graphs beside what they are lowered to, in golden/<name>.txt. A first line "# joint"
// differentiates the graph with respect to its first output; "# unfused" lowers a kernel a node.
#include "golden.h"

#include "harness.h"

namespace frit::loops {
namespace {

std::string folder() { return std::string(FRIT_SOURCE_DIR) + "/tests/loops/golden"; }

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, Text) {
  testing_golden::expect(folder(), GetParam(), [](const std::string& source) {
    auto graph = prepared(source);
    Options options;
    options.fuse = !source.starts_with("# unfused");
    std::string text = print(*lower(*graph, options));
    auto again = parse(text);
    verify(*again);
    EXPECT_EQ(print(*again), text) << "the parser reads what the printer writes";
    return text;
  });
}

INSTANTIATE_TEST_SUITE_P(All, Golden, testing::ValuesIn(testing_golden::names(folder())),
                         [](const auto& i) { return i.param; });

}  // namespace
}  // namespace frit::loops
