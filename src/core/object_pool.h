// Memory of the small objects that every op makes and drops (tensors, storages, tape nodes): free
// lists of each thread by size, for malloc keeps only seven blocks of a size at hand.
#pragma once
#include <cstddef>

namespace frit {

void* allocate_object(size_t bytes);
// `bytes` as it was allocated; on any thread.
void free_object(void* object, size_t bytes) noexcept;

}  // namespace frit
