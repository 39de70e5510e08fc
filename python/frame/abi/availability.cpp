#include "frame/abi/availability.h"

#include <set>

#include "frame/abi/layout.h"
#include "frame/abi/self_test.h"

namespace frit::frame {
namespace {

enum class Tested { kNo, kGood, kBad };

Tested tested = Tested::kNo;
std::string reason;

std::string unsuitable() {
#if defined(Py_GIL_DISABLED)
  return "this Python is a free-threaded build";
#elif defined(Py_DEBUG)
  return "this Python is a debug build";
#elif !FRIT_FRAMES
  return "Python " + std::to_string(PY_MAJOR_VERSION) + "." + std::to_string(PY_MINOR_VERSION) +
         " keeps its frames in a way that is not known here (3.11, 3.12 and 3.13 are)";
#else
  if ((Py_Version ^ PY_VERSION_HEX) >> 16 != 0) {
    return "this build is for Python " + std::to_string(PY_MAJOR_VERSION) + "." +
           std::to_string(PY_MINOR_VERSION);
  }
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    return "this is a subinterpreter";
  }
  return "";
#endif
}

}  // namespace

bool capture_available() {
  if (tested == Tested::kNo) {
    reason = unsuitable();
#if FRIT_FRAMES
    if (reason.empty()) {
      if (why_observed(PyThreadState_Get(), nullptr)) {
        return true;  // nothing is captured now; the first call that can be finds out
      }
      reason = self_test();
    }
#endif
    tested = reason.empty() ? Tested::kGood : Tested::kBad;
  }
  return tested == Tested::kGood;
}

std::string why_unavailable() { return capture_available() ? "" : reason; }

const char* why_observed([[maybe_unused]] PyThreadState* thread,
                         [[maybe_unused]] const PyCodeObject* code) {
#if FRIT_FRAMES
  if (Layout::is_observed(thread)) {
    return "a trace or profile function is set (a debugger, coverage, a profiler)";
  }
  if (Layout::is_monitored(thread->interp, code)) {
    return "sys.monitoring events are on (a debugger, coverage, a profiler)";
  }
#endif
  return nullptr;
}

bool notice_once(const char* kind, const std::string& text) {
  static std::set<std::string> given;
  if (!given.insert(kind).second) {
    return true;
  }
  return PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) == 0;
}

}  // namespace frit::frame
