#include "ops/families.h"

namespace frit {

void register_view_composites(Registry&) {}

}  // namespace frit
