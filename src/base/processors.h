// How many processors this process may use; a part of the pool.
#pragma once
#include <optional>
#include <string_view>

namespace frit::detail {

// Whole processors of a cgroup v2 "cpu.max" text ("200000 100000"); nullopt for "max" or other
// text.
std::optional<int> processors_of_quota(std::string_view cpu_max);
// The smaller of the affinity mask and the cgroup quota, at least 1.
int available_processors();

}  // namespace frit::detail
