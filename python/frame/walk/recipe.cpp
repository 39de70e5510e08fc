#include "frame/walk/recipe.h"

#include <fmt/format.h>

#include "frame/walk/c_functions.h"
#include "frame/walk/fault.h"
#include "frame/walk/layouts.h"
#include "frame/walk/members.h"
#include "frame/walk/walker.h"

namespace frit::walk {

Recipe RecipeBook::refuse(std::string why) {
  if (refused_.empty()) refused_ = std::move(why);
  return {};
}

Recipe RecipeBook::add(Value v) {
  if (!v) return {};
  if (walker_.is_handled_at_entry(v)) return {Recipe::Kind::handled, -1, nullptr, {}};
  walker_.canonical(v);
  switch (v.kind()) {
    case ShadowKind::constant:
      return {Recipe::Kind::constant, -1, nullptr, v.object};
    case ShadowKind::input:
      sources.push_back(v.shadow->source);
      return {Recipe::Kind::source, -1, v.shadow->source, {}};
    case ShadowKind::tensor: {
      auto [it, is_new] = tensor_index_.emplace(v.get(), static_cast<int>(computed.tensors.size()));
      if (is_new) computed.tensors.push_back(v.get());
      return {Recipe::Kind::tensor, it->second, nullptr, {}};
    }
    case ShadowKind::number:
      computed.numbers.push_back(v.shadow->number);
      return {Recipe::Kind::number, static_cast<int>(computed.numbers.size()) - 1, nullptr, {}};
    case ShadowKind::fresh:
      return add_built(v);
  }
  return {};
}

Recipe RecipeBook::add_built(Value& v) {
  PyObject* o = v.get();
  Recipe r{Recipe::Kind::made, -1, nullptr, {}};
  if (auto it = built_.find(o); it != built_.end()) {
    if (!finished_[static_cast<size_t>(it->second)] && PyTuple_Check(o))
      return refuse("a tuple that holds itself");
    r.index = it->second;
    return r;
  }
  constexpr int kMostDepth = 200;
  if (depth_ >= kMostDepth) return refuse("objects within objects, too deep to be made again");
  struct Deeper {
    int& depth;
    explicit Deeper(int& d) : depth(++d) {}
    ~Deeper() { --depth; }
  } deeper(depth_);
  Fresh& f = *v.shadow->fresh;
  if (!f.rebuildable) return refuse(fmt::format("a {} cannot be made again", v.type()->tp_name));
  const int index = static_cast<int>(builds.size());
  builds.emplace_back();
  finished_.push_back(false);
  built_[o] = index;
  r.index = index;
  Build b;
  auto items = [&] {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
      b.parts.push_back(add(walker_.item_at(v, i)));
  };
  auto dict_entries = [&] {
    Py_ssize_t at = 0;
    PyObject *k, *x;
    while (PyDict_Next(o, &at, &k, &x))
      (b.kind == Build::Kind::dict ? b.entries : b.held)
          .emplace_back(Ref::share(k), add(walker_.entry_of(v, k, x)));
  };
  auto of_parts = [&] {
    for (const Part& p : f.items) b.parts.push_back(add(Value(Ref::share(p.seen), p.shadow)));
  };
  PyTypeObject* type = v.type();
  if (PyTuple_CheckExact(o)) {
    b.kind = Build::Kind::tuple;
    items();
  } else if (is_size_type(type) ||
             (PyTuple_Check(o) && f.items.size() == static_cast<size_t>(PyTuple_GET_SIZE(o)))) {
    b.kind = Build::Kind::size;
    if (PyObject** dict = _PyObject_GetDictPtr(o); dict && *dict && PyDict_GET_SIZE(*dict))
      return refuse(fmt::format("a {} with attributes of its own", type->tp_name));
    b.type = Ref::share(reinterpret_cast<PyObject*>(type));
    of_parts();
  } else if (PyList_CheckExact(o)) {
    b.kind = Build::Kind::list;
    items();
  } else if (PyDict_CheckExact(o) || PyODict_CheckExact(o)) {
    b.kind = Build::Kind::dict;
    if (!PyDict_CheckExact(o)) b.type = Ref::share(reinterpret_cast<PyObject*>(type));
    if (PyObject** dict = _PyObject_GetDictPtr(o); dict && *dict && PyDict_GET_SIZE(*dict))
      return refuse(fmt::format("a {} with attributes of its own", type->tp_name));
    dict_entries();
  } else if (type == defaultdict_type()) {
    static PyObject* const n_factory = name_of("default_factory");
    auto it = f.attributes.find(n_factory);
    if (it == f.attributes.end()) return refuse("a defaultdict that was changed");
    b.kind = Build::Kind::dict;
    b.type = Ref::share(reinterpret_cast<PyObject*>(type));
    b.parts.push_back(add(Value(Ref::share(it->second.seen), it->second.shadow)));
    dict_entries();
  } else if (type == &PyDictProxy_Type && f.items.size() == 1) {
    b.kind = Build::Kind::call;
    b.type = Ref::share(reinterpret_cast<PyObject*>(type));
    of_parts();
  } else if (type == partial_type()) {
    static PyObject* const names[] = {name_of("func"), name_of("args"), name_of("keywords")};
    b.kind = Build::Kind::partial;
    b.type = Ref::share(reinterpret_cast<PyObject*>(type));
    for (PyObject* n : names) {
      auto it = f.attributes.find(n);
      if (it == f.attributes.end()) return refuse("a functools.partial that was changed");
      b.parts.push_back(add(Value(Ref::share(it->second.seen), it->second.shadow)));
    }
    if (PyObject** dict = _PyObject_GetDictPtr(o); dict && *dict && PyDict_GET_SIZE(*dict))
      return refuse("a functools.partial with attributes of its own");
  } else if (PySet_CheckExact(o)) {
    b.kind = Build::Kind::set;
    b.type = Ref::take(PyFrozenSet_New(o));
  } else if (PySlice_Check(o)) {
    b.kind = Build::Kind::slice;
    of_parts();
  } else if (PyCell_Check(o)) {
    b.kind = Build::Kind::cell;
    of_parts();
  } else if (PyMethod_Check(o)) {
    b.kind = Build::Kind::method;
    of_parts();
  } else if (PyCFunction_Check(o) && f.items.size() == 2) {
    b.kind = Build::Kind::bound_c;
    of_parts();
  } else if (PyFunction_Check(o)) {
    auto* fn = reinterpret_cast<PyFunctionObject*>(o);
    b.kind = Build::Kind::function;
    b.code = Ref::share(fn->func_code);
    b.globals = Ref::share(fn->func_globals);
    b.name = Ref::share(fn->func_qualname);
    static PyObject* const names[] = {name_of("__defaults__"), name_of("__kwdefaults__"),
                                      name_of("__annotations__"), name_of("__closure__")};
    PyObject* held[] = {fn->func_defaults, fn->func_kwdefaults, fn->func_annotations,
                        fn->func_closure};
    for (size_t i = 0; i < 4; ++i) {
      auto it = f.attributes.find(names[i]);
      if (held[i] && it == f.attributes.end()) return refuse("a function whose parts were changed");
      b.parts.push_back(held[i] ? add(walker_.part(it->second, held[i])) : Recipe());
    }
    if (fn->func_dict && PyDict_GET_SIZE(fn->func_dict))
      return refuse("a function with attributes of its own");
  } else if (PyIter_Check(o) && f.iterates == Iterates::sequence) {
    // Where it stands is told by its own state.
    Ref state = Ref::take(PyObject_CallMethod(o, "__reduce__", nullptr));
    if (!state || !PyTuple_Check(state.get()) || PyTuple_GET_SIZE(state.get()) < 2) {
      PyErr_Clear();
      return refuse(fmt::format("a {} cannot be made again", type->tp_name));
    }
    b.kind = Build::Kind::iterator;
    b.type = Ref::share(reinterpret_cast<PyObject*>(type));
    PyObject* args = PyTuple_GET_ITEM(state.get(), 1);
    if (f.base && is_sequence(f.base.get())) {
      b.at = f.index;
      b.parts.push_back(add(f.base));
    } else if (!f.base && PyTuple_GET_SIZE(args) == 1) {
      // Over plain values: a range, a string.
      PyObject* over = PyTuple_GET_ITEM(args, 0);
      if (!is_plain(over, walker_.library())) return refuse("an iterator that is not followed");
      b.parts.push_back({Recipe::Kind::constant, -1, nullptr, Ref::share(over)});
      if (PyTuple_GET_SIZE(state.get()) > 2 && PyLong_Check(PyTuple_GET_ITEM(state.get(), 2)))
        b.at = PyLong_AsSsize_t(PyTuple_GET_ITEM(state.get(), 2));
    } else {
      return refuse(fmt::format("a {} cannot be made again", type->tp_name));
    }
  } else if (iterator(v, b)) {
  } else if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) {
    b.kind = Build::Kind::instance;
    b.type = Ref::share(reinterpret_cast<PyObject*>(type));
    if (PyList_Check(o) || PyTuple_Check(o) || PyAnySet_Check(o) || PyLong_Check(o) ||
        PyUnicode_Check(o) ||
        PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(PyExc_BaseException)))
      return refuse(fmt::format("a {} cannot be made again", type->tp_name));
    if (!attributes(v, b)) return refuse(fmt::format("a {} cannot be made again", type->tp_name));
    if (PyDict_Check(o)) dict_entries();
  } else {
    return refuse(fmt::format("a {} cannot be made again", type->tp_name));
  }
  finished_[static_cast<size_t>(index)] = true;
  builds[static_cast<size_t>(index)] = std::move(b);
  return r;
}

