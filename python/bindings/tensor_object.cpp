#include "bindings/tensor_object.h"

#include <new>

#include "core/layout.h"

namespace frit::python {

PyTypeObject g_tensor_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

namespace {

TensorObject* object(PyObject* o) { return reinterpret_cast<TensorObject*>(o); }

// Python calls an object's finalizer once in its life; each time the object comes back, its life
// begins anew.
void forget_finalized(PyObject* o) {
#ifdef Py_GIL_DISABLED
  o->ob_gc_bits &= ~uint8_t{1 << 1};
#else
  struct Head {
    uintptr_t next, prev;
  };
  (reinterpret_cast<Head*>(o) - 1)->prev &= ~uintptr_t{1};
#endif
}

// What the tensor is, as another TensorImpl.
Ptr<TensorImpl> moved(TensorImpl& t) {
  auto m = make_ptr<TensorImpl>(t.storage, t.dtype, t.sizes, t.strides, t.offset);
  m->is_parameter = t.is_parameter;
  m->autograd = std::move(t.autograd);
  m->symbolic = std::move(t.symbolic);
  return m;
}

int drop_later(void* o) {
  Py_DECREF(static_cast<PyObject*>(o));
  return 0;
}

// The last reference to a tensor that owns its object is gone.
void give_up(TensorImpl& t) noexcept {
  auto* o = object(static_cast<PyObject*>(t.host));
  t.host = nullptr;
  if (!interpreter_runs()) return;
  bool gil = PyGILState_Check();
  if (gil && Py_REFCNT(o) == 1) {
    new (&o->tensor) Tensor();
    o->owned_by_tensor = false;
    Py_DECREF(reinterpret_cast<PyObject*>(o));
    return;
  }
  // Someone found the object without asking the tensor (a weak reference), or it must wait for the
  // GIL, which this thread may not wait for here: it gets the contents.
  Ptr<TensorImpl> m = moved(t);
  m->host = o;
  new (&o->tensor) Tensor(std::move(m));
  o->owned_by_tensor = false;
  if (gil)
    Py_DECREF(reinterpret_cast<PyObject*>(o));
  else
    Py_AddPendingCall(drop_later, o);
}

// Python is about to free the object: turns ownership round where the tensor lives on.
void finalize(PyObject* self) {
  TensorObject* o = object(self);
  if (o->owned_by_tensor || !o->tensor.defined()) return;
  TensorImpl* t = o->tensor.impl();
  if (t->use_count() == 1) return;
  bool has_attributes = o->dict && PyDict_GET_SIZE(o->dict) > 0;
  if (!has_attributes && !o->weak_references && Py_TYPE(self) == &g_tensor_type) return;
  Py_INCREF(self);
  o->owned_by_tensor = true;
  (void)Ptr<TensorImpl>::adopt(t);  // gives up our reference to it
}

void dealloc(PyObject* self) {
  TensorObject* o = object(self);
  if (Py_TYPE(self) == &g_tensor_type && o->tensor.defined() && !o->owned_by_tensor &&
      o->tensor.impl()->use_count() > 1 && PyObject_CallFinalizerFromDealloc(self) < 0)
    return;
  PyObject_GC_UnTrack(self);
  if (o->weak_references) PyObject_ClearWeakRefs(self);
  Py_CLEAR(o->dict);
  if (o->tensor.defined()) o->tensor.impl()->host = nullptr;
  o->tensor.~Tensor();
  Py_TYPE(self)->tp_free(self);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(object(self)->dict);
  return 0;
}
int clear(PyObject* self) {
  Py_CLEAR(object(self)->dict);
  return 0;
}

PyObject* make(PyTypeObject* type, Tensor t) {
  PyObject* self = type->tp_alloc(type, 0);
  if (!self) return nullptr;
  TensorObject* o = object(self);
  new (&o->tensor) Tensor(std::move(t));
  o->tensor.impl()->host = self;
  return self;
}

PyObject* repr(PyObject* self) {
  return guarded([&] {
    nb::object text = nb::module_::import_("frit._printing").attr("text");
    return PyObject_CallOneArg(text.ptr(), self);
  });
}

Py_hash_t hash(PyObject* self) {
  auto bits = reinterpret_cast<uintptr_t>(self);
  return static_cast<Py_hash_t>(bits >> 4 | bits << 60);
}

// Tensor(data) and Tensor(2, 3), as PyTorch's constructor.
PyObject* construct(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    nb::object module = nb::module_::import_("frit._construct");
    nb::object made =
        nb::steal(PyObject_Call(checked(nb::handle(module).attr("construct").ptr()), args, kwargs));
    if (!made.is_valid()) throw_python();
    if (type == &g_tensor_type) return made.release().ptr();
    const TensorImpl& t = *tensor_of(made.ptr()).impl();
    return wrap_as(type, alias_view(tensor_of(made.ptr()), t.sizes, t.strides, t.offset));
  });
}

}  // namespace

PyTypeObject* tensor_type() { return &g_tensor_type; }

PyObject* wrap(Tensor t) {
  if (!t.defined()) Py_RETURN_NONE;
  TensorImpl& i = *t.impl();
  if (!i.host) return make(&g_tensor_type, std::move(t));
  auto* self = static_cast<PyObject*>(i.host);
  TensorObject* o = object(self);
  if (!o->owned_by_tensor) return Py_NewRef(self);
  new (&o->tensor) Tensor(std::move(t));
  o->owned_by_tensor = false;
  forget_finalized(self);
  return self;  // with the reference that the tensor had
}

PyObject* wrap_as(PyTypeObject* type, Tensor t) {
  FRIT_INVARIANT(t.defined() && !t.impl()->host, "the tensor has an object");
  return make(type, std::move(t));
}

PyObject* wrap(const TensorList& l) {
  nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(l.size())));
  if (!tuple.is_valid()) return nullptr;
  for (size_t i = 0; i < l.size(); ++i) {
    PyObject* o = wrap(l[i]);
    if (!o) return nullptr;
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), o);
  }
  return tuple.release().ptr();
}

void bind_tensor(nb::module_& m) {
  PyTypeObject& t = g_tensor_type;
  t.tp_name = "frit.Tensor";
  t.tp_doc = "A tensor: sizes, strides and a storage that others may share.";
  t.tp_basicsize = sizeof(TensorObject);
  t.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
  t.tp_dictoffset = offsetof(TensorObject, dict);
  t.tp_weaklistoffset = offsetof(TensorObject, weak_references);
  t.tp_new = construct;
  t.tp_dealloc = dealloc;
  t.tp_finalize = finalize;
  t.tp_traverse = traverse;
  t.tp_clear = clear;
  t.tp_repr = repr;
  t.tp_hash = hash;
  t.tp_getset = tensor_properties();
  t.tp_methods = tensor_methods();
  add_operators(t);
  add_indexing(t);
  checked(PyType_Ready(&t));
  TensorImpl::give_up_host = give_up;
  m.attr("Tensor") = nb::handle(reinterpret_cast<PyObject*>(&t));
}

}  // namespace frit::python
