#include "frame/testing/stepper.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "frame/abi/availability.h"

namespace frit::frame {
namespace {

class Mark : public Attachment {};

// A frame that was rebuilt from plain values is as good as the one CPython built.
void move_out_and_in(FrameRun& frame) {
  const size_t count = static_cast<size_t>(frame.local_count() + frame.depth());
  std::vector<PyObject*> held(frame.slots(), frame.slots() + count);
  std::fill_n(frame.slots(), count, nullptr);
  std::copy(held.begin(), held.end(), frame.slots());
}

}  // namespace

void Stepper::mark(CodeInfo& info) {
  if (!info.attachment) {
    info.attachment = std::make_unique<Mark>();
  }
}

void Stepper::mark_files(std::string beginning) { files_ = std::move(beginning); }

bool Stepper::wants(PyCodeObject* code, PyFunctionObject*) {
  const CodeInfo* info = CodeInfo::known(code);
  bool marked = info && info->attachment;
  if (!marked && !files_.empty()) {
    const char* file = PyUnicode_AsUTF8(code->co_filename);
    marked = file && std::string_view(file).starts_with(files_);
    PyErr_Clear();
  }
  return marked && !why_observed(PyThreadState_Get(), code);
}

PyObject* Stepper::run(FrameRun& frame) {
  frames++;
  const Instruction* first = frame.info().at(frame.instruction());
  mismatches += !first || first->depth != frame.depth();
  do {
    if (why_observed(PyThreadState_Get(), frame.code())) {
      return frame.finish();
    }
    stops++;
    move_out_and_in(frame);
  } while (frame.step() == FrameRun::Outcome::kStopped);
  return frame.take_result();
}

}  // namespace frit::frame
