// Generators that are consumed where they are made: in a `for`, or by what takes all they give.
// CPython makes one, too, which never begins; where one cannot be followed, that one is what the
// program has.
#include "frame/walk/recursion.h"
#include "frame/walk/walker.h"

namespace frit::walk {

Value Walker::make_generator(std::unique_ptr<Frame> frame, PyObject* owned) {
  Value v = fresh(owned);
  if (!v.is(ShadowKind::fresh)) return v;
  parts(v).iterates = Iterates::generator;
  parts(v).rebuildable = false;
  auto g = std::make_unique<Generator>();
  frame->stack.reserve(static_cast<size_t>(frame->code->co_stacksize) + 2);
  g->frame = std::move(frame);
  generators_[owned] = std::move(g);
  keep(owned);
  return v;
}

// Is it the object, or does it advance it: zip, map and filter?
bool Walker::goes_over(PyObject* it, PyObject* o) const {
  if (it == o) return true;
  auto known = identity_.find(it);
  if (known == identity_.end() || !known->second->fresh) return false;
  for (const Value& inner : known->second->fresh->inner)
    if (goes_over(inner.get(), o)) return true;
  return false;
}

bool Walker::is_on_a_stack(PyObject* o) const {
  auto on = [&](const Frame* f) {
    for (const Value& v : f->stack)
      if (v && goes_over(v.get(), o)) return true;
    return false;
  };
  for (const Frame* f = current_; f; f = f->back)
    if (on(f)) return true;
  for (const auto& [other, g] : generators_)
    if (g->started && !g->done && on(g->frame.get())) return true;
  return false;
}

// Is one of them in the middle of its body?
bool Walker::suspended() const {
  for (const auto& [o, g] : generators_)
    if (g->started && !g->done && is_on_a_stack(o)) return true;
  return false;
}

Value Walker::next_of_generator(Value& it, Generator& g) {
  if (g.done) return {};
  if (!g.started) {
    // Nobody else may come by it: it must not be seen half way.
    bool seen = !plain_ && parts(it).stored;
    for (const Frame* f = current_; f && !seen; f = f->back)
      for (size_t i = 0; i < f->locals.size(); ++i)
        // What a generator expression goes through, no program comes by.
        seen =
            seen || (f->locals[i].get() == it.get() &&
                     PyUnicode_CompareWithASCIIString(
                         PyTuple_GET_ITEM(f->code->co_localsplusnames, static_cast<Py_ssize_t>(i)),
                         ".0") != 0);
    if (seen) {
      const bool halts = stop("generator", "a generator that a variable holds is advanced",
                              "use it where it is made, or a list");
      if (halts) return {};
      generators_.erase(it.get());
      return next_of(it);
    }
    g.started = true;
  } else {
    g.frame->stack.push_back(none());  // what `yield` gives
  }
  Committed committed(*this);
  Frame& f = *g.frame;
  f.yielded = false;
  const WalkedCall here;
  if (!here.entered()) return {};
  Value r = walk(f);
  if (f.yielded) return r;
  g.done = true;
  if (r) {
    g.returned = std::move(r);
  } else if (PyErr_ExceptionMatches(PyExc_StopIteration)) {
    // As CPython has it, with the cause.
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback) PyException_SetTraceback(value, traceback);
    PyErr_SetString(PyExc_RuntimeError, "generator raised StopIteration");
    PyObject *type2, *value2, *traceback2;
    PyErr_Fetch(&type2, &value2, &traceback2);
    PyErr_NormalizeException(&type2, &value2, &traceback2);
    PyException_SetCause(value2, Py_NewRef(value));
    PyException_SetContext(value2, value);
    PyErr_Restore(type2, value2, traceback2);
    Py_XDECREF(type);
    Py_XDECREF(traceback);
  }
  return {};
}

bool Walker::step_generator(Frame& f, const Instruction& i, int& next) {
  auto& stack = f.stack;
  switch (i.op) {
    case Op::return_generator:
      stack.push_back(none());
      return true;
    case Op::get_yield_from_iter: {
      if (PyCoro_CheckExact(stack.back().get())) {  // no coroutine is walked
        PyErr_SetString(PyExc_TypeError,
                        "cannot 'yield from' a coroutine object in a non-coroutine generator");
        return false;
      }
      Value it = iterator_of(stack.back());
      if (!it) return false;
      stack.back() = std::move(it);
      return true;
    }
    case Op::send: {
      Value v = next_of(stack[stack.size() - 2]);
      if (v) {
        stack.back() = std::move(v);
        return true;
      }
      if (halted_ || PyErr_Occurred()) return false;
      PyObject* from = stack[stack.size() - 2].get();
      auto g = generators_.find(from);
      Value result = g != generators_.end() && g->second->returned ? g->second->returned : none();
      if (PY_VERSION_HEX < 0x030c0000) stack.pop_back();
      stack.back() = std::move(result);
      next = i.target;
      return true;
    }
    case Op::end_send:
      stack.erase(stack.end() - 2);
      return true;
    default:
      return false;
  }
}

}  // namespace frit::walk
