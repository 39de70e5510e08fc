#include "ops/families.h"

namespace frit {

void register_losses(Registry&) {}

}  // namespace frit
