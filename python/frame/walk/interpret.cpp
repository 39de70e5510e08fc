// The loop over instructions, and those that move values and jump.
#include <fmt/format.h>

#include "frame/abi/opcodes.h"
#include "frame/walk/fault.h"
#include "frame/walk/layouts.h"
#include "frame/walk/stack.h"
// After Python.h.
#include <frameobject.h>

namespace frit::walk {
namespace {

constexpr bool kSelfAfterCallable = PY_VERSION_HEX >= 0x030d0000;

PyObject* name_at(const Frame& f, int i) { return PyTuple_GET_ITEM(f.code->co_names, i); }

void name_error(PyObject* name) {
  PyErr_Format(PyExc_NameError, "name '%U' is not defined", name);
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  // What suggestions are made from.
  if (PyObject_SetAttrString(value, "name", name) < 0) PyErr_Clear();
  PyErr_Restore(type, value, traceback);
}

}  // namespace

void Walker::enter(Frame& f, PyObject* const* slots, int depth) {
  f.decoded = &code_of(f.code);
  f.stack.reserve(static_cast<size_t>(f.code->co_stacksize) + 2);
  const int locals = f.code->co_nlocalsplus;
  for (int i = 0; i < locals + depth; ++i) {
    Value v;
    if (slots[i]) {
      Ref name = i < locals
                     ? Ref::share(local_name(f, i))
                     : Ref::take(PyUnicode_FromFormat("(value %d of the stack)", i - locals));
      v = read(SourceKind::local, nullptr, name.get(), i, slots[i]);
      if (v.shadow->source) v.shadow->source->dynamic = true;
    }
    (i < locals ? f.locals : f.stack).push_back(std::move(v));
  }
}

Value Walker::walk(Frame& f) {
  f.back = current_;
  current_ = &f;
  struct Leave {
    Walker& w;
    Frame* back;
    ~Leave() { w.current_ = back; }
  } leave{*this, f.back};
  for (;;) {
    const Instruction& i = f.instruction();
    ++opcodes;
    if (f.run) f.run->set_instruction(i.start);
    // Nothing is recorded any more: CPython goes on, with frames that everyone may look at.
    if (plain_ && committed_ == 0 && !suspended()) {
      halted_ = true;
      return {};
    }
    if (i.op == Op::return_value || i.op == Op::return_const) {
      Value r =
          i.op == Op::return_value ? top(f) : constant(PyTuple_GET_ITEM(f.code->co_consts, i.arg));
      if (i.op == Op::return_value) drop(f, 1);
      return r;
    }
    if (i.op == Op::yield_value) {
      Value r = top(f);
      drop(f, 1);
      ++f.at;
      f.yielded = true;
      return r;
    }
    int next = f.at + 1;
    bool done = false;
    try {
      done = step(f, i, next);
    } catch (const std::exception& e) {
      // Of the arithmetic of sizes, before anything was done: the same again on the numbers.
      if (plain_) {
        PyErr_SetString(PyExc_RuntimeError, e.what());
      } else {
        PyErr_Clear();
        lose("sizes", e.what());
        next = f.at + 1;
        done = step(f, i, next);
      }
    }
    if (!done) {
      if (halted_) return {};
      if (!PyErr_Occurred())
        PyErr_Format(PyExc_SystemError, "the walk failed at %s", where().c_str());
      if (fault(Fault::swallowed) && !f.real && !f.decoded->handler_of(i.unit)) {
        PyErr_Clear();
        return none();
      }
      const bool reraised = std::exchange(reraised_, false);
      if (!handle_exception(f, !reraised)) return {};
      continue;
    }
    f.at = next;
    if (i.backward && PyErr_CheckSignals() < 0 && !handle_exception(f, true)) return {};
  }
}

bool Walker::step(Frame& f, const Instruction& i, int& next) {
  switch (i.op) {
    case Op::nothing:
      return true;
    case Op::load_fast:
    case Op::load_fast_check:
      if (!f.locals[static_cast<size_t>(i.arg)]) {
        PyErr_Format(PyExc_UnboundLocalError,
                     "cannot access local variable '%U' where it is not associated with a value",
                     local_name(f, i.arg));
        return false;
      }
      return push(f, f.locals[static_cast<size_t>(i.arg)]);
    case Op::load_fast_and_clear:
      return push(f, std::exchange(f.locals[static_cast<size_t>(i.arg)], Value()));
    case Op::load_fast_load_fast:
      push(f, f.locals[static_cast<size_t>(i.arg)]);
      return push(f, f.locals[static_cast<size_t>(i.second)]);
    case Op::store_fast: {
      Value v = std::move(top(f));
      drop(f, 1);
      f.locals[static_cast<size_t>(i.arg)] = std::move(v);
      return true;
    }
    case Op::store_fast_load_fast:
      f.locals[static_cast<size_t>(i.arg)] = std::move(top(f));
      top(f) = f.locals[static_cast<size_t>(i.second)];
      return true;
    case Op::store_fast_store_fast:
      f.locals[static_cast<size_t>(i.arg)] = std::move(top(f));
      f.locals[static_cast<size_t>(i.second)] = std::move(top(f, 2));
      drop(f, 2);
      return true;
    case Op::delete_fast:
      if (!f.locals[static_cast<size_t>(i.arg)]) {
        PyErr_Format(PyExc_UnboundLocalError,
                     "cannot access local variable '%U' where it is not associated with a value",
                     local_name(f, i.arg));
        return false;
      }
      f.locals[static_cast<size_t>(i.arg)] = Value();
      return true;
    case Op::load_const:
      return push(f, constant(PyTuple_GET_ITEM(f.code->co_consts, i.arg)));
    case Op::pop_top:
      drop(f, 1);
      return true;
    case Op::end_for:
      drop(f, 2);
      return true;
    case Op::push_null:
      return push(f, Value());
    case Op::copy:
      return push(f, Value(top(f, i.arg)));
    case Op::swap:
      std::swap(top(f), top(f, i.arg));
      return true;
    case Op::load_build_class: {
      static PyObject* const name = name_of("__build_class__");
      PyObject* found =
          PyDict_Check(f.builtins) ? PyDict_GetItemWithError(f.builtins, name) : nullptr;
      if (!found) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_NameError, "__build_class__ not found");
        return false;
      }
      return push(f, read(SourceKind::key, &sources.constant(f.builtins), name, 0, found));
    }
    case Op::load_global: {
      PyObject* name = name_at(f, i.arg);
      PyObject* found = PyDict_GetItemWithError(f.globals, name);
      Value v;
      if (found) {
        v = read(SourceKind::key, &sources.constant(f.globals), name, 0, found);
      } else {
        if (PyErr_Occurred()) return false;
        found = PyDict_Check(f.builtins) ? PyDict_GetItemWithError(f.builtins, name) : nullptr;
        if (!found) {
          name_error(name);
          return false;
        }
        if (!plain_) {
          Source* known = sources.find(SourceKind::key, &sources.constant(f.globals), name, 0);
          if (!known || !known->written)
            guards.add(GuardKind::absent_key, sources.constant(f.globals), name);
          v = read(SourceKind::key, &sources.constant(f.builtins), name, 0, found);
        } else {
          v = constant(found);
        }
      }
      if (i.flag && !kSelfAfterCallable) push(f, Value());
      push(f, std::move(v));
      if (i.flag && kSelfAfterCallable) push(f, Value());
      return true;
    }
    case Op::store_global:
    case Op::delete_global: {
      Value globals = constant(f.globals);
      const bool store = i.op == Op::store_global;
      Value* v = store ? &top(f) : nullptr;
      if (!store && !PyDict_Contains(f.globals, name_at(f, i.arg))) {
        name_error(name_at(f, i.arg));
        return false;
      }
      if (!store_subscript(globals, constant(name_at(f, i.arg)), v)) return false;
      if (store) drop(f, 1);
      return true;
    }
    case Op::load_attr: {
      bool method = false;
      Value r = load_attribute(top(f), name_at(f, i.arg), i.flag ? &method : nullptr);
      if (!r) return false;
      if (!i.flag) return replace(f, 1, std::move(r));
      Value self = method ? top(f) : Value();
      drop(f, 1);
      if (method || kSelfAfterCallable) {
        push(f, std::move(r));
        return push(f, std::move(self));
      }
      push(f, Value());
      return push(f, std::move(r));
    }
    case Op::load_super_attr: {
      // super(cls, self).name, where nobody has shadowed super.
      Args args;
      if (i.second || top(f, 3).get() == reinterpret_cast<PyObject*>(&PySuper_Type))
        args.positional = {top(f, 2), top(f)};
      Value made = call(top(f, 3), args);
      if (!made) return false;
      Value r = load_attribute(made, name_at(f, i.arg));
      if (!r) return false;
      drop(f, 3);
      if (i.flag && !kSelfAfterCallable) push(f, Value());
      push(f, std::move(r));
      if (i.flag && kSelfAfterCallable) push(f, Value());
      return true;
    }
    case Op::store_attr:
      if (!store_attribute(top(f), name_at(f, i.arg), &top(f, 2))) return false;
      drop(f, 2);
      return true;
    case Op::delete_attr:
      if (!store_attribute(top(f), name_at(f, i.arg), nullptr)) return false;
      drop(f, 1);
      return true;
    case Op::unary_negative:
      return replace(f, 1, unary(0, top(f)));
    case Op::unary_positive:
      return replace(f, 1, unary(1, top(f)));
    case Op::unary_invert:
      return replace(f, 1, unary(2, top(f)));
    case Op::binary_op:
      return replace(f, 2, binary(i.arg, top(f, 2), top(f)));
    case Op::compare_op: {
      Value r = compare(i.arg, top(f, 2), top(f));
      if (r && i.flag) {
        const int t = truth(r);
        if (t < 0) return false;
        r = boolean(t);
      }
      return replace(f, 2, std::move(r));
    }
    case Op::is_op: {
      Value &a = top(f, 2), &b = top(f);
      const bool same = a.get() == b.get();
      if (!plain_) {
        if (same) {
          use_same(a, b);
        } else if (!same && a.is(ShadowKind::input) && b.is(ShadowKind::constant)) {
          canonical(a);
          if (a.is(ShadowKind::input)) {
            keep(b.get());
            guards.add(GuardKind::is_not, *a.shadow->source, b.get());
          }
        } else if (!same && b.is(ShadowKind::input) && a.is(ShadowKind::constant)) {
          canonical(b);
          if (b.is(ShadowKind::input)) {
            keep(a.get());
            guards.add(GuardKind::is_not, *b.shadow->source, a.get());
          }
        } else if (!same && a.is(ShadowKind::input) && b.is(ShadowKind::input)) {
          canonical(a);
          canonical(b);
          Source *s = a.shadow->source, *t = b.shadow->source;
          if (s && t && a.is(ShadowKind::input) && b.is(ShadowKind::input))
            guards.add(GuardKind::not_same, s->id > t->id ? *s : *t, nullptr,
                       s->id > t->id ? t : s);
        }
      }
      return replace(f, 2, boolean(same != (i.arg != 0)));
    }
    case Op::contains_op: {
      const int r = contains(top(f), top(f, 2));
      return r >= 0 && replace(f, 2, boolean(r != i.arg));
    }
    case Op::binary_subscr:
      return replace(f, 2, subscript(top(f, 2), top(f)));
    case Op::store_subscr:
      if (!store_subscript(top(f, 2), top(f), &top(f, 3))) return false;
      drop(f, 3);
      return true;
    case Op::delete_subscr:
      if (!store_subscript(top(f, 2), top(f), nullptr)) return false;
      drop(f, 2);
      return true;
    case Op::unary_not:
    case Op::to_bool:
    case Op::jump:
    case Op::pop_jump_if_false:
    case Op::pop_jump_if_true:
    case Op::pop_jump_if_none:
    case Op::pop_jump_if_not_none:
    case Op::jump_if_false_or_pop:
    case Op::jump_if_true_or_pop:
    case Op::get_iter:
    case Op::for_iter:
      return step_jump(f, i, next);
    case Op::kw_names:
    case Op::call:
    case Op::call_kw:
    case Op::call_function_ex:
      return step_call(f, i);
    case Op::build_tuple:
    case Op::build_list:
    case Op::build_set:
    case Op::build_map:
    case Op::build_const_key_map:
    case Op::build_slice:
    case Op::build_string:
    case Op::binary_slice:
    case Op::store_slice:
    case Op::format_value:
    case Op::convert_value:
    case Op::format_simple:
    case Op::format_with_spec:
      return step_build(f, i);
    case Op::list_append:
    case Op::list_extend:
    case Op::set_add:
    case Op::set_update:
    case Op::map_add:
    case Op::dict_update:
    case Op::dict_merge:
    case Op::list_to_tuple:
    case Op::unpack_sequence:
    case Op::unpack_ex:
    case Op::get_len:
    case Op::match_sequence:
    case Op::match_mapping:
    case Op::match_class:
    case Op::match_keys:
      return step_collection(f, i);
    case Op::make_cell:
    case Op::copy_free_vars:
    case Op::load_closure:
    case Op::load_deref:
    case Op::store_deref:
    case Op::delete_deref:
    case Op::make_function:
    case Op::set_function_attribute:
    case Op::import_name:
    case Op::import_from:
      return step_closure(f, i);
    case Op::return_generator:
    case Op::get_yield_from_iter:
    case Op::send:
    case Op::end_send:
      return step_generator(f, i, next);
    case Op::yield_value:
      break;
    case Op::load_assertion_error:
      return push(f, constant(PyExc_AssertionError));
    case Op::before_with:
    case Op::with_except_start:
    case Op::push_exc_info:
    case Op::pop_except:
    case Op::check_exc_match:
    case Op::reraise:
    case Op::raise_varargs:
      return step_exception(f, i);
    case Op::return_value:
    case Op::return_const:
      break;
    case Op::unsupported:
      return leave_to_python(i);
  }
  PyErr_Format(PyExc_SystemError, "an instruction that is not followed at %s", where().c_str());
  return false;
}

