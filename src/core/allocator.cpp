#include "core/allocator.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "base/error.h"

namespace frit {
namespace {

// Size classes: four per power of two, so at most a fifth of a block is wasted.
constexpr int kClasses = 4 * 48;

constexpr int class_of(size_t bytes) {
  if (bytes <= 64) return 0;
  int log = std::bit_width(bytes - 1) - 1;  // bytes in (2^log, 2^(log+1)]
  size_t quarter = size_t{1} << (log - 2);
  return (log - 6) * 4 + static_cast<int>((bytes - 1 - (size_t{1} << log)) / quarter) + 1;
}

constexpr size_t class_bytes(int c) {
  if (c == 0) return 64;
  int log = (c - 1) / 4 + 6;
  size_t quarter = size_t{1} << (log - 2);
  size_t bytes = (size_t{1} << log) + quarter * static_cast<size_t>((c - 1) % 4 + 1);
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// What class_of and class_bytes are for small blocks, by bytes in sixteens, rounded up.
struct Class {
  uint8_t number = 0;
  uint16_t bytes = 0;
};
constexpr size_t kTableBytes = 2048;
constexpr auto kTable = [] {
  std::array<Class, kTableBytes / 16 + 1> table;
  for (size_t i = 0; i < table.size(); ++i) {
    const int c = class_of(16 * i);
    table[i] = {static_cast<uint8_t>(c), static_cast<uint16_t>(class_bytes(c))};
  }
  return table;
}();

struct Rounded {
  int number;
  size_t bytes;
};
inline Rounded rounded_to_class(size_t bytes) {
  if (bytes <= kTableBytes) {
    const Class& c = kTable[(bytes + 15) / 16];
    return {c.number, c.bytes};
  }
  const int c = class_of(bytes);
  return {c, class_bytes(c)};
}

struct Bin {
  std::mutex mutex;
  std::vector<void*> blocks;
};

// Allocations that a thread has counted, and those before it that had the counter.
struct Counter {
  std::atomic<uint64_t> allocations{0};  // written by its thread alone
  std::atomic<bool> taken{true};
  Counter* next = nullptr;
};

// What is cached is what the system gave and nobody has: a call that a thread's cache serves counts
// what is live, and nothing else that other threads count, too.
struct Shared {
  Bin bins[kClasses];
  std::atomic<uint64_t> from_system{0}, live{0}, peak{0}, system_bytes{0};
  std::atomic<uint64_t> allocations{0};     // of threads that are about to end
  std::atomic<Counter*> counters{nullptr};  // never freed: a forked child finds them as they were
};

// Never destroyed: tensors of static storage duration free their memory late.
union NeverDestroyed {
  constexpr NeverDestroyed() : shared() {}
  ~NeverDestroyed() {}
  Shared shared;
};
constinit NeverDestroyed g_shared;
Shared& shared() { return g_shared.shared; }

constexpr int kThreadClasses = 4 * 14;  // blocks up to 1 MiB are cached per thread
constexpr int kThreadDepth = 32;
// A step over small tensors holds more of one size at once than one over large ones.
constexpr int depth_of(int c) { return c <= 4 * 4 ? kThreadDepth : 8; }

Counter* take_counter() {
  auto& first = shared().counters;
  for (Counter* c = first.load(std::memory_order_acquire); c; c = c->next)
    if (!c->taken.load(std::memory_order_relaxed) &&
        !c->taken.exchange(true, std::memory_order_acquire))
      return c;
  auto* c = new Counter;
  c->next = first.load(std::memory_order_relaxed);
  while (!first.compare_exchange_weak(c->next, c, std::memory_order_release)) {
  }
  return c;
}

thread_local AllocationObserver t_observer = nullptr;
thread_local void* t_observer_ctx = nullptr;

struct ThreadCache {
  void* blocks[kThreadClasses][kThreadDepth];
  int8_t count[kThreadClasses] = {};
  Counter* counter = take_counter();
  ~ThreadCache();
};
// Trivial, so that memory which is given back after the thread's cache ended still finds them.
thread_local constinit ThreadCache* t_cache = nullptr;
thread_local constinit bool t_cache_over = false;

[[gnu::noinline]] ThreadCache* make_thread_cache() {
  if (t_cache_over) return nullptr;
  static thread_local ThreadCache cache;
  return t_cache = &cache;
}
inline ThreadCache* thread_cache() { return t_cache ? t_cache : make_thread_cache(); }

void give_to_bin(int c, void* block) {
  Bin& bin = shared().bins[c];
  std::lock_guard lock(bin.mutex);
  bin.blocks.push_back(block);
}

ThreadCache::~ThreadCache() {
  t_cache = nullptr;
  t_cache_over = true;
  counter->taken.store(false, std::memory_order_release);
  for (int c = 0; c < kThreadClasses; ++c)
    for (int i = 0; i < count[c]; ++i) give_to_bin(c, blocks[c][i]);
}

void raise_peak(uint64_t live) {
  auto& peak = shared().peak;
  uint64_t seen = peak.load(std::memory_order_relaxed);
  while (live > seen && !peak.compare_exchange_weak(seen, live, std::memory_order_relaxed)) {
  }
}

// A process may hold so much for reuse, or as much as is live where that is more. Asked only where
// no cached block fits, so that steps that repeat themselves never give anything back.
constexpr uint64_t kMostCached = uint64_t{1} << 30;

void* from_system(size_t bytes) {
  const uint64_t live = shared().live.load(std::memory_order_relaxed),
                 held = shared().system_bytes.load(std::memory_order_relaxed) + bytes;
  if (held > live + std::max(kMostCached, live)) empty_cache();
  void* p = std::aligned_alloc(kAlignment, bytes);
  if (p) return p;
  empty_cache();
  p = std::aligned_alloc(kAlignment, bytes);
  if (!p)
    throw UserError(ErrorKind::runtime, "allocate",
                    "the system has no " + std::to_string(bytes) + " bytes to give",
                    "smaller batches, or free tensors that are no longer needed");
  return p;
}

}  // namespace

void* allocate_bytes(size_t bytes) {
  if (bytes > (size_t{1} << 47))
    throw UserError(ErrorKind::runtime, "allocate",
                    std::to_string(bytes) + " bytes asked for, more than any machine has",
                    "check the sizes of the tensor");
  const auto [c, rounded] = rounded_to_class(bytes);
  Shared& s = shared();
  ThreadCache* cache = thread_cache();
  if (cache) {
    std::atomic<uint64_t>& n = cache->counter->allocations;
    n.store(n.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  } else {
    s.allocations.fetch_add(1, std::memory_order_relaxed);
  }
  if (t_observer) t_observer(bytes, t_observer_ctx);
  raise_peak(s.live.fetch_add(rounded, std::memory_order_relaxed) + rounded);
  if (cache && c < kThreadClasses && cache->count[c] > 0)
    return cache->blocks[c][--cache->count[c]];
  {
    Bin& bin = s.bins[c];
    std::lock_guard lock(bin.mutex);
    if (!bin.blocks.empty()) {
      void* p = bin.blocks.back();
      bin.blocks.pop_back();
      return p;
    }
  }
  s.from_system.fetch_add(1, std::memory_order_relaxed);
  try {
    void* p = from_system(rounded);
    s.system_bytes.fetch_add(rounded, std::memory_order_relaxed);
    return p;
  } catch (...) {
    s.live.fetch_sub(rounded, std::memory_order_relaxed);
    throw;
  }
}

void free_bytes(void* block, size_t bytes) {
  if (!block) return;
  const auto [c, rounded] = rounded_to_class(bytes);
  Shared& s = shared();
  s.live.fetch_sub(rounded, std::memory_order_relaxed);
  if (c < kThreadClasses)
    if (ThreadCache* cache = thread_cache(); cache && cache->count[c] < depth_of(c)) {
      cache->blocks[c][cache->count[c]++] = block;
      return;
    }
  give_to_bin(c, block);
}

void empty_cache() {
  Shared& s = shared();
  if (ThreadCache* cache = thread_cache())
    for (int c = 0; c < kThreadClasses; ++c)
      while (cache->count[c] > 0) {
        std::free(cache->blocks[c][--cache->count[c]]);
        s.system_bytes.fetch_sub(class_bytes(c), std::memory_order_relaxed);
      }
  for (int c = 0; c < kClasses; ++c) {
    std::lock_guard lock(s.bins[c].mutex);
    for (void* p : s.bins[c].blocks) std::free(p);
    s.system_bytes.fetch_sub(class_bytes(c) * s.bins[c].blocks.size(), std::memory_order_relaxed);
    s.bins[c].blocks.clear();
  }
}

AllocatorStats allocator_stats() {
  Shared& s = shared();
  uint64_t allocations = s.allocations.load();
  for (const Counter* c = s.counters.load(std::memory_order_acquire); c; c = c->next)
    allocations += c->allocations.load(std::memory_order_relaxed);
  // Beside other threads at work the two are not of one moment.
  const uint64_t live = s.live.load(), system = s.system_bytes.load();
  return {allocations, s.from_system.load(), live, s.peak.load(),
          system > live ? system - live : 0};
}

void reset_peak_bytes() { shared().peak = shared().live.load(); }

void set_allocation_observer(AllocationObserver observer, void* ctx) {
  t_observer = observer;
  t_observer_ctx = ctx;
}

}  // namespace frit
