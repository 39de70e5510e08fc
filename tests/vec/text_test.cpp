// The header as one text: freestanding, without comments, and as good as the files it is made of.
#include "vec/text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "base/cpu.h"

namespace frit::vec_test {
namespace {

TEST(Text, has_no_includes_and_no_comments) {
  std::string text(vec::vec_header_text());
  EXPECT_GT(text.size(), 30000u);
  EXPECT_EQ(text.find("#include"), std::string::npos);
  EXPECT_EQ(text.find("//"), std::string::npos);
  EXPECT_EQ(text.find("/*"), std::string::npos);
  EXPECT_NE(text.find("V exp(V x)"), std::string::npos);
  EXPECT_EQ(text.back(), '\n');
}

const std::string kFolder = testing::TempDir();

// Compiles for a level as the plugin does, without system headers; "" or what the compiler said.
std::string compile(CpuLevel level, const std::string& text, const std::string& flags) {
  std::string source = kFolder + "vec_text.cpp", log = kFolder + "vec_text.log";
  std::ofstream(source) << text;
  std::string command =
      std::string(FRIT_CXX) + " -nostdinc -nostdinc++ -std=c++17 -Wall -Wextra -Werror " +
      "-Wno-unused-function -Wno-unused-const-variable -o " + kFolder + "vec_text.o " +
      (level == CpuLevel::avx2 ? "-mavx2" : "-mavx512f -mavx512dq -mavx512bw -mavx512vl") +
      " -mfma -mf16c " + flags + " " + source + " 2> " + log;
  if (std::system(command.c_str()) == 0) return "";
  std::stringstream said;
  said << command << "\n" << std::ifstream(log).rdbuf();
  return said.str();
}

const std::string kKernel =
    "extern \"C\" void f(const float* x, float* y, fv::i64 n) {\n"
    "  fv::store(y, fv::gelu(fv::load(x)));\n"
    "  *y = fv::row<fv::Sum, float>(n, [=](fv::i64 k, fv::i64 m) { return fv::load_n(x + k, m); "
    "});\n"
    "}\n";
constexpr CpuLevel kLevels[] = {CpuLevel::avx2, CpuLevel::avx512};

TEST(Text, compiles_alone) {
  for (CpuLevel level : kLevels)
    EXPECT_EQ(compile(level, std::string(vec::vec_header_text()) + kKernel, "-O1 -c"), "");
}

}  // namespace
}  // namespace frit::vec_test
