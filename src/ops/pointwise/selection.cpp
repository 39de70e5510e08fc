#include "ops/families.h"

namespace frit {

void register_selection(Registry&) {}

}  // namespace frit
