// Checks of the vector header that run inside the code of a level, against plain loops.
#pragma once

namespace frit::vec_test {

// run returns the number of differences and describes the first in `message` (256 bytes).
struct Check {
  const char* name;
  int (*run)(char* message);
};
struct Checks {
  const char* level;
  const Check* checks;
  int count;
};

extern const Checks kMemoryAvx2, kMemoryAvx512, kReduceAvx2, kReduceAvx512, kRandomAvx2,
    kRandomAvx512, kIntegerAvx2, kIntegerAvx512;

}  // namespace frit::vec_test

// Names the table of this file for its level: FRIT_CHECKS(Memory, kChecks).
#if defined(FRIT_LEVEL) && FRIT_LEVEL == 5
#define FRIT_CHECKS(name, table) \
  const Checks k##name##Avx512 = {"avx512", table, sizeof table / sizeof *table}
#else
#define FRIT_CHECKS(name, table) \
  const Checks k##name##Avx2 = {"avx2", table, sizeof table / sizeof *table}
#endif
