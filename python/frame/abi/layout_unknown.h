// The Layout of versions and builds whose frames are not known: never asked at run time, since
// capture is off.
#pragma once

#include "frame/abi/python.h"

struct _PyInterpreterFrame;

namespace frit::frame {

using RawFrame = _PyInterpreterFrame;

struct Layout {
  static constexpr bool kSupported = false;
  static constexpr const char* kTrap = "RETURN_VALUE";
  static constexpr bool kCallerClears = false;
  static constexpr bool kCallableFirst = true;
  static constexpr bool kMethodBit = true;
  static constexpr int kRaiseOffset = 0;
  static constexpr int kCRecursionLimit = 1000;

  static PyCodeObject* code(const RawFrame*) { return nullptr; }
  static void set_code(RawFrame*, PyCodeObject*) {}
  static PyObject* function(const RawFrame*) { return nullptr; }
  static int position(const RawFrame*) { return 0; }
  static int next(const RawFrame*) { return 0; }
  static void set_next(RawFrame*, int) {}
  static void set_executing(RawFrame*, int) {}
  static void set_raising(RawFrame*, int) {}
  static RawFrame*& current(PyThreadState*) { return no_frame(); }
  static void add_recursion(PyThreadState*, int) {}
  static int c_recursion(const PyThreadState*) { return 0; }
  static void give_c_recursion(PyThreadState*, int) {}
  static bool is_observed(const PyThreadState*) { return false; }
  static bool is_monitored(const PyInterpreterState*, const PyCodeObject*) { return false; }
  static PyObject** slots(RawFrame*) { return nullptr; }
  static int stack_top(const RawFrame*) { return 0; }
  static void hide_stack(RawFrame*) {}
  static void set_stack_top(RawFrame*, int) {}
  static PyObject* globals(const RawFrame*) { return nullptr; }
  static PyObject* builtins(const RawFrame*) { return nullptr; }
  static void set_previous(RawFrame*, RawFrame*) {}
  static RawFrame* previous(const RawFrame*) { return nullptr; }
  static bool is_generator(const RawFrame*) { return false; }
  static PyObject* generator(RawFrame*) { return Py_None; }
  static bool has_frame_object(const RawFrame*) { return false; }
  static RawFrame* of_frame_object(PyFrameObject*) { return nullptr; }
  static PyObject*& handled_exception(PyThreadState*) {
    static PyObject* none = nullptr;
    return none;
  }

  struct Before {};
  static Before before(const PyThreadState*, const RawFrame*) { return {}; }
  static bool may_have_stopped(PyThreadState*, RawFrame*, PyCodeObject*, const Before&) {
    return false;
  }
  static void repair(PyThreadState*, const Before&) {}

  using Evaluator = _PyFrameEvalFunction;
  static PyObject* evaluate(PyThreadState*, RawFrame*, int) { return nullptr; }
  static Evaluator evaluator(PyInterpreterState*) { return nullptr; }
  static void set_evaluator(PyInterpreterState*, Evaluator) {}

  static PyObject* take_raised() { return PyErr_GetRaisedException(); }
  static void set_raised(PyObject* stolen) { PyErr_SetRaisedException(stolen); }

  // What is known of a code object is of use without its frames.
  static Py_ssize_t request_extra(freefunc free) {
    return PyUnstable_Eval_RequestCodeExtraIndex(free);
  }
  static int get_extra(PyCodeObject* c, Py_ssize_t i, void** p) {
    return PyUnstable_Code_GetExtra(reinterpret_cast<PyObject*>(c), i, p);
  }
  static int set_extra(PyCodeObject* c, Py_ssize_t i, void* p) {
    return PyUnstable_Code_SetExtra(reinterpret_cast<PyObject*>(c), i, p);
  }

 private:
  static RawFrame*& no_frame() {
    static RawFrame* frame = nullptr;
    return frame;
  }
};

}  // namespace frit::frame
