// Calls: Python functions are walked into, C functions are run where it is known what they do.
#include <fmt/format.h>

#include "frame/abi/compiled.h"
#include "frame/abi/stack_room.h"
#include "frame/walk/c_functions.h"
#include "frame/walk/hints.h"
#include "frame/walk/layouts.h"
#include "frame/walk/recursion.h"
#include "frame/walk/stack.h"
#include "frame/walk/walker.h"

namespace frit::walk {

Value Walker::call_with(Value f, std::initializer_list<Value> given) {
  Args args;
  args.positional.assign(given.begin(), given.end());
  return call(std::move(f), args);
}

// Builtins that look at the frame they are called from, which CPython does not have: they are told
// of it. True: they are done.
bool Walker::give_frame(PyObject* f, Args& args, Value& result) {
  static PyObject* const builtins = PyEval_GetBuiltins();
  static PyObject* const names[] = {name_of("globals"), name_of("locals"), name_of("vars"),
                                    name_of("eval"), name_of("exec")};
  size_t which = 0;
  while (which < 5 && PyDict_GetItemWithError(builtins, names[which]) != f) ++which;
  const size_t given = args.positional.size();
  if (which == 5 || given != (which < 3 ? 0u : 1u) || !args.keywords.empty()) return false;
  Ref locals = Ref::take(PyDict_New());
  for (size_t i = 0; locals && i < current_->locals.size(); ++i) {
    PyObject* o = current_->locals[i].get();
    constexpr int kInCell = 0x40 | 0x80;  // CO_FAST_CELL, CO_FAST_FREE
    const char kind = PyBytes_AS_STRING(current_->code->co_localspluskinds)[i];
    if (o && (kind & kInCell) && PyCell_Check(o)) o = PyCell_GET(o);
    if (o) PyDict_SetItem(locals.get(), local_name(*current_, static_cast<int>(i)), o);
  }
  if (which == 0) {
    result = constant(current_->globals);
    return true;
  }
  if (which < 3) {
    result = taken(locals.release());
    return true;
  }
  args.positional.push_back(constant(current_->globals));
  args.positional.push_back(taken(locals.release()));
  return false;
}

// CPython calls it; the walk sees nothing of it.
Value Walker::call_plain(PyObject* f, Args& args) {
  if (plain_ && current_ && !current_->real) {
    if (f == reinterpret_cast<PyObject*>(&PySuper_Type) && args.positional.empty())
      return find_c_function(&PySuper_Type)->model(*this, f, args, false);
    if (Value result; PyCFunction_Check(f) && give_frame(f, args, result)) return result;
  }
  std::vector<PyObject*> stack(1, nullptr);
  for (Value& v : args.positional) stack.push_back(v.get());
  Ref names = args.keywords.empty()
                  ? Ref()
                  : Ref::take(PyTuple_New(static_cast<Py_ssize_t>(args.keywords.size())));
  for (size_t i = 0; i < args.keywords.size(); ++i) {
    PyTuple_SET_ITEM(names.get(), static_cast<Py_ssize_t>(i), Py_NewRef(args.keywords[i].first));
    stack.push_back(args.keywords[i].second.get());
  }
  return taken(PyObject_Vectorcall(
      f, stack.data() + 1, args.positional.size() | PY_VECTORCALL_ARGUMENTS_OFFSET, names.get()));
}

// An object that a guard has fixed, with what was read and changed of it so far.
Value Walker::fixed(PyObject* borrowed) {
  if (!plain_)
    if (auto it = identity_.find(borrowed); it != identity_.end())
      return {Ref::share(borrowed), it->second};
  return constant(borrowed);
}

// Binds arguments to a function's locals as CPython does; what does not bind is left to it.
struct Binder {
  Walker& w;
  PyFunctionObject* f;
  Value& value;
  Args& args;
  std::vector<Value>& locals;

