// Instructions that make and take apart collections, closures and texts.
#include <fmt/format.h>

#include "frame/walk/stack.h"

namespace frit::walk {

bool Walker::step_build(Frame& f, const Instruction& i) {
  auto operands = [&] { return std::vector<Value>(f.stack.end() - i.arg, f.stack.end()); };
  auto slice = [&](Value& start, Value& stop_, Value* step) {
    Value s = taken(PySlice_New(start.get(), stop_.get(), step ? step->get() : nullptr));
    if (!s || plain_) return s;
    const bool fixed = start.is(ShadowKind::constant) && stop_.is(ShadowKind::constant) &&
                       (!step || step->is(ShadowKind::constant));
    if (fixed) return s;
    s = fresh(s.object.release());
    parts(s).items = {as_part(start), as_part(stop_),
                      step ? as_part(*step) : Part{Py_None, &constant_}};
    static PyObject* const names[] = {name_of("start"), name_of("stop"), name_of("step")};
    for (size_t k = 0; k < 3; ++k) parts(s).attributes[names[k]] = parts(s).items[k];
    return s;
  };
  switch (i.op) {
    case Op::build_tuple:
      return replace(f, i.arg, make_tuple(operands()));
    case Op::build_list:
      return replace(f, i.arg, make_list(operands()));
    case Op::build_set: {
      Value s = fresh(PySet_New(nullptr));
      for (int k = i.arg; s && k > 0; --k) {
        Value& v = top(f, k);
        if (!use_value(v)) return false;
        if (!plain_ && !is_plain(v.get(), library_) &&
            stop("set", fmt::format("a set of a {} is not followed", v.type()->tp_name)))
          return false;
        if (PySet_Add(s.get(), v.get()) < 0) return false;
      }
      return replace(f, i.arg, std::move(s));
    }
    case Op::build_map: {
      Value d = fresh(PyDict_New());
      for (int k = i.arg; d && k > 0; --k)
        if (!store_subscript(d, top(f, 2 * k), &top(f, 2 * k - 1))) return false;
      return replace(f, 2 * i.arg, std::move(d));
    }
    case Op::build_const_key_map: {
      Value d = fresh(PyDict_New());
      for (int k = 0; d && k < i.arg; ++k)
        if (!store_subscript(d, constant(PyTuple_GET_ITEM(top(f).get(), k)),
                             &top(f, i.arg + 1 - k)))
          return false;
      return replace(f, i.arg + 1, std::move(d));
    }
    case Op::build_slice:
      return replace(
          f, i.arg,
          i.arg == 3 ? slice(top(f, 3), top(f, 2), &top(f)) : slice(top(f, 2), top(f), nullptr));
    case Op::binary_slice: {
      Value s = slice(top(f, 2), top(f), nullptr);
      return s && replace(f, 3, subscript(top(f, 3), s));
    }
    case Op::store_slice: {
      Value s = slice(top(f, 2), top(f), nullptr);
      if (!s || !store_subscript(top(f, 3), s, &top(f, 4))) return false;
      drop(f, 4);
      return true;
    }
    case Op::build_string: {
      Ref list = Ref::take(PyList_New(0)), empty = Ref::take(PyUnicode_FromString(""));
      for (int k = i.arg; k > 0; --k) {
        if (!use_value(top(f, k)) || PyList_Append(list.get(), top(f, k).get()) < 0) return false;
      }
      return replace(f, i.arg, taken(PyUnicode_Join(empty.get(), list.get())));
    }
    case Op::format_value: {
      const bool with_spec = i.arg & 4;
      Value* spec = with_spec ? &top(f) : nullptr;
      return replace(f, 1 + with_spec, format(top(f, 1 + with_spec), i.arg & 3, spec));
    }
    case Op::convert_value:
      return replace(f, 1, format(top(f), i.arg, nullptr));
    case Op::format_simple:
      return replace(f, 1, format(top(f), 0, nullptr));
    case Op::format_with_spec:
      return replace(f, 2, format(top(f, 2), 0, &top(f)));
    default:
      return false;
  }
}

bool Walker::step_collection(Frame& f, const Instruction& i) {
  switch (i.op) {
    case Op::list_append: {
      if (!list_append(top(f, i.arg + 1), top(f))) return false;
      drop(f, 1);
      return true;
    }
    case Op::list_extend:
      if (!list_extend(top(f, i.arg + 1), top(f))) return false;
      drop(f, 1);
      return true;
    case Op::set_add: {
      Value& v = top(f);
      if (!use_value(v)) return false;
      if (!plain_ && !is_plain(v.get(), library_) &&
          stop("set", fmt::format("a set of a {} is not followed", v.type()->tp_name)))
        return false;
      if (PySet_Add(top(f, i.arg + 1).get(), v.get()) < 0) return false;
      drop(f, 1);
      return true;
    }
    case Op::set_update: {
      if (!use_value(top(f))) return false;
      if (!plain_ && !is_plain(top(f).get(), library_) &&
          stop("set", "a set of such values is not followed"))
        return false;
      Ref it = Ref::take(PyObject_GetIter(top(f).get()));
      if (!it) return false;
      while (Ref x = Ref::take(PyIter_Next(it.get())))
        if (PySet_Add(top(f, i.arg + 1).get(), x.get()) < 0) return false;
      if (PyErr_Occurred()) return false;
      drop(f, 1);
      return true;
    }
    case Op::map_add:
      if (!store_subscript(top(f, i.arg + 2), top(f, 2), &top(f))) return false;
      drop(f, 2);
      return true;
    case Op::dict_update:
    case Op::dict_merge: {
      Value d = top(f, i.arg + 1);
      if (i.op == Op::dict_merge && PyDict_Check(top(f).get())) {
        Py_ssize_t at = 0;
        PyObject *k, *v;
        while (PyDict_Next(top(f).get(), &at, &k, &v))
          if (PyDict_Contains(d.get(), k) == 1) {
            PyErr_Format(PyExc_TypeError, "got multiple values for keyword argument '%S'", k);
            return false;
          }
      }
      Args args;
      args.positional = {top(f)};
      if (!dict_update(d, args, 0)) return false;
      drop(f, 1);
      return true;
    }
    case Op::list_to_tuple: {
      Value l = top(f);
      std::vector<Value> items;
      use_length(l);
      for (Py_ssize_t k = 0; k < PyList_GET_SIZE(l.get()); ++k) items.push_back(item_at(l, k));
      return replace(f, 1, make_tuple(std::move(items)));
    }
    case Op::unpack_sequence:
    case Op::unpack_ex: {
      Value o = top(f);
      if (!Py_TYPE(o.get())->tp_iter && !PySequence_Check(o.get())) {
        use_type(o);
        PyErr_Format(PyExc_TypeError, "cannot unpack non-iterable %.200s object",
                     Py_TYPE(o.get())->tp_name);
        return false;
      }
      std::vector<Value> items;
      if (is_sequence(o.get())) {
        use_length(o);
        for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(o.get()); ++k)
          items.push_back(item_at(o, k));
      } else if (plain_) {
        Ref list = Ref::take(PySequence_List(o.get()));
        if (!list) return false;
        for (Py_ssize_t k = 0; k < PyList_GET_SIZE(list.get()); ++k)
          items.push_back(constant(PyList_GET_ITEM(list.get(), k)));
      } else if (!drain(o, items)) {
        return false;
      }
      const int given = static_cast<int>(items.size());
      const bool rest = i.op == Op::unpack_ex;
      const int before = rest ? i.arg & 255 : i.arg, after = rest ? i.arg >> 8 : 0;
      if (given < before + after) {
        PyErr_Format(PyExc_ValueError, "not enough values to unpack (expected %s%d, got %d)",
                     rest ? "at least " : "", before + after, given);
        return false;
      }
      if (!rest && given > before) {
        PyErr_Format(PyExc_ValueError, "too many values to unpack (expected %d)", before);
        return false;
      }
      drop(f, 1);
      for (int k = 0; k < after; ++k) push(f, items[static_cast<size_t>(given - 1 - k)]);
      if (rest) push(f, make_list(std::vector<Value>(items.begin() + before, items.end() - after)));
      for (int k = before - 1; k >= 0; --k) push(f, items[static_cast<size_t>(k)]);
      return true;
    }
    case Op::get_len: {
      use_length(top(f));
      const Py_ssize_t n = PyObject_Size(top(f).get());
      return n >= 0 && push(f, taken(PyLong_FromSsize_t(n)));
    }
    case Op::match_sequence:
    case Op::match_mapping: {
      use_type(top(f));
      const unsigned long flag =
          i.op == Op::match_sequence ? Py_TPFLAGS_SEQUENCE : Py_TPFLAGS_MAPPING;
      return push(f, boolean((top(f).type()->tp_flags & flag) != 0));
    }
    case Op::match_keys: {
      // keys tuple on top, the subject below: a tuple of values, or None.
      Value subject = top(f, 2), keys = top(f);
      std::vector<Value> values;
      Ref seen = Ref::take(PySet_New(nullptr));
      for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(keys.get()); ++k) {
        Value key = constant(PyTuple_GET_ITEM(keys.get(), k));
        const int repeated = PySet_Contains(seen.get(), key.get());
        if (repeated > 0)
          PyErr_Format(PyExc_ValueError, "mapping pattern checks duplicate key (%R)", key.get());
        if (repeated != 0 || PySet_Add(seen.get(), key.get()) < 0) return false;
        if (!PyDict_CheckExact(subject.get())) {
          if (stop("match", "a pattern of what is no dict is not followed")) return false;
          PyErr_SetString(PyExc_NotImplementedError, "match of a mapping that is no dict");
          return false;
        }
        const int there = contains(subject, key);
        if (there < 0) return false;
        if (!there) return push(f, none());
        values.push_back(subscript(subject, key));
        if (!values.back()) return false;
      }
      return push(f, make_tuple(std::move(values)));
    }
    case Op::match_class: {
      // names on top, then the class, then the subject.
      Value subject = top(f, 3), cls = top(f, 2), names = top(f);
      static PyObject* const n_match_args = name_of("__match_args__");
      use_identity(cls);
      use_type(subject);
      const int is = PyObject_IsInstance(subject.get(), cls.get());
      if (is < 0) return false;
      if (!is) return replace(f, 3, none());
      std::vector<Value> values;
      Ref seen = Ref::take(PySet_New(nullptr));
      auto repeated = [&](PyObject* name) {
        const int there = PySet_Contains(seen.get(), name);
        if (there > 0)
          PyErr_Format(PyExc_TypeError, "%.200s() got multiple sub-patterns for attribute %R",
                       reinterpret_cast<PyTypeObject*>(cls.get())->tp_name, name);
        return there != 0 || PySet_Add(seen.get(), name) < 0;
      };
      if (i.arg > 0) {
        Value args = load_attribute(cls, n_match_args);
        if (!args) {
          if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return false;
          PyErr_Clear();
          auto* t = reinterpret_cast<PyTypeObject*>(cls.get());
          if (!PyType_HasFeature(t, _Py_TPFLAGS_MATCH_SELF) || i.arg != 1) {
            PyErr_Format(PyExc_TypeError, "%s() accepts 0 positional sub-patterns (%d given)",
                         t->tp_name, i.arg);
            return false;
          }
          values.push_back(subject);
        } else {
          if (!use_value(args) || !PyTuple_CheckExact(args.get()) ||
              PyTuple_GET_SIZE(args.get()) < i.arg) {
            if (!PyErr_Occurred())
              PyErr_SetString(PyExc_TypeError, "too many positional sub-patterns");
            return false;
          }
          for (int k = 0; k < i.arg; ++k) {
            PyObject* name = PyTuple_GET_ITEM(args.get(), k);
            if (!PyUnicode_CheckExact(name)) {
              PyErr_Format(PyExc_TypeError, "__match_args__ elements must be strings (got %.200s)",
                           Py_TYPE(name)->tp_name);
              return false;
            }
            if (repeated(name)) return false;
            values.push_back(load_attribute(subject, name));
            if (!values.back()) break;
          }
        }
      }
      for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(names.get()); ++k) {
        if (!values.empty() && !values.back()) break;
        if (repeated(PyTuple_GET_ITEM(names.get(), k))) return false;
        values.push_back(load_attribute(subject, PyTuple_GET_ITEM(names.get(), k)));
      }
      if (!values.empty() && !values.back()) {
        if (halted_ || !PyErr_ExceptionMatches(PyExc_AttributeError)) return false;
        PyErr_Clear();
        return replace(f, 3, none());
      }
      return replace(f, 3, make_tuple(std::move(values)));
    }
    default:
      return false;
  }
}

