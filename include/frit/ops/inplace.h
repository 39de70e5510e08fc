// Generated from the op records by tools/generate; do not edit.
// the ops that write into their first argument.
#pragma once
#include <frit/tensor.h>

#include <array>
#include <memory>
#include <tuple>

namespace frit {

Tensor addmv_(const Tensor& self, const Tensor& mat, const Tensor& vec, Scalar beta = 1,
              Scalar alpha = 1, std::source_location where = std::source_location::current());
Tensor index_put_(const Tensor& self, const TensorList& indices, const Tensor& values,
                  bool accumulate = false,
                  std::source_location where = std::source_location::current());
Tensor _index_put_impl_(const Tensor& self, const TensorList& indices, const Tensor& values,
                        bool accumulate = false, bool unsafe = false,
                        std::source_location where = std::source_location::current());
Tensor masked_scatter_(const Tensor& self, const Tensor& mask, const Tensor& source,
                       std::source_location where = std::source_location::current());
Tensor uniform_(const Tensor& self, double from = 0, double to = 1,
                std::shared_ptr<Generator> generator = {},
                std::source_location where = std::source_location::current());
Tensor normal_(const Tensor& self, double mean = 0, double std = 1,
               std::shared_ptr<Generator> generator = {},
               std::source_location where = std::source_location::current());
Tensor bernoulli_(const Tensor& self, double p = 0.5, std::shared_ptr<Generator> generator = {},
                  std::source_location where = std::source_location::current());
Tensor dropout_(const Tensor& self, double p, bool train,
                std::source_location where = std::source_location::current());
Tensor add_(const Tensor& self, const Tensor& other, Scalar alpha = 1,
            std::source_location where = std::source_location::current());
Tensor add_(const Tensor& self, Scalar other, Scalar alpha = 1,
            std::source_location where = std::source_location::current());
Tensor sub_(const Tensor& self, const Tensor& other, Scalar alpha = 1,
            std::source_location where = std::source_location::current());
Tensor sub_(const Tensor& self, Scalar other, Scalar alpha = 1,
            std::source_location where = std::source_location::current());
Tensor mul_(const Tensor& self, const Tensor& other,
            std::source_location where = std::source_location::current());
Tensor mul_(const Tensor& self, Scalar other,
            std::source_location where = std::source_location::current());
Tensor addcmul_(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1,
                std::source_location where = std::source_location::current());
Tensor addcdiv_(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1,
                std::source_location where = std::source_location::current());
Tensor div_(const Tensor& self, const Tensor& other,
            std::source_location where = std::source_location::current());
Tensor div_(const Tensor& self, Scalar other,
            std::source_location where = std::source_location::current());
Tensor true_divide_(const Tensor& self, const Tensor& other,
                    std::source_location where = std::source_location::current());
Tensor true_divide_(const Tensor& self, Scalar other,
                    std::source_location where = std::source_location::current());
Tensor _div_trunc_(const Tensor& self, const Tensor& other,
                   std::source_location where = std::source_location::current());
Tensor _div_trunc_(const Tensor& self, Scalar other,
                   std::source_location where = std::source_location::current());
Tensor _div_floor_(const Tensor& self, const Tensor& other,
                   std::source_location where = std::source_location::current());
Tensor _div_floor_(const Tensor& self, Scalar other,
                   std::source_location where = std::source_location::current());
Tensor floor_divide_(const Tensor& self, const Tensor& other,
                     std::source_location where = std::source_location::current());
Tensor floor_divide_(const Tensor& self, Scalar other,
                     std::source_location where = std::source_location::current());
Tensor div_(const Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode,
            std::source_location where = std::source_location::current());
Tensor div_(const Tensor& self, Scalar other, std::optional<std::string_view> rounding_mode,
            std::source_location where = std::source_location::current());
Tensor remainder_(const Tensor& self, const Tensor& other,
                  std::source_location where = std::source_location::current());
Tensor remainder_(const Tensor& self, Scalar other,
                  std::source_location where = std::source_location::current());
Tensor fmod_(const Tensor& self, const Tensor& other,
             std::source_location where = std::source_location::current());
Tensor fmod_(const Tensor& self, Scalar other,
             std::source_location where = std::source_location::current());
Tensor sqrt_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor rsqrt_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor reciprocal_(const Tensor& self,
                   std::source_location where = std::source_location::current());
Tensor square_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor exp_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor exp2_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor expm1_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor log_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor log1p_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor log2_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor log10_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor sin_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor cos_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor tan_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor asin_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor acos_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor atan_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor sinh_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor cosh_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor tanh_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor sigmoid_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor erf_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor erfc_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor atan2_(const Tensor& self, const Tensor& other,
              std::source_location where = std::source_location::current());
Tensor hypot_(const Tensor& self, const Tensor& other,
              std::source_location where = std::source_location::current());
Tensor floor_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor ceil_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor round_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor trunc_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor round_(const Tensor& self, Int decimals,
              std::source_location where = std::source_location::current());
Tensor frac_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor neg_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor abs_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor sign_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor sgn_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor copysign_(const Tensor& self, const Tensor& other,
                 std::source_location where = std::source_location::current());
Tensor copysign_(const Tensor& self, Scalar other,
                 std::source_location where = std::source_location::current());
Tensor isnan_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor isinf_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor isfinite_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor signbit_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor pow_(const Tensor& self, Scalar exponent,
            std::source_location where = std::source_location::current());
Tensor pow_(const Tensor& self, const Tensor& exponent,
            std::source_location where = std::source_location::current());
Tensor relu_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor threshold_(const Tensor& self, Scalar threshold, Scalar value,
                  std::source_location where = std::source_location::current());
Tensor leaky_relu_(const Tensor& self, Scalar negative_slope = 0.01,
                   std::source_location where = std::source_location::current());
Tensor hardtanh_(const Tensor& self, Scalar min_val = -1, Scalar max_val = 1,
                 std::source_location where = std::source_location::current());
Tensor relu6_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor hardsigmoid_(const Tensor& self,
                    std::source_location where = std::source_location::current());
Tensor hardswish_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor silu_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor gelu_(const Tensor& self, std::string_view approximate = "none",
             std::source_location where = std::source_location::current());
Tensor elu_(const Tensor& self, Scalar alpha = 1, Scalar scale = 1, Scalar input_scale = 1,
            std::source_location where = std::source_location::current());
Tensor eq_(const Tensor& self, const Tensor& other,
           std::source_location where = std::source_location::current());
Tensor eq_(const Tensor& self, Scalar other,
           std::source_location where = std::source_location::current());
Tensor ne_(const Tensor& self, const Tensor& other,
           std::source_location where = std::source_location::current());
Tensor ne_(const Tensor& self, Scalar other,
           std::source_location where = std::source_location::current());
Tensor lt_(const Tensor& self, const Tensor& other,
           std::source_location where = std::source_location::current());
Tensor lt_(const Tensor& self, Scalar other,
           std::source_location where = std::source_location::current());
Tensor le_(const Tensor& self, const Tensor& other,
           std::source_location where = std::source_location::current());
Tensor le_(const Tensor& self, Scalar other,
           std::source_location where = std::source_location::current());
Tensor gt_(const Tensor& self, const Tensor& other,
           std::source_location where = std::source_location::current());
Tensor gt_(const Tensor& self, Scalar other,
           std::source_location where = std::source_location::current());
Tensor ge_(const Tensor& self, const Tensor& other,
           std::source_location where = std::source_location::current());
Tensor ge_(const Tensor& self, Scalar other,
           std::source_location where = std::source_location::current());
Tensor logical_and_(const Tensor& self, const Tensor& other,
                    std::source_location where = std::source_location::current());
Tensor logical_or_(const Tensor& self, const Tensor& other,
                   std::source_location where = std::source_location::current());
Tensor logical_xor_(const Tensor& self, const Tensor& other,
                    std::source_location where = std::source_location::current());
Tensor logical_not_(const Tensor& self,
                    std::source_location where = std::source_location::current());
Tensor clamp_(const Tensor& self, std::optional<Scalar> min = {}, std::optional<Scalar> max = {},
              std::source_location where = std::source_location::current());
Tensor clamp_(const Tensor& self, const Tensor& min, const Tensor& max = {},
              std::source_location where = std::source_location::current());
Tensor _clamp_(const Tensor& self, Scalar min, Scalar max,
               std::source_location where = std::source_location::current());
Tensor _clamp_(const Tensor& self, const Tensor& min, const Tensor& max,
               std::source_location where = std::source_location::current());
Tensor clamp_min_(const Tensor& self, Scalar min,
                  std::source_location where = std::source_location::current());
Tensor clamp_max_(const Tensor& self, Scalar max,
                  std::source_location where = std::source_location::current());
Tensor clamp_min_(const Tensor& self, const Tensor& min,
                  std::source_location where = std::source_location::current());
Tensor clamp_max_(const Tensor& self, const Tensor& max,
                  std::source_location where = std::source_location::current());
Tensor masked_fill_(const Tensor& self, const Tensor& mask, Scalar value,
                    std::source_location where = std::source_location::current());
Tensor masked_fill_(const Tensor& self, const Tensor& mask, const Tensor& value,
                    std::source_location where = std::source_location::current());
Tensor fill_(const Tensor& self, Scalar value,
             std::source_location where = std::source_location::current());
Tensor fill_(const Tensor& self, const Tensor& value,
             std::source_location where = std::source_location::current());
Tensor zero_(const Tensor& self, std::source_location where = std::source_location::current());
Tensor lerp_(const Tensor& self, const Tensor& end, Scalar weight,
             std::source_location where = std::source_location::current());
Tensor lerp_(const Tensor& self, const Tensor& end, const Tensor& weight,
             std::source_location where = std::source_location::current());
Tensor _nan_to_num_(const Tensor& self, Scalar nan, Scalar posinf, Scalar neginf,
                    std::source_location where = std::source_location::current());
Tensor nan_to_num_(const Tensor& self, std::optional<double> nan = {},
                   std::optional<double> posinf = {}, std::optional<double> neginf = {},
                   std::source_location where = std::source_location::current());
Tensor bitwise_and_(const Tensor& self, const Tensor& other,
                    std::source_location where = std::source_location::current());
Tensor bitwise_and_(const Tensor& self, Scalar other,
                    std::source_location where = std::source_location::current());
Tensor bitwise_or_(const Tensor& self, const Tensor& other,
                   std::source_location where = std::source_location::current());
Tensor bitwise_or_(const Tensor& self, Scalar other,
                   std::source_location where = std::source_location::current());
Tensor bitwise_xor_(const Tensor& self, const Tensor& other,
                    std::source_location where = std::source_location::current());
Tensor bitwise_xor_(const Tensor& self, Scalar other,
                    std::source_location where = std::source_location::current());
Tensor bitwise_left_shift_(const Tensor& self, const Tensor& other,
                           std::source_location where = std::source_location::current());
Tensor bitwise_left_shift_(const Tensor& self, Scalar other,
                           std::source_location where = std::source_location::current());
Tensor bitwise_right_shift_(const Tensor& self, const Tensor& other,
                            std::source_location where = std::source_location::current());
Tensor bitwise_right_shift_(const Tensor& self, Scalar other,
                            std::source_location where = std::source_location::current());
Tensor bitwise_not_(const Tensor& self,
                    std::source_location where = std::source_location::current());
Tensor cumsum_(const Tensor& self, Int dim, std::optional<DType> dtype = {},
               std::source_location where = std::source_location::current());
Tensor addmm_(const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta = 1,
              Scalar alpha = 1, std::source_location where = std::source_location::current());
Tensor baddbmm_(const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta = 1,
                Scalar alpha = 1, std::source_location where = std::source_location::current());
Tensor scatter_(const Tensor& self, Int dim, const Tensor& index, const Tensor& src,
                std::source_location where = std::source_location::current());
Tensor scatter_(const Tensor& self, Int dim, const Tensor& index, Scalar value,
                std::source_location where = std::source_location::current());
Tensor scatter_add_(const Tensor& self, Int dim, const Tensor& index, const Tensor& src,
                    std::source_location where = std::source_location::current());
Tensor scatter_reduce_(const Tensor& self, Int dim, const Tensor& index, const Tensor& src,
                       std::string_view reduce, bool include_self = true,
                       std::source_location where = std::source_location::current());
Tensor scatter_(const Tensor& self, Int dim, const Tensor& index, const Tensor& src,
                std::string_view reduce,
                std::source_location where = std::source_location::current());
Tensor scatter_(const Tensor& self, Int dim, const Tensor& index, Scalar value,
                std::string_view reduce,
                std::source_location where = std::source_location::current());
Tensor index_add_(const Tensor& self, Int dim, const Tensor& index, const Tensor& source,
                  Scalar alpha = 1, std::source_location where = std::source_location::current());
Tensor index_copy_(const Tensor& self, Int dim, const Tensor& index, const Tensor& source,
                   std::source_location where = std::source_location::current());
Tensor index_fill_(const Tensor& self, Int dim, const Tensor& index, Scalar value,
                   std::source_location where = std::source_location::current());
Tensor index_fill_(const Tensor& self, Int dim, const Tensor& index, const Tensor& value,
                   std::source_location where = std::source_location::current());
Tensor _index_put_(const Tensor& self, const TensorList& indices, const Tensor& values,
                   bool accumulate = false,
                   std::source_location where = std::source_location::current());
Tensor tril_(const Tensor& self, Int diagonal = 0,
             std::source_location where = std::source_location::current());
Tensor triu_(const Tensor& self, Int diagonal = 0,
             std::source_location where = std::source_location::current());
Tensor bernoulli_(const Tensor& self, const Tensor& p, std::shared_ptr<Generator> generator = {},
                  std::source_location where = std::source_location::current());
Tensor copy_(const Tensor& self, const Tensor& src, bool non_blocking = false,
             std::source_location where = std::source_location::current());

}  // namespace frit
