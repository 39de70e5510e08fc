// Attribute lookup, done as CPython does it: the type's order, descriptors, the instance,
// __getattr__.
#include <fmt/format.h>

#include "frame/walk/layouts.h"
#include "frame/walk/made_once.h"
#include "frame/walk/members.h"
#include "frame/walk/walker.h"

namespace frit::walk {
namespace {

// As CPython does, for its suggestions: what the AttributeError that is set is about.
void add_context(PyObject* o, PyObject* name) {
  PyObject *t, *v, *tb;
  PyErr_Fetch(&t, &v, &tb);
  PyErr_NormalizeException(&t, &v, &tb);
  if (v && PyObject_TypeCheck(v, reinterpret_cast<PyTypeObject*>(PyExc_AttributeError))) {
    auto* e = reinterpret_cast<PyAttributeErrorObject*>(v);
    if (!e->obj && !e->name) {
      e->obj = Py_NewRef(o);
      e->name = Py_NewRef(name);
    }
  }
  PyErr_Restore(t, v, tb);
}

Value attribute_error(PyObject* o, PyObject* name) {
  PyErr_Format(PyExc_AttributeError, "'%.100s' object has no attribute '%U'", Py_TYPE(o)->tp_name,
               name);
  add_context(o, name);
  return {};
}

bool is_attribute_error() { return PyErr_ExceptionMatches(PyExc_AttributeError); }

// What C types' own properties give is as fixed as the object itself for these.
bool has_fixed_properties(PyObject* o) {
  return PyFunction_Check(o) || PyType_Check(o) || PyCode_Check(o) || PyCFunction_Check(o) ||
         Py_TYPE(o) == &PyMethodDescr_Type || Py_TYPE(o) == &PyWrapperDescr_Type ||
         Py_TYPE(o) == &PyProperty_Type || PyLong_CheckExact(o) || PyFloat_CheckExact(o) ||
         PyComplex_CheckExact(o) || PySlice_Check(o) || PyRange_Check(o);
}

}  // namespace

PyObject* Walker::python_method(PyTypeObject* type, PyObject* name) {
  if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) return nullptr;
  PyObject* d = guards.lookup(type, name);
  return d && PyFunction_Check(d) ? d : nullptr;
}

Value Walker::bound_method(PyObject* f, Value& self) {
  Value m = fresh(PyMethod_New(f, self.get()));
  if (m && !plain_) parts(m).items = {{f, &constant_}, as_part(self)};
  return m;
}

// A class attribute that is no descriptor: fixed by the guard on the type.
Value Walker::class_value(PyTypeObject*, PyObject* d) {
  if (!is_shared(d))
    if (auto it = identity_.find(d); it != identity_.end() && it->second->kind != ShadowKind::input)
      return {Ref::share(d), it->second};
  return constant(d);
}

