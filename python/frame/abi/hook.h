// The evaluator hook of PEP 523. It is installed for as long as a frame is awaited, or while frames
// below a handled one are offered, and stands in front of whatever hook it finds, which gets all
// other frames.
#pragma once

#include "frame/abi/frame.h"
#include "frame/abi/layout.h"

namespace frit::frame {

// Waits for the next new frame of a function, which goes to the handler, for as long as it lives or
// until the frame has arrived. One waits at a time in a thread: the innermost.
class AwaitFrame {
 public:
  AwaitFrame(PyObject* function, FrameHandler& handler);
  ~AwaitFrame();
  AwaitFrame(const AwaitFrame&) = delete;
  AwaitFrame& operator=(const AwaitFrame&) = delete;

  bool matches(PyObject* function) const { return function == function_; }
  FrameHandler& arrive();  // no longer waits

 private:
  PyObject* function_;  // null: has arrived
  FrameHandler& handler_;
  AwaitFrame* outer_;
};

// Gives a frame to a handler: sets it up before and sees it off after, whatever the handler did
// with it.
PyObject* run_frame(PyThreadState* thread, RawFrame* frame, FrameHandler& handler);

}  // namespace frit::frame
