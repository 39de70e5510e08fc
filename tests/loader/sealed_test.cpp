#include "loader/sealed.h"

#include <gtest/gtest.h>

using frit::Hash128;
using frit::loader::seal;
using frit::loader::unseal;

namespace {

const Hash128 kKey{0x0123456789abcdef, 0xfedcba9876543210};

TEST(Sealed, RoundTrip) {
  for (std::string payload : {std::string(), std::string("x"), std::string(100000, 'q')}) {
    std::string why, file = seal(kKey, payload);
    auto back = unseal(kKey, file, why);
    ASSERT_TRUE(back) << why;
    EXPECT_EQ(*back, payload);
  }
}

TEST(Sealed, EveryTruncationIsNoticed) {
  std::string file = seal(kKey, "some bytes that matter");
  for (size_t size = 0; size < file.size(); ++size) {
    std::string why;
    EXPECT_FALSE(unseal(kKey, std::string_view(file).substr(0, size), why)) << size;
    EXPECT_FALSE(why.empty());
  }
}

TEST(Sealed, EveryChangedByteIsNoticed) {
  const std::string file = seal(kKey, "some bytes that matter");
  for (size_t i = 0; i < file.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = file, why;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      EXPECT_FALSE(unseal(kKey, damaged, why)) << i;
    }
}

TEST(Sealed, AppendedBytesAndOtherKeysAreNoticed) {
  std::string why, file = seal(kKey, "payload");
  EXPECT_FALSE(unseal(kKey, file + "x", why));
  EXPECT_FALSE(unseal(Hash128{1, 2}, file, why));
  EXPECT_EQ(why, "it belongs to another key");
}

}  // namespace