Value Walker::bind(PyObject* d, Value& o, PyTypeObject* type, PyObject* name, bool* method) {
  PyTypeObject* kind = Py_TYPE(d);
  if (PyFunction_Check(d) || kind == &PyMethodDescr_Type || kind == &PyWrapperDescr_Type) {
    if (method && kind != &PyWrapperDescr_Type) {
      *method = true;
      return constant(d);
    }
    if (PyFunction_Check(d)) return bound_method(d, o);
    Value m = fresh(kind->tp_descr_get(d, o.get(), reinterpret_cast<PyObject*>(type)));
    if (m && m.is(ShadowKind::fresh)) parts(m).items = {{d, &constant_}, as_part(o)};
    // C functions are shared: what they are bound to is known by the object itself.
    if (m && !m.is(ShadowKind::fresh) && !plain_) {
      Shadow& s = sources.new_shadow(ShadowKind::fresh);
      s.fresh = &sources.new_fresh();
      s.fresh->object = m.object;
      s.fresh->items = {{d, &constant_}, as_part(o)};
      m.shadow = &s;
    }
    return m;
  }
  if (library_.call_kind(d) != TensorCall::none) {
    if (!method) return bound_method(d, o);
    *method = true;
    return constant(d);
  }
  if (kind == &PyStaticMethod_Type) return class_value(type, layout::wrapped(d));
  if (kind == &PyClassMethod_Type) {
    PyObject* f = layout::wrapped(d);
    Value t = constant(reinterpret_cast<PyObject*>(type));
    if (PyFunction_Check(f)) return bound_method(f, t);
    return taken(kind->tp_descr_get(d, o.get(), reinterpret_cast<PyObject*>(type)));
  }
  if (kind == &PyClassMethodDescr_Type)
    return taken(kind->tp_descr_get(d, o.get(), reinterpret_cast<PyObject*>(type)));
  if (!kind->tp_descr_get) return class_value(type, d);
  static PyObject* const n_get = name_of("__get__");
  if (PyObject* get = python_method(kind, n_get)) {
    Committed committed(*this);
    return call_with(constant(get),
                     {class_value(type, d), o, constant(reinterpret_cast<PyObject*>(type))});
  }
  if (stop("descriptor", fmt::format("the descriptor {} of {}.{} is not followed", kind->tp_name,
                                     type->tp_name, text_of(name))))
    return {};
  return taken(kind->tp_descr_get(d, o.get(), reinterpret_cast<PyObject*>(type)));
}

Value Walker::instance_attribute(Value& o, PyObject* name) {
  PyObject** place = _PyObject_GetDictPtr(o.get());
  PyObject* d = place ? *place : nullptr;
  PyObject* found = d ? PyDict_GetItemWithError(d, name) : nullptr;
  if (!found && PyErr_Occurred()) return {};
  if (o.is(ShadowKind::fresh)) {
    if (!found) return {};
    auto it = parts(o).attributes.find(name);
    return part(it == parts(o).attributes.end() ? Part() : it->second, found);
  }
  Source* s = source_of(o);
  if (!s) {  // a tensor, or a number
    if (found) lose("attribute", "an attribute of a tensor made here is not followed");
    return found ? constant(found) : Value();
  }
  if (found) return read(SourceKind::attribute, s, name, 0, found);
  if (!place) return {};
  Source* known = sources.find(SourceKind::attribute, s, name, 0);
  if (!known || !known->written) {
    if (known && known->seen) lose("changed", source_text(*known) + " is gone");
    guards.add(GuardKind::absent_attribute, *s, name);
  }
  return {};
}

