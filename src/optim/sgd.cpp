// SGD with momentum, as PyTorch: the first buffer is the gradient itself, without dampening.
#include <frit/ops.h>
#include <frit/optim.h>

#include "base/location.h"

namespace frit::optim {

SGD::SGD(TensorList params, SGDOptions options, std::source_location where)
    : Optimizer("SGD"), options_(options) {
  LocationScope place{SourceLocation(where)};
  auto fail = [](std::string what, std::string hint) {
    throw UserError(ErrorKind::value, "SGD", std::move(what), std::move(hint), located({}));
  };
  if (options.momentum < 0)
    fail("Invalid momentum value: " + std::to_string(options.momentum), "0 or more");
  if (options.weight_decay < 0)
    fail("Invalid weight_decay value: " + std::to_string(options.weight_decay), "0 or more");
  if (options.nesterov && (options.momentum <= 0 || options.dampening != 0))
    fail("Nesterov momentum requires a momentum and zero dampening",
         "momentum above 0, dampening 0");
  add_group(std::move(params), options.lr);
}

std::vector<std::string> SGD::state_names() const {
  return options_.momentum != 0 ? std::vector<std::string>{"momentum_buffer"}
                                : std::vector<std::string>{};
}

void SGD::update(Group& g) {
  g.step.add_(Scalar(1));
  // 1 at the first step and 1 - dampening after it: so the buffer starts as the gradient itself.
  Tensor weight;
  if (options_.momentum != 0 && options_.dampening != 0)
    weight = where(g.step == Scalar(1.0), Scalar(1.0), Scalar(1 - options_.dampening)).to(kFloat64);
  for (size_t i = 0; i < g.params.size(); ++i) {
    const Tensor& p = g.params[i];
    Tensor grad = p.grad();
    if (!grad.defined()) continue;
    if (options_.maximize) grad = -grad;
    if (options_.weight_decay != 0) grad = grad + p * options_.weight_decay;
    if (options_.momentum != 0) {
      const Tensor& buffer = state(g, 0, i);
      buffer.mul_(Scalar(options_.momentum));
      if (weight.defined())
        buffer.add_(grad * weight);
      else
        buffer.add_(grad);
      grad = options_.nesterov ? grad + buffer * options_.momentum : buffer;
    }
    p.sub_(grad * g.lr);
  }
}

}  // namespace frit::optim
