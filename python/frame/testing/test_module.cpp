// The module of the frame tests: frames stepped through in C++, and frames handed to Python
// callables.
#include "frame/testing/test_module.h"

#include <unordered_map>

#include "frame/abi/availability.h"
#include "frame/abi/compiled.h"
#include "frame/abi/frame.h"
#include "frame/abi/layout.h"
#include "frame/abi/owned.h"
#include "frame/testing/frame_object.h"
#include "frame/testing/stepper.h"

namespace frit::frame {
namespace {

Stepper stepper;

class PassThrough : public FrameHandler {
 public:
  PyObject* run(FrameRun& frame) override { return frame.finish(); }
  bool wants_frames() const override { return true; }
};

PassThrough pass_through;

// Gives the frames of each code it was told of to the handler of a compiled object.
class CaptureAll : public FrameHandler {
 public:
  PyObject* run(FrameRun& frame) override {
    frames++;
    return handlers.at(frame.code())->run(frame);
  }
  bool wants_frames() const override { return true; }
  bool wants(PyCodeObject* code, PyFunctionObject*) override {
    return handlers.contains(code) && !why_observed(PyThreadState_Get(), code);
  }
  PyObject* run_returned(FrameRun& frame, PyObject* result) override {
    const auto found = handlers.find(frame.code());
    return found == handlers.end() ? FrameHandler::run_returned(frame, result)
                                   : found->second->run_returned(frame, result);
  }

  std::unordered_map<PyCodeObject*, FrameHandler*> handlers;  // the process's
  long frames = 0;
};

CaptureAll capture_all;

PyObject* compiled(PyObject*, PyObject* arguments) {
  PyObject *callable, *handler, *rebuild = Py_None, *wanted = Py_None;
  if (!PyArg_ParseTuple(arguments, "OO|OO", &callable, &handler, &rebuild, &wanted)) {
    return nullptr;
  }
  return make_compiled(callable, std::make_shared<PythonHandler>(handler, wanted), rebuild,
                       Py_None);
}

PyObject* mark(PyObject*, PyObject* code) {
  if (!PyCode_Check(code)) {
    PyErr_SetString(PyExc_TypeError, "expected a code object");
    return nullptr;
  }
  CodeInfo* info = CodeInfo::of(reinterpret_cast<PyCodeObject*>(code));
  if (!info) {
    return nullptr;
  }
  Stepper::mark(*info);
  Py_RETURN_NONE;
}

PyObject* capture(PyObject*, PyObject* arguments) {
  PyObject *code, *compiled;
  if (!PyArg_ParseTuple(arguments, "O!O", &PyCode_Type, &code, &compiled)) {
    return nullptr;
  }
  if (!is_compiled(compiled)) {
    PyErr_SetString(PyExc_TypeError, "expected a compiled function");
    return nullptr;
  }
  Py_INCREF(compiled);
  capture_all.handlers[reinterpret_cast<PyCodeObject*>(Py_NewRef(code))] = &handler_of(compiled);
  Py_RETURN_NONE;
}

PyObject* mark_files(PyObject*, PyObject* beginning) {
  const char* text = PyUnicode_AsUTF8(beginning);
  if (!text) {
    return nullptr;
  }
  stepper.mark_files(text);
  Py_RETURN_NONE;
}

PyObject* offer(PyObject*, PyObject* what) {
  const long mode = PyLong_AsLong(what);
  FrameHandler* const handlers[] = {nullptr, &pass_through, &stepper, &capture_all};
  if (mode < 0 || mode > 3) {
    PyErr_SetString(PyExc_ValueError, "expected 0 to 3");
    return nullptr;
  }
  offer_all_frames(handlers[mode]);
  Py_RETURN_NONE;
}

PyObject* counts(PyObject*, PyObject*) {
  PyObject* made = Py_BuildValue("{s:l,s:l,s:l}", "frames", stepper.frames + capture_all.frames,
                                 "stops", stepper.stops, "mismatches", stepper.mismatches);
  stepper.frames = stepper.stops = stepper.mismatches = capture_all.frames = 0;
  return made;
}

PyObject* instructions(PyObject*, PyObject* code) {
  CodeInfo* info = CodeInfo::of(reinterpret_cast<PyCodeObject*>(code));
  PyObject* list = info ? PyList_New(0) : nullptr;
  for (size_t i = 0; list && i < info->instructions().size(); i++) {
    const Instruction& at = info->instructions()[i];
    const auto handler = info->handler(at.unit);
    const Owned item(Py_BuildValue("(iiiiiiOii)", at.unit, at.op_unit, at.opcode, at.arg, at.next,
                                   at.target, at.can_stop ? Py_True : Py_False, at.depth,
                                   handler ? handler->target : -1));
    PyList_Append(list, item.get());
  }
  return list;
}

PyObject* successors(PyObject*, PyObject* arguments) {
  PyObject* code;
  int unit;
  if (!PyArg_ParseTuple(arguments, "Oi", &code, &unit)) {
    return nullptr;
  }
  CodeInfo* info = CodeInfo::of(reinterpret_cast<PyCodeObject*>(code));
  PyObject* list = info ? PyList_New(0) : nullptr;
  if (list) {
    for (int next : info->successors(unit)) {
      const Owned item(PyLong_FromLong(next));
      PyList_Append(list, item.get());
    }
  }
  return list;
}

// materialise([(function, locals, stack, instruction, exception or None), ...], handler)
PyObject* make_real(PyObject*, PyObject* arguments) {
  PyObject *list, *handler;
  if (!PyArg_ParseTuple(arguments, "O!O", &PyList_Type, &list, &handler)) {
    return nullptr;
  }
  std::vector<FrameState> frames;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
    PyObject *function, *locals, *stack, *exception;
    int instruction;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(list, i), "OOOiO", &function, &locals, &stack,
                          &instruction, &exception)) {
      return nullptr;
    }
    frames.push_back({reinterpret_cast<PyFunctionObject*>(function), owned_slots(locals),
                      owned_slots(stack), instruction,
                      exception == Py_None ? nullptr : Py_NewRef(exception)});
  }
  auto* python_handler = new PythonHandler(handler, Py_None);  // the process's
  return materialise(frames, *python_handler);
}

