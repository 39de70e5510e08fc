#include "frame/abi/stack_room.h"

#include <pthread.h>

namespace frit::frame {
namespace {

constexpr size_t kShort = size_t{1} << 20;

struct Bounds {
  const char* low = nullptr;
  size_t size = 0;
};

Bounds find_bounds() {
  pthread_attr_t attributes;
  void* low = nullptr;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
    return {};
  }
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  return {static_cast<const char*>(low), size};
}

const Bounds& bounds() {
  static thread_local const Bounds found = find_bounds();
  return found;
}

}  // namespace

size_t stack_room() {
  const auto* here = static_cast<const char*>(__builtin_frame_address(0));
  return bounds().low && here > bounds().low ? static_cast<size_t>(here - bounds().low) : 0;
}

bool stack_is_short() { return stack_room() < kShort && stack_room() < bounds().size / 2; }

}  // namespace frit::frame
