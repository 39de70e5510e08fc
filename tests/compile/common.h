// What tests of compiled callables share.
#pragma once
#include <frit/compile.h>

namespace frit {

// Captures and guards as ever, and runs the graphs on eager kernels: quick.
inline CompileOptions captured_only() {
  CompileOptions o;
  o.backend = Backend::eager;
  return o;
}

}  // namespace frit
