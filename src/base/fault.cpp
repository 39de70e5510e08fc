#include "base/fault.h"

#include <atomic>

namespace frit {

#ifdef FRIT_FAULTS
namespace {

std::atomic<Fault> planted{Fault::none};

constexpr FaultText kFaults[] = {
    {Fault::guard_size, "guard_size", "a fixed size of an input is not compared"},
    {Fault::guard_condition, "guard_condition",
     "what the program asked of sizes is not asked again"},
    {Fault::guard_dtype, "guard_dtype", "the dtype of an input is not compared"},
    {Fault::guard_requires_grad, "guard_requires_grad",
     "requires_grad of an input is not compared"},
    {Fault::guard_grad_mode, "guard_grad_mode", "the grad mode is not compared"},
    {Fault::guard_stride, "guard_stride", "strides of an input are not compared"},
    {Fault::guard_identity, "guard_identity", "one tensor given twice is taken for two"},
    {Fault::guard_sharing, "guard_sharing", "inputs that come to overlap are not noticed"},
    {Fault::version_bump, "version_bump", "a write to an input does not raise its version"},
    {Fault::lost_write_back, "lost_write_back", "a write through a view does not reach the input"},
    {Fault::stale_alias, "stale_alias", "after a write, other aliases keep their old values"},
    {Fault::view_of_wrong_base, "view_of_wrong_base", "a view of a view is derived from the base"},
    {Fault::view_offset, "view_offset", "the offset of a view of a view is that of its last step"},
    {Fault::write_order, "write_order",
     "a write through a view begins from what the input held at first"},
    {Fault::random_offset, "random_offset", "every random op of a graph draws the same words"},
    {Fault::random_advance, "random_advance",
     "the generator moves on by one block, whatever a graph draws"},
    {Fault::cse_scalars, "cse_scalars", "ops that differ in a number count as equal"},
    {Fault::dead_check, "dead_check", "an unused op that may raise is dropped"},
    {Fault::gradient_accumulation, "gradient_accumulation",
     "the last gradient of a value counts alone"},
    {Fault::saved_value, "saved_value",
     "the backward pass gets its saved values in the wrong order"},
    {Fault::no_grad_region, "no_grad_region", "gradients flow through what ran under NoGrad"},
    {Fault::broadcast, "broadcast", "an operand is broadcast along the wrong dimension"},
    {Fault::reduction_identity, "reduction_identity", "maxima begin at zero"},
    {Fault::early_write_back, "early_write_back", "an input is overwritten before its last reader"},
    {Fault::memory_reuse, "memory_reuse", "a buffer is given away one step too early"},
    {Fault::vector_tail, "vector_tail", "the last elements that fill no vector are left out"},
    {Fault::shared_nest, "shared_nest",
     "loops that differ in an index or a number share their code"},
};

}  // namespace

std::span<const FaultText> faults() { return kFaults; }
void plant(Fault f) { planted.store(f, std::memory_order_relaxed); }
bool fault(Fault f) { return planted.load(std::memory_order_relaxed) == f; }
#else
std::span<const FaultText> faults() { return {}; }
void plant(Fault) {}
#endif

}  // namespace frit
