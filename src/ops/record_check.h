// What every record must satisfy; run by Registry::finish.
#pragma once
#include "ops/record.h"

namespace frit {

// InternalError that names the op and what is missing or contradictory.
void check_record(const OpRecord&);

}  // namespace frit
