// A frame in a handler's hands as a Python object, so that tests of frames are written in Python.
#pragma once

#include "frame/abi/frame.h"

namespace frit::frame {

// The handler calls a Python callable with the frame. The callable returns what is to be done last:
// ("finish", None), ("return", value), ("raise", exception), or ("done", None) if the frame is
// done.
class PythonHandler : public FrameHandler {
 public:
  PythonHandler(PyObject* callable, PyObject* wanted)
      : callable_(callable), wanted_(wanted) {  // the process's
    Py_INCREF(callable);
    Py_INCREF(wanted);
  }
  PyObject* run(FrameRun& frame) override;
  bool wants_frames() const override { return wanted_ != Py_None; }
  bool wants(PyCodeObject* code, PyFunctionObject* function) override;

 private:
  PyObject* callable_;
  PyObject* wanted_;  // a set of functions, or None
};

PyTypeObject* frame_object_type();
PyObject* null_object();  // stands for NULL in lists; borrowed
std::vector<PyObject*> owned_slots(PyObject* list);

}  // namespace frit::frame
