#include "ops/families.h"

namespace frit {

void register_reductions(Registry&) {}

}  // namespace frit
