// How long frit::compile takes for a whole training step (forward, backward, optimiser): from the
// call to the compiled entry being ready, less one eager call.
//   cold   a fresh process, an empty cache, the compiler plugin not loaded
//   warm   a new process with the cache that the cold one left
//
//   compile_time [--processes N] [--threads N] [--json FILE] [--peers PYTHON]
#include <frit/frit.h>

#include <CLI/CLI.hpp>

#include "digits_net.h"
#include "processes.h"

using bench::Json;
using frit::Tensor;

namespace {

// One process's figures, in seconds.
Json measure() {
  frit::manual_seed(0);
  Tensor x = frit::rand({64, 64}), y = frit::randint(10, {64});
  digits::Trainer eager({}), other({});
  std::vector<double> eager_s;
  for (int i = 0; i < 9; ++i) eager_s.push_back(support::seconds([&] { eager.step(x, y); }));
  auto step = other.compiled_step();
  const double first = support::seconds([&] { step(x, y); });
  step(x, y);
  frit::Explanation explanation = frit::explain(step);
  if (explanation.entries.size() != 1 || !explanation.breaks.empty() ||
      explanation.kernel_count() == 0)
    throw std::runtime_error("the step was not compiled as one graph:\n" + explanation.str());
  return {{"compile", first - support::median(eager_s)}, {"eager_call", support::median(eager_s)}};
}

struct Options {
  int processes = 7, threads = 2;
  std::string json, peers;
  bool measure = false;
};

// {kind: spread of the compile time} and the eager call's.
Json measure_frit(const Options& options, support::Progress& progress) {
  std::map<std::string, std::vector<double>> seconds;
  for (int i = 0; i < options.processes; ++i) {
    support::ScratchFolder cache;
    for (const char* kind : {"cold", "warm"}) {
      Json one = bench::run_self({"--measure", "--threads", std::to_string(options.threads)},
                                 {{"FRIT_CACHE_DIR", cache.path() / "cache"},
                                  {"FRIT_COMPILE_DEBUG", ""},
                                  {"FRIT_CHECK", ""}});
      seconds[kind].push_back(one["compile"]);
      seconds["eager_call"].push_back(one["eager_call"]);
      progress.advance();
    }
  }
  Json figures;
  for (const char* kind : {"cold", "warm", "eager_call"})
    figures[kind] = bench::to_json(bench::spread_of(seconds[kind]));
  return figures;
}

Json measure_torch(const Options& options, support::Progress& progress) {
  const std::string script = support::project_file("benchmarks/peers/digits_torch.py").string();
  auto run = [&](const char* cell, const std::string& cache) {
    auto done = support::run_process(
        {options.peers, script, "--cell", cell, "--threads", std::to_string(options.threads)},
        {{"TORCHINDUCTOR_CACHE_DIR", cache},
         {"TORCHINDUCTOR_FX_GRAPH_CACHE", "1"},
         {"TORCHINDUCTOR_AUTOGRAD_CACHE", "1"},
         {"OMP_NUM_THREADS", std::to_string(options.threads)}});
    if (done.code != 0)
      throw std::runtime_error(fmt::format("{} failed with exit code {}", script, done.code));
    std::string text = done.out.substr(0, done.out.find_last_not_of('\n') + 1);
    return Json::parse(text.substr(text.rfind('\n') + 1));
  };
  std::map<std::string, std::vector<double>> seconds;
  double eager = 0;
  for (int i = 0; i < options.processes; ++i) {
    support::ScratchFolder cache;
    if (i == 0) eager = run("eager", cache.path())["step_s"];
    for (const char* kind : {"cold", "warm"}) {
      seconds[kind].push_back(run("first", cache.path())["first_step_s"].get<double>() - eager);
      progress.advance();
    }
  }
  Json figures;
  for (const char* kind : {"cold", "warm"})
    figures[kind] = bench::to_json(bench::spread_of(seconds[kind]));
  figures["eager_call"] = {{"median", eager}};
  return figures;
}

void run(const Options& options) {
  Json figures{
      {"benchmark", "compile_time"},        {"unit", "s"},
      {"processes", options.processes},     {"threads", options.threads},
      {"load_at_start", bench::load_now()}, {"machine_scale_ns", support::machine_scale_ns()}};
  {
    support::Progress progress("frit", 2 * options.processes);
    figures["frit"] = measure_frit(options, progress);
  }
  if (!options.peers.empty()) {
    support::Progress progress("torch", 2 * options.processes);
    figures["torch"] = measure_torch(options, progress);
  }
  fmt::print(
      "compiling one training step of the digits network; medians of {} processes, {} threads\n",
      options.processes, options.threads);
  bench::print_machine(figures);
  for (const char* kind : {"cold", "warm"}) {
    const Json& mine = figures["frit"][kind];
    fmt::print("{:<5} frit {:8.1f} ms   ({:.1f} to {:.1f})", kind,
               1e3 * mine["median"].get<double>(), 1e3 * mine["least"].get<double>(),
               1e3 * mine["most"].get<double>());
    if (figures.contains("torch")) {
      const double theirs = figures["torch"][kind]["median"];
      fmt::print("   torch.compile {:8.2f} s   {:.0f} times as long", theirs,
                 theirs / mine["median"].get<double>());
    }
    fmt::print("\n");
  }
  bench::write_json(options.json, figures);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"How long frit::compile takes for a whole training step."};
  app.add_option("--processes", options.processes, "processes of each kind")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "threads of each process")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--json", options.json, "writes all figures to this file");
  app.add_option("--peers", options.peers, "a python that has torch: measures torch.compile beside")
      ->check(CLI::ExistingFile);
  app.add_flag("--measure", options.measure)->group("");
  CLI11_PARSE(app, argc, argv);
  try {
    if (options.measure) {
      frit::set_num_threads(options.threads);
      fmt::print("{}\n", measure().dump());
    } else {
      run(options);
    }
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "compile_time: {}\n", e.what());
    return 1;
  }
}
