#include "core/dlpack.h"

#include <cstring>
#include <memory>

#include "base/error.h"
#include "core/layout.h"

namespace frit::dlpack {
namespace {

DataType type_code(DType t) {
  auto bits = static_cast<uint8_t>(size_of(t) * 8);
  if (t == DType::bf16) return {kBfloat, bits, 1};
  if (t == DType::u8) return {kUInt, bits, 1};
  if (is_bool(t)) return {kBool, bits, 1};
  return {is_floating(t) ? kFloat : kInt, bits, 1};
}

[[noreturn]] void refuse(std::string message, std::string hint) {
  throw UserError(ErrorKind::runtime, "from_dlpack", std::move(message), std::move(hint));
}

DType dtype_of(DataType t) {
  if (t.lanes != 1)
    refuse("the elements are vectors of " + std::to_string(t.lanes) + " lanes",
           "a tensor of plain elements, with one dimension more");
  for (int i = 0; i < kNumDTypes; ++i) {
    auto candidate = static_cast<DType>(i);
    DataType code = type_code(candidate);
    if (code.code == t.code && code.bits == t.bits) return candidate;
  }
  constexpr const char* kinds[] = {"int",    "uint",    "float", "opaque handle",
                                   "bfloat", "complex", "bool"};
  refuse("the dtype " +
             std::string(t.code < 7 ? kinds[t.code] : "of code " + std::to_string(t.code)) +
             std::to_string(t.bits) + " has no counterpart in Frit",
         "convert it in the library it comes from");
}

// What the other library's view of an exported tensor needs to live.
template <class M>
struct Exported {
  M managed;
  Tensor keep;
  Dims sizes, strides;
};

template <class M>
M* export_as(const Tensor& t) {
  const TensorImpl* i = t.impl();
  if (!i)
    throw UserError(ErrorKind::runtime, "to_dlpack", "an undefined tensor has nothing to export");
  if (i->requires_grad())
    throw UserError(ErrorKind::runtime, "to_dlpack",
                    "Can't export tensors that require gradient, use tensor.detach()",
                    "detach() first");
  if (recording() && t_state.observer)
    t_state.observer->unsupported(*i, "export by DLPack", "export it after the compiled call", {});
  auto e = std::make_unique<Exported<M>>();
  e->keep = t;
  e->sizes = i->sizes;
  // The strides of dimensions that have one element mean nothing: say what a reader expects.
  Dims packed = contiguous_strides<int64_t>(i->sizes);
  for (size_t d = 0; d < i->sizes.size(); ++d)
    e->strides.push_back(i->sizes[d] < 2 ? packed[d] : i->strides[d]);
  M& m = e->managed;
  m.tensor = {t.raw_data(),
              {kCpu, 0},
              static_cast<int32_t>(i->dim()),
              type_code(i->dtype),
              e->sizes.data(),
              e->strides.data(),
              0};
  m.context = e.get();
  m.deleter = [](M* self) { delete static_cast<Exported<M>*>(self->context); };
  if constexpr (std::is_same_v<M, ManagedVersioned>) {
    m.version = kVersion;
    m.flags = 0;
  }
  return &e.release()->managed;
}

template <class M>
void release(M* m) {
  if (m->deleter) m->deleter(m);
}

struct Extent {
  DType dtype;
  Dims sizes, strides;
  size_t bytes;  // from the first element to past the last
};

Extent extent_of(const DlTensor& t) {
  if (t.device.device_type != kCpu && t.device.device_type != kCudaHost)
    refuse("the tensor lies on a device of type " + std::to_string(t.device.device_type) +
               ", not in the memory of the CPU",
           "copy it to the CPU first");
  if (t.ndim < 0 || (t.ndim > 0 && !t.shape))
    refuse("the tensor has no sizes", "a well-formed tensor");
  Extent e{dtype_of(t.dtype), {}, {}, 0};
  for (int32_t d = 0; d < t.ndim; ++d) {
    if (t.shape[d] < 0)
      refuse("dimension " + std::to_string(d) + " has the size " + std::to_string(t.shape[d]),
             "sizes of 0 or more");
    e.sizes.push_back(t.shape[d]);
  }
  e.strides = contiguous_strides<int64_t>(e.sizes);
  int64_t last = 0;
  bool any = true;
  for (int32_t d = 0; d < t.ndim; ++d) {
    auto i = static_cast<size_t>(d);
    if (t.strides) e.strides[i] = t.strides[d];
    any = any && e.sizes[i] > 0;
    if (e.strides[i] < 0 && e.sizes[i] > 1)
      refuse("dimension " + std::to_string(d) + " runs backwards (stride " +
                 std::to_string(e.strides[i]) + ")",
             "copy it in the library it comes from");
    if (any)
      last = checked_add(last, checked_mul(e.sizes[i] - 1, std::max<int64_t>(e.strides[i], 0)));
  }
  if (any) e.bytes = static_cast<size_t>(checked_mul(checked_add(last, 1), size_of(e.dtype)));
  return e;
}

// Element by element: read-only memory is copied once, at the border.
Tensor copy_of(const Extent& e, const std::byte* from) {
  Tensor t = empty_cpu(e.sizes, e.dtype);
  auto* to = static_cast<std::byte*>(t.impl()->data());
  const int64_t width = size_of(e.dtype);
  Dims index(e.sizes.size(), 0);
  for (int64_t n = t.impl()->numel(); n > 0; --n, to += width) {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d) at += index[d] * e.strides[d];
    std::memcpy(to, from + at * width, static_cast<size_t>(width));
    for (size_t d = index.size(); d-- > 0 && ++index[d] == e.sizes[d];) index[d] = 0;
  }
  return t;
}

template <class M>
Tensor import_as(M* m, bool read_only) {
  if (!m) refuse("there is no tensor", "a capsule that was not consumed yet");
  std::unique_ptr<M, void (*)(M*)> held(m, release<M>);
  Extent e = extent_of(m->tensor);
  auto* data = static_cast<std::byte*>(m->tensor.data);
  if (!data && e.bytes) refuse("the tensor has elements but no memory", "a well-formed tensor");
  if (data) data += m->tensor.byte_offset;
  if (read_only) return copy_of(e, data);
  auto storage = make_ptr<Storage>(data, e.bytes, [m] { release(m); });
  held.release();  // the storage has it now
  return Tensor(make_ptr<TensorImpl>(std::move(storage), e.dtype, e.sizes, e.strides, 0));
}

}  // namespace

Managed* export_tensor(const Tensor& t) { return export_as<Managed>(t); }
ManagedVersioned* export_versioned(const Tensor& t) { return export_as<ManagedVersioned>(t); }

Tensor import_tensor(Managed* m) { return import_as(m, false); }

Tensor import_versioned(ManagedVersioned* m) {
  if (m && m->version.major != kVersion.major) {
    std::string version = std::to_string(m->version.major) + "." + std::to_string(m->version.minor);
    release(m);  // of a later version only this much is known of the structure
    refuse("the tensor is of DLPack version " + version + "; Frit reads version 1",
           "an older version, or a copy");
  }
  return import_as(m, m && (m->flags & kReadOnly));
}

}  // namespace frit::dlpack