bool RecipeBook::iterator(Value& v, Build& b) {
  Fresh& f = *v.shadow->fresh;
  if (!PyIter_Check(v.get())) return false;
  b.type = Ref::share(reinterpret_cast<PyObject*>(v.type()));
  switch (f.iterates) {
    case Iterates::keys:
    case Iterates::values:
    case Iterates::items: {
      // The steps lead to the same place where nothing was stored or deleted since.
      PyObject* d = f.base.get();
      if (!d || !PyDict_Check(d)) return false;
      if (f.base.is(ShadowKind::fresh)) {
        Fresh& of = *f.base.shadow->fresh;
        if (of.owner || of.entries.size() != static_cast<size_t>(PyDict_GET_SIZE(d))) return false;
      } else if (Source* s = walker_.source_of(f.base);
                 s && (s->changed || (s->kind == SourceKind::dict && s->parent->changed))) {
        return false;
      }
      // One that has ended holds its dict no longer, and stays ended.
      Ref left = Ref::take(PyObject_CallMethod(v.get(), "__length_hint__", nullptr));
      if (!left || PyLong_AsSsize_t(left.get()) + f.index != PyDict_GET_SIZE(d)) {
        PyErr_Clear();
        return false;
      }
      static PyObject* const views[] = {name_of("keys"), name_of("values"), name_of("items")};
      PyTypeObject* type = PyODict_Check(d) ? &PyODict_Type : &PyDict_Type;
      PyObject* view = views[static_cast<int>(f.iterates) - static_cast<int>(Iterates::keys)];
      b.kind = Build::Kind::steps;
      b.type = Ref::share(PyDict_GetItemWithError(layout::dict_of_type(type).get(), view));
      b.at = f.index;
      b.parts.push_back(add(f.base));
      return static_cast<bool>(b.type);
    }
    case Iterates::enumerate: {
      Ref state = Ref::take(PyObject_CallMethod(v.get(), "__reduce__", nullptr));
      PyObject* args = state && PyTuple_Check(state.get()) && PyTuple_GET_SIZE(state.get()) > 1
                           ? PyTuple_GET_ITEM(state.get(), 1)
                           : nullptr;
      if (!args || !PyTuple_Check(args) || PyTuple_GET_SIZE(args) != 2) {
        PyErr_Clear();
        return false;
      }
      b.kind = Build::Kind::call;
      b.parts.push_back(add(f.inner[0]));
      b.parts.push_back(
          {Recipe::Kind::constant, -1, nullptr, Ref::share(PyTuple_GET_ITEM(args, 1))});
      return true;
    }
    case Iterates::zip:
    case Iterates::map:
    case Iterates::filter:
    case Iterates::chain:
      b.kind = Build::Kind::call;
      if (f.iterates == Iterates::map || f.iterates == Iterates::filter)
        b.parts.push_back(add(f.base));
      for (Value& x : f.inner) b.parts.push_back(add(x));
      if (f.strict)
        b.entries.emplace_back(Ref::share(name_of("strict")),
                               Recipe{Recipe::Kind::constant, -1, nullptr, Ref::share(Py_True)});
      return true;
    default:
      return false;
  }
}

