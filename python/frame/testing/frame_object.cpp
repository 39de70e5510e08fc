#include "frame/testing/frame_object.h"

#include <cstring>

#include "frame/abi/layout.h"
#include "frame/abi/owned.h"
#include "frame/testing/handler_aside.h"

namespace frit::frame {
namespace {

struct FrameObject {
  PyObject base;
  FrameRun* run;     // null when the handler has returned
  PyObject* raised;  // what the frame has raised, when it is done
};

FrameRun* of(PyObject* self) {
  FrameRun* run = reinterpret_cast<FrameObject*>(self)->run;
  if (!run || run->is_done()) {
    PyErr_SetString(PyExc_RuntimeError, "the frame is done");
    return nullptr;
  }
  return run;
}

PyObject* to_list(std::span<PyObject* const> slots) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(slots.size()));
  for (size_t i = 0; list && i < slots.size(); i++) {
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i),
                    Py_NewRef(slots[i] ? slots[i] : null_object()));
  }
  return list;
}

PyObject* owned_slot(PyObject* object) {
  return object == null_object() ? nullptr : Py_NewRef(object);
}

bool to_units(PyObject* sequence, std::vector<int>& units) {
  const Owned items(PySequence_Fast(sequence, "units"));
  for (Py_ssize_t i = 0; items && i < PySequence_Fast_GET_SIZE(items.get()); i++) {
    units.push_back(static_cast<int>(PyLong_AsLong(PySequence_Fast_GET_ITEM(items.get(), i))));
  }
  return items && !PyErr_Occurred();
}

void set_exception(PyObject* exception) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception)), exception);
}

// Runs the frame with the handler's own frames out of its way. What it raises is kept for `act`.
template <class Run>
PyObject* run_aside(PyObject* self, FrameRun& run, Run&& how) {
  const HandlerAside aside(run);
  const FrameRun::Outcome outcome = how();
  if (outcome == FrameRun::Outcome::kDone && PyErr_Occurred()) {
    reinterpret_cast<FrameObject*>(self)->raised = Layout::take_raised();
  }
  return PyBool_FromLong(outcome == FrameRun::Outcome::kStopped);
}

PyObject* get_code(PyObject* self, void*) {
  FrameRun* run = of(self);
  return run ? Py_NewRef(reinterpret_cast<PyObject*>(run->code())) : nullptr;
}

PyObject* get_function(PyObject* self, void*) {
  FrameRun* run = of(self);
  return run ? Py_NewRef(reinterpret_cast<PyObject*>(run->function())) : nullptr;
}

PyObject* get_instruction(PyObject* self, void*) {
  FrameRun* run = of(self);
  return run ? PyLong_FromLong(run->instruction()) : nullptr;
}

int set_instruction(PyObject* self, PyObject* value, void*) {
  FrameRun* run = of(self);
  if (!run) {
    return -1;
  }
  run->set_instruction(static_cast<int>(PyLong_AsLong(value)));
  return PyErr_Occurred() ? -1 : 0;
}

PyObject* get_locals(PyObject* self, void*) {
  FrameRun* run = of(self);
  return run ? to_list({run->slots(), static_cast<size_t>(run->local_count())}) : nullptr;
}

int set_locals(PyObject* self, PyObject* list, void*) {
  FrameRun* run = of(self);
  if (!run) {
    return -1;
  }
  std::vector<PyObject*> slots = owned_slots(list);
  for (size_t i = 0; i < slots.size(); i++) {
    run->set_local(static_cast<int>(i), slots[i]);
  }
  return 0;
}

PyObject* get_stack(PyObject* self, void*) {
  FrameRun* run = of(self);
  return run ? to_list(run->stack()) : nullptr;
}

int set_stack(PyObject* self, PyObject* list, void*) {
  FrameRun* run = of(self);
  if (!run) {
    return -1;
  }
  run->set_stack(owned_slots(list));
  return 0;
}

PyObject* get_handled(PyObject* self, void*) {
  FrameRun* run = of(self);
  PyObject* handled = run ? run->handled_exception() : nullptr;
  return run ? Py_NewRef(handled ? handled : Py_None) : nullptr;
}

int set_handled(PyObject* self, PyObject* value, void*) {
  FrameRun* run = of(self);
  if (!run) {
    return -1;
  }
  run->set_handled_exception(value == Py_None ? nullptr : Py_NewRef(value));
  return 0;
}

PyObject* get_generator(PyObject* self, void*) {
  FrameRun* run = of(self);
  return run ? PyBool_FromLong(run->is_generator()) : nullptr;
}

