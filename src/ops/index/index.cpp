#include "ops/families.h"

namespace frit {

void register_index(Registry&) {}

}  // namespace frit
