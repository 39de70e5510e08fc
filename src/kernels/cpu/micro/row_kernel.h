// One row of A times a B whose columns are contiguous (x * W^T with W [n, k] row-major): B is transposed in
// registers on its way to the multiplication, because a copy of it would cost more than the product.
// Per-level code (see simd.h).
#pragma once
#include "kernels/cpu/micro/pack.h"

namespace frit::kernels::FRIT_MICRO_LEVEL {

template <class E>
FRIT_MICRO_INLINE auto widen_moved(typename Moved<E>::R r) {
  if constexpr (sizeof(E) == 2)
    return fv::from_bits<E>(fv::cast<fv::u16>(r));
  else
    return r;
}

template <class E>
void row_times_transposed(const void* a_, const void* b_, i64 ldb, i64 k, i64 n, void* c_, bool add) {
  using S = Acc<E>;
  using M = Moved<E>;
  using R = Register<S>;
  constexpr int lanes = M::kLanes;
  constexpr int kGroups = 4;  // chains enough to hide the latency of fma
  const S* a = static_cast<const S*>(a_);
  const E* b = static_cast<const E*>(b_);
  S* c = static_cast<S*>(c_);
  auto finish = [&](i64 j, R sum) {
    if (add) {
      R old;
      __builtin_memcpy(&old, c + j, sizeof old);
      sum = old + sum;
    }
    __builtin_memcpy(c + j, &sum, sizeof sum);
  };
  auto ragged = [&](i64 i, i64 j, R sum) {
    typename M::R r[lanes];
    load_ragged<E>(b + j * ldb + i, ldb, k - i, n - j, r);
    transpose(r);
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
        typename M::R r[lanes];
        const E* from = b + (j + g * lanes) * ldb + i;
#pragma clang loop unroll(full)
        for (int x = 0; x < lanes; x++) r[x] = M::get(from + x * ldb);
        transpose(r);
#pragma clang loop unroll(full)
        for (int x = 0; x < lanes; x++)
          sum[g] = __builtin_elementwise_fma(R(a[i + x]), widen_moved<E>(r[x]), sum[g]);
      }
    }
    for (int g = 0; g < kGroups; g++)
      finish(j + g * lanes, i < k ? ragged(i, j + g * lanes, sum[g]) : sum[g]);
  }
  for (; j < n; j += lanes) {
    R sum = R(0);
    for (i64 i = 0; i < k; i += lanes) sum = ragged(i, j, sum);
    finish(j, sum);
  }
}

}  // namespace frit::kernels::FRIT_MICRO_LEVEL
