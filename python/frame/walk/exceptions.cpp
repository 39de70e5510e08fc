// `with`, `try` and `raise`: CPython's own exception state, moved as its instructions do.
#include <fmt/format.h>

#include "frame/walk/stack.h"

namespace frit::walk {
namespace {

// Raises `e` with the traceback it has.
void raise_again(PyObject* e) {
  PyErr_Restore(Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(e))), Py_NewRef(e),
                PyException_GetTraceback(e));
}

}  // namespace

bool Walker::step_exception(Frame& f, const Instruction& i) {
  _PyErr_StackItem* state = PyThreadState_Get()->exc_info;
  switch (i.op) {
    case Op::before_with: {
      static PyObject* const n_enter = name_of("__enter__");
      static PyObject* const n_exit = name_of("__exit__");
      Value manager = top(f);
      auto missing = [&](const char* method) {
        PyErr_Format(PyExc_TypeError,
                     "'%.200s' object does not support the context manager protocol%s",
                     manager.type()->tp_name, method);
        return false;
      };
      Value enter = special(manager, n_enter);
      if (!enter) return !PyErr_Occurred() && !halted_ ? missing("") : false;
      Value exit = special(manager, n_exit);
      if (!exit)
        return !PyErr_Occurred() && !halted_ ? missing(" (missed __exit__ method)") : false;
      // What enters pushes two values: no frame can be left in the middle of it.
      std::optional<Committed> committed;
      if (PyMethod_Check(enter.get())) committed.emplace(*this);
      Args none_given;
      Value r = call(enter, none_given);
      if (!r) return false;
      top(f) = std::move(exit);
      return push(f, std::move(r));
    }
    case Op::with_except_start: {
      Value e = top(f), exit = top(f, 4);
      Ref traceback = Ref::take(PyException_GetTraceback(e.get()));
      Value t = traceback ? known_or_constant(traceback.release()) : none();
      Committed committed(*this);
      Value r = call_with(exit, {constant(reinterpret_cast<PyObject*>(e.type())), e, t});
      return r && push(f, std::move(r));
    }
    case Op::push_exc_info: {
      Value e = top(f);
      PyObject* before = state->exc_value;
      Value was = before ? taken(before) : none();
      was.shadow = handled_changed_ ? handled_.shadow : &handled_at_entry_;
      handled_ = e;
      handled_changed_ = true;
      state->exc_value = Py_NewRef(e.get());
      top(f) = std::move(was);
      return push(f, std::move(e));
    }
    case Op::pop_except: {
      PyObject* old = state->exc_value;
      handled_ = top(f);
      handled_changed_ = !is_handled_at_entry(handled_);
      state->exc_value = handled_.get() == Py_None ? nullptr : Py_NewRef(handled_.get());
      Py_XDECREF(old);
      drop(f, 1);
      return true;
    }
    case Op::check_exc_match: {
      Value wanted = top(f), e = top(f, 2);
      auto is_class = [](PyObject* o) { return PyExceptionClass_Check(o); };
      if (PyTuple_Check(wanted.get())) {
        use_length(wanted);
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(wanted.get()); ++k) {
          Value t = item_at(wanted, k);
          use_identity(t);
          if (is_class(t.get())) continue;
          wanted = t;
          break;
        }
      } else {
        use_identity(wanted);
      }
      if (!PyTuple_Check(wanted.get()) && !is_class(wanted.get())) {
        PyErr_SetString(PyExc_TypeError,
                        "catching classes that do not inherit from BaseException is not allowed");
        return false;
      }
      use_type(e);
      const int r = PyErr_GivenExceptionMatches(e.get(), top(f).get());
      drop(f, 1);
      return push(f, boolean(r));
    }
    case Op::reraise: {
      // The real frame is left by CPython, which knows the line it was first raised at.
      if (f.real && !f.decoded->handler_of(i.unit) && committed_ == 0 && !suspended()) {
        halted_ = true;
        return false;
      }
      f.raised_at = i.arg ? static_cast<int>(PyLong_AsLong(top(f, i.arg + 1).get())) : i.unit;
      Value e = top(f);
      drop(f, 1);
      raise_again(e.get());
      reraised_ = true;
      return false;
    }
    case Op::raise_varargs: {
      Value cause = i.arg == 2 ? top(f) : Value(), e = i.arg >= 1 ? top(f, i.arg) : Value();
      if (!e) {
        if (!handled_changed_) lose("raise", "what is handled where the entry begins is raised");
        _PyErr_StackItem* s = state;
        while ((!s->exc_value || s->exc_value == Py_None) && s->previous_item) s = s->previous_item;
        if (!s->exc_value || s->exc_value == Py_None) {
          PyErr_SetString(PyExc_RuntimeError, "No active exception to reraise");
          return false;
        }
        raise_again(s->exc_value);
        f.raised_at = i.unit;
        reraised_ = true;
        return false;
      }
      auto instance = [&](Value& v) {
        if (!PyExceptionClass_Check(v.get())) return true;
        use_identity(v);
        Committed committed(*this);
        v = call_with(v, {});
        return static_cast<bool>(v);
      };
      if (!instance(e)) return false;
      if (!PyExceptionInstance_Check(e.get())) {
        PyErr_SetString(PyExc_TypeError, "exceptions must derive from BaseException");
        return false;
      }
      if (cause) {
        if (!instance(cause)) return false;
        if (cause.get() != Py_None && !PyExceptionInstance_Check(cause.get())) {
          PyErr_SetString(PyExc_TypeError, "exception causes must derive from BaseException");
          return false;
        }
        PyException_SetCause(e.get(), cause.get() == Py_None ? nullptr : Py_NewRef(cause.get()));
      }
      PyErr_SetObject(reinterpret_cast<PyObject*>(e.type()), e.get());
      return false;
    }
    default:
      return false;
  }
}

}  // namespace frit::walk
