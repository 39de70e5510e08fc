// Generated from the op records by tools/generate; do not edit.
// every op as a function, by PyTorch's name.
#pragma once
#include <frit/tensor.h>

#include <array>
#include <memory>
#include <tuple>

namespace frit {

Tensor add(const Tensor& self, const Tensor& other, Scalar alpha = 1,
           std::source_location where = std::source_location::current());
Tensor add(const Tensor& self, Scalar other, Scalar alpha = 1,
           std::source_location where = std::source_location::current());
Tensor sub(const Tensor& self, const Tensor& other, Scalar alpha = 1,
           std::source_location where = std::source_location::current());
Tensor sub(const Tensor& self, Scalar other, Scalar alpha = 1,
           std::source_location where = std::source_location::current());
Tensor rsub(const Tensor& self, const Tensor& other, Scalar alpha = 1,
            std::source_location where = std::source_location::current());
Tensor rsub(const Tensor& self, Scalar other, Scalar alpha = 1,
            std::source_location where = std::source_location::current());
Tensor mul(const Tensor& self, const Tensor& other,
           std::source_location where = std::source_location::current());
Tensor mul(const Tensor& self, Scalar other,
           std::source_location where = std::source_location::current());
Tensor addcmul(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1,
               std::source_location where = std::source_location::current());
Tensor addcdiv(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1,
               std::source_location where = std::source_location::current());
Tensor div(const Tensor& self, const Tensor& other,
           std::source_location where = std::source_location::current());
Tensor div(const Tensor& self, Scalar other,
           std::source_location where = std::source_location::current());
Tensor true_divide(const Tensor& self, const Tensor& other,
                   std::source_location where = std::source_location::current());
Tensor true_divide(const Tensor& self, Scalar other,
                   std::source_location where = std::source_location::current());
Tensor _div_trunc(const Tensor& self, const Tensor& other,
                  std::source_location where = std::source_location::current());
Tensor _div_trunc(const Tensor& self, Scalar other,
                  std::source_location where = std::source_location::current());
Tensor _div_floor(const Tensor& self, const Tensor& other,
                  std::source_location where = std::source_location::current());
Tensor _div_floor(const Tensor& self, Scalar other,
                  std::source_location where = std::source_location::current());
Tensor floor_divide(const Tensor& self, const Tensor& other,
                    std::source_location where = std::source_location::current());
Tensor floor_divide(const Tensor& self, Scalar other,
                    std::source_location where = std::source_location::current());
Tensor div(const Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode,
           std::source_location where = std::source_location::current());
Tensor div(const Tensor& self, Scalar other, std::optional<std::string_view> rounding_mode,
           std::source_location where = std::source_location::current());
Tensor remainder(const Tensor& self, const Tensor& other,
                 std::source_location where = std::source_location::current());
Tensor remainder(const Tensor& self, Scalar other,
                 std::source_location where = std::source_location::current());
Tensor remainder(Scalar self, const Tensor& other,
                 std::source_location where = std::source_location::current());
Tensor fmod(const Tensor& self, const Tensor& other,
            std::source_location where = std::source_location::current());
Tensor fmod(const Tensor& self, Scalar other,
            std::source_location where = std::source_location::current());
Tensor sqrt(const Tensor& self, std::source_location where = std::source_location::current());
Tensor rsqrt(const Tensor& self, std::source_location where = std::source_location::current());
Tensor reciprocal(const Tensor& self, std::source_location where = std::source_location::current());
Tensor square(const Tensor& self, std::source_location where = std::source_location::current());
Tensor exp(const Tensor& self, std::source_location where = std::source_location::current());
Tensor exp2(const Tensor& self, std::source_location where = std::source_location::current());
Tensor expm1(const Tensor& self, std::source_location where = std::source_location::current());
Tensor log(const Tensor& self, std::source_location where = std::source_location::current());
Tensor log1p(const Tensor& self, std::source_location where = std::source_location::current());
Tensor log2(const Tensor& self, std::source_location where = std::source_location::current());
Tensor log10(const Tensor& self, std::source_location where = std::source_location::current());
Tensor sin(const Tensor& self, std::source_location where = std::source_location::current());
Tensor cos(const Tensor& self, std::source_location where = std::source_location::current());
Tensor tan(const Tensor& self, std::source_location where = std::source_location::current());
Tensor asin(const Tensor& self, std::source_location where = std::source_location::current());
Tensor acos(const Tensor& self, std::source_location where = std::source_location::current());
Tensor atan(const Tensor& self, std::source_location where = std::source_location::current());
Tensor sinh(const Tensor& self, std::source_location where = std::source_location::current());
Tensor cosh(const Tensor& self, std::source_location where = std::source_location::current());
Tensor tanh(const Tensor& self, std::source_location where = std::source_location::current());
Tensor sigmoid(const Tensor& self, std::source_location where = std::source_location::current());
Tensor erf(const Tensor& self, std::source_location where = std::source_location::current());
Tensor erfc(const Tensor& self, std::source_location where = std::source_location::current());
Tensor atan2(const Tensor& self, const Tensor& other,
             std::source_location where = std::source_location::current());
Tensor hypot(const Tensor& self, const Tensor& other,
             std::source_location where = std::source_location::current());
Tensor floor(const Tensor& self, std::source_location where = std::source_location::current());
Tensor ceil(const Tensor& self, std::source_location where = std::source_location::current());
Tensor round(const Tensor& self, std::source_location where = std::source_location::current());
Tensor trunc(const Tensor& self, std::source_location where = std::source_location::current());
Tensor round(const Tensor& self, Int decimals,
             std::source_location where = std::source_location::current());
Tensor _round_scaled(const Tensor& self, Scalar up, Scalar down,
                     std::source_location where = std::source_location::current());
Tensor frac(const Tensor& self, std::source_location where = std::source_location::current());
Tensor neg(const Tensor& self, std::source_location where = std::source_location::current());
Tensor abs(const Tensor& self, std::source_location where = std::source_location::current());
Tensor sign(const Tensor& self, std::source_location where = std::source_location::current());
Tensor sgn(const Tensor& self, std::source_location where = std::source_location::current());
Tensor positive(const Tensor& self, std::source_location where = std::source_location::current());
Tensor copysign(const Tensor& self, const Tensor& other,
                std::source_location where = std::source_location::current());
Tensor copysign(const Tensor& self, Scalar other,
                std::source_location where = std::source_location::current());
Tensor isnan(const Tensor& self, std::source_location where = std::source_location::current());
Tensor isinf(const Tensor& self, std::source_location where = std::source_location::current());
Tensor isfinite(const Tensor& self, std::source_location where = std::source_location::current());
Tensor signbit(const Tensor& self, std::source_location where = std::source_location::current());
Tensor pow(const Tensor& self, Scalar exponent,
           std::source_location where = std::source_location::current());
Tensor pow(const Tensor& self, const Tensor& exponent,
           std::source_location where = std::source_location::current());
Tensor pow(Scalar self, const Tensor& exponent,
           std::source_location where = std::source_location::current());
Tensor relu(const Tensor& self, std::source_location where = std::source_location::current());
Tensor threshold(const Tensor& self, Scalar threshold, Scalar value,
                 std::source_location where = std::source_location::current());
Tensor threshold_backward(const Tensor& grad_output, const Tensor& self, Scalar threshold,
                          std::source_location where = std::source_location::current());
Tensor leaky_relu(const Tensor& self, Scalar negative_slope = 0.01,
                  std::source_location where = std::source_location::current());
Tensor leaky_relu_backward(const Tensor& grad_output, const Tensor& self, Scalar negative_slope,
                           bool self_is_result,
                           std::source_location where = std::source_location::current());
Tensor hardtanh(const Tensor& self, Scalar min_val = -1, Scalar max_val = 1,
                std::source_location where = std::source_location::current());
Tensor hardtanh_backward(const Tensor& grad_output, const Tensor& self, Scalar min_val,
                         Scalar max_val,
                         std::source_location where = std::source_location::current());
Tensor relu6(const Tensor& self, std::source_location where = std::source_location::current());
Tensor sigmoid_backward(const Tensor& grad_output, const Tensor& output,
                        std::source_location where = std::source_location::current());
Tensor tanh_backward(const Tensor& grad_output, const Tensor& output,
                     std::source_location where = std::source_location::current());
Tensor hardsigmoid(const Tensor& self,
                   std::source_location where = std::source_location::current());
Tensor hardsigmoid_backward(const Tensor& grad_output, const Tensor& self,
                            std::source_location where = std::source_location::current());
Tensor hardswish(const Tensor& self, std::source_location where = std::source_location::current());
Tensor hardswish_backward(const Tensor& grad_output, const Tensor& self,
                          std::source_location where = std::source_location::current());
Tensor silu(const Tensor& self, std::source_location where = std::source_location::current());
Tensor silu_backward(const Tensor& grad_output, const Tensor& self,
                     std::source_location where = std::source_location::current());
Tensor gelu(const Tensor& self, std::string_view approximate = "none",
            std::source_location where = std::source_location::current());
Tensor gelu_backward(const Tensor& grad_output, const Tensor& self,
                     std::string_view approximate = "none",
                     std::source_location where = std::source_location::current());
Tensor softplus(const Tensor& self, Scalar beta = 1, Scalar threshold = 20,
                std::source_location where = std::source_location::current());
Tensor softplus_backward(const Tensor& grad_output, const Tensor& self, Scalar beta,
                         Scalar threshold,
                         std::source_location where = std::source_location::current());
Tensor elu(const Tensor& self, Scalar alpha = 1, Scalar scale = 1, Scalar input_scale = 1,
           std::source_location where = std::source_location::current());
Tensor elu_backward(const Tensor& grad_output, Scalar alpha, Scalar scale, Scalar input_scale,
                    bool is_result, const Tensor& self_or_result,
                    std::source_location where = std::source_location::current());
Tensor eq(const Tensor& self, const Tensor& other,
          std::source_location where = std::source_location::current());
Tensor eq(const Tensor& self, Scalar other,
          std::source_location where = std::source_location::current());
Tensor ne(const Tensor& self, const Tensor& other,
          std::source_location where = std::source_location::current());
Tensor ne(const Tensor& self, Scalar other,
          std::source_location where = std::source_location::current());
Tensor lt(const Tensor& self, const Tensor& other,
          std::source_location where = std::source_location::current());
Tensor lt(const Tensor& self, Scalar other,
          std::source_location where = std::source_location::current());
Tensor le(const Tensor& self, const Tensor& other,
          std::source_location where = std::source_location::current());
Tensor le(const Tensor& self, Scalar other,
          std::source_location where = std::source_location::current());
Tensor gt(const Tensor& self, const Tensor& other,
          std::source_location where = std::source_location::current());
Tensor gt(const Tensor& self, Scalar other,
          std::source_location where = std::source_location::current());
Tensor ge(const Tensor& self, const Tensor& other,
          std::source_location where = std::source_location::current());
Tensor ge(const Tensor& self, Scalar other,
          std::source_location where = std::source_location::current());
Tensor logical_and(const Tensor& self, const Tensor& other,
                   std::source_location where = std::source_location::current());
Tensor logical_or(const Tensor& self, const Tensor& other,
                  std::source_location where = std::source_location::current());
Tensor logical_xor(const Tensor& self, const Tensor& other,
                   std::source_location where = std::source_location::current());
Tensor logical_not(const Tensor& self,
                   std::source_location where = std::source_location::current());
Tensor clamp(const Tensor& self, std::optional<Scalar> min = {}, std::optional<Scalar> max = {},
             std::source_location where = std::source_location::current());
Tensor clamp(const Tensor& self, const Tensor& min, const Tensor& max = {},
             std::source_location where = std::source_location::current());
Tensor _clamp(const Tensor& self, Scalar min, Scalar max,
              std::source_location where = std::source_location::current());
Tensor _clamp(const Tensor& self, const Tensor& min, const Tensor& max,
              std::source_location where = std::source_location::current());
Tensor clamp_min(const Tensor& self, Scalar min,
                 std::source_location where = std::source_location::current());
Tensor clamp_max(const Tensor& self, Scalar max,
                 std::source_location where = std::source_location::current());
Tensor clamp_min(const Tensor& self, const Tensor& min,
                 std::source_location where = std::source_location::current());
Tensor clamp_max(const Tensor& self, const Tensor& max,
                 std::source_location where = std::source_location::current());
Tensor maximum(const Tensor& self, const Tensor& other,
               std::source_location where = std::source_location::current());
Tensor minimum(const Tensor& self, const Tensor& other,
               std::source_location where = std::source_location::current());
Tensor fmax(const Tensor& self, const Tensor& other,
            std::source_location where = std::source_location::current());
Tensor fmin(const Tensor& self, const Tensor& other,
            std::source_location where = std::source_location::current());
Tensor max(const Tensor& self, const Tensor& other,
           std::source_location where = std::source_location::current());
Tensor min(const Tensor& self, const Tensor& other,
           std::source_location where = std::source_location::current());
Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other,
             std::source_location where = std::source_location::current());