Value Walker::generic_attribute(Value& o, PyObject* name, bool* method, bool without_getattr) {
  static PyObject* const n_class = name_of("__class__");
  static PyObject* const n_dict = name_of("__dict__");
  static PyObject* const n_get = name_of("__get__");
  static PyObject* const n_getattr = name_of("__getattr__");
  PyTypeObject* type = o.type();
  use_type(o);
  Ref d = Ref::share(guards.lookup(type, name));
  auto fallback = [&]() -> Value {
    if (PyErr_Occurred() && !is_attribute_error()) return {};
    if (!without_getattr) {
      PyObject* f = type->tp_flags & Py_TPFLAGS_HEAPTYPE ? guards.lookup(type, n_getattr) : nullptr;
      if (f && !PyFunction_Check(f)) {
        PyErr_Clear();
        if (stop("attribute",
                 fmt::format("the __getattr__ of a {} is not followed", type->tp_name)))
          return {};
        return taken(PyObject_GetAttr(o.get(), name));
      }
      if (f) {
        PyErr_Clear();
        Committed committed(*this);
        Value r = call_with(constant(f), {o, constant(name)});
        if (!r && !halted_ && is_attribute_error()) add_context(o.get(), name);
        return r;
      }
    }
    if (!PyErr_Occurred()) return attribute_error(o.get(), name);
    add_context(o.get(), name);
    return {};
  };
  if (d && Py_TYPE(d.get())->tp_descr_get && Py_TYPE(d.get())->tp_descr_set) {
    PyTypeObject* kind = Py_TYPE(d.get());
    if (PyObject_TypeCheck(d.get(), &PyProperty_Type)) {
      PyObject* get = layout::property_get(d.get());
      if (!get) {
        PyErr_Format(PyExc_AttributeError, "property '%U' of '%.100s' object has no getter", name,
                     type->tp_name);
        return fallback();
      }
      Committed committed(*this);
      Value r = call_with(constant(get), {o});
      return r || halted_ || !is_attribute_error() ? std::move(r) : fallback();
    }
    if (kind == &PyMemberDescr_Type) {
      Value v = taken(kind->tp_descr_get(d.get(), o.get(), reinterpret_cast<PyObject*>(type)));
      const bool is_object = is_object_slot(d.get());
      if (!v) {
        Source* s = o.is(ShadowKind::fresh) ? nullptr : source_of(o);
        Source* known = s ? sources.find(SourceKind::slot, s, name, 0) : nullptr;
        if (s && is_object && !(known && known->written))
          guards.add(GuardKind::absent_slot, *s, name);
        return fallback();
      }
      if (o.is(ShadowKind::fresh)) {
        auto it = parts(o).attributes.find(name);
        if (it != parts(o).attributes.end()) return part(it->second, v.get());
        if (parts(o).rebuildable && is_object) return part({}, v.get());
        return known_or_constant(v.object.release());
      }
      Source* s = source_of(o);
      if (!s) return v;
      if (is_object) return read(SourceKind::slot, s, name, 0, v.get());
      if (!has_fixed_properties(o.get()) &&
          stop("attribute",
               fmt::format("{} of a {} is not followed", text_of(name), type->tp_name)))
        return {};
      return v;
    }
    if (kind == &PyGetSetDescr_Type) {
      Value v = taken(kind->tp_descr_get(d.get(), o.get(), reinterpret_cast<PyObject*>(type)));
      if (!v) return fallback();
      if (name == n_class) return v;
      if (name == n_dict &&
          v.get() == (_PyObject_GetDictPtr(o.get()) ? *_PyObject_GetDictPtr(o.get()) : nullptr)) {
        if (Source* s = o.is(ShadowKind::fresh) ? nullptr : source_of(o)) {
          Source& dict = sources.at(SourceKind::dict, s, nullptr, 0, v.get());
          identity_[v.get()] = dict.shadow;
          keep(v.get());
          v.shadow = dict.shadow;
          return v;
        }
        if (!o.is(ShadowKind::fresh)) {
          if (stop("attribute", "__dict__ of a tensor made here is not followed")) return {};
          return v;
        }
        if (auto it = identity_.find(v.get()); it != identity_.end())
          return {std::move(v.object), it->second};
        Fresh* owner = o.shadow->fresh;
        v = fresh(v.object.release());
        parts(v).owner = owner;
        parts(v).rebuildable = false;
        return v;
      }
      // One of the caller's may hold something else next time.
      if (!o.is(ShadowKind::input) &&
          PyObject_TypeCheck(o.get(), reinterpret_cast<PyTypeObject*>(PyExc_BaseException)))
        return known_or_constant(v.object.release());
      if (PyFunction_Check(o.get()) && o.is(ShadowKind::input)) use_identity(o);
      if (has_fixed_properties(o.get())) {
        if (Source* s = o.is(ShadowKind::constant) && PyFunction_Check(o.get())
                            ? &sources.constant(o.get())
                            : nullptr)
          guards.function(*s, reinterpret_cast<PyFunctionObject*>(o.get()));
        return class_value(type, v.get());
      }
      if (stop("attribute",
               fmt::format("{} of a {} is not followed", text_of(name), type->tp_name)))
        return {};
      return v;
    }
    // A field of a named tuple.
    if (PyTuple_Check(o.get()) &&
        reinterpret_cast<PyObject*>(kind) ==
            made_once([] { return imported("_collections", "_tuplegetter"); }).get() &&
        layout::field_index(d.get()) < PyTuple_GET_SIZE(o.get()))
      return item_of_tuple(o, layout::field_index(d.get()));
    if (PyObject* get = python_method(kind, n_get)) {
      Committed committed(*this);
      Value r = call_with(constant(get), {class_value(type, d.get()), o,
                                          constant(reinterpret_cast<PyObject*>(type))});
      return r || halted_ || !is_attribute_error() ? std::move(r) : fallback();
    }
    if (stop("descriptor", fmt::format("the descriptor {} of {}.{} is not followed", kind->tp_name,
                                       type->tp_name, text_of(name))))
      return {};
    return taken(kind->tp_descr_get(d.get(), o.get(), reinterpret_cast<PyObject*>(type)));
  }
  if (Value v = instance_attribute(o, name); v || PyErr_Occurred()) return v;
  if (d) {
    Value r = bind(d.get(), o, type, name, method);
    return r || halted_ || !is_attribute_error() ? std::move(r) : fallback();
  }
  return fallback();
}

