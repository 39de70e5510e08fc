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

std::string unsuitable(const Api& a, PyObject* t) {
  // What can be described is suitable; the words are for what cannot.
  if (Seen seen; look(a, t, seen)) return "";
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

bool look(const Api& a, PyObject* t, Seen& seen) {
  // Before the layout, which others may change while these let them run.
  if (a.is_neg.is_true(t)) return false;
  seen.requires_grad = a.requires_grad.is_true(t);
  dlpack::DlTensor& d = seen.layout;
  if (a.table->describe(t, &d) != 0) {
    PyErr_Clear();
    return false;
  }
  bool known;
  seen.dtype = dtype_of(d.dtype, known);
  return known && d.device.device_type == dlpack::kCpu;
}

bool shows(const Tensor& twin, const Seen& seen) {
  if (!twin.defined()) return false;
  const TensorImpl& i = *twin.impl();
  const auto rank = static_cast<size_t>(seen.layout.ndim);
  return i.data() == seen.data() && i.dtype == seen.dtype && i.sizes.size() == rank &&
         std::equal(i.sizes.begin(), i.sizes.end(), seen.layout.shape) &&
         std::equal(i.strides.begin(), i.strides.end(), seen.layout.strides) &&
         i.requires_grad() == seen.requires_grad;
}

Tensor twin_of(const Seen& seen) {
  const dlpack::DlTensor& d = seen.layout;
  const auto rank = static_cast<size_t>(d.ndim);
  int64_t extent = 1;
  for (size_t i = 0; i < rank; ++i) {
    if (d.shape[i] == 0) extent = 0;
    if (extent) extent += (d.shape[i] - 1) * d.strides[i];
  }
  auto storage = make_ptr<Storage>(seen.data(), static_cast<size_t>(extent * size_of(seen.dtype)),
                                   std::function<void()>());
  Tensor twin(make_ptr<TensorImpl>(std::move(storage), seen.dtype,
                                   std::span<const int64_t>(d.shape, rank),
                                   std::span<const int64_t>(d.strides, rank), 0));
  if (seen.requires_grad) set_requires_grad(twin, true);
  return twin;
}

bool describe(const Api& a, PyObject* t, Tensor& to) {
  Seen seen;
  if (!look(a, t, seen)) return false;
  to = twin_of(seen);
  return true;
}

Ptr<Storage> Storages::of(const Api& a, PyObject* t) {
  const Ref s = a.untyped_storage(t);
  Ptr<Storage>& known = by_address_[integer(a.storage_address(s.get()).get())];
  auto* data = reinterpret_cast<void*>(integer(a.storage_data(s.get()).get()));
  const auto bytes = static_cast<size_t>(integer(a.storage_bytes(s.get()).get()));
  // One that was given other memory is another one.
  if (!known || known->data() != data || known->bytes() != bytes)
    known = make_ptr<Storage>(data, bytes, std::function<void()>());
  return known;
}

Tensor describe(const Api& a, PyObject* t, Storages& storages) {
  Tensor own;
  if (!describe(a, t, own))
    throw UserError(ErrorKind::runtime, "compile", "a tensor cannot be part of a graph");
  const TensorImpl& i = *own.impl();
  Tensor twin(make_ptr<TensorImpl>(storages.of(a, t), i.dtype, i.sizes, i.strides,
                                   integer(a.storage_offset(t).get())));
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
  return add(t, describe(api_, t, storages_));
}

const Tensor& Twins::add(PyObject* t, Tensor twin) {
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
