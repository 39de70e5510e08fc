#include "harness.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

// A compile that crashes loses what it had allocated; one that does not loses nothing.
extern "C" const char* __lsan_default_suppressions() { return "leak:libfrit_cc.so\n"; }

// The plugin is built without sanitizers: what its threads do to each other cannot be judged, and
// that a crash of it jumps out of a signal handler is the design.
extern "C" const char* __tsan_default_options() {
  return "ignore_noninstrumented_modules=1:report_signal_unsafe=0";
}
extern "C" const char* __tsan_default_suppressions() { return "called_from_lib:libfrit_cc.so\n"; }

namespace frit::jit {

bool is_child() { return std::getenv("FRIT_CHILD") != nullptr; }

Child start_child(const std::string& test,
                  const std::vector<std::pair<std::string, std::string>>& variables) {
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
    execl("/proc/self/exe", "test_jit", filter.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  child.fd = ends[0];
  return child;
}

int Child::wait(std::string& output) {
  char buffer[4096];
  for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR);)
    if (n > 0) output.append(buffer, static_cast<size_t>(n));
  close(fd);
  int status = 0;
  waitpid(pid, &status, 0);
  if (output.find("[  PASSED  ] 1 test") == std::string::npos) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

}  // namespace frit::jit