  Value of_function(PyObject* attribute_name, PyObject* container, PyObject* found, Py_ssize_t i,
                    PyObject* key) {
    // Of a function made in this run: its own parts. Else what the guard on it fixes.
    if (w.recording() && value.is(ShadowKind::fresh)) {
      auto it = w.parts(value).attributes.find(attribute_name);
      if (it != w.parts(value).attributes.end()) {
        Value c(Ref::share(container), it->second.shadow);
        return key ? w.entry_of(c, key, found) : w.item_at(c, i);
      }
    }
    return w.class_value(nullptr, found);
  }

  bool bind() {
    auto* code = reinterpret_cast<PyCodeObject*>(f->func_code);
    static PyObject* const n_defaults = name_of("__defaults__");
    static PyObject* const n_kwdefaults = name_of("__kwdefaults__");
    const int positional = code->co_argcount, named = positional + code->co_kwonlyargcount;
    const bool rest = code->co_flags & CO_VARARGS, rest_named = code->co_flags & CO_VARKEYWORDS;
    const int given = static_cast<int>(args.positional.size());
    locals.resize(static_cast<size_t>(code->co_nlocalsplus));
    if (given > positional && !rest) return false;
    for (int i = 0; i < positional && i < given; ++i)
      locals[static_cast<size_t>(i)] = args.positional[static_cast<size_t>(i)];
    if (rest)
      locals[static_cast<size_t>(named)] =
          w.make_tuple(given > positional ? std::vector<Value>(args.positional.begin() + positional,
                                                               args.positional.end())
                                          : std::vector<Value>());
    Value others;
    if (rest_named) {
      others = w.fresh(PyDict_New());
      locals[static_cast<size_t>(named + rest)] = others;
    }
    for (auto& [name, v] : args.keywords) {
      int at = -1;
      for (int i = code->co_posonlyargcount; i < named && at < 0; ++i) {
        PyObject* local = PyTuple_GET_ITEM(code->co_localsplusnames, i);
        if (local == name || (PyUnicode_Check(name) && PyUnicode_Compare(local, name) == 0)) at = i;
      }
      if (at >= 0) {
        if (locals[static_cast<size_t>(at)]) return false;
        locals[static_cast<size_t>(at)] = v;
      } else if (rest_named && PyUnicode_Check(name)) {
        w.keep(name);
        if (!w.store_subscript(others, w.constant(name), &v)) return false;
      } else {
        return false;
      }
    }
    const Py_ssize_t defaults = f->func_defaults ? PyTuple_GET_SIZE(f->func_defaults) : 0;
    for (int i = 0; i < named; ++i) {
      Value& local = locals[static_cast<size_t>(i)];
      if (local) continue;
      if (i < positional) {
        const Py_ssize_t d = i - (positional - defaults);
        if (d < 0) return false;
        local = of_function(n_defaults, f->func_defaults, PyTuple_GET_ITEM(f->func_defaults, d), d,
                            nullptr);
      } else {
        PyObject* name = PyTuple_GET_ITEM(code->co_localsplusnames, i);
        PyObject* d =
            f->func_kwdefaults ? PyDict_GetItemWithError(f->func_kwdefaults, name) : nullptr;
        if (!d) return false;
        // The dict is part of what holds, what it has may change.
        local = value.is(ShadowKind::fresh)
                    ? of_function(n_kwdefaults, f->func_kwdefaults, d, 0, name)
                    : w.read(SourceKind::key, &w.sources.constant(f->func_kwdefaults), name, 0, d);
      }
    }
    return true;
  }
};

Value Walker::run_function(PyFunctionObject* f, Value& value, Args& args) {
  auto* code = reinterpret_cast<PyCodeObject*>(f->func_code);
  PyObject* object = reinterpret_cast<PyObject*>(f);
  if (plain_) return call_plain(object, args);
  if (!value.is(ShadowKind::fresh)) {
    use_identity(value);
    guards.function(sources.constant(object), f);
  }
  if (const Model model = python_model(object)) return model(*this, object, args, false);
  static const vectorcallfunc standard =
      reinterpret_cast<PyFunctionObject*>(PyFunction_New(f->func_code, f->func_globals))
          ->vectorcall;
  if (f->vectorcall != standard) {
    if (stop("function", text_of(f->func_qualname) + " is called in a way of its own")) return {};
    return call_plain(object, args);
  }
  static PyObject* const n_disabled = name_of("__frit_disabled__");
  if (f->func_dict && PyDict_GetItemWithError(f->func_dict, n_disabled)) {
    if (stop("disabled", text_of(f->func_qualname) + " is not to be compiled")) return {};
    return call_plain(object, args);
  }
  const Code& decoded = code_of(code);
  if (!decoded.supported) {
    if (stop("function", fmt::format("{} is {}", text_of(f->func_qualname), decoded.unsupported)))
      return {};
    return call_plain(object, args);
  }
  auto frame = std::make_unique<Frame>();
  frame->code = code;
  frame->function = f;
  frame->function_value = Value(Ref::share(object), value.shadow);
  frame->globals = f->func_globals;
  frame->builtins = f->func_builtins;
  frame->decoded = &decoded;
  if (!Binder{*this, f, value, args, frame->locals}.bind()) {
    if (halted_ || PyErr_Occurred()) return {};
    return call_plain(object, args);  // raises CPython's own TypeError, before any of it runs
  }
  if (decoded.generator) {
    // While one is on its way the walk cannot end: it must not come to what it does not follow.
    const Frame* root = current_;
    while (root && root->back) root = root->back;
    if (root && !root->decoded->supported) {
      if (stop("generator",
               fmt::format("a generator in {}, which is {}", text_of(root->code->co_qualname),
                           root->decoded->unsupported)))
        return {};
      return call_plain(object, args);
    }
    PyObject* made = call_plain(object, args).object.release();
    return made ? make_generator(std::move(frame), made) : Value();
  }
  if (frame::stack_is_short()) {
    lose("recursion", "the calls are nested too deeply to be followed");
    return call_plain(object, args);
  }
  const WalkedCall here;
  if (!here.entered()) return {};
  frame->stack.reserve(static_cast<size_t>(code->co_stacksize) + 2);
  Value r = walk(*frame);
  if (halted_) halted_frames.push_back(std::move(frame));
  return r;
}

Value Walker::call(Value f, Args& args) {
  static PyObject* const n_call = name_of("__call__");
  PyObject* o = f.get();
  PyTypeObject* type = f.type();
  // super() looks at the frame that calls it, which CPython does not have.
  const bool of_frame = o == reinterpret_cast<PyObject*>(&PySuper_Type) && args.positional.empty();
  if (plain_ && !of_frame) return call_plain(o, args);
  if (plain_) return find_c_function(o)->model(*this, o, args, false);
  if (const TensorCall kind = library_.call_kind(o); kind != TensorCall::none) {
    use_identity(f);
    return tensor_call(o, kind, args);
  }
  if (frame::is_compiled(o)) {
    // Here it is just code.
    use_identity(f);
    return call(constant(frame::wrapped_of(o)), args);
  }
  if (type == &PyFunction_Type)
    return run_function(reinterpret_cast<PyFunctionObject*>(o), f, args);
  if (type == &PyMethod_Type) {
    PyObject *fn = PyMethod_GET_FUNCTION(o), *self = PyMethod_GET_SELF(o);
    Value function, object;
    if (f.is(ShadowKind::fresh)) {
      function = part(parts(f).items[0], fn);
      object = part(parts(f).items[1], self);
    } else if (f.is(ShadowKind::input)) {
      use_type(f);
      Source* s = source_of(f);
      function = read(SourceKind::function, s, nullptr, 0, fn);
      object = read(SourceKind::self, s, nullptr, 0, self);
    } else {
      function = constant(fn);
      object = constant(self);
    }
    args.positional.insert(args.positional.begin(), std::move(object));
    return call(std::move(function), args);
  }
  if (PyType_Check(o)) return call_type(f, args);
  if (PyCFunction_Check(o)) {
    PyObject* self = PyCFunction_GET_SELF(o);
    if (self && is_tensor(self)) {
      // A tensor's method is known by its type's descriptor.
      PyMethodDef* own = reinterpret_cast<PyCFunctionObject*>(o)->m_ml;
      PyObject *order = Py_TYPE(self)->tp_mro, *d = nullptr;
      for (Py_ssize_t i = 0; !d && i < PyTuple_GET_SIZE(order); ++i) {
        auto* t = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(order, i));
        d = PyDict_GetItemString(layout::dict_of_type(t).get(), own->ml_name);
        if (d && !(Py_TYPE(d) == &PyMethodDescr_Type &&
                   reinterpret_cast<PyMethodDescrObject*>(d)->d_method == own))
          d = nullptr;
      }
      if (d) {
        Value object = f.is(ShadowKind::fresh) && parts(f).items.size() > 1
                           ? part(parts(f).items[1], self)
                           : fixed(self);
        if (f.is(ShadowKind::input)) use_identity(f);
        args.positional.insert(args.positional.begin(), std::move(object));
        return call(constant(d), args);
      }
    }
    PyMethodDef* def = reinterpret_cast<PyCFunctionObject*>(o)->m_ml;
    void* key = def;
    // Every __new__ of C's types has one definition.
    static const PyMethodDef* const new_def =
        reinterpret_cast<PyCFunctionObject*>(
            PyDict_GetItemString(layout::dict_of_type(&PyBaseObject_Type).get(), "__new__"))
            ->m_ml;
    if (def == new_def) {
      use_identity(f);
      if (const Model m = find_new_model(self)) return m(*this, o, args, false);
      key = nullptr;
    }
    const bool bound = self && !PyModule_Check(self) && !PyType_Check(self);
    if (bound) {
      Value object = f.is(ShadowKind::fresh) && parts(f).items.size() > 1
                         ? part(parts(f).items[1], self)
                         : fixed(self);
      if (f.is(ShadowKind::input)) use_identity(f);
      args.positional.insert(args.positional.begin(), std::move(object));
    } else {
      use_identity(f);
    }
    return call_c(o, key, args, bound);
  }
  if (type == &PyMethodDescr_Type || type == &PyWrapperDescr_Type) {
    PyTypeObject* of = reinterpret_cast<PyDescrObject*>(o)->d_type;
    if (args.positional.empty() || !PyObject_TypeCheck(args.positional[0].get(), of)) {
      use_identity(f);
      if (!args.positional.empty()) use_type(args.positional[0]);
      return call_plain(o, args);  // raises
    }
  }
  if (type == &PyMethodDescr_Type || type == &PyClassMethodDescr_Type) {
    use_identity(f);
    return call_c(o, reinterpret_cast<PyMethodDescrObject*>(o)->d_method, args, false);
  }
  if (type == &PyWrapperDescr_Type) {
    use_identity(f);
    return call_c(o, o, args, false);
  }
  static PyTypeObject* const method_wrapper =
      Py_TYPE(Ref::take(PyObject_GetAttrString(Py_None, "__repr__")).get());
  if (type == method_wrapper) {
    auto* m = reinterpret_cast<layout::MethodWrapper*>(o);
    Value object = f.is(ShadowKind::fresh) && parts(f).items.size() > 1
                       ? part(parts(f).items[1], m->self)
                       : fixed(m->self);
    if (f.is(ShadowKind::input)) use_identity(f);
    args.positional.insert(args.positional.begin(), std::move(object));
    Ref hold = f.object;
    auto* descriptor = reinterpret_cast<PyObject*>(m->descriptor);
    return call_c(descriptor, descriptor, args, false);
  }
  if (const CFunction* c = find_instance_call(type)) {
    args.positional.insert(args.positional.begin(), f);
    return c->model(*this, o, args, true);
  }
  if (PyObject* m = python_method(type, n_call)) {
    use_type(f);
    args.positional.insert(args.positional.begin(), std::move(f));
    return call(constant(m), args);
  }
  use_type(f);
  // Functions of C++ have a name, too.
  static PyObject* const n_getattr = name_of("__getattr__");
  static PyObject* const n_getattribute = name_of("__getattribute__");
  const bool by_c = type->tp_getattro != PyObject_GenericGetAttr &&
                    !python_method(type, n_getattr) && !python_method(type, n_getattribute);
  Ref name = by_c ? Ref::take(PyObject_GetAttrString(o, "__name__")) : Ref();
  PyErr_Clear();
  std::string called = name && PyUnicode_Check(name.get()) ? text_of(name.get())
                                                           : fmt::format("a {}", type->tp_name);
  called.erase(0, called.find_first_not_of('_'));
  if (stop("call", fmt::format("the call of {} is not followed", called), hint_of_call(called)))
    return {};
  return call_plain(o, args);
}

