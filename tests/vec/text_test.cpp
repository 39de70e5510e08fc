// The header as one text: freestanding, without comments, and as good as the files it is made of.
#include "vec/text.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

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

// As the plugin compiles it: no system headers, the bodies of templates put off, both levels.
TEST(Text, compiles_alone) {
  std::string folder = testing::TempDir(), file = folder + "vec_text.cpp";
  {
    std::ofstream out(file);
    out << vec::vec_header_text();
    out << "extern \"C\" void f(const float* x, float* y, fv::i64 n) {\n"
           "  fv::store(y, fv::gelu(fv::load(x)));\n"
           "  *y = fv::row<fv::Sum, float>(n, [=](fv::i64 k, fv::i64 m) { return fv::load_n(x + k, m); });\n"
           "}\n";
  }
  for (const char* level : {"-mavx2 -mfma -mf16c", "-mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mf16c"}) {
    std::string command = std::string(FRIT_CXX) + " -nostdinc -nostdinc++ -std=c++17 -fdelayed-template-parsing " +
                          "-Wall -Wextra -Werror -Wno-unused-function -O1 -c -o " + folder + "vec_text.o " + level +
                          " " + file;
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
}

}  // namespace
}  // namespace frit::vec_test