bool RecipeBook::attributes(Value& v, Build& b) {
  Fresh& f = *v.shadow->fresh;
  PyObject** place = _PyObject_GetDictPtr(v.get());
  if (place && *place) {
    Py_ssize_t at = 0;
    PyObject *k, *x;
    while (PyDict_Next(*place, &at, &k, &x)) {
      auto it = f.attributes.find(k);
      if (it == f.attributes.end() || it->second.seen != x) return false;
      b.entries.emplace_back(Ref::share(k), add(Value(Ref::share(x), it->second.shadow)));
      b.slots.push_back(false);
    }
  }
  // Slots of all its bases.
  PyObject* mro = v.type()->tp_mro;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(mro); ++i) {
    auto* t = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(mro, i));
    if (!(t->tp_flags & Py_TPFLAGS_HEAPTYPE)) {
      // It has memory of C's.
      if (t != &PyBaseObject_Type && t != &PyDict_Type && t != &PyODict_Type) return false;
      continue;
    }
    Ref dict = layout::dict_of_type(t);
    Py_ssize_t at = 0;
    PyObject *k, *d;
    while (PyDict_Next(dict.get(), &at, &k, &d)) {
      if (!is_object_slot(d)) continue;
      PyObject* x = member_slot(v.get(), d);
      if (!x) continue;
      auto it = f.attributes.find(k);
      if (it == f.attributes.end() || it->second.seen != x) return false;
      b.entries.emplace_back(Ref::share(d), add(Value(Ref::share(x), it->second.shadow)));
      b.slots.push_back(true);
    }
  }
  return true;
}

