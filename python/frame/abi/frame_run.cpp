#include "frame/abi/frame.h"
#include "frame/abi/hook.h"
#include "frame/abi/layout.h"
#include "frame/abi/opcodes.h"
#include "frame/abi/owned.h"
#include "frame/abi/stack_room.h"

namespace frit::frame {
namespace {

// A frame's code while a clone stands in its place; each is owned by its frame.
void exchange_code(RawFrame* frame, PyCodeObject* code) {
  PyCodeObject* old = Layout::code(frame);
  Py_INCREF(code);
  Layout::set_code(frame, code);
  Py_DECREF(old);
}

// A frame object that outlives its frame has taken over the frame's code, which a clone must not
// be.
void restore_in_traceback(PyCodeObject* clone, PyCodeObject* code) {
  PyObject* exception = Layout::take_raised();
  const Owned traceback(PyException_GetTraceback(exception));
  if (traceback && PyTraceBack_Check(traceback.get())) {
    auto* entry = reinterpret_cast<PyTracebackObject*>(traceback.get());
    RawFrame* frame = Layout::of_frame_object(entry->tb_frame);
    if (frame && Layout::code(frame) == clone) {
      const int position = Layout::position(frame);
      exchange_code(frame, code);
      Layout::set_executing(frame, position);
    }
  }
  Layout::set_raised(exception);
}

}  // namespace

FrameRun::FrameRun(PyThreadState* thread, RawFrame* frame, CodeInfo& info, FrameHandler& handler)
    : thread_(thread), frame_(frame), code_(Layout::code(frame)), info_(&info), handler_(&handler) {
  Py_INCREF(code_);
  locals_ = Layout::slots(frame);
  local_count_ = code_->co_nlocalsplus;
  depth_ = Layout::stack_top(frame) - local_count_;
  unit_ = Layout::next(frame);
  link();
}

FrameRun::~FrameRun() {
  Py_XDECREF(result_);
  Py_DECREF(code_);
}

void FrameRun::link() {
  Layout::hide_stack(frame_);
  Layout::set_executing(frame_, unit_);
  Layout::set_previous(frame_, Layout::current(thread_));
  Layout::current(thread_) = frame_;
  Layout::add_recursion(thread_, 1);  // as the evaluator counts a frame that it runs
}

void FrameRun::unlink() {
  Layout::add_recursion(thread_, -1);
  Layout::current(thread_) = Layout::previous(frame_);
  Layout::set_stack_top(frame_, local_count_ + depth_);
}

PyFunctionObject* FrameRun::function() const {
  return reinterpret_cast<PyFunctionObject*>(Layout::function(frame_));
}
PyObject* FrameRun::globals() const { return Layout::globals(frame_); }
PyObject* FrameRun::builtins() const { return Layout::builtins(frame_); }
bool FrameRun::is_generator() const { return Layout::is_generator(frame_); }

void FrameRun::set_instruction(int unit) {
  unit_ = unit;
  Layout::set_executing(frame_, unit);
}

void FrameRun::set_local(int index, PyObject* stolen) {
  PyObject* old = locals_[index];
  locals_[index] = stolen;
  Py_XDECREF(old);
}

void FrameRun::set_stack(std::span<PyObject* const> stolen) {
  drop_stack(0);
  for (PyObject* object : stolen) {
    push(object);
  }
}

void FrameRun::drop_stack(int depth) {
  while (depth_ > depth) {
    Py_XDECREF(pop());
  }
}

PyObject* FrameRun::handled_exception() const { return Layout::handled_exception(thread_); }

void FrameRun::set_handled_exception(PyObject* stolen) {
  PyObject* old = std::exchange(Layout::handled_exception(thread_), stolen);
  Py_XDECREF(old);
}

// Enters the evaluator at instruction(), or where it raises.
PyObject* FrameRun::evaluate(PyCodeObject* code, bool raising) {
  unlink();
  if (code != code_) {
    exchange_code(frame_, code);
  }
  if (raising) {
    const Instruction* instruction = info_->at(unit_);
    Layout::set_raising(frame_, instruction ? instruction->op_unit : unit_);
  } else {
    Layout::set_next(frame_, unit_);
  }
  const SpareRecursion spare(thread_);
  return Layout::evaluate(thread_, frame_, raising);
}

FrameRun::Outcome FrameRun::done(PyObject* result) {
  done_ = true;
  result_ = result;
  return Outcome::kDone;
}

FrameRun::Outcome FrameRun::run_clone(const Stops& stops) {
  if (Layout::is_observed(thread_)) {
    return done(evaluate(code_, false));  // a debugger has come in: it is to see the code itself
  }
  PyCodeObject* clone = info_->clone(stops);
  if (!clone) {
    return done(leave_raising());
  }
  const Owned alive(Layout::is_generator(frame_) ? Py_NewRef(Layout::generator(frame_)) : nullptr);
  const Layout::Before before = Layout::before(thread_, frame_);
  PyObject* result = evaluate(clone, false);
  bool stopped = Layout::may_have_stopped(thread_, frame_, clone, before);
  if (stopped && Layout::kCallerClears) {
    stopped = stops.contains(Layout::position(frame_));
  }
  if (stopped) {
    Layout::repair(thread_, before);
    unit_ = Layout::position(frame_);
    depth_ = info_->at(unit_)->depth;
    exchange_code(frame_, code_);
    link();
    return Outcome::kStopped;
  }
  if (clone != code_) {
    if (Layout::kCallerClears || alive) {
      const int position = Layout::position(frame_);
      if (Layout::code(frame_) == clone) {
        exchange_code(frame_, code_);
        Layout::set_executing(frame_, position);
      }
    }
    if (!Layout::kCallerClears && !result && PyErr_Occurred()) {
      restore_in_traceback(clone, code_);
    }
  }
  return done(result);
}

FrameRun::Outcome FrameRun::step() {
  const OfferFrames offer(*handler_);
  if (run_plainly()) {
    if (PyErr_Occurred()) {
      return raise_step();
    }
    if (info_->can_stop(unit_)) {
      return Outcome::kStopped;
    }
  }
  return run_clone(info_->step_stops(unit_));
}

FrameRun::Outcome FrameRun::run_until(const Stops& stops) {
  const OfferFrames offer(*handler_);
  if (stops.contains(unit_)) {
    const Outcome outcome = step();
    if (outcome == Outcome::kDone || stops.contains(unit_)) {
      return outcome;
    }
  }
  return run_clone(stops);
}

// As the evaluator does it: a traceback entry, the stack cut, where it raised, the exception.
bool FrameRun::unwind(PyObject* exception) {
  const auto found = info_->handler(unit_);
  if (!found) {
    return false;
  }
  const int raised_at = info_->at(unit_) ? info_->at(unit_)->op_unit : unit_;
  drop_stack(found->depth);
  if (found->lasti) {
    push(PyLong_FromLong(raised_at));
  }
  push(exception);
  set_instruction(found->target);
  return true;
}

FrameRun::Outcome FrameRun::raise_step() {
  if (!info_->handler(unit_)) {
    return done(leave_raising());
  }
  if (const Instruction* instruction = info_->at(unit_)) {
    Layout::set_executing(frame_, instruction->op_unit);
  }
  if (PyFrameObject* object = PyThreadState_GetFrame(thread_)) {
    PyTraceBack_Here(object);
    Py_DECREF(object);
  }
  unwind(Layout::take_raised());
  return Outcome::kStopped;
}

FrameRun::Outcome FrameRun::raise_until(const Stops& stops) {
  const Outcome outcome = raise_step();
  if (outcome == Outcome::kDone || stops.contains(unit_)) {
    return outcome;
  }
  return run_until(stops);
}

// Out of the frame: nothing in it handles the exception. The evaluator clears the frame and notes
// it in the traceback, where a position that it takes to be further on is put right.
PyObject* FrameRun::leave_raising() {
  const Instruction* instruction = info_->at(unit_);
  const int at = (instruction ? instruction->op_unit : unit_) * kUnitBytes;
  PyObject* result = evaluate(code_, true);
  if (Layout::kRaiseOffset != 0 && !result && PyErr_Occurred()) {
    PyObject* exception = Layout::take_raised();
    const Owned traceback(PyException_GetTraceback(exception));
    auto* entry = reinterpret_cast<PyTracebackObject*>(traceback.get());
    if (entry && entry->tb_lasti == at + Layout::kRaiseOffset * kUnitBytes) {
      entry->tb_lasti = at;
      entry->tb_lineno = PyCode_Addr2Line(code_, at);
    }
    Layout::set_raised(exception);
  }
  return result;
}

PyObject* FrameRun::take_result() { return std::exchange(result_, nullptr); }

PyObject* FrameRun::finish() {
  const OfferFrames offer(*handler_);
  done(evaluate(code_, false));
  return take_result();
}

PyObject* FrameRun::finish_raising() {
  if (raise_step() == Outcome::kStopped) {
    return finish();
  }
  return take_result();
}

}  // namespace frit::frame
