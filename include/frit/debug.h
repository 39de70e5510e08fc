// Looking inside compiled callables (room debug).
//
//   std::puts(frit::explain(step).str().c_str());
#pragma once
#include <frit/compile.h>

#include <string>
#include <vector>

#include "base/error.h"

namespace frit {

// What a compiled callable has done so far, as data and as text.
struct Explanation {
  // One step of what runs: one parallel region, generated or a kernel of the library.
  struct Kernel {
    std::string stage;  // forward, backward, optimizer
    std::string name;
    std::string kind;              // generated, gemm, library
    std::vector<std::string> ops;  // what was fused into it
  };
  // One stretch of the callable with its guards; `kernels` is empty where the graph runs on eager
  // kernels.
  struct Entry {
    std::string name;
    std::string ends;  // how: "returns", or what is read where
    std::string guards;
    std::vector<Kernel> kernels;
    double compile_ms = 0;
    uint64_t runs = 0;
    std::string folder;  // its debug files; empty without FRIT_COMPILE_DEBUG
  };
  // Why a capture ended early, and what to type.
  struct Break {
    std::string text, hint;
    SourceLocation where;
    int times = 1;
  };

  std::string name;
  SourceLocation where;
  uint64_t calls = 0, eager_calls = 0;
  std::vector<Entry> entries;
  std::vector<Break> breaks;
  std::vector<std::string> recompiles;  // the guard that failed, once each

  // Of all entries; of one stage where it is named.
  int kernel_count(const std::string& stage = {}) const;
  // Where the debug files of all entries are; empty without FRIT_COMPILE_DEBUG.
  std::string folder() const;
  std::string str() const;
};

Explanation explain(const compiler::Callable& callable);
template <class S>
Explanation explain(const Compiled<S>& f) {
  return explain(*f.callable());
}

}  // namespace frit
