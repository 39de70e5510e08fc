// Expected texts in files, renewed by FRIT_UPDATE_GOLDEN=1.
//   expect_text  the file is the text
//   expect       <folder>/<name>.txt holds a source and what is made of it, separated by "===="
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

inline std::string read(const std::filesystem::path& path) {
  std::stringstream file;
  file << std::ifstream(path).rdbuf();
  return file.str();
}
inline bool renewing() { return std::getenv("FRIT_UPDATE_GOLDEN") != nullptr; }

inline void expect_text(const std::filesystem::path& path, const std::string& text) {
  if (renewing())
    std::ofstream(path) << text;
  else
    EXPECT_EQ(read(path), text) << "FRIT_UPDATE_GOLDEN=1 accepts the new text of " << path;
}

inline void expect(const std::string& folder, const std::string& name,
                   const std::function<std::string(const std::string&)>& make) {
  const std::string mark = "====\n";
  std::filesystem::path path = std::filesystem::path(folder) / (name + ".txt");
  const std::string whole = read(path), source = whole.substr(0, whole.find(mark));
  expect_text(path, source + mark + make(source));
}

// "simplify.views" as a test's name.
inline std::string test_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); },
      '_');
  return name;
}

}  // namespace frit::testing_golden
