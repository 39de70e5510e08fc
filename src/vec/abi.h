// What generated code and the library agree on. Freestanding; part of the text handed to the compiler.
// A compiled graph exports two functions:
//   void frit_plan(const i64* symbols, i64* out)   sizes and strides of outputs, arena bytes, in plan order
//   i64  frit_run(FritRun* run)                    0, or 1 + the index of the check that failed
#pragma once

extern "C" {

typedef long frit_i64;
typedef unsigned long frit_u64;

struct FritRun;

// A matrix product for the library's micro-kernels; same layout as kernels::GemmArgs.
struct FritApi {
  int version;
  void (*parallel_for)(frit_i64 n, frit_i64 grain, void (*fn)(frit_i64, frit_i64, void*), void* ctx);
  void (*gemm)(const void* gemm_args);
  // Runs library step `step` of the plan (an eager kernel) on the run's buffers; 0 or an error index.
  frit_i64 (*library_step)(struct FritRun* run, int step, void* const* buffers, const frit_i64* sizes);
};

struct FritRun {
  void* const* inputs;        // data of each graph input, offset applied
  void* const* outputs;       // data of each fresh output
  char* arena;                // 64-byte aligned scratch
  frit_i64* symbols;          // values of the graph's symbols; unbacked ones are written by steps
  const double* scalars;      // host numbers bound at run time
  frit_u64 seed, offset;      // Philox at the entry's start
  const struct FritApi* api;
  void* host;                 // the runtime's own
  frit_i64 detail[4];         // what a failed check saw
};

}  // extern "C"

#ifdef __cplusplus
static_assert(sizeof(frit_i64) == 8, "");
#endif