PyObject* step(PyObject* self, PyObject*) {
  FrameRun* run = of(self);
  return run ? run_aside(self, *run, [&] { return run->step(); }) : nullptr;
}

PyObject* run_until(PyObject* self, PyObject* units) {
  FrameRun* run = of(self);
  std::vector<int> at;
  if (!run || !to_units(units, at)) {
    return nullptr;
  }
  return run_aside(self, *run, [&] { return run->run_until(run->info().stops(at)); });
}

PyObject* raise_step(PyObject* self, PyObject* exception) {
  FrameRun* run = of(self);
  if (!run) {
    return nullptr;
  }
  return run_aside(self, *run, [&] {
    set_exception(exception);
    return run->raise_step();
  });
}

PyObject* raise_until(PyObject* self, PyObject* arguments) {
  FrameRun* run = of(self);
  PyObject *exception, *units;
  std::vector<int> at;
  if (!run || !PyArg_ParseTuple(arguments, "OO", &exception, &units) || !to_units(units, at)) {
    return nullptr;
  }
  return run_aside(self, *run, [&] {
    set_exception(exception);
    return run->raise_until(run->info().stops(at));
  });
}

PyMethodDef methods[] = {
    {"step", step, METH_NOARGS, "one instruction; whether it stopped"},
    {"run_until", run_until, METH_O, "to one of these units; whether it stopped"},
    {"raise_step", raise_step, METH_O, "raise at the instruction; whether there is a handler"},
    {"raise_until", raise_until, METH_VARARGS, "raise, and run to one of these units"},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef properties[] = {
    {"code", get_code, nullptr, nullptr, nullptr},
    {"function", get_function, nullptr, nullptr, nullptr},
    {"instruction", get_instruction, set_instruction, nullptr, nullptr},
    {"locals", get_locals, set_locals, nullptr, nullptr},
    {"stack", get_stack, set_stack, nullptr, nullptr},
    {"handled_exception", get_handled, set_handled, nullptr, nullptr},
    {"is_generator", get_generator, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

// What the callable says is to be done last, done without it on the C stack.
PyObject* act(FrameRun& frame, PyObject* answer, PyObject* raised) {
  const char* what = nullptr;
  PyObject* value = nullptr;
  if (!PyArg_ParseTuple(answer, "sO", &what, &value)) {
    return nullptr;
  }
  if (std::strcmp(what, "done") == 0) {
    if (raised) {
      Layout::set_raised(Py_NewRef(raised));
    }
    return frame.take_result();
  }
  if (frame.is_done()) {
    PyErr_SetString(PyExc_RuntimeError, "the frame is done");
    return nullptr;
  }
  if (std::strcmp(what, "finish") == 0) {
    return frame.finish();
  }
  if (std::strcmp(what, "return") == 0) {
    return frame.finish_returning(Py_NewRef(value));
  }
  set_exception(value);
  return frame.finish_raising();
}

}  // namespace

PyObject* PythonHandler::run(FrameRun& frame) {
  const Owned object(PyObject_CallNoArgs(reinterpret_cast<PyObject*>(frame_object_type())));
  if (!object) {
    return nullptr;
  }
  reinterpret_cast<FrameObject*>(object.get())->run = &frame;
  const Owned answer(PyObject_CallOneArg(callable_, object.get()));
  reinterpret_cast<FrameObject*>(object.get())->run = nullptr;
  const Owned raised(std::exchange(reinterpret_cast<FrameObject*>(object.get())->raised, nullptr));
  return answer ? act(frame, answer.get(), raised.get()) : nullptr;
}

bool PythonHandler::wants(PyCodeObject*, PyFunctionObject* function) {
  const int found = PySet_Contains(wanted_, reinterpret_cast<PyObject*>(function));
  return found == 1;
}

std::vector<PyObject*> owned_slots(PyObject* list) {
  std::vector<PyObject*> slots;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
    slots.push_back(owned_slot(PyList_GET_ITEM(list, i)));
  }
  return slots;
}

PyTypeObject* frame_object_type() {
  static PyType_Slot slots[] = {
      {Py_tp_methods, methods},
      {Py_tp_getset, properties},
      {0, nullptr},
  };
  static PyType_Spec spec = {"frit._frame_test.Frame", sizeof(FrameObject), 0, Py_TPFLAGS_DEFAULT,
                             slots};
  static PyObject* type = PyType_FromSpec(&spec);
  return reinterpret_cast<PyTypeObject*>(type);
}

PyObject* null_object() {
  static PyObject* null = PyUnicode_FromString("<NULL>");
  return null;
}

}  // namespace frit::frame
