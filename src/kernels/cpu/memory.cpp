#include "kernels/cpu/memory.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/cpu/iterate.h"
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/level_table.h"

namespace frit::kernels {
namespace {

constexpr int64_t kTile = 512;
// Below this a transposed copy is not worth the search for its two dimensions.
constexpr int64_t kSmallTranspose = 64;

int log2_of(int64_t bytes) { return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3; }

// The dimension along which `from` is adjacent, where the innermost is adjacent in `to` alone.
int transposed_dim(const LoopNest& nest) {
  const LoopDim& inner = nest.dims.back();
  if (nest.numel < kSmallTranspose || inner.strides[0] != 1 || inner.strides[1] == 1 ||
      inner.size < 4)
    return -1;
  for (size_t d = 0; d + 1 < nest.dims.size(); ++d)
    if (nest.dims[d].strides[1] == 1 && nest.dims[d].size >= 4) return static_cast<int>(d);
  return -1;
}

void copy_transposed(LoopNest nest, size_t d, std::byte* to, const std::byte* from, int64_t item) {
  const Transpose transpose = level_table().transpose[log2_of(item)];
  const LoopDim rows = nest.dims.back(), columns = nest.dims[d];
  // Pieces of columns are what threads take, with the other dimensions outside of them.
  constexpr int64_t piece = 256;
  const int64_t pieces = (columns.size + piece - 1) / piece;
  LoopNest outer;
  for (size_t i = 0; i + 1 < nest.dims.size(); ++i)
    if (i != d) outer.dims.push_back(nest.dims[i]);
  int64_t turns = 1;
  for (const LoopDim& dim : outer.dims) turns *= dim.size;
  auto some = [&](int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; ++u) {
      int64_t turn = u / pieces, j = u % pieces * piece, a = 0, b = 0;
      for (size_t i = outer.dims.size(); i-- > 0;) {
        const LoopDim& dim = outer.dims[i];
        a += turn % dim.size * dim.strides[0], b += turn % dim.size * dim.strides[1];
        turn /= dim.size;
      }
      transpose(from + (b + j) * item, rows.strides[1], to + (a + j * columns.strides[0]) * item,
                columns.strides[0], rows.size, std::min(piece, columns.size - j));
    }
  };
  const int64_t work = rows.size * std::min(piece, columns.size);
  if (nest.numel <= kGrain)
    some(0, turns * pieces);
  else
    parallel_for(turns * pieces, std::max<int64_t>(1, kGrain / work), some);
}

}  // namespace

void copy_elements(std::span<const int64_t> sizes, const Place& to, const Place& from) {
  const Dims strides[2] = {to.strides, from.strides};
  LoopNest nest = make_nest(sizes, strides);
  if (nest.numel == 0) return;
  const int64_t to_item = size_of(to.dtype), from_item = size_of(from.dtype);
  if (to.dtype == from.dtype)
    if (int d = transposed_dim(nest); d >= 0)
      return copy_transposed(nest, static_cast<size_t>(d), to.data, from.data, to_item);
  const LevelTable& table = level_table();
  const int f = static_cast<int>(from.dtype), t = static_cast<int>(to.dtype);
  const auto gather = table.gather[f][t];
  const auto scatter = table.scatter[f][t];
  const auto same = table.gather[f][f];
  const LoopDim& inner = nest.dims.back();
  const int64_t s0 = inner.strides[0], s1 = inner.strides[1];
  const bool plain = s0 == 1 && s1 == 1 && to.dtype == from.dtype;
  for_each_run(nest, 2, [&](const int64_t* offsets, int64_t n) {
    std::byte* out = to.data + offsets[0] * to_item;
    const std::byte* in = from.data + offsets[1] * from_item;
    if (plain) {
      std::memcpy(out, in, static_cast<size_t>(n * to_item));
    } else if (s0 == 1) {
      gather(in, s1, out, n);
    } else if (s1 == 1) {
      scatter(in, out, s0, n);
    } else {
      alignas(64) std::byte tile[kTile * 8];
      for (int64_t at = 0; at < n; at += kTile) {
        const int64_t m = std::min(kTile, n - at);
        same(in + at * s1 * from_item, s1, tile, m);
        scatter(tile, out + at * s0 * to_item, s0, m);
      }
    }
  });
}

namespace {

// fn(an integer as wide as an element).
template <class F>
void with_width(int64_t item, F&& fn) {
  switch (item) {
    case 1:
      return fn(uint8_t{});
    case 2:
      return fn(uint16_t{});
    case 4:
      return fn(uint32_t{});
    default:
      return fn(uint64_t{});
  }
}

// One element for all of a contiguous tensor, as the gradient of a sum is.
void spread(std::byte* to, const std::byte* element, int64_t item, int64_t n) {
  with_width(item, [&]<class T>(T value) {
    std::memcpy(&value, element, sizeof value);
    std::fill_n(reinterpret_cast<T*>(to), n, value);
  });
}

}  // namespace

void copy(const Tensor& dst, const Tensor& src) {
  const TensorImpl &d = *dst.impl(), &s = *src.impl();
  Place from = place_of(s);
  from.strides = broadcast_strides(s, d.sizes);
  if (d.dtype == s.dtype && std::ranges::all_of(from.strides, [](int64_t n) { return n == 0; }) &&
      is_contiguous(d.sizes, d.strides))
    if (const int64_t n = d.numel(); n > 0 && n <= kGrain)
      return spread(static_cast<std::byte*>(d.data()), from.data, size_of(d.dtype), n);
  copy_elements(d.sizes, place_of(d), from);
}

Tensor packed(const Tensor& t, DType dtype) {
  const TensorImpl& i = *t.impl();
  if (i.dtype == dtype && is_contiguous(i.sizes, i.strides)) return t;
  Tensor fresh = empty_cpu(i.sizes, dtype);
  copy(fresh, t);
  return fresh;
}

void fill_elements(std::span<const int64_t> sizes, const Place& to, const void* element) {
  const Dims strides[1] = {to.strides};
  LoopNest nest = make_nest(sizes, strides);
  if (nest.numel == 0) return;
  const int64_t item = size_of(to.dtype), stride = nest.dims.back().strides[0];
  const auto* bytes = static_cast<const unsigned char*>(element);
  const bool one_byte = stride == 1 && std::all_of(bytes, bytes + item,
                                                   [&](unsigned char b) { return b == bytes[0]; });
  with_width(item, [&]<class T>(T value) {
    std::memcpy(&value, element, sizeof value);
    for_each_run(nest, 1, [&](const int64_t* offsets, int64_t n) {
      T* out = reinterpret_cast<T*>(to.data) + offsets[0];
      if (one_byte)
        std::memset(out, bytes[0], static_cast<size_t>(n) * sizeof(T));
      else
        for (int64_t i = 0; i < n; ++i) out[i * stride] = value;
    });
  });
}

Element element_of(const Scalar& s, DType t) {
  Element wide{}, e{};
  DType from = compute_type(t);
  auto put = [&](auto v) { std::memcpy(wide.bytes, &v, sizeof v); };
  if (from == DType::f32)
    put(static_cast<float>(s.to_double()));
  else if (from == DType::f64)
    put(s.to_double());
  else if (from == DType::boolean)
    put(static_cast<uint8_t>(s.to_bool()));
  else
    put(s.to_int64()), from = DType::i64;
  convert_loop(from, t)(wide.bytes, 1, e.bytes, 1);
  return e;
}

}  // namespace frit::kernels
