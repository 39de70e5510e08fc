// The random generator: Philox 4x32-10. An op takes (seed, offset) and advances the offset by
// ceil(words / 4); element i takes word i of that stream, whatever the vector width or threads.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <source_location>

#include "sym/int.h"

namespace frit {

struct PhiloxState {
  uint64_t seed = 0;
  uint64_t offset = 0;  // in blocks of four 32-bit words
  bool operator==(const PhiloxState&) const = default;
};

class Generator {
 public:
  explicit Generator(uint64_t seed = 0x5eed) : state_{seed, 0} {}
  PhiloxState state() const;
  void set_state(PhiloxState, std::source_location where = std::source_location::current());
  void manual_seed(uint64_t seed, std::source_location where = std::source_location::current()) {
    set_state({seed, 0}, where);
  }
  // The state for an op that uses `words` words; the offset moves on past them.
  PhiloxState take(uint64_t words);
  void advance(uint64_t blocks);
  uint64_t id() const { return id_; }  // never reused

 private:
  static uint64_t next_id();
  mutable std::mutex mutex_;
  PhiloxState state_;
  uint64_t id_ = next_id();
};

// The process's generator, used where an op is given none.
const std::shared_ptr<Generator>& default_generator();
void manual_seed(uint64_t seed, std::source_location where = std::source_location::current());

}  // namespace frit
