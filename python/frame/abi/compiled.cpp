#include "frame/abi/compiled.h"

#include <cstddef>
#include <new>

#include "frame/abi/availability.h"
#include "frame/abi/compiled_call.h"
#include "frame/abi/owned.h"

namespace frit::frame {
namespace {

Compiled* of(PyObject* self) { return reinterpret_cast<Compiled*>(self); }

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(of(self)->callable);
  Py_VISIT(of(self)->rebuild);
  Py_VISIT(of(self)->options);
  Py_VISIT(of(self)->attributes);
  return 0;
}

int clear(PyObject* self) {
  of(self)->function = nullptr;
  Py_CLEAR(of(self)->callable);
  Py_CLEAR(of(self)->rebuild);
  Py_CLEAR(of(self)->options);
  Py_CLEAR(of(self)->attributes);
  return 0;
}

void deallocate(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (of(self)->weak_references) {
    PyObject_ClearWeakRefs(self);
  }
  clear(self);
  of(self)->handler.~shared_ptr();
  PyObject_GC_Del(self);
}

// Its own attributes first, then the function's.
PyObject* get_attribute(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError) || !of(self)->callable) {
    return found;
  }
  PyErr_Clear();
  return PyObject_GetAttr(of(self)->callable, name);
}

PyObject* represent(PyObject* self) {
  return PyUnicode_FromFormat("<compiled %R>", of(self)->callable);
}

PyObject* bind(PyObject* self, PyObject* instance, PyObject*) {
  if (!instance || instance == Py_None || !PyFunction_Check(of(self)->callable)) {
    return Py_NewRef(self);
  }
  return PyMethod_New(self, instance);
}

PyGetSetDef properties[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

// What functools.wraps copies. The rest is read through.
bool take_attributes(PyObject* self) {
  of(self)->attributes = PyDict_New();
  if (!of(self)->attributes ||
      PyDict_SetItemString(of(self)->attributes, "__wrapped__", of(self)->callable) < 0) {
    return false;
  }
  for (const char* name : {"__module__", "__name__", "__qualname__", "__doc__"}) {
    const Owned value(PyObject_GetAttrString(of(self)->callable, name));
    if (!value) {
      PyErr_Clear();
    } else if (PyDict_SetItemString(of(self)->attributes, name, value.get()) < 0) {
      return false;
    }
  }
  return true;
}

PyTypeObject make_type() {
  PyTypeObject type{};
  type.ob_base = PyVarObject{PyObject_HEAD_INIT(nullptr) 0};
  type.tp_name = "frit.CompiledFunction";
  type.tp_basicsize = sizeof(Compiled);
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                  Py_TPFLAGS_METHOD_DESCRIPTOR;
  type.tp_vectorcall_offset = offsetof(Compiled, vectorcall);
  type.tp_weaklistoffset = offsetof(Compiled, weak_references);
  type.tp_dictoffset = offsetof(Compiled, attributes);
  type.tp_call = PyVectorcall_Call;
  type.tp_dealloc = deallocate;
  type.tp_traverse = traverse;
  type.tp_clear = clear;
  type.tp_getattro = get_attribute;
  type.tp_setattro = PyObject_GenericSetAttr;
  type.tp_repr = represent;
  type.tp_descr_get = bind;
  type.tp_getset = properties;
  type.tp_methods = compiled_methods;
  return type;
}

PyObject* function_below(PyObject* callable) {
  if (PyMethod_Check(callable)) {
    callable = PyMethod_GET_FUNCTION(callable);
  }
  return PyFunction_Check(callable) ? callable : nullptr;
}

}  // namespace

PyTypeObject* compiled_type() {
  static PyTypeObject type = make_type();
  static const bool ready = PyType_Ready(&type) == 0;
  return ready ? &type : nullptr;
}

bool is_compiled(PyObject* object) { return Py_TYPE(object) == compiled_type(); }
FrameHandler& handler_of(PyObject* compiled) { return *of(compiled)->handler; }
PyObject* wrapped_of(PyObject* compiled) { return of(compiled)->callable; }

PyObject* make_compiled(PyObject* callable, std::shared_ptr<FrameHandler> handler,
                        PyObject* rebuild, PyObject* options) {
  if (!PyCallable_Check(callable)) {
    PyErr_Format(PyExc_TypeError, "[compile] given %.200s, expected a callable",
                 Py_TYPE(callable)->tp_name);
    return nullptr;
  }
  capture_available();  // finds out now, not in a call
  PyObject* function = function_below(callable);
  if (function && makes_generator(function)) {
    const std::string text =
        "[compile] given a function that makes a generator or a coroutine, expected one that "
        "returns its result: it runs "
        "as plain Python (compile the functions that it calls)";
    return notice_once("generator", text) ? Py_NewRef(callable) : nullptr;
  }
  PyTypeObject* type = compiled_type();
  Compiled* made = type ? PyObject_GC_New(Compiled, type) : nullptr;
  if (!made) {
    return nullptr;
  }
  made->vectorcall = call_compiled;
  made->callable = Py_NewRef(callable);
  made->function = function;
  made->rebuild = Py_NewRef(rebuild);
  made->options = Py_NewRef(options);
  made->attributes = nullptr;
  made->weak_references = nullptr;
  new (&made->handler) std::shared_ptr<FrameHandler>(std::move(handler));
  const Owned owner(reinterpret_cast<PyObject*>(made));
  PyObject_GC_Track(made);
  return take_attributes(owner.get()) ? Py_NewRef(owner.get()) : nullptr;
}

}  // namespace frit::frame
