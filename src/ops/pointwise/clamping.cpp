#include "ops/families.h"

namespace frit {

void register_clamping(Registry&) {}

}  // namespace frit