// --- making ---

Maker::Maker(const std::vector<Build>& builds, const std::vector<Ref>& sources,
             std::vector<Ref> tensors, std::vector<Ref> numbers)
    : builds_(builds),
      sources_(sources),
      tensors_(std::move(tensors)),
      numbers_(std::move(numbers)),
      built_(builds.size()) {}

PyObject* Maker::make(const Recipe& r) {
  switch (r.kind) {
    case Recipe::Kind::nothing:
      return nullptr;
    case Recipe::Kind::constant:
      return Py_NewRef(r.object.get());
    case Recipe::Kind::source:
      return Py_NewRef(sources_[static_cast<size_t>(r.index)].get());
    case Recipe::Kind::tensor:
      return Py_NewRef(tensors_[static_cast<size_t>(r.index)].get());
    case Recipe::Kind::number:
      return Py_NewRef(numbers_[static_cast<size_t>(r.index)].get());
    case Recipe::Kind::made:
      return build(r.index);
    case Recipe::Kind::handled: {
      PyObject* e = PyThreadState_Get()->exc_info->exc_value;
      return Py_NewRef(e ? e : Py_None);
    }
  }
  return nullptr;
}

bool Maker::fill(PyObject* dict, const std::vector<std::pair<Ref, Recipe>>& entries) {
  for (const auto& [k, r] : entries) {
    Ref x = Ref::take(make(r));
    if (!x || !store_in_dict(dict, k.get(), x.get())) return false;
  }
  return true;
}

