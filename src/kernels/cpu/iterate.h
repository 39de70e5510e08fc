// Walking several strided operands in step: dimensions put in the output's memory order and joined
// where every operand allows it, then cut into contiguous runs of the innermost one.
#pragma once
#include <span>

#include "base/parallel.h"
#include "base/small_vector.h"
#include "core/tensor_impl.h"

namespace frit::kernels {

inline constexpr int kMaxOperands = 8;

struct LoopDim {
  int64_t size = 1;
  int64_t strides[kMaxOperands] = {};  // in elements; operand 0 is the output
};

struct LoopNest {
  SmallVector<LoopDim, 5> dims;  // outermost first; at least one
  int64_t numel = 1;
};

// sizes are the output's; strides[k] has operand k's stride for each of them (0: repeated).
LoopNest make_nest(std::span<const int64_t> sizes, std::span<const Dims> strides);

// Elements below which splitting work over threads costs more than it gives.
inline constexpr int64_t kGrain = 16384;

// fn(offsets, n): a run of n elements of the innermost dimension, operand k beginning at element
// offsets[k]. Runs may be cut anywhere; they are disjoint and cover everything. In parallel.
template <class F>
void for_each_run(const LoopNest& nest, int operands, F&& fn) {
  if (nest.numel == 0) return;
  auto walk = [&](int64_t begin, int64_t end) {
    const size_t last = nest.dims.size() - 1;
    int64_t index[16] = {};
    int64_t offsets[kMaxOperands] = {};
    int64_t rest = begin;
    for (size_t d = nest.dims.size(); d-- > 0;) {
      index[d] = rest % nest.dims[d].size;
      rest /= nest.dims[d].size;
      for (int k = 0; k < operands; ++k) offsets[k] += index[d] * nest.dims[d].strides[k];
    }
    for (int64_t at = begin; at < end;) {
      const LoopDim& inner = nest.dims[last];
      int64_t n = std::min(inner.size - index[last], end - at);
      fn(static_cast<const int64_t*>(offsets), n);
      at += n;
      if (at >= end) break;
      for (int k = 0; k < operands; ++k) offsets[k] -= index[last] * inner.strides[k];
      index[last] = 0;
      for (size_t d = last; d-- > 0;) {
        const LoopDim& dim = nest.dims[d];
        for (int k = 0; k < operands; ++k) offsets[k] += dim.strides[k];
        if (++index[d] < dim.size) break;
        for (int k = 0; k < operands; ++k) offsets[k] -= dim.size * dim.strides[k];
        index[d] = 0;
      }
    }
  };
  if (nest.numel <= kGrain)
    walk(0, nest.numel);
  else
    parallel_for(nest.numel, kGrain, walk);
}

// Strides of t against `sizes`, 0 where it is broadcast.
Dims broadcast_strides(const TensorImpl& t, std::span<const int64_t> sizes);

}  // namespace frit::kernels
