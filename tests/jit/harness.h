// What the tests of this room share: a compiler with a cache of its own.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "child.h"
#include "jit/compiler.h"

namespace frit::jit {

inline CompilerOptions options_in(const fs::path& folder) {
  CompilerOptions options;
  options.cache.folder = folder / "cache";
  options.reproducers = folder / "reproducers";
  return options;
}

inline CompileRequest request_of(std::vector<std::string> modules) {
  CompileRequest request;
  request.name = "test";
  request.modules = std::move(modules);
  return request;
}

}  // namespace frit::jit
