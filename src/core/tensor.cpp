#include <frit/tensor.h>

#include <atomic>
#include <cstring>

#include "base/location.h"
#include "core/layout.h"

namespace frit {

thread_local constinit ThreadState t_state;

namespace {
std::atomic<uint64_t> g_metadata_epoch{1};

void observe(const TensorImpl& t) {
  if (recording() && t_state.observer) [[unlikely]]
    t_state.observer->reading_metadata(t);
}

// wrap_dim, whose error is at the caller's place.
int64_t wrapped(int64_t dim, int64_t rank, std::string_view op, const std::source_location& where) {
  if (dim < 0 || dim >= rank) [[unlikely]] {
    try {
      return wrap_dim(dim, rank, op);
    } catch (const UserError& e) {
      throw e.at(located(where));
    }
  }
  return dim;
}

IntList to_ints(std::span<const int64_t> dims) { return IntList(dims.begin(), dims.end()); }
}  // namespace

uint64_t metadata_epoch() { return g_metadata_epoch.load(std::memory_order_acquire); }
void bump_metadata_epoch() { g_metadata_epoch.fetch_add(1, std::memory_order_acq_rel); }

uint64_t TensorImpl::next_id() {
  // A thread takes them by the block.
  constexpr uint64_t kBlock = 1024;
  static std::atomic<uint64_t> blocks{1};
  static thread_local constinit uint64_t next = 0, end = 0;
  if (next == end) {
    next = blocks.fetch_add(1, std::memory_order_relaxed) * kBlock;
    end = next + kBlock;
  }
  return next++;
}

Int Tensor::size(int64_t d, std::source_location where) const {
  const TensorImpl& t = checked(where);
  observe(t);
  if (t.dim() == 0)
    throw UserError(ErrorKind::index, "size",
                    "a tensor of no dimensions has no size(" + std::to_string(d) + ")",
                    "numel() or dim()", located(where));
  d = wrapped(d, t.dim(), "size", where);
  return t.symbolic ? t.symbolic->sizes[d] : Int(t.sizes[d]);
}

Int Tensor::stride(int64_t d, std::source_location where) const {
  const TensorImpl& t = checked(where);
  observe(t);
  d = wrapped(d, t.dim(), "stride", where);
  return t.symbolic ? t.symbolic->strides[d] : Int(t.strides[d]);
}

IntList Tensor::sizes(std::source_location where) const {
  const TensorImpl& t = checked(where);
  observe(t);
  return t.symbolic ? t.symbolic->sizes : to_ints(t.sizes);
}

IntList Tensor::strides(std::source_location where) const {
  const TensorImpl& t = checked(where);
  observe(t);
  return t.symbolic ? t.symbolic->strides : to_ints(t.strides);
}

Int Tensor::numel(std::source_location where) const {
  Int n = 1;
  for (Int s : sizes(where)) n = n * s;
  return n;
}

Int Tensor::storage_offset(std::source_location where) const {
  const TensorImpl& t = checked(where);
  // Graphs know where a view begins in its base, not where the base begins in its storage.
  if (recording())
    t_state.observer->unsupported(t, "storage_offset()", "read it outside of the compiled callable",
                                  where);
  return Int(t.offset);
}

bool Tensor::is_contiguous(std::source_location where) const {
  const TensorImpl& t = checked(where);
  observe(t);
  if (!t.symbolic) return frit::is_contiguous(t.sizes, t.strides);
  const auto& s = *t.symbolic;
  for (Int size : s.sizes)
    if (known_zero(size)) return true;
  Int expected = 1;
  for (size_t i = s.sizes.size(); i-- > 0;) {
    if (!known_equal(s.strides[i], expected) && static_cast<bool>(s.sizes[i] != 1) &&
        static_cast<bool>(s.strides[i] != expected))
      return false;
    expected = expected * s.sizes[i];
  }
  return true;
}

void* Tensor::raw_data(std::source_location where) const {
  const TensorImpl& t = checked(where);
  // Whoever has the pointer may read and write without anyone seeing it.
  if (recording() && t_state.observer) [[unlikely]]
    t_state.observer->unsupported(
        t, "data()", "read the memory after the compiled call, or one number with item()", where);
  if (!t.storage->has_data())
    throw UserError(ErrorKind::runtime, "data",
                    "this tensor stands for a value that has no data here (a shape-only tensor)",
                    "read values outside of export and of shape rules", where);
  return t.data();
}

void Tensor::fail_undefined(const std::source_location& where) {
  throw UserError(ErrorKind::runtime, "Tensor", "an undefined tensor was used where one is needed",
                  "give the tensor a value first, or test defined()", located(where));
}

void Tensor::check_dtype(DType wanted, std::source_location where) const {
  if (dtype(where) != wanted)
    throw UserError(ErrorKind::type, "data",
                    "the tensor's dtype is " + std::string(name(dtype(where))) + ", asked for " +
                        std::string(name(wanted)),
                    "to(" + std::string(name(wanted)) + ") first", where);
}

void check_value_count(int64_t values, const TensorImpl& made, std::source_location where) {
  if (values == made.numel()) return;
  throw UserError(ErrorKind::value, "tensor_from",
                  std::to_string(values) + " values were given for sizes " + dims_text(made.sizes) +
                      ", which hold " + std::to_string(made.numel()),
                  "as many values as the sizes multiply to", located(where));
}

Tensor empty_cpu(std::span<const int64_t> sizes, DType dtype) {
  return empty_strided_cpu(sizes, contiguous_strides<int64_t>(sizes), dtype);
}

Tensor empty_strided_cpu(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                         DType dtype) {
  int64_t extent = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0)
      throw UserError(ErrorKind::runtime, "empty",
                      "Trying to create tensor with negative dimension " +
                          std::to_string(sizes[i]) + ": " + dims_text(sizes));
    if (sizes[i] == 0) {
      extent = 0;
      break;
    }
    int64_t reach;
    if (__builtin_mul_overflow(sizes[i] - 1, strides[i], &reach) ||
        __builtin_add_overflow(extent, reach, &extent))
      throw UserError(ErrorKind::runtime, "empty",
                      "sizes " + dims_text(sizes) + " are more elements than memory can hold",
                      "smaller sizes");
  }
  int64_t bytes;
  if (__builtin_mul_overflow(extent, size_of(dtype), &bytes))
    throw UserError(ErrorKind::runtime, "empty",
                    "sizes " + dims_text(sizes) + " are more elements than memory can hold",
                    "smaller sizes");
  return Tensor(make_ptr<TensorImpl>(make_ptr<Storage>(static_cast<size_t>(bytes)), dtype, sizes,
                                     strides, 0));
}

Tensor from_blob(void* data, std::span<const int64_t> sizes, DType dtype,
                 std::function<void()> release) {
  for (int64_t n : sizes)
    if (n < 0)
      throw UserError(ErrorKind::value, "from_blob", "a size is " + std::to_string(n),
                      "sizes of 0 or more", located({}));
  int64_t bytes = numel_of<int64_t>(sizes) * size_of(dtype);
  if (!data && bytes)
    throw UserError(ErrorKind::value, "from_blob",
                    "the pointer is null, the sizes are of " + std::to_string(bytes) + " bytes",
                    "a pointer to that many bytes, or empty()", located({}));
  return Tensor(
      make_ptr<TensorImpl>(make_ptr<Storage>(data, static_cast<size_t>(bytes), std::move(release)),
                           dtype, sizes, contiguous_strides<int64_t>(sizes), 0));
}

Tensor alias_view(const Tensor& base, std::span<const int64_t> sizes,
                  std::span<const int64_t> strides, int64_t offset) {
  return Tensor(
      make_ptr<TensorImpl>(base.impl()->storage, base.impl()->dtype, sizes, strides, offset));
}

}  // namespace frit