// Another tool's hook, which counts frames.
long other_frames = 0;

PyObject* other(PyThreadState* thread, RawFrame* frame, int raising) {
  other_frames++;
  return Layout::evaluate(thread, frame, raising);
}

PyObject* other_hook(PyObject*, PyObject* on) {
  Layout::set_evaluator(PyInterpreterState_Get(),
                        PyObject_IsTrue(on) ? other : _PyEval_EvalFrameDefault);
  Py_RETURN_NONE;
}

PyObject* other_hook_count(PyObject*, PyObject*) { return PyLong_FromLong(other_frames); }

PyObject* other_hook_installed(PyObject*, PyObject*) {
  return PyBool_FromLong(Layout::evaluator(PyInterpreterState_Get()) == other);
}

PyObject* available(PyObject*, PyObject*) {
  return PyUnicode_FromString(why_unavailable().c_str());
}

PyObject* pretend(PyObject*, PyObject* why) {
  const char* text = PyUnicode_AsUTF8(why);
  if (!text) {
    return nullptr;
  }
  pretend_unavailable(text);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"compiled", compiled, METH_VARARGS,
     "compiled(function, handler, rebuild=None, wanted functions=None)"},
    {"mark", mark, METH_O, "frames of this code are stepped through"},
    {"capture", capture, METH_VARARGS,
     "capture(code, compiled): its frames go to that object's handler"},
    {"mark_files", mark_files, METH_O,
     "and those of code from files whose names begin so; empty: none"},
    {"offer", offer, METH_O,
     "frames of all code: 0 not at all, 1 are passed on, 2 are stepped if their code is marked, "
     "3 go to the compiled object given for their code"},
    {"counts", counts, METH_NOARGS, "since the last call"},
    {"instructions", instructions, METH_O,
     "(unit, op_unit, opcode, arg, next, target, can_stop, depth, handler) of each"},
    {"successors", successors, METH_VARARGS, "of a unit of a code"},
    {"materialise", make_real, METH_VARARGS, "make frames real: (frames, handler)"},
    {"other_hook", other_hook, METH_O, "put another tool's hook in place, or take it away"},
    {"other_hook_count", other_hook_count, METH_NOARGS, "frames it has seen"},
    {"other_hook_installed", other_hook_installed, METH_NOARGS, nullptr},
    {"pretend_unavailable", pretend, METH_O, "as on an interpreter that is not known, and why"},
    {"why_unavailable", available, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "_frame_test",
                          nullptr,
                          -1,
                          functions,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

PyObject* make_test_module() {
  PyObject* module = PyModule_Create(&definition);
  if (!module || PyModule_AddObjectRef(module, "NULL", null_object()) < 0 ||
      PyModule_AddObjectRef(module, "Compiled", reinterpret_cast<PyObject*>(compiled_type())) < 0) {
    Py_XDECREF(module);
    return nullptr;
  }
  return module;
}

}  // namespace frit::frame
