#include "core/storage.h"

namespace frit {

uint64_t Storage::next_id() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
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
