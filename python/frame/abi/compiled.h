// The object that `compile` returns. Calling it calls the function, whose frame is given to a
// handler; in every other respect it is the function: name, signature, binding, attributes,
// pickling.
#pragma once

#include <memory>

#include "frame/abi/frame.h"

namespace frit::frame {

// For a function, a bound method or another callable (which is called as it is). Pickled, and
// copied, as `rebuild(callable, options)`. Functions that make generators or coroutines are
// returned as they are, with a notice. New reference; null with an exception set.
PyObject* make_compiled(PyObject* callable, std::shared_ptr<FrameHandler> handler,
                        PyObject* rebuild, PyObject* options);

PyTypeObject* compiled_type();  // null with an exception set
bool is_compiled(PyObject* object);
FrameHandler& handler_of(PyObject* compiled);
PyObject* wrapped_of(PyObject* compiled);  // borrowed

}  // namespace frit::frame
