// Arguments of torch's calls as those of Frit's.
#pragma once
#include "adapters/torch/twins.h"

namespace frit::torch {

// The object with Frit's tensors, dtypes and so on in the place of torch's; null without an
// exception where Frit has nothing of the kind.
Ref as_frit(const Api&, Twins&, PyObject*);

}  // namespace frit::torch