Tensor where(const Tensor& condition, const Tensor& self, Scalar other,
             std::source_location where = std::source_location::current());
Tensor where(const Tensor& condition, Scalar self, const Tensor& other,
             std::source_location where = std::source_location::current());
Tensor where(const Tensor& condition, Scalar self, Scalar other,
             std::source_location where = std::source_location::current());
Tensor masked_fill(const Tensor& self, const Tensor& mask, Scalar value,
                   std::source_location where = std::source_location::current());
Tensor masked_fill(const Tensor& self, const Tensor& mask, const Tensor& value,
                   std::source_location where = std::source_location::current());
Tensor fill(const Tensor& self, Scalar value,
            std::source_location where = std::source_location::current());
Tensor fill(const Tensor& self, const Tensor& value,
            std::source_location where = std::source_location::current());
Tensor zero(const Tensor& self, std::source_location where = std::source_location::current());
Tensor lerp(const Tensor& self, const Tensor& end, Scalar weight,
            std::source_location where = std::source_location::current());
Tensor lerp(const Tensor& self, const Tensor& end, const Tensor& weight,
            std::source_location where = std::source_location::current());
Tensor logaddexp(const Tensor& self, const Tensor& other,
                 std::source_location where = std::source_location::current());
Tensor _nan_to_num(const Tensor& self, Scalar nan, Scalar posinf, Scalar neginf,
                   std::source_location where = std::source_location::current());
