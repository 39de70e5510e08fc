// The only file that knows how CPython lays out its frames. One struct, one set of names; each
// difference between versions is one conditional here. Versions and builds that are not known get a
// struct of the same names that does nothing: capture is off there, and says so.
#pragma once

#include "frame/abi/python.h"

#if PY_VERSION_HEX >= 0x030b0000 && PY_VERSION_HEX < 0x030e0000 && !defined(Py_DEBUG) && \
    !defined(Py_GIL_DISABLED) && !defined(FRIT_FRAMES_UNKNOWN)
#define FRIT_FRAMES 1
#define FRIT_PYTHON_IS(minor) (PY_MINOR_VERSION == (minor))
#ifndef Py_BUILD_CORE
#define Py_BUILD_CORE 1
#endif
#undef HAVE_STD_ATOMIC  // C's <stdatomic.h>, which is not C++'s
#undef _PyGC_FINALIZED  // a macro outside of the core, a function in it
#include <internal/pycore_ceval.h>
#include <internal/pycore_code.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_genobject.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_pystate.h>
#undef Py_BUILD_CORE
#else
#define FRIT_FRAMES 0
#include "frame/abi/layout_unknown.h"
#endif

namespace frit::frame {

#if FRIT_FRAMES

using RawFrame = _PyInterpreterFrame;

struct Layout {
  static constexpr bool kSupported = true;
  static constexpr const char* kTrap = FRIT_PYTHON_IS(11) ? "RETURN_VALUE" : "INTERPRETER_EXIT";
  // Who clears a frame when it is done: its caller, or the evaluator.
  static constexpr bool kCallerClears = FRIT_PYTHON_IS(11);
  // A call finds its callable below NULL or self.
  static constexpr bool kCallableFirst = FRIT_PYTHON_IS(13);
  // LOAD_ATTR's argument says whether it loads a method.
  static constexpr bool kMethodBit = !FRIT_PYTHON_IS(11);
  // A raising frame's position is this far beyond the instruction.
  static constexpr int kRaiseOffset = FRIT_PYTHON_IS(13) ? 1 : 0;

#if FRIT_PYTHON_IS(13)
  static PyCodeObject* code(const RawFrame* f) {
    return reinterpret_cast<PyCodeObject*>(f->f_executable);
  }
  static void set_code(RawFrame* f, PyCodeObject* code) {
    f->f_executable = reinterpret_cast<PyObject*>(code);
  }
  static int position(const RawFrame* f) {
    return static_cast<int>(f->instr_ptr - _PyCode_CODE(code(f)));
  }
  static int next(const RawFrame* f) { return position(f); }
  static void set_next(RawFrame* f, int unit) { f->instr_ptr = _PyCode_CODE(code(f)) + unit; }
  static void set_executing(RawFrame* f, int unit) { set_next(f, unit); }
  static void set_raising(RawFrame* f, int unit) { set_next(f, unit + kRaiseOffset); }
  static RawFrame*& current(PyThreadState* t) { return t->current_frame; }
#else
  static PyCodeObject* code(const RawFrame* f) { return f->f_code; }
  static void set_code(RawFrame* f, PyCodeObject* code) { f->f_code = code; }
  static int position(const RawFrame* f) {
    return static_cast<int>(f->prev_instr - _PyCode_CODE(code(f)));
  }
  static int next(const RawFrame* f) { return position(f) + 1; }
  static void set_next(RawFrame* f, int unit) { f->prev_instr = _PyCode_CODE(code(f)) + unit - 1; }
  static void set_executing(RawFrame* f, int unit) { f->prev_instr = _PyCode_CODE(code(f)) + unit; }
  static void set_raising(RawFrame* f, int unit) { set_executing(f, unit); }
  static RawFrame*& current(PyThreadState* t) { return t->cframe->current_frame; }
#endif

#if FRIT_PYTHON_IS(11)
  static PyObject* function(const RawFrame* f) { return reinterpret_cast<PyObject*>(f->f_func); }
  static int recursion(const PyThreadState* t) {
    return t->recursion_limit - t->recursion_remaining;
  }
  static void add_recursion(PyThreadState* t, int frames) { t->recursion_remaining -= frames; }
  static void repair_recursion(PyThreadState*) {}
  static constexpr int kCRecursionLimit = 1000;  // has no count of its own
  static int c_recursion(const PyThreadState*) { return 0; }
  static void give_c_recursion(PyThreadState*, int) {}
  static bool is_observed(const PyThreadState* t) { return t->cframe->use_tracing || t->tracing; }
  static bool is_monitored(const PyInterpreterState*, const PyCodeObject*) { return false; }
  static Py_ssize_t request_extra(freefunc free) { return _PyEval_RequestCodeExtraIndex(free); }
  static int get_extra(PyCodeObject* c, Py_ssize_t i, void** p) {
    return _PyCode_GetExtra(object(c), i, p);
  }
  static int set_extra(PyCodeObject* c, Py_ssize_t i, void* p) {
    return _PyCode_SetExtra(object(c), i, p);
  }
#else
  static PyObject* function(const RawFrame* f) { return f->f_funcobj; }
  static int recursion(const PyThreadState* t) {
    return t->py_recursion_limit - t->py_recursion_remaining;
  }
  static void add_recursion(PyThreadState* t, int frames) { t->py_recursion_remaining -= frames; }
  static void repair_recursion(PyThreadState* t) {
    t->py_recursion_remaining++;
  }  // the trap does not give it back
#if FRIT_PYTHON_IS(12)
  static constexpr int kCRecursionLimit = C_RECURSION_LIMIT;
#else
  static constexpr int kCRecursionLimit = Py_C_RECURSION_LIMIT;
#endif
  static int c_recursion(const PyThreadState* t) { return t->c_recursion_remaining; }
  static void give_c_recursion(PyThreadState* t, int units) { t->c_recursion_remaining += units; }
  static bool is_observed(const PyThreadState* t) {
    return t->c_tracefunc || t->c_profilefunc || t->tracing;
  }
  static bool is_monitored(const PyInterpreterState* interpreter, const PyCodeObject* code) {
    for (uint8_t tools : interpreter->monitors.tools) {
      if (tools) {
        return true;
      }
    }
    if (code && code->_co_monitoring) {
      for (uint8_t tools : code->_co_monitoring->local_monitors.tools) {
        if (tools) {
          return true;
        }
      }
    }
    return false;
  }
  static Py_ssize_t request_extra(freefunc free) {
    return PyUnstable_Eval_RequestCodeExtraIndex(free);
  }
  static int get_extra(PyCodeObject* c, Py_ssize_t i, void** p) {
    return PyUnstable_Code_GetExtra(object(c), i, p);
  }
  static int set_extra(PyCodeObject* c, Py_ssize_t i, void* p) {
    return PyUnstable_Code_SetExtra(object(c), i, p);
  }
#endif