// Only the real frame has such instructions: functions with them are not walked into, nor do
// generators begin below it. CPython goes on from here, also where nothing is recorded any more.
bool Walker::leave_to_python(const Instruction& i) {
  const frame::Opcodes* known = frame::opcodes();
  if (!known) return false;
  stop("instruction", fmt::format("the instruction {} is not followed",
                                  known->names[static_cast<size_t>(i.second)]));
  halted_ = true;
  return false;
}

bool Walker::step_jump(Frame& f, const Instruction& i, int& next) {
  auto branch = [&](bool taken) {
    if (taken) next = i.target;
  };
  switch (i.op) {
    case Op::jump:
      next = i.target;
      return true;
    case Op::unary_not:
    case Op::to_bool: {
      const int t = truth(top(f));
      return t >= 0 && replace(f, 1, boolean((t != 0) == (i.op == Op::to_bool)));
    }
    case Op::pop_jump_if_false:
    case Op::pop_jump_if_true: {
      const int t = truth(top(f));
      if (t < 0) return false;
      drop(f, 1);
      branch((t != 0) == (i.op == Op::pop_jump_if_true));
      return true;
    }
    case Op::pop_jump_if_none:
    case Op::pop_jump_if_not_none: {
      Value& v = top(f);
      const bool is_none = v.get() == Py_None;
      if (!plain_ && v.is(ShadowKind::input)) {
        if (is_none) {
          use_identity(v);
        } else {
          canonical(v);
          if (v.is(ShadowKind::input)) guards.add(GuardKind::is_not, *v.shadow->source, Py_None);
        }
      }
      drop(f, 1);
      branch(is_none == (i.op == Op::pop_jump_if_none));
      return true;
    }
    case Op::jump_if_false_or_pop:
    case Op::jump_if_true_or_pop: {
      const int t = truth(top(f));
      if (t < 0) return false;
      if ((t != 0) == (i.op == Op::jump_if_true_or_pop))
        next = i.target;
      else
        drop(f, 1);
      return true;
    }
    case Op::get_iter:
      return replace(f, 1, iterator_of(top(f)));
    case Op::for_iter: {
      Value it = top(f);
      Value v = next_of(it);
      if (v) return push(f, std::move(v));
      if (halted_ || PyErr_Occurred()) return false;
      drop(f, 1);
      next = i.target;
      return true;
    }
    default:
      return false;
  }
}

