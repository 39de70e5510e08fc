// The object's layout and its call: what the files that make it up share.
#pragma once

#include <memory>

#include "frame/abi/frame.h"

namespace frit::frame {

struct Compiled {
  PyObject base;
  vectorcallfunc vectorcall;
  PyObject* callable;
  PyObject* function;  // borrowed: the Python function below callable, or null
  PyObject* rebuild;
  PyObject* options;
  PyObject* attributes;
  PyObject* weak_references;
  std::shared_ptr<FrameHandler> handler;
};

PyObject* call_compiled(PyObject* self, PyObject* const* arguments, size_t count, PyObject* names);
bool makes_generator(PyObject* function);
extern PyMethodDef compiled_methods[];  // __reduce__, __copy__, __deepcopy__

}  // namespace frit::frame