Tensor nan_to_num(const Tensor& self, std::optional<double> nan = {},
                  std::optional<double> posinf = {}, std::optional<double> neginf = {},
                  std::source_location where = std::source_location::current());
Tensor bitwise_and(const Tensor& self, const Tensor& other,
                   std::source_location where = std::source_location::current());
Tensor bitwise_and(const Tensor& self, Scalar other,
                   std::source_location where = std::source_location::current());
Tensor bitwise_and(Scalar self, const Tensor& other,
                   std::source_location where = std::source_location::current());
Tensor bitwise_or(const Tensor& self, const Tensor& other,
                  std::source_location where = std::source_location::current());
Tensor bitwise_or(const Tensor& self, Scalar other,
                  std::source_location where = std::source_location::current());
Tensor bitwise_or(Scalar self, const Tensor& other,
                  std::source_location where = std::source_location::current());
Tensor bitwise_xor(const Tensor& self, const Tensor& other,
                   std::source_location where = std::source_location::current());
Tensor bitwise_xor(const Tensor& self, Scalar other,
                   std::source_location where = std::source_location::current());
Tensor bitwise_xor(Scalar self, const Tensor& other,
                   std::source_location where = std::source_location::current());
Tensor bitwise_left_shift(const Tensor& self, const Tensor& other,
                          std::source_location where = std::source_location::current());
Tensor bitwise_left_shift(const Tensor& self, Scalar other,
                          std::source_location where = std::source_location::current());
Tensor bitwise_left_shift(Scalar self, const Tensor& other,
                          std::source_location where = std::source_location::current());
Tensor bitwise_right_shift(const Tensor& self, const Tensor& other,
                           std::source_location where = std::source_location::current());
Tensor bitwise_right_shift(const Tensor& self, Scalar other,
                           std::source_location where = std::source_location::current());
Tensor bitwise_right_shift(Scalar self, const Tensor& other,
                           std::source_location where = std::source_location::current());
Tensor bitwise_not(const Tensor& self,
                   std::source_location where = std::source_location::current());
Tensor sum(const Tensor& self, std::optional<DType> dtype = {},
           std::source_location where = std::source_location::current());
Tensor sum(const Tensor& self, OptionalDimsRef dim, bool keepdim = false,
           std::optional<DType> dtype = {},
           std::source_location where = std::source_location::current());
Tensor sum_to_size(const Tensor& self, IntListRef size,
                   std::source_location where = std::source_location::current());
Tensor mean(const Tensor& self, std::optional<DType> dtype = {},
            std::source_location where = std::source_location::current());
Tensor mean(const Tensor& self, OptionalDimsRef dim, bool keepdim = false,
            std::optional<DType> dtype = {},
            std::source_location where = std::source_location::current());
Tensor prod(const Tensor& self, std::optional<DType> dtype = {},
            std::source_location where = std::source_location::current());
Tensor prod(const Tensor& self, Int dim, bool keepdim = false, std::optional<DType> dtype = {},
            std::source_location where = std::source_location::current());
Tensor amax(const Tensor& self, DimsRef dim = {}, bool keepdim = false,
            std::source_location where = std::source_location::current());
