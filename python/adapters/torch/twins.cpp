#include "adapters/torch/twins.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/layout.h"
#include "eager/autograd_meta.h"

namespace frit::torch {
namespace {

using python::checked;
using walk::name_of;

DType dtype_of(const dlpack::DataType& t, bool& known) {
  known = true;
  if (t.lanes == 1) {
    if (t.code == dlpack::kBool) return DType::boolean;
    if (t.code == dlpack::kBfloat) return DType::bf16;
    if (t.code == dlpack::kFloat)
      return t.bits == 32 ? DType::f32 : t.bits == 64 ? DType::f64 : DType::f16;
    if (t.code == dlpack::kUInt && t.bits == 8) return DType::u8;
    if (t.code == dlpack::kInt)
      return t.bits == 64   ? DType::i64
             : t.bits == 32 ? DType::i32
             : t.bits == 16 ? DType::i16
                            : DType::i8;
  }
  known = false;
  return DType::f32;
}

}  // namespace

PyObject* requires_grad_name() {
  static PyObject* const n = name_of("requires_grad");
  return n;
}

std::string unsuitable(const Api& a, PyObject* t) {
  static PyObject* const n_device = name_of("device");
  static PyObject* const n_type = name_of("type");
  static PyObject* const n_layout = name_of("layout");
  static PyObject* const n_dtype = name_of("dtype");
  static PyObject* const n_is_neg = name_of("is_neg");
  Ref device = attribute(t, n_device), type = attribute(device.get(), n_type);
  if (walk::text_of(type.get()) != "cpu") {
    Ref text = Ref::take(PyObject_Str(device.get()));
    return "it is on the device " + walk::text_of(text.get());
  }
  if (attribute(t, n_layout).get() != a.strided) return "it is not strided";
  Ref dtype = attribute(t, n_dtype);
  if (!torch::dtype_of(a, dtype.get())) {
    Ref text = Ref::take(PyObject_Str(dtype.get()));
    return "it is of dtype " + walk::text_of(text.get());
  }
  Ref negated = Ref::take(checked(PyObject_CallMethodNoArgs(t, n_is_neg)));
  if (negated.get() == Py_True) return "its elements are to be negated";
  return "";
}

void set_requires_grad(const Tensor& twin, bool requires_grad) {
  TensorImpl& i = *twin.impl();
  if (!requires_grad) {
    i.autograd.reset();
    return;
  }
  if (i.autograd) return;
  auto meta = std::make_unique<eager::AutogradMeta>();
  meta->requires_grad = meta->wants_grad = true;
  i.autograd = std::move(meta);
}

bool describe(const Api& a, PyObject* t, Tensor& to) {
  dlpack::DlTensor d;
  if (a.table->describe(t, &d) != 0) {
    PyErr_Clear();
    return false;
  }
  bool known;
  const DType type = dtype_of(d.dtype, known);
  if (!known || d.device.device_type != dlpack::kCpu) return false;
  static PyObject* const n_is_neg = name_of("is_neg");
  if (is_floating(type) && Py_TYPE(t) == a.tensor &&
      Ref::take(PyObject_CallMethodNoArgs(t, n_is_neg)).get() == Py_True)
    return false;
  const auto rank = static_cast<size_t>(d.ndim);
  int64_t extent = 1;
  for (size_t i = 0; i < rank; ++i) {
    if (d.shape[i] == 0) extent = 0;
    if (extent) extent += (d.shape[i] - 1) * d.strides[i];
  }
  auto* data = static_cast<std::byte*>(d.data) + d.byte_offset;
  auto storage =
      make_ptr<Storage>(data, static_cast<size_t>(extent * size_of(type)), std::function<void()>());
  to =
      Tensor(make_ptr<TensorImpl>(std::move(storage), type, std::span<const int64_t>(d.shape, rank),
                                  std::span<const int64_t>(d.strides, rank), 0));
  if (is_floating(type) && flag(t, requires_grad_name())) set_requires_grad(to, true);
  return true;
}

Ptr<Storage> Storages::of(PyObject* t) {
  static PyObject* const n_storage = name_of("untyped_storage");
  static PyObject* const n_address = name_of("_cdata");
  static PyObject* const n_data = name_of("data_ptr");
  static PyObject* const n_bytes = name_of("nbytes");
  Ref s = Ref::take(checked(PyObject_CallMethodNoArgs(t, n_storage)));
  auto number = [&](PyObject* name) {
    return integer(Ref::take(checked(PyObject_CallMethodNoArgs(s.get(), name))).get());
  };
  Ptr<Storage>& known = by_address_[integer(attribute(s.get(), n_address).get())];
  auto* data = reinterpret_cast<void*>(number(n_data));
  const auto bytes = static_cast<size_t>(number(n_bytes));
  // One that was given other memory is another one.
  if (!known || known->data() != data || known->bytes() != bytes)
    known = make_ptr<Storage>(data, bytes, std::function<void()>());
  return known;
}

Tensor describe(const Api& a, PyObject* t, Storages& storages) {
  static PyObject* const n_offset = name_of("storage_offset");
  Tensor own;
  if (!describe(a, t, own))
    throw UserError(ErrorKind::runtime, "compile", "a tensor cannot be part of a graph");
  const TensorImpl& i = *own.impl();
  Ref offset = Ref::take(checked(PyObject_CallMethodNoArgs(t, n_offset)));
  Tensor twin(
      make_ptr<TensorImpl>(storages.of(t), i.dtype, i.sizes, i.strides, integer(offset.get())));
  set_requires_grad(twin, i.requires_grad());
  return twin;
}

// --- of one recording ---

const Tensor* Twins::find(PyObject* t) const {
  auto it = by_object_.find(t);
  return it == by_object_.end() ? nullptr : &order_[it->second].twin;
}

const Tensor& Twins::of(PyObject* t) {
  if (const Tensor* known = find(t)) return *known;
  Tensor twin = describe(api_, t, storages_);
  by_object_.emplace(t, order_.size());
  by_twin_.emplace(twin.impl(), order_.size());
  order_.push_back({Ref::share(t), std::move(twin)});
  return order_.back().twin;
}

const Tensor* Twins::same_as(const Tensor& twin, size_t from) const {
  const TensorImpl& a = *twin.impl();
  for (size_t i = order_.size(); i-- > from;) {
    if (!order_[i].twin.defined()) continue;
    const TensorImpl& b = *order_[i].twin.impl();
    if (&a != &b && a.storage == b.storage && a.offset == b.offset && a.dtype == b.dtype &&
        a.sizes == b.sizes && a.strides == b.strides)
      return &order_[i].twin;
  }
  return nullptr;
}

void Twins::forget(const Tensor& twin) {
  auto it = by_twin_.find(twin.impl());
  if (it == by_twin_.end()) return;
  Pair& p = order_[it->second];
  by_object_.erase(p.object.get());
  by_twin_.erase(it);
  p = {};
}

PyObject* Twins::object_of(const TensorImpl* t) const {
  auto it = by_twin_.find(t);
  return it == by_twin_.end() ? nullptr : order_[it->second].object.get();
}

}  // namespace frit::torch
