// Whether frames can be taken: in this process at all, and at this moment.
#pragma once

#include <string>

#include "frame/abi/python.h"

namespace frit::frame {

// Whether this interpreter's frames are what this build knows. Tried once, on a small function that
// is left and taken up at every instruction; put off while it is traced.
bool capture_available();
bool is_being_tested();  // by another thread, or further out in this one
// Subinterpreters have their own hooks, and none of ours.
bool in_main_interpreter(PyThreadState* thread);
std::string why_unavailable();  // in the user's words; "" if it is available, or not known yet

// As on an interpreter that is not known, for tests of what is said and done then.
void pretend_unavailable(const std::string& why);

// Why a call made now must be left to CPython: tracing, profiling, monitoring. Null: nothing.
const char* why_observed(PyThreadState* thread, const PyCodeObject* code);

// A RuntimeWarning, once for each kind in a process. False: warnings are errors here, and it is
// set.
bool notice_once(const char* kind, const std::string& text);

}  // namespace frit::frame
