#include "ops/families.h"

namespace frit {

void register_comparisons(Registry&) {}

}  // namespace frit
