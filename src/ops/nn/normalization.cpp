#include "ops/families.h"

namespace frit {

void register_normalization(Registry&) {}

}  // namespace frit