Value Walker::load_module_attribute(Value& o, PyObject* name) {
  static PyObject* const n_getattr = name_of("__getattr__");
  use_identity(o);
  if (o.type() != &PyModule_Type) {
    // A class of modules of its own.
    Value m(o.object, &constant_);
    return generic_attribute(m, name, nullptr, false);
  }
  Value m(o.object, &constant_);
  if (Value v = instance_attribute(m, name); v || PyErr_Occurred()) return v;
  if (PyObject* d = guards.lookup(o.type(), name)) return bind(d, m, o.type(), name, nullptr);
  PyObject* dict = PyModule_GetDict(o.get());
  if (PyObject* f = PyDict_GetItemWithError(dict, n_getattr)) {
    Committed committed(*this);
    Value getter = read(SourceKind::attribute, &sources.constant(o.get()), n_getattr, 0, f);
    return call_with(getter, {constant(name)});
  }
  return taken(PyObject_GetAttr(o.get(), name));  // raises
}

Value Walker::load_type_attribute(Value& o, PyObject* name) {
  static PyObject* const n_get = name_of("__get__");
  use_identity(o);
  auto* cls = reinterpret_cast<PyTypeObject*>(o.get());
  PyTypeObject* meta = o.type();
  Ref of_meta = Ref::share(guards.lookup(meta, name));
  if (of_meta && Py_TYPE(of_meta.get())->tp_descr_set) {
    if (PyObject_TypeCheck(of_meta.get(), &PyProperty_Type) &&
        layout::property_get(of_meta.get())) {
      Committed committed(*this);
      return call_with(constant(layout::property_get(of_meta.get())), {o});
    }
    static PyObject* const n_bases = name_of("__bases__");
    if (name == n_bases && stop("attribute", "the bases of a class are not followed")) return {};
    if (!plain_) guards.lookup(cls, name);          // its order is part of what holds
    return taken(PyObject_GetAttr(o.get(), name));  // __name__, __mro__, ...
  }
  if (PyObject* d = guards.lookup(cls, name)) {
    PyTypeObject* kind = Py_TYPE(d);
    if (PyFunction_Check(d) || kind == &PyMethodDescr_Type || kind == &PyWrapperDescr_Type)
      return constant(d);
    if (kind == &PyStaticMethod_Type) return class_value(cls, layout::wrapped(d));
    if (kind == &PyClassMethod_Type && PyFunction_Check(layout::wrapped(d)))
      return bound_method(layout::wrapped(d), o);
    if (!kind->tp_descr_get) return class_value(cls, d);
    if (PyObject* get = python_method(kind, n_get)) {
      Committed committed(*this);
      return call_with(constant(get), {class_value(cls, d), none(), o});
    }
    // Properties, slots and the like give themselves; C class methods are bound to the class.
    return taken(kind->tp_descr_get(d, nullptr, o.get()));
  }
  if (of_meta) return bind(of_meta.get(), o, meta, name, nullptr);
  static PyObject* const n_getattr = name_of("__getattr__");
  if (PyObject* f = python_method(meta, n_getattr)) {
    Committed committed(*this);
    return call_with(constant(f), {o, constant(name)});
  }
  return taken(PyObject_GetAttr(o.get(), name));  // raises
}

