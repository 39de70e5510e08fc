#include "ops/families.h"

namespace frit {

void register_creation(Registry&) {}

}  // namespace frit
