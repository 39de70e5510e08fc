#include "base/parallel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/pool.h"
#include "base/processors.h"
#include "base/small_lock.h"
#include "base/team.h"

namespace frit {
namespace {

TEST(SmallLock, OneThreadAtATime) {
  SmallLock lock;
  int64_t count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20000; ++i) {
        std::lock_guard held(lock);
        ++count;
        if (i % 5000 == 0) std::this_thread::yield();
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(count, 80000);
}

// Restores the number of threads at the end of a test.
struct Threads {
  int before = num_threads();
  explicit Threads(int n) { set_num_threads(n); }
  ~Threads() { set_num_threads(before); }
};

int64_t covered(int64_t n, int64_t grain) {
  std::vector<int> hits(static_cast<size_t>(n));
  parallel_for(n, grain, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) ++hits[static_cast<size_t>(i)];
  });
  for (int h : hits)
    if (h != 1) return -1;
  return std::accumulate(hits.begin(), hits.end(), int64_t{0});
}

// Another runtime's threads.
int g_team_threads = 3;
std::atomic<int> g_team_runs{0};
const Team kTeam{[] { return g_team_threads; },
                 [](int threads, void (*work)(void*), void* ctx) {
                   ++g_team_runs;
                   std::vector<std::thread> others;
                   for (int i = 1; i < threads; ++i) others.emplace_back(work, ctx);
                   work(ctx);
                   for (std::thread& t : others) t.join();
                 }};

TEST(Parallel, WorkRunsOnTheTeamOfItsScope) {
  Threads t(2);
  const int before = g_team_runs;
  {
    const TeamScope scope(&kTeam);
    EXPECT_EQ(num_threads(), 3);
    EXPECT_EQ(covered(10000, 100), 10000);
    EXPECT_EQ(g_team_runs, before + 1);
    parallel_for(4, 1, [&](int64_t, int64_t) {
      EXPECT_TRUE(in_parallel_region());
      covered(1000, 1);  // within a piece: a plain loop
    });
    EXPECT_EQ(g_team_runs, before + 2);
    EXPECT_FALSE(in_parallel_region());
    EXPECT_THROW(parallel_for(1000, 1, [](int64_t, int64_t) { throw std::runtime_error("it"); }),
                 std::runtime_error);
    {
      const TeamScope none(nullptr);
      EXPECT_EQ(num_threads(), 2);
    }
  }
  EXPECT_EQ(num_threads(), 2);
  EXPECT_EQ(covered(10000, 100), 10000);
  EXPECT_EQ(g_team_runs, before + 3);
}

TEST(Parallel, CoversEveryElementOnce) {
  for (int threads : {1, 2, 3, 7}) {
    Threads t(threads);
    for (int64_t n : {0, 1, 2, 3, 7, 64, 1000, 1023, 4097, 100000})
      for (int64_t grain : {0, 1, 2, 100, 5000})
        EXPECT_EQ(covered(n, grain), n) << n << " " << grain;
  }
}

TEST(Parallel, CutGivesEveryThreadAsMuch) {
  using detail::cut;
  EXPECT_EQ(cut(100, 100, 4).pieces, 1);
  EXPECT_EQ(cut(80000, 32768, 2).pieces, 2);
  EXPECT_EQ(cut(80000, 32768, 2).piece, 40000);
  EXPECT_EQ(cut(100, 1, 4).pieces, 8);
  for (int64_t n : {2, 3, 1000, 99999, 1 << 20})
    for (int64_t grain : {1, 3, 512})
      for (int threads : {2, 3, 8}) {
        auto c = cut(n, grain, threads);
        EXPECT_GE(c.piece * c.pieces, n);
        EXPECT_LT(c.piece * (c.pieces - 1), n);
        EXPECT_LE(c.pieces, 2 * threads);
        EXPECT_GE(c.piece, std::min(grain, n));
      }
}

TEST(Parallel, CarriesTheFirstException) {
  Threads t(4);
  for (int round = 0; round < 100; ++round) {
    try {
      parallel_for(1000, 1, [](int64_t b, int64_t) {
        throw UserError(ErrorKind::index, "take",
                        "index " + std::to_string(b) + " is out of range.");
      });
      FAIL() << "nothing was thrown";
    } catch (const UserError& e) {
      EXPECT_THAT(e.what(), ::testing::HasSubstr("[take] index "));
    }
    EXPECT_EQ(covered(1000, 1), 1000);  // the pool is as good as new
    EXPECT_FALSE(in_parallel_region());
  }
}

TEST(Parallel, CarriesOneExceptionOfOnePiece) {
  Threads t(2);
  std::atomic<int> done{0};
  EXPECT_THROW(parallel_for(4, 1,
                            [&](int64_t b, int64_t) {
                              if (b == 3) throw std::runtime_error("piece 3");
                              ++done;
                            }),
               std::runtime_error);
  EXPECT_EQ(done, 3);
}

