#include "base/error.h"

#include <gtest/gtest.h>

namespace frit {
namespace {

SourceLocation at(const char* function) {
  SourceLocation where;
  where.file = "/home/me/net.cpp";
  where.function = function;
  where.line = 14;
  return where;
}

TEST(Error, UserErrorText) {
  UserError e(ErrorKind::value, "matmul", "a is [8, 64], b is [32, 10].", "b.transpose(0, 1)",
              at("Tensor Net::forward(Tensor)"));
  EXPECT_STREQ(e.what(),
               "[matmul] a is [8, 64], b is [32, 10].\n  at net.cpp:14 in Net::forward\n"
               "  try: b.transpose(0, 1)");
  EXPECT_STREQ(UserError(ErrorKind::type, "add", "no.").what(), "[add] no.");
}

TEST(Error, AtKeepsAPlaceItHas) {
  UserError bare(ErrorKind::type, "add", "no.");
  UserError placed = bare.at(at("int main()"));
  EXPECT_STREQ(placed.what(), "[add] no.\n  at net.cpp:14 in main");
  SourceLocation other = at("void f()");
  other.line = 99;
  EXPECT_EQ(placed.at(other).where().line, 14u);
  EXPECT_STREQ(bare.at({}).what(), "[add] no.");
}

TEST(Error, FunctionNames) {
  EXPECT_EQ(at("auto main()::(anonymous class)::operator()(Tensor) const").text(),
            "net.cpp:14 in lambda");
  EXPECT_EQ(at("const Tensor &Net::weight() const").text(), "net.cpp:14 in Net::weight");
  EXPECT_EQ(at(nullptr).text(), "net.cpp:14");
  EXPECT_EQ(SourceLocation().text(), "");
}

TEST(Error, Invariants) {
  FRIT_INVARIANT(1 + 1 == 2);
  try {
    FRIT_INVARIANT(1 + 1 == 3, "arithmetic");
    FAIL();
  } catch (const InternalError& e) {
    std::string text = e.what();
    EXPECT_TRUE(
        text.starts_with("internal error: 1 + 1 == 3 does not hold: arithmetic (error_test.cpp:"))
        << text;
    EXPECT_TRUE(text.ends_with("This is a fault of Frit, not of your program.")) << text;
  }
}

}  // namespace
}  // namespace frit
