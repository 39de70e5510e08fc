#include "frame/walk/c_functions.h"

#include <fmt/format.h>

#include "frame/walk/layouts.h"
#include "frame/walk/made_once.h"

namespace frit::walk {
namespace {

// Of the call of an instance, where the type's own address is that of making one.
const void* instance_key(PyTypeObject* type) { return reinterpret_cast<const char*>(type) + 1; }

const void* key_of(PyObject* o) {
  if (PyCFunction_Check(o)) return reinterpret_cast<PyCFunctionObject*>(o)->m_ml;
  if (Py_TYPE(o) == &PyMethodDescr_Type || Py_TYPE(o) == &PyClassMethodDescr_Type)
    return reinterpret_cast<PyMethodDescrObject*>(o)->d_method;
  return o;  // wrappers, too: the base of one is every type's of the same slot
}

std::unordered_map<PyObject*, Model>& python_models() {
  static auto& m = *new std::unordered_map<PyObject*, Model>();
  return m;
}

std::unordered_map<PyObject*, Model>& new_models() {
  static auto& m = *new std::unordered_map<PyObject*, Model>();
  return m;
}

}  // namespace

void CFunctions::add(PyObject* callable, CFunction f) { by_key_[key_of(callable)] = f; }

void CFunctions::add(const char* module, std::initializer_list<const char*> names, CKind kind,
                     Model model) {
  Ref m = Ref::take(PyImport_ImportModule(module));
  for (const char* n : names) {
    Ref f = m ? Ref::take(PyObject_GetAttrString(m.get(), n)) : Ref();
    if (f) add(f.get(), {kind, model});
    PyErr_Clear();  // not every version has every one
  }
}

void CFunctions::add(PyTypeObject* type, std::initializer_list<const char*> methods, CKind kind,
                     Model model) {
  Ref dict = layout::dict_of_type(type);
  for (const char* n : methods)
    if (PyObject* d = PyDict_GetItemString(dict.get(), n)) add(d, {kind, model});
}

void CFunctions::add_all_methods(PyTypeObject* type) {
  Ref dict = layout::dict_of_type(type);
  Py_ssize_t at = 0;
  PyObject *k, *d;
  while (PyDict_Next(dict.get(), &at, &k, &d)) {
    const std::string name = text_of(k);
    if (name == "__new__" || name == "__init__" || name == "__getattribute__" ||
        name == "__setattr__" || name == "__delattr__")
      continue;
    if (Py_TYPE(d) == &PyMethodDescr_Type || Py_TYPE(d) == &PyWrapperDescr_Type ||
        Py_TYPE(d) == &PyClassMethodDescr_Type || PyCFunction_Check(d))
      add(d, {CKind::pure, nullptr});
    if (Py_TYPE(d) == &PyStaticMethod_Type) add(layout::wrapped(d), {CKind::pure, nullptr});
  }
}

void CFunctions::type(PyTypeObject* type, Model model) { by_key_[type] = {CKind::model, model}; }
void CFunctions::instances(PyTypeObject* type, Model model) {
  by_key_[instance_key(type)] = {CKind::instance, model};
}

const CFunction* CFunctions::find(const void* key) const {
  auto it = by_key_.find(key);
  return it == by_key_.end() ? nullptr : &it->second;
}

namespace {

CFunctions& all_c_functions() {
  return *made_once([] {
    PendingError keep;
    auto t = std::make_unique<CFunctions>();
    add_pure(*t);
    add_builtins(*t);
    add_containers(*t);
    add_types(*t);
    add_partial(*t);
    return t;
  });
}

}  // namespace

const CFunction* find_instance_call(PyTypeObject* type) {
  return all_c_functions().find(instance_key(type));
}
const CFunction* find_c_function(const void* key) { return all_c_functions().find(key); }
void add_c_function(PyObject* callable, CFunction f) { all_c_functions().add(callable, f); }

Model python_model(PyObject* function) {
  const auto& m = python_models();
  if (m.empty()) return nullptr;
  auto it = m.find(function);
  return it == m.end() ? nullptr : it->second;
}
void add_python_model(PyObject* function, Model model) {
  python_models()[Py_NewRef(function)] = model;
}

Model find_new_model(PyObject* type) {
  find_c_function(nullptr);  // the table is filled
  auto it = new_models().find(type);
  return it == new_models().end() ? nullptr : it->second;
}
void add_new_model(PyTypeObject* type, Model model) {
  new_models()[reinterpret_cast<PyObject*>(type)] = model;
}

std::string c_function_name(PyObject* f) {
  if (PyCFunction_Check(f)) {
    auto* c = reinterpret_cast<PyCFunctionObject*>(f);
    std::string owner;
    if (c->m_self && PyModule_Check(c->m_self))
      owner = text_of(c->m_self);
    else if (c->m_module && PyUnicode_Check(c->m_module))
      owner = text_of(c->m_module);
    else if (c->m_self)
      owner = PyType_Check(c->m_self) ? text_of(c->m_self) : Py_TYPE(c->m_self)->tp_name;
    return owner.empty() ? c->m_ml->ml_name : owner + "." + c->m_ml->ml_name;
  }
  if (Py_TYPE(f) == &PyMethodDescr_Type || Py_TYPE(f) == &PyWrapperDescr_Type ||
      Py_TYPE(f) == &PyClassMethodDescr_Type) {
    auto* d = reinterpret_cast<PyDescrObject*>(f);
    return std::string(d->d_type->tp_name) + "." + text_of(d->d_name);
  }
  return text_of(f);
}

PyTypeObject* defaultdict_type() {
  return reinterpret_cast<PyTypeObject*>(
      made_once([] { return imported("collections", "defaultdict"); }).get());
}

bool is_safe_to_make(PyTypeObject* type) {
  static PyObject* const n_del = name_of("__del__");
  PendingError keep;
  return !_PyType_Lookup(type, n_del);  // it would run when the first copy goes
}

// Functions of plain values that give a value and do nothing else.
void add_pure(CFunctions& t) {
  for (PyTypeObject* type :
       {&PyUnicode_Type, &PyLong_Type, &PyFloat_Type, &PyBytes_Type, &PyComplex_Type, &PyBool_Type,
        &PyRange_Type, &PyFrozenSet_Type, &PySlice_Type})
    t.add_all_methods(type);
  t.add("builtins",
        {"abs", "ascii", "bin", "chr", "divmod", "format", "hash", "hex", "oct", "ord", "pow",
         "repr", "round"},
        CKind::pure);
  Ref math = Ref::take(PyImport_ImportModule("math"));
  if (math) {
    PyObject* dict = PyModule_GetDict(math.get());
    Py_ssize_t at = 0;
    PyObject *k, *f;
    while (PyDict_Next(dict, &at, &k, &f))
      if (PyCFunction_Check(f)) t.add(f, {CKind::pure, nullptr});
  }
  for (PyTypeObject* type : {&PyRange_Type, &PyBytes_Type, &PyComplex_Type, &PyFrozenSet_Type})
    t.add(reinterpret_cast<PyObject*>(type), {CKind::pure, nullptr});
  t.add_all_methods(&PyTuple_Type);
  t.add("_operator", {"index"}, CKind::pure);
  t.add("sys", {"intern", "getrecursionlimit"}, CKind::pure);
}

}  // namespace frit::walk
