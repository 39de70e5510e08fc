#include "io/elements.h"

#include <cstring>

#include "core/layout.h"

namespace frit::io {
namespace {

// The elements of `t` from dimension `d` on, gathered to `to`.
std::byte* gather(const TensorImpl& t, size_t d, const std::byte* from, std::byte* to) {
  const int64_t width = size_of(t.dtype);
  if (d == t.sizes.size()) {
    std::memcpy(to, from, static_cast<size_t>(width));
    return to + width;
  }
  for (int64_t i = 0; i < t.sizes[d]; ++i)
    to = gather(t, d + 1, from + i * t.strides[d] * width, to);
  return to;
}

}  // namespace

std::optional<int64_t> byte_count(std::span<const int64_t> sizes, DType dtype) {
  int64_t bytes = size_of(dtype);
  bool empty = false;
  for (int64_t n : sizes) {
    if (n < 0) return std::nullopt;
    empty |= n == 0;
  }
  if (empty) return 0;
  for (int64_t n : sizes)
    if (__builtin_mul_overflow(bytes, n, &bytes)) return std::nullopt;
  return bytes;
}

void write_elements(AtomicWriter& file, const Tensor& t) {
  const auto* data = static_cast<const std::byte*>(t.raw_data());
  const TensorImpl& impl = *t.impl();
  const auto bytes = static_cast<size_t>(impl.numel() * size_of(impl.dtype));
  if (bytes == 0) return;
  if (is_contiguous(impl.sizes, impl.strides)) {
    file.write(data, bytes);
    return;
  }
  std::vector<std::byte> rows(bytes);
  gather(impl, 0, data, rows.data());
  file.write(rows.data(), bytes);
}

Tensor read_elements(const Reader& file, uint64_t offset, std::span<const int64_t> sizes,
                     DType dtype) {
  Tensor t = empty_cpu(sizes, dtype);
  const auto bytes = static_cast<size_t>(*byte_count(sizes, dtype));
  auto* data = static_cast<uint8_t*>(t.impl()->data());
  file.read(offset, data, bytes);
  // A bool is 0 or 1 in memory; other bytes in a file mean true.
  if (dtype == kBool)
    for (size_t i = 0; i < bytes; ++i) data[i] = data[i] != 0;
  return t;
}

}  // namespace frit::io
