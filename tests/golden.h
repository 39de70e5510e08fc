// Texts beside what is made of them: <folder>/<name>.txt holds both, separated by a line of "====".
// FRIT_UPDATE_GOLDEN=1 writes the second part anew.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace frit::testing_golden {

inline std::vector<std::string> names(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    found.push_back(entry.path().stem().string());
  std::sort(found.begin(), found.end());
  return found;
}

inline void expect(const std::string& folder, const std::string& name,
                   const std::function<std::string(const std::string&)>& make) {
  const std::string mark = "====\n";
  std::filesystem::path path = std::filesystem::path(folder) / (name + ".txt");
  std::stringstream file;
  file << std::ifstream(path).rdbuf();
  std::string whole = file.str();
  size_t cut = whole.find(mark);
  std::string source = whole.substr(0, cut), text = make(source);
  if (std::getenv("FRIT_UPDATE_GOLDEN")) {
    std::ofstream(path) << source << mark << text;
    return;
  }
  ASSERT_NE(cut, whole.npos) << "FRIT_UPDATE_GOLDEN=1 writes the text of " << path;
  EXPECT_EQ(whole.substr(cut + mark.size()), text)
      << "FRIT_UPDATE_GOLDEN=1 accepts the new text of " << path;
}

// "simplify.views" as a test's name.
inline std::string test_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); },
      '_');
  return name;
}

}  // namespace frit::testing_golden
