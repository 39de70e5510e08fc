// Python's C API and nanobind, with what every file of this folder uses of them.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <utility>

#include "base/error.h"

namespace frit::python {

namespace nb = nanobind;

// Sets the exception that is being handled as Python's: UserErrors by their kind, with the place in
// the Python program that called Frit.
void raise_current() noexcept;

// Runs `fn` between Python and C++: what it throws becomes Python's exception, and `failed` the
// result.
template <class R, class F>
R guarded(R failed, F&& fn) noexcept {
  try {
    return std::forward<F>(fn)();
  } catch (...) {
    raise_current();
    return failed;
  }
}
template <class F>
PyObject* guarded(F&& fn) noexcept {
  return guarded<PyObject*>(nullptr, std::forward<F>(fn));
}

// The line of the Python program that is running: the innermost one outside of this package. Needs
// the GIL.
SourceLocation python_location();
// Is the file one of this package's?
bool is_of_package(std::string_view file);
// Where a frame is walked that CPython does not have: its place, if `code` is that of the frame it
// runs in; else empty.
extern thread_local SourceLocation (*t_walked_location)(const PyCodeObject* code);
// The same where an interceptor or a scope wants to know it; else empty, which costs nothing.
SourceLocation location_if_watched();

// Throws the exception that Python has set.
[[noreturn]] void throw_python();
inline PyObject* checked(PyObject* o) {
  if (!o) throw_python();
  return o;
}
inline void checked(int status) {
  if (status < 0) throw_python();
}

// Lets other Python threads run while this scope computes.
class WithoutGil {
 public:
  explicit WithoutGil(bool release) : state_(release ? PyEval_SaveThread() : nullptr) {}
  ~WithoutGil() {
    if (state_) PyEval_RestoreThread(state_);
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};
class WithGil {
 public:
  WithGil() : state_(PyGILState_Ensure()) {}
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_;
};

// A reference that a C++ object holds on any thread: given back with the GIL. After the interpreter
// is gone there is nothing to give back.
class HeldObject {
 public:
  explicit HeldObject(PyObject* o) : object_(Py_NewRef(o)) {}
  HeldObject(const HeldObject&) = delete;
  HeldObject& operator=(const HeldObject&) = delete;
  ~HeldObject();
  PyObject* get() const { return object_; }

 private:
  PyObject* object_;
};

bool interpreter_runs();

}  // namespace frit::python
