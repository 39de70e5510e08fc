#include "core/allocator.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "base/error.h"

namespace frit {
namespace {

TEST(Allocator, BlocksAreAlignedAndWholeAndApart) {
  std::mt19937 random(2);
  struct Block {
    unsigned char* at;
    size_t bytes;
    unsigned char mark;
  };
  std::vector<Block> blocks;
  for (int i = 0; i < 2000; ++i) {
    size_t bytes = i < 200 ? static_cast<size_t>(i) : random() % (1u << (random() % 22));
    auto* p = static_cast<unsigned char*>(allocate_bytes(bytes));
    ASSERT_EQ(reinterpret_cast<uintptr_t>(p) % kAlignment, 0u);
    auto mark = static_cast<unsigned char>(i);
    std::memset(p, mark, bytes);
    blocks.push_back({p, bytes, mark});
    if (random() % 3 == 0) {
      size_t k = random() % blocks.size();
      for (size_t b = 0; b < blocks[k].bytes; ++b) ASSERT_EQ(blocks[k].at[b], blocks[k].mark);
      free_bytes(blocks[k].at, blocks[k].bytes);
      blocks.erase(blocks.begin() + static_cast<long>(k));
    }
  }
  for (const Block& b : blocks) {
    for (size_t i = 0; i < b.bytes; ++i) ASSERT_EQ(b.at[i], b.mark);
    free_bytes(b.at, b.bytes);
  }
}

TEST(Allocator, ASecondRequestOfASizeIsServedFromTheCache) {
  for (size_t bytes : {size_t{100}, size_t{5000}, size_t{3} << 20}) {
    void* first = allocate_bytes(bytes);
    free_bytes(first, bytes);
    uint64_t before = allocator_stats().from_system;
    void* second = allocate_bytes(bytes);
    EXPECT_EQ(second, first);
    EXPECT_EQ(allocator_stats().from_system, before);
    free_bytes(second, bytes);
  }
}

TEST(Allocator, CountsWhatIsLive) {
  AllocatorStats before = allocator_stats();
  void* p = allocate_bytes(1 << 20);
  AllocatorStats during = allocator_stats();
  EXPECT_EQ(during.allocations, before.allocations + 1);
  EXPECT_GE(during.live_bytes, before.live_bytes + (1 << 20));
  EXPECT_GE(during.peak_bytes, during.live_bytes);
  free_bytes(p, 1 << 20);
  AllocatorStats after = allocator_stats();
  EXPECT_EQ(after.live_bytes, before.live_bytes);
  reset_peak_bytes();
  EXPECT_EQ(allocator_stats().peak_bytes, allocator_stats().live_bytes);
}

TEST(Allocator, AtMostAFifthOfABlockIsWasted) {
  for (size_t bytes = 65; bytes < (1u << 16); bytes += 97) {
    uint64_t before = allocator_stats().live_bytes;
    void* p = allocate_bytes(bytes);
    uint64_t taken = allocator_stats().live_bytes - before;
    EXPECT_GE(taken, bytes);
    EXPECT_LE(taken, bytes * 5 / 4 + 2 * kAlignment) << bytes;
    free_bytes(p, bytes);
  }
}

TEST(Allocator, EmptyCacheGivesBack) {
  free_bytes(allocate_bytes(1 << 18), 1 << 18);
  EXPECT_GT(allocator_stats().cached_bytes, 0u);
  empty_cache();
  EXPECT_EQ(allocator_stats().cached_bytes, 0u);
}

TEST(Allocator, BlocksMayBeFreedByAnotherThread) {
  std::vector<void*> blocks(100);
  std::thread([&] {
    for (void*& p : blocks) p = allocate_bytes(4096);
  }).join();
  std::thread([&] {
    for (void* p : blocks) free_bytes(p, 4096);
  }).join();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 2000; ++i)
        free_bytes(allocate_bytes(static_cast<size_t>(i) * 7), static_cast<size_t>(i) * 7);
    });
  for (auto& t : threads) t.join();
}

TEST(Allocator, SaysWhatItCannotGive) {
  try {
    allocate_bytes(size_t{1} << 50);
    FAIL();
  } catch (const UserError& e) {
    EXPECT_EQ(e.message(), "1125899906842624 bytes asked for, more than any machine has");
    EXPECT_EQ(e.hint(), "check the sizes of the tensor");
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer) && \
    !__has_feature(thread_sanitizer)
// In a child whose memory is limited. What was there before goes on, and so do other requests.
TEST(Allocator, SaysWhenTheSystemHasNoMore) {
  pid_t child = fork();
  if (child == 0) {
    const rlimit limit{size_t{4} << 30, size_t{4} << 30};
    setrlimit(RLIMIT_AS, &limit);
    try {
      allocate_bytes(size_t{1} << 36);
    } catch (const UserError& e) {
      const bool said = std::string(e.what()) ==
                        "[allocate] the system has no 68719476736 bytes to give\n  try: smaller "
                        "batches, or free tensors that are no longer needed";
      const uint64_t live = allocator_stats().live_bytes;
      free_bytes(allocate_bytes(1000), 1000);
      _exit(said && allocator_stats().live_bytes == live ? 0 : 1);
    }
    _exit(2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}
#endif

TEST(Allocator, WhatIsIdleIsGivenBackForOtherSizes) {
  constexpr size_t kBytes = size_t{64} << 20;
  std::vector<void*> blocks;
  for (int i = 0; i < 40; ++i) blocks.push_back(allocate_bytes(kBytes));
  for (void* b : blocks) free_bytes(b, kBytes);
  EXPECT_GE(allocator_stats().cached_bytes, 40 * kBytes);
  free_bytes(allocate_bytes(kBytes), kBytes);  // one of them fits
  EXPECT_GE(allocator_stats().cached_bytes, 40 * kBytes);
  free_bytes(allocate_bytes(3 * kBytes), 3 * kBytes);
  EXPECT_LT(allocator_stats().cached_bytes, 5 * kBytes);
}

TEST(Allocator, ObserverSeesThisThreadsAllocations) {
  std::vector<size_t> seen;
  set_allocation_observer(
      [](size_t bytes, void* ctx) { static_cast<std::vector<size_t>*>(ctx)->push_back(bytes); },
      &seen);
  free_bytes(allocate_bytes(123), 123);
  std::thread([] { free_bytes(allocate_bytes(456), 456); }).join();
  set_allocation_observer(nullptr, nullptr);
  free_bytes(allocate_bytes(789), 789);
  EXPECT_EQ(seen, std::vector<size_t>{123});
}

}  // namespace
}  // namespace frit
