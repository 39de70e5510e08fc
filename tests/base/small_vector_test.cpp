#include "base/small_vector.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace frit {
namespace {

using V = SmallVector<std::string, 2>;

TEST(SmallVector, GrowsFromInlineToHeap) {
  V v;
  for (int i = 0; i < 20; ++i) v.push_back(std::string(30, static_cast<char>('a' + i)));
  ASSERT_EQ(v.size(), 20u);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(v[static_cast<size_t>(i)], std::string(30, static_cast<char>('a' + i)));
  v.resize(1);
  EXPECT_EQ(v.back(), std::string(30, 'a'));
}

TEST(SmallVector, AppendsAPartOfItself) {
  SmallVector<int, 8> v{1, 2, 3};
  v.append(v.begin(), v.end());  // it fits
  EXPECT_EQ(v, (SmallVector<int, 8>{1, 2, 3, 1, 2, 3}));
  const std::vector<int> more{4, 5, 6};
  v.append(more.begin(), more.end());  // it does not
  EXPECT_EQ(v, (SmallVector<int, 8>{1, 2, 3, 1, 2, 3, 4, 5, 6}));
}

TEST(SmallVector, CopiesAndMoves) {
  for (size_t n : {0u, 1u, 2u, 3u, 9u}) {
    V v;
    for (size_t i = 0; i < n; ++i) v.push_back(std::to_string(i));
    V copy = v;
    EXPECT_EQ(copy, v);
    V moved = std::move(copy);
    EXPECT_EQ(moved, v);
    EXPECT_TRUE(copy.empty());  // a moved-from vector is empty and usable
    copy.push_back("again");
    EXPECT_EQ(copy.size(), 1u);
    copy = moved;
    EXPECT_EQ(copy, v);
    copy = std::move(moved);
    EXPECT_EQ(copy, v);
  }
}

TEST(SmallVector, InsertAndErase) {
  V v{"a", "b", "c"};
  v.insert(1, "x");
  EXPECT_EQ(v, (V{"a", "x", "b", "c"}));
  v.erase(0);
  EXPECT_EQ(v, (V{"x", "b", "c"}));
  v.insert(3, "end");
  EXPECT_EQ(v.back(), "end");
}

TEST(SmallVector, DestroysWhatItHolds) {
  auto shared = std::make_shared<int>(1);
  {
    SmallVector<std::shared_ptr<int>, 2> v(5, shared);
    EXPECT_EQ(shared.use_count(), 6);
    v.pop_back();
    EXPECT_EQ(shared.use_count(), 5);
    v.clear();
    EXPECT_EQ(shared.use_count(), 1);
    v.push_back(shared);
  }
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(SmallVector, MovesSeldomWhereItIsResizedOften) {
  SmallVector<int, 4> v;
  int moves = 0;
  for (size_t n = 1; n <= 1000; ++n) {
    const int* before = v.data();
    v.resize(n, static_cast<int>(n));
    moves += v.data() != before;
  }
  EXPECT_LE(moves, 8);
  EXPECT_EQ(v[999], 1000);
}

TEST(SmallVector, MayPushItsOwnElement) {
  V v{"only", "two"};
  v.push_back(v[0]);
  EXPECT_EQ(v.back(), "only");
}

}  // namespace
}  // namespace frit
