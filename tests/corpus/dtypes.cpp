// Element types, promotion, numbers, tensors of no dimensions.
#include "corpus/program.h"

namespace frit::corpus {
namespace {

const bool half = program(
    "dtypes", "half_types_round_every_op",
    [](World&) { return [](Tensor x, Tensor y) { return ((x * y + x).exp() - y) / 3; }; },
    {
        [](World&) { return std::tuple(randn({9, 5}, DType::bf16), randn({9, 5}, DType::bf16)); },
        [](World&) { return std::tuple(randn({9, 5}, DType::f16), randn({9, 5}, DType::f16)); },
        [](World&) { return std::tuple(randn({9, 5}, DType::f16), randn({9, 5}, DType::f32)); },
    });

const bool integers = program(
    "dtypes", "integer_arithmetic",
    [](World&) {
      return [](Tensor x, Tensor y) {
        return std::tuple(x * y + 3, x / 2, x.bitwise_and(y), x.floor_divide(y), x.remainder(y),
                          x < y);
      };
    },
    {
        [](World&) {
          return std::tuple(randint(-9, 9, {17}, DType::i32), randint(1, 9, {17}, DType::i32));
        },
        [](World&) {
          return std::tuple(randint(-9, 9, {17}, DType::i8), randint(1, 9, {17}, DType::i8));
        },
        [](World&) {
          return std::tuple(randint(0, 9, {17}, DType::u8), randint(1, 9, {17}, DType::i64));
        },
        [](World&) {
          return std::tuple(randint(-9, 9, {17}, DType::i16), randint(1, 9, {17}, DType::i16));
        },
    });

const bool booleans = program("dtypes", "booleans",
                              [](World&) {
                                return [](Tensor x, Tensor y) {
                                  Tensor m = (x > 0) & (y < 0.5);
                                  return std::tuple(m, m.logical_not(), frit::where(m, x, y),
                                                    m.sum(), m.any(), m.all());
                                };
                              },
                              {
                                  [](World&) { return std::tuple(randn({4, 5}), randn({4, 5})); },
                                  [](World&) { return std::tuple(randn({0, 5}), randn({0, 5})); },
                              });

const bool promotion = program(
    "dtypes", "promotion",
    [](World&) {
      return [](Tensor a, Tensor b) { return std::tuple(a + b, a * 2, a * 2.5, a / b, a > b); };
    },
    {
        [](World&) { return std::tuple(randint(0, 5, {6}), randn({6})); },
        [](World&) { return std::tuple(randn({6}, DType::bf16), randn({6}, DType::f16)); },
        [](World&) {
          return std::tuple(randint(0, 2, {6}, DType::boolean), randint(1, 5, {6}, DType::u8));
        },
        [](World&) { return std::tuple(randn({6}), frit::scalar_tensor(2.0, DType::f64)); },
        [](World&) {
          return std::tuple(frit::scalar_tensor(3, DType::i64), randn({6}, DType::f16));
        },
    });

const bool no_dimensions = program(
    "dtypes", "tensors_of_no_dimensions",
    [](World&) {
      return [](Tensor x, Tensor s) { return std::tuple(x * s, s + 1, s.view({1}), x.sum() * s); };
    },
    {
        [](World&) { return std::tuple(randn({5}), frit::scalar_tensor(0.5)); },
        [](World&) { return std::tuple(randn({7}), frit::scalar_tensor(3, DType::i64)); },
    },
    {.tolerance = 1e-6, .because = "sums"});

const bool specials = program(
    "dtypes", "nan_inf_signed_zero",
    [](World&) {
      return [](Tensor x) {
        return std::tuple(x.relu(), x.abs(), -x, x.clamp(-1.0, 1.0), x.sqrt(),
                          x.maximum(frit::zeros_like(x)), x == x, x.sign());
      };
    },
    {
        [](World&) {
          std::vector<float> v{0.f, -0.f, 1.f, -1.f, INFINITY, -INFINITY, NAN, 1e-40f, 3e38f};
          int64_t n = 9;
          return std::tuple(tensor_from<float>(v, std::span<const int64_t>(&n, 1)));
        },
    });

const bool conversions =
    program("dtypes", "conversions",
            [](World&) {
              return [](Tensor x) {
                return std::tuple(x.to(DType::i32), x.to(DType::bf16), x.to(DType::boolean),
                                  x.to(DType::u8).to(DType::f64));
              };
            },
            {
                [](World&) { return std::tuple(randn({11}).abs() * 50); },
                [](World&) { return std::tuple(randint(0, 100, {11})); },
            });

const bool default_type =
    program("dtypes", "default_dtype_is_a_guard",
            [](World&) { return [](Tensor x) { return frit::ones({3}) + x.sum(); }; },
            {
                [](World&) {
                  set_default_dtype(DType::f32);
                  return std::tuple(randint(0, 5, {4}));
                },
                [](World&) {
                  set_default_dtype(DType::f64);
                  Tensor t = randint(0, 5, {4});
                  return std::tuple(t);
                },
                [](World&) {
                  set_default_dtype(DType::f32);
                  return std::tuple(randint(0, 5, {6}));
                },
            });

const bool reductions = program(
    "dtypes", "reductions_of_all_types",
    [](World&) {
      return [](Tensor x) {
        return std::tuple(x.sum(), x.sum({0}), x.amax({1}), x.argmax(1), x.prod(), x.cumsum(0));
      };
    },
    {
        [](World&) { return std::tuple(randint(-3, 4, {5, 6})); },
        [](World&) { return std::tuple(randint(0, 3, {5, 6}, DType::u8)); },
        [](World&) { return std::tuple(randn({5, 6}, DType::f64)); },
        [](World&) { return std::tuple(randn({5, 6}, DType::bf16)); },
    });

const bool integers_are_numbers = program(
    "dtypes", "nan_to_num_of_integers",
    [](World&) {
      return [](Tensor x, Tensor y) {
        x.nan_to_num_(0.5, 7.0);
        return frit::nan_to_num(y, 1.0);
      };
    },
    {
        [](World&) { return std::tuple(randint(-9, 9, {3, 4}), randint(-9, 9, {4}, DType::i8)); },
        [](World&) { return std::tuple(randint(-9, 9, {5, 2}, DType::i32), randn({2}) > 0); },
    });

const bool truth_of_sums =
    program("dtypes", "sums_and_products_as_bool",
            [](World&) {
              return [](Tensor x, Tensor n) {
                return std::tuple(frit::sum(x * 0.1, kBool), frit::prod(x * 0.1, kBool),
                                  frit::sum(n, kBool), frit::sum(n, IntList{0}, false, kBool));
              };
            },
            {
                [](World&) { return std::tuple(frit::rand({2, 2}), randint(-1, 2, {4, 3})); },
                [](World&) { return std::tuple(frit::rand({5, 3}), randint(-1, 2, {6, 2})); },
            });

}  // namespace
}  // namespace frit::corpus
