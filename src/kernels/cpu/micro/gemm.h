// Matrix products on the CPU: C[m,n] = sum over k of A[m,k] * B[k,n], batched, for any strides of A
// and B, by micro-kernels that are built once per processor level and chosen at run time.
//
// Numerics. Let S be the accumulator type: float for float, bfloat16 and float16, double for
// double. K is cut into blocks of kGemmKBlock; each block is one chain s = fma(a[k], b[k], s) from
// s = +0 in the order of k, and the blocks are added in order, each sum rounded to S. That is all:
// the result of an element depends on its row of A, its column of B and K. It does not depend on M,
// N, the batch, the strides, the number of threads, packing, the epilogue or the processor level.
// Sixteen-bit results are rounded once, at the end, to nearest even. Integers wrap modulo 2^bits. K
// == 0 gives zeros.
#pragma once
#include <cstddef>
#include <cstdint>

#include "base/cpu.h"

namespace frit::kernels {

enum class Elem : uint8_t { f32, f64, bf16, f16, i8, i16, i32, i64, u8 };

int64_t elem_bytes(Elem elem);
// The type of a tile: float for the sixteen-bit floats, otherwise the element's own.
Elem accumulator_of(Elem elem);

inline constexpr int64_t kGemmKBlock = 256;
// No tile has more rows than this or more columns than this.
inline constexpr int64_t kGemmTileRows = 48;
inline constexpr int64_t kGemmTileColumns = 64;

// Takes a finished tile, rows [m0, m0+mb) and columns [n0, n0+nb) of batch element `batch`, and
// stores what it makes of it wherever it likes; C is not touched. The tile has elements of
// accumulator_of(dtype), not yet rounded to a sixteen-bit dtype, at tile[m * tile_ld + n]. Its rows
// start at multiples of 64 bytes and may be read to tile_ld, the columns past nb being of no
// meaning. The tiles of a product cover every element once and are disjoint; where they lie depends
// on the level and the number of threads, and several threads call at once. It must not throw.
using GemmEpilogue = void (*)(const void* tile, int64_t tile_ld, int64_t m0, int64_t mb, int64_t n0,
                              int64_t nb, int64_t batch, void* ctx);

// Strides count elements. A batch stride of 0 uses one matrix for all. C must not overlap A or B.
struct GemmArgs {
  Elem dtype = Elem::f32;
  int64_t m = 0, n = 0, k = 0, batch = 1;
  const void* a = nullptr;  // [batch, m, k]
  int64_t a_row_stride = 0, a_col_stride = 1, a_batch_stride = 0;
  const void* b = nullptr;  // [batch, k, n]; unused where packed_b is given
  int64_t b_row_stride = 0, b_col_stride = 1, b_batch_stride = 0;
  void* c = nullptr;  // [batch, m, n], columns adjacent; unused where there is an epilogue
  int64_t c_row_stride = 0, c_batch_stride = 0;
  const void* packed_b = nullptr;  // from pack_b of the same table, one matrix for the whole batch
  GemmEpilogue epilogue = nullptr;
  void* epilogue_ctx = nullptr;
};

struct GemmTable;  // the kernels of one processor level (gemm_table.h)

// The kernels of cpu_level(). Other levels for tests and tools; null where the processor has not
// that level.
const GemmTable& gemm_table();
const GemmTable* gemm_table(CpuLevel level);

// Multiplies, on several threads where it is worth it. Scratch memory is the calling thread's own
// and is kept for the next call. InternalError: negative sizes, a product that has no C and no
// epilogue.
void gemm(const GemmArgs& args);
void gemm(const GemmTable& table, const GemmArgs& args);

// The same without threads.
void gemm_serial(const GemmTable& table, const GemmArgs& args);

// A copy of B [k, n] in the order the kernels read it, for weights that are used many times. It
// belongs to one table. Needs packed_b_bytes bytes, aligned to 64. InternalError for integers,
// which are not packed (packed_b_bytes is 0 for them).
int64_t packed_b_bytes(const GemmTable& table, Elem dtype, int64_t k, int64_t n);
void pack_b(const GemmTable& table, Elem dtype, int64_t k, int64_t n, const void* b,
            int64_t row_stride, int64_t col_stride, void* packed);

}  // namespace frit::kernels
