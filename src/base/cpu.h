// The processor this process runs on: what is built for which level, and what keys the object
// cache.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace frit {

// Frit's kernels are built once a level; each includes those before it.
//   avx2    AVX2, FMA, F16C, BMI1 and 2, LZCNT, POPCNT
//   avx512  and AVX-512 F, BW, CD, DQ, VL
enum class CpuLevel : uint8_t { avx2, avx512 };

const char* cpu_level_name(CpuLevel level);

struct CpuInfo {
  std::optional<CpuLevel> level;  // the best that the processor and the kernel support
  std::string model;              // as the processor calls itself
  std::string features;           // those that matter here, sorted, separated by commas
  bool avx512_bf16 = false, avx512_fp16 = false, avx512_vnni = false, amx_bf16 = false;
  int64_t l1d_bytes = 0, l2_bytes = 0, l3_bytes = 0;  // L1 and L2 of one core; 0 where unknown
};

// Read once.
const CpuInfo& cpu_info();

// The level to run at: the best, or the one FRIT_CPU_LEVEL names. UserErrors: a processor without
// AVX2, an unknown name, a level the processor has not.
CpuLevel cpu_level();

// The same decision for any input; cpu_level() is this of cpu_info() and the variable.
CpuLevel choose_cpu_level(const CpuInfo& info, std::optional<std::string_view> wanted);

}  // namespace frit