Tensor max(const Tensor& self, std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor> max(const Tensor& self, Int dim, bool keepdim = false,
                               std::source_location where = std::source_location::current());
Tensor argmax(const Tensor& self, std::optional<Int> dim = {}, bool keepdim = false,
              std::source_location where = std::source_location::current());
Tensor amin(const Tensor& self, DimsRef dim = {}, bool keepdim = false,
            std::source_location where = std::source_location::current());
Tensor min(const Tensor& self, std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor> min(const Tensor& self, Int dim, bool keepdim = false,
                               std::source_location where = std::source_location::current());
Tensor argmin(const Tensor& self, std::optional<Int> dim = {}, bool keepdim = false,
              std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor> aminmax(const Tensor& self, std::optional<Int> dim = {},
                                   bool keepdim = false,
                                   std::source_location where = std::source_location::current());
Tensor value_selecting_reduction_backward(
    const Tensor& grad, Int dim, const Tensor& indices, IntListRef sizes, bool keepdim,
    std::source_location where = std::source_location::current());
Tensor any(const Tensor& self, std::source_location where = std::source_location::current());
Tensor any(const Tensor& self, Int dim, bool keepdim = false,
           std::source_location where = std::source_location::current());
Tensor any(const Tensor& self, OptionalIntListRef dim, bool keepdim = false,
           std::source_location where = std::source_location::current());
Tensor any(const Tensor& self, std::initializer_list<Int> dim, bool keepdim = false,
           std::source_location where = std::source_location::current());
Tensor all(const Tensor& self, std::source_location where = std::source_location::current());
Tensor all(const Tensor& self, Int dim, bool keepdim = false,
           std::source_location where = std::source_location::current());
Tensor all(const Tensor& self, OptionalIntListRef dim, bool keepdim = false,
           std::source_location where = std::source_location::current());
Tensor all(const Tensor& self, std::initializer_list<Int> dim, bool keepdim = false,
           std::source_location where = std::source_location::current());
Tensor count_nonzero(const Tensor& self, IntListRef dim,
                     std::source_location where = std::source_location::current());
Tensor count_nonzero(const Tensor& self, std::initializer_list<Int> dim,
                     std::source_location where = std::source_location::current());
Tensor count_nonzero(const Tensor& self, std::optional<Int> dim = {},
                     std::source_location where = std::source_location::current());
Tensor cumsum(const Tensor& self, Int dim, std::optional<DType> dtype = {},
              std::source_location where = std::source_location::current());
Tensor var(const Tensor& self, OptionalDimsRef dim = {}, std::optional<Scalar> correction = {},
           bool keepdim = false, std::source_location where = std::source_location::current());
Tensor std(const Tensor& self, OptionalDimsRef dim = {}, std::optional<Scalar> correction = {},
           bool keepdim = false, std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, OptionalDimsRef dim = {},
                                    std::optional<Scalar> correction = {}, bool keepdim = false,
                                    std::source_location where = std::source_location::current());
Tensor var(const Tensor& self, ExactBool unbiased,
           std::source_location where = std::source_location::current());
Tensor var(const Tensor& self, OptionalDimsRef dim, bool unbiased, bool keepdim = false,
           std::source_location where = std::source_location::current());
Tensor std(const Tensor& self, ExactBool unbiased,
           std::source_location where = std::source_location::current());
Tensor std(const Tensor& self, OptionalDimsRef dim, bool unbiased, bool keepdim = false,
           std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, ExactBool unbiased,
                                    std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, OptionalDimsRef dim, bool unbiased,
                                    bool keepdim = false,
                                    std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, OptionalDimsRef dim = {},
                                    std::optional<Scalar> correction = {}, bool keepdim = false,
                                    std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, ExactBool unbiased,
                                    std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, OptionalDimsRef dim, bool unbiased,
                                    bool keepdim = false,
                                    std::source_location where = std::source_location::current());
Tensor logsumexp(const Tensor& self, DimsRef dim, bool keepdim = false,
                 std::source_location where = std::source_location::current());
Tensor linalg_vector_norm(const Tensor& self, Scalar ord = 2, OptionalDimsRef dim = {},
                          bool keepdim = false, std::optional<DType> dtype = {},
                          std::source_location where = std::source_location::current());
Tensor norm(const Tensor& self, Scalar p = 2,
            std::source_location where = std::source_location::current());
Tensor norm(const Tensor& self, std::optional<Scalar> p, DimsRef dim, bool keepdim = false,
            std::source_location where = std::source_location::current());
Tensor norm(const Tensor& self, std::optional<Scalar> p, DimsRef dim, bool keepdim, DType dtype,
            std::source_location where = std::source_location::current());
Tensor norm(const Tensor& self, std::optional<Scalar> p, DType dtype,
            std::source_location where = std::source_location::current());
Tensor view(const Tensor& self, IntListRef size,
            std::source_location where = std::source_location::current());
Tensor permute(const Tensor& self, IntListRef dims,
               std::source_location where = std::source_location::current());
Tensor transpose(const Tensor& self, Int dim0, Int dim1,
                 std::source_location where = std::source_location::current());
Tensor t(const Tensor& self, std::source_location where = std::source_location::current());
Tensor expand(const Tensor& self, IntListRef size, bool implicit = false,
              std::source_location where = std::source_location::current());
Tensor squeeze(const Tensor& self, std::source_location where = std::source_location::current());
Tensor squeeze(const Tensor& self, Int dim,
               std::source_location where = std::source_location::current());
Tensor squeeze(const Tensor& self, IntListRef dim,
               std::source_location where = std::source_location::current());
Tensor squeeze(const Tensor& self, std::initializer_list<Int> dim,
               std::source_location where = std::source_location::current());
Tensor unsqueeze(const Tensor& self, Int dim,
                 std::source_location where = std::source_location::current());
Tensor select(const Tensor& self, Int dim, Int index,
              std::source_location where = std::source_location::current());
Tensor slice(const Tensor& self, Int dim = 0, std::optional<Int> start = {},
             std::optional<Int> end = {}, Int step = 1,
             std::source_location where = std::source_location::current());
Tensor as_strided(const Tensor& self, IntListRef size, IntListRef stride,
                  std::optional<Int> storage_offset = {},
                  std::source_location where = std::source_location::current());
Tensor diagonal(const Tensor& self, Int offset = 0, Int dim1 = 0, Int dim2 = 1,
                std::source_location where = std::source_location::current());
Tensor unfold(const Tensor& self, Int dimension, Int size, Int step,
              std::source_location where = std::source_location::current());
Tensor alias(const Tensor& self, std::source_location where = std::source_location::current());
Tensor detach(const Tensor& self, std::source_location where = std::source_location::current());
Tensor reshape(const Tensor& self, IntListRef shape,
               std::source_location where = std::source_location::current());
Tensor flatten(const Tensor& self, Int start_dim = 0, Int end_dim = -1,
               std::source_location where = std::source_location::current());
Tensor unflatten(const Tensor& self, Int dim, IntListRef sizes,
                 std::source_location where = std::source_location::current());
Tensor narrow(const Tensor& self, Int dim, Int start, Int length,
              std::source_location where = std::source_location::current());
TensorList split(const Tensor& self, Int split_size, Int dim = 0,
                 std::source_location where = std::source_location::current());
TensorList split_with_sizes(const Tensor& self, IntListRef split_sizes, Int dim = 0,
                            std::source_location where = std::source_location::current());
TensorList split(const Tensor& self, IntListRef split_size, Int dim = 0,
                 std::source_location where = std::source_location::current());
TensorList split(const Tensor& self, std::initializer_list<Int> split_size, Int dim = 0,
                 std::source_location where = std::source_location::current());
TensorList chunk(const Tensor& self, Int chunks, Int dim = 0,
                 std::source_location where = std::source_location::current());
TensorList unbind(const Tensor& self, Int dim = 0,
                  std::source_location where = std::source_location::current());
Tensor movedim(const Tensor& self, Int source, Int destination,
               std::source_location where = std::source_location::current());
Tensor movedim(const Tensor& self, IntListRef source, IntListRef destination,
               std::source_location where = std::source_location::current());
Tensor movedim(const Tensor& self, std::initializer_list<Int> source,
               std::initializer_list<Int> destination,
               std::source_location where = std::source_location::current());
Tensor moveaxis(const Tensor& self, Int source, Int destination,
                std::source_location where = std::source_location::current());
Tensor moveaxis(const Tensor& self, IntListRef source, IntListRef destination,
                std::source_location where = std::source_location::current());
Tensor moveaxis(const Tensor& self, std::initializer_list<Int> source,
                std::initializer_list<Int> destination,
                std::source_location where = std::source_location::current());
Tensor expand_as(const Tensor& self, const Tensor& other,
                 std::source_location where = std::source_location::current());
Tensor reshape_as(const Tensor& self, const Tensor& other,
                  std::source_location where = std::source_location::current());
Tensor broadcast_to(const Tensor& self, IntListRef size,
                    std::source_location where = std::source_location::current());
Tensor mT(const Tensor& self, std::source_location where = std::source_location::current());
Tensor view_as(const Tensor& self, const Tensor& other,
               std::source_location where = std::source_location::current());
Tensor numpy_T(const Tensor& self, std::source_location where = std::source_location::current());
Tensor _unsafe_view(const Tensor& self, IntListRef size,
                    std::source_location where = std::source_location::current());
Tensor _reshape_alias(const Tensor& self, IntListRef size, IntListRef stride,
                      std::source_location where = std::source_location::current());
Tensor stack(const TensorList& tensors, Int dim = 0,
             std::source_location where = std::source_location::current());
Tensor repeat(const Tensor& self, IntListRef repeats,
              std::source_location where = std::source_location::current());
Tensor select_scatter(const Tensor& self, const Tensor& src, Int dim, Int index,
                      std::source_location where = std::source_location::current());
Tensor slice_scatter(const Tensor& self, const Tensor& src, Int dim = 0,
                     std::optional<Int> start = {}, std::optional<Int> end = {}, Int step = 1,
                     std::source_location where = std::source_location::current());
Tensor diagonal_scatter(const Tensor& self, const Tensor& src, Int offset = 0, Int dim1 = 0,
                        Int dim2 = 1, std::source_location where = std::source_location::current());
Tensor as_strided_scatter(const Tensor& self, const Tensor& src, IntListRef size, IntListRef stride,
                          std::optional<Int> storage_offset = {},
                          std::source_location where = std::source_location::current());
Tensor select_backward(const Tensor& grad_output, IntListRef input_sizes, Int dim, Int index,
                       std::source_location where = std::source_location::current());
Tensor slice_backward(const Tensor& grad_output, IntListRef input_sizes, Int dim, Int start,
                      Int end, Int step,
                      std::source_location where = std::source_location::current());
Tensor diagonal_backward(const Tensor& grad_output, IntListRef input_sizes, Int offset, Int dim1,
                         Int dim2, std::source_location where = std::source_location::current());
Tensor unfold_backward(const Tensor& grad_in, IntListRef input_sizes, Int dim, Int size, Int step,
                       std::source_location where = std::source_location::current());
Tensor as_strided_backward(const Tensor& grad, IntListRef input_sizes, IntListRef input_strides,
                           IntListRef size, IntListRef stride, std::optional<Int> storage_offset,
                           std::source_location where = std::source_location::current());
Tensor mm(const Tensor& self, const Tensor& mat2,
          std::source_location where = std::source_location::current());
Tensor bmm(const Tensor& self, const Tensor& mat2,
           std::source_location where = std::source_location::current());
Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta = 1,
             Scalar alpha = 1, std::source_location where = std::source_location::current());
Tensor baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta = 1,
               Scalar alpha = 1, std::source_location where = std::source_location::current());
Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
              std::source_location where = std::source_location::current());
