// Other processes of an example: itself, to measure what only a fresh process shows, and its peers.
#pragma once
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

extern char** environ;

namespace support {

struct Finished {
  int code = 0;
  std::string out;  // what it wrote to stdout
};

// Runs a program to its end with some variables of the environment changed ("" takes one away).
// stderr is this process's; std::runtime_error where it cannot be started.
inline Finished run_process(
    const std::vector<std::string>& command,
    const std::vector<std::pair<std::string, std::string>>& variables = {}) {
  std::vector<std::string> environment;
  for (char** e = environ; *e; ++e) {
    std::string entry = *e;
    bool changed = false;
    for (auto& [name, value] : variables) changed |= entry.rfind(name + "=", 0) == 0;
    if (!changed) environment.push_back(entry);
  }
  for (auto& [name, value] : variables)
    if (!value.empty()) environment.push_back(name + "=" + value);
  auto pointers = [](std::vector<std::string> const& texts) {
    std::vector<char*> list;
    for (auto& t : texts) list.push_back(const_cast<char*>(t.c_str()));
    list.push_back(nullptr);
    return list;
  };
  std::vector<char*> arguments = pointers(command), entries = pointers(environment);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
  pid_t child = fork();
  if (child < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execve(arguments[0], arguments.data(), entries.data());
    _exit(127);
  }
  close(ends[1]);
  Finished result;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) != 0;)
    if (n > 0)
      result.out.append(buffer, static_cast<size_t>(n));
    else if (errno != EINTR)
      break;
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (result.code == 127) throw std::runtime_error(command[0] + " cannot be started");
  return result;
}

}  // namespace support
