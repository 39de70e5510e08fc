#include "base/cpu.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace frit {
namespace {

CpuInfo made(std::optional<CpuLevel> level, std::string features) {
  CpuInfo info;
  info.level = level;
  info.model = "Test CPU";
  info.features = std::move(features);
  return info;
}

std::string message(const CpuInfo& info, std::optional<std::string_view> wanted) {
  try {
    choose_cpu_level(info, wanted);
  } catch (const UserError& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(Cpu, ThisProcessor) {
  const CpuInfo& info = cpu_info();
  EXPECT_FALSE(info.model.empty());
  ASSERT_TRUE(info.level) << info.features;
  EXPECT_LE(cpu_level(), *info.level);
  EXPECT_NE(info.features.find("avx2"), std::string::npos);
  if (*info.level == CpuLevel::avx512) EXPECT_NE(info.features.find("avx512vl"), std::string::npos);
  EXPECT_EQ(__builtin_cpu_supports("avx2") != 0, info.features.find("avx2") != std::string::npos);
  EXPECT_EQ(__builtin_cpu_supports("avx512bw") != 0,
            info.features.find("avx512bw") != std::string::npos);
}

TEST(Cpu, TheVariableChoosesALowerLevel) {
  EXPECT_EQ(choose_cpu_level(made(CpuLevel::avx512, ""), std::nullopt), CpuLevel::avx512);
  EXPECT_EQ(choose_cpu_level(made(CpuLevel::avx512, ""), "avx2"), CpuLevel::avx2);
  EXPECT_EQ(choose_cpu_level(made(CpuLevel::avx2, ""), "avx2"), CpuLevel::avx2);
}

TEST(Cpu, Errors) {
  EXPECT_EQ(message(made(CpuLevel::avx2, ""), "avx512"),
            "[FRIT_CPU_LEVEL] is avx512, which this processor has not (Test CPU).\n"
            "  try: FRIT_CPU_LEVEL=avx2");
  EXPECT_EQ(message(made(CpuLevel::avx2, ""), "sse"),
            "[FRIT_CPU_LEVEL] is \"sse\", expected avx2 or avx512.\n  try: FRIT_CPU_LEVEL=avx2");
  EXPECT_EQ(
      message(made(std::nullopt, "popcnt"), std::nullopt),
      "[cpu] this processor is not supported: Frit needs x86-64 with AVX2, FMA, F16C and BMI2; "
      "this is Test CPU with popcnt.");
  EXPECT_EQ(
      message(made(std::nullopt, ""), "avx2"),
      "[cpu] this processor is not supported: Frit needs x86-64 with AVX2, FMA, F16C and BMI2; "
      "this is Test CPU with none of them.");
}

}  // namespace
}  // namespace frit
