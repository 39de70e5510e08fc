// The caching CPU allocator: 64-byte aligned blocks, kept by size class for the next request, so
// that a repeated call touches no fresh page. Thread-safe; small blocks have a cache per thread.
#pragma once
#include <cstddef>
#include <cstdint>

namespace frit {

inline constexpr size_t kAlignment = 64;

void* allocate_bytes(size_t bytes);          // UserError [allocate] when the system has no memory
void free_bytes(void* block, size_t bytes);  // `bytes` as given to allocate_bytes

// Gives cached blocks back to the system; as does a request that none fits, above 1 GiB of them.
void empty_cache();

struct AllocatorStats {
  uint64_t allocations = 0;   // calls of allocate_bytes since the process began
  uint64_t from_system = 0;   // of them, those no cached block could serve
  uint64_t live_bytes = 0;    // handed out and not freed (rounded to size classes)
  uint64_t peak_bytes = 0;    // highest live_bytes since reset_peak
  uint64_t cached_bytes = 0;  // held for reuse
};
AllocatorStats allocator_stats();
void reset_peak_bytes();

// Called on this thread for each allocation of at least `threshold` bytes while it is installed:
// how tests show that a compiled step allocates nothing of parameter size. nullptr takes it away.
using AllocationObserver = void (*)(size_t bytes, void* ctx);
void set_allocation_observer(AllocationObserver, void* ctx);

}  // namespace frit
