#include <frit/autograd.h>
#include <frit/nn.h>
#include <frit/ops.h>

#include <cmath>

#include "base/error.h"
#include "base/location.h"

namespace frit::nn {
namespace {

[[noreturn]] void fail(const char* layer, std::string message, std::string hint) {
  throw UserError(ErrorKind::value, layer, std::move(message), std::move(hint), located({}));
}

void check_size(const char* layer, const char* what, int64_t n) {
  if (n < 0) fail(layer, std::string(what) + " is " + std::to_string(n), "0 or more");
}

Tensor uninitialised(std::initializer_list<int64_t> sizes, DType dtype) {
  std::vector<int64_t> n(sizes);
  return empty_cpu(n, dtype);
}

}  // namespace

Linear::Linear(int64_t in, int64_t out, LinearOptions options, std::source_location where) {
  LocationScope place{SourceLocation(where)};
  make(in, out, options);
}
Linear::Linear(Module& parent, std::string_view name, int64_t in, int64_t out,
               LinearOptions options, std::source_location where)
    : Layer(parent, name, where) {
  LocationScope place{SourceLocation(where)};
  make(in, out, options);
}
void Linear::make(int64_t in, int64_t out, const LinearOptions& options) {
  check_size("Linear", "in", in);
  check_size("Linear", "out", out);
  Tensor w = uninitialised({out, in}, options.dtype);
  init::kaiming_uniform_(w, std::sqrt(5.0));
  register_parameter("weight", weight, w);
  if (!options.bias) return register_parameter("bias", bias, Tensor());
  Tensor b = uninitialised({out}, options.dtype);
  double bound = in > 0 ? 1 / std::sqrt(static_cast<double>(in)) : 0;
  init::uniform_(b, -bound, bound);
  register_parameter("bias", bias, b);
}
Tensor Linear::forward(const Tensor& x) { return frit::linear(x, weight, bias); }

LayerNorm::LayerNorm(std::vector<int64_t> shape, LayerNormOptions options,
                     std::source_location where)
    : shape_(std::move(shape)), eps_(options.eps) {
  LocationScope place{SourceLocation(where)};
  make(options);
}
LayerNorm::LayerNorm(Module& parent, std::string_view name, std::vector<int64_t> shape,
                     LayerNormOptions options, std::source_location where)
    : Layer(parent, name, where), shape_(std::move(shape)), eps_(options.eps) {
  LocationScope place{SourceLocation(where)};
  make(options);
}
void LayerNorm::make(const LayerNormOptions& options) {
  if (shape_.empty()) fail("LayerNorm", "the normalized sizes are empty", "at least one size");
  for (int64_t n : shape_) check_size("LayerNorm", "a normalized size", n);
  if (!options.elementwise_affine) {
    register_parameter("weight", weight, Tensor());
    return register_parameter("bias", bias, Tensor());
  }
  Tensor w = empty_cpu(shape_, options.dtype), b = empty_cpu(shape_, options.dtype);
  init::constant_(w, 1);
  init::constant_(b, 0);
  register_parameter("weight", weight, w);
  register_parameter("bias", bias, b);
}
Tensor LayerNorm::forward(const Tensor& x) {
  IntList shape(shape_.begin(), shape_.end());
  return frit::layer_norm(x, shape, weight, bias, eps_);
}

Dropout::Dropout(double p, std::source_location where) : p_(p) {
  LocationScope place{SourceLocation(where)};
  if (!(p >= 0 && p <= 1))
    fail("Dropout", "p is " + std::to_string(p), "a probability between 0 and 1");
}
Dropout::Dropout(Module& parent, std::string_view name, double p, std::source_location where)
    : Layer(parent, name, where), p_(p) {
  LocationScope place{SourceLocation(where)};
  if (!(p >= 0 && p <= 1))
    fail("Dropout", "p is " + std::to_string(p), "a probability between 0 and 1");
}
Tensor Dropout::forward(const Tensor& x) { return frit::dropout(x, p_, is_training()); }

Embedding::Embedding(int64_t count, int64_t size, DType dtype, std::source_location where) {
  LocationScope place{SourceLocation(where)};
  make(count, size, dtype);
}
Embedding::Embedding(Module& parent, std::string_view name, int64_t count, int64_t size,
                     DType dtype, std::source_location where)
    : Layer(parent, name, where) {
  LocationScope place{SourceLocation(where)};
  make(count, size, dtype);
}
void Embedding::make(int64_t count, int64_t size, DType dtype) {
  check_size("Embedding", "the number of rows", count);
  check_size("Embedding", "the row size", size);
  Tensor w = uninitialised({count, size}, dtype);
  init::normal_(w, 0, 1);
  register_parameter("weight", weight, w);
}
Tensor Embedding::forward(const Tensor& indices) { return frit::embedding(weight, indices); }

Tensor ReLU::forward(const Tensor& x) { return frit::relu(x); }
Tensor GELU::forward(const Tensor& x) { return frit::gelu(x); }
Tensor SiLU::forward(const Tensor& x) { return frit::silu(x); }
Tensor Tanh::forward(const Tensor& x) { return frit::tanh(x); }
Tensor Sigmoid::forward(const Tensor& x) { return frit::sigmoid(x); }
Tensor Identity::forward(const Tensor& x) { return x; }

}  // namespace frit::nn

namespace frit {

Tensor cross_entropy(const Tensor& input, const Tensor& target, CrossEntropyOptions options,
                     std::source_location where) {
  return cross_entropy_loss(input, target, options.weight, static_cast<int64_t>(options.reduction),
                            options.ignore_index, options.label_smoothing, where);
}

}  // namespace frit