Value Walker::call_c(PyObject* f, void* key, Args& args, bool bound) {
  const CFunction* c = find_c_function(key);
  // What a bound C function is given, it holds already.
  auto really = [&] {
    if (bound) args.positional.erase(args.positional.begin());
    return call_plain(f, args);
  };
  auto name = [&] { return c_function_name(f); };
  if (const TensorCall kind = library_.call_kind(f); kind != TensorCall::none)
    return tensor_call(f, kind, args);
  if (!c) {
    if (stop("c_function", name() + " is not known to be without effects", hint_of_call(name())))
      return {};
    return really();
  }
  switch (c->kind) {
    case CKind::model:
    case CKind::instance:
      return c->model(*this, f, args, bound);
    case CKind::pure: {
      for (Value& v : args.positional)
        if (!is_plain(v.get(), library_)) {
          use_type(v);
          const bool tensor = is_tensor(v.get());
          if (stop(tensor ? "data_read" : "c_function",
                   fmt::format("{} of a {} is not followed", name(), v.type()->tp_name)))
            return {};
          return really();
        }
      for (auto& [k, v] : args.keywords)
        if (!is_plain(v.get(), library_)) {
          if (stop("c_function", fmt::format("{} with {} = a {} is not followed", name(),
                                             text_of(k), v.type()->tp_name)))
            return {};
          return really();
        }
      for (Value& v : args.positional)
        if (!use_value(v)) return {};
      for (auto& [k, v] : args.keywords)
        if (!use_value(v)) return {};
      Value r = really();
      if (!r || plain_) return r;
      return known_or_constant(r.object.release());
    }
    case CKind::types:
      for (Value& v : args.positional) use_type(v);
      return really();
    case CKind::no_effect:
      return really();
    case CKind::state: {
      if (args.positional.size() > (bound ? 1u : 0u) || !args.keywords.empty()) {
        if (stop("c_function", name() + " with arguments is not followed")) return {};
        return really();
      }
      Value r = really();
      if (!r || plain_) return r;
      return read(SourceKind::state, &sources.constant(f), nullptr, 0, r.get());
    }
  }
  return {};
}