Tensor addmv(const Tensor& self, const Tensor& mat, const Tensor& vec, Scalar beta = 1,
             Scalar alpha = 1, std::source_location where = std::source_location::current());
Tensor mv(const Tensor& self, const Tensor& vec,
          std::source_location where = std::source_location::current());
Tensor dot(const Tensor& self, const Tensor& tensor,
           std::source_location where = std::source_location::current());
Tensor matmul(const Tensor& self, const Tensor& other,
              std::source_location where = std::source_location::current());
Tensor outer(const Tensor& self, const Tensor& vec2,
             std::source_location where = std::source_location::current());
Tensor index_select(const Tensor& self, Int dim, const Tensor& index,
                    std::source_location where = std::source_location::current());
Tensor gather(const Tensor& self, Int dim, const Tensor& index, bool sparse_grad = false,
              std::source_location where = std::source_location::current());
Tensor take_along_dim(const Tensor& self, const Tensor& indices, std::optional<Int> dim = {},
                      std::source_location where = std::source_location::current());
Tensor scatter(const Tensor& self, Int dim, const Tensor& index, const Tensor& src,
               std::source_location where = std::source_location::current());
Tensor scatter(const Tensor& self, Int dim, const Tensor& index, Scalar value,
               std::source_location where = std::source_location::current());
