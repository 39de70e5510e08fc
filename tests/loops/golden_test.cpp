// Graphs beside what they are lowered to: golden/<name>.txt holds both, FRIT_RENEW=1 writes the
// second part anew. A first line "# joint" differentiates the graph with respect to its first
// output;
// "# unfused" lowers a kernel a node.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness.h"

namespace frit::loops {
namespace {

std::filesystem::path folder() {
  return std::filesystem::path(FRIT_SOURCE_DIR) / "tests/loops/golden";
}

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder()))
    found.push_back(entry.path().stem().string());
  std::sort(found.begin(), found.end());
  return found;
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, Text) {
  const std::string mark = "\n====\n";
  std::filesystem::path path = folder() / (GetParam() + ".txt");
  std::stringstream file;
  file << std::ifstream(path).rdbuf();
  std::string whole = file.str();
  size_t cut = whole.find(mark);
  std::string source = whole.substr(0, cut);
  auto graph = prepared(source);
  Options options;
  options.fuse = !source.starts_with("# unfused");
  auto program = lower(*graph, options);
  std::string text = print(*program);

  auto again = parse(text);
  verify(*again);
  EXPECT_EQ(print(*again), text) << "the parser reads what the printer writes";

  if (std::getenv("FRIT_RENEW")) {
    std::ofstream(path) << source << mark << text;
    return;
  }
  ASSERT_NE(cut, whole.npos) << "FRIT_RENEW=1 writes the text of " << path;
  EXPECT_EQ(whole.substr(cut + mark.size()), text)
      << "FRIT_RENEW=1 accepts the new text of " << path;
}

INSTANTIATE_TEST_SUITE_P(All, Golden, testing::ValuesIn(names()),
                         [](const auto& i) { return i.param; });

}  // namespace
}  // namespace frit::loops
