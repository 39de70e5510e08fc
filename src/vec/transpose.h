// Transposition of L x L tiles in registers, by log2(L) perfect shuffles of the rows i and i + L/2.
#pragma once

#include "vec/memory.h"

FV_BEGIN

template <class V>
FV V zip_low(V a, V b) {
#if FV_LEVEL == 5
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
#else
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
#endif
}
template <class V>
FV V zip_high(V a, V b) {
#if FV_LEVEL == 5
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                 31);
#else
  return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#endif
}
// Written out, for the code generator's pipeline does not unroll.
template <class V>
FV void zip_rows(const V* r, V* t) {
#define FV_ZIP(i)                         \
  t[2 * i] = zip_low(r[i], r[i + L / 2]); \
  t[2 * i + 1] = zip_high(r[i], r[i + L / 2])
  FV_ZIP(0);
  FV_ZIP(1);
  FV_ZIP(2);
  FV_ZIP(3);
#if FV_LEVEL == 5
  FV_ZIP(4);
  FV_ZIP(5);
  FV_ZIP(6);
  FV_ZIP(7);
#endif
#undef FV_ZIP
}
// The L rows of a tile become its columns.
template <class V>
FV void transpose(V* r) {
  V t[L];
  zip_rows(r, t);
  zip_rows(t, r);
#if FV_LEVEL == 5
  zip_rows(r, t);
  zip_rows(t, r);
#else
  __builtin_memcpy(t, r, sizeof t);
  zip_rows(t, r);
#endif
}
// dst[j * dst_stride + i] = src[i * src_stride + j] for i, j < L; strides in elements.
template <class T>
FV void transpose_tile(const T* src, i64 src_stride, T* dst, i64 dst_stride) {
  typedef vbits<T> V;
  V r[L];
#define FV_ROW(i) __builtin_memcpy(r + (i), src + (i) * src_stride, sizeof(V));
#define FV_COLUMN(i) __builtin_memcpy(dst + (i) * dst_stride, r + (i), sizeof(V));
#define FV_EIGHT(X, i) X(i) X(i + 1) X(i + 2) X(i + 3) X(i + 4) X(i + 5) X(i + 6) X(i + 7)
  FV_EIGHT(FV_ROW, 0)
#if FV_LEVEL == 5
  FV_EIGHT(FV_ROW, 8)
#endif
  transpose(r);
  FV_EIGHT(FV_COLUMN, 0)
#if FV_LEVEL == 5
  FV_EIGHT(FV_COLUMN, 8)
#endif
#undef FV_ROW
#undef FV_COLUMN
#undef FV_EIGHT
}
// The same for a tile of rows x columns of any size.
template <class T>
FV void transpose_part(const T* src, i64 src_stride, T* dst, i64 dst_stride, i64 rows,
                       i64 columns) {
  for (i64 j = 0; j < columns; j++)
    for (i64 i = 0; i < rows; i++) dst[j * dst_stride + i] = src[i * src_stride + j];
}

FV_END
