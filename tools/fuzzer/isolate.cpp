#include "fuzzer/isolate.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/error.h"

namespace frit::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kBegins = -1, kEnds = -2;  // lengths that are no text's

void put(int fd, const void* data, size_t n) {
  const char* p = static_cast<const char*>(data);
  while (n > 0) {
    ssize_t k = write(fd, p, n);
    if (k <= 0) _exit(3);  // the parent is gone
    p += k;
    n -= static_cast<size_t>(k);
  }
}

std::string end_text(int status) {
  if (WIFSIGNALED(status)) return "SIG" + std::string(sigabbrev_np(WTERMSIG(status)));
  return "exit " + std::to_string(WEXITSTATUS(status));
}

// A forked process and its end of a pipe.
struct Child {
  pid_t pid = -1;
  int fd = -1;
  int64_t item = -1;  // being worked on
  int64_t next = 0;   // where another would go on
  Clock::time_point since;
  std::string bytes;
  bool done = false;
};

template <class F>
Child start(F&& in_child) {
  int ends[2];
  FRIT_INVARIANT(pipe(ends) == 0, "no pipe");
  std::fflush(nullptr);
  Child c;
  c.pid = fork();
  FRIT_INVARIANT(c.pid >= 0, "no process");
  if (c.pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(ends[0]);
    in_child(ends[1]);
    std::fflush(nullptr);
    _exit(0);
  }
  close(ends[1]);
  c.fd = ends[0];
  c.since = Clock::now();
  return c;
}

std::string finish(Child& c, bool stop) {
  if (stop) kill(c.pid, SIGKILL);
  int status = 0;
  waitpid(c.pid, &status, 0);
  close(c.fd);
  c.pid = c.fd = -1;
  return end_text(status);
}

// False at the end of the pipe.
bool read_some(Child& c) {
  char buffer[4096];
  ssize_t n = read(c.fd, buffer, sizeof buffer);
  if (n > 0) c.bytes.append(buffer, static_cast<size_t>(n));
  return n > 0;
}

bool late(const Child& c, int seconds) {
  return Clock::now() - c.since > std::chrono::seconds(seconds);
}

}  // namespace

std::optional<std::string> isolated(const std::function<std::string()>& fn, int seconds,
                                    std::string* end) {
  Child c = start([&](int fd) {
    std::string text = fn();
    text += '!';  // all of it
    put(fd, text.data(), text.size());
  });
  pollfd p{c.fd, POLLIN, 0};
  bool stopped = false;
  while (!stopped) {
    int ready = poll(&p, 1, 200);
    if (ready > 0 && !read_some(c)) break;
    stopped = late(c, seconds);
  }
  std::string how = finish(c, stopped);
  if (end) *end = stopped ? "no end after " + std::to_string(seconds) + " s" : how;
  if (stopped || c.bytes.empty() || c.bytes.back() != '!') return std::nullopt;
  c.bytes.pop_back();
  return c.bytes;
}

void run_isolated(const Work& work) {
  std::vector<Child> children(static_cast<size_t>(work.jobs));
  auto begin = [&](Child& c, int64_t from) {
    c = start([&](int fd) {
      auto frame = [&](int64_t length, int64_t item, const std::string& text) {
        int64_t head[2] = {length, item};
        put(fd, head, sizeof head);
        put(fd, text.data(), text.size());
      };
      int64_t at = from;
      auto tell = [&](const std::string& t) { frame(static_cast<int64_t>(t.size()), at, t); };
      for (; at < work.count; at += work.jobs) {
        frame(kBegins, at, "");
        work.item(at, tell);
      }
      if (work.last) work.last(tell);
      frame(kEnds, 0, "");
    });
    c.next = from;
  };
  // Whole frames that have come.
  auto take = [&](Child& c) {
    size_t used = 0;
    while (c.bytes.size() - used >= 16) {
      int64_t head[2];
      std::memcpy(head, c.bytes.data() + used, 16);
      size_t length = head[0] > 0 ? static_cast<size_t>(head[0]) : 0;
      if (c.bytes.size() - used < 16 + length) break;
      if (head[0] == kBegins) {
        c.item = head[1];
        c.next = c.item + work.jobs;
        c.since = Clock::now();
      } else if (head[0] == kEnds) {
        c.done = true;
      } else {
        work.told(head[1], c.bytes.substr(used + 16, length));
      }
      used += 16 + length;
    }
    c.bytes.erase(0, used);
  };
  for (size_t j = 0; j < children.size(); ++j) begin(children[j], static_cast<int64_t>(j));
  bool running = true, enough = false;
  while (running && !enough) {
    std::vector<pollfd> fds;
    for (const Child& c : children)
      if (c.fd >= 0) fds.push_back({c.fd, POLLIN, 0});
    poll(fds.data(), fds.size(), 200);
    running = false;
    for (Child& c : children) {
      if (c.fd < 0) continue;
      running = true;
      bool ready = false;
      for (const pollfd& p : fds) ready = ready || (p.fd == c.fd && p.revents);
      bool open = !ready || read_some(c);
      take(c);
      bool stop = open && late(c, work.seconds);
      if (open && !stop) continue;
      std::string how = finish(c, stop);
      if (stop) how = "no end after " + std::to_string(work.seconds) + " s";
      if (c.done) continue;
      work.crashed(c.item, how);
      if (!work.enough() && c.next < work.count) begin(c, c.next);
    }
    enough = work.enough();
  }
  for (Child& c : children)
    if (c.fd >= 0) finish(c, true);
}

}  // namespace frit::fuzz
