// Steps per second of the digits program (examples/digits), eager and compiled, on 1 and 2 threads:
// medians over processes that each measure both in turns.
//
//   digits [--processes N] [--optimizer adamw|sgd] [--json FILE] [--peers PYTHON]
#include <CLI/CLI.hpp>

#include "processes.h"

using bench::Json;

namespace {

struct Options {
  int processes = 7;
  std::string optimizer = "adamw", json, peers;
};

const std::vector<int> kThreads{1, 2};

Json measure_frit(const Options& options) {
  const auto program = support::own_executable().parent_path().parent_path() / "examples/digits";
  if (!support::fs::exists(program))
    throw std::runtime_error(program.string() + " is missing: build the target digits");
  support::Progress progress("frit", static_cast<int>(kThreads.size()) * options.processes);
  support::ScratchFolder scratch;
  Json figures;
  for (int threads : kThreads) {
    std::vector<Json> runs;
    for (int i = 0; i < options.processes; ++i) {
      auto done = support::run_process({program.string(), "--measure", "speed", "--optimizer",
                                        options.optimizer, "--threads", std::to_string(threads)},
                                       {{"FRIT_CACHE_DIR", scratch.path() / "cache"},
                                        {"FRIT_COMPILE_DEBUG", ""},
                                        {"FRIT_CHECK", ""}});
      if (done.code != 0)
        throw std::runtime_error(
            fmt::format("{} failed with exit code {}", program.string(), done.code));
      runs.push_back(Json::parse(done.out));
      progress.advance();
    }
    figures[std::to_string(threads)] = bench::spreads(runs);
  }
  return figures;
}

Json measure_torch(const Options& options) {
  support::ScratchFolder scratch;
  const std::string file = scratch.path() / "torch.json";
  auto done = support::run_process(
      {options.peers, support::project_file("benchmarks/peers/digits_torch.py"), "--optimizer",
       options.optimizer, "--json", file, "--threads-list", "1", "2"});
  if (done.code != 0)
    throw std::runtime_error(fmt::format("the peers failed with exit code {}", done.code));
  return Json::parse(std::ifstream(file));
}

void run(const Options& options) {
  Json figures{{"benchmark", "digits"},
               {"unit", "steps/s"},
               {"optimizer", options.optimizer},
               {"processes", options.processes},
               {"load_at_start", bench::load_now()},
               {"machine_scale_ns", support::machine_scale_ns()}};
  figures["frit"] = measure_frit(options);
  if (!options.peers.empty()) figures["torch"] = measure_torch(options);
  fmt::print("steps per second of the digits program, {}; medians of {} processes\n",
             options.optimizer, options.processes);
  bench::print_machine(figures);
  for (auto& [threads, f] : figures["frit"].items()) {
    const double eager = f["eager_steps_per_s"]["median"],
                 compiled = f["compiled_steps_per_s"]["median"];
    fmt::print("{} thread{}: eager {:.0f}, compiled {:.0f}, {:.2f} times as fast\n", threads,
               threads == "1" ? " " : "s", eager, compiled, compiled / eager);
    if (options.peers.empty()) continue;
    for (auto& [mode, cell] : figures["torch"]["threads"][threads].items())
      if (cell.is_object())
        fmt::print("    torch {:<14} {:6.0f}; frit compiled is {:.2f} times as fast\n", mode,
                   cell["steps_per_s"].get<double>(), compiled / cell["steps_per_s"].get<double>());
  }
  bench::write_json(options.json, figures);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Steps per second of the digits program."};
  app.add_option("--processes", options.processes, "processes for each number of threads")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--optimizer", options.optimizer, "adamw or sgd")
      ->check(CLI::IsMember({"adamw", "sgd"}))
      ->capture_default_str();
  app.add_option("--json", options.json, "writes all figures to this file");
  app.add_option("--peers", options.peers, "a python that has torch: measures PyTorch beside")
      ->check(CLI::ExistingFile);
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "digits: {}\n", e.what());
    return 1;
  }
}
