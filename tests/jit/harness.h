// What the tests of this room share: a compiler with a cache of its own, and test bodies that run
// in a fresh process, because a hang or the absence of the plugin is a matter of the whole process.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
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

struct Child {
  int pid = -1;
  // Waits for it. Exit status 0 if the test passed; `output` is all it printed.
  int wait(std::string& output);
  int fd = -1;
};

// Starts this executable on one test of the suite Child (which skips in an ordinary run), with
// FRIT_CHILD set and these variables beside.
Child start_child(const std::string& test,
                  const std::vector<std::pair<std::string, std::string>>& variables);
bool is_child();

#define EXPECT_CHILD_PASSES(test, ...)                           \
  do {                                                           \
    ::frit::jit::Child child = start_child(test, {__VA_ARGS__}); \
    std::string child_output;                                    \
    EXPECT_EQ(child.wait(child_output), 0) << child_output;      \
  } while (false)

#define ONLY_AS_CHILD() \
  if (!is_child()) GTEST_SKIP() << "runs as the child of another test"

}  // namespace frit::jit
