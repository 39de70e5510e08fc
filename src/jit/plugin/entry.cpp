// The plugin's one visible function, the watch over its time limit, and the division of a request's
// modules among threads.
#include <llvm/Config/llvm-config.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

#include "../plugin_abi.h"
#include "front_end.h"
#include "guard.h"
#include "module_compiler.h"

namespace frit_cc {
namespace {

std::atomic<bool> unusable = false;

// Everything a compile touches. Owned jointly by the caller and the threads, because a caller whose
// time limit passed leaves while they still run.
struct Job {
  Options options;
  std::vector<std::pair<std::string, std::string>> modules;  // name, text
  std::vector<ModuleResult> results;
  std::vector<std::string> crashes;                    // per module; empty where there was none
  std::unique_ptr<std::atomic<const char*>[]> phases;  // per module, and one more for the link
  std::atomic<size_t> next = 0;

  std::mutex mutex;
  std::condition_variable changed;
  bool precompile = false;  // wanted
  std::string precompiled;  // got, if not empty
  size_t helpers = 0;       // threads at work beside the first
  bool done = false;

  int32_t status = FRIT_CC_SYSTEM;
  std::string object, text;
  frit_cc_times times = {};
};

void compile_next_modules(Job& job) {
  for (size_t i; (i = job.next++) < job.modules.size();) {
    std::string what;
    auto work = [&] {
      compile_module(job.options, job.modules[i].first, job.modules[i].second, job.phases[i],
                     job.results[i]);
    };
    if (!run_guarded(work, what))
      job.crashes[i] = what + " in the " + job.phases[i].load() + " of " + job.modules[i].first;
    job.phases[i] = nullptr;
  }
}

void finish(Job& job) {
  for (size_t i = 0; i < job.modules.size(); ++i) {
    auto& r = job.results[i];
    job.times.front_end += r.front_end;
    job.times.optimize += r.optimize;
    job.times.codegen += r.codegen;
    if (!job.crashes[i].empty()) job.text += job.crashes[i] + "\n";
    if (!job.crashes[i].empty()) job.status = FRIT_CC_CRASH;
  }
  if (job.status == FRIT_CC_CRASH) return;
  bool ok = true;
  std::vector<std::string> objects;
  for (auto& r : job.results) {
    ok = ok && r.ok;
    job.text += r.diagnostics;
    objects.push_back(std::move(r.object));
  }
  if (!ok) {
    if (job.text.empty()) job.text = "error: the compiler failed without a message\n";
    job.status = FRIT_CC_DIAGNOSTICS;
    return;
  }
  auto& phase = job.phases[job.modules.size()];
  phase = "link";
  double start = now_ms();
  std::string what;
  bool linked = false;
  if (!run_guarded([&] { linked = link_objects(objects, job.object, job.text); }, what)) {
    job.text += what + " in the link\n";
    job.status = FRIT_CC_CRASH;
    unusable = true;  // lld's globals and its lock are in an unknown state
  } else {
    job.status = linked ? FRIT_CC_OK : FRIT_CC_DIAGNOSTICS;
  }
  job.times.link = now_ms() - start;
  phase = nullptr;
}

// Whatever goes wrong here, the modules read the header's text and say it properly.
void precompile(Job& job) {
  double start = now_ms();
  auto& phase = job.phases[job.modules.size()];
  phase = "precompilation of the header";
  std::string bytes, what, ignored;
  bool ok = false;
  if (run_guarded([&] { ok = precompile_header(job.options, bytes, ignored); }, what) && ok)
    job.precompiled = std::move(bytes);
  phase = nullptr;
  job.times.precompile = now_ms() - start;
}

// False if there is no thread to be had.
bool start_helper(const std::shared_ptr<Job>& job, void (*work)(Job&)) {
  std::lock_guard lock(job->mutex);
  bool started = start_thread([job, work] {
    work(*job);
    std::lock_guard lock(job->mutex);
    --job->helpers;
    job->changed.notify_all();
  });
  if (started) ++job->helpers;
  return started;
}

// The first thread of a job starts the others, works beside them, and links when all are through.
void lead(const std::shared_ptr<Job>& job, size_t threads) {
  if (job->precompile) {
    precompile(*job);
    job->options.precompiled = job->precompiled;
  }
  for (size_t i = 1; i < threads; ++i)
    if (!start_helper(job, compile_next_modules)) break;  // fewer threads do the same work
  compile_next_modules(*job);
  std::unique_lock lock(job->mutex);
  job->changed.wait(lock, [&] { return job->helpers == 0; });
  lock.unlock();
  finish(*job);
  lock.lock();
  job->done = true;
  job->changed.notify_all();
}

std::shared_ptr<Job> make_job(const frit_cc_request& request) {
  auto job = std::make_shared<Job>();
  auto& o = job->options;
  o.cpu = request.cpu;
  if (request.features) o.features = request.features;
  o.header.assign(request.header.data ? request.header.data : "", request.header.size);
  o.header_name = request.header.name ? request.header.name : FRIT_CC_HEADER_NAME;
  o.vector_width = request.vector_width;
  o.optimize = request.optimize;
  o.debug_info = request.flags & FRIT_CC_DEBUG_INFO;
  o.test_hooks = request.flags & FRIT_CC_TEST_HOOKS;
  o.sanitizer = request.flags & (FRIT_CC_ADDRESS_SANITIZER | FRIT_CC_THREAD_SANITIZER);
  if (request.precompiled)
    o.precompiled.assign(static_cast<const char*>(request.precompiled), request.precompiled_size);
  job->precompile = !request.precompiled && (request.flags & FRIT_CC_PRECOMPILE);
  for (size_t i = 0; i < request.module_count; ++i) {
    auto& m = request.modules[i];
    job->modules.emplace_back(m.name ? m.name : "module" + std::to_string(i) + ".cpp",
                              std::string(m.data, m.size));
  }
  job->results.resize(request.module_count);
  job->crashes.resize(request.module_count);
  job->phases = std::make_unique<std::atomic<const char*>[]>(request.module_count + 1);
  return job;
}

std::string where_it_is(const Job& job) {
  for (size_t i = 0; i <= job.modules.size(); ++i)
    if (const char* phase = job.phases[i].load())
      return std::string("the ") + phase +
             (i < job.modules.size() ? " of " + job.modules[i].first : std::string());
  return "no known phase";
}

// Waits for the job; a status if the caller is to leave without its result, else FRIT_CC_OK.
int32_t wait(Job& job, const frit_cc_request& request) {
  using clock = std::chrono::steady_clock;
  auto end = clock::now() + std::chrono::milliseconds(request.time_limit_ms);
  std::unique_lock lock(job.mutex);
  while (!job.done) {
    auto wake = clock::now() + std::chrono::milliseconds(request.interrupted ? 20 : 1000);
    if (request.time_limit_ms && end < wake) wake = end;
    job.changed.wait_until(lock, wake, [&] { return job.done; });
    if (job.done) break;
    if (request.time_limit_ms && clock::now() >= end) return FRIT_CC_HANG;
    if (request.interrupted) {
      lock.unlock();
      if (request.interrupted(request.interrupted_context)) return FRIT_CC_INTERRUPTED;
      lock.lock();
    }
  }
  return FRIT_CC_OK;
}

char* copy(const std::string& text) {
  auto* bytes = static_cast<char*>(std::malloc(text.size() + 1));
  if (bytes) std::memcpy(bytes, text.c_str(), text.size() + 1);
  return bytes;
}

int32_t answer(frit_cc_result& result, int32_t status, const std::string& text) {
  result.text = copy(text);
  return result.status = status;
}

int32_t compile(const frit_cc_request* request, frit_cc_result* result) {
  *result = {};
  if (request->abi != FRIT_CC_ABI || !request->module_count || !request->cpu ||
      request->optimize > FRIT_CC_O3)
    return answer(*result, FRIT_CC_BAD_REQUEST, "the request is not one this plugin understands");
  if (unusable)
    return answer(*result, FRIT_CC_UNUSABLE,
                  "the compiler hung or broke in an earlier compile of this process");
  double start = now_ms();
  auto job = make_job(*request);
  size_t threads = std::min<size_t>(std::max(1u, request->threads), request->module_count);
  if (!start_thread([job, threads] { lead(job, threads); }))
    return answer(*result, FRIT_CC_SYSTEM, "no thread could be started");
  if (int32_t left = wait(*job, *request)) {
    std::string where = where_it_is(*job);
    if (left == FRIT_CC_INTERRUPTED) return answer(*result, left, "interrupted in " + where);
    unusable = true;
    return answer(*result, left,
                  "no result after " + std::to_string(request->time_limit_ms) + " ms, in " + where);
  }
  result->times = job->times;
  result->times.total = now_ms() - start;
  if (job->status == FRIT_CC_OK) {
    result->object = reinterpret_cast<unsigned char*>(copy(job->object));
    result->object_size = job->object.size();
    if (!result->object) return answer(*result, FRIT_CC_SYSTEM, "out of memory");
  }
  if (!job->precompiled.empty()) {
    result->precompiled = reinterpret_cast<unsigned char*>(copy(job->precompiled));
    if (result->precompiled) result->precompiled_size = job->precompiled.size();
  }
  return answer(*result, job->status, job->text);
}

void release(frit_cc_result* result) {
  std::free(result->object);
  std::free(result->precompiled);
  std::free(result->text);
  *result = {};
}

const frit_cc_plugin kPlugin = {FRIT_CC_ABI, FRIT_CC_BUILD, LLVM_VERSION_STRING, compile, release};

}  // namespace
}  // namespace frit_cc

extern "C" __attribute__((visibility("default"))) const frit_cc_plugin* frit_cc_entry() {
  return &frit_cc::kPlugin;
}