Tensor scatter_add(const Tensor& self, Int dim, const Tensor& index, const Tensor& src,
                   std::source_location where = std::source_location::current());
Tensor scatter_reduce(const Tensor& self, Int dim, const Tensor& index, const Tensor& src,
                      std::string_view reduce, bool include_self = true,
                      std::source_location where = std::source_location::current());
Tensor scatter(const Tensor& self, Int dim, const Tensor& index, const Tensor& src,
               std::string_view reduce,
               std::source_location where = std::source_location::current());
Tensor scatter(const Tensor& self, Int dim, const Tensor& index, Scalar value,
               std::string_view reduce,
               std::source_location where = std::source_location::current());
Tensor index_add(const Tensor& self, Int dim, const Tensor& index, const Tensor& source,
                 Scalar alpha = 1, std::source_location where = std::source_location::current());
Tensor index_copy(const Tensor& self, Int dim, const Tensor& index, const Tensor& source,
                  std::source_location where = std::source_location::current());
Tensor index_fill(const Tensor& self, Int dim, const Tensor& index, Scalar value,
                  std::source_location where = std::source_location::current());
Tensor index_fill(const Tensor& self, Int dim, const Tensor& index, const Tensor& value,
                  std::source_location where = std::source_location::current());
Tensor _index(const Tensor& self, const TensorList& indices,
              std::source_location where = std::source_location::current());
Tensor _index_put(const Tensor& self, const TensorList& indices, const Tensor& values,
                  bool accumulate = false,
                  std::source_location where = std::source_location::current());
Tensor index(const Tensor& self, const TensorList& indices,
             std::source_location where = std::source_location::current());
Tensor index_put(const Tensor& self, const TensorList& indices, const Tensor& values,
                 bool accumulate = false,
                 std::source_location where = std::source_location::current());
Tensor _index_put_impl(const Tensor& self, const TensorList& indices, const Tensor& values,
                       bool accumulate = false, bool unsafe = false,
                       std::source_location where = std::source_location::current());
Tensor embedding(const Tensor& weight, const Tensor& indices, Int padding_idx = -1,
                 bool scale_grad_by_freq = false, bool sparse = false,
                 std::source_location where = std::source_location::current());
Tensor embedding_dense_backward(const Tensor& grad_output, const Tensor& indices, Int num_weights,
                                Int padding_idx, bool scale_grad_by_freq,
                                std::source_location where = std::source_location::current());
Tensor nonzero(const Tensor& self, std::source_location where = std::source_location::current());
TensorList nonzero_numpy(const Tensor& self,
                         std::source_location where = std::source_location::current());
Tensor masked_select(const Tensor& self, const Tensor& mask,
                     std::source_location where = std::source_location::current());
Tensor masked_scatter(const Tensor& self, const Tensor& mask, const Tensor& source,
                      std::source_location where = std::source_location::current());
Tensor tril(const Tensor& self, Int diagonal = 0,
            std::source_location where = std::source_location::current());
Tensor triu(const Tensor& self, Int diagonal = 0,
            std::source_location where = std::source_location::current());
Tensor one_hot(const Tensor& self, Int num_classes = -1,
               std::source_location where = std::source_location::current());
Tensor _one_hot_of_all(const Tensor& self,
                       std::source_location where = std::source_location::current());
