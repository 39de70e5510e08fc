// C's stack and CPython's count of it. A frame that went through the hook costs C stack that it
// would not cost without: the count is given what the hook took, as long as there really is room.
#pragma once

#include <algorithm>
#include <cstddef>

#include "frame/abi/layout.h"

namespace frit::frame {

// What is left of this thread's stack, in bytes; 0 where that is not known.
size_t stack_room();
// Whether that is less than CPython's own limits may need.
bool stack_is_short();

class SpareRecursion {
 public:
  explicit SpareRecursion(PyThreadState* thread) : thread_(thread) {
    const auto room = static_cast<int>(stack_room() / kBytesOfUnit);
    given_ = Layout::c_recursion(thread_) + kUnits <= room ? kUnits : 0;
    Layout::give_c_recursion(thread_, given_);
  }
  ~SpareRecursion() { Layout::give_c_recursion(thread_, -given_); }
  SpareRecursion(const SpareRecursion&) = delete;
  SpareRecursion& operator=(const SpareRecursion&) = delete;

 private:
  static constexpr int kUnits = 2;  // what one entry of the evaluator takes
  // What 3.13 reckons with: its limit for the usual stack. 3.12's is lower.
  static constexpr size_t kBytesOfUnit =
      std::min((size_t{8} << 20) / Layout::kCRecursionLimit, size_t{2048});
  PyThreadState* thread_;
  int given_;
};

}  // namespace frit::frame
