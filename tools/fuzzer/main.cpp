// The fuzzer: random programs, eager against compiled. A program that differs, or that crashes, is
// made small and printed; at the end comes what the programs reached.
#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fuzzer/check.h"
#include "fuzzer/generate.h"
#include "fuzzer/isolate.h"
#include "fuzzer/sabotage.h"
#include "fuzzer/shrink.h"

namespace frit::fuzz {
namespace {

constexpr const char* kUsage = R"(fuzz: random tensor programs, eager against compiled

  --programs N   how many (1000)
  --seed S       of the first one (1); the others follow. A program is made from its seed alone.
  --length L     the most statements of a program (12)
  --seconds T    stop after so long
  --most M       stop after so many mismatches (20)
  --jobs J       processes (2); 0: no other process, for a debugger
  --json FILE    write the figures there
  --quiet        no tables of what was reached
  --print        print the programs, do not run them
  --sabotage     how many programs find each planted fault, at most N (builds with FRIT_FAULTS)
  --fault NAME   with --sabotage: that fault alone
)";

struct Options {
  int64_t programs = 1000, seconds = 0, most = 20;
  uint64_t seed = 1;
  int length = 12, jobs = 2;
  bool quiet = false, print = false, sabotage = false;
  std::string json, fault;
};

// False: not an option, or without its value.
bool parse(int argc, char** argv, Options& o) {
  for (int i = 1; i < argc; ++i) {
    std::string key = argv[i];
    if (key == "--quiet" || key == "--print" || key == "--sabotage") {
      (key == "--quiet" ? o.quiet : key == "--print" ? o.print : o.sabotage) = true;
      continue;
    }
    if (i + 1 >= argc) return false;
    std::string text = argv[++i];
    if (key == "--json") {
      o.json = text;
      continue;
    }
    if (key == "--fault") {
      o.fault = text;
      continue;
    }
    int64_t v = std::atoll(text.c_str());
    if (v < 0) return false;
    if (key == "--programs")
      o.programs = v;
    else if (key == "--seed")
      o.seed = static_cast<uint64_t>(v);
    else if (key == "--seconds")
      o.seconds = v;
    else if (key == "--length" && v > 0)
      o.length = static_cast<int>(v);
    else if (key == "--most")
      o.most = v;
    else if (key == "--jobs")
      o.jobs = static_cast<int>(v);
    else
      return false;
  }
  return true;
}

std::string report(const Program& p, const Config& config, const std::string& found) {
  return fmt::format("MISMATCH seed {}, {}\n{}\n{}", p.seed, text(config), found, text(p));
}

class Session {
 public:
  explicit Session(Options o) : o_(std::move(o)) {}

  int run() {
    auto start = std::chrono::steady_clock::now();
    bool stopped = false;
    auto out_of_time = [&] {
      return o_.seconds &&
             std::chrono::steady_clock::now() - start > std::chrono::seconds(o_.seconds);
    };
    if (o_.jobs == 0) {
      for (int64_t i = 0; i < o_.programs && !out_of_time(); ++i)
        one(i, reached_, [&](const std::string& t) { failed(t); });
    } else {
      Coverage reached;  // of a child
      Work work;
      work.count = o_.programs;
      work.jobs = o_.jobs;
      work.item = [&](int64_t i, const auto& tell) {
        if (!out_of_time()) one(i, reached, [&](const std::string& t) { tell("M" + t); });
        if (reached.groups["programs"]["all"] < 20) return;
        tell("C" + reached.json());
        reached = {};
      };
      work.last = [&](const auto& tell) { tell("C" + reached.json()); };
      work.told = [&](int64_t, const std::string& text) {
        if (text[0] == 'M')
          failed(text.substr(1));
        else
          reached_.add(Coverage::parse(text.substr(1)));
      };
      work.crashed = [&](int64_t i, const std::string& how) { failed(crash(i, how)); };
      work.enough = [&] { return failures_ >= o_.most; };
      run_isolated(work);
      stopped = work.enough();
    }
    double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!o_.quiet) fmt::print("{}", text(reached_));
    if (stopped) fmt::print("stopped after {} mismatches\n", failures_);
    int64_t all = reached_.groups["programs"]["all"];
    fmt::print("{} programs from seed {} in {:.1f} s: {} failed\n", all, o_.seed, seconds,
               failures_);
    if (!o_.json.empty()) write_json(all, seconds);
    return failures_ ? 1 : 0;
  }

 private:
  Program program(int64_t i) const {
    return generate(o_.seed + static_cast<uint64_t>(i), o_.length);
  }

  template <class Tell>
  void one(int64_t i, Coverage& reached, Tell&& tell) {
    Program p = program(i);
    reached.note(p);
    Config config = config_of(p.seed);
    if (check(p, config, &reached).empty()) return;
    p = shrink(std::move(p), [&](const Program& q) { return !check(q, config).empty(); });
    tell(report(p, config, check(p, config)));
  }

  // A program that ended its process: made small in others.
  std::string crash(int64_t i, const std::string& how) const {
    auto text = isolated(
        [&] {
          Program p = program(i);
          Config config = config_of(p.seed);
          auto fails = [&](const Program& q) {
            return !isolated([&] { return check(q, config); }, 60).has_value();
          };
          if (!fails(p)) return report(p, config, how + ", but not when it runs alone");
          p = shrink(std::move(p), fails, 200);
          return report(p, config, "crashed: " + how);
        },
        900);
    return text ? *text
                : fmt::format("MISMATCH seed {}\ncrashed while it was made: {}\n",
                              o_.seed + static_cast<uint64_t>(i), how);
  }

  void failed(const std::string& text) {
    ++failures_;
    fmt::print("{}\n", text);
    std::fflush(stdout);
  }

  void write_json(int64_t programs, double seconds) const {
    nlohmann::json j{{"programs", programs},
                     {"seed", o_.seed},
                     {"seconds", seconds},
                     {"failures", failures_},
                     {"unreached_ops", unreached_ops(reached_)},
                     {"reached", reached_.groups}};
    std::ofstream(o_.json) << j.dump(1) << "\n";
  }

  Options o_;
  Coverage reached_;
  int64_t failures_ = 0;
};

}  // namespace

int main_of(int argc, char** argv) {
  Options o;
  if (!parse(argc, argv, o)) {
    fmt::print(stderr, "{}", kUsage);
    return 2;
  }
  if (o.sabotage)
    return sabotage({o.programs, o.seed, o.length, std::max(o.jobs, 1), o.fault, o.json});
  if (o.print) {
    for (int64_t i = 0; i < o.programs; ++i)
      fmt::print("{}\n", text(generate(o.seed + static_cast<uint64_t>(i), o.length)));
    return 0;
  }
  return Session(std::move(o)).run();
}

}  // namespace frit::fuzz

int main(int argc, char** argv) { return frit::fuzz::main_of(argc, argv); }
