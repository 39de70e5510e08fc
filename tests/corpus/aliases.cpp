// What is given back: inputs, views of them, views of one another, the same twice.
#include "corpus/program.h"

namespace frit::corpus {
namespace {

const bool input_itself =
    program("aliases", "input_is_returned",
            [](World&) { return [](Tensor x) { return std::tuple(x, x + 1); }; },
            {
                [](World&) { return std::tuple(randn({3, 4})); },
                [](World&) { return std::tuple(leaf({5, 4})); },
            });

const bool view_of_input = program(
    "aliases", "view_of_input_is_returned",
    [](World&) { return [](Tensor x) { return std::tuple(x.view({-1}), x.t().slice(0, 1)); }; },
    {
        [](World&) { return std::tuple(randn({3, 4})); },
        [](World&) { return std::tuple(randn({5, 2})); },
    });

const bool view_with_grad = program("aliases", "view_of_differentiated_input",
                                    [](World&) { return [](Tensor x) { return x.t(); }; },
                                    {
                                        [](World&) { return std::tuple(leaf({3, 4})); },
                                        [](World&) { return std::tuple(leaf({5, 2})); },
                                    });

const bool same_twice = program("aliases", "same_output_twice",
                                [](World&) {
                                  return [](Tensor x) {
                                    Tensor y = x.exp();
                                    return std::tuple(y, y, y.t(), y.view({-1}));
                                  };
                                },
                                {
                                    [](World&) { return std::tuple(randn({3, 4})); },
                                    [](World&) { return std::tuple(leaf({2, 6})); },
                                });

// Equal values are one inside the graph, and two tensors outside.
const bool equal_twice =
    program("aliases", "equal_results_are_two_tensors",
            [](World& w) {
              Tensor seen = w.watch("seen", frit::zeros({3, 4}));
              return [seen](Tensor x) {
                Tensor a = x.exp(), b = x.exp();
                {
                  NoGrad quiet;
                  seen.copy_(x.exp());
                }
                return std::tuple(a, b, b.view({3, 4}), x.view({3, 4}));
              };
            },
            {
                [](World&) { return std::tuple(randn({3, 4})); },
                [](World&) { return std::tuple(leaf({3, 4})); },
            },
            {.tolerance = 1e-6, .because = "gradients are added in another order"});

const bool view_only =
    program("aliases", "only_a_view_of_a_local",
            [](World&) { return [](Tensor x) { return (x * 2).transpose(0, 1).slice(0, 1); }; },
            {
                [](World&) { return std::tuple(randn({3, 4})); },
                [](World&) { return std::tuple(leaf({4, 5})); },
            });

const bool expanded =
    program("aliases", "expanded_output",
            [](World&) {
              return [](Tensor x) {
                return std::tuple(x.sum({1}, true).expand({x.size(0), 3}),
                                  x.unsqueeze(0).expand({2, x.size(0), x.size(1)}));
              };
            },
            {
                [](World&) { return std::tuple(randn({3, 4})); },
                [](World&) { return std::tuple(randn({5, 2})); },
            },
            {.tolerance = 1e-6, .because = "sums"});

const bool written_and_returned =
    program("aliases", "written_input_is_returned",
            [](World&) { return [](Tensor x) { return std::pair(x.mul_(2), x.select(0, 0)); }; },
            {
                [](World&) { return std::tuple(randn({3, 4})); },
                [](World&) { return std::tuple(randn({2, 4})); },
            });

const bool detached = program("aliases", "detached_output",
                              [](World&) {
                                return [](Tensor x) {
                                  Tensor y = x.sin();
                                  return std::tuple(y.detach(), y.sum(), x.detach());
                                };
                              },
                              {
                                  [](World&) { return std::tuple(leaf({3, 4})); },
                                  [](World&) { return std::tuple(randn({2, 4})); },
                              },
                              {.tolerance = 1e-6, .because = "sums"});

const bool captured_returned =
    program("aliases", "captured_is_returned",
            [](World& w) {
              Tensor c = w.watch("c", randn({4}));
              return [c](Tensor x) { return std::tuple(c, c.slice(0, 1), x + c); };
            },
            {
                [](World&) { return std::tuple(randn({3, 4})); },
            });

const bool contiguous_is_self =
    program("aliases", "ops_that_may_give_their_argument",
            [](World&) {
              return [](Tensor x) {
                return std::tuple(x.contiguous(), x.to(DType::f32), x.expand_as(x),
                                  frit::dropout(x, 0.5, false));
              };
            },
            {
                [](World&) { return std::tuple(randn({3, 4})); },
                [](World&) { return std::tuple(randn({4, 3}).t()); },
                [](World&) { return std::tuple(randn({4, 3}, DType::f64)); },
            });

const bool nothing =
    program("aliases", "nothing_is_computed",
            [](World&) { return [](Tensor x, Tensor y) { return std::tuple(y, x, y); }; },
            {
                [](World&) { return std::tuple(randn({3, 4}), randn({2})); },
                [](World&) {
                  Tensor t = randn({2});
                  return std::tuple(t, t);
                },
            });

const bool number_moved = program("aliases", "dimension_of_a_number_is_moved",
                                  [](World&) {
                                    return [](Tensor x) {
                                      Tensor y = x * 2;
                                      return std::tuple(frit::movedim(y, IntList{0}, IntList{-1}),
                                                        frit::movedim(x, -1, 0));
                                    };
                                  },
                                  {
                                      [](World&) { return std::tuple(leaf({})); },
                                      [](World&) { return std::tuple(randn({})); },
                                      [](World&) { return std::tuple(randn({3, 2})); },
                                  });

const bool number_moved_twice = program(
    "errors", "dimension_of_a_number_is_moved_twice",
    [](World&) { return [](Tensor x) { return frit::movedim(x, IntList{0, -1}, IntList{0, 0}); }; },
    {
        [](World&) { return std::tuple(randn({})); },
    });

// Where the empty piece begins comes from the stride of a dimension of size 1.
const bool empty_piece =
    program("aliases", "empty_piece_of_another_layout",
            [](World&) { return [](Tensor x) { return x.split_with_sizes({1, 0}, 0)[1]; }; },
            {
                [](World&) { return std::tuple(randn({1, 2})); },
                [](World&) { return std::tuple(randn({2, 1}).t()); },
                [](World&) { return std::tuple(randn({1, 3})); },
            });

}  // namespace
}  // namespace frit::corpus
