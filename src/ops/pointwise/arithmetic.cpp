#include "ops/families.h"

namespace frit {

void register_arithmetic(Registry&) {}

}  // namespace frit
