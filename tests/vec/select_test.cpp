// Cutting a text into declarations and selecting from it.
#include "vec/select.h"

#include <gtest/gtest.h>

namespace frit::vec_test {
namespace {

constexpr std::string_view kSpace = "namespace a { inline namespace b {";
constexpr std::string_view kText = R"(#pragma one
namespace a { inline namespace b {
typedef unsigned char byte;
enum { kFirst = 1, kSecond };
struct Point { byte x; };
template <class T> struct Box { T t; };
template <> struct Box<byte> { byte small; };
} }
namespace a { inline namespace b {
template <class T> using Pair = Point __attribute__((aligned(8)));
inline constexpr int kOne = 1, kTwo = 2;
static inline __attribute__((always_inline)) int one() { return kOne; }
template <int = 0> static inline __attribute__((noinline)) Box<int> boxed(Point p, int n = kSecond) {
  static const int table[] = {1, 2};
  return {table[n]};
}
} }
extern "C" {
typedef long number;
void call(number n);
}
)";

std::string select(std::string_view code) { return vec::Declarations(kText, kSpace).select(code); }

TEST(Select, knows_every_name) {
  std::vector<std::string_view> names = vec::Declarations(kText, kSpace).names();
  EXPECT_EQ(names, (std::vector<std::string_view>{"Box", "Pair", "Point", "boxed", "byte", "kFirst",
                                                  "kOne", "kSecond", "kTwo", "one"}));
}

TEST(Select, takes_what_is_named_and_what_that_needs_in_order) {
  EXPECT_EQ(select("int x = a::one();"), R"(#pragma one
extern "C" {
typedef long number;
void call(number n);
}
namespace a { inline namespace b {
inline constexpr int kOne = 1, kTwo = 2;
static inline __attribute__((always_inline)) int one() { return kOne; }
} }
)");
  EXPECT_EQ(select("Pair<int> p;"), R"(#pragma one
extern "C" {
typedef long number;
void call(number n);
}
namespace a { inline namespace b {
typedef unsigned char byte;
struct Point { byte x; };
template <class T> using Pair = Point __attribute__((aligned(8)));
} }
)");
}

TEST(Select, takes_specializations_together) {
  std::string part = select("boxed(p)");
  EXPECT_NE(part.find("struct Box {"), std::string::npos);
  EXPECT_NE(part.find("struct Box<byte>"), std::string::npos);
  EXPECT_NE(part.find("enum"), std::string::npos);
  EXPECT_EQ(part.find("kOne"), std::string::npos);
}

TEST(Select, does_not_take_numbers_and_strings_for_names) {
  EXPECT_EQ(select("f(\"one\", 1one, 'o')"), select(""));
  EXPECT_EQ(select("").find("one("), std::string::npos);
}

}  // namespace
}  // namespace frit::vec_test
