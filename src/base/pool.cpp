#include "base/pool.h"

#include <immintrin.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <system_error>
#include <utility>

#include "base/config.h"

namespace frit::detail {

constinit thread_local bool in_region = false;

namespace {

// How long a worker looks for the next job before it sleeps: training steps come closer together.
constexpr auto kSpin = std::chrono::microseconds(200);
constexpr uint64_t kClosed = 0xffffffffu;

// Signals go to the program's own threads.
class BlockSignals {
 public:
  BlockSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

Pool::Pool(int threads) {
  BlockSignals blocked;
  workers_.reserve(static_cast<size_t>(threads - 1));
  try {
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
  } catch (const std::system_error&) {
    notice_once("pool", "the system gave only " + std::to_string(this->threads()) + " of " +
                            std::to_string(threads) + " threads");
  }
}

Pool::~Pool() {
  stop_.store(true);
  job_.fetch_add(1);
  wake(static_cast<int>(workers_.size()));
  for (std::thread& t : workers_) t.join();
}

void Pool::wake(int count) {
  syscall(SYS_futex, &job_, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

uint32_t Pool::wait_for_job(uint32_t last) {
  uint32_t now;
  auto until = std::chrono::steady_clock::now() + kSpin;
  for (int k = 1; (now = job_.load(std::memory_order_acquire)) == last; ++k) {
    _mm_pause();
    if (k % 64 || std::chrono::steady_clock::now() < until) continue;
    // Announced before the last look at job_; the caller writes job_ before it looks for sleepers.
    sleeping_.fetch_add(1);
    while ((now = job_.load()) == last)
      syscall(SYS_futex, &job_, FUTEX_WAIT_PRIVATE, last, nullptr, nullptr, 0);
    sleeping_.fetch_sub(1);
    break;
  }
  return now;
}

void Pool::work(int index) {
  pthread_setname_np(pthread_self(), ("frit-" + std::to_string(index)).c_str());
  in_region = true;
  for (uint32_t job = 0;;) {
    job = wait_for_job(job);
    if (stop_.load()) return;
    drain(job);
  }
}

void Pool::call(ParallelFn fn, int64_t begin, int64_t end, void* ctx) {
  if (failed_.load(std::memory_order_relaxed)) return;
  try {
    fn(begin, end, ctx);
  } catch (...) {
    if (!failed_.exchange(true)) error_ = std::current_exception();
  }
}

void Pool::drain(uint32_t job) {
  for (;;) {
    uint64_t claim = claim_.load(std::memory_order_acquire);
    const int64_t i = static_cast<uint32_t>(claim);
    if (static_cast<uint32_t>(claim >> 32) != job || claim == (uint64_t{job} << 32 | kClosed))
      return;
    // If one of these is a later job's, claim_ was closed before it was written, and the exchange
    // fails.
    if (i >= pieces_.load(std::memory_order_acquire)) return;
    const int64_t n = n_.load(std::memory_order_acquire),
                  piece = piece_.load(std::memory_order_acquire);
    ParallelFn fn = fn_.load(std::memory_order_acquire);
    void* ctx = ctx_.load(std::memory_order_acquire);
    if (!claim_.compare_exchange_weak(claim, claim + 1, std::memory_order_acq_rel)) continue;
    call(fn, i * piece, std::min(n, (i + 1) * piece), ctx);
    done_.fetch_add(1, std::memory_order_release);
  }
}

void Pool::run(int64_t n, int64_t piece, int64_t pieces, ParallelFn fn, void* ctx) {
  const uint32_t job = job_.load(std::memory_order_relaxed) + 1;
  claim_.store(uint64_t{job - 1} << 32 | kClosed, std::memory_order_release);
  fn_.store(fn, std::memory_order_release);
  ctx_.store(ctx, std::memory_order_release);
  n_.store(n, std::memory_order_release);
  piece_.store(piece, std::memory_order_release);
  pieces_.store(pieces, std::memory_order_release);
  done_.store(0, std::memory_order_relaxed);
  claim_.store(uint64_t{job} << 32, std::memory_order_release);
  job_.store(job);
  if (int asleep = sleeping_.load()) wake(std::min<int64_t>(asleep, pieces - 1));

  in_region = true;
  drain(job);
  in_region = false;
  for (int spins = 0; done_.load(std::memory_order_acquire) != pieces;) {
    _mm_pause();
    if (++spins < 2000) continue;
    sched_yield();
    spins = 0;
  }
  if (failed_.load(std::memory_order_relaxed)) [[unlikely]] {
    failed_.store(false);
    std::rethrow_exception(std::exchange(error_, nullptr));
  }
}

Cut cut(int64_t n, int64_t grain, int threads) {
  grain = std::max<int64_t>(grain, 1);
  int64_t pieces = std::min<int64_t>(int64_t{2} * threads, n / grain);
  if (pieces > threads) pieces -= pieces % threads;
  if (pieces < 2) return {n, 1};
  int64_t piece = (n + pieces - 1) / pieces;
  // Long pieces begin on cache lines of any element type, if the data does.
  if (piece >= 1024) piece = (piece + 63) / 64 * 64;
  return {piece, (n + piece - 1) / piece};
}

}  // namespace frit::detail
