// Exceptions: the callable's own and those of ops, at capture and in cached calls.
#include <stdexcept>

#include "corpus/program.h"

namespace frit::corpus {
namespace {

const bool thrown_first = program("errors", "throws_at_capture_and_later",
                                  [](World&) {
                                    return [](Tensor x) {
                                      Tensor y = x + 1;
                                      if (x.size(0) > 4) throw std::runtime_error("too many rows");
                                      return y;
                                    };
                                  },
                                  {
                                      [](World&) { return std::tuple(randn({6, 2})); },
                                      [](World&) { return std::tuple(randn({3, 2})); },
                                      [](World&) { return std::tuple(randn({6, 2})); },
                                  });

const bool shape_error =
    program("errors", "sizes_do_not_fit",
            [](World&) { return [](Tensor x, Tensor y) { return frit::mm(x, y); }; },
            {
                [](World&) { return std::tuple(randn({3, 4}), randn({4, 2})); },
                [](World&) { return std::tuple(randn({3, 4}), randn({5, 2})); },
            },
            {.tolerance = 1e-5, .because = "matmul"});

const bool dtype_error =
    program("errors", "dtypes_do_not_fit",
            [](World&) {
              return [](Tensor x, Tensor y) {
                x.add_(1);
                return frit::mm(x, y);
              };
            },
            {
                [](World&) { return std::tuple(randn({3, 4}), randn({4, 2})); },
                [](World&) { return std::tuple(randn({3, 4}), randn({4, 2}, DType::f64)); },
                [](World&) { return std::tuple(randn({3, 4}), randint(0, 5, {4, 2})); },
            },
            {.tolerance = 1e-5, .because = "matmul"});

const bool index_dtype =
    program("errors", "index_of_a_dtype_that_is_none",
            [](World&) { return [](Tensor x, Tensor i) { return x.index_select(0, i); }; },
            {
                [](World&) { return std::tuple(randn({5, 3}), randint(0, 5, {4})); },
                [](World&) { return std::tuple(randn({5, 3}), randn({4})); },
            });

const bool rank_error =
    program("errors", "a_rank_that_does_not_fit",
            [](World&) { return [](Tensor x) { return x.transpose(0, 2) + 1; }; },
            {
                [](World&) { return std::tuple(randn({3, 4, 2})); },
                [](World&) { return std::tuple(randn({3, 4})); },
            });

// The view fits the memory of the first call's tensor, and no longer that of the second.
const bool view_beyond =
    program("errors", "a_view_reaches_beyond_its_memory",
            [](World&) {
              return [](Tensor x, Tensor y) {
                IntList of = y.sizes();
                return x.as_strided(of, of) * 2;
              };
            },
            {
                [](World&) { return std::tuple(randn({3, 6}), randn({2, 3})); },
                [](World&) { return std::tuple(randn({3, 6}), randn({3, 2})); },
                [](World&) { return std::tuple(randn({3, 6}), randn({4, 6})); },
                [](World&) { return std::tuple(randn({3, 6}).narrow(0, 0, 2), randn({3, 3})); },
            });

// Outputs have the result's sizes by chance of the sizes that came first.
const bool out_of_other_sizes = program("errors", "an_output_of_other_sizes",
                                        [](World&) {
                                          return [](Tensor x) {
                                            TensorList parts = x.clone().chunk(2, 0);
                                            frit::sum_out(parts[1], parts[0], IntList{}, true);
                                            return parts[0];
                                          };
                                        },
                                        {
                                            [](World&) { return std::tuple(randn({3})); },
                                            [](World&) { return std::tuple(randn({2})); },
                                            [](World&) { return std::tuple(randn({5})); },
                                        });

const bool index_range =
    program("errors", "index_out_of_range",
            [](World&) {
              return [](Tensor x, Tensor i) {
                x.add_(1);
                return x.index_select(0, i) * 2;
              };
            },
            {
                [](World&) { return std::tuple(randn({5, 3}), randint(0, 5, {4})); },
                [](World&) { return std::tuple(randn({5, 3}), randint(7, 9, {4})); },
                [](World&) { return std::tuple(randn({6, 3}), randint(-1, 0, {4})); },
            });

const bool by_zero =
    program("errors", "integer_division_by_zero",
            [](World&) {
              return [](Tensor x, Tensor y) {
                Tensor r = frit::rand({3});
                return std::tuple(x.floor_divide(y), r);
              };
            },
            {
                [](World&) { return std::tuple(randint(1, 9, {4}), randint(1, 9, {4})); },
                [](World&) { return std::tuple(randint(1, 9, {4}), frit::zeros({4}, DType::i64)); },
            });

const bool after_write =
    program("errors", "fails_after_a_write",
            [](World& w) {
              Tensor seen = w.watch("seen", frit::zeros({5}));
              return [seen](Tensor scores, Tensor target) {
                seen.add_(1);
                Tensor loss = frit::cross_entropy(scores, target);
                seen.mul_(2);
                return loss;
              };
            },
            {
                [](World&) { return std::tuple(randn({4, 3}), randint(0, 3, {4})); },
                [](World&) { return std::tuple(randn({4, 3}), randint(3, 5, {4})); },
            },
            {.tolerance = 1e-6, .because = "sums"});

const bool after_value =
    program("errors", "fails_after_a_value_was_read",
            [](World&) {
              return [](Tensor x, Tensor i) {
                x.mul_(2);
                if (x.sum() > 0) x.add_(1);
                return x.index_select(0, i);
              };
            },
            {
                [](World&) { return std::tuple(frit::ones({5, 3}), randint(0, 5, {4})); },
                [](World&) { return std::tuple(frit::ones({5, 3}), randint(7, 9, {4})); },
            });

const bool caught = program("errors", "caught_inside",
                            [](World& w) {
                              return [&w](Tensor x, Tensor y) {
                                try {
                                  return frit::mm(x, y);
                                } catch (const UserError&) {
                                  w.log.push_back("caught");
                                  return x * 2;
                                }
                              };
                            },
                            {
                                [](World&) { return std::tuple(randn({3, 4}), randn({5, 2})); },
                            },
                            {.repeats = 1});

const bool checked = program("errors", "check_on_sizes",
                             [](World&) {
                               return [](Tensor x) {
                                 frit::check(x.size(0) <= 5, "at most five rows");
                                 return x.relu();
                               };
                             },
                             {
                                 [](World&) { return std::tuple(randn({4})); },
                                 [](World&) { return std::tuple(randn({9})); },
                             });

// Eager raises in backward(); there is nothing to compile.
const bool no_derivative =
    program("errors", "no_derivative",
            [](World&) { return [](Tensor x) { return (x * 2).floor_divide(3.0) + 1; }; },
            {
                [](World&) { return std::tuple(leaf({3, 2})); },
                [](World&) { return std::tuple(leaf({3, 2})); },
            },
            {.native = false});

}  // namespace
}  // namespace frit::corpus
