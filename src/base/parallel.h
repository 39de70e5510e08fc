// The one thread pool. Eager kernels, generated kernels and the compiler's own work share it,
// because two pools in a process disturb each other.
#pragma once
#include <cstdint>
#include <memory>
#include <type_traits>

namespace frit {

using ParallelFn = void (*)(int64_t begin, int64_t end, void* ctx);

// Calls fn on pieces of [0, n) that cover it once, each of at least `grain` elements but the last,
// on several threads where n > grain, and returns when all are done. Where the pieces lie depends
// on the number of threads: results must not. Within a piece of a parallel_for it is a plain loop.
// The first exception thrown by fn is thrown here once the pieces already begun have ended; the
// others are dropped. A process may fork at any time but from within a piece: the child starts with
// a pool of its own.
void parallel_for(int64_t n, int64_t grain, ParallelFn fn, void* ctx);

// The same for any callable (int64_t begin, int64_t end).
template <class F>
void parallel_for(int64_t n, int64_t grain, F&& fn) {
  using Fn = std::remove_reference_t<F>;
  parallel_for(
      n, grain, [](int64_t b, int64_t e, void* ctx) { (*static_cast<Fn*>(ctx))(b, e); },
      const_cast<void*>(static_cast<const void*>(std::addressof(fn))));
}

// Threads that work on a parallel_for, the caller included. The first of: set_num_threads,
// FRIT_NUM_THREADS, OMP_NUM_THREADS, and the processors this process may use (affinity and cgroup
// quota).
int num_threads();
// UserError unless 1 <= n <= 1024. Waits for a parallel_for that is running in another thread;
// inside one it is a UserError.
void set_num_threads(int n);
// What num_threads() is where nobody asks for a number.
int available_processors();

// Whether the calling thread is inside a piece of a parallel_for.
bool in_parallel_region();

}  // namespace frit
