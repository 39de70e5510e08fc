// A handler written in Python has frames of its own above the one it handles. While that one runs
// they are taken out of the thread's chain of frames, and put back after: also above the frame's
// memory, should the evaluator have given that back.
#pragma once

#include "frame/abi/frame.h"
#include "frame/abi/layout.h"

namespace frit::frame {

class HandlerAside {
 public:
  explicit HandlerAside(FrameRun& run)
      : run_(run), top_(Layout::current(run.thread_)), lowest_(top_) {
    while (Layout::previous(lowest_) != run.frame_) {
      lowest_ = Layout::previous(lowest_);
    }
    below_ = Layout::previous(run.frame_);
    memory_ = run.thread_->datastack_top;
    Layout::current(run.thread_) = run.frame_;
  }
  ~HandlerAside() {
    if (run_.is_done()) {
      Layout::set_previous(lowest_, below_);
      run_.thread_->datastack_top = memory_;
    }
    Layout::current(run_.thread_) = top_;
  }
  HandlerAside(const HandlerAside&) = delete;
  HandlerAside& operator=(const HandlerAside&) = delete;

 private:
  FrameRun& run_;
  RawFrame* top_;
  RawFrame* lowest_;  // of the handler's
  RawFrame* below_;
  PyObject** memory_;
};

}  // namespace frit::frame
