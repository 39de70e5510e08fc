// A mutex of four bytes whose uncontended lock and unlock are one atomic operation each: what
// guards objects that every op makes.
#pragma once
#include <atomic>

namespace frit {

class SmallLock {
 public:
  void lock() {
    int seen = kFree;
    if (state_.compare_exchange_strong(seen, kTaken, std::memory_order_acquire)) return;
    while (state_.exchange(kAwaited, std::memory_order_acquire) != kFree)
      state_.wait(kAwaited, std::memory_order_relaxed);
  }
  void unlock() {
    if (state_.exchange(kFree, std::memory_order_release) == kAwaited) state_.notify_one();
  }

 private:
  static constexpr int kFree = 0, kTaken = 1, kAwaited = 2;
  std::atomic<int> state_{kFree};
};

}  // namespace frit