Tensor _item_int(const Tensor& self, std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor> sort(const Tensor& self, std::optional<bool> stable, Int dim = -1,
                                bool descending = false,
                                std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor> sort(const Tensor& self, Int dim = -1, ExactBool descending = false,
                                std::source_location where = std::source_location::current());
Tensor argsort(const Tensor& self, Int dim = -1, ExactBool descending = false,
               std::source_location where = std::source_location::current());
Tensor argsort(const Tensor& self, ExactBool stable, Int dim = -1, bool descending = false,
               std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor> topk(const Tensor& self, Int k, Int dim = -1, bool largest = true,
                                bool sorted = true,
                                std::source_location where = std::source_location::current());
Tensor _rand(IntListRef size, std::shared_ptr<Generator> generator, DType dtype,
             std::source_location where = std::source_location::current());
Tensor _randn(IntListRef size, std::shared_ptr<Generator> generator, DType dtype,
              std::source_location where = std::source_location::current());
Tensor rand(IntListRef size, std::optional<DType> dtype = {},
            std::source_location where = std::source_location::current());
Tensor rand(IntListRef size, std::shared_ptr<Generator> generator, std::optional<DType> dtype = {},
            std::source_location where = std::source_location::current());
Tensor rand_like(const Tensor& self, std::optional<DType> dtype = {},
                 std::source_location where = std::source_location::current());
Tensor rand_like(const Tensor& self, std::shared_ptr<Generator> generator,
                 std::optional<DType> dtype = {},
                 std::source_location where = std::source_location::current());
Tensor randn(IntListRef size, std::optional<DType> dtype = {},
             std::source_location where = std::source_location::current());
Tensor randn(IntListRef size, std::shared_ptr<Generator> generator, std::optional<DType> dtype = {},
             std::source_location where = std::source_location::current());
Tensor randn_like(const Tensor& self, std::optional<DType> dtype = {},
                  std::source_location where = std::source_location::current());
Tensor randn_like(const Tensor& self, std::shared_ptr<Generator> generator,
                  std::optional<DType> dtype = {},
                  std::source_location where = std::source_location::current());
Tensor uniform(const Tensor& self, double from = 0, double to = 1,
               std::shared_ptr<Generator> generator = {},
               std::source_location where = std::source_location::current());
Tensor normal_functional(const Tensor& self, double mean = 0, double std = 1,
                         std::shared_ptr<Generator> generator = {},
                         std::source_location where = std::source_location::current());
Tensor normal(const Tensor& mean, double std = 1, std::shared_ptr<Generator> generator = {},
              std::source_location where = std::source_location::current());
Tensor normal(double mean, const Tensor& std, std::shared_ptr<Generator> generator = {},
              std::source_location where = std::source_location::current());
Tensor normal(const Tensor& mean, const Tensor& std, std::shared_ptr<Generator> generator = {},
              std::source_location where = std::source_location::current());
Tensor normal(double mean, double std, IntListRef size, std::shared_ptr<Generator> generator = {},
              std::optional<DType> dtype = {},
              std::source_location where = std::source_location::current());
Tensor randint(Int low, Int high, IntListRef size, std::shared_ptr<Generator> generator,
               std::optional<DType> dtype = DType::i64,
               std::source_location where = std::source_location::current());
Tensor randint(Int high, IntListRef size, std::optional<DType> dtype = DType::i64,
               std::source_location where = std::source_location::current());
Tensor randint(Int high, std::initializer_list<Int> size, std::optional<DType> dtype = DType::i64,
               std::source_location where = std::source_location::current());
Tensor randint(Int high, IntListRef size, std::shared_ptr<Generator> generator,
               std::optional<DType> dtype = DType::i64,
               std::source_location where = std::source_location::current());
Tensor randint(Int high, std::initializer_list<Int> size, std::shared_ptr<Generator> generator,
               std::optional<DType> dtype = DType::i64,
               std::source_location where = std::source_location::current());
Tensor randint(Int low, Int high, IntListRef size, std::optional<DType> dtype = DType::i64,
               std::source_location where = std::source_location::current());
Tensor randint_like(const Tensor& self, Int high, std::optional<DType> dtype = {},
                    std::source_location where = std::source_location::current());
Tensor randint_like(const Tensor& self, Int high, std::shared_ptr<Generator> generator,
                    std::optional<DType> dtype = {},
                    std::source_location where = std::source_location::current());
Tensor randint_like(const Tensor& self, Int low, Int high, std::optional<DType> dtype = {},
                    std::source_location where = std::source_location::current());
Tensor randint_like(const Tensor& self, Int low, Int high, std::shared_ptr<Generator> generator,
                    std::optional<DType> dtype = {},
                    std::source_location where = std::source_location::current());
Tensor _bernoulli(IntListRef size, double p, std::shared_ptr<Generator> generator, DType dtype,
                  std::source_location where = std::source_location::current());
Tensor bernoulli(const Tensor& self, std::shared_ptr<Generator> generator = {},
                 std::source_location where = std::source_location::current());
Tensor bernoulli(const Tensor& self, double p, std::shared_ptr<Generator> generator = {},
                 std::source_location where = std::source_location::current());
Tensor bernoulli(const Tensor& self, const Tensor& p, std::shared_ptr<Generator> generator = {},
                 std::source_location where = std::source_location::current());
Tensor dropout(const Tensor& input, double p, bool train,
               std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor> native_dropout(
    const Tensor& input, double p, std::optional<bool> train,
    std::source_location where = std::source_location::current());
Tensor native_dropout_backward(const Tensor& grad_output, const Tensor& mask, double scale,
                               std::source_location where = std::source_location::current());
Tensor full(IntListRef size, Scalar fill_value, std::optional<DType> dtype = {},
            std::source_location where = std::source_location::current());
Tensor _full_strided(IntListRef size, IntListRef stride, Scalar fill_value, DType dtype,
                     std::source_location where = std::source_location::current());
Tensor empty(IntListRef size, std::optional<DType> dtype = {},
             std::source_location where = std::source_location::current());
Tensor empty_strided(IntListRef size, IntListRef stride, std::optional<DType> dtype = {},
                     std::source_location where = std::source_location::current());
Tensor zeros(IntListRef size, std::optional<DType> dtype = {},
             std::source_location where = std::source_location::current());
Tensor ones(IntListRef size, std::optional<DType> dtype = {},
            std::source_location where = std::source_location::current());
Tensor zeros_like(const Tensor& self, std::optional<DType> dtype = {},
                  std::source_location where = std::source_location::current());
Tensor new_zeros(const Tensor& self, IntListRef size, std::optional<DType> dtype = {},
                 std::source_location where = std::source_location::current());
Tensor ones_like(const Tensor& self, std::optional<DType> dtype = {},
                 std::source_location where = std::source_location::current());
Tensor new_ones(const Tensor& self, IntListRef size, std::optional<DType> dtype = {},
                std::source_location where = std::source_location::current());
Tensor full_like(const Tensor& self, Scalar fill_value, std::optional<DType> dtype = {},
                 std::source_location where = std::source_location::current());
Tensor empty_like(const Tensor& self, std::optional<DType> dtype = {},
                  std::source_location where = std::source_location::current());
Tensor new_full(const Tensor& self, IntListRef size, Scalar fill_value,
                std::optional<DType> dtype = {},
                std::source_location where = std::source_location::current());
Tensor new_empty(const Tensor& self, IntListRef size, std::optional<DType> dtype = {},
                 std::source_location where = std::source_location::current());
Tensor new_empty_strided(const Tensor& self, IntListRef size, IntListRef stride,
                         std::optional<DType> dtype = {},
                         std::source_location where = std::source_location::current());
Tensor scalar_tensor(Scalar s, std::optional<DType> dtype = {},
                     std::source_location where = std::source_location::current());
Tensor arange(Scalar start, Scalar end, Scalar step = 1, std::optional<DType> dtype = {},
              std::source_location where = std::source_location::current());
Tensor arange(Scalar start, Scalar end, std::optional<DType> dtype,
              std::source_location where = std::source_location::current());
Tensor arange(Scalar end, std::optional<DType> dtype = {},
              std::source_location where = std::source_location::current());
Tensor linspace(Scalar start, Scalar end, Int steps, std::optional<DType> dtype = {},
                std::source_location where = std::source_location::current());
Tensor eye(Int n, std::optional<DType> dtype = {},
           std::source_location where = std::source_location::current());
Tensor eye(Int n, Int m, std::optional<DType> dtype = {},
           std::source_location where = std::source_location::current());
Tensor copy(const Tensor& self, const Tensor& src, bool non_blocking = false,
            std::source_location where = std::source_location::current());
Tensor clone(const Tensor& self, std::source_location where = std::source_location::current());
Tensor _to_copy(const Tensor& self, std::optional<DType> dtype = {}, bool non_blocking = false,
                std::source_location where = std::source_location::current());
Tensor contiguous(const Tensor& self, std::source_location where = std::source_location::current());
Tensor to(const Tensor& self, DType dtype, bool non_blocking = false, bool copy = false,
          std::source_location where = std::source_location::current());
Tensor to(const Tensor& self, const Tensor& other, bool non_blocking = false, bool copy = false,
          std::source_location where = std::source_location::current());
Tensor type_as(const Tensor& self, const Tensor& other,
               std::source_location where = std::source_location::current());
Tensor flip(const Tensor& self, IntListRef dims,
            std::source_location where = std::source_location::current());
Tensor roll(const Tensor& self, DimsRef shifts, DimsRef dims = {},
            std::source_location where = std::source_location::current());
Tensor cat(const TensorList& tensors, Int dim = 0,
           std::source_location where = std::source_location::current());
Tensor concat(const TensorList& tensors, Int dim = 0,
              std::source_location where = std::source_location::current());
Tensor concatenate(const TensorList& tensors, Int dim = 0,
                   std::source_location where = std::source_location::current());
Tensor _softmax(const Tensor& self, Int dim, bool half_to_float,
                std::source_location where = std::source_location::current());
Tensor _log_softmax(const Tensor& self, Int dim, bool half_to_float,
                    std::source_location where = std::source_location::current());
Tensor _softmax_backward_data(const Tensor& grad_output, const Tensor& output, Int dim,
                              DType input_dtype,
                              std::source_location where = std::source_location::current());
Tensor _log_softmax_backward_data(const Tensor& grad_output, const Tensor& output, Int dim,
                                  DType input_dtype,
                                  std::source_location where = std::source_location::current());
Tensor softmax(const Tensor& self, Int dim, std::optional<DType> dtype = {},
               std::source_location where = std::source_location::current());
Tensor log_softmax(const Tensor& self, Int dim, std::optional<DType> dtype = {},
                   std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor, Tensor> native_layer_norm(
    const Tensor& input, IntListRef normalized_shape, const Tensor& weight, const Tensor& bias,
    double eps, std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor, Tensor> native_layer_norm_backward(
    const Tensor& grad_out, const Tensor& input, IntListRef normalized_shape, const Tensor& mean,
    const Tensor& rstd, const Tensor& weight, const Tensor& bias, std::array<bool, 3> output_mask,
    std::source_location where = std::source_location::current());
Tensor layer_norm(const Tensor& input, IntListRef normalized_shape, const Tensor& weight = {},
                  const Tensor& bias = {}, double eps = 1e-05, bool cudnn_enable = true,
                  std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor> nll_loss_forward(
    const Tensor& self, const Tensor& target, const Tensor& weight, Int reduction, Int ignore_index,
    std::source_location where = std::source_location::current());
Tensor nll_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                         const Tensor& weight, Int reduction, Int ignore_index,
                         const Tensor& total_weight,
                         std::source_location where = std::source_location::current());
Tensor nll_loss(const Tensor& self, const Tensor& target, const Tensor& weight = {},
                Int reduction = 1, Int ignore_index = -100,
                std::source_location where = std::source_location::current());
Tensor nll_loss_nd(const Tensor& self, const Tensor& target, const Tensor& weight = {},
                   Int reduction = 1, Int ignore_index = -100,
                   std::source_location where = std::source_location::current());
Tensor nll_loss2d(const Tensor& self, const Tensor& target, const Tensor& weight = {},
                  Int reduction = 1, Int ignore_index = -100,
                  std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor> nll_loss2d_forward(
    const Tensor& self, const Tensor& target, const Tensor& weight, Int reduction, Int ignore_index,
    std::source_location where = std::source_location::current());
Tensor nll_loss2d_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                           const Tensor& weight, Int reduction, Int ignore_index,
                           const Tensor& total_weight,
                           std::source_location where = std::source_location::current());
Tensor cross_entropy_loss(const Tensor& self, const Tensor& target, const Tensor& weight = {},
                          Int reduction = 1, Int ignore_index = -100, double label_smoothing = 0,
                          std::source_location where = std::source_location::current());
Tensor mse_loss(const Tensor& self, const Tensor& target, Int reduction = 1,
                std::source_location where = std::source_location::current());
Tensor mse_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                         Int reduction,
                         std::source_location where = std::source_location::current());
Tensor l1_loss(const Tensor& self, const Tensor& target, Int reduction = 1,
               std::source_location where = std::source_location::current());
Tensor smooth_l1_loss(const Tensor& self, const Tensor& target, Int reduction = 1, double beta = 1,
                      std::source_location where = std::source_location::current());
Tensor huber_loss(const Tensor& self, const Tensor& target, Int reduction = 1, double delta = 1,
                  std::source_location where = std::source_location::current());
Tensor binary_cross_entropy_with_logits(
    const Tensor& self, const Tensor& target, const Tensor& weight = {},
    const Tensor& pos_weight = {}, Int reduction = 1,
    std::source_location where = std::source_location::current());

}  // namespace frit