  static PyObject** slots(RawFrame* f) { return f->localsplus; }
  static int stack_top(const RawFrame* f) { return f->stacktop; }
  // While nobody but its handler knows how deep the stack is, a frame says it is empty, as
  // CPython's own does.
  static void hide_stack(RawFrame* f) { f->stacktop = -1; }
  static void set_stack_top(RawFrame* f, int slots) { f->stacktop = slots; }
  static PyObject* globals(const RawFrame* f) { return f->f_globals; }
  static PyObject* builtins(const RawFrame* f) { return f->f_builtins; }
  static void set_previous(RawFrame* f, RawFrame* previous) { f->previous = previous; }
  static RawFrame* previous(const RawFrame* f) { return f->previous; }
  static bool is_generator(const RawFrame* f) { return f->owner == FRAME_OWNED_BY_GENERATOR; }
  static PyObject* generator(RawFrame* f) {
    return reinterpret_cast<PyObject*>(_PyFrame_GetGenerator(f));
  }
  static bool has_frame_object(const RawFrame* f) { return f->frame_obj != nullptr; }
  static RawFrame* of_frame_object(PyFrameObject* f) { return f->f_frame; }
  static PyObject*& handled_exception(PyThreadState* t) { return t->exc_info->exc_value; }

  // What must be remembered before a clone runs, to see whether it stopped and to repair what the
  // trap left.
  struct Before {
    RawFrame* current;
    int recursion;
  };
  // Of a frame that is the current one, and is counted as running, and is about to be run.
  static Before before(const PyThreadState* t, const RawFrame* f) {
    return {f->previous, recursion(t) - 1};
  }
  // Whether the evaluator came back through a trap. The frame must not be looked at to find out
  // where the evaluator clears it: after a return its memory may be gone.
  static bool may_have_stopped(PyThreadState* t, RawFrame* f, PyCodeObject* clone,
                               const Before& before) {
    if constexpr (kCallerClears) {
      return code(f) == clone && !PyErr_Occurred();  // and it is at a stop
    } else {
      return recursion(t) == before.recursion + 1;
    }
  }
  static void repair(PyThreadState* t, const Before& before) {
    repair_recursion(t);
    current(t) = before.current;
  }

  using Evaluator = _PyFrameEvalFunction;
  static PyObject* evaluate(PyThreadState* t, RawFrame* f, int raising) {
    return _PyEval_EvalFrameDefault(t, f, raising);
  }
  static Evaluator evaluator(PyInterpreterState* i) {
    return _PyInterpreterState_GetEvalFrameFunc(i);
  }
  static void set_evaluator(PyInterpreterState* i, Evaluator e) {
    _PyInterpreterState_SetEvalFrameFunc(i, e);
  }

  // The set exception, normalised and with its traceback, no longer set; and back.
  static PyObject* take_raised() {
#if FRIT_PYTHON_IS(11)
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback) {
      PyException_SetTraceback(value, traceback);
    }
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    return value;
#else
    return PyErr_GetRaisedException();
#endif
  }
  static void set_raised(PyObject* stolen) {
#if FRIT_PYTHON_IS(11)
    PyErr_Restore(Py_NewRef(Py_TYPE(stolen)), stolen, PyException_GetTraceback(stolen));
#else
    PyErr_SetRaisedException(stolen);
#endif
  }

 private:
  static PyObject* object(PyCodeObject* code) { return reinterpret_cast<PyObject*>(code); }
};

#endif

}  // namespace frit::frame
