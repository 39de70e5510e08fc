#include "ops/families.h"

namespace frit {

void register_random(Registry&) {}

}  // namespace frit
