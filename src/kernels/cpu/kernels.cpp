// Which kernel computes a call.
#include "kernels/cpu/kernels.h"

#include "base/error.h"
#include "kernels/cpu/kinds.h"

namespace frit::kernels {

void run(KernelCall& call) {
  if (call.record.kernel) return call.record.kernel(call);
  switch (call.record.kind) {
    case Kind::pointwise:
      return pointwise(call);
    case Kind::reduction:
      return reduction(call);
    case Kind::random:
      return random(call);
    case Kind::creation:
      return creation(call);
    case Kind::copy:
      return copying(call);
    case Kind::view:
    case Kind::matmul:
    case Kind::index:
    case Kind::composite:
    case Kind::library:
    case Kind::host:
      break;
  }
  throw InternalError("no kernel for " + call.record.full_name);
}

}  // namespace frit::kernels
