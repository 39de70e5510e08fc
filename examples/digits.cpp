// Trains a small network on the 1,797 handwritten digits of data/digits, eagerly and compiled, and
// says how the two compare: the losses, what is right of the part held out, steps per second, and
// how long compiling takes, cold and from the cache.
//
//   digits [--optimizer adamw|sgd] [--epochs N] [--threads N] [--json FILE] [--peers PYTHON]
#include <fmt/format.h>
#include <frit/frit.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "digits_net.h"
#include "digits_report.h"
#include "support/files.h"
#include "support/process.h"
#include "support/progress.h"
#include "support/timing.h"

namespace nn = frit::nn;
namespace fs = std::filesystem;
using frit::Tensor;
using namespace digits;
using Json = nlohmann::ordered_json;

namespace {

struct Learned {
  std::vector<double> losses;  // of every step
  double accuracy = 0;         // of the part held out
  double recent_loss() const {
    const size_t n = std::min<size_t>(20, losses.size());
    return std::accumulate(losses.end() - static_cast<long>(n), losses.end(), 0.0) /
           static_cast<double>(n);
  }
};

template <class Step, class Predict>
Learned train(const char* what, const Settings& settings, const Data& data, nn::Module& net,
              Step&& step, Predict&& predict) {
  Learned learned;
  support::Progress progress(what, settings.epochs);
  std::vector<Tensor> losses;
  for (int epoch = 0; epoch < settings.epochs; ++epoch) {
    for_batches(data, settings.seed + static_cast<uint64_t>(epoch) + 1,
                [&](const Tensor& x, const Tensor& y) { losses.push_back(step(x, y)); });
    progress.advance(fmt::format("loss {:.4f}", losses.back().item<double>()));
  }
  for (const Tensor& loss : losses) learned.losses.push_back(loss.item<double>());

  net.eval();
  int64_t right = 0;
  const int64_t n = data.held_labels.impl()->numel();
  for (int64_t i = 0; i < n; i += kBatch) {  // the last batch is smaller
    const int64_t end = std::min(i + kBatch, n);
    Tensor said = predict(data.held_images.slice(0, i, end));
    right += (said == data.held_labels.slice(0, i, end)).sum().item<int64_t>();
  }
  net.train();
  learned.accuracy = static_cast<double>(right) / static_cast<double>(n);
  return learned;
}

// --- compiled against eager, step by step ---

struct Agreement {
  double first_10 = 0, all_100 = 0;  // largest relative difference of the losses
  int equal_masks = 0;               // steps whose dropout masks agree bit for bit
  uint64_t compiled_steps = 0;       // of the second training: all but the first
};
constexpr size_t kCompared = report::kCompared;

Agreement compare(const Settings& settings, const Data& data, frit::DType dtype) {
  const Watched eager = watched_steps(settings, data, dtype, false, kCompared),
                compiled = watched_steps(settings, data, dtype, true, kCompared);
  Agreement result;
  if (compiled.explanation.kernel_count() > 0)
    for (auto& entry : compiled.explanation.entries) result.compiled_steps += entry.runs;
  for (size_t i = 0; i < kCompared; ++i) {
    double difference =
        std::abs(compiled.losses[i] - eager.losses[i]) / std::max(std::abs(eager.losses[i]), 1e-30);
    if (std::isnan(difference)) difference = INFINITY;
    if (i < 10) result.first_10 = std::max(result.first_10, difference);
    result.all_100 = std::max(result.all_100, difference);
    result.equal_masks += (compiled.masks[i] == eager.masks[i]).all().item<bool>();
  }
  return result;
}

// --- what only a fresh process shows ---

// From the call to the compiled entry being ready, less one eager step.
Json measure_compile(const Settings& settings, const Data& data) {
  Tensor x = data.images.slice(0, 0, kBatch).contiguous(),
         y = data.labels.slice(0, 0, kBatch).contiguous();
  Trainer eager(settings), trainer(settings);
  std::vector<double> steps;
  for (int i = 0; i < 9; ++i) steps.push_back(support::seconds([&] { eager.step(x, y); }));
  auto step = trainer.compiled_step();
  const double first = support::seconds([&] { step(x, y); });
  return {{"first_step_s", first},
          {"eager_step_s", support::median(steps)},
          {"compile_s", first - support::median(steps)}};
}

// Eager and compiled in turns, so that what else the machine does meets both.
Json measure_speed(const Settings& settings, const Data& data) {
  Tensor x = data.images.slice(0, 0, kBatch).contiguous(),
         y = data.labels.slice(0, 0, kBatch).contiguous();
  Trainer eager(settings), trainer(settings);
  auto step = trainer.compiled_step();
  for (int i = 0; i < 20; ++i) eager.step(x, y), step(x, y);
  std::vector<double> eager_s, compiled_s;
  for (int round = 0; round < 5; ++round) {
    eager_s.push_back(support::seconds_a_call([&] { eager.step(x, y); }, 0.4));
    compiled_s.push_back(support::seconds_a_call([&] { step(x, y); }, 0.4));
  }
  return {{"eager_steps_per_s", 1 / support::median(eager_s)},
          {"compiled_steps_per_s", 1 / support::median(compiled_s)}};
}

struct Options {
  Settings settings;
  std::string json, peers, data, measure;
  int threads = 0;
  bool explain = false;
};

// This program again, for one measurement.
Json in_fresh_process(const Options& options, const char* what, int threads,
                      const fs::path& cache) {
  auto done = support::run_process(
      {support::own_executable().string(), "--measure", what, "--optimizer",
       options.settings.optimizer, "--seed", std::to_string(options.settings.seed), "--threads",
       std::to_string(threads), "--data", options.data},
      {{"FRIT_CACHE_DIR", cache.string()}, {"FRIT_COMPILE_DEBUG", ""}, {"FRIT_CHECK", ""}});
  if (done.code != 0)
    throw std::runtime_error(fmt::format("measuring {} failed with exit code {}", what, done.code));
  return Json::parse(done.out);
}

// Compile times and steps per second, each in processes of their own.
void measure_processes(const Options& options, const std::vector<int>& thread_counts,
                       const fs::path& scratch, Json& figures) {
  constexpr int runs = 3;
  support::Progress progress("measuring", 2 * runs + static_cast<int>(thread_counts.size()));
  auto cache = [&](int i) { return scratch / fmt::format("cache{}", i); };
  std::vector<double> cold, warm;
  for (int i = 0; i < runs; ++i)
    for (auto* times : {&cold, &warm}) {
      times->push_back(
          in_fresh_process(options, "compile", thread_counts.back(), cache(i))["compile_s"]);
      progress.advance();
    }
  figures["compile"] = {
      {"cold_s", support::median(cold)}, {"warm_s", support::median(warm)}, {"processes", runs}};
  for (int threads : thread_counts) {
    Json speed = in_fresh_process(options, "speed", threads, cache(0));
    figures["steps_per_s"][std::to_string(threads)] = {{"eager", speed["eager_steps_per_s"]},
                                                       {"compiled", speed["compiled_steps_per_s"]}};
    progress.advance();
  }
  for (int i = 0; i < runs; ++i) fs::remove_all(cache(i));
}

Json run_peers(const Options& options, const std::vector<int>& threads, const fs::path& scratch) {
  std::vector<std::string> command{
      options.peers,   support::project_file("benchmarks/peers/digits_torch.py").string(),
      "--optimizer",   options.settings.optimizer,
      "--json",        (scratch / "torch.json").string(),
      "--threads-list"};
  for (int n : threads) command.push_back(std::to_string(n));
  fmt::print(stderr, "running PyTorch on the same program; its compiler takes a minute or two\n");
  auto done = support::run_process(command);
  if (done.code != 0)
    throw std::runtime_error(fmt::format("{} failed with exit code {}", command[1], done.code));
  return Json::parse(std::ifstream(scratch / "torch.json"));
}

int run(Options& options) {
  if (!options.json.empty() && !std::ofstream(options.json, std::ios::app))
    throw std::runtime_error(options.json + " cannot be written");
  support::ScratchFolder scratch;
  if (!std::getenv("FRIT_COMPILE_DEBUG")) {
    setenv("FRIT_COMPILE_DEBUG", "1", 1);
    if (!std::getenv("FRIT_DEBUG_DIR")) {
      setenv("FRIT_DEBUG_DIR", (scratch.path() / "debug").c_str(), 1);
      scratch.keep();
    }
  }
  const Settings& settings = options.settings;
  const Data data = load_data(options.data, settings.seed);
  std::vector<int> thread_counts{1, 2};
  if (options.threads) thread_counts = {options.threads};
  frit::set_num_threads(thread_counts.back());
  fmt::print("{} handwritten digits to learn from, {} held out; batches of {}, {}, {} epochs\n\n",
             data.count(), kHeldOut, kBatch, settings.optimizer, settings.epochs);

  Json figures{{"program", "digits"},
               {"optimizer", settings.optimizer},
               {"batch", kBatch},
               {"held_out", kHeldOut},
               {"epochs", settings.epochs},
               {"seed", settings.seed},
               {"machine_scale_ns", support::machine_scale_ns()}};
  auto note = [&](const char* what, const Learned& learned) {
    figures[what] = {{"loss", learned.recent_loss()},
                     {"accuracy", learned.accuracy},
                     {"steps", learned.losses.size()}};
  };
  {
    Trainer eager(settings);
    note("eager", train(
                      "eager", settings, data, eager.net,
                      [&](const Tensor& x, const Tensor& y) { return eager.step(x, y); },
                      [&](const Tensor& x) { return eager.predict(x); }));
  }
  Trainer trainer(settings);
  auto step = trainer.compiled_step();
  auto predict = trainer.compiled_predict();
  note("compiled", train("compiled", settings, data, trainer.net, step, predict));
  frit::Explanation explanation = frit::explain(step);

  for (frit::DType dtype : {frit::kFloat32, frit::kFloat64}) {
    Agreement a = compare(settings, data, dtype);
    figures["agreement"][std::string(frit::name(dtype))] = {{"first_10", a.first_10},
                                                            {"first_100", a.all_100},
                                                            {"equal_masks", a.equal_masks},
                                                            {"compiled_steps", a.compiled_steps}};
  }

  measure_processes(options, thread_counts, scratch.path(), figures);
  figures["explain"] = explanation.str();
  figures["graphs"] = explanation.entries.size();
  figures["graph_breaks"] = explanation.breaks.size();
  for (const char* stage : {"forward", "backward", "optimizer"})
    figures["kernels"][stage] = explanation.kernel_count(stage);
  figures["debug_files"] = explanation.folder();
  if (!options.peers.empty()) figures["torch"] = run_peers(options, thread_counts, scratch.path());

  report::print(figures, options.explain);
  if (!options.json.empty()) {
    std::ofstream file(options.json);
    if (!(file << figures.dump(2) << "\n").flush())
      throw std::runtime_error(options.json + " cannot be written");
  }
  const auto wrong = report::faults(figures);
  for (auto& text : wrong) fmt::print(stderr, "digits: {}\n", text);
  return wrong.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{
      "Trains a network on handwritten digits, eagerly and compiled, and compares the two."};
  app.add_option("--optimizer", options.settings.optimizer, "adamw or sgd (with momentum)")
      ->check(CLI::IsMember({"adamw", "sgd"}))
      ->capture_default_str();
  app.add_option("--epochs", options.settings.epochs, "how often every image is seen")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--seed", options.settings.seed, "of the weights, the order, and dropout")
      ->capture_default_str();
  app.add_option("--threads", options.threads, "threads; else 1 and 2 are measured")
      ->check(CLI::Range(1, 1024));
  app.add_option("--data", options.data,
                 "folder with images.npy and labels.npy; else the project's data/digits");
  app.add_option("--json", options.json, "writes all figures to this file");
  app.add_option("--peers", options.peers,
                 "a python that has torch: prints PyTorch's figures beside")
      ->check(CLI::ExistingFile);
  app.add_flag("--explain", options.explain, "prints all that is known of the compiled step");
  app.add_option("--measure", options.measure)->group("");
  CLI11_PARSE(app, argc, argv);
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  try {
    if (options.data.empty()) options.data = support::project_file("data/digits").string();
    if (options.measure.empty()) return run(options);
    frit::set_num_threads(options.threads);
    const Data data = load_data(options.data, options.settings.seed);
    fmt::print("{}\n", (options.measure == "compile" ? measure_compile : measure_speed)(
                           options.settings, data)
                           .dump());
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "digits: {}\n", e.what());
    return 2;
  }
}
