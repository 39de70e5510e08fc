// Faults planted in the compiler, and how many programs it takes to find each.
#pragma once
#include <cstdint>
#include <string>

namespace frit::fuzz {

struct SabotageOptions {
  int64_t programs = 5000;  // the most for a fault
  uint64_t seed = 1;
  int length = 12, jobs = 2;
  std::string only;  // this fault alone
  std::string json;  // a file for the figures
};
// 0: every fault was found.
int sabotage(const SabotageOptions&);

}  // namespace frit::fuzz
