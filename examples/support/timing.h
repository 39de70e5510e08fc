// Times and their medians.
#pragma once
#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace support {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class F>
double seconds(F&& fn) {
  const double begin = now();
  fn();
  return now() - begin;
}

inline double median(std::vector<double> values) {
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Seconds of one call, over a round that lasts at least this long.
template <class F>
double seconds_a_call(F&& fn, double at_least) {
  for (long count = 1;; count *= 2) {
    const double taken = seconds([&] {
      for (long i = 0; i < count; ++i) fn();
    });
    if (taken >= at_least) return taken / static_cast<double>(count);
    // Nearly enough calls at once, so that most of the time is spent on the round that counts.
    if (taken > 0)
      count =
          std::max(count, static_cast<long>(static_cast<double>(count) * at_least / taken * 0.55));
  }
}

// How fast this machine is at the moment, in nanoseconds: a loop of dependent multiplications that
// every figure of a benchmark may be divided by.
inline double machine_scale_ns() {
  std::vector<double> rounds;
  for (int round = 0; round < 7; ++round) {
    volatile double start = 1.0000001;
    double x = start;
    const double taken = seconds([&] {
      for (int i = 0; i < 100000; ++i) x = x * 1.0000001 + 1e-9;
    });
    start = x;
    rounds.push_back(taken * 1e9 / 100000);
  }
  return *std::min_element(rounds.begin(), rounds.end());
}

}  // namespace support
