// Kernels that are an op's own, family by family.
#pragma once
#include "ops/record.h"

namespace frit::kernels {

// Gives the records their kernels; once, before the first op runs. Any thread, any number of times.
void install();

void install_matmul(Registry&);

}  // namespace frit::kernels
