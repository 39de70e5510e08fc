#include "frame/abi/stack_room.h"

#include <pthread.h>

#include <algorithm>
#include <cstddef>

namespace frit::frame {
namespace {

constexpr size_t kLeftToPython = size_t{1} << 20;

const char* find_limit() {
  pthread_attr_t attributes;
  void* low = nullptr;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
    return nullptr;
  }
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  return static_cast<const char*>(low) + std::min(kLeftToPython, size / 2);
}

}  // namespace

bool stack_is_short() {
  static thread_local const char* limit = find_limit();
  return reinterpret_cast<const char*>(__builtin_frame_address(0)) < limit;
}

}  // namespace frit::frame
