// What the per-level files give the driver: for each floating element type, loops over one block.
#pragma once
#include <cstdint>

#include "kernels/cpu/micro/gemm.h"
#include "kernels/cpu/micro/gemm_add.h"

namespace frit::kernels {

// C[m,n] = (add ? C : 0) + A[m,k] * B[k,n] for n <= panel and k <= kGemmKBlock; A and C of the
// accumulator type (A may have any strides), B of the element type with adjacent columns. With
// `padded`, whole vectors may be read from B and written to C past n.
struct GemmBlock {
  const void* a;
  int64_t a_row_stride, a_col_stride;
  const void* b;
  int64_t b_row_stride;
  void* c;
  int64_t c_row_stride;
  int64_t m, n, k;
  bool add;
  bool padded;
};

// What the epilogue of gemm_add is called with.
struct GemmAddContext {
  const GemmArgs& args;
  const GemmAdd& add;
};

struct GemmKernels {
  int64_t lanes = 0;  // accumulators in a vector
  int64_t panel = 0;  // columns of a packed panel, a multiple of lanes
  void (*block)(const GemmBlock&) = nullptr;
  // dst[k, ceil(n / lanes) * lanes] = B[k, n], n <= panel; past n are zeros or copies of other
  // elements.
  void (*pack_b)(const void* b, int64_t row_stride, int64_t col_stride, int64_t k, int64_t n,
                 void* dst) = nullptr;
  // dst = A[m, k] as accumulators, m <= kGemmTileRows; says which strides it gave dst. dst holds
  // kGemmTileRows * k.
  void (*pack_a)(const void* a, int64_t row_stride, int64_t col_stride, int64_t m, int64_t k,
                 void* dst, int64_t* dst_row_stride, int64_t* dst_col_stride) = nullptr;
  // C = (add ? C : 0) + a * B for one row a and k <= kGemmKBlock; a and C contiguous accumulators,
  // C padded to whole vectors. B[k, n] with contiguous rows is at b[k * ldb + n], with contiguous
  // columns at b[n * ldb + k].
  using RowTimes = void (*)(const void* a, const void* b, int64_t ldb, int64_t k, int64_t n,
                            void* c, bool add);
  RowTimes row_times_rows = nullptr, row_times_columns = nullptr;
  // sums[i] = the chain of block i of K, of a single element; a and b contiguous elements.
  void (*dot_blocks)(const void* a, const void* b, int64_t blocks, void* sums) = nullptr;
  // C = a tile rounded to the element type. A copy where they are the same.
  void (*store)(const void* tile, int64_t tile_ld, int64_t m, int64_t n, void* c,
                int64_t ldc) = nullptr;
  GemmEpilogue add = nullptr;  // of gemm_add; ctx is a GemmAddContext
};

// Integers: a whole product of rows [m0, m1) of one batch element.
using IntegerRows = void (*)(const GemmArgs& args, int64_t batch, int64_t m0, int64_t m1);

struct GemmTable {
  CpuLevel level;
  const GemmKernels *f32, *f64, *bf16, *f16;
  IntegerRows integer_rows;
};

// Those of a floating dtype; null for integers.
const GemmKernels* gemm_kernels(const GemmTable& table, Elem dtype);

namespace avx2 {
extern const GemmTable kGemmTable;
}
namespace avx512 {
extern const GemmTable kGemmTable;
}

}  // namespace frit::kernels
