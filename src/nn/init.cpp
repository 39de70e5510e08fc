#include <frit/autograd.h>
#include <frit/nn.h>
#include <frit/ops.h>

#include <cmath>

#include "base/error.h"

namespace frit::nn::init {
namespace {

// PyTorch's: the second size, or the first, times what follows them.
double fan(const Tensor& t, FanMode mode) {
  const auto& n = t.impl()->sizes;
  if (n.size() < 2)
    throw UserError(
        ErrorKind::value, "init",
        "the fan of a tensor of " + std::to_string(n.size()) + " dimensions is not defined",
        "at least 2 dimensions");
  double fan = static_cast<double>(n[mode == FanMode::fan_in ? 1 : 0]);
  for (size_t i = 2; i < n.size(); ++i) fan *= static_cast<double>(n[i]);
  return fan;
}

double kaiming_std(const Tensor& t, double a, FanMode mode, Nonlinearity f) {
  return calculate_gain(f, a) / std::sqrt(fan(t, mode));
}
double xavier_std(const Tensor& t, double gain) {
  return gain * std::sqrt(2.0 / (fan(t, FanMode::fan_in) + fan(t, FanMode::fan_out)));
}

}  // namespace

double calculate_gain(Nonlinearity f, double param) {
  switch (f) {
    case Nonlinearity::linear:
    case Nonlinearity::sigmoid:
      return 1;
    case Nonlinearity::tanh:
      return 5.0 / 3;
    case Nonlinearity::relu:
      return std::sqrt(2.0);
    case Nonlinearity::leaky_relu:
      return std::sqrt(2.0 / (1 + param * param));
    case Nonlinearity::selu:
      return 0.75;
  }
  throw InternalError("no such nonlinearity");
}

void constant_(const Tensor& t, double value) {
  NoGrad guard;
  t.fill_(Scalar(value));
}
void zeros_(const Tensor& t) { constant_(t, 0); }
void ones_(const Tensor& t) { constant_(t, 1); }

void uniform_(const Tensor& t, double low, double high) {
  NoGrad guard;
  t.uniform_(low, high);
}
void normal_(const Tensor& t, double mean, double std) {
  NoGrad guard;
  t.normal_(mean, std);
}

void xavier_uniform_(const Tensor& t, double gain) {
  double bound = std::sqrt(3.0) * xavier_std(t, gain);
  init::uniform_(t, -bound, bound);
}
void xavier_normal_(const Tensor& t, double gain) { init::normal_(t, 0, xavier_std(t, gain)); }

void kaiming_uniform_(const Tensor& t, double a, FanMode mode, Nonlinearity f) {
  if (t.impl()->numel() == 0) return;
  double bound = std::sqrt(3.0) * kaiming_std(t, a, mode, f);
  init::uniform_(t, -bound, bound);
}
void kaiming_normal_(const Tensor& t, double a, FanMode mode, Nonlinearity f) {
  if (t.impl()->numel() == 0) return;
  init::normal_(t, 0, kaiming_std(t, a, mode, f));
}

}  // namespace frit::nn::init
