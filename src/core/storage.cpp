#include "core/storage.h"

namespace frit {

uint64_t Storage::next_id() {
  // A thread takes them by the block.
  constexpr uint64_t kBlock = 1024;
  static std::atomic<uint64_t> blocks{1};
  static thread_local constinit uint64_t next = 0, end = 0;
  if (next == end) {
    next = blocks.fetch_add(1, std::memory_order_relaxed) * kBlock;
    end = next + kBlock;
  }
  return next++;
}

void Storage::drop() {
  if (!borrowed_)
    free_bytes(data_, bytes_);
  else if (release_)
    std::exchange(release_, nullptr)();
  data_ = nullptr;
  borrowed_ = true;
}

}  // namespace frit