bool Walker::step_call(Frame& f, const Instruction& i) {
  if (i.op == Op::kw_names) {
    f.keyword_names = PyTuple_GET_ITEM(f.code->co_consts, i.arg);
    return true;
  }
  Args args;
  Value callee;
  int operands = 0;
  if (i.op == Op::call_function_ex) {
    const bool with_keywords = i.arg & 1;
    operands = 3 + with_keywords;
    callee = top(f, operands - (kSelfAfterCallable ? 0 : 1));
    Value given = top(f, 1 + with_keywords);
    if (PyTuple_CheckExact(given.get())) {
      use_length(given);
      for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(given.get()); ++k)
        args.positional.push_back(item_at(given, k));
    } else if (!drain(given, args.positional)) {
      return false;
    }
    if (with_keywords) {
      Value k = top(f);
      if (!PyDict_CheckExact(k.get())) {
        if (stop("call", "** of what is no dict is not followed")) return false;
        Ref d = Ref::take(PyDict_New());
        if (!d || PyDict_Update(d.get(), k.get()) < 0) return false;
        k = taken(d.release());
      }
      if (!use_keys(k)) return false;
      Py_ssize_t at = 0;
      PyObject *name, *v;
      while (PyDict_Next(k.get(), &at, &name, &v)) {
        if (!PyUnicode_Check(name)) {
          PyErr_SetString(PyExc_TypeError, "keywords must be strings");
          return false;
        }
        args.held.push_back(Ref::share(name));
        args.keywords.emplace_back(name, entry_of(k, name, v));
      }
    }
  } else {
    PyObject* names = i.op == Op::call_kw ? top(f).get() : f.keyword_names;
    const int extra = i.op == Op::call_kw;
    const int keywords = names ? static_cast<int>(PyTuple_GET_SIZE(names)) : 0;
    operands = i.arg + 2 + extra;
    // 3.11 and 3.12: NULL and the callable, or the callable and self; 3.13: the callable, then self
    // or NULL.
    Value &low = top(f, operands), &high = top(f, operands - 1);
    const bool with_self = kSelfAfterCallable ? static_cast<bool>(high) : static_cast<bool>(low);
    callee = kSelfAfterCallable || with_self ? low : high;
    if (with_self) args.positional.push_back(high);
    for (int k = i.arg; k > keywords; --k) args.positional.push_back(top(f, k + extra));
    for (int k = 0; k < keywords; ++k)
      args.keywords.emplace_back(PyTuple_GET_ITEM(names, k), top(f, keywords - k + extra));
  }
  Value r = call(std::move(callee), args);
  if (!r) return false;
  f.keyword_names = nullptr;
  return replace(f, operands, std::move(r));
}

