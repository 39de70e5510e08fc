#include "ops/families.h"

namespace frit {

void register_integer_ops(Registry&) {}

}  // namespace frit
