#include "ops/families.h"

namespace frit {

void register_copy(Registry&) {}

}  // namespace frit
