// Conversions between storage types, strided on the far side: how tiles are filled and emptied.
#include "kernels/cpu/level_table.h"
#include "vec/vec.h"

namespace frit::kernels {
#if FRIT_LEVEL == 5
namespace avx512 {
#else
namespace avx2 {
#endif
namespace {

using fv::i64;

template <class From, class To>
void gather(const void* src, i64 stride, void* dst, i64 n) {
  const From* s = static_cast<const From*>(src);
  To* d = static_cast<To*>(dst);
  if (stride == 1)
    fv::loop(
        0, n, [&](i64 i) { fv::store(d + i, fv::convert<To>(fv::load(s + i))); },
        [&](i64 i, i64 m) { fv::store_n(d + i, fv::convert<To>(fv::load_n(s + i, m)), m); });
  else
    for (i64 i = 0; i < n; ++i) fv::store1(d + i, fv::convert<To>(fv::load1(s + i * stride)));
}

template <class From, class To>
void scatter(const void* src, void* dst, i64 stride, i64 n) {
  if (stride == 1) return gather<From, To>(src, 1, dst, n);
  const From* s = static_cast<const From*>(src);
  To* d = static_cast<To*>(dst);
  for (i64 i = 0; i < n; ++i) fv::store1(d + i * stride, fv::convert<To>(fv::load1(s + i)));
}

// Blocks that fit in L1 on both sides, of whole tiles where there are any.
template <class T>
void transposed(const void* src, i64 src_stride, void* dst, i64 dst_stride, i64 rows, i64 columns) {
  constexpr i64 L = fv::L, block = 64;
  const T* s = static_cast<const T*>(src);
  T* d = static_cast<T*>(dst);
  for (i64 i0 = 0; i0 < rows; i0 += block)
    for (i64 j0 = 0; j0 < columns; j0 += block) {
      i64 ie = fv::least(rows, i0 + block), je = fv::least(columns, j0 + block);
      i64 it = i0 + (ie - i0) / L * L, jt = j0 + (je - j0) / L * L;
      for (i64 j = j0; j < jt; j += L)
        for (i64 i = i0; i < it; i += L)
          fv::transpose_tile(s + i * src_stride + j, src_stride, d + j * dst_stride + i,
                             dst_stride);
      if (jt < je)
        fv::transpose_part(s + i0 * src_stride + jt, src_stride, d + jt * dst_stride + i0,
                           dst_stride, it - i0, je - jt);
      if (it < ie)
        fv::transpose_part(s + it * src_stride + j0, src_stride, d + j0 * dst_stride + it,
                           dst_stride, ie - it, je - j0);
    }
}

}  // namespace

#define FRIT_ROW(f, From)                                                            \
  {                                                                                  \
      f<From, fv::f32>, f<From, fv::f64>,   f<From, fv::bf16_t>, f<From, fv::f16_t>, \
      f<From, fv::i8>,  f<From, fv::i16>,   f<From, fv::i32>,    f<From, fv::i64>,   \
      f<From, fv::u8>,  f<From, fv::bool_t>}
#define FRIT_TABLE(f)                                                                             \
  {FRIT_ROW(f, fv::f32), FRIT_ROW(f, fv::f64),   FRIT_ROW(f, fv::bf16_t), FRIT_ROW(f, fv::f16_t), \
   FRIT_ROW(f, fv::i8),  FRIT_ROW(f, fv::i16),   FRIT_ROW(f, fv::i32),    FRIT_ROW(f, fv::i64),   \
   FRIT_ROW(f, fv::u8),  FRIT_ROW(f, fv::bool_t)}

const LevelTable kLevelTable = {
    kPointwiseBodies,
    &kPointwiseBodyCount,
    FRIT_TABLE(gather),
    FRIT_TABLE(scatter),
    {transposed<fv::u8>, transposed<fv::i16>, transposed<fv::f32>, transposed<fv::i64>},
    &kReduceTable,
    &kRandomTable,
    kRowLoops};

}  // namespace avx2 or avx512
}  // namespace frit::kernels
