#include "ops/families.h"

namespace frit {

void register_matmul(Registry&) {}

}  // namespace frit
