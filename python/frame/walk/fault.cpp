#include "frame/walk/fault.h"

#ifdef FRIT_FAULTS
#include <cstdlib>
#include <cstring>
#endif

namespace frit::walk {

#ifdef FRIT_FAULTS
namespace {

constexpr FaultText kFaults[] = {
    {Fault::guard_value, "guard_value", "a value that was looked at may be another one"},
    {Fault::guard_type, "guard_type", "an object may be of another type"},
    {Fault::guard_length, "guard_length", "a container may have another length"},
    {Fault::guard_keys, "guard_keys", "a dict may have other keys"},
    {Fault::guard_absent, "guard_absent", "what was missed may be there"},
    {Fault::guard_alias, "guard_alias", "one object may be two, and two may be one"},
    {Fault::guard_number, "guard_number", "an expression of sizes that was looked at is not fixed"},
    {Fault::effect_lost, "effect_lost", "the last effect of an entry is not done again"},
    {Fault::effect_twice, "effect_twice", "the first effect of an entry is done twice"},
    {Fault::effect_order, "effect_order", "effects are done again from the last to the first"},
    {Fault::stale_source, "stale_source", "what is read after it was stored is what was there"},
    {Fault::exit_stack, "exit_stack", "the value stack is left the other way round"},
    {Fault::exit_local, "exit_local", "the last local variable is left as it was"},
    {Fault::exit_iterator, "exit_iterator", "an iterator is left at its beginning"},
    {Fault::split_object, "split_object", "an object that two places share is made for each"},
    {Fault::tensor_order, "tensor_order", "two tensors an entry has computed are exchanged"},
    {Fault::swallowed, "swallowed", "an exception that leaves a walked function is None"},
    {Fault::traceback_line, "traceback_line", "a traceback is one line off"},
};

Fault planted() {
  static const Fault f = [] {
    const char* name = std::getenv("FRIT_PYTHON_FAULT");
    for (const FaultText& t : kFaults)
      if (name && std::strcmp(name, t.name) == 0) return t.fault;
    return Fault::none;
  }();
  return f;
}

}  // namespace

std::span<const FaultText> faults() { return kFaults; }
bool fault(Fault f) { return planted() == f; }
#else
std::span<const FaultText> faults() { return {}; }
#endif

}  // namespace frit::walk
