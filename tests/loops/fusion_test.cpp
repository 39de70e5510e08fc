// What becomes one kernel, how the work grows, and programs that must lower whatever their shape.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <new>
#include <sstream>

#include "harness.h"

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#include <sanitizer/allocator_interface.h>
#endif

// Allocations stand for work: they do not depend on how busy the machine is.
static thread_local int64_t g_allocations = 0;
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
// Their own operator new stays, and tells.
static void allocated(const volatile void*, size_t) { ++g_allocations; }
static void freed(const volatile void*) {}
static const int g_installed = __sanitizer_install_malloc_and_free_hooks(allocated, freed);
#else
void* operator new(std::size_t size) {
  ++g_allocations;
  if (void* p = std::malloc(size ? size : 1)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
#endif

namespace frit::loops {
namespace {

using testing::HasSubstr;

std::string source(const std::string& name) {
  std::stringstream s;
  s << std::ifstream(std::string(FRIT_SOURCE_DIR) + "/tests/loops/golden/" + name + ".txt").rdbuf();
  std::string all = s.str();
  return all.substr(0, all.find("\n====\n"));
}

TEST(Kernels, OfTheDigitsNetwork) {
  auto p = lowered(source("digits_joint"));
  EXPECT_LE(steps_of(*p, ir::Stage::forward), 6);
  EXPECT_LE(steps_of(*p, ir::Stage::backward), 14);
  for (const Nest& n : p->nests) EXPECT_LE(n.num_ops, 32) << n.name;
}

TEST(Kernels, OneOptimizerStepForAllParameters) {
  auto p = lowered(source("adamw"));
  EXPECT_EQ(p->steps.size(), 2u);
  EXPECT_EQ(p->steps[1].parts.size(), 2u);
  EXPECT_EQ(p->steps[1].parts[0].nest, p->steps[1].parts[1].nest)
      << "the same text for both parameters";
  for (const Buffer& b : p->buffers)
    if (b.place == Place::arena)
      EXPECT_EQ(b.elements.constant(), 1) << b.name << " is of a parameter's size";
}

TEST(Kernels, WithoutFusionEveryNodeIsAlone) {
  Options o;
  o.fuse = false;
  auto g = prepared(source("digits_forward"));
  auto p = lower(*g, o);
  size_t computed = 0;
  for (const auto& n : g->nodes()) computed += n->record().kind != Kind::view;
  EXPECT_EQ(p->steps.size(), computed);
}

// Residual blocks: every block reads the one before it, far apart and near.
std::string chain(int blocks) {
  std::string s =
      "graph chain(x: f32[s0, 64], w: f32[64, 64]) {\n  symbol s0 = 8 in [2, inf] from "
      "\"x.size(0)\"\n";
  std::string last = "x";
  int v = 0;
  for (int b = 0; b < blocks; ++b) {
    s += fmt::format("  %{}: f32[s0, 64] = mm({}, w)\n", v, last);
    s += fmt::format("  %{}: f32[s0, 64] = relu(%{})\n", v + 1, v);
    s += fmt::format("  %{}: f32[s0, 64] = add.Tensor(%{}, {})\n", v + 2, v + 1, last);
    last = "%" + std::to_string(v + 2);
    v += 3;
  }
  return s + "  return " + last + "\n}\n";
}

TEST(Kernels, ResidualBlocksAreOneProductEach) {
  auto p = lowered(chain(700));
  EXPECT_EQ(p->steps.size(), 700u);
  EXPECT_LE(p->arena_bytes.hint(), 4 * 8 * 64 * 4) << "blocks share memory";
}

int64_t allocations_for(int blocks) {
  auto g = prepared(chain(blocks));
  int64_t before = g_allocations;
  lower(*g);
  return g_allocations - before;
}

TEST(Kernels, WorkGrowsAboutWithTheGraph) {
  int64_t small = allocations_for(200), large = allocations_for(1600);
  EXPECT_GT(small, 200);
  EXPECT_LT(large, small * 8 * 2) << small << " and " << large;
}

TEST(Kernels, StagesAreShown) {
  std::string seen;
  Options o;
  o.on_stage = [&](std::string_view stage, const Program& p) {
    seen += fmt::format("{} {}\n", stage, p.steps.size());
    EXPECT_THAT(print(p), HasSubstr("loops"));
  };
  lowered(source("layer_norm"), o);
  EXPECT_EQ(seen, "lowered 11\nfused 1\nplanned 1\n");
}

TEST(Kernels, LoweringTwiceGivesTheSameText) {
  auto g = prepared(source("digits_joint"));
  std::string first = print(*lower(*g));
  EXPECT_EQ(print(*lower(*g)), first);
}

TEST(Lowering, ASymbolIsReadBeforeItIsUsed) {
  auto p = lowered(
      "graph g(x: i64[4], y: f32[8]) {\n  symbol u0 in [0, 100] from \"n\"\n"
      "  %0: i64[] = sum(x)\n  %1: i64[] = _item_int(%0) @defines(u0)\n"
      "  %2: f32[8] = mul.Scalar(y, u0)\n  assert u0 <= 50, \"too many\"\n  write y <- %2\n  "
      "return %2\n}\n");
  std::string kinds;
  for (const Step& s : p->steps) kinds += std::to_string(static_cast<int>(s.kind));
  EXPECT_EQ(kinds, "03400") << print(*p);
  verify(*parse(print(*p)));
}

TEST(Lowering, DataDependentMemoryIsMadeWhenItsSizeIsKnown) {
  auto p = lowered(
      "graph g(x: i64[], y: f32[1]) {\n  symbol u0 in [0, 100] from \"n\"\n"
      "  %0: i64[] = _item_int(x) @defines(u0)\n"
      "  %1: f32[u0] = expand(y, [u0])\n  %2: f32[u0] = cumsum(%1, 0)\n"
      "  %3: f32[u0] = cumsum(%2, 0)\n  return %3\n}\n");
  std::string kinds;
  for (const Step& s : p->steps) kinds += std::to_string(static_cast<int>(s.kind));
  EXPECT_EQ(kinds, "35522") << print(*p);
  EXPECT_EQ(p->num_own, 1);
  EXPECT_TRUE(known_zero(p->arena_bytes)) << print(*p);
  verify(*parse(print(*p)));
  EXPECT_EQ(print(*parse(print(*p))), print(*p));
}

TEST(Lowering, NothingIsStoredBeforeItHasMemory) {
  auto p = lowered(
      "graph g(x: i64[]) {\n  symbol u0 in [0, 100] from \"n\"\n"
      "  %0: i64[] = _item_int(x) @defines(u0)\n"
      "  %1: f32[u0] = full([u0], 1, dtype=f32)\n  return %1\n}\n");
  ASSERT_EQ(p->steps.size(), 3u) << print(*p);
  std::swap(p->steps[1], p->steps[2]);
  EXPECT_THROW(verify(*p), InternalError);
}

}  // namespace
}  // namespace frit::loops
