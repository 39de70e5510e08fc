// What benchmarks of fresh processes share: rounds of this program, their medians, the JSON file.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "support/files.h"
#include "support/process.h"
#include "support/progress.h"
#include "support/timing.h"

namespace bench {

using Json = nlohmann::ordered_json;
using Variables = std::vector<std::pair<std::string, std::string>>;

// This program again with these arguments; what it printed, as JSON.
inline Json run_self(std::vector<std::string> arguments, const Variables& variables = {}) {
  arguments.insert(arguments.begin(), support::own_executable().string());
  auto done = support::run_process(arguments, variables);
  if (done.code != 0)
    throw std::runtime_error(fmt::format("{} failed with exit code {}", arguments[1], done.code));
  return Json::parse(done.out);
}

struct Spread {
  double median, least, most;
};
inline Spread spread_of(const std::vector<double>& values) {
  auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {support::median(values), *least, *most};
}
inline Json to_json(const Spread& s) {
  return {{"median", s.median}, {"least", s.least}, {"most", s.most}};
}

// {name: number} of several processes to {name: spread}, in the order of the first.
inline Json spreads(const std::vector<Json>& runs) {
  Json all = Json::object();
  for (auto& [name, value] : runs.at(0).items()) {
    std::vector<double> values;
    for (auto& run : runs) values.push_back(run.at(name).get<double>());
    all[name] = to_json(spread_of(values));
  }
  return all;
}

inline void write_json(const std::string& path, const Json& figures) {
  if (path.empty()) return;
  std::ofstream file(path);
  if (!(file << figures.dump(2) << "\n").flush())
    throw std::runtime_error(path + " cannot be written");
}

// How busy the machine was: figures are compared only where it was idle.
inline double load_now() {
  double load = 0;
  std::ifstream("/proc/loadavg") >> load;
  return load;
}
inline void print_machine(const Json& figures) {
  fmt::print("a dependent multiplication and addition takes {:.2f} ns on this machine now\n",
             figures.at("machine_scale_ns").get<double>());
  if (double load = figures.at("load_at_start"); load > 0.5)
    fmt::print("note: load {:.1f} at the start; the figures are noisy\n", load);
}

}  // namespace bench
