// One row times a matrix, where packing the matrix would cost more than the product. Each element
// is the same chain as in micro_kernel.h. Per-level code (see simd.h).
#pragma once
#include "kernels/cpu/micro/pack.h"

namespace frit::kernels::FRIT_MICRO_LEVEL {

// Rows of B contiguous: four are added at a time to a piece of C that stays in the first-level
// cache, so that memory is read in long runs.
template <class E>
void row_times_rows(const void* a_, const void* b_, i64 ldb, i64 k, i64 n, void* c_, bool add) {
  using S = Acc<E>;
  constexpr int kPiece = 1024, kRows = 4;
  const S* a = static_cast<const S*>(a_);
  const E* b = static_cast<const E*>(b_);
  S* c = static_cast<S*>(c_);
  alignas(64) S sum[kPiece];
  for (i64 n0 = 0; n0 < n; n0 += kPiece) {
    const i64 nb = n - n0 < kPiece ? n - n0 : kPiece;
    const i64 whole = nb / L * L, rest = nb - whole;
    for (i64 j = 0; j < nb; j += L) fv::store(sum + j, V<S>(0));
    const E* from = b + n0;
    i64 i = 0;
    for (; i + kRows <= k; i += kRows, from += kRows * ldb) {
      V<S> x[kRows];
#pragma clang loop unroll(full)
      for (int r = 0; r < kRows; r++) x[r] = V<S>(a[i + r]);
#pragma clang loop unroll_count(2)
      for (i64 j = 0; j < whole; j += L) {
        V<S> s = fv::load(sum + j);
#pragma clang loop unroll(full)
        for (int r = 0; r < kRows; r++)
          s = __builtin_elementwise_fma(x[r], fv::load(from + r * ldb + j), s);
        fv::store(sum + j, s);
      }
      if (rest) {
        V<S> s = fv::load(sum + whole);
#pragma clang loop unroll(full)
        for (int r = 0; r < kRows; r++)
          s = __builtin_elementwise_fma(x[r], fv::load_n(from + r * ldb + whole, rest), s);
        fv::store(sum + whole, s);
      }
    }
    for (; i < k; i++, from += ldb) {
      const V<S> x(a[i]);
      for (i64 j = 0; j < whole; j += L)
        fv::store(sum + j, __builtin_elementwise_fma(x, fv::load(from + j), fv::load(sum + j)));
      if (rest)
        fv::store(sum + whole, __builtin_elementwise_fma(x, fv::load_n(from + whole, rest),
                                                         fv::load(sum + whole)));
    }
    for (i64 j = 0; j < nb; j += L) {
      const V<S> s = fv::load(sum + j);
      fv::store(c + n0 + j, add ? fv::load(c + n0 + j) + s : s);
    }
  }
}

template <class E>
FRIT_MICRO_INLINE auto widen_moved(typename Moved<E>::R r) {
  if constexpr (sizeof(E) == 2)
    return fv::from_bits<E>(fv::cast<fv::u16>(r));
  else
    return r;
}

// Columns of B contiguous (x * W^T with W [n, k] row-major): squares are transposed in registers on
// their way to the multiplication. kGroups squares side by side give chains enough to hide the
// latency of fma, but every column is a stream of its own.
template <class E, int kGroups>
void row_times_columns(const Acc<E>* a, const E* b, i64 ldb, i64 k, i64 n, Acc<E>* c, bool add) {
  using M = Moved<E>;
  using R = Register<Acc<E>>;
  constexpr int lanes = M::kLanes;
  constexpr int kAhead = 4;  // squares between a column's read and its prefetch
  auto finish = [&](i64 j, R sum) {
    if (add) {
      R old;
      __builtin_memcpy(&old, c + j, sizeof old);
      sum = old + sum;
    }
    __builtin_memcpy(c + j, &sum, sizeof sum);
  };
  auto edge = [&](i64 i, i64 j, R sum) {
    typename M::R r[lanes];
    load_transposed_edge<E>(b + j * ldb + i, ldb, k - i, n - j, r);
#pragma clang loop unroll(full)
    for (int x = 0; x < lanes; x++)
      if (x < k - i) sum = __builtin_elementwise_fma(R(a[i + x]), widen_moved<E>(r[x]), sum);
    return sum;
  };
  i64 j = 0;
  for (; j + kGroups * lanes <= n; j += kGroups * lanes) {
    R sum[kGroups];
#pragma clang loop unroll(full)
    for (int g = 0; g < kGroups; g++) sum[g] = R(0);
    i64 i = 0;
    for (; i + lanes <= k; i += lanes) {
#pragma clang loop unroll(full)
      for (int g = 0; g < kGroups; g++) {
        const E* from = b + (j + g * lanes) * ldb + i;
#pragma clang loop unroll(full)
        for (int x = 0; x < lanes; x++) __builtin_prefetch(from + x * ldb + kAhead * lanes);
        typename M::R r[lanes];
        load_transposed<E>(from, ldb, r);
#pragma clang loop unroll(full)
        for (int x = 0; x < lanes; x++)
          sum[g] = __builtin_elementwise_fma(R(a[i + x]), widen_moved<E>(r[x]), sum[g]);
      }
    }
    for (int g = 0; g < kGroups; g++)
      finish(j + g * lanes, i < k ? edge(i, j + g * lanes, sum[g]) : sum[g]);
  }
  for (; j < n; j += lanes) {
    R sum = R(0);
    for (i64 i = 0; i < k; i += lanes) sum = edge(i, j, sum);
    finish(j, sum);
  }
}
template <class E>
void row_times_columns(const void* a_, const void* b_, i64 ldb, i64 k, i64 n, void* c_, bool add) {
  const Acc<E>* a = static_cast<const Acc<E>*>(a_);
  const E* b = static_cast<const E*>(b_);
  Acc<E>* c = static_cast<Acc<E>*>(c_);
  // Columns a multiple of a page apart fall into the same few sets of the cache.
  if (ldb * static_cast<i64>(sizeof(E)) % 4096 == 0)
    row_times_columns<E, 1>(a, b, ldb, k, n, c, add);
  else
    row_times_columns<E, 2>(a, b, ldb, k, n, c, add);
}

// One element: a chain of kGemmKBlock products for each of `blocks` blocks, as many at a time as
// there are lanes. x and y contiguous.
template <class E>
void dot_blocks(const void* x_, const void* y_, i64 blocks, void* sums_) {
  using M = Moved<E>;
  using S = Acc<E>;
  using R = Register<S>;
  constexpr int lanes = M::kLanes;
  const E *x = static_cast<const E*>(x_), *y = static_cast<const E*>(y_);
  S* sums = static_cast<S*>(sums_);
  for (i64 done = 0; done < blocks;
       done += lanes, x += lanes * kGemmKBlock, y += lanes * kGemmKBlock) {
    const i64 here = blocks - done < lanes ? blocks - done : lanes;
    R sum(0);
    for (i64 i = 0; i < kGemmKBlock; i += lanes) {
      typename M::R a[lanes], b[lanes];
      load_transposed<E>(x + i, kGemmKBlock, a, here);
      load_transposed<E>(y + i, kGemmKBlock, b, here);
#pragma clang loop unroll(full)
      for (int j = 0; j < lanes; j++)
        sum = __builtin_elementwise_fma(widen_moved<E>(a[j]), widen_moved<E>(b[j]), sum);
    }
    for (i64 j = 0; j < here; j++) sums[done + j] = sum[j];
  }
}

}  // namespace frit::kernels::FRIT_MICRO_LEVEL
