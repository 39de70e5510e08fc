#include "frame/abi/compiled_call.h"

#include "frame/abi/availability.h"
#include "frame/abi/hook.h"
#include "frame/abi/layout.h"

namespace frit::frame {
namespace {

// The calls that this thread is in, the innermost first.
struct Active {
  const Compiled* compiled;
  const Active* outer;
};

thread_local const Active* active = nullptr;

bool is_active(const Compiled* compiled) {
  for (const Active* call = active; call; call = call->outer) {
    if (call->compiled == compiled) {
      return true;
    }
  }
  return false;
}

// Whether this call is left to CPython; why is said once. -1: saying it raised.
int steps_aside(const Compiled* compiled) {
  if (!compiled->function || is_active(compiled) || is_being_tested()) {
    return 1;
  }
  const auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(compiled->function));
  PyThreadState* thread = PyThreadState_Get();
  if (const char* why = why_observed(thread, code)) {
    const std::string text =
        std::string("[compile] given a call while ") + why +
        ", expected none: compiled functions run as plain Python as long as that lasts";
    return notice_once("observed", text) ? 1 : -1;
  }
  if (!capture_available()) {
    const std::string text =
        "[compile] " + why_unavailable() +
        ": compiled functions run as plain Python (use CPython 3.11, 3.12 or 3.13)";
    return notice_once("unavailable", text) ? 1 : -1;
  }
  if (makes_generator(compiled->function)) {
    return 1;  // its code was replaced
  }
  return 0;
}

}  // namespace

bool makes_generator(PyObject* function) {
  const auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function));
  return (code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)) != 0;
}

PyObject* call_compiled(PyObject* self, PyObject* const* arguments, size_t count, PyObject* names) {
  auto* compiled = reinterpret_cast<Compiled*>(self);
  const int aside = steps_aside(compiled);
  if (aside < 0) {
    return nullptr;
  }
  if (aside == 0) {
    Py_INCREF(self);  // the call may drop the last reference to it
    PyObject* result = nullptr;
    {
      const Active call{compiled, active};
      active = &call;
      const AwaitFrame wait(compiled->function, *compiled->handler);
      result = PyObject_Vectorcall(compiled->callable, arguments, count, names);
      active = call.outer;
    }
    Py_DECREF(self);
    return result;
  }
  return PyObject_Vectorcall(compiled->callable, arguments, count, names);
}

}  // namespace frit::frame
