// Initial values, in place and without gradients, with PyTorch's formulas (room nn; part of
// frit/nn.h). For a Parameter: nn::init::kaiming_normal_(net.up.weight).
#pragma once
#include <frit/tensor.h>

namespace frit::nn::init {

enum class FanMode : uint8_t { fan_in, fan_out };
enum class Nonlinearity : uint8_t { linear, sigmoid, tanh, relu, leaky_relu, selu };
// What keeps the variance through the function; `param` is leaky_relu's slope.
double calculate_gain(Nonlinearity f, double param = 0.01);

void constant_(const Tensor& t, double value);
void zeros_(const Tensor& t);
void ones_(const Tensor& t);
void uniform_(const Tensor& t, double low = 0, double high = 1);
void normal_(const Tensor& t, double mean = 0, double std = 1);
// Glorot and Bengio, 2010: fans of both sides.
void xavier_uniform_(const Tensor& t, double gain = 1);
void xavier_normal_(const Tensor& t, double gain = 1);
// He et al., 2015; `a` is leaky_relu's slope.
void kaiming_uniform_(const Tensor& t, double a = 0, FanMode mode = FanMode::fan_in,
                      Nonlinearity f = Nonlinearity::leaky_relu);
void kaiming_normal_(const Tensor& t, double a = 0, FanMode mode = FanMode::fan_in,
                     Nonlinearity f = Nonlinearity::leaky_relu);

}  // namespace frit::nn::init
