#include "fuzzer/sabotage.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/fault.h"
#include "fuzzer/check.h"
#include "fuzzer/generate.h"
#include "fuzzer/isolate.h"
#include "fuzzer/shrink.h"

namespace frit::fuzz {
namespace {

using Json = nlohmann::json;

constexpr int kSeconds = 120;  // for one program
constexpr int kSmaller = 40;   // attempts to make it smaller

std::string check_with(Fault fault, const Program& p, const Config& config) {
  plant(fault);
  std::string found = check(p, config);
  plant(Fault::none);
  return found;
}

// What the fault does to a program that passes without it; "" where nothing.
std::string effect(Fault fault, const Program& p, const Config& config) {
  std::string found = check_with(fault, p, config);
  return found.empty() || !check_with(Fault::none, p, config).empty() ? "" : found;
}

// The same where the fault may crash the process.
std::string isolated_effect(Fault fault, const Program& p, const Config& config) {
  std::string end;
  auto sound = isolated([&] { return check_with(Fault::none, p, config); }, kSeconds);
  if (!sound || !sound->empty()) return "";
  auto found = isolated([&] { return check_with(fault, p, config); }, kSeconds, &end);
  return found ? *found : "crashed: " + end;
}

Json report(Fault fault, Program p, int64_t programs,
            std::string (*effect_of)(Fault, const Program&, const Config&)) {
  Config config = config_of(p.seed);
  p = shrink(
      std::move(p), [&](const Program& q) { return !effect_of(fault, q, config).empty(); },
      kSmaller);
  return {{"programs", programs},
          {"found", effect_of(fault, p, config)},
          {"config", text(config)},
          {"program", text(p)}};
}

// Counts for several processes.
class SharedCounter {
 public:
  SharedCounter()
      : at_(static_cast<std::atomic<size_t>*>(mmap(nullptr, sizeof(std::atomic<size_t>),
                                                   PROT_READ | PROT_WRITE,
                                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    FRIT_INVARIANT(static_cast<void*>(at_) != MAP_FAILED, "no shared memory");
    new (at_) std::atomic<size_t>(0);
  }
  ~SharedCounter() { munmap(at_, sizeof *at_); }
  SharedCounter(const SharedCounter&) = delete;
  SharedCounter& operator=(const SharedCounter&) = delete;
  size_t take() { return at_->fetch_add(1); }

 private:
  std::atomic<size_t>* at_;
};

// Programs one after the other until one shows the fault; null where none does.
Json search(Fault fault, const SabotageOptions& options) {
  Json result;
  auto program = [&](int64_t i) {
    return generate(options.seed + static_cast<uint64_t>(i), options.length);
  };
  Work work;
  work.count = options.programs;
  work.seconds = kSeconds;
  work.item = [&](int64_t i, const auto& tell) {
    Program p = program(i);
    if (!effect(fault, p, config_of(p.seed)).empty()) tell(report(fault, p, i + 1, effect).dump());
  };
  work.told = [&](int64_t, const std::string& text) {
    if (result.is_null()) result = Json::parse(text);
  };
  work.crashed = [&](int64_t i, const std::string&) {
    auto text = isolated(
        [&] {
          Program p = program(i);
          return isolated_effect(fault, p, config_of(p.seed)).empty()
                     ? std::string()
                     : report(fault, p, i + 1, isolated_effect).dump();
        },
        600);
    if (text && !text->empty() && result.is_null()) result = Json::parse(*text);
  };
  work.enough = [&] { return !result.is_null(); };
  run_isolated(work);
  return result;
}

}  // namespace

int sabotage(const SabotageOptions& options) {
  std::vector<const FaultText*> wanted;
  for (const FaultText& f : faults())
    if (options.only.empty() || options.only == f.name) wanted.push_back(&f);
  if (wanted.empty()) {
    fmt::print(stderr, "fuzz: {}\n",
               faults().empty()
                   ? "this build has no faults in it: configure with FRIT_FAULTS=ON (preset fuzz)"
                   : "there is no fault of that name");
    return 2;
  }
  std::vector<Json> results(wanted.size());
  auto start = std::chrono::steady_clock::now();
  Work work;
  // A search may take a second or all programs, so each process takes the next fault that is left.
  work.count = work.jobs = options.jobs;
  work.seconds = 24 * 3600;
  SharedCounter next;
  work.item = [&](int64_t, const auto& tell) {
    for (size_t i; (i = next.take()) < wanted.size();)
      tell(Json{{"number", i}, {"result", search(wanted[i]->fault, options)}}.dump());
  };
  work.told = [&](int64_t, const std::string& text) {
    Json one = Json::parse(text);
    const size_t i = one["number"].get<size_t>();
    const FaultText& f = *wanted[i];
    Json& r = results[i];
    r = one["result"];
    if (r.is_null())
      fmt::print("{:<24} NOT FOUND in {} programs: {}\n\n", f.name, options.programs, f.what);
    else
      fmt::print("{:<24} found by program {}: {}\n{}, {}\n{}\n", f.name,
                 r["programs"].get<int64_t>(), f.what, r["config"].get<std::string>(),
                 r["found"].get<std::string>(), r["program"].get<std::string>());
    std::fflush(stdout);
  };
  work.crashed = [&](int64_t, const std::string& how) {
    fmt::print("a search ended with {}\n", how);
  };
  work.enough = [] { return false; };
  run_isolated(work);

  size_t found = 0;
  Json all = Json::array();
  fmt::print("{:<24} {:>8}  {}\n", "fault", "programs", "what is wrong");
  for (size_t i = 0; i < wanted.size(); ++i) {
    const FaultText& f = *wanted[i];
    Json& r = results[i];
    found += !r.is_null();
    fmt::print("{:<24} {:>8}  {}\n", f.name,
               r.is_null() ? "none" : std::to_string(r["programs"].get<int64_t>()), f.what);
    Json row = r.is_null() ? Json::object() : r;
    row["fault"] = f.name;
    row["what"] = f.what;
    all.push_back(row);
  }
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("{} of {} planted faults found within {} programs, in {:.0f} s\n", found,
             wanted.size(), options.programs, seconds);
  if (!options.json.empty())
    std::ofstream(options.json) << Json{{"faults", all},
                                        {"found", found},
                                        {"planted", wanted.size()},
                                        {"most_programs", options.programs},
                                        {"seed", options.seed},
                                        {"seconds", seconds}}
                                       .dump(1)
                                << "\n";
  return found == wanted.size() ? 0 : 1;
}

}  // namespace frit::fuzz
