#include "frame/abi/hook.h"

#include <exception>
#include <utility>

#include "frame/abi/stack_room.h"

namespace frit::frame {
namespace {

struct ThreadState {
  AwaitFrame* awaited = nullptr;
  FrameHandler* below = nullptr;  // frames are offered to it
  int handling = 0;               // handlers' own code is on the C stack, so many deep
};

thread_local ThreadState state;

// How many want the hook installed, over all threads; under the GIL.
int wanted = 0;
Layout::Evaluator before = nullptr;  // what stood where the hook stands
FrameHandler* everywhere = nullptr;

PyObject* hook(PyThreadState* thread, RawFrame* frame, int raising);

void install() {
  PyInterpreterState* interpreter = PyInterpreterState_Get();
  if (wanted++ > 0) {
    return;
  }
  const Layout::Evaluator found = Layout::evaluator(interpreter);
  if (found != hook) {
    before = found;
    Layout::set_evaluator(interpreter, hook);
  }
}

// Another tool that has put its own hook in the meantime, and calls this one from it, is left in
// place.
void remove() {
  if (--wanted > 0) {
    return;
  }
  PyInterpreterState* interpreter = PyInterpreterState_Get();
  if (Layout::evaluator(interpreter) == hook) {
    Layout::set_evaluator(interpreter, before);
  }
}

// Without the hook CPython runs Python's calls of Python without C's stack. When that becomes
// scarce, frames run so, and none below them is taken.
PyObject* without_hook(PyThreadState* thread, RawFrame* frame, int raising) {
  PyInterpreterState* interpreter = PyInterpreterState_Get();
  const bool mine = Layout::evaluator(interpreter) == hook;
  if (mine) {
    Layout::set_evaluator(interpreter, before);
  }
  PyObject* result = before(thread, frame, raising);
  if (mine && wanted > 0 && Layout::evaluator(interpreter) == before) {
    Layout::set_evaluator(interpreter, hook);
  }
  return result;
}

PyObject* pass_on(PyThreadState* thread, RawFrame* frame, int raising) {
  if (wanted == 0 && Layout::evaluator(thread->interp) == hook) {
    Layout::set_evaluator(thread->interp, before);  // put back by a tool that had found it
  }
  if (stack_is_short()) {
    return without_hook(thread, frame, raising);
  }
  const SpareRecursion spare(thread);
  return before(thread, frame, raising);
}

FrameHandler* who_takes(RawFrame* frame) {
  PyObject* function = Layout::function(frame);
  if (state.awaited && state.awaited->matches(function) && !Layout::is_generator(frame)) {
    return &state.awaited->arrive();
  }
  FrameHandler* offered = state.below ? state.below : (state.handling == 0 ? everywhere : nullptr);
  if (!offered || !function || !PyFunction_Check(function) || stack_is_short()) {
    return nullptr;
  }
  PyCodeObject* code = Layout::code(frame);
  constexpr int kGenerators = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR;
  if ((code->co_flags & kGenerators) && !Layout::is_generator(frame)) {
    return nullptr;  // it only makes the generator
  }
  return offered->wants(code, reinterpret_cast<PyFunctionObject*>(function)) ? offered : nullptr;
}

PyObject* hook(PyThreadState* thread, RawFrame* frame, int raising) {
  FrameHandler* handler = raising ? nullptr : who_takes(frame);
  if (!handler) {
    return pass_on(thread, frame, raising);
  }
  return run_frame(thread, frame, *handler);
}

}  // namespace

AwaitFrame::AwaitFrame(PyObject* function, FrameHandler& handler)
    : function_(function), handler_(handler), outer_(state.awaited) {
  state.awaited = this;
  install();
}

AwaitFrame::~AwaitFrame() {
  if (function_) {
    arrive();
  }
}

FrameHandler& AwaitFrame::arrive() {
  function_ = nullptr;
  state.awaited = outer_;
  remove();
  return handler_;
}

OfferFrames::OfferFrames(FrameHandler& handler) : offering_(handler.wants_frames()) {
  if (offering_) {
    previous_ = std::exchange(state.below, &handler);
    install();
  }
}

OfferFrames::~OfferFrames() {
  if (offering_) {
    state.below = previous_;
    remove();
  }
}

void offer_all_frames(FrameHandler* handler) {
  if (handler && !everywhere) {
    install();
  } else if (!handler && everywhere) {
    remove();
  }
  everywhere = handler;
}

PyObject* run_frame(PyThreadState* thread, RawFrame* raw, FrameHandler& handler) {
  CodeInfo* info = CodeInfo::of(Layout::code(raw));
  if (!info) {
    PyErr_Clear();  // of this code too little is known
    return Layout::evaluate(thread, raw, 0);
  }
  // Not what the handler's own code calls.
  AwaitFrame* const awaited = std::exchange(state.awaited, nullptr);
  FrameHandler* const below = std::exchange(state.below, nullptr);
  state.handling++;
  RawFrame* const current = Layout::current(thread);
  PyObject* result = nullptr;
  {
    FrameRun frame(thread, raw, *info, handler);
    try {
      result = handler.run(frame);
    } catch (const std::exception& error) {
      if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
      }
    }
    if (!frame.is_done()) {
      result = result ? frame.finish_returning(result) : frame.finish_raising();
    }
  }
  Layout::current(thread) = current;
  state.handling--;
  state.below = below;
  state.awaited = awaited;
  return result;
}

}  // namespace frit::frame
