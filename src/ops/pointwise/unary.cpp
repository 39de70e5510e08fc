#include "ops/families.h"

namespace frit {

void register_unary(Registry&) {}

}  // namespace frit
