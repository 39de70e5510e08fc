// What each processor level gives the drivers: loops over contiguous runs, by element type.
#pragma once
#include <cstdint>
#include <string_view>

#include "core/dtype.h"

namespace frit::kernels {

// out[i] = body(in0[i], in1[i], ..., scalars) over n contiguous elements. Operands are of the
// compute type's storage, uncast ones bools; scalars are an array of that type too; the result is
// of the compute type, or bools.
using PointwiseLoop = void (*)(const void* const* in, const void* scalars, void* out, int64_t n);

struct PointwiseBody {
  const char* name;
  uint8_t operands, scalars;
  uint32_t uncast;  // bit i: operand i is read as bools
  bool gives_bool;
  PointwiseLoop loops[kNumDTypes];  // by compute type; null where the body means nothing
};

// dst[i] = src[i * stride] converted, for i < n; strides in elements.
using GatherConvert = void (*)(const void* src, int64_t stride, void* dst, int64_t n);
// dst[i * stride] = src[i] converted.
using ScatterConvert = void (*)(const void* src, void* dst, int64_t stride, int64_t n);

// dst[j * dst_stride + i] = src[i * src_stride + j] for i < rows, j < columns.
using Transpose = void (*)(const void* src, int64_t src_stride, void* dst, int64_t dst_stride,
                           int64_t rows, int64_t columns);

// A reduction as vec/reduce.h defines it. Strides count elements; `acc` and `parts` are arrays of
// the accumulation type.
struct ReduceLoops {
  DType acc;
  // acc[r]: the n contiguous elements from in + r * row_stride on.
  void (*rows)(const void* in, int64_t rows, int64_t row_stride, int64_t n, void* acc);
  // Chunk p of one row (of kRowChunk elements).
  void (*row_chunk)(const void* in, int64_t n, int64_t p, void* acc);
  // acc[j], j < width: the n elements in[k * stride + j].
  void (*columns)(const void* in, int64_t n, int64_t stride, int64_t width, void* acc);
  // Chunk p of columns (of kColumnChunk elements).
  void (*column_chunk)(const void* in, int64_t n, int64_t stride, int64_t width, int64_t p,
                       void* acc);
  // acc[j], j < width: parts[p * width + j] joined over p < count.
  void (*combine)(const void* parts, int64_t count, int64_t width, void* acc);
  // acc[j] divided by n, for means; null where acc is no float.
  void (*divide)(void* acc, int64_t width, int64_t n);
};
// Where the largest or least element is: its value and the first index that has it.
struct ArgLoops {
  void (*rows)(const void* in, int64_t rows, int64_t row_stride, int64_t n, void* values,
               int64_t* at);
  void (*columns)(const void* in, int64_t n, int64_t stride, int64_t width, void* values,
                  int64_t* at);
  // The best of `count` results of one row's pieces.
  void (*merge)(const void* values, const int64_t* at, int64_t count, void* value, int64_t* where);
};

inline constexpr int64_t kReduceRowChunk = 32768, kReduceColumnChunk = 2048;

enum class ReduceOp : uint8_t { sum, prod, max, min, any, all };
inline constexpr int kReduceOps = 6;

// By the type that the elements have in memory; null where there is none.
struct ReduceTable {
  const ReduceLoops* loops[kReduceOps][kNumDTypes];
  const ArgLoops* arg_max[kNumDTypes];
  const ArgLoops* arg_min[kNumDTypes];
};

// Elements first to first + n - 1 of a Philox stream (vec/random.h).
struct RandomTable {
  using Draw = void (*)(uint64_t seed, uint64_t offset, int64_t first, int64_t n, void* out);
  Draw uniform_f32, uniform_f64, normal_f32, normal_f64;
  void (*bernoulli)(uint64_t seed, uint64_t offset, int64_t first, int64_t n, float p, void* out);
  void (*below)(uint64_t seed, uint64_t offset, int64_t first, int64_t n, uint64_t range,
                void* out);
};

// Rows of n contiguous elements, `rows` of them, one after another. By dtype; the formulas are
// those of the records' decompositions (src/ops/nn), and so are the bits.
struct RowLoops {
  void (*softmax)(const void* x, void* y, int64_t rows, int64_t n, bool log);
  void (*softmax_backward)(const void* g, const void* y, void* out, int64_t rows, int64_t n,
                           bool log);
  // mean and rstd are float32 or float64 (the compute type); weight and bias too, or null.
  void (*layer_norm)(const void* x, const void* weight, const void* bias, double eps, void* y,
                     void* mean, void* rstd, int64_t rows, int64_t n);
  // The gradient of x.
  void (*layer_norm_backward)(const void* g, const void* x, const void* mean, const void* rstd,
                              const void* weight, void* gx, int64_t rows, int64_t n);
  // g * (x - mean) * rstd in the compute type, which summed over rows is the gradient of weight.
  void (*gradient_times_hat)(const void* g, const void* x, const void* mean, const void* rstd,
                             void* out, int64_t rows, int64_t n);
};

struct LevelTable {
  const PointwiseBody* bodies;
  const int64_t* body_count;
  GatherConvert gather[kNumDTypes][kNumDTypes];    // [from][to]
  ScatterConvert scatter[kNumDTypes][kNumDTypes];  // [from][to]
  Transpose transpose[4];                          // elements of 1, 2, 4, 8 bytes
  const ReduceTable* reduce;
  const RandomTable* random;
  const RowLoops* const* row_loops;  // by dtype; null but for floats
};

#define FRIT_LEVEL_DECLARATIONS(level)                \
  namespace level {                                   \
  extern const LevelTable kLevelTable;                \
  extern const PointwiseBody kPointwiseBodies[];      \
  extern const int64_t kPointwiseBodyCount;           \
  extern const ReduceTable kReduceTable;              \
  extern const RandomTable kRandomTable;              \
  extern const RowLoops* const kRowLoops[kNumDTypes]; \
  }
FRIT_LEVEL_DECLARATIONS(avx2)
FRIT_LEVEL_DECLARATIONS(avx512)
#undef FRIT_LEVEL_DECLARATIONS

// The table for this processor.
const LevelTable& level_table();
const PointwiseBody* find_pointwise(std::string_view body, int operands, int scalars);

inline GatherConvert convert_loop(DType from, DType to) {
  return level_table().gather[static_cast<int>(from)][static_cast<int>(to)];
}
inline const ReduceLoops* reduce_loops(ReduceOp op, DType t) {
  return level_table().reduce->loops[static_cast<int>(op)][static_cast<int>(t)];
}

}  // namespace frit::kernels
