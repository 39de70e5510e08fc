// What each processor level gives the drivers: loops over contiguous runs, by element type.
#pragma once
#include <cstdint>
#include <string_view>

#include "core/dtype.h"

namespace frit::kernels {

// out[i] = body(in0[i], in1[i], ..., scalars) over n contiguous elements. Operands are of the compute
// type's storage, uncast ones bools; scalars are an array of that type too; the result is of the
// compute type, or bools.
using PointwiseLoop = void (*)(const void* const* in, const void* scalars, void* out, int64_t n);

struct PointwiseBody {
  const char* name;
  uint8_t operands, scalars;
  uint32_t uncast;      // bit i: operand i is read as bools
  bool gives_bool;
  PointwiseLoop loops[kNumDTypes];  // by compute type; null where the body means nothing
};

// dst[i] = src[i * stride] converted, for i < n; strides in elements.
using GatherConvert = void (*)(const void* src, int64_t stride, void* dst, int64_t n);
// dst[i * stride] = src[i] converted.
using ScatterConvert = void (*)(const void* src, void* dst, int64_t stride, int64_t n);


struct LevelTable {
  const PointwiseBody* bodies;
  const int64_t* body_count;
  GatherConvert gather[kNumDTypes][kNumDTypes];    // [from][to]
  ScatterConvert scatter[kNumDTypes][kNumDTypes];  // [from][to]
};

namespace avx2 {
extern const LevelTable kLevelTable;
extern const PointwiseBody kPointwiseBodies[];
extern const int64_t kPointwiseBodyCount;
}  // namespace avx2
namespace avx512 {
extern const LevelTable kLevelTable;
extern const PointwiseBody kPointwiseBodies[];
extern const int64_t kPointwiseBodyCount;
}  // namespace avx512

// The table for this processor.
const LevelTable& level_table();
const PointwiseBody* find_pointwise(std::string_view body, int operands, int scalars);

}  // namespace frit::kernels