bool Walker::step_closure(Frame& f, const Instruction& i) {
  auto& local = f.locals[static_cast<size_t>(i.op == Op::copy_free_vars ? 0 : i.arg)];
  auto unbound = [&] {
    const bool free = i.arg >= f.code->co_nlocalsplus - f.code->co_nfreevars;
    PyErr_Format(
        free ? PyExc_NameError : PyExc_UnboundLocalError,
        free ? "cannot access free variable '%U' where it is not associated with a value in "
               "enclosing scope"
             : "cannot access local variable '%U' where it is not associated with a value",
        local_name(f, i.arg));
    return false;
  };
  switch (i.op) {
    case Op::make_cell: {
      Value cell = fresh(PyCell_New(local.get()));
      if (!cell) return false;
      if (local && cell.is(ShadowKind::fresh)) parts(cell).items = {as_part(local)};
      local = std::move(cell);
      return true;
    }
    case Op::copy_free_vars: {
      static PyObject* const n_closure = name_of("__closure__");
      PyObject* closure = f.function->func_closure;
      const int first = f.code->co_nlocalsplus - i.arg;
      const bool made = !plain_ && f.function_value.is(ShadowKind::fresh);
      for (int k = 0; k < i.arg; ++k) {
        Value& cell = f.locals[static_cast<size_t>(first + k)];
        if (made) {
          Value cells(Ref::share(closure), parts(f.function_value).attributes[n_closure].shadow);
          cell = item_at(cells, k);
          continue;
        }
        PyObject* c = PyTuple_GET_ITEM(closure, k);
        auto known = plain_ ? identity_.end() : identity_.find(c);
        cell =
            !plain_ && known != identity_.end() ? Value(Ref::share(c), known->second) : constant(c);
      }
      return true;
    }
    case Op::load_closure:
      return push(f, local);
    case Op::load_deref: {
      PyObject* found = PyCell_GET(local.get());
      if (!found) return unbound();
      if (plain_) return push(f, constant(found));
      if (local.is(ShadowKind::fresh))
        return push(f, part(parts(local).items.empty() ? Part() : parts(local).items[0], found));
      Source* s = source_of(local);
      use_type(local);
      return push(f, read(SourceKind::cell, s, local_name(f, i.arg), 0, found));
    }
    case Op::store_deref:
    case Op::delete_deref: {
      const bool store = i.op == Op::store_deref;
      PyObject* old = PyCell_GET(local.get());
      if (!store && !old) return unbound();
      Value v = store ? top(f) : Value();
      if (!plain_) {
        if (local.is(ShadowKind::fresh)) {
          parts(local).items.clear();
          if (store) {
            parts(local).items.push_back(as_part(v));
            keep(v.get());
          }
        } else {
          Source* owner = source_of(local);
          Source& s = sources.at(SourceKind::cell, owner, local_name(f, i.arg), 0, old);
          write_source(s, store ? &v : nullptr);
          effects.push_back({Effect::Kind::set_cell, local, {}, v});
        }
      }
      PyCell_Set(local.get(), v.get());
      if (store) drop(f, 1);
      return true;
    }
    case Op::make_function: {
      auto* code = top(f).get();
      Ref made = Ref::take(PyFunction_New(code, f.globals));
      if (!made) return false;
      auto* fn = reinterpret_cast<PyFunctionObject*>(made.get());
      Value v = fresh(made.release());
      int n = 1;
      static PyObject* const names[] = {name_of("__defaults__"), name_of("__kwdefaults__"),
                                        name_of("__annotations__"), name_of("__closure__")};
      PyObject** places[] = {&fn->func_defaults, &fn->func_kwdefaults, &fn->func_annotations,
                             &fn->func_closure};
      if (PY_VERSION_HEX < 0x030d0000)
        for (int bit = 3; bit >= 0; --bit)
          if (i.arg >> bit & 1) {
            Value& x = top(f, ++n);
            Py_XSETREF(*places[bit], Py_NewRef(x.get()));
            if (v.is(ShadowKind::fresh)) parts(v).attributes[names[bit]] = as_part(x);
          }
      return replace(f, n, std::move(v));
    }
    case Op::set_function_attribute: {
      static PyObject* const names[] = {name_of("__defaults__"), name_of("__kwdefaults__"),
                                        name_of("__annotations__"), name_of("__closure__")};
      Value v = top(f), x = top(f, 2);
      auto* fn = reinterpret_cast<PyFunctionObject*>(v.get());
      PyObject** places[] = {&fn->func_defaults, &fn->func_kwdefaults, &fn->func_annotations,
                             &fn->func_closure};
      const int bit = __builtin_ctz(static_cast<unsigned>(i.arg));
      Py_XSETREF(*places[bit], Py_NewRef(x.get()));
      if (v.is(ShadowKind::fresh)) parts(v).attributes[names[bit]] = as_part(x);
      return replace(f, 2, std::move(v));
    }
    case Op::import_name: {
      Value from = top(f), level = top(f, 2);
      PyObject* name = PyTuple_GET_ITEM(f.code->co_names, i.arg);
      // A module that is there already; importing one runs its code.
      if (!plain_) {
        Ref there = Ref::take(PyImport_GetModule(name));
        if ((!there || PyLong_AsLong(level.get()) != 0 || from.get() != Py_None) && !there &&
            stop("import", "the import of " + text_of(name) + " runs its code",
                 "import it at the head of the file"))
          return false;
      }
      Value m = taken(PyImport_ImportModuleLevelObject(
          name, f.globals, nullptr, from.get(), static_cast<int>(PyLong_AsLong(level.get()))));
      return replace(f, 2, std::move(m));
    }
    case Op::import_from: {
      Value v = load_attribute(top(f), PyTuple_GET_ITEM(f.code->co_names, i.arg));
      if (!v && !halted_ && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_ImportError, "cannot import name '%U' from '%s'",
                     PyTuple_GET_ITEM(f.code->co_names, i.arg), text_of(top(f).get()).c_str());
      }
      return v && push(f, std::move(v));
    }
    default:
      return false;
  }
}

}  // namespace frit::walk
