// The pool's inside. One job at a time; its pieces are claimed by counting up one word that holds
// the job's number as well, so a worker that comes late finds another number and can claim nothing
// of a job that is over. The caller claims pieces too and waits only for pieces that somebody has
// claimed: a worker that sleeps, or that the system has put aside, costs nothing.
#pragma once
#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include "base/parallel.h"

namespace frit::detail {

// Set in workers, and in a caller while it computes pieces itself.
extern constinit thread_local bool in_region;

class Pool {
 public:
  explicit Pool(int threads);  // starts threads - 1 workers, or as many as the system gives
  ~Pool();                     // no job may be running
  int threads() const { return static_cast<int>(workers_.size()) + 1; }
  // For one caller at a time. `pieces` is at least 2.
  void run(int64_t n, int64_t piece, int64_t pieces, ParallelFn fn, void* ctx);

 private:
  void work(int index);
  void drain(uint32_t job);
  void call(ParallelFn fn, int64_t begin, int64_t end, void* ctx);
  uint32_t wait_for_job(uint32_t last);
  void wake(int count);

  std::vector<std::thread> workers_;
  // Job number in the upper half, next piece in the lower.
  alignas(64) std::atomic<uint64_t> claim_{0};
  // What workers wait on; also the futex word.
  alignas(64) std::atomic<uint32_t> job_{0};
  alignas(64) std::atomic<int64_t> done_{0};
  alignas(64) std::atomic<int> sleeping_{0};
  // The job. Written only while claim_ is closed; a reader checks by its claim that they are one
  // job's.
  alignas(64) std::atomic<ParallelFn> fn_{nullptr};
  std::atomic<void*> ctx_{nullptr};
  std::atomic<int64_t> n_{0}, piece_{0}, pieces_{0};
  std::atomic<bool> stop_{false};
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;  // written by whoever set failed_, read after all pieces are done
};

// How n elements are cut: pieces of at least `grain`, as many on each thread.
struct Cut {
  int64_t piece, pieces;
};
Cut cut(int64_t n, int64_t grain, int threads);

}  // namespace frit::detail
