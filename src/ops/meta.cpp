// Metadata of a tensor in any form.
#include <atomic>

#include "core/handle.h"
#include "ops/shape.h"

namespace frit {
namespace {

std::atomic<ValueMetaReader> g_value_meta{nullptr};

// An Int in [-2^62, 2^63) is held as the number itself, and sizes, strides and offsets are in that
// range, so an array of int64 is an array of Ints.
static_assert(sizeof(Int) == sizeof(int64_t) && alignof(Int) == alignof(int64_t));
std::span<const Int> as_ints(std::span<const int64_t> dims) {
  return {reinterpret_cast<const Int*>(dims.data()), dims.size()};
}

}  // namespace

void install_value_meta(ValueMetaReader reader) {
  g_value_meta.store(reader, std::memory_order_release);
}

TensorMeta<Int> meta(const Ref& r) {
  switch (r.kind()) {
    case Ref::Kind::tensor: {
      const TensorImpl& t = *r.tensor().impl();
      if (t.symbolic) {
        const SymbolicMeta& s = *t.symbolic;
        return {t.dtype, s.sizes, s.strides, s.offset, t.requires_grad()};
      }
      return {t.dtype, as_ints(t.sizes), as_ints(t.strides), Int(t.offset), t.requires_grad()};
    }
    case Ref::Kind::value: {
      ValueMetaReader read = g_value_meta.load(std::memory_order_acquire);
      FRIT_INVARIANT(read != nullptr, "a graph value was given to an op before graphs were loaded");
      return read(*r.value());
    }
    case Ref::Kind::handle: {
      const TensorDescription& d = r.handle()->description;
      return {d.dtype, as_ints(d.sizes), as_ints(d.strides), Int(d.offset), d.requires_grad};
    }
    case Ref::Kind::none:
      break;
  }
  throw InternalError("the metadata of an undefined tensor was read");
}

TensorMeta<int64_t> meta_int64(const Ref& r) {
  if (r.kind() == Ref::Kind::tensor) {
    const TensorImpl& t = *r.tensor().impl();
    return {t.dtype, t.sizes, t.strides, t.offset, t.requires_grad()};
  }
  if (r.kind() == Ref::Kind::handle) {
    const TensorDescription& d = r.handle()->description;
    return {d.dtype, d.sizes, d.strides, d.offset, d.requires_grad};
  }
  throw InternalError("sizes as numbers were asked of a graph value");
}

}  // namespace frit
