// All of Frit, for programs.
#pragma once
#include <frit/autograd.h>
#include <frit/compile.h>
#include <frit/debug.h>
#include <frit/indexing.h>
#include <frit/io.h>
#include <frit/nn.h>
#include <frit/ops.h>
#include <frit/optim.h>
#include <frit/print.h>
#include <frit/tensor.h>

#include "base/error.h"      // UserError, InternalError
#include "base/parallel.h"   // set_num_threads, num_threads
#include "core/allocator.h"  // empty_cache, allocator_stats
#include "core/generator.h"  // manual_seed, Generator
