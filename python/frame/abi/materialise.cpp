// Frames for callees that were inlined: CPython makes each by a call with dummy arguments, and the
// hook fills it in when it arrives.
#include "frame/abi/frame.h"
#include "frame/abi/hook.h"
#include "frame/abi/layout.h"
#include "frame/abi/owned.h"

namespace frit::frame {
namespace {

void release(FrameState& state) {
  for (PyObject* object : state.locals) {
    Py_XDECREF(object);
  }
  for (PyObject* object : state.stack) {
    Py_XDECREF(object);
  }
  Py_XDECREF(state.handled_exception);
  state.locals.clear();
  state.stack.clear();
  state.handled_exception = nullptr;
}

// As many arguments as the function must and may take by position and by name.
PyObject* call_with_dummies(PyFunctionObject* function) {
  const auto* code = reinterpret_cast<PyCodeObject*>(function->func_code);
  const int positional = code->co_argcount;
  const int named = code->co_kwonlyargcount;
  const std::vector<PyObject*> dummies(static_cast<size_t>(positional + named) + 1, Py_None);
  Owned names;
  if (named > 0) {
    names = Owned(PyTuple_GetSlice(code->co_localsplusnames, positional, positional + named));
    if (!names) {
      return nullptr;
    }
  }
  return PyObject_Vectorcall(reinterpret_cast<PyObject*>(function), dummies.data(),
                             static_cast<size_t>(positional), names.get());
}

}  // namespace

class MakeReal : public FrameHandler {
 public:
  MakeReal(std::span<FrameState> frames, FrameHandler& handler)
      : frames_(frames), handler_(handler) {}

  PyObject* run(FrameRun& frame) override {
    frame.handler_ = &handler_;
    fill(frame, frames_[0]);
    if (frames_.size() == 1) {
      return handler_.run(frame);
    }
    frame.set_instruction(frame.info().call_of(frame.instruction()).unit);
    PyObject* result = materialise(frames_.subspan(1), handler_);
    return result ? handler_.run_returned(frame, result) : handler_.run_raised(frame);
  }

 private:
  static void fill(FrameRun& frame, FrameState& state) {
    for (int i = 0; i < frame.local_count(); i++) {
      frame.set_local(i, std::exchange(state.locals[static_cast<size_t>(i)], nullptr));
    }
    frame.set_stack(state.stack);
    state.stack.clear();
    frame.set_instruction(state.instruction);
    if (state.handled_exception) {
      frame.set_handled_exception(std::exchange(state.handled_exception, nullptr));
    }
  }

  std::span<FrameState> frames_;
  FrameHandler& handler_;
};

PyObject* materialise(std::span<FrameState> frames, FrameHandler& handler) {
  MakeReal make(frames, handler);
  PyObject* result = nullptr;
  {
    PyFunctionObject* function = frames[0].function;
    const AwaitFrame wait(reinterpret_cast<PyObject*>(function), make);
    result = call_with_dummies(function);
  }
  for (FrameState& state : frames) {
    release(state);  // what is left of it if its frame could not be made
  }
  return result;
}

bool FrameHandler::wants(PyCodeObject*, PyFunctionObject*) { return false; }

PyObject* FrameHandler::run_returned(FrameRun& frame, PyObject* stolen_result) {
  frame.push(stolen_result);
  frame.set_instruction(frame.info().call_of(frame.instruction()).next);
  return run(frame);
}

PyObject* FrameHandler::run_raised(FrameRun& frame) {
  if (frame.raise_step() == FrameRun::Outcome::kDone) {
    return frame.take_result();
  }
  return run(frame);
}

}  // namespace frit::frame
