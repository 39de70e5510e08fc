#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

#include "base/config.h"
#include "base/error.h"
#include "base/pool.h"
#include "base/processors.h"
#include "base/team.h"

namespace frit {
namespace {

constexpr int kMostThreads = 1024;

// The pool is made by the first parallel_for that needs it and never destroyed at exit: other
// threads may still be computing then.
constinit std::atomic<detail::Pool*> pool{nullptr};
constinit std::atomic<int> wanted{0};  // 0: not decided yet
constinit std::atomic<bool> busy{false};
constinit thread_local const Team* t_team = nullptr;

// A forked child has none of the workers. What the parent's pool holds is left alone.
void after_fork_in_child() {
  pool.store(nullptr);
  busy.store(false);
}

class Busy {
 public:
  Busy() : mine_(!busy.exchange(true, std::memory_order_acquire)) {}
  ~Busy() {
    if (mine_) busy.store(false, std::memory_order_release);
  }
  explicit operator bool() const { return mine_; }

 private:
  bool mine_;
};

int checked(std::string_view name, long n) {
  if (n >= 1 && n <= kMostThreads) return static_cast<int>(n);
  throw UserError(ErrorKind::value, name,
                  "is " + std::to_string(n) + ", expected a number of threads from 1 to " +
                      std::to_string(kMostThreads) + ".");
}

// Other libraries' variable, which may hold a list ("4,2", one a nesting level): faults are only
// noticed.
int openmp_threads() {
  auto text = env("OMP_NUM_THREADS");
  if (!text) return 0;
  int n = 0;
  auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), n);
  if (error == std::errc() && (*end == '\0' || *end == ',') && n >= 1 && n <= kMostThreads)
    return n;
  notice_once("OMP_NUM_THREADS", "OMP_NUM_THREADS=" + *text + " is no number of threads; ignored");
  return 0;
}

int decide() {
  if (auto n = env_int("FRIT_NUM_THREADS")) return checked("FRIT_NUM_THREADS", *n);
  if (int n = openmp_threads()) return n;
  return available_processors();
}

detail::Pool& make_pool(int threads) {
  static const int registered = pthread_atfork(nullptr, nullptr, &after_fork_in_child);
  (void)registered;
  auto* fresh = new detail::Pool(threads);
  pool.store(fresh, std::memory_order_release);
  return *fresh;
}

// Pieces are taken by whoever is free; the first exception is thrown here.
void run_on(const Team& team, int threads, int64_t n, const detail::Cut& cut, ParallelFn fn,
            void* ctx) {
  struct Work {
    int64_t n;
    const detail::Cut& cut;
    ParallelFn fn;
    void* ctx;
    std::atomic<int64_t> next{0};
    std::mutex mutex;
    std::exception_ptr failed;
  } work{n, cut, fn, ctx, {}, {}, {}};
  auto some = [](void* given) {
    Work& w = *static_cast<Work*>(given);
    const bool before = std::exchange(detail::in_region, true);
    for (int64_t i; (i = w.next.fetch_add(1, std::memory_order_relaxed)) < w.cut.pieces;) {
      try {
        w.fn(i * w.cut.piece, std::min(w.n, (i + 1) * w.cut.piece), w.ctx);
      } catch (...) {
        std::lock_guard lock(w.mutex);
        if (!w.failed) w.failed = std::current_exception();
        w.next.store(w.cut.pieces, std::memory_order_relaxed);
      }
    }
    detail::in_region = before;
  };
  team.run(static_cast<int>(std::min<int64_t>(threads, cut.pieces)), some, &work);
  if (work.failed) std::rethrow_exception(work.failed);
}

}  // namespace

TeamScope::TeamScope(const Team* team) : before_(std::exchange(t_team, team)) {}
TeamScope::~TeamScope() { t_team = before_; }

int num_threads() {
  if (t_team) return std::clamp(t_team->threads(), 1, kMostThreads);
  int n = wanted.load(std::memory_order_relaxed);
  if (n) return n;
  int decided = decide();
  // Another thread may have set a number meanwhile; its word counts.
  return wanted.compare_exchange_strong(n, decided) ? decided : n;
}

void set_num_threads(int n) {
  checked("set_num_threads", n);
  if (detail::in_region)
    throw UserError(ErrorKind::runtime, "set_num_threads", "was called inside a parallel_for.",
                    "call it before");
  for (;;) {
    Busy mine;
    if (!mine) {
      sched_yield();
      continue;
    }
    wanted.store(n);
    if (detail::Pool* p = pool.load(); p && p->threads() != n) {
      pool.store(nullptr);
      delete p;
    }
    return;
  }
}

int available_processors() {
  static const int n = detail::available_processors();
  return n;
}

bool in_parallel_region() { return detail::in_region; }

void parallel_for(int64_t n, int64_t grain, ParallelFn fn, void* ctx) {
  if (n <= 0) return;
  if (n <= grain || detail::in_region) return fn(0, n, ctx);
  const int threads = num_threads();
  const detail::Cut pieces = detail::cut(n, grain, threads);
  if (threads == 1 || pieces.pieces < 2) return fn(0, n, ctx);
  if (t_team) return run_on(*t_team, threads, n, pieces, fn, ctx);
  Busy mine;
  if (!mine)
    return fn(0, n, ctx);  // another thread has the pool: waiting for it would gain nothing
  detail::Pool* p = pool.load(std::memory_order_acquire);
  if (!p) p = &make_pool(num_threads());  // set_num_threads may have come before us
  p->run(n, pieces.piece, pieces.pieces, fn, ctx);
}

}  // namespace frit
