// What the digits program prints, from the figures that it also writes as JSON.
#pragma once
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace report {

using Json = nlohmann::ordered_json;

constexpr int kCompared = 100;  // steps
constexpr const char* kTorchModes[] = {"eager", "fused", "compile", "compile_fused"};

inline std::string percent(const Json& fraction) {
  return fmt::format("{:.1f} %", 100 * fraction.get<double>());
}
inline std::string loss(const Json& value) { return fmt::format("{:.4f}", value.get<double>()); }
inline std::string rate(const Json& per_second) {
  return fmt::format("{:.0f}", per_second.get<double>());
}
inline std::string time(const Json& seconds) {
  const double s = seconds.get<double>();
  return s < 1 ? fmt::format("{:.1f} ms", 1e3 * s) : fmt::format("{:.2f} s", s);
}

// A line of the table: what, then eager's and compiled's cell and one for each of torch's modes.
inline void line(const std::string& what, const std::vector<std::string>& cells) {
  std::string text = fmt::format("{:<30}", what);
  for (auto& cell : cells) text += fmt::format(" {:>13}", cell);
  fmt::print("{}\n", text.substr(0, text.find_last_not_of(' ') + 1));
}

inline void print_table(const Json& f) {
  const Json* torch = f.contains("torch") ? &f["torch"]["threads"] : nullptr;
  // A row whose cells come from frit's two columns and from each mode of torch.
  auto row = [&](const std::string& what, const Json& eager, const Json& compiled,
                 const std::string& threads, const char* key, std::string (*text)(const Json&)) {
    std::vector<std::string> cells{text(eager), text(compiled)};
    if (torch)
      for (const char* mode : kTorchModes) cells.push_back(text((*torch)[threads][mode][key]));
    line(what, cells);
  };
  std::vector<std::string> head{"eager", "compiled"};
  if (torch)
    head.insert(head.end(), {"torch eager", "fused optim.", "torch.compile", "with fused"});
  line("", head);
  std::string most;  // threads
  for (auto& [threads, speed] : f["steps_per_s"].items()) most = threads;
  row("loss of the last 20 steps", f["eager"]["loss"], f["compiled"]["loss"], most, "loss", loss);
  row(fmt::format("right of the {} held out", f["held_out"].get<int>()), f["eager"]["accuracy"],
      f["compiled"]["accuracy"], most, "accuracy", percent);
  for (auto& [threads, speed] : f["steps_per_s"].items())
    row(fmt::format("steps per second, {} thread{}", threads, threads == "1" ? "" : "s"),
        speed["eager"], speed["compiled"], threads, "steps_per_s", rate);
  for (auto [what, key] : {std::pair("time to compile the step, cold", "cold_s"),
                           std::pair("  from the cache", "warm_s")}) {
    std::vector<std::string> cells{"", time(f["compile"][key])};
    if (torch) cells.insert(cells.end(), {"", "", time((*torch)[most][key])});
    line(what, cells);
  }
}

inline void print(const Json& f, bool explain) {
  print_table(f);
  fmt::print("\ncompiled against eager, {} steps:\n", kCompared);
  for (auto& [dtype, a] : f["agreement"].items())
    fmt::print(
        "  {}: losses differ by at most {:.1e} in the first 10, {:.1e} in all; dropout masks equal "
        "in {}\n",
        dtype, a["first_10"].get<double>(), a["first_100"].get<double>(),
        a["equal_masks"].get<int>());
  const Json& kernels = f["kernels"];
  fmt::print(
      "the training step is {} graph{} with {} breaks, and {} + {} + {} kernels: forward, "
      "backward, optimiser\n",
      f["graphs"].get<int>(), f["graphs"] == 1 ? "" : "s", f["graph_breaks"].get<int>(),
      kernels["forward"].get<int>(), kernels["backward"].get<int>(),
      kernels["optimizer"].get<int>());
  fmt::print("debug files: {}\n", f["debug_files"].get<std::string>());
  if (explain) fmt::print("\n{}\n", f["explain"].get<std::string>());
}

// What is not as it should be, a line each.
inline std::vector<std::string> faults(const Json& f) {
  std::vector<std::string> list;
  for (const char* mode : {"eager", "compiled"})
    if (!(f[mode]["accuracy"].get<double>() > 0.95))
      list.push_back(fmt::format("{}: only {} of the held-out part is right", mode,
                                 percent(f[mode]["accuracy"])));
  if (f["kernels"]["forward"] == 0)
    list.push_back("the training step was not compiled; FRIT_LOGS=all says why");
  for (auto& [dtype, a] : f["agreement"].items()) {
    const bool exact = dtype == "float64";
    if (a["first_10"].get<double>() > (exact ? 1e-10 : 1e-5) ||
        a["first_100"].get<double>() > (exact ? 1e-10 : 1e-3))
      list.push_back(dtype + ": the losses of compiled and eager differ too much");
    if (a["equal_masks"].get<int>() != kCompared) list.push_back(dtype + ": dropout masks differ");
    if (a["compiled_steps"].get<int>() != kCompared - 1)
      list.push_back(fmt::format("{}: only {} of {} steps ran compiled", dtype,
                                 a["compiled_steps"].get<int>(), kCompared - 1));
  }
  return list;
}

}  // namespace report