TEST(Parallel, InsideAPieceItIsAPlainLoop) {
  Threads t(3);
  std::atomic<int64_t> sum{0};
  std::atomic<int> pieces{0};
  parallel_for(64, 1, [&](int64_t b, int64_t e) {
    EXPECT_TRUE(in_parallel_region());
    for (int64_t i = b; i < e; ++i)
      parallel_for(100, 1, [&](int64_t b2, int64_t e2) {
        EXPECT_EQ(b2, 0);
        EXPECT_EQ(e2, 100);
        ++pieces;
        for (int64_t j = b2; j < e2; ++j) sum += j;
      });
  });
  EXPECT_EQ(pieces, 64);
  EXPECT_EQ(sum, 64 * 4950);
}

TEST(Parallel, ManyShortRegions) {
  Threads t(4);
  std::vector<int64_t> data(256);
  for (int round = 0; round < 20000; ++round)
    parallel_for(256, 16, [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) data[static_cast<size_t>(i)] += i;
    });
  for (int64_t i = 0; i < 256; ++i) EXPECT_EQ(data[static_cast<size_t>(i)], 20000 * i);
}

TEST(Parallel, WorkersThatSleepAreWoken) {
  Threads t(2);
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::atomic<int> arrived{0};
    // Each piece waits for the other, so both threads must take part.
    parallel_for(2, 1, [&](int64_t, int64_t) {
      ++arrived;
      while (arrived != 2) std::this_thread::yield();
    });
  }
}

TEST(Parallel, SeveralCallersAtOnce) {
  Threads t(3);
  std::atomic<int64_t> total{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&] {
      for (int round = 0; round < 500; ++round)
        parallel_for(1000, 10, [&](int64_t b, int64_t e) { total += e - b; });
    });
  for (int round = 0; round < 20; ++round) set_num_threads(2 + round % 3);
  for (std::thread& c : callers) c.join();
  EXPECT_EQ(total, 4 * 500 * 1000);
}

TEST(Parallel, AForkedChildHasAPoolOfItsOwn) {
  Threads t(3);
  EXPECT_EQ(covered(1000, 1), 1000);
  for (int round = 0; round < 3; ++round) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      bool good = num_threads() == 3 && covered(1000, 1) == 1000 && covered(50000, 10) == 50000;
      _exit(good ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_EQ(covered(1000, 1), 1000);
  }
}

TEST(Parallel, AForkWhileAnotherThreadComputes) {
  Threads t(2);
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) parallel_for(100, 1, [](int64_t, int64_t) {});
  });
  for (int round = 0; round < 5; ++round) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) _exit(covered(5000, 1) == 5000 ? 0 : 1);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  stop = true;
  busy.join();
}

std::string message(void (*call)()) {
  try {
    call();
  } catch (const UserError& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(Parallel, BadNumbersOfThreads) {
  EXPECT_EQ(message([] { set_num_threads(0); }),
            "[set_num_threads] is 0, expected a number of threads from 1 to 1024.");
  EXPECT_EQ(message([] { set_num_threads(5000); }),
            "[set_num_threads] is 5000, expected a number of threads from 1 to 1024.");
  Threads t(2);
  EXPECT_EQ(message([] { parallel_for(2, 1, [](int64_t, int64_t) { set_num_threads(2); }); }),
            "[set_num_threads] was called inside a parallel_for.\n  try: call it before");
}

// What a fresh process decides; the exit code of a death test's child carries it.
int threads_with(const char* frit, const char* omp) {
  pid_t child = fork();
  if (child == 0) {
    close(1);
    frit ? setenv("FRIT_NUM_THREADS", frit, 1) : unsetenv("FRIT_NUM_THREADS");
    omp ? setenv("OMP_NUM_THREADS", omp, 1) : unsetenv("OMP_NUM_THREADS");
    execl("/proc/self/exe", "test_base", "--gtest_filter=Parallel.DISABLED_ExitWithThreads",
          "--gtest_also_run_disabled_tests", static_cast<char*>(nullptr));
    _exit(255);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Parallel, DISABLED_ExitWithThreads) {
  try {
    _exit(num_threads());
  } catch (const UserError&) {
    _exit(200);
  }
}

TEST(Parallel, TheEnvironmentChoosesTheNumber) {
  EXPECT_EQ(threads_with("5", "3"), 5);
  EXPECT_EQ(threads_with(nullptr, "3"), 3);
  EXPECT_EQ(threads_with(nullptr, "3,2"), 3);
  EXPECT_EQ(threads_with("0", nullptr), 200);
  EXPECT_EQ(threads_with("many", nullptr), 200);
  EXPECT_EQ(threads_with(nullptr, "none"), std::min(available_processors(), 255));
  EXPECT_EQ(threads_with(nullptr, nullptr), std::min(available_processors(), 255));
}

TEST(Parallel, QuotaOfTheGroup) {
  using detail::processors_of_quota;
  EXPECT_EQ(processors_of_quota("max 100000\n"), std::nullopt);
  EXPECT_EQ(processors_of_quota(""), std::nullopt);
  EXPECT_EQ(processors_of_quota("-1\n 100000\n"), std::nullopt);
  EXPECT_EQ(processors_of_quota("200000 100000\n"), 2);
  EXPECT_EQ(processors_of_quota("250000 100000\n"), 2);
  EXPECT_EQ(processors_of_quota("50000 100000\n"), 1);
  EXPECT_GE(available_processors(), 1);
}

}  // namespace
}  // namespace frit
