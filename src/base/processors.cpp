#include "base/processors.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"

namespace frit::detail {
namespace {

int affinity() {
  // The kernel refuses a mask smaller than its own, so it is doubled until it fits.
  for (int cpus = 1024; cpus <= 1 << 18; cpus *= 2) {
    cpu_set_t* set = CPU_ALLOC(cpus);
    if (!set) break;
    size_t bytes = CPU_ALLOC_SIZE(cpus);
    int got = sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (got > 0) return got;
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

void take_min(std::optional<int>& best, std::optional<int> other) {
  if (other) best = best ? std::min(*best, *other) : *other;
}

// The path of a controller in /proc/self/cgroup; v2 has one line that begins with "0::".
std::optional<std::string> group_path(std::string_view groups, std::string_view controller) {
  while (!groups.empty()) {
    size_t end = std::min(groups.find('\n'), groups.size());
    std::string_view line = groups.substr(0, end);
    groups.remove_prefix(std::min(end + 1, groups.size()));
    size_t first = line.find(':');
    size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    std::string names = "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
    bool match = controller.empty() ? line.starts_with("0::")
                                    : names.find("," + std::string(controller) + ",") != names.npos;
    if (match) return std::string(line.substr(second + 1));
  }
  return std::nullopt;
}

// The group's own limit and those of all groups around it. Inside a container the path may lie
// outside what is mounted; the root is then the container's own group.
template <class Read>
std::optional<int> least_limit(const std::string& root, std::string path, Read read) {
  std::optional<int> best;
  for (;;) {
    take_min(best, read(root + path));
    if (path.empty() || path == "/") return best;
    path.resize(path.rfind('/'));
  }
}

std::optional<int> quota() {
  std::optional<int> best;
  std::string groups = try_read_file("/proc/self/cgroup").value_or("");
  if (auto path = group_path(groups, ""))
    take_min(best, least_limit("/sys/fs/cgroup", *path, [](const std::string& folder) {
               return processors_of_quota(try_read_file(folder + "/cpu.max").value_or(""));
             }));
  if (auto path = group_path(groups, "cpu"))
    take_min(best, least_limit("/sys/fs/cgroup/cpu", *path, [](const std::string& folder) {
               auto limit = try_read_file(folder + "/cpu.cfs_quota_us");
               auto period = try_read_file(folder + "/cpu.cfs_period_us");
               return limit && period ? processors_of_quota(*limit + " " + *period) : std::nullopt;
             }));
  return best;
}

}  // namespace

std::optional<int> processors_of_quota(std::string_view cpu_max) {
  double limit, period;
  if (std::sscanf(std::string(cpu_max).c_str(), "%lf %lf", &limit, &period) != 2)
    return std::nullopt;
  if (limit <= 0 || period <= 0) return std::nullopt;  // v1 writes -1 for no limit
  // Rounded down: a thread more than the quota pays for would be stopped in the middle of its work.
  return static_cast<int>(std::clamp(limit / period, 1.0, 1e6));
}

int available_processors() {
  std::optional<int> best = affinity();
  take_min(best, quota());
  return std::max(1, *best);
}

}  // namespace frit::detail
