// functools.partial: what it holds is called with what the call gives.
#include "frame/walk/c_functions.h"
#include "frame/walk/made_once.h"

namespace frit::walk {

PyTypeObject* partial_type() {
  const Ref& type = made_once([] { return imported("functools", "partial"); });
  return reinterpret_cast<PyTypeObject*>(type.get());
}

namespace {

struct Held {
  Value function;
  Args args;
};

// False: an exception is set, or the walk halts.
bool read_partial(Walker& w, Value& p, Held& held) {
  static PyObject* const n_func = name_of("func");
  static PyObject* const n_args = name_of("args");
  static PyObject* const n_keywords = name_of("keywords");
  held.function = w.load_attribute(p, n_func);
  Value args = held.function ? w.load_attribute(p, n_args) : Value();
  Value named = args ? w.load_attribute(p, n_keywords) : Value();
  if (!named) return false;
  w.use_length(args);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args.get()); ++i) {
    held.args.positional.push_back(w.item_at(args, i));
    if (!held.args.positional.back()) return false;
  }
  if (!w.use_keys(named)) return false;
  Ref keys = Ref::take(PyDict_Keys(named.get()));
  for (Py_ssize_t i = 0; keys && i < PyList_GET_SIZE(keys.get()); ++i) {
    PyObject* k = PyList_GET_ITEM(keys.get(), i);
    w.keep(k);
    PyObject* found = PyDict_GetItemWithError(named.get(), k);
    Value v = found ? w.entry_of(named, k, found) : Value();
    if (!v) return false;
    held.args.keywords.emplace_back(k, std::move(v));
  }
  return static_cast<bool>(keys);
}

// The later ones take the place of those of the same name.
void add_arguments(Args& to, const Args& from, size_t skip) {
  to.positional.insert(to.positional.end(), from.positional.begin() + static_cast<Py_ssize_t>(skip),
                       from.positional.end());
  for (const auto& [k, v] : from.keywords) {
    bool there = false;
    for (auto& [name, known] : to.keywords)
      if (name == k || PyUnicode_Compare(name, k) == 0) {
        known = v;
        there = true;
      }
    if (!there) to.keywords.emplace_back(k, v);
  }
  to.held.insert(to.held.end(), from.held.begin(), from.held.end());
}

Value make_partial(Walker& w, PyObject* t, Args& args, bool) {
  static PyObject* const n_func = name_of("func");
  static PyObject* const n_args = name_of("args");
  static PyObject* const n_keywords = name_of("keywords");
  if (args.positional.empty()) return w.call_plain(t, args);  // raises
  Value f = args.positional[0];
  w.use_type(f);
  Ref made = std::move(w.call_plain(t, args).object);
  if (!made || !w.recording()) return w.taken(made.release());
  Held held;
  held.function = f;
  Ref function = Ref::take(PyObject_GetAttr(made.get(), n_func));
  // What a partial holds is taken over, where it has no attributes of its own.
  if (function.get() != f.get() && !read_partial(w, f, held)) return {};
  add_arguments(held.args, args, 1);
  Ref positional = Ref::take(PyObject_GetAttr(made.get(), n_args));
  Ref named = Ref::take(PyObject_GetAttr(made.get(), n_keywords));
  Value v = w.fresh(made.release());
  if (!v || !v.is(ShadowKind::fresh)) return v;
  Value all = w.with_items(positional.release(), held.args.positional);
  Value dict = w.fresh(named.release());
  if (dict.is(ShadowKind::fresh)) {
    Fresh& d = w.parts(dict);
    d.keys = Ref::take(PyDict_New());
    for (auto& [k, x] : held.args.keywords) {
      Ref n = Ref::take(PyLong_FromSize_t(d.entries.size()));
      if (!n || PyDict_SetItem(d.keys.get(), k, n.get()) < 0) return {};
      d.entries.push_back(Walker::as_part(x));
      w.keep(x.get());
    }
  }
  auto& parts = w.parts(v).attributes;
  parts[n_func] = Walker::as_part(held.function);
  parts[n_args] = Walker::as_part(all);
  parts[n_keywords] = Walker::as_part(dict);
  return v;
}

Value call_partial(Walker& w, PyObject*, Args& args, bool) {
  Held held;
  if (!read_partial(w, args.positional[0], held)) return {};
  add_arguments(held.args, args, 1);
  return w.call(held.function, held.args);
}

}  // namespace

void add_partial(CFunctions& t) {
  t.type(partial_type(), make_partial);
  t.instances(partial_type(), call_partial);
}

}  // namespace frit::walk