Value Walker::load_super(Value& o, PyObject* name, bool* method) {
  auto* s = layout::super_of(o.get());
  PyTypeObject* start = s->obj_type;
  static PyObject* const n_class = name_of("__class__");
  // A class that is being made has no order yet.
  if (!start || !start->tp_mro || name == n_class) return taken(PyObject_GetAttr(o.get(), name));
  PyObject* mro = start->tp_mro;
  Py_ssize_t i = 0;
  const Py_ssize_t n = PyTuple_GET_SIZE(mro);
  while (i < n && PyTuple_GET_ITEM(mro, i) != reinterpret_cast<PyObject*>(s->type)) ++i;
  guards.lookup(start, name);  // its order is part of what holds
  for (++i; i < n; ++i) {
    auto* t = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(mro, i));
    Ref dict = layout::dict_of_type(t);
    PyObject* d = PyDict_GetItemWithError(dict.get(), name);
    Source& where = sources.constant(dict.get());
    if (!d) {
      if (t->tp_flags & Py_TPFLAGS_HEAPTYPE) guards.add(GuardKind::absent_key, where, name);
      continue;
    }
    if (t->tp_flags & Py_TPFLAGS_HEAPTYPE) {
      Value found = read(SourceKind::key, &where, name, 0, d);
      use_identity(found);
    }
    Value self = parts(o).items.size() == 2 ? part(parts(o).items[1], s->obj) : constant(s->obj);
    const bool of_class = s->obj == reinterpret_cast<PyObject*>(start);
    if (!of_class && PyObject_TypeCheck(d, &PyProperty_Type) && layout::property_get(d)) {
      Committed committed(*this);
      return call_with(constant(layout::property_get(d)), {self});
    }
    if (of_class) {
      if (PyFunction_Check(d)) return constant(d);
      if (Py_TYPE(d) == &PyClassMethod_Type && PyFunction_Check(layout::wrapped(d)))
        return bound_method(layout::wrapped(d), self);
      if (Py_TYPE(d) == &PyStaticMethod_Type) return class_value(t, layout::wrapped(d));
      return taken(PyObject_GetAttr(o.get(), name));
    }
    if (Py_TYPE(d)->tp_descr_set) {
      if (stop("super", "super()." + text_of(name) + " is not followed")) return {};
      return taken(PyObject_GetAttr(o.get(), name));
    }
    (void)method;  // the object before it on the stack is the super object, not self
    return bind(d, self, start, name, nullptr);
  }
  return taken(PyObject_GetAttr(o.get(), name));
}

