// C++ exceptions as Python's.
#include <new>

#include "base/location.h"
#include "base/symbol.h"
#include "bindings/python.h"
#include "core/state.h"
#include "frame/walk/made_once.h"

namespace frit::python {
namespace {

PyObject* type_of(const UserError& e) {
  if (e.message().starts_with("ZeroDivisionError")) return PyExc_ZeroDivisionError;
  switch (e.kind()) {
    case ErrorKind::type:
      return PyExc_TypeError;
    case ErrorKind::value:
      return PyExc_ValueError;
    case ErrorKind::index:
      return PyExc_IndexError;
    case ErrorKind::not_implemented:
      return PyExc_NotImplementedError;
    case ErrorKind::runtime:
      break;
  }
  return PyExc_RuntimeError;
}

// The folder of this package with a slash: frames of its files are not the user's.
std::string_view package_folder() {
  return walk::made_once([] {
    nb::object spec = nb::steal(PyImport_ImportModule("frit"));
    if (!spec.is_valid()) {
      PyErr_Clear();
      return std::string("\n");
    }
    std::string file = nb::cast<std::string>(nb::handle(spec).attr("__file__"));
    return file.substr(0, file.rfind('/') + 1);
  });
}

std::string_view text_of(PyObject* o) {
  Py_ssize_t n = 0;
  const char* s = PyUnicode_AsUTF8AndSize(o, &n);
  if (!s) {
    PyErr_Clear();
    return "?";
  }
  return {s, static_cast<size_t>(n)};
}

}  // namespace

thread_local SourceLocation (*t_walked_location)(const PyCodeObject*) = nullptr;

bool is_of_package(std::string_view file) { return file.starts_with(package_folder()); }

bool interpreter_runs() {
#if PY_VERSION_HEX >= 0x030d0000
  return Py_IsInitialized() && !Py_IsFinalizing();
#else
  return Py_IsInitialized() && !_Py_IsFinalizing();
#endif
}

HeldObject::~HeldObject() {
  if (!interpreter_runs()) return;
  WithGil gil;
  Py_DECREF(object_);
}

void throw_python() { throw nb::python_error(); }

SourceLocation python_location() {
  SourceLocation where;
  nb::object frame = nb::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  while (frame.is_valid()) {
    auto* f = reinterpret_cast<PyFrameObject*>(frame.ptr());
    nb::object code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(f)));
    auto* c = reinterpret_cast<PyCodeObject*>(code.ptr());
    if (t_walked_location)
      if (SourceLocation walked = t_walked_location(c)) return walked;
    std::string_view file = text_of(c->co_filename);
    if (!file.starts_with(package_folder())) {
      where.file = intern(file).c_str();
      where.function = intern(text_of(c->co_qualname)).c_str();
      int line = PyFrame_GetLineNumber(f);
      where.line = line > 0 ? static_cast<uint32_t>(line) : 0;
      break;
    }
    frame = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetBack(f)));
  }
  return where;
}

SourceLocation location_if_watched() {
  if (!recording() || t_location) return {};
  return python_location();
}

void raise_current() noexcept {
  try {
    throw;
  } catch (nb::python_error& e) {
    e.restore();
  } catch (const UserError& e) {
    try {
      UserError located = e.where() ? e : e.at(python_location());
      PyErr_SetString(type_of(e), located.what());
    } catch (...) {
      PyErr_SetString(type_of(e), e.what());
    }
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "an exception of an unknown type");
  }
}

}  // namespace frit::python
