#include "ops/families.h"

namespace frit {

void register_norms(Registry&) {}

}  // namespace frit