Value Walker::load_attribute(Value o, PyObject* name, bool* method) {
  static PyObject* const n_getattribute = name_of("__getattribute__");
  static PyObject* const n_getattr = name_of("__getattr__");
  static PyObject* const n_self = name_of("__self__");
  static PyObject* const n_func = name_of("__func__");
  if (plain_) {
    return taken(PyObject_GetAttr(o.get(), name));
  }
  PyTypeObject* type = o.type();
  if (PyModule_Check(o.get()) && !python_method(type, n_getattribute))
    return load_module_attribute(o, name);
  if (PyType_Check(o.get())) return load_type_attribute(o, name);
  if (type == &PySuper_Type && o.is(ShadowKind::fresh)) return load_super(o, name, method);
  if (is_tensor(o.get())) {
    const TensorCall kind = library_.attribute_kind(o.get(), name);
    if (kind != TensorCall::none) return tensor_attribute(o, name, kind);
  }
  if (library_.is_plain(o.get())) {
    if (!use_value(o)) return {};
    return taken(PyObject_GetAttr(o.get(), name));
  }
  if (type == &PyMethod_Type) {
    if (name == n_self || name == n_func) {
      PyObject* x = name == n_self ? PyMethod_GET_SELF(o.get()) : PyMethod_GET_FUNCTION(o.get());
      if (o.is(ShadowKind::fresh)) return part(parts(o).items[name == n_self], x);
      if (Source* s = source_of(o)) {
        use_type(o);
        return read(name == n_self ? SourceKind::self : SourceKind::function, s, nullptr, 0, x);
      }
    }
    use_identity(o);
    return taken(PyObject_GetAttr(o.get(), name));
  }
  if (type->tp_getattro != PyObject_GenericGetAttr) {
    use_type(o);
    PyObject* f = guards.lookup(type, n_getattribute);
    if (f && PyFunction_Check(f)) {
      Committed committed(*this);
      Value r = call_with(constant(f), {o, constant(name)});
      if (r || halted_ || !is_attribute_error()) return r;
      if (PyObject* g = python_method(type, n_getattr)) {
        PyErr_Clear();
        return call_with(constant(g), {o, constant(name)});
      }
      return {};
    }
    static PyObject* const generic =
        PyDict_GetItemString(layout::dict_of_type(&PyBaseObject_Type).get(), "__getattribute__");
    if (f != generic && !is_tensor(o.get())) {
      if (PyCFunction_Check(o.get()) || library_.is_plain(o.get())) {
        if (!use_value(o)) return {};
        return taken(PyObject_GetAttr(o.get(), name));
      }
      if (stop("attribute", fmt::format("attributes of a {} are not followed", type->tp_name)))
        return {};
      return taken(PyObject_GetAttr(o.get(), name));
    }
  }
  if (PyCFunction_Check(o.get())) {
    if (o.is(ShadowKind::input)) use_identity(o);
    return taken(PyObject_GetAttr(o.get(), name));
  }
  if (o.is(ShadowKind::number) && !use_value(o)) return {};
  return generic_attribute(o, name, method, false);
}

Value Walker::special(Value& o, PyObject* name) {
  use_type(o);
  PyObject* d = plain_ ? _PyType_Lookup(o.type(), name) : guards.lookup(o.type(), name);
  if (!d) return {};
  if (plain_) {
    descrgetfunc get = Py_TYPE(d)->tp_descr_get;
    return get ? taken(get(d, o.get(), reinterpret_cast<PyObject*>(o.type()))) : constant(d);
  }
  return bind(d, o, o.type(), name, nullptr);
}

// --- stores ---

void Walker::write_source(Source& s, const Value* v) {
  s.written = true;
  s.now.object = v ? v->get() : nullptr;
  s.now.shadow = v ? v->shadow : nullptr;
  if (v) keep(v->get());
  if (s.parent) s.parent->changed = true;
}

