// What a call costs when there is next to nothing to compute, eager and compiled, everything
// counted:
//   chain        relu(x * y + z) on 4 elements
//   n parameters the same in a callable that reaches a module of n parameters and read all their
//   sizes
//                and requires_grad when it was captured: guards must not cost more for a larger
//                model
//   mlp          forward and backward of 3 layers of width 8; "mlp step" with both in one callable
//
//   overhead [--processes N] [--json FILE] [--peers PYTHON]
#include <frit/frit.h>

#include <CLI/CLI.hpp>

#include "processes.h"

namespace nn = frit::nn;
using bench::Json;
using frit::Tensor;

namespace {

constexpr int64_t kMlpBatch = 4;
constexpr int kParameterCounts[] = {10, 100, 1000, 10000};

template <class F>
double microseconds(F&& fn) {
  for (int i = 0; i < 3; ++i) fn();
  std::vector<double> rounds;
  for (int i = 0; i < 5; ++i) rounds.push_back(1e6 * support::seconds_a_call(fn, 0.05));
  return support::median(rounds);
}

struct Many : nn::Module {
  explicit Many(int n) : values(static_cast<size_t>(n)) {
    for (int i = 0; i < n; ++i)
      register_parameter("p" + std::to_string(i), values[static_cast<size_t>(i)],
                         frit::rand({3, 2}));
  }
  std::vector<nn::Parameter> values;
};

struct Mlp : nn::Module {
  nn::Linear a{*this, "a", 8, 8}, b{*this, "b", 8, 8}, c{*this, "c", 8, 8};
  Tensor forward(Tensor x) { return c(frit::relu(b(frit::relu(a(x))))); }
};

Tensor chain(const Tensor& x, const Tensor& y, const Tensor& z) { return frit::relu(x * y + z); }

// The compiled callable over a module, and whether it notices what changes there.
double measure_parameters(int n, const Tensor& x, const Tensor& y, const Tensor& z) {
  Many module(n);
  auto f = frit::compile(module, [&](Tensor x, Tensor y, Tensor z) {
    int64_t wanted = 0;
    for (const nn::Parameter& p : module.values)
      if (p->size(0) == 3 && p->size(1) == 2) wanted += p->requires_grad();
    return wanted == n ? chain(x, y, z) : x;
  });
  const double us = microseconds([&] { f(x, y, z); });
  // A parameter replaced by one of another size, and one that no longer requires gradients.
  auto given_back = [&] { return f(x, y, z).is_same(x); };
  module.values[static_cast<size_t>(n) / 2] = frit::rand({4, 2});
  bool noticed = given_back();
  module.values[static_cast<size_t>(n) / 2] = frit::rand({3, 2});
  noticed = noticed && !given_back();
  module.values[static_cast<size_t>(n) - 1]->requires_grad_(false);
  noticed = noticed && given_back();
  if (!noticed)
    throw std::runtime_error(fmt::format("a change of one of {} parameters was not noticed", n));
  return us;
}

Json measure() {
  frit::manual_seed(0);
  frit::set_num_threads(1);
  Tensor x = frit::randn({4}), y = frit::randn({4}), z = frit::randn({4});
  Json out;
  out["add eager"] = microseconds([&] { frit::add(x, y); });
  out["chain eager"] = microseconds([&] { chain(x, y, z); });
  auto compiled_chain = frit::compile([](Tensor x, Tensor y, Tensor z) { return chain(x, y, z); });
  out["chain compiled"] = microseconds([&] { compiled_chain(x, y, z); });
  for (int n : kParameterCounts)
    out[fmt::format("{} parameters", n)] = measure_parameters(n, x, y, z);

  Mlp mlp;
  Tensor batch = frit::randn({kMlpBatch, 8});
  auto forward_backward = [&](auto& forward) {
    mlp.zero_grad();
    forward(batch).sum().backward();
  };
  auto eager_forward = [&](const Tensor& b) { return mlp.forward(b); };
  out["mlp eager"] = microseconds([&] { forward_backward(eager_forward); });
  auto compiled_forward = frit::compile(mlp);
  out["mlp compiled"] = microseconds([&] { forward_backward(compiled_forward); });
  auto compiled_step = frit::compile(mlp, [&](Tensor b) {
    mlp.zero_grad();
    mlp.forward(b).sum().backward();
  });
  out["mlp step compiled"] = microseconds([&] { compiled_step(batch); });
  if (frit::explain(compiled_step).kernel_count() == 0 ||
      frit::explain(compiled_chain).kernel_count() == 0)
    throw std::runtime_error("a callable was not compiled:\n" +
                             frit::explain(compiled_chain).str() +
                             frit::explain(compiled_step).str());
  return out;
}

void run(int processes, const std::string& json, const std::string& peers) {
  Json figures{{"benchmark", "overhead"},
               {"unit", "us"},
               {"processes", processes},
               {"mlp_batch", kMlpBatch},
               {"load_at_start", bench::load_now()},
               {"machine_scale_ns", support::machine_scale_ns()}};
  {
    support::Progress progress("frit", processes);
    std::vector<Json> runs;
    for (int i = 0; i < processes; ++i) {
      runs.push_back(
          bench::run_self({"--measure"}, {{"FRIT_COMPILE_DEBUG", ""}, {"FRIT_CHECK", ""}}));
      progress.advance();
    }
    figures["frit"] = bench::spreads(runs);
  }
  if (!peers.empty()) {
    support::ScratchFolder scratch;
    const std::string file = scratch.path() / "torch.json";
    auto done =
        support::run_process({peers, support::project_file("benchmarks/peers/overhead_torch.py"),
                              "--processes", std::to_string(processes), "--json", file});
    if (done.code != 0)
      throw std::runtime_error(fmt::format("the peers failed with exit code {}", done.code));
    figures["torch"] = Json::parse(std::ifstream(file))["calls"];
  }

  fmt::print("microseconds a call, 1 thread; medians of {} processes\n", processes);
  bench::print_machine(figures);
  const std::map<std::string, std::string> torch_names{{"add eager", "add"},
                                                       {"chain eager", "chain eager"},
                                                       {"chain compiled", "chain compile"},
                                                       {"mlp eager", "mlp eager"},
                                                       {"mlp compiled", "mlp compile"}};
  fmt::print("{:<20} {:>9} {:>18}{}\n", "", "frit", "(least to most)",
             peers.empty() ? "" : "      torch");
  for (auto& [name, s] : figures["frit"].items()) {
    fmt::print(
        "{:<20} {:>9.3f} {:>18}", name, s["median"].get<double>(),
        fmt::format("({:.3f} to {:.3f})", s["least"].get<double>(), s["most"].get<double>()));
    auto theirs = torch_names.find(name);
    if (!peers.empty() && theirs != torch_names.end())
      fmt::print(" {:>10.3f}", figures["torch"][theirs->second]["median"].get<double>());
    fmt::print("\n");
  }
  auto ratio = [&](const char* a, const char* b) {
    return figures["frit"][a]["median"].get<double>() / figures["frit"][b]["median"].get<double>();
  };
  figures["ratios"] = {{"10000 to 10 parameters", ratio("10000 parameters", "10 parameters")},
                       {"mlp compiled to eager", ratio("mlp compiled", "mlp eager")},
                       {"mlp step compiled to eager", ratio("mlp step compiled", "mlp eager")}};
  for (auto& [name, value] : figures["ratios"].items())
    fmt::print("{}: {:.2f}\n", name, value.get<double>());
  bench::write_json(json, figures);
}

}  // namespace

int main(int argc, char** argv) {
  int processes = 7;
  std::string json, peers;
  bool one = false;
  CLI::App app{"What a call costs when there is next to nothing to compute."};
  app.add_option("--processes", processes, "processes measured")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--json", json, "writes all figures to this file");
  app.add_option("--peers", peers, "a python that has torch: measures PyTorch beside")
      ->check(CLI::ExistingFile);
  app.add_flag("--measure", one)->group("");
  CLI11_PARSE(app, argc, argv);
  try {
    if (one)
      fmt::print("{}\n", measure().dump());
    else
      run(processes, json, peers);
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "overhead: {}\n", e.what());
    return 1;
  }
}
