// Faults that can be planted in the compiler, to see that the fuzzer finds them. Builds without
// FRIT_FAULTS have none: fault() is false there when the compiler runs.
#pragma once
#include <cstdint>
#include <span>

namespace frit {

enum class Fault : uint8_t {
  none,
  // guards
  guard_size,
  guard_condition,
  guard_dtype,
  guard_requires_grad,
  guard_grad_mode,
  guard_stride,
  guard_identity,
  guard_sharing,
  // recording
  version_bump,
  lost_write_back,
  stale_alias,
  view_of_wrong_base,
  view_offset,
  write_order,
  random_offset,
  random_advance,
  // passes and gradients
  cse_scalars,
  dead_check,
  gradient_accumulation,
  saved_value,
  no_grad_region,
  // loops and code
  broadcast,
  reduction_identity,
  early_write_back,
  memory_reuse,
  vector_tail,
  shared_nest,
};

struct FaultText {
  Fault fault;
  const char* name;
  const char* what;
};
// All that this build can plant.
std::span<const FaultText> faults();
// Plants it alone; Fault::none takes it out.
void plant(Fault);

#ifdef FRIT_FAULTS
bool fault(Fault);
#else
constexpr bool fault(Fault) { return false; }
#endif

}  // namespace frit
