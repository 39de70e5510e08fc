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

constexpr size_t kStep = 32, kClasses = 48;  // objects of up to 1,536 bytes
// Objects of a class that a thread keeps.
constexpr uint32_t depth_of(size_t c) { return c < 16 ? 64 : 16; }

struct Free {
  Free* next;
};
struct Pool {
  Pool() {
    for (size_t c = 0; c < kClasses; ++c) room[c] = depth_of(c);
  }
  ~Pool();
  Free* first[kClasses] = {};
  uint32_t room[kClasses];  // how many more it keeps
};
// Trivial, so that objects which die after the thread's pool still find them.
thread_local constinit Pool* t_pool = nullptr;
thread_local constinit bool t_over = false;

Pool::~Pool() {
  t_pool = nullptr;
  t_over = true;
  for (size_t c = 0; c < kClasses; ++c)
    while (Free* f = first[c]) {
      first[c] = f->next;
      ::operator delete(f);
    }
}

[[gnu::noinline]] Pool* make_pool() {
  if (t_over) return nullptr;
  static thread_local Pool pool;
  return t_pool = &pool;
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
  if (Pool* pool = t_pool)
    if (Free* f = pool->first[c]) {
      pool->first[c] = f->next;
      ++pool->room[c];
      return f;
    }
  return ::operator new((c + 1) * kStep);
}

void free_object(void* object, size_t bytes) noexcept {
  const size_t c = class_of(bytes);
  if (c >= kClasses) return ::operator delete(object);
  Pool* pool = t_pool ? t_pool : make_pool();
  if (!pool || pool->room[c] == 0) return ::operator delete(object);
  pool->first[c] = new (object) Free{pool->first[c]};
  --pool->room[c];
}

#endif

}  // namespace frit
