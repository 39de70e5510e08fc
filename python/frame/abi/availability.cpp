#include "frame/abi/availability.h"

#include <set>

#include "frame/abi/layout.h"
#include "frame/abi/self_test.h"

namespace frit::frame {
namespace {

enum class Tested { kNo, kNow, kGood, kBad };

Tested tested = Tested::kNo;
std::string reason;

std::string unsuitable() {
#if defined(Py_GIL_DISABLED)
  return "this Python is a free-threaded build";
#elif defined(Py_DEBUG)
  return "this Python is a debug build";
#else
  if (!Layout::kSupported) {
    return "Python " + std::to_string(PY_MAJOR_VERSION) + "." + std::to_string(PY_MINOR_VERSION) +
           " keeps its frames in a way that is not known here (3.11, 3.12 and 3.13 are)";
  }
  if ((Py_Version ^ PY_VERSION_HEX) >> 16 != 0) {
    return "this build is for Python " + std::to_string(PY_MAJOR_VERSION) + "." +
           std::to_string(PY_MINOR_VERSION);
  }
  return "";
#endif
}

}  // namespace

bool capture_available() {
  if (!in_main_interpreter(PyThreadState_Get())) {
    return false;
  }
  if (tested == Tested::kNo) {
    reason = unsuitable();
    if (reason.empty()) {
      if (why_observed(PyThreadState_Get(), nullptr)) {
        return true;  // nothing is captured now; the first call that can be finds out
      }
      tested = Tested::kNow;
      reason = self_test();
    }
    tested = reason.empty() ? Tested::kGood : Tested::kBad;
  }
  return tested == Tested::kGood;
}

bool is_being_tested() { return tested == Tested::kNow; }

bool in_main_interpreter(PyThreadState* thread) {
  return thread->interp == PyInterpreterState_Main();
}

std::string why_unavailable() {
  if (!in_main_interpreter(PyThreadState_Get())) {
    return "this is a subinterpreter";
  }
  return capture_available() ? "" : reason;
}

void pretend_unavailable(const std::string& why) {
  tested = Tested::kBad;
  reason = why;
}

const char* why_observed(PyThreadState* thread, const PyCodeObject* code) {
  if (Layout::is_observed(thread)) {
    return "a trace or profile function is set (a debugger, coverage, a profiler)";
  }
  if (Layout::is_monitored(thread->interp, code)) {
    return "sys.monitoring events are on (a debugger, coverage, a profiler)";
  }
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
