#include "base/cpu.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <vector>

#include "base/config.h"
#include "base/error.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace frit {
namespace {

#if defined(__x86_64__)

struct Cpuid {
  unsigned a = 0, b = 0, c = 0, d = 0;
  Cpuid(unsigned leaf, unsigned sub = 0) {
    if (leaf > __get_cpuid_max(leaf & 0x80000000u, nullptr)) return;
    __cpuid_count(leaf, sub, a, b, c, d);
  }
};

bool bit(unsigned word, int i) { return word >> i & 1; }

// Register state the kernel saves for a process.
unsigned enabled_state() {
  if (!bit(Cpuid(1).c, 27)) return 0;  // no OSXSAVE
  unsigned low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

std::string brand() {
  std::string out;
  for (unsigned leaf = 0x80000002u; leaf <= 0x80000004u; ++leaf) {
    Cpuid r(leaf);
    for (unsigned word : {r.a, r.b, r.c, r.d}) out.append(reinterpret_cast<const char*>(&word), 4);
  }
  out = out.c_str();  // ends at the first zero
  size_t first = out.find_first_not_of(' ');
  if (first == out.npos) return "x86-64";
  out = out.substr(first, out.find_last_not_of(' ') - first + 1);
  return out;
}

#endif

// A cache's size as the kernel tells it, for level 1 data, 2 or 3.
int64_t cache_bytes(int level) {
  int name = level == 1   ? _SC_LEVEL1_DCACHE_SIZE
             : level == 2 ? _SC_LEVEL2_CACHE_SIZE
                          : _SC_LEVEL3_CACHE_SIZE;
  long bytes = sysconf(name);
  return bytes > 0 ? bytes : 0;
}

CpuInfo detect() {
  CpuInfo info;
  info.l1d_bytes = cache_bytes(1);
  info.l2_bytes = cache_bytes(2);
  info.l3_bytes = cache_bytes(3);
#if defined(__x86_64__)
  info.model = brand();
  const unsigned state = enabled_state();
  const bool ymm = (state & 0x06) == 0x06, zmm = ymm && (state & 0xe0) == 0xe0;
  const bool tiles = (state & 0x60000) == 0x60000;
  const Cpuid l1(1), l7(7), l71(7, 1), ext(0x80000001u);
  std::vector<std::string> names;
  auto has = [&](bool present, const char* name) {
    if (present) names.push_back(name);
    return present;
  };
  bool base = has(ymm && bit(l7.b, 5), "avx2");
  base &= has(ymm && bit(l1.c, 12), "fma");
  base &= has(ymm && bit(l1.c, 29), "f16c");
  base &= has(bit(l7.b, 3), "bmi1");
  base &= has(bit(l7.b, 8), "bmi2");
  base &= has(bit(ext.c, 5), "lzcnt");
  base &= has(bit(l1.c, 23), "popcnt");
  bool wide = has(zmm && bit(l7.b, 16), "avx512f");
  wide &= has(zmm && bit(l7.b, 30), "avx512bw");
  wide &= has(zmm && bit(l7.b, 28), "avx512cd");
  wide &= has(zmm && bit(l7.b, 17), "avx512dq");
  wide &= has(zmm && bit(l7.b, 31), "avx512vl");
  has(zmm && bit(l7.c, 1), "avx512vbmi");
  info.avx512_vnni = has(zmm && bit(l7.c, 11), "avx512vnni");
  info.avx512_bf16 = has(zmm && bit(l71.a, 5), "avx512bf16");
  info.avx512_fp16 = has(zmm && bit(l7.d, 23), "avx512fp16");
  has(ymm && bit(l71.a, 4), "avxvnni");
  info.amx_bf16 = has(tiles && bit(l7.d, 24) && bit(l7.d, 22), "amxbf16");
  if (base) info.level = wide ? CpuLevel::avx512 : CpuLevel::avx2;
  std::sort(names.begin(), names.end());
  for (const std::string& n : names) info.features += (info.features.empty() ? "" : ",") + n;
#else
  info.model = "not x86-64";
#endif
  return info;
}

}  // namespace

const char* cpu_level_name(CpuLevel level) { return level == CpuLevel::avx2 ? "avx2" : "avx512"; }

const CpuInfo& cpu_info() {
  static const CpuInfo* info = new CpuInfo(detect());
  return *info;
}

CpuLevel choose_cpu_level(const CpuInfo& info, std::optional<std::string_view> wanted) {
  if (!info.level)
    throw UserError(
        ErrorKind::runtime, "cpu",
        "this processor is not supported: Frit needs x86-64 with AVX2, FMA, F16C and BMI2; "
        "this is " +
            info.model + " with " + (info.features.empty() ? "none of them" : info.features) + ".");
  if (!wanted) return *info.level;
  for (CpuLevel level : {CpuLevel::avx2, CpuLevel::avx512}) {
    if (*wanted != cpu_level_name(level)) continue;
    if (level <= *info.level) return level;
    throw UserError(
        ErrorKind::value, "FRIT_CPU_LEVEL",
        "is " + std::string(*wanted) + ", which this processor has not (" + info.model + ").",
        std::string("FRIT_CPU_LEVEL=") + cpu_level_name(*info.level));
  }
  throw UserError(ErrorKind::value, "FRIT_CPU_LEVEL",
                  "is \"" + std::string(*wanted) + "\", expected avx2 or avx512.",
                  std::string("FRIT_CPU_LEVEL=") + cpu_level_name(*info.level));
}

CpuLevel cpu_level() {
  // Written once with the same value by whoever comes first.
  static const CpuLevel level = [] {
    auto wanted = env("FRIT_CPU_LEVEL");
    return choose_cpu_level(cpu_info(),
                            wanted ? std::optional<std::string_view>(*wanted) : std::nullopt);
  }();
  return level;
}

}  // namespace frit