Value Walker::call_type(Value& f, Args& args) {
  static PyObject* const n_call = name_of("__call__");
  static PyObject* const n_new = name_of("__new__");
  static PyObject* const n_init = name_of("__init__");
  use_identity(f);
  PyObject* o = f.get();
  auto* type = reinterpret_cast<PyTypeObject*>(o);
  if (const CFunction* c = find_c_function(type); c && c->kind == CKind::model)
    return c->model(*this, o, args, false);
  if (const CFunction* c = find_c_function(type); c && c->kind == CKind::pure)
    return call_c(o, type, args, false);
  if (PyObject* m = python_method(f.type(), n_call)) {
    args.positional.insert(args.positional.begin(), constant(o));
    return call(constant(m), args);
  }
  if (f.type()->tp_call != PyType_Type.tp_call) {
    if (stop("call", "the call of " + text_of(o) + " is not followed")) return {};
    return call_plain(o, args);
  }
  PyObject* new_found = guards.lookup(type, n_new);
  PyObject* init = guards.lookup(type, n_init);
  PyObject* new_function = new_found && Py_TYPE(new_found) == &PyStaticMethod_Type
                               ? layout::wrapped(new_found)
                               : new_found;
  const bool python_new = new_function && PyFunction_Check(new_function);
  bool python_init = init && PyFunction_Check(init);
  const bool exception =
      PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(PyExc_BaseException));
  const bool plain_new = type->tp_new == PyBaseObject_Type.tp_new;
  const bool dict_new = type->tp_new == PyDict_Type.tp_new;
  const bool known_new =
      python_new || plain_new || exception || dict_new || type->tp_new == PyList_Type.tp_new;
  // dict's own __init__ does nothing where it is given nothing.
  const bool empty_dict = dict_new && args.positional.empty() && args.keywords.empty();
  if (!known_new || (!python_init && !plain_new && !exception && !python_new && !empty_dict) ||
      !is_safe_to_make(type)) {
    if (stop("call", "making a " + text_of(o) + " is not followed")) return {};
    return call_plain(o, args);
  }
  if (exception) {
    // It keeps them where the walk does not see: plain ones are known by their values from here on.
    for (Value& v : args.positional)
      if (is_plain(v.get(), library_) && !use_value(v)) return {};
    for (auto& [k, v] : args.keywords)
      if (is_plain(v.get(), library_) && !use_value(v)) return {};
  }
  Committed committed(*this);
  Value made;
  if (python_new) {
    Args given = args;
    given.positional.insert(given.positional.begin(), constant(o));
    made = call(constant(new_function), given);
  } else {
    // object.__new__ takes arguments only where __init__ is there to use them; exceptions keep
    // them.
    std::vector<PyObject*> p;
    Ref tuple = Ref::take(PyTuple_New(static_cast<Py_ssize_t>(args.positional.size())));
    for (size_t i = 0; i < args.positional.size(); ++i)
      PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i),
                       Py_NewRef(args.positional[i].get()));
    Ref named = args.keywords.empty() ? Ref() : Ref::take(PyDict_New());
    for (auto& [k, v] : args.keywords) PyDict_SetItem(named.get(), k, v.get());
    made = fresh(type->tp_new(type, tuple.get(), named.get()));
    if (made && exception && !python_init && !plain_) {
      if (type->tp_init(made.get(), tuple.get(), named.get()) < 0) return {};
    }
    if (made && made.is(ShadowKind::fresh) && (exception || type->tp_new == PyList_Type.tp_new))
      parts(made).rebuildable = false;
  }
  if (!made || !PyObject_TypeCheck(made.get(), type)) return made;
  auto initialised_plainly = [&](PyObject* by) {
    lose("call", "making a " + text_of(o) + " is not followed");
    Args given = args;
    given.positional.insert(given.positional.begin(), made);
    return call_plain(by, given) ? made : Value();
  };
  if (made.type() != type) {
    // A class derived from it, which __new__ has chosen: with an __init__ of its own.
    use_type(made);
    init = guards.lookup(made.type(), n_init);
    python_init = init && PyFunction_Check(init);
    if (!python_init && made.type()->tp_init != type->tp_init) return initialised_plainly(init);
  }
  if (python_init) {
    Args given = args;
    given.positional.insert(given.positional.begin(), made);
    Value r = call(constant(init), given);
    if (!r) return {};
    if (r.get() != Py_None) {
      PyErr_Format(PyExc_TypeError, "__init__() should return None, not '%.200s'",
                   r.type()->tp_name);
      return {};
    }
  } else if (python_new && type->tp_init != PyBaseObject_Type.tp_init && !exception) {
    return initialised_plainly(init);
  }
  return made;
}

}  // namespace frit::walk
