// Runs the checks of every level the processor has.
#include "vec/levels/checks.h"

#include <gtest/gtest.h>

#include "vec/ulp.h"

namespace frit::vec_test {
namespace {

void run(const Checks& avx2, const Checks& avx512) {
  for (const Functions* level : levels()) {
    const Checks& all = level == &kFunctionsAvx2 ? avx2 : avx512;
    for (int i = 0; i < all.count; i++) {
      char message[256] = "";
      EXPECT_EQ(all.checks[i].run(message), 0)
          << all.level << " " << all.checks[i].name << ": " << message;
    }
  }
}

TEST(Vec, memory_and_conversions) { run(kMemoryAvx2, kMemoryAvx512); }
TEST(Vec, reductions) { run(kReduceAvx2, kReduceAvx512); }
TEST(Vec, random_numbers) { run(kRandomAvx2, kRandomAvx512); }
TEST(Vec, integers_and_bools) { run(kIntegerAvx2, kIntegerAvx512); }

}  // namespace
}  // namespace frit::vec_test
