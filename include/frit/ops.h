// Every op as a function: frit::add(x, y), frit::relu_(x), frit::add_out(result, x, y).
//
// The names, arguments and defaults are PyTorch's. Lists of sizes and dims take {2, -1}; where an
// optional tensor is meant, an undefined Tensor. Layout, device and memory format are left out:
// Frit has one of each. The last parameter is the place of the call, for errors: leave it alone.
#pragma once
#include "frit/ops/functional.h"
#include "frit/ops/inplace.h"
#include "frit/ops/out.h"
