// What the compiler is told about the processor.
#pragma once
#include "base/cpu.h"

namespace frit::jit {

struct Target {
  const char* cpu;
  int vector_width;
};

// The instruction sets of the level and no more, whatever the processor has beside: the code, its
// bits and its cache key are then the same on every machine of a level.
inline Target target_of(CpuLevel level) {
  switch (level) {
    case CpuLevel::avx2:
      return {"x86-64-v3", 256};
    case CpuLevel::avx512:
      return {"x86-64-v4", 512};
  }
  return {"x86-64-v3", 256};
}

}  // namespace frit::jit
