#include "ops/families.h"

namespace frit {

void register_views(Registry&) {}

}  // namespace frit
