// Parallel work on the threads of another runtime of the process: a library whose tensors are
// computed with has threads of its own, and a second set would disturb them.
#pragma once

namespace frit {

struct Team {
  int (*threads)();  // how many it would use now
  // Calls `work` on each of so many threads, the caller among them; returns when all have ended.
  void (*run)(int threads, void (*work)(void*), void* ctx);
};

// While it lives, every parallel_for of this thread runs on the team, and num_threads() is its
// number. Null: on the pool.
class TeamScope {
 public:
  explicit TeamScope(const Team* team);
  ~TeamScope();
  TeamScope(const TeamScope&) = delete;
  TeamScope& operator=(const TeamScope&) = delete;

 private:
  const Team* before_;
};

}  // namespace frit
