// A mutex that a forked child finds usable. fork() copies only the calling thread, so a plain mutex
// held by another thread at that moment stays locked in the child for ever. Every ForkMutex is
// taken before a fork and given back on both sides. For locks of process-wide tables only: such an
// object must live as long as the process, and code that holds one may take no other.
#pragma once
#include <mutex>

namespace frit {

class ForkMutex {
 public:
  ForkMutex();
  ForkMutex(const ForkMutex&) = delete;
  ForkMutex& operator=(const ForkMutex&) = delete;
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }
  bool try_lock() { return mutex_.try_lock(); }

 private:
  friend struct ForkHandlers;
  std::mutex mutex_;
  ForkMutex* next_ = nullptr;
};

}  // namespace frit
