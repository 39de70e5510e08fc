// The threads that torch computes with.
#pragma once
#include "base/team.h"

namespace frit::torch {

// Null where torch was built without OpenMP.
const Team* openmp_team();

}  // namespace frit::torch