bool Walker::handle_exception(Frame& f, bool trace) {
  const Instruction& i = f.instruction();
  f.keyword_names = nullptr;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  const Handler* h = f.decoded->handler_of(i.unit);
  if (trace && (h || !f.real)) {
    // As CPython does for each frame that an exception passes.
    if (!f.seen)
      f.seen = Ref::take(reinterpret_cast<PyObject*>(
          PyFrame_New(PyThreadState_Get(), f.code, f.globals, nullptr)));
    Ref entry = Ref::take(
        f.seen ? PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyTraceBack_Type), "OOii",
                                       traceback ? traceback : Py_None, f.seen.get(), i.unit * 2,
                                       f.line() + fault(Fault::traceback_line))
               : nullptr);
    if (entry) {
      Py_XDECREF(traceback);
      traceback = entry.release();
    } else {
      PyErr_Clear();
    }
  }
  const int unit = trace ? i.unit : f.raised_at;
  if (f.seen)
    reinterpret_cast<layout::PyFrame*>(f.seen.get())->line = PyCode_Addr2Line(f.code, unit * 2);
  if (traceback && value) PyException_SetTraceback(value, traceback);
  if (!h) {
    if (f.real) left_by_reraise_ = !trace;
    PyErr_Restore(type, value, traceback);
    return false;
  }
  f.stack.resize(static_cast<size_t>(h->depth));
  if (h->push_unit) push(f, taken(PyLong_FromLong(unit)));
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  Value e;
  if (auto it = plain_ ? identity_.end() : identity_.find(value);
      !plain_ && it != identity_.end()) {
    e = Value(Ref::take(value), it->second);
  } else {
    e = fresh(value);
    if (e.is(ShadowKind::fresh)) parts(e).rebuildable = false;
  }
  push(f, std::move(e));
  f.at = h->target;
  return true;
}

}  // namespace frit::walk
