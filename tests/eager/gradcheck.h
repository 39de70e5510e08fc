// Gradients against central differences, in float64. Each check gives "" or says what is wrong.
#pragma once
#include <frit/autograd.h>

#include <functional>
#include <string>

#include "ops/record.h"

namespace frit::test {

// Differentiable outputs from inputs; run many times, so it must give the same each time.
using GradFunction = std::function<TensorList(const TensorList&)>;

struct GradcheckOptions {
  double step = 1e-6;
  double relative = 1e-4, absolute = 1e-6;
};

// Inputs that are float64 and require gradients are checked, each element of each.
std::string gradcheck(const GradFunction& fn, const TensorList& inputs, GradcheckOptions = {});
// The gradient of the gradient.
std::string gradgradcheck(const GradFunction& fn, const TensorList& inputs, GradcheckOptions = {});

// An op called with these arguments, as a function of its float64 tensor arguments.
struct RecordCall {
  GradFunction fn;
  TensorList inputs;
};
RecordCall as_function(const OpRecord& record, ArgList args);

}  // namespace frit::test
