// The vector header: everything, in the order in which its text is given to generated code.
#pragma once

// clang-format off
#include "vec/types.h"
#include "vec/raw.h"
#include "vec/half.h"
#include "vec/convert.h"
#include "vec/memory.h"
#include "vec/basic.h"
#include "vec/loop.h"
#include "vec/exp_log.h"
#include "vec/trig.h"
#include "vec/special.h"
#include "vec/integer.h"
#include "vec/reduce.h"
#include "vec/random.h"
#include "vec/transpose.h"
#include "vec/bodies.h"
#include "vec/abi.h"
