// Adam (Kingma and Ba, 2015) and AdamW (Loshchilov and Hutter, 2019), with PyTorch's order of
// operations: denominator sqrt(v) / sqrt(1 - beta2^t) + eps, step size lr / (1 - beta1^t).
#include <frit/ops.h>
#include <frit/optim.h>

#include "base/location.h"

namespace frit::optim {

Adam::Adam(const char* name, TensorList params, AdamOptions options, bool decoupled,
           std::source_location where)
    : Optimizer(name), options_(options), decoupled_(decoupled) {
  LocationScope place{SourceLocation(where)};
  auto fail = [&](std::string what, std::string hint) {
    throw UserError(ErrorKind::value, name, std::move(what), std::move(hint), located({}));
  };
  if (!(options.eps >= 0))
    fail("Invalid epsilon value: " + std::to_string(options.eps), "0 or more");
  if (!(options.beta1 >= 0 && options.beta1 < 1))
    fail("Invalid beta parameter at index 0: " + std::to_string(options.beta1), "in [0, 1)");
  if (!(options.beta2 >= 0 && options.beta2 < 1))
    fail("Invalid beta parameter at index 1: " + std::to_string(options.beta2), "in [0, 1)");
  if (!(options.weight_decay >= 0))
    fail("Invalid weight_decay value: " + std::to_string(options.weight_decay), "0 or more");
  add_group(std::move(params), options.lr);
}

Adam::Adam(TensorList params, AdamOptions options, std::source_location where)
    : Adam("Adam", std::move(params), options, false, where) {}
AdamW::AdamW(TensorList params, AdamWOptions o, std::source_location where)
    : Adam("AdamW", std::move(params), {o.lr, o.beta1, o.beta2, o.eps, o.weight_decay, o.maximize},
           true, where) {}

std::vector<std::string> Adam::state_names() const { return {"exp_avg", "exp_avg_sq"}; }

void Adam::update(Group& g) {
  const AdamOptions& o = options_;
  g.step.add_(Scalar(1));
  // Of no dimensions, float64: a handful of numbers a step.
  Tensor correction1 = 1 - pow(Scalar(o.beta1), g.step);
  Tensor root2 = sqrt(1 - pow(Scalar(o.beta2), g.step));
  Tensor step_size = g.lr / correction1;
  Tensor keep;
  if (decoupled_ && o.weight_decay != 0) keep = 1 - g.lr * o.weight_decay;
  for (size_t i = 0; i < g.params.size(); ++i) {
    const Tensor& p = g.params[i];
    Tensor grad = p.grad();
    if (!grad.defined()) continue;
    if (o.maximize) grad = -grad;
    if (!decoupled_ && o.weight_decay != 0) grad = grad + p * o.weight_decay;
    if (keep.defined()) p.mul_(keep);
    const Tensor &m = state(g, 0, i), &v = state(g, 1, i);
    m.lerp_(grad, Scalar(1 - o.beta1));
    v.mul_(Scalar(o.beta2)).addcmul_(grad, grad, Scalar(1 - o.beta2));
    Tensor denominator = sqrt(v) / root2 + o.eps;
    p.sub_(m / denominator * step_size);
  }
}

}  // namespace frit::optim
