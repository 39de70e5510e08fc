// Records may be asked for before main, from any file's static initialiser.
#include <gtest/gtest.h>

#include "ops/record.h"

namespace frit {
namespace {

const size_t g_count = registry().all().size();

TEST(Registry, IsThereBeforeMain) { EXPECT_EQ(g_count, registry().all().size()); }

}  // namespace
}  // namespace frit