PyObject* Maker::build(int index) {
  Ref& known = built_[static_cast<size_t>(index)];
  if (known && !fault(Fault::split_object)) return Py_NewRef(known.get());
  const Build& b = builds_[static_cast<size_t>(index)];
  const auto n = static_cast<Py_ssize_t>(b.parts.size());
  auto made = [&](PyObject* o) {
    built_[static_cast<size_t>(index)] = Ref::share(o);
    return o;
  };
  auto tuple = [&] {
    Ref t = Ref::take(PyTuple_New(n));
    for (Py_ssize_t i = 0; t && i < n; ++i) {
      PyObject* x = make(b.parts[static_cast<size_t>(i)]);
      if (!x) return Ref();
      PyTuple_SET_ITEM(t.get(), i, x);
    }
    return t;
  };
  auto part = [&](size_t i) { return Ref::take(make(b.parts[i])); };
  switch (b.kind) {
    case Build::Kind::tuple:
      return made(tuple().release());
    case Build::Kind::size: {
      Ref t = tuple();
      if (!t) return nullptr;
      // Not by a __new__ of the class's own, which wants other arguments.
      if (is_size_type(reinterpret_cast<PyTypeObject*>(b.type.get())))
        return made(PyObject_CallOneArg(b.type.get(), t.get()));
      Ref args = Ref::take(PyTuple_Pack(1, t.get()));
      return args ? made(PyTuple_Type.tp_new(reinterpret_cast<PyTypeObject*>(b.type.get()),
                                             args.get(), nullptr))
                  : nullptr;
    }
    case Build::Kind::list: {
      PyObject* l = made(PyList_New(n));
      for (Py_ssize_t i = 0; l && i < n; ++i) {
        PyObject* x = make(b.parts[static_cast<size_t>(i)]);
        if (!x) return nullptr;
        PyList_SET_ITEM(l, i, x);
      }
      return l;
    }
    case Build::Kind::dict: {
      Ref factory = b.parts.empty() ? Ref() : part(0);
      if (!factory && !b.parts.empty()) return nullptr;
      PyObject* d = made(factory  ? PyObject_CallOneArg(b.type.get(), factory.get())
                         : b.type ? PyODict_New()
                                  : PyDict_New());
      return d && fill(d, b.entries) ? d : nullptr;
    }
    case Build::Kind::set:
      return made(PySet_New(b.type.get()));
    case Build::Kind::slice: {
      Ref x = part(0), y = part(1), z = part(2);
      return made(PySlice_New(x.get(), y.get(), z.get()));
    }
    case Build::Kind::cell: {
      PyObject* c = made(PyCell_New(nullptr));
      if (n) {
        Ref x = part(0);
        PyCell_Set(c, x.get());
      }
      return c;
    }
    case Build::Kind::method: {
      Ref f = part(0), self = part(1);
      return f && self ? made(PyMethod_New(f.get(), self.get())) : nullptr;
    }
    case Build::Kind::bound_c: {
      Ref d = part(0), self = part(1);
      return d && self ? made(Py_TYPE(d.get())->tp_descr_get(
                             d.get(), self.get(), reinterpret_cast<PyObject*>(Py_TYPE(self.get()))))
                       : nullptr;
    }
    case Build::Kind::function: {
      PyObject* o = made(PyFunction_NewWithQualName(b.code.get(), b.globals.get(), b.name.get()));
      if (!o) return nullptr;
      auto* f = reinterpret_cast<PyFunctionObject*>(o);
      PyObject** places[] = {&f->func_defaults, &f->func_kwdefaults, &f->func_annotations,
                             &f->func_closure};
      for (size_t i = 0; i < 4; ++i)
        if (b.parts[i].kind != Recipe::Kind::nothing) {
          PyObject* x = make(b.parts[i]);
          if (!x) return nullptr;
          Py_XSETREF(*places[i], x);
        }
      return o;
    }
    case Build::Kind::instance: {
      static PyObject* const none = PyTuple_New(0);
      auto* type = reinterpret_cast<PyTypeObject*>(b.type.get());
      const bool is_dict = PyType_IsSubtype(type, &PyDict_Type);
      PyObject* o = made((is_dict ? PyDict_Type : PyBaseObject_Type).tp_new(type, none, nullptr));
      if (!o || !fill(o, b.held)) return nullptr;
      for (size_t i = 0; i < b.entries.size(); ++i) {
        Ref x = Ref::take(make(b.entries[i].second));
        if (!x) return nullptr;
        if (b.slots[i]) {
          Py_XSETREF(member_slot(o, b.entries[i].first.get()), Py_NewRef(x.get()));
        } else {
          PyObject** place = _PyObject_GetDictPtr(o);
          if (place && !*place) *place = PyDict_New();
          if (!place || !*place || PyDict_SetItem(*place, b.entries[i].first.get(), x.get()) < 0)
            return nullptr;
        }
      }
      return o;
    }
    case Build::Kind::call: {
      Ref args = tuple();
      Ref named = b.entries.empty() ? Ref() : Ref::take(PyDict_New());
      if (!args || (named && !fill(named.get(), b.entries))) return nullptr;
      return made(PyObject_Call(b.type.get(), args.get(), named.get()));
    }
    case Build::Kind::partial: {
      Ref f = part(0), args = part(1), named = part(2);
      if (!f || !args || !named) return nullptr;
      PyObject* p = made(PyObject_CallOneArg(b.type.get(), f.get()));
      Ref done = p ? Ref::take(PyObject_CallMethod(p, "__setstate__", "((OOOO))", f.get(),
                                                   args.get(), named.get(), Py_None))
                   : Ref();
      return done ? p : nullptr;
    }
    case Build::Kind::steps: {
      Ref dict = part(0);
      Ref view = dict ? Ref::take(PyObject_CallOneArg(b.type.get(), dict.get())) : Ref();
      Ref it = view ? Ref::take(PyObject_GetIter(view.get())) : Ref();
      for (Py_ssize_t i = 0; it && i < b.at && !fault(Fault::exit_iterator); ++i)
        if (!Ref::take(PyIter_Next(it.get()))) return nullptr;
      return it ? made(it.release()) : nullptr;
    }
    case Build::Kind::iterator: {
      Ref over = part(0);
      Ref it = over ? Ref::take(PyObject_GetIter(over.get())) : Ref();
      if (!it) return nullptr;
      if (b.at && !fault(Fault::exit_iterator)) {
        Ref done = Ref::take(PyObject_CallMethod(it.get(), "__setstate__", "n", b.at));
        if (!done) return nullptr;
      }
      return made(it.release());
    }
  }
  return nullptr;
}

}  // namespace frit::walk
