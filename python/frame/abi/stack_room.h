// C's stack and CPython's count of it. A frame that went through the hook costs C stack that it
// would not cost without: the count is given what the hook took, as long as there really is room.
#pragma once

#include "frame/abi/layout.h"

namespace frit::frame {

// Whether less is left of this thread's stack than CPython's own limits may need.
bool stack_is_short();

#if FRIT_FRAMES

class SpareRecursion {
 public:
  explicit SpareRecursion(PyThreadState* thread) : thread_(thread) {
    Layout::give_c_recursion(thread_, kUnits);
  }
  ~SpareRecursion() { Layout::give_c_recursion(thread_, -kUnits); }
  SpareRecursion(const SpareRecursion&) = delete;
  SpareRecursion& operator=(const SpareRecursion&) = delete;

 private:
  static constexpr int kUnits = 2;  // what one entry of the evaluator takes
  PyThreadState* thread_;
};

#endif

}  // namespace frit::frame
