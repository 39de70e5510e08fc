// Generated from the op records by tools/generate; do not edit.
// the ops that write into given outputs, which come first.
#pragma once
#include <frit/tensor.h>

#include <array>
#include <memory>
#include <tuple>

namespace frit {

Tensor add_out(const Tensor& out, const Tensor& self, const Tensor& other, Scalar alpha = 1,
               std::source_location where = std::source_location::current());
Tensor add_out(const Tensor& out, const Tensor& self, Scalar other, Scalar alpha = 1,
               std::source_location where = std::source_location::current());
Tensor sub_out(const Tensor& out, const Tensor& self, const Tensor& other, Scalar alpha = 1,
               std::source_location where = std::source_location::current());
Tensor sub_out(const Tensor& out, const Tensor& self, Scalar other, Scalar alpha = 1,
               std::source_location where = std::source_location::current());
Tensor rsub_out(const Tensor& out, const Tensor& self, const Tensor& other, Scalar alpha = 1,
                std::source_location where = std::source_location::current());
Tensor rsub_out(const Tensor& out, const Tensor& self, Scalar other, Scalar alpha = 1,
                std::source_location where = std::source_location::current());
Tensor mul_out(const Tensor& out, const Tensor& self, const Tensor& other,
               std::source_location where = std::source_location::current());
Tensor mul_out(const Tensor& out, const Tensor& self, Scalar other,
               std::source_location where = std::source_location::current());
Tensor addcmul_out(const Tensor& out, const Tensor& self, const Tensor& tensor1,
                   const Tensor& tensor2, Scalar value = 1,
                   std::source_location where = std::source_location::current());
Tensor addcdiv_out(const Tensor& out, const Tensor& self, const Tensor& tensor1,
                   const Tensor& tensor2, Scalar value = 1,
                   std::source_location where = std::source_location::current());
Tensor div_out(const Tensor& out, const Tensor& self, const Tensor& other,
               std::source_location where = std::source_location::current());
Tensor div_out(const Tensor& out, const Tensor& self, Scalar other,
               std::source_location where = std::source_location::current());
Tensor true_divide_out(const Tensor& out, const Tensor& self, const Tensor& other,
                       std::source_location where = std::source_location::current());
Tensor _div_trunc_out(const Tensor& out, const Tensor& self, const Tensor& other,
                      std::source_location where = std::source_location::current());
Tensor _div_trunc_out(const Tensor& out, const Tensor& self, Scalar other,
                      std::source_location where = std::source_location::current());
Tensor _div_floor_out(const Tensor& out, const Tensor& self, const Tensor& other,
                      std::source_location where = std::source_location::current());
Tensor _div_floor_out(const Tensor& out, const Tensor& self, Scalar other,
                      std::source_location where = std::source_location::current());
Tensor floor_divide_out(const Tensor& out, const Tensor& self, const Tensor& other,
                        std::source_location where = std::source_location::current());
Tensor floor_divide_out(const Tensor& out, const Tensor& self, Scalar other,
                        std::source_location where = std::source_location::current());
Tensor div_out(const Tensor& out, const Tensor& self, const Tensor& other,
               std::optional<std::string_view> rounding_mode,
               std::source_location where = std::source_location::current());
Tensor div_out(const Tensor& out, const Tensor& self, Scalar other,
               std::optional<std::string_view> rounding_mode,
               std::source_location where = std::source_location::current());
Tensor remainder_out(const Tensor& out, const Tensor& self, const Tensor& other,
                     std::source_location where = std::source_location::current());
Tensor remainder_out(const Tensor& out, const Tensor& self, Scalar other,
                     std::source_location where = std::source_location::current());
Tensor remainder_out(const Tensor& out, Scalar self, const Tensor& other,
                     std::source_location where = std::source_location::current());
Tensor fmod_out(const Tensor& out, const Tensor& self, const Tensor& other,
                std::source_location where = std::source_location::current());
Tensor fmod_out(const Tensor& out, const Tensor& self, Scalar other,
                std::source_location where = std::source_location::current());
Tensor sqrt_out(const Tensor& out, const Tensor& self,
                std::source_location where = std::source_location::current());
Tensor rsqrt_out(const Tensor& out, const Tensor& self,
                 std::source_location where = std::source_location::current());
Tensor reciprocal_out(const Tensor& out, const Tensor& self,
                      std::source_location where = std::source_location::current());
Tensor square_out(const Tensor& out, const Tensor& self,
                  std::source_location where = std::source_location::current());
Tensor exp_out(const Tensor& out, const Tensor& self,
               std::source_location where = std::source_location::current());
Tensor exp2_out(const Tensor& out, const Tensor& self,
                std::source_location where = std::source_location::current());
Tensor expm1_out(const Tensor& out, const Tensor& self,
                 std::source_location where = std::source_location::current());
Tensor log_out(const Tensor& out, const Tensor& self,
               std::source_location where = std::source_location::current());
Tensor log1p_out(const Tensor& out, const Tensor& self,
                 std::source_location where = std::source_location::current());
Tensor log2_out(const Tensor& out, const Tensor& self,
                std::source_location where = std::source_location::current());
Tensor log10_out(const Tensor& out, const Tensor& self,
                 std::source_location where = std::source_location::current());
Tensor sin_out(const Tensor& out, const Tensor& self,
               std::source_location where = std::source_location::current());
Tensor cos_out(const Tensor& out, const Tensor& self,
               std::source_location where = std::source_location::current());
Tensor tan_out(const Tensor& out, const Tensor& self,
               std::source_location where = std::source_location::current());
Tensor asin_out(const Tensor& out, const Tensor& self,
                std::source_location where = std::source_location::current());
Tensor acos_out(const Tensor& out, const Tensor& self,
                std::source_location where = std::source_location::current());
Tensor atan_out(const Tensor& out, const Tensor& self,
                std::source_location where = std::source_location::current());
Tensor sinh_out(const Tensor& out, const Tensor& self,
                std::source_location where = std::source_location::current());
Tensor cosh_out(const Tensor& out, const Tensor& self,
                std::source_location where = std::source_location::current());
Tensor tanh_out(const Tensor& out, const Tensor& self,
                std::source_location where = std::source_location::current());
Tensor sigmoid_out(const Tensor& out, const Tensor& self,
                   std::source_location where = std::source_location::current());
Tensor erf_out(const Tensor& out, const Tensor& self,
               std::source_location where = std::source_location::current());
Tensor erfc_out(const Tensor& out, const Tensor& self,
                std::source_location where = std::source_location::current());
Tensor atan2_out(const Tensor& out, const Tensor& self, const Tensor& other,
                 std::source_location where = std::source_location::current());
Tensor hypot_out(const Tensor& out, const Tensor& self, const Tensor& other,
                 std::source_location where = std::source_location::current());
Tensor floor_out(const Tensor& out, const Tensor& self,
                 std::source_location where = std::source_location::current());
Tensor ceil_out(const Tensor& out, const Tensor& self,
                std::source_location where = std::source_location::current());
Tensor round_out(const Tensor& out, const Tensor& self,
                 std::source_location where = std::source_location::current());
Tensor trunc_out(const Tensor& out, const Tensor& self,
                 std::source_location where = std::source_location::current());
Tensor round_out(const Tensor& out, const Tensor& self, Int decimals,
                 std::source_location where = std::source_location::current());
Tensor frac_out(const Tensor& out, const Tensor& self,
                std::source_location where = std::source_location::current());
Tensor neg_out(const Tensor& out, const Tensor& self,
               std::source_location where = std::source_location::current());
Tensor abs_out(const Tensor& out, const Tensor& self,
               std::source_location where = std::source_location::current());
Tensor sign_out(const Tensor& out, const Tensor& self,
                std::source_location where = std::source_location::current());
Tensor sgn_out(const Tensor& out, const Tensor& self,
               std::source_location where = std::source_location::current());
Tensor copysign_out(const Tensor& out, const Tensor& self, const Tensor& other,
                    std::source_location where = std::source_location::current());
Tensor copysign_out(const Tensor& out, const Tensor& self, Scalar other,
                    std::source_location where = std::source_location::current());
Tensor isnan_out(const Tensor& out, const Tensor& self,
                 std::source_location where = std::source_location::current());
Tensor isinf_out(const Tensor& out, const Tensor& self,
                 std::source_location where = std::source_location::current());
Tensor isfinite_out(const Tensor& out, const Tensor& self,
                    std::source_location where = std::source_location::current());
Tensor signbit_out(const Tensor& out, const Tensor& self,
                   std::source_location where = std::source_location::current());
Tensor pow_out(const Tensor& out, const Tensor& self, Scalar exponent,
               std::source_location where = std::source_location::current());
Tensor pow_out(const Tensor& out, const Tensor& self, const Tensor& exponent,
               std::source_location where = std::source_location::current());
Tensor pow_out(const Tensor& out, Scalar self, const Tensor& exponent,
               std::source_location where = std::source_location::current());
Tensor relu_out(const Tensor& out, const Tensor& self,
                std::source_location where = std::source_location::current());
Tensor threshold_out(const Tensor& out, const Tensor& self, Scalar threshold, Scalar value,
                     std::source_location where = std::source_location::current());
Tensor threshold_backward_out(const Tensor& grad_input, const Tensor& grad_output,
                              const Tensor& self, Scalar threshold,
                              std::source_location where = std::source_location::current());
Tensor leaky_relu_out(const Tensor& out, const Tensor& self, Scalar negative_slope = 0.01,
                      std::source_location where = std::source_location::current());
Tensor leaky_relu_backward_out(const Tensor& grad_input, const Tensor& grad_output,
                               const Tensor& self, Scalar negative_slope, bool self_is_result,
                               std::source_location where = std::source_location::current());
Tensor hardtanh_out(const Tensor& out, const Tensor& self, Scalar min_val = -1, Scalar max_val = 1,
                    std::source_location where = std::source_location::current());
Tensor hardtanh_backward_out(const Tensor& grad_input, const Tensor& grad_output,
                             const Tensor& self, Scalar min_val, Scalar max_val,
                             std::source_location where = std::source_location::current());
Tensor sigmoid_backward_out(const Tensor& grad_input, const Tensor& grad_output,
                            const Tensor& output,
                            std::source_location where = std::source_location::current());
Tensor tanh_backward_out(const Tensor& grad_input, const Tensor& grad_output, const Tensor& output,
                         std::source_location where = std::source_location::current());
Tensor hardsigmoid_out(const Tensor& out, const Tensor& self,
                       std::source_location where = std::source_location::current());
Tensor hardsigmoid_backward_out(const Tensor& grad_input, const Tensor& grad_output,
                                const Tensor& self,
                                std::source_location where = std::source_location::current());
Tensor hardswish_out(const Tensor& out, const Tensor& self,
                     std::source_location where = std::source_location::current());
Tensor silu_out(const Tensor& out, const Tensor& self,
                std::source_location where = std::source_location::current());
Tensor silu_backward_out(const Tensor& grad_input, const Tensor& grad_output, const Tensor& self,
                         std::source_location where = std::source_location::current());
Tensor gelu_out(const Tensor& out, const Tensor& self, std::string_view approximate = "none",
                std::source_location where = std::source_location::current());
Tensor gelu_backward_out(const Tensor& grad_input, const Tensor& grad_output, const Tensor& self,
                         std::string_view approximate = "none",
                         std::source_location where = std::source_location::current());
Tensor softplus_out(const Tensor& out, const Tensor& self, Scalar beta = 1, Scalar threshold = 20,
                    std::source_location where = std::source_location::current());
Tensor softplus_backward_out(const Tensor& grad_input, const Tensor& grad_output,
                             const Tensor& self, Scalar beta, Scalar threshold,
                             std::source_location where = std::source_location::current());
Tensor elu_out(const Tensor& out, const Tensor& self, Scalar alpha = 1, Scalar scale = 1,
               Scalar input_scale = 1,
               std::source_location where = std::source_location::current());
Tensor elu_backward_out(const Tensor& grad_input, const Tensor& grad_output, Scalar alpha,
                        Scalar scale, Scalar input_scale, bool is_result,
                        const Tensor& self_or_result,
                        std::source_location where = std::source_location::current());
Tensor eq_out(const Tensor& out, const Tensor& self, const Tensor& other,
              std::source_location where = std::source_location::current());
Tensor eq_out(const Tensor& out, const Tensor& self, Scalar other,
              std::source_location where = std::source_location::current());
Tensor ne_out(const Tensor& out, const Tensor& self, const Tensor& other,
              std::source_location where = std::source_location::current());
Tensor ne_out(const Tensor& out, const Tensor& self, Scalar other,
              std::source_location where = std::source_location::current());
Tensor lt_out(const Tensor& out, const Tensor& self, const Tensor& other,
              std::source_location where = std::source_location::current());
Tensor lt_out(const Tensor& out, const Tensor& self, Scalar other,
              std::source_location where = std::source_location::current());
Tensor le_out(const Tensor& out, const Tensor& self, const Tensor& other,
              std::source_location where = std::source_location::current());
Tensor le_out(const Tensor& out, const Tensor& self, Scalar other,
              std::source_location where = std::source_location::current());
Tensor gt_out(const Tensor& out, const Tensor& self, const Tensor& other,
              std::source_location where = std::source_location::current());
Tensor gt_out(const Tensor& out, const Tensor& self, Scalar other,
              std::source_location where = std::source_location::current());
Tensor ge_out(const Tensor& out, const Tensor& self, const Tensor& other,
              std::source_location where = std::source_location::current());
Tensor ge_out(const Tensor& out, const Tensor& self, Scalar other,
              std::source_location where = std::source_location::current());
Tensor logical_and_out(const Tensor& out, const Tensor& self, const Tensor& other,
                       std::source_location where = std::source_location::current());
Tensor logical_or_out(const Tensor& out, const Tensor& self, const Tensor& other,
                      std::source_location where = std::source_location::current());
Tensor logical_xor_out(const Tensor& out, const Tensor& self, const Tensor& other,
                       std::source_location where = std::source_location::current());
Tensor logical_not_out(const Tensor& out, const Tensor& self,
                       std::source_location where = std::source_location::current());
Tensor clamp_out(const Tensor& out, const Tensor& self, std::optional<Scalar> min = {},
                 std::optional<Scalar> max = {},
                 std::source_location where = std::source_location::current());
Tensor clamp_out(const Tensor& out, const Tensor& self, const Tensor& min, const Tensor& max = {},
                 std::source_location where = std::source_location::current());
Tensor clamp_min_out(const Tensor& out, const Tensor& self, Scalar min,
                     std::source_location where = std::source_location::current());
Tensor clamp_max_out(const Tensor& out, const Tensor& self, Scalar max,
                     std::source_location where = std::source_location::current());
Tensor clamp_min_out(const Tensor& out, const Tensor& self, const Tensor& min,
                     std::source_location where = std::source_location::current());
Tensor clamp_max_out(const Tensor& out, const Tensor& self, const Tensor& max,
                     std::source_location where = std::source_location::current());
Tensor maximum_out(const Tensor& out, const Tensor& self, const Tensor& other,
                   std::source_location where = std::source_location::current());
Tensor minimum_out(const Tensor& out, const Tensor& self, const Tensor& other,
                   std::source_location where = std::source_location::current());
Tensor fmax_out(const Tensor& out, const Tensor& self, const Tensor& other,
                std::source_location where = std::source_location::current());
Tensor fmin_out(const Tensor& out, const Tensor& self, const Tensor& other,
                std::source_location where = std::source_location::current());
Tensor where_out(const Tensor& out, const Tensor& condition, const Tensor& self,
                 const Tensor& other, std::source_location where = std::source_location::current());
Tensor masked_fill_out(const Tensor& out, const Tensor& self, const Tensor& mask, Scalar value,
                       std::source_location where = std::source_location::current());
Tensor masked_fill_out(const Tensor& out, const Tensor& self, const Tensor& mask,
                       const Tensor& value,
                       std::source_location where = std::source_location::current());
Tensor fill_out(const Tensor& out, const Tensor& self, Scalar value,
                std::source_location where = std::source_location::current());
Tensor fill_out(const Tensor& out, const Tensor& self, const Tensor& value,
                std::source_location where = std::source_location::current());
Tensor zero_out(const Tensor& out, const Tensor& self,
                std::source_location where = std::source_location::current());
Tensor lerp_out(const Tensor& out, const Tensor& self, const Tensor& end, Scalar weight,
                std::source_location where = std::source_location::current());
Tensor lerp_out(const Tensor& out, const Tensor& self, const Tensor& end, const Tensor& weight,
                std::source_location where = std::source_location::current());
Tensor logaddexp_out(const Tensor& out, const Tensor& self, const Tensor& other,
                     std::source_location where = std::source_location::current());
Tensor nan_to_num_out(const Tensor& out, const Tensor& self, std::optional<double> nan = {},
                      std::optional<double> posinf = {}, std::optional<double> neginf = {},
                      std::source_location where = std::source_location::current());
Tensor bitwise_and_out(const Tensor& out, const Tensor& self, const Tensor& other,
                       std::source_location where = std::source_location::current());
Tensor bitwise_and_out(const Tensor& out, const Tensor& self, Scalar other,
                       std::source_location where = std::source_location::current());
Tensor bitwise_and_out(const Tensor& out, Scalar self, const Tensor& other,
                       std::source_location where = std::source_location::current());
Tensor bitwise_or_out(const Tensor& out, const Tensor& self, const Tensor& other,
                      std::source_location where = std::source_location::current());
Tensor bitwise_or_out(const Tensor& out, const Tensor& self, Scalar other,
                      std::source_location where = std::source_location::current());
Tensor bitwise_or_out(const Tensor& out, Scalar self, const Tensor& other,
                      std::source_location where = std::source_location::current());
Tensor bitwise_xor_out(const Tensor& out, const Tensor& self, const Tensor& other,
                       std::source_location where = std::source_location::current());
Tensor bitwise_xor_out(const Tensor& out, const Tensor& self, Scalar other,
                       std::source_location where = std::source_location::current());
Tensor bitwise_xor_out(const Tensor& out, Scalar self, const Tensor& other,
                       std::source_location where = std::source_location::current());
Tensor bitwise_left_shift_out(const Tensor& out, const Tensor& self, const Tensor& other,
                              std::source_location where = std::source_location::current());
Tensor bitwise_left_shift_out(const Tensor& out, const Tensor& self, Scalar other,
                              std::source_location where = std::source_location::current());
Tensor bitwise_left_shift_out(const Tensor& out, Scalar self, const Tensor& other,
                              std::source_location where = std::source_location::current());
Tensor bitwise_right_shift_out(const Tensor& out, const Tensor& self, const Tensor& other,
                               std::source_location where = std::source_location::current());
Tensor bitwise_right_shift_out(const Tensor& out, const Tensor& self, Scalar other,
                               std::source_location where = std::source_location::current());
Tensor bitwise_right_shift_out(const Tensor& out, Scalar self, const Tensor& other,
                               std::source_location where = std::source_location::current());
Tensor bitwise_not_out(const Tensor& out, const Tensor& self,
                       std::source_location where = std::source_location::current());
Tensor sum_out(const Tensor& out, const Tensor& self, std::optional<DType> dtype = {},
               std::source_location where = std::source_location::current());
Tensor sum_out(const Tensor& out, const Tensor& self, OptionalDimsRef dim, bool keepdim = false,
               std::optional<DType> dtype = {},
               std::source_location where = std::source_location::current());
Tensor mean_out(const Tensor& out, const Tensor& self, std::optional<DType> dtype = {},
                std::source_location where = std::source_location::current());
Tensor mean_out(const Tensor& out, const Tensor& self, OptionalDimsRef dim, bool keepdim = false,
                std::optional<DType> dtype = {},
                std::source_location where = std::source_location::current());
Tensor prod_out(const Tensor& out, const Tensor& self, std::optional<DType> dtype = {},
                std::source_location where = std::source_location::current());
Tensor prod_out(const Tensor& out, const Tensor& self, Int dim, bool keepdim = false,
                std::optional<DType> dtype = {},
                std::source_location where = std::source_location::current());
Tensor amax_out(const Tensor& out, const Tensor& self, DimsRef dim = {}, bool keepdim = false,
                std::source_location where = std::source_location::current());
Tensor max_out(const Tensor& out, const Tensor& self,
               std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor> max_out(const Tensor& max, const Tensor& max_values, const Tensor& self,
                                   Int dim, bool keepdim = false,
                                   std::source_location where = std::source_location::current());
Tensor argmax_out(const Tensor& out, const Tensor& self, std::optional<Int> dim = {},
                  bool keepdim = false,
                  std::source_location where = std::source_location::current());
Tensor amin_out(const Tensor& out, const Tensor& self, DimsRef dim = {}, bool keepdim = false,
                std::source_location where = std::source_location::current());
Tensor min_out(const Tensor& out, const Tensor& self,
               std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor> min_out(const Tensor& min, const Tensor& min_indices, const Tensor& self,
                                   Int dim, bool keepdim = false,
                                   std::source_location where = std::source_location::current());
Tensor argmin_out(const Tensor& out, const Tensor& self, std::optional<Int> dim = {},
                  bool keepdim = false,
                  std::source_location where = std::source_location::current());
Tensor any_out(const Tensor& out, const Tensor& self,
               std::source_location where = std::source_location::current());
Tensor any_out(const Tensor& out, const Tensor& self, Int dim, bool keepdim = false,
               std::source_location where = std::source_location::current());
Tensor any_out(const Tensor& out, const Tensor& self, OptionalIntListRef dim, bool keepdim = false,
               std::source_location where = std::source_location::current());
Tensor any_out(const Tensor& out, const Tensor& self, std::initializer_list<Int> dim,
               bool keepdim = false, std::source_location where = std::source_location::current());
Tensor all_out(const Tensor& out, const Tensor& self,
               std::source_location where = std::source_location::current());
Tensor all_out(const Tensor& out, const Tensor& self, Int dim, bool keepdim = false,
               std::source_location where = std::source_location::current());
Tensor all_out(const Tensor& out, const Tensor& self, OptionalIntListRef dim, bool keepdim = false,
               std::source_location where = std::source_location::current());
Tensor all_out(const Tensor& out, const Tensor& self, std::initializer_list<Int> dim,
               bool keepdim = false, std::source_location where = std::source_location::current());
Tensor count_nonzero_out(const Tensor& out, const Tensor& self, IntListRef dim,
                         std::source_location where = std::source_location::current());
Tensor count_nonzero_out(const Tensor& out, const Tensor& self, std::initializer_list<Int> dim,
                         std::source_location where = std::source_location::current());
Tensor count_nonzero_out(const Tensor& out, const Tensor& self, std::optional<Int> dim = {},
                         std::source_location where = std::source_location::current());
Tensor cumsum_out(const Tensor& out, const Tensor& self, Int dim, std::optional<DType> dtype = {},
                  std::source_location where = std::source_location::current());
Tensor var_out(const Tensor& out, const Tensor& self, OptionalDimsRef dim = {},
               std::optional<Scalar> correction = {}, bool keepdim = false,
               std::source_location where = std::source_location::current());
Tensor std_out(const Tensor& out, const Tensor& self, OptionalDimsRef dim = {},
               std::optional<Scalar> correction = {}, bool keepdim = false,
               std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor> var_mean_out(
    const Tensor& out0, const Tensor& out1, const Tensor& self, OptionalDimsRef dim = {},
    std::optional<Scalar> correction = {}, bool keepdim = false,
    std::source_location where = std::source_location::current());
Tensor logsumexp_out(const Tensor& out, const Tensor& self, DimsRef dim, bool keepdim = false,
                     std::source_location where = std::source_location::current());
Tensor linalg_vector_norm_out(const Tensor& out, const Tensor& self, Scalar ord = 2,
                              OptionalDimsRef dim = {}, bool keepdim = false,
                              std::optional<DType> dtype = {},
                              std::source_location where = std::source_location::current());
Tensor mm_out(const Tensor& out, const Tensor& self, const Tensor& mat2,
              std::source_location where = std::source_location::current());
Tensor bmm_out(const Tensor& out, const Tensor& self, const Tensor& mat2,
               std::source_location where = std::source_location::current());
Tensor addmm_out(const Tensor& out, const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                 Scalar beta = 1, Scalar alpha = 1,
                 std::source_location where = std::source_location::current());
Tensor baddbmm_out(const Tensor& out, const Tensor& self, const Tensor& batch1,
                   const Tensor& batch2, Scalar beta = 1, Scalar alpha = 1,
                   std::source_location where = std::source_location::current());
Tensor addmv_out(const Tensor& out, const Tensor& self, const Tensor& mat, const Tensor& vec,
                 Scalar beta = 1, Scalar alpha = 1,
                 std::source_location where = std::source_location::current());
Tensor mv_out(const Tensor& out, const Tensor& self, const Tensor& vec,
              std::source_location where = std::source_location::current());
Tensor dot_out(const Tensor& out, const Tensor& self, const Tensor& tensor,
               std::source_location where = std::source_location::current());
Tensor matmul_out(const Tensor& out, const Tensor& self, const Tensor& other,
                  std::source_location where = std::source_location::current());
Tensor outer_out(const Tensor& out, const Tensor& self, const Tensor& vec2,
                 std::source_location where = std::source_location::current());
Tensor index_select_out(const Tensor& out, const Tensor& self, Int dim, const Tensor& index,
                        std::source_location where = std::source_location::current());
Tensor gather_out(const Tensor& out, const Tensor& self, Int dim, const Tensor& index,
                  bool sparse_grad = false,
                  std::source_location where = std::source_location::current());
Tensor scatter_out(const Tensor& out, const Tensor& self, Int dim, const Tensor& index,
                   const Tensor& src, std::source_location where = std::source_location::current());
Tensor scatter_out(const Tensor& out, const Tensor& self, Int dim, const Tensor& index,
                   Scalar value, std::source_location where = std::source_location::current());
Tensor scatter_add_out(const Tensor& out, const Tensor& self, Int dim, const Tensor& index,
                       const Tensor& src,
                       std::source_location where = std::source_location::current());
Tensor scatter_reduce_out(const Tensor& out, const Tensor& self, Int dim, const Tensor& index,
                          const Tensor& src, std::string_view reduce, bool include_self = true,
                          std::source_location where = std::source_location::current());
Tensor index_add_out(const Tensor& out, const Tensor& self, Int dim, const Tensor& index,
                     const Tensor& source, Scalar alpha = 1,
                     std::source_location where = std::source_location::current());
Tensor index_copy_out(const Tensor& out, const Tensor& self, Int dim, const Tensor& index,
                      const Tensor& source,
                      std::source_location where = std::source_location::current());
Tensor embedding_out(const Tensor& out, const Tensor& weight, const Tensor& indices,
                     Int padding_idx = -1, bool scale_grad_by_freq = false, bool sparse = false,
                     std::source_location where = std::source_location::current());
Tensor embedding_dense_backward_out(const Tensor& out, const Tensor& grad_output,
                                    const Tensor& indices, Int num_weights, Int padding_idx,
                                    bool scale_grad_by_freq,
                                    std::source_location where = std::source_location::current());
Tensor masked_scatter_out(const Tensor& out, const Tensor& self, const Tensor& mask,
                          const Tensor& source,
                          std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor> sort_out(const Tensor& values, const Tensor& indices, const Tensor& self,
                                    std::optional<bool> stable, Int dim = -1,
                                    bool descending = false,
                                    std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor> sort_out(const Tensor& values, const Tensor& indices, const Tensor& self,
                                    Int dim = -1, ExactBool descending = false,
                                    std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor> topk_out(const Tensor& values, const Tensor& indices, const Tensor& self,
                                    Int k, Int dim = -1, bool largest = true, bool sorted = true,
                                    std::source_location where = std::source_location::current());
Tensor cat_out(const Tensor& out, const TensorList& tensors, Int dim = 0,
               std::source_location where = std::source_location::current());
Tensor _softmax_out(const Tensor& out, const Tensor& self, Int dim, bool half_to_float,
                    std::source_location where = std::source_location::current());
Tensor _log_softmax_out(const Tensor& out, const Tensor& self, Int dim, bool half_to_float,
                        std::source_location where = std::source_location::current());
Tensor _softmax_backward_data_out(const Tensor& grad_input, const Tensor& grad_output,
                                  const Tensor& output, Int dim, DType input_dtype,
                                  std::source_location where = std::source_location::current());
Tensor _log_softmax_backward_data_out(const Tensor& out, const Tensor& grad_output,
                                      const Tensor& output, Int dim, DType input_dtype,
                                      std::source_location where = std::source_location::current());
std::tuple<Tensor, Tensor, Tensor> native_layer_norm_out(
    const Tensor& out0, const Tensor& out1, const Tensor& out2, const Tensor& input,
    IntListRef normalized_shape, const Tensor& weight, const Tensor& bias, double eps,
    std::source_location where = std::source_location::current());
Tensor nll_loss_backward_out(const Tensor& grad_input, const Tensor& grad_output,
                             const Tensor& self, const Tensor& target, const Tensor& weight,
                             Int reduction, Int ignore_index, const Tensor& total_weight,
                             std::source_location where = std::source_location::current());
Tensor mse_loss_out(const Tensor& out, const Tensor& self, const Tensor& target, Int reduction = 1,
                    std::source_location where = std::source_location::current());
Tensor smooth_l1_loss_out(const Tensor& out, const Tensor& self, const Tensor& target,
                          Int reduction = 1, double beta = 1,
                          std::source_location where = std::source_location::current());
Tensor huber_loss_out(const Tensor& out, const Tensor& self, const Tensor& target,
                      Int reduction = 1, double delta = 1,
                      std::source_location where = std::source_location::current());
Tensor binary_cross_entropy_with_logits_out(
    const Tensor& out, const Tensor& self, const Tensor& target, const Tensor& weight = {},
    const Tensor& pos_weight = {}, Int reduction = 1,
    std::source_location where = std::source_location::current());

}  // namespace frit
