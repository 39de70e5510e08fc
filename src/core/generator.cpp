#include "core/generator.h"

#include <atomic>

#include "base/location.h"
#include "core/state.h"

namespace frit {

uint64_t Generator::next_id() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

PhiloxState Generator::state() const {
  std::lock_guard lock(mutex_);
  return state_;
}

void Generator::set_state(PhiloxState s, std::source_location where) {
  if (recording()) [[unlikely]]
    t_state.observer->changing_state("seeding a generator", "seed before the compiled call",
                                     located(where));
  std::lock_guard lock(mutex_);
  state_ = s;
}

PhiloxState Generator::take(uint64_t words) {
  std::lock_guard lock(mutex_);
  PhiloxState before = state_;
  state_.offset += (words + 3) / 4;
  return before;
}

void Generator::advance(uint64_t blocks) {
  std::lock_guard lock(mutex_);
  state_.offset += blocks;
}

const std::shared_ptr<Generator>& default_generator() {
  static const auto* g = new std::shared_ptr<Generator>(std::make_shared<Generator>());
  return *g;
}

void manual_seed(uint64_t seed, std::source_location where) {
  default_generator()->manual_seed(seed, where);
}

}  // namespace frit
