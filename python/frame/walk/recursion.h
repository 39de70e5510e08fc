// Calls that the walk makes count as the Python calls they are.
#pragma once
#include "frame/walk/ref.h"

namespace frit::walk {

class WalkedCall {
 public:
  // Not entered: a RecursionError is set.
  WalkedCall() {
#if PY_VERSION_HEX >= 0x030c0000
    PyThreadState* thread = PyThreadState_Get();
    entered_ = thread->py_recursion_remaining > 1;
    if (entered_)
      --thread->py_recursion_remaining;
    else
      PyErr_SetString(PyExc_RecursionError, "maximum recursion depth exceeded");
#else
    entered_ = Py_EnterRecursiveCall("") == 0;
#endif
  }
  ~WalkedCall() {
    if (!entered_) return;
#if PY_VERSION_HEX >= 0x030c0000
    ++PyThreadState_Get()->py_recursion_remaining;
#else
    Py_LeaveRecursiveCall();
#endif
  }
  WalkedCall(const WalkedCall&) = delete;
  WalkedCall& operator=(const WalkedCall&) = delete;
  bool entered() const { return entered_; }

 private:
  bool entered_ = false;
};

}  // namespace frit::walk
