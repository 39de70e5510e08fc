// What generated code and the library agree on. Freestanding; part of the text handed to the
// compiler. A compiled graph exports two functions:
//   void frit_plan(const i64* symbols, i64* out)
//     sizes and strides of the outputs whose sizes are known by then, then arena bytes, in plan
//     order
//   i64 frit_run(FritRun* run)
//     0, or 1 + the index of the check that failed (1 + their number: a kernel raised that never
//     should)
#pragma once

extern "C" {

typedef long frit_i64;
typedef unsigned long frit_u64;

struct FritRun;

// A matrix product for the library's micro-kernels: the same layout and meaning as
// kernels::GemmArgs.
struct FritGemm {
  unsigned char dtype;
  frit_i64 m, n, k, batch;
  const void* a;
  frit_i64 a_row_stride, a_col_stride, a_batch_stride;
  const void* b;
  frit_i64 b_row_stride, b_col_stride, b_batch_stride;
  void* c;
  frit_i64 c_row_stride, c_batch_stride;
  const void* packed_b;
  void (*epilogue)(const void* tile, frit_i64 tile_ld, frit_i64 m0, frit_i64 mb, frit_i64 n0,
                   frit_i64 nb, frit_i64 batch, void* ctx);
  void* epilogue_ctx;
};

struct FritApi {
  int version;
  void (*parallel_for)(frit_i64 n, frit_i64 grain, void (*fn)(frit_i64, frit_i64, void*),
                       void* ctx);
  void (*gemm)(const struct FritGemm*);
  // Runs library step `step` of the plan (an eager kernel) on the run's buffers; not 0 if it
  // raised.
  frit_i64 (*library_step)(struct FritRun* run, int step, void* const* buffers,
                           const frit_i64* sizes);
  // Memory for late buffer `buffer` of the plan, by its sizes and strides: its place in outputs or
  // own is filled. Not 0 where there is none.
  frit_i64 (*allocate)(struct FritRun* run, int buffer, const frit_i64* layout);
};

struct FritRun {
  void* const* inputs;    // data of each graph input, offset applied
  void* const* outputs;   // data of each fresh output
  void* const* own;       // data of buffers whose sizes steps decide
  char* arena;            // 64-byte aligned scratch
  frit_i64* symbols;      // values of the graph's symbols; unbacked ones are written by steps
  const double* scalars;  // host numbers bound at run time
  frit_u64 seed, offset;  // Philox at the entry's start
  const struct FritApi* api;
  void* host;          // the runtime's own
  frit_i64 detail[4];  // zeros at the start; what a failed check saw, 1 + its index
};

}  // extern "C"

#ifdef __cplusplus
static_assert(sizeof(frit_i64) == 8, "");
#endif
