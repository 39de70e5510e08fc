#include "ops/families.h"

namespace frit {

void register_activations(Registry&) {}

}  // namespace frit