bool Walker::store_generic(Value& o, PyObject* name, Value* value) {
  if (plain_) return PyObject_GenericSetAttr(o.get(), name, value ? value->get() : nullptr) == 0;
  PyObject* d = guards.lookup(o.type(), name);
  const bool slot = d && is_object_slot(d);
  if (d && Py_TYPE(d)->tp_descr_set && !slot) {
    const bool exception =
        PyObject_TypeCheck(o.get(), reinterpret_cast<PyTypeObject*>(PyExc_BaseException));
    if (!(exception && o.is(ShadowKind::fresh)) &&
        stop("store",
             fmt::format("storing to {}.{} is not followed", o.type()->tp_name, text_of(name))))
      return false;
    return PyObject_GenericSetAttr(o.get(), name, value ? value->get() : nullptr) == 0;
  }
  Source* s = o.is(ShadowKind::fresh) ? nullptr : source_of(o);
  if (!s && !o.is(ShadowKind::fresh)) {
    if (stop("store", "storing an attribute of a tensor made here is not followed")) return false;
    return PyObject_GenericSetAttr(o.get(), name, value ? value->get() : nullptr) == 0;
  }
  const SourceKind kind = slot ? SourceKind::slot : SourceKind::attribute;
  Source* known = s ? sources.find(kind, s, name, 0) : nullptr;
  if (s && !known) {
    // How it was at entry: what a guard that comes later is about.
    PyObject* was = nullptr;
    if (slot) {
      was = member_slot(o.get(), d);
    } else if (PyObject** dict = _PyObject_GetDictPtr(o.get()); dict && *dict) {
      was = PyDict_GetItemWithError(*dict, name);
    }
    known = &sources.at(kind, s, name, 0, was);
  }
  if (!value && s && !known->written) {
    // Deleting raises where nothing is there.
    Value there = generic_attribute(o, name, nullptr, true);
    if (!there) return false;
  }
  if (PyObject_GenericSetAttr(o.get(), name, value ? value->get() : nullptr) < 0) return false;
  if (!s) {
    if (value) {
      parts(o).attributes[name] = as_part(*value);
      keep(value->get());
      keep(name);
    } else {
      parts(o).attributes.erase(name);
    }
    return true;
  }
  write_source(*known, value);
  effects.push_back({value ? Effect::Kind::set_attribute : Effect::Kind::delete_attribute, o,
                     constant(name), value ? *value : Value()});
  return true;
}

bool Walker::store_attribute(Value o, PyObject* name, Value* value) {
  static PyObject* const n_setattr = name_of("__setattr__");
  static PyObject* const n_delattr = name_of("__delattr__");
  static PyObject* const n_set = name_of("__set__");
  auto really = [&] {
    return PyObject_SetAttr(o.get(), name, value ? value->get() : nullptr) == 0;
  };
  if (plain_) return really();
  if (is_tensor(o.get())) {
    const TensorCall kind = library_.attribute_kind(o.get(), name);
    if (kind == TensorCall::grad) {
      if (!use_tensor(o) || (value && value->get() != Py_None && !use_tensor(*value))) return false;
      return really();
    }
    if (stop("store", "storing tensor." + text_of(name) + " is not followed")) return false;
    return really();
  }
  if (PyType_Check(o.get()) || PyFunction_Check(o.get())) {
    if (stop("store", "storing an attribute of " + text_of(o.get()) + " is not followed"))
      return false;
    return really();
  }
  use_type(o);
  PyTypeObject* type = o.type();
  if (PyObject* f = python_method(type, value ? n_setattr : n_delattr)) {
    Committed committed(*this);
    Value r = value ? call_with(constant(f), {o, constant(name), *value})
                    : call_with(constant(f), {o, constant(name)});
    return static_cast<bool>(r);
  }
  if (type->tp_setattro != PyObject_GenericSetAttr && !PyModule_Check(o.get())) {
    static PyObject* const generic =
        PyDict_GetItemString(layout::dict_of_type(&PyBaseObject_Type).get(), "__setattr__");
    if (guards.lookup(type, n_setattr) != generic) {
      if (stop("store", fmt::format("storing an attribute of a {} is not followed", type->tp_name)))
        return false;
      return really();
    }
  }
  PyObject* d = guards.lookup(type, name);
  if (d && PyObject_TypeCheck(d, &PyProperty_Type)) {
    PyObject* f = value ? layout::property_set(d) : layout::property_delete(d);
    if (!f) return really();  // raises
    Committed committed(*this);
    Value r = value ? call_with(constant(f), {o, *value}) : call_with(constant(f), {o});
    return static_cast<bool>(r);
  }
  if (d && value && Py_TYPE(d)->tp_descr_set)
    if (PyObject* f = python_method(Py_TYPE(d), n_set)) {
      Committed committed(*this);
      return static_cast<bool>(call_with(constant(f), {class_value(type, d), o, *value}));
    }
  return store_generic(o, name, value);
}

}  // namespace frit::walk
