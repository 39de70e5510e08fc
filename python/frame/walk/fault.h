// Faults that can be planted in the walk, to see that its fuzzer finds them: by
// FRIT_PYTHON_FAULT=name, in builds with FRIT_FAULTS.
#pragma once
#include <cstdint>
#include <span>

namespace frit::walk {

enum class Fault : uint8_t {
  none,
  // guards
  guard_value,
  guard_type,
  guard_length,
  guard_keys,
  guard_absent,
  guard_alias,
  guard_number,
  // effects
  effect_lost,
  effect_twice,
  effect_order,
  stale_source,
  // what an entry leaves
  exit_stack,
  exit_local,
  exit_iterator,
  split_object,
  tensor_order,
  // exceptions
  swallowed,
  traceback_line,
};

struct FaultText {
  Fault fault;
  const char* name;
  const char* what;
};
// All that this build can plant.
std::span<const FaultText> faults();

#ifdef FRIT_FAULTS
bool fault(Fault);
#else
constexpr bool fault(Fault) { return false; }
#endif

}  // namespace frit::walk
