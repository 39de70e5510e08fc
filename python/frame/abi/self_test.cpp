// What CPython does not promise is tried before it is used: first that a frame's fields are where
// they are thought to be, by comparing addresses that are known otherwise, and only then that a
// frame can be left and taken up at every instruction.
#include "frame/abi/self_test.h"

#include "frame/abi/frame.h"
#include "frame/abi/hook.h"
#include "frame/abi/layout.h"
#include "frame/abi/owned.h"

namespace frit::frame {
namespace {

constexpr const char* kProbe = R"(
def probe(a, b):
    c = [a]
    def add(n):
        nonlocal c
        c = c + [n]
    for i in range(2):
        add(i)
    try:
        {}[b]
    except KeyError as error:
        add(error.args[0])
        try:
            raise ValueError(b, *c) from error
        except ValueError as second:
            c.append(len(second.args))
    return tuple(c)
)";

PyObject* expected = nullptr;  // the function whose frame is looked at
PyObject* first_argument = nullptr;
const char* fault = nullptr;

const char* check_fields(PyThreadState* thread, RawFrame* frame) {
  const auto* function = reinterpret_cast<PyFunctionObject*>(expected);
  auto* code = reinterpret_cast<PyCodeObject*>(function->func_code);
  if (Layout::code(frame) != code) {
    return "its code";
  }
  if (Layout::function(frame) != expected) {
    return "its function";
  }
  if (Layout::globals(frame) != function->func_globals ||
      Layout::builtins(frame) != function->func_builtins) {
    return "its globals";
  }
  if (Layout::slots(frame)[0] != first_argument ||
      Layout::stack_top(frame) != code->co_nlocalsplus) {
    return "its locals";
  }
  if (Layout::next(frame) != 0) {
    return "its position";
  }
  if (Layout::is_generator(frame) || Layout::has_frame_object(frame) ||
      Layout::current(thread) == frame) {
    return "its owner";
  }
  return nullptr;
}

PyObject* look(PyThreadState* thread, RawFrame* frame, int raising) {
  PyInterpreterState* interpreter = PyInterpreterState_Get();
  Layout::set_evaluator(interpreter, _PyEval_EvalFrameDefault);
  fault = check_fields(thread, frame);
  return Layout::evaluate(thread, frame, raising);
}

// Leaves the frame before each instruction, with all it holds moved out and in again.
class Stepper : public FrameHandler {
 public:
  PyObject* run(FrameRun& frame) override {
    do {
      steps++;
      if (frame.handled_exception()) {
        handling = true;
      }
      std::vector<PyObject*> held(frame.slots(),
                                  frame.slots() + frame.local_count() + frame.depth());
      std::fill_n(frame.slots(), held.size(), nullptr);
      std::copy(held.begin(), held.end(), frame.slots());
    } while (frame.step() == FrameRun::Outcome::kStopped);
    return frame.take_result();
  }
  int steps = 0;
  bool handling = false;
};

std::string test(PyObject* probe) {
  const Owned first(PyUnicode_FromString("first"));
  PyObject* arguments[] = {first.get(), Py_True};
  expected = probe;
  first_argument = first.get();
  PyInterpreterState* interpreter = PyInterpreterState_Get();
  const Layout::Evaluator found = Layout::evaluator(interpreter);
  fault = "it";
  Layout::set_evaluator(interpreter, look);
  const Owned plain(PyObject_Vectorcall(probe, arguments, 2, nullptr));
  Layout::set_evaluator(interpreter, found);
  if (fault) {
    return std::string("a frame does not have ") + fault + " where it is known to be";
  }
  Stepper stepper;
  Owned stepped;
  {
    const AwaitFrame wait(probe, stepper);
    stepped = Owned(PyObject_Vectorcall(probe, arguments, 2, nullptr));
  }
  if (!plain || !stepped || PyObject_RichCompareBool(plain.get(), stepped.get(), Py_EQ) != 1 ||
      stepper.steps < 30 || !stepper.handling) {
    return "a frame cannot be left and taken up at every instruction";
  }
  return "";
}

}  // namespace

std::string self_test() {
  const Owned scope(PyDict_New());
  if (scope && PyDict_SetItemString(scope.get(), "__builtins__", PyEval_GetBuiltins()) == 0) {
    const Owned ran(PyRun_String(kProbe, Py_file_input, scope.get(), scope.get()));
    PyObject* probe = ran ? PyDict_GetItemString(scope.get(), "probe") : nullptr;
    if (probe) {
      std::string found = test(probe);
      PyErr_Clear();
      return found;
    }
  }
  PyErr_Clear();
  return "its self-test could not be run";
}

}  // namespace frit::frame
