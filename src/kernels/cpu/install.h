// Kernels that are an op's own, family by family.
#pragma once
#include "ops/record.h"

namespace frit::kernels {

void install_matmul(Registry&);
void install_nn(Registry&);
void install_index(Registry&);
void install_library(Registry&);

}  // namespace frit::kernels
