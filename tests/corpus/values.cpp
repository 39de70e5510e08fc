// Programs that read values: item, item_int, conditions, loops with an end in them.
#include <cmath>

#include "corpus/program.h"

namespace frit::corpus {
namespace {

const bool item_once = program("values", "item_decides",
                               [](World&) {
                                 return [](Tensor x) {
                                   Tensor y = x + 1;
                                   if (y.amax().item<float>() > 2.5f) y = y / 10;
                                   return y * 2;
                                 };
                               },
                               {
                                   [](World&) { return std::tuple(frit::full({5}, 1.0)); },
                                   [](World&) { return std::tuple(frit::full({5}, 7.0)); },
                                   [](World&) { return std::tuple(frit::full({8}, 1.0)); },
                                   [](World&) { return std::tuple(frit::full({9}, 2.0)); },
                               });

const bool both_sides = program("values", "both_sides_of_a_condition",
                                [](World&) {
                                  return [](Tensor x) {
                                    Tensor y = x * 3;
                                    if (y.sum() > 0) return y.exp() + x;
                                    return y.abs() - x;
                                  };
                                },
                                {
                                    [](World&) { return std::tuple(randn({5}).abs()); },
                                    [](World&) { return std::tuple(-randn({5}).abs()); },
                                    [](World&) { return std::tuple(randn({9}).abs()); },
                                    [](World&) { return std::tuple(-randn({6}).abs()); },
                                });

const bool size_after_break = program("values", "size_kept_across_a_condition",
                                      [](World&) {
                                        return [](Tensor x) {
                                          Int n = x.size(0);
                                          Tensor y = x * 2;
                                          Int m = y.size(1);
                                          if (y.sum() > 0) return frit::full({n, m}, 1.5) + y;
                                          return frit::full({m, n}, Scalar(n)) - y.t();
                                        };
                                      },
                                      {
                                          [](World&) { return std::tuple(randn({5, 2}).abs()); },
                                          [](World&) { return std::tuple(randn({7, 3}).abs()); },
                                          [](World&) { return std::tuple(-randn({4, 6}).abs()); },
                                          [](World&) { return std::tuple(-randn({3, 2}).abs()); },
                                      });

const bool loop_item = program("values", "loop_until_small",
                               [](World&) {
                                 return [](Tensor x) {
                                   int steps = 0;
                                   while (x.abs().amax().item<float>() > 1.0f && steps < 6) {
                                     x = x / 2;
                                     ++steps;
                                   }
                                   return std::pair(x, steps);
                                 };
                               },
                               {
                                   [](World&) { return std::tuple(frit::full({3}, 5.0)); },
                                   [](World&) { return std::tuple(frit::full({3}, 0.5)); },
                                   [](World&) { return std::tuple(frit::full({4}, 5.0)); },
                               });

const bool break_in_loop =
    program("values", "loop_with_a_break",
            [](World&) {
              return [](Tensor x, Tensor limit) {
                Tensor total = frit::zeros_like(x.select(0, 0));
                for (int i = 0; i < 4; ++i) {
                  total = total + x.select(0, i);
                  if (total.sum() > limit) break;
                  total = total * 1.5;
                }
                return total;
              };
            },
            {
                [](World&) { return std::tuple(frit::ones({4, 3}), frit::scalar_tensor(1.0)); },
                [](World&) { return std::tuple(frit::ones({4, 3}), frit::scalar_tensor(6.0)); },
                [](World&) { return std::tuple(frit::ones({4, 5}), frit::scalar_tensor(1e9)); },
            });

const bool write_before_item =
    program("values", "write_before_item",
            [](World&) {
              return [](Tensor x) {
                x.add_(1);
                Tensor row = x.select(0, 0);
                if (row.sum() > 0)
                  row.mul_(2);
                else
                  x.neg_();
                return x.sum({0});
              };
            },
            {
                [](World&) { return std::tuple(frit::ones({4, 3})); },
                [](World&) { return std::tuple(-frit::full({4, 3}, 5.0)); },
                [](World&) { return std::tuple(frit::ones({2, 3})); },
            });

const bool item_int_slice = program(
    "values", "item_int_slice",
    [](World&) {
      return [](Tensor x, Tensor k) {
        Int n = k.item_int();
        frit::check(n >= 0 && n <= x.size(0), "k is a count of rows");
        return x.slice(0, 0, n).sum({0});
      };
    },
    {
        [](World&) { return std::tuple(randn({6, 3}), frit::scalar_tensor(2, DType::i64)); },
        [](World&) { return std::tuple(randn({9, 4}), frit::scalar_tensor(5, DType::i64)); },
        [](World&) { return std::tuple(randn({6, 3}), frit::scalar_tensor(7, DType::i64)); },
    });

const bool item_int_number =
    program("values", "item_int_as_number",
            [](World&) {
              return [](Tensor x, Tensor k) {
                Int n = k.sum().item_int();
                return std::pair(x * Scalar(n) + 1, n + x.size(0));
              };
            },
            {
                [](World&) { return std::tuple(randn({6}), randint(0, 9, {3})); },
                [](World&) { return std::tuple(randn({4}), randint(0, 9, {5})); },
            });

const bool item_int_then_item = program(
    "values", "item_int_then_condition",
    [](World&) {
      return [](Tensor x, Tensor k) {
        Int n = k.item_int();
        Tensor y = x * Scalar(n);
        if (y.sum() > 0) return y + Scalar(n);
        return y - Scalar(n + x.size(0));
      };
    },
    {
        [](World&) { return std::tuple(frit::ones({3}), frit::scalar_tensor(4, DType::i64)); },
        [](World&) { return std::tuple(frit::ones({5}), frit::scalar_tensor(-2, DType::i64)); },
        [](World&) { return std::tuple(frit::ones({4}), frit::scalar_tensor(3, DType::i64)); },
    });

const bool dtypes_read =
    program("values", "read_bool_int_real",
            [](World&) {
              return [](Tensor x, Tensor i, Tensor b) {
                double a = x.item<double>();
                int64_t n = i.item<int64_t>();
                bool c = b.item<bool>();
                return x * a + n + (c ? 1 : 0);
              };
            },
            {
                [](World&) {
                  return std::tuple(frit::scalar_tensor(0.5), frit::scalar_tensor(3, DType::i64),
                                    frit::scalar_tensor(true, DType::boolean));
                },
                [](World&) {
                  return std::tuple(frit::scalar_tensor(0.5), frit::scalar_tensor(3, DType::i64),
                                    frit::scalar_tensor(false, DType::boolean));
                },
                [](World&) {
                  return std::tuple(frit::scalar_tensor(-1.5), frit::scalar_tensor(4, DType::i64),
                                    frit::scalar_tensor(true, DType::boolean));
                },
            });

const bool gradients_across =
    program("values", "gradients_across_a_condition",
            [](World&) {
              return [](Tensor x) {
                Tensor y = x.sin() * 2;
                if (y.sum() > 0) return (y * y).sum();
                return (y + x).sum();
              };
            },
            {
                [](World&) { return std::tuple(frit::ones({4}).requires_grad_()); },
                [](World&) { return std::tuple((-frit::ones({4})).requires_grad_()); },
                [](World&) { return std::tuple(frit::ones({6}).requires_grad_()); },
            });

const bool prints = program("values", "values_are_printed",
                            [](World& w) {
                              return [&w](Tensor x) {
                                Tensor y = x + 1;
                                w.log.push_back(y.str());
                                return y * 2;
                              };
                            },
                            {
                                [](World&) { return std::tuple(randn({3})); },
                            });

const bool data_sizes =
    program("values", "sizes_from_data",
            [](World&) { return [](Tensor x) { return x.masked_select(x > 0) * 2; }; },
            {
                [](World&) { return std::tuple(randn({8})); },
                [](World&) { return std::tuple(randn({20})); },
            },
            {.native = false});

const bool bounds_of_abs = program(
    "values", "bounds_of_absolute_values",
    [](World&) {
      return [](Tensor x) {
        Tensor a = x.abs();
        return std::tuple(a.clamp_min(0), a.clamp_max(0), a.clamp(0, 1), frit::fmax(a, a * 0),
                          frit::maximum(a, a * 0), (-a).clamp_max(0), frit::relu(a));
      };
    },
    {
        [](World&) { return std::tuple(randn({5, 7})); },
        [](World&) { return std::tuple(randn({3, 2}, DType::f64)); },
        [](World&) { return std::tuple(randn({3, 2}, DType::bf16)); },
    });

// A bound that keeps a NaN, then one that drops it.
const bool bounds_of_nan = program(
    "values", "bounds_of_nan",
    [](World&) {
      return [](Tensor x) {
        Tensor a = frit::relu(x), b = x.clamp_min(1), c = x.clamp_max(1), zero = a * 0;
        return std::tuple(frit::fmax(a, frit::full({}, 0.0)), frit::fmin(c, frit::full({}, 1.0)),
                          frit::fmax(b, frit::full({}, 1.0)), frit::fmax(a, zero),
                          frit::where(a > 0, a, 0.0), frit::where(b > 1, b, 1.0),
                          frit::where(c < 1, c, 1.0), frit::maximum(zero, a));
      };
    },
    {
        [](World&) { return std::tuple(randn({7}) / frit::full({7}, 0.0)); },
        [](World&) { return std::tuple(randn({3, 5}) * frit::full({5}, NAN)); },
        [](World&) { return std::tuple(frit::full({}, NAN, DType::f64)); },
        [](World&) { return std::tuple(frit::full({4}, NAN, DType::bf16)); },
    });

// Choices of what was put together from bits of two, one of which is the other way of the choice.
const bool choices_of_bits =
    program("values", "choices_of_bits",
            [](World&) {
              return [](Tensor a, Tensor b, Tensor i, Tensor k) {
                Tensor m = i > k;
                Tensor mixed = frit::bitwise_or(frit::bitwise_and(i, 5), frit::bitwise_and(k, ~5));
                return std::tuple(frit::where(m, mixed, i), frit::where(m, mixed, k),
                                  frit::where(m, frit::copysign(a, b), a),
                                  frit::where(m, frit::copysign(a, b), b),
                                  frit::pow(a.nan_to_num({}, 0.5, 0.25), k));
              };
            },
            {
                [](World&) {
                  return std::tuple(randn({67}), randn({67}), randint(-100, 100, {67}, DType::i32),
                                    randint(-9, 9, {67}, DType::i32));
                },
                [](World&) {
                  return std::tuple(randn({130}, DType::f64), randn({130}, DType::f64),
                                    randint(-100, 100, {130}, DType::i64),
                                    randint(-9, 9, {130}, DType::i64));
                },
            });

const bool wide_bias = program(
    "values", "linear_with_a_bias_of_the_result",
    [](World&) { return [](Tensor x, Tensor w, Tensor b) { return frit::linear(x, w, b); }; },
    {
        [](World&) { return std::tuple(leaf({3, 2, 4}), leaf({5, 4}), leaf({3, 2, 5})); },
        [](World&) { return std::tuple(randn({4, 2, 4}), randn({5, 4}), leaf({2, 5})); },
        [](World&) { return std::tuple(leaf({2, 2}), leaf({2, 2}), leaf({2, 2})); },
    },
    {.tolerance = 1e-5, .because = "matmul"});

const bool numbers_as_rows =
    program("values", "gather_of_and_by_numbers",
            [](World&) {
              return [](Tensor x, Tensor i) {
                Tensor row = i.reshape({1}), number = x.sum();
                return std::tuple(x.gather(0, i).any(), frit::index_select(x, 0, i) + 1,
                                  number.gather(0, row * 0) + 1,
                                  frit::index_select(number, 0, row * 0) * 2);
              };
            },
            {
                [](World&) { return std::tuple(randn({5}), randint(0, 5, {}, DType::i64)); },
                [](World&) { return std::tuple(randn({9}), randint(0, 9, {}, DType::i64)); },
            });

// Choices between a constant and what was widened.
const bool signs_of_zero =
    program("values", "zeros_keep_their_sign",
            [](World&) {
              return [](Tensor x) {
                Tensor least = frit::relu(frit::leaky_relu(x, 0.0)), wide = x.to(DType::f64);
                return std::tuple(least.reciprocal(), frit::relu(wide * 0).reciprocal(),
                                  frit::relu(wide).reciprocal(),
                                  frit::maximum(frit::full_like(wide, 0), wide).reciprocal(),
                                  frit::minimum(frit::full_like(wide, 0), wide).reciprocal());
              };
            },
            {
                [](World&) { return std::tuple(-randn({1}, DType::f16).abs()); },
                [](World&) { return std::tuple(-randn({19}, DType::f16).abs()); },
                [](World&) { return std::tuple(-frit::zeros({19}, DType::f16)); },
                [](World&) { return std::tuple(-frit::zeros({19})); },
                [](World&) { return std::tuple(-frit::zeros({1})); },
            });

const bool zeros_through_writes =
    program("values", "zeros_keep_their_sign_through_writes",
            [](World&) {
              return [](Tensor x) {
                Tensor y = frit::relu6(x.transpose(0, 2));
                frit::erfc_(y);
                return y;
              };
            },
            {
                [](World&) { return std::tuple((frit::ones({5, 1, 1}) * 5.5).requires_grad_()); },
                [](World&) {
                  return std::tuple((frit::ones({9, 1, 1}) * 5.5).to(DType::f16).requires_grad_());
                },
            });

// With their places, over rows and columns, whole vectors and less.
const bool extremes_of_masks = program("values", "extremes_of_masks",
                                       [](World&) {
                                         return [](Tensor x) {
                                           Tensor m = x > 0;
                                           auto [low, first] = frit::min(m, 1);
                                           auto [high, at] = frit::max(m, 1);
                                           auto [column, row] = frit::max(m, 0);
                                           return std::tuple(low, first, high, at, column, row);
                                         };
                                       },
                                       {
                                           [](World&) { return std::tuple(randn({3, 5})); },
                                           [](World&) { return std::tuple(randn({2, 70})); },
                                           [](World&) { return std::tuple(frit::ones({4, 33})); },
                                           [](World&) { return std::tuple(frit::zeros({4, 16})); },
                                       });

const bool sums_as_integers =
    program("values", "sums_of_floats_as_integers",
            [](World&) {
              return [](Tensor x) {
                return std::tuple(x.sum(DType::i32), (x * NAN).sum(DType::i32),
                                  (x * 3e9).sum(IntList{0}, false, DType::i32), x.prod(DType::i16));
              };
            },
            {
                [](World&) { return std::tuple(randn({5, 5})); },
                [](World&) { return std::tuple(randn({4, 9})); },
            });

}  // namespace
}  // namespace frit::corpus
