#include "core/object_pool.h"

#include <cstdint>
#include <new>

namespace frit {
namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define FRIT_PLAIN_OBJECTS  // a sanitizer must see each object come and go
#endif
#endif

#ifndef FRIT_PLAIN_OBJECTS

constexpr size_t kStep = 32, kClasses = 16;  // objects of up to 512 bytes
constexpr uint32_t kDepth = 64;              // objects of a class that a thread keeps

struct Free {
  Free* next;
};
struct Pool {
  Free* first[kClasses] = {};
  uint32_t count[kClasses] = {};
  ~Pool();
};
// Trivial, so that objects which die after the thread's pool still find it.
thread_local bool t_over = false;
thread_local Pool t_pool;

Pool::~Pool() {
  t_over = true;
  for (size_t c = 0; c < kClasses; ++c)
    while (Free* f = first[c]) {
      first[c] = f->next;
      ::operator delete(f);
    }
}

size_t class_of(size_t bytes) { return (bytes - 1) / kStep; }

#endif

}  // namespace

#ifdef FRIT_PLAIN_OBJECTS

void* allocate_object(size_t bytes) { return ::operator new(bytes); }
void free_object(void* object, size_t) noexcept { ::operator delete(object); }

#else

void* allocate_object(size_t bytes) {
  const size_t c = class_of(bytes);
  if (c >= kClasses) return ::operator new(bytes);
  if (!t_over)
    if (Pool& pool = t_pool; Free* f = pool.first[c]) {
      pool.first[c] = f->next;
      --pool.count[c];
      return f;
    }
  return ::operator new((c + 1) * kStep);
}

void free_object(void* object, size_t bytes) noexcept {
  const size_t c = class_of(bytes);
  if (c >= kClasses || t_over || t_pool.count[c] == kDepth) return ::operator delete(object);
  Pool& pool = t_pool;
  pool.first[c] = new (object) Free{pool.first[c]};
  ++pool.count[c];
}

#endif

}  // namespace frit
