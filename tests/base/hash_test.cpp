#include "base/hash.h"

#include <gtest/gtest.h>

#include <string>
#include <unordered_map>

namespace frit {
namespace {

enum class Colour : uint8_t { red = 3 };

TEST(Hash, KnownValues) {
  // XXH3-128 of no bytes with seed 0, from the algorithm's published test vectors.
  EXPECT_EQ(hash_bytes("").hex(), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ((Hash128{1, 0xabc}.hex()), "00000000000000010000000000000abc");
}

TEST(Hash, PiecesDoNotMatterForBytes) {
  std::string text(10000, 'q');
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 31);
  Hasher h;
  for (size_t at = 0; at < text.size(); at += 77)
    h.bytes(text.data() + at, std::min<size_t>(77, text.size() - at));
  EXPECT_EQ(h.finish(), hash_bytes(text));
}

TEST(Hash, StringsCarryTheirLength) {
  EXPECT_NE(Hasher().update("ab").update("c").finish(), Hasher().update("a").update("bc").finish());
  EXPECT_EQ(Hasher().update("ab").finish(), Hasher().update(std::string("ab")).finish());
  EXPECT_NE(Hasher().update("").finish(), Hasher().finish());
}

TEST(Hash, NumbersOfAnyWidthAreTheirValue) {
  EXPECT_EQ(Hasher().update(7).finish(), Hasher().update(int64_t{7}).finish());
  EXPECT_EQ(Hasher().update(-1).finish(), Hasher().update(int64_t{-1}).finish());
  EXPECT_EQ(Hasher().update(Colour::red).finish(), Hasher().update(3).finish());
  EXPECT_NE(Hasher().update(1.5).finish(), Hasher().update(1).finish());
  EXPECT_NE(Hasher().update(true).finish(), Hasher().update(false).finish());
}

TEST(Hash, FinishMayBeCalledAgainAndCopiesGoOn) {
  Hasher a;
  a.update("prefix");
  Hash128 first = a.finish();
  EXPECT_EQ(a.finish(), first);
  Hasher b = a;
  b.update(1);
  EXPECT_EQ(a.finish(), first);
  EXPECT_EQ(b.finish(), a.update(1).finish());
}

TEST(Hash, CombineDependsOnOrder) {
  EXPECT_NE(hash_combine(hash_combine(0, 1), 2), hash_combine(hash_combine(0, 2), 1));
  EXPECT_EQ(hash_combine(1, std::string("x")), hash_combine(1, std::string("x")));
  std::unordered_map<Hash128, int> map{{hash_bytes("a"), 1}};
  EXPECT_EQ(map.at(hash_bytes("a")), 1);
}

}  // namespace
}  // namespace frit
