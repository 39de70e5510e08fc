// Runs marked code one instruction at a time; before each, all that the frame holds is moved out of
// it and in again.
#pragma once

#include <string>

#include "frame/abi/frame.h"

namespace frit::frame {

class Stepper : public FrameHandler {
 public:
  PyObject* run(FrameRun& frame) override;
  bool wants_frames() const override { return true; }
  bool wants(PyCodeObject* code, PyFunctionObject* function) override;
  static void mark(CodeInfo& info);
  void mark_files(std::string beginning);  // of the names of files whose code is marked

  long frames = 0;
  long stops = 0;
  long mismatches = 0;  // between the analysed depth of a stack and a real one

 private:
  std::string files_;
};

}  // namespace frit::frame
