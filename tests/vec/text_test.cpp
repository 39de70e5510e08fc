// The header as one text: freestanding, without comments, and as good as the files it is made of.
#include "vec/text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "vec/select.h"

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

TEST(Text, what_a_kernel_needs_is_a_part_and_compiles) {
  for (CpuLevel level : kLevels) {
    std::string part = vec::vec_header_for(level, kKernel);
    EXPECT_LT(part.size(), vec::vec_header_text().size() / 2);
    EXPECT_NE(part.find("V gelu(V x)"), std::string::npos);
    EXPECT_EQ(part.find("philox"), std::string::npos);
    EXPECT_EQ(part.find("atan"), std::string::npos);
    EXPECT_EQ(compile(level, part + kKernel, "-O1 -c"), "");
    std::string copy =
        "extern \"C\" void f(const float* x, float* y) { fv::store(y, fv::load(x)); }\n";
    part = vec::vec_header_for(level, copy);
    EXPECT_LT(part.size(), 13000u);
    EXPECT_EQ(compile(level, part + copy, "-O1 -c"), "");
    // code may add to the namespace as the header does
    std::string more =
        "FV_BEGIN\nFV_LAZY vi32 twice(vi32 x) { return FV_LEVEL + FV_L + x + x; }\nFV_END\n"
        "FV fv::vi32 g(fv::vi32 x) { fv::vi32 y; FV_CALL y = fv::twice(x); return y; }\n";
    EXPECT_EQ(compile(level, vec::vec_header_for(level, more) + more, "-O1 -c"), "");
  }
}

// The part that belongs to any name of the header stands alone; all of them one after the other.
TEST(Text, every_name_brings_what_it_needs) {
  for (CpuLevel level : kLevels) {
    std::string whole = vec::vec_header_for(level, vec::vec_header_text());
    std::string space = level == CpuLevel::avx2 ? "namespace fv { inline namespace l2 {"
                                                : "namespace fv { inline namespace l5 {";
    vec::Declarations all(whole, space);
    EXPECT_GT(all.names().size(), 250u);
    std::string text = all.select("");
    int count = 0;
    for (std::string_view name : all.names()) {
      std::string part = all.select(name);
      text += "#define fv fv" + std::to_string(count++) + "\n" + part.substr(part.rfind(space)) +
              "#undef fv\n";
    }
    EXPECT_EQ(compile(level, text, "-fsyntax-only"), "");
  }
}

}  // namespace
}  // namespace frit::vec_test
