// Test bodies that run in a fresh process, because what they are about (a compiler that hangs, a
// plugin that is not there, the environment) is a matter of the whole process.
#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace frit::child {

using Variables = std::vector<std::pair<std::string, std::string>>;

struct Child {
  int pid = -1;
  int fd = -1;
  // Waits for it. Exit status 0 if the test passed; `output` is all it printed.
  int wait(std::string& output) {
    char buffer[4096];
    for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR);)
      if (n > 0) output.append(buffer, static_cast<size_t>(n));
    close(fd);
    int status = 0;
    waitpid(pid, &status, 0);
    if (output.find("[  PASSED  ] 1 test") == std::string::npos) return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
  }
};

inline bool is_child() { return std::getenv("FRIT_CHILD") != nullptr; }

// Starts this executable on one test of the suite Child (which skips in an ordinary run), with
// FRIT_CHILD set and these variables beside.
inline Child start(const std::string& test, const Variables& variables) {
  int ends[2];
  if (pipe(ends)) return {};
  std::string filter = "--gtest_filter=Child." + test;
  Child child;
  child.pid = fork();
  if (child.pid == 0) {
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    close(ends[0]);
    close(ends[1]);
    setenv("FRIT_CHILD", "1", 1);
    for (auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    execl("/proc/self/exe", "test", filter.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  child.fd = ends[0];
  return child;
}

}  // namespace frit::child

#define EXPECT_CHILD_PASSES(test, ...)                                    \
  do {                                                                    \
    ::frit::child::Child child = frit::child::start(test, {__VA_ARGS__}); \
    std::string child_output;                                             \
    EXPECT_EQ(child.wait(child_output), 0) << child_output;               \
  } while (false)

#define ONLY_AS_CHILD() \
  if (!frit::child::is_child()) GTEST_SKIP() << "runs as the child of another test"
