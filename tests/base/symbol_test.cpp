#include "base/symbol.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

namespace frit {
namespace {

static_assert(sizeof(Symbol) == 8);

TEST(Symbol, SameTextSameSymbol) {
  std::string text = "forward";
  Symbol a = intern(text), b = intern("forward"), c = intern("backward");
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  EXPECT_EQ(a.hash(), b.hash());
  EXPECT_EQ(a.str(), "forward");
  EXPECT_STREQ(a.c_str(), "forward");
  EXPECT_NE(a.c_str(), text.c_str());
  EXPECT_TRUE(a == std::string_view("forward"));
}

TEST(Symbol, EmptyText) {
  EXPECT_EQ(intern(""), Symbol());
  EXPECT_EQ(Symbol().str(), "");
  EXPECT_STREQ(Symbol().c_str(), "");
  EXPECT_FALSE(Symbol());
}

TEST(Symbol, AnyBytesAndAnyLength) {
  std::string zero("a\0b", 3);
  EXPECT_EQ(intern(zero).str(), zero);
  std::string longer(1 << 20, 'x');
  EXPECT_EQ(intern(longer).str(), longer);
  EXPECT_EQ(intern(longer).c_str()[longer.size()], '\0');
}

TEST(Symbol, OrderedByText) {
  std::vector<Symbol> v{intern("zeta"), intern("alpha"), intern("mu"), Symbol()};
  std::sort(v.begin(), v.end());
  EXPECT_EQ(v[0].str(), "");
  EXPECT_EQ(v[1].str(), "alpha");
  EXPECT_EQ(v[2].str(), "mu");
  EXPECT_EQ(v[3].str(), "zeta");
}

TEST(Symbol, FromManyThreads) {
  constexpr int kThreads = 4, kNames = 2000;
  std::vector<std::vector<Symbol>> got(kThreads);
  std::vector<std::thread> threads;
  for (auto& mine : got)
    threads.emplace_back([&mine] {
      for (int i = 0; i < kNames; ++i) mine.push_back(intern("thread name " + std::to_string(i)));
    });
  for (auto& t : threads) t.join();
  std::unordered_set<Symbol> distinct(got[0].begin(), got[0].end());
  EXPECT_EQ(distinct.size(), size_t{kNames});
  for (auto& mine : got) EXPECT_EQ(mine, got[0]);
}

}  // namespace
}  // namespace frit
