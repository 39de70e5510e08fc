// Sizes that only the data decides: of views, results, intermediates, saved tensors and gradients.
#include "corpus/program.h"

namespace frit::corpus {
namespace {

Tensor number(int64_t n) { return frit::scalar_tensor(n, DType::i64); }

// A leaf and a count of its rows.
using Counted = std::vector<std::function<std::tuple<Tensor, Tensor>(World&)>>;
Counted counted(bool gradients) {
  Counted calls;
  for (int64_t n : {3, 0, 1, 20, 57})
    calls.push_back([n, gradients](World&) {
      Tensor x = randn({20, 5});
      return std::tuple(gradients ? x.requires_grad_() : x, number(n));
    });
  return calls;
}

// Values of which many, none, one and all are positive.
using Signed = std::vector<std::function<std::tuple<Tensor>(World&)>>;
Signed positive(bool gradients) {
  auto with = [gradients](std::function<Tensor()> make) {
    return [gradients, make](World&) {
      Tensor x = make();
      return std::tuple(gradients ? x.requires_grad_() : x);
    };
  };
  return {
      with([] { return randn({20, 5}); }),
      with([] { return -randn({20, 5}).abs(); }),
      with([] {
        Tensor x = -randn({20, 5}).abs();
        x.select(0, 7).select(0, 2).fill_(2.0);
        return x;
      }),
      with([] { return randn({9, 4}).abs() + 1; }),
  };
}

const bool slice_relu = program(
    "data_sizes", "slice_to_item_int_relu",
    [](World&) { return [](Tensor x, Tensor k) { return x.slice(0, 0, k.item_int()).relu(); }; },
    counted(false));

const bool slice_relu_grad = program(
    "data_sizes", "slice_to_item_int_relu_gradients",
    [](World&) { return [](Tensor x, Tensor k) { return x.slice(0, 0, k.item_int()).relu(); }; },
    counted(true));

const bool slice_view = program(
    "data_sizes", "slice_to_item_int_view",
    [](World&) { return [](Tensor x, Tensor k) { return x.slice(0, 0, k.item_int()); }; },
    counted(true));

const bool slice_sums = program(
    "data_sizes", "slice_to_item_int_sums",
    [](World&) {
      return [](Tensor x, Tensor k) {
        Tensor y = x.slice(0, 0, k.item_int());
        return std::tuple(y.sum(), y.exp().sum({0}), y.sum({1}), frit::softmax(y, 0));
      };
    },
    counted(true));

const bool made_of_counts = program(
    "data_sizes", "zeros_full_arange_of_item_int",
    [](World&) {
      return [](Tensor x, Tensor k) {
        Int n = k.item_int();
        return std::tuple(frit::zeros({n}), frit::full({n, x.size(1)}, 2.0) + x.sum(),
                          frit::arange(Scalar(n)), frit::zeros({n, 2}).sum());
      };
    },
    counted(true));

const bool counts_below_zero =
    program("data_sizes", "zeros_of_a_negative_count",
            [](World&) { return [](Tensor k) { return frit::zeros({k.item_int()}) + 1.0; }; },
            {
                [](World&) { return std::tuple(number(4)); },
                [](World&) { return std::tuple(number(-3)); },
                [](World&) { return std::tuple(number(2)); },
            });

const bool product_with_number = program(
    "data_sizes", "times_item_int",
    [](World&) { return [](Tensor x, Tensor k) { return x * Scalar(k.item_int()); }; },
    counted(true));

const bool two_counts = program(
    "data_sizes", "two_counts_meet",
    [](World&) {
      return [](Tensor x, Tensor k) {
        Int n = k.item_int(), m = (k + 2).item_int();
        Tensor a = x.slice(0, 0, n), b = frit::ones({m, 5});
        return std::tuple(frit::cat({a, b}, 0) * 2, b.sum({0}) + x);
      };
    },
    counted(true));

const bool places = program(
    "data_sizes", "nonzero",
    [](World&) { return [](Tensor x) { return std::tuple(frit::nonzero(x > 0), x.sum()); }; },
    positive(true));

const bool place_numbers = program(
    "data_sizes", "nonzero_and_its_count",
    [](World&) {
      return [](Tensor x) {
        Tensor at = frit::nonzero(x > 0);
        return std::tuple(frit::zeros({at.size(0), 3}), at.sum(), x * Scalar(at.size(0)),
                          at.size(0) + 1);
      };
    },
    positive(true));

const bool places_of_a_number =
    program("data_sizes", "nonzero_of_a_number",
            [](World&) {
              return [](Tensor x) {
                return std::tuple(frit::nonzero(x), frit::nonzero_numpy(x)[0],
                                  x.masked_select(x > 0), frit::nonzero(x.reshape({1})) * 2);
              };
            },
            {
                [](World&) { return std::tuple(frit::full({}, 2.0)); },
                [](World&) { return std::tuple(frit::full({}, 0.0)); },
                [](World&) { return std::tuple(frit::full({}, 0.0)); },
                [](World&) { return std::tuple(frit::full({}, -1.0)); },
            });

// What a check says of a size is looked at, although nothing else needs the size then.
const bool number_squeezed =
    program("data_sizes", "nonzero_of_a_number_squeezed",
            [](World&) { return [](Tensor x) { return frit::nonzero(x).squeeze_(); }; },
            {
                [](World&) { return std::tuple(frit::full({}, 0.0)); },
                [](World&) { return std::tuple(frit::full({}, 2.0)); },
                [](World&) { return std::tuple(frit::full({}, 0.0)); },
            });

const bool count_is_known =
    program("data_sizes", "masked_select_as_many_as_something_else",
            [](World&) {
              return [](Tensor x, Tensor y) {
                Tensor few = x.masked_select(x > 0), others = y.masked_select(y > 0);
                return std::tuple(few + frit::ones({3}), few * others);
              };
            },
            {
                [](World&) { return std::tuple(frit::arange(4.0), frit::arange(4.0)); },
                [](World&) { return std::tuple(frit::arange(4.0) - 2, frit::arange(4.0)); },
                [](World&) { return std::tuple(3 - frit::arange(4.0), frit::arange(4.0)); },
                [](World&) { return std::tuple(frit::arange(4.0), frit::arange(2.0)); },
            });

// Its memory holds column after column, and so does what is computed from it.
const bool computed_places = program("data_sizes", "arithmetic_on_what_nonzero_gave",
                                     [](World&) {
                                       return [](Tensor x) {
                                         Tensor at = frit::nonzero(x > 0);
                                         Tensor twice = at * 2, sum = at + frit::arange(2);
                                         return std::tuple(twice, sum, twice.t() + 1);
                                       };
                                     },
                                     {
                                         [](World&) { return std::tuple(randn({20, 5})); },
                                         [](World&) { return std::tuple(randn({9, 4}).abs() + 1); },
                                     });

const bool selected = program(
    "data_sizes", "masked_select",
    [](World&) { return [](Tensor x) { return x.masked_select(x > 0); }; }, positive(false));

const bool selected_grad = program(
    "data_sizes", "masked_select_gradients",
    [](World&) { return [](Tensor x) { return x.masked_select(x > 0).exp(); }; }, positive(true));

const bool indexed = program(
    "data_sizes", "index_by_mask", [](World&) { return [](Tensor x) { return x.index({x > 0}); }; },
    positive(true));

const bool indexed_sum = program(
    "data_sizes", "index_by_mask_square_sum",
    [](World&) { return [](Tensor x) { return x.index({x > 0}).square().sum(); }; },
    positive(true));

const bool rows_by_mask =
    program("data_sizes", "rows_by_mask_through_a_product",
            [](World& w) {
              Tensor weight = w.watch("weight", leaf({5, 3}));
              return [weight](Tensor x, Tensor k) {
                Tensor rows = x.index({frit::arange(x.size(0)) < k});
                return frit::tanh(frit::matmul(rows, weight) + 1.0);
              };
            },
            counted(true), {.tolerance = 1e-6, .because = "sums of products in another order"});

const bool normalised_rows =
    program("data_sizes", "rows_by_mask_normalised",
            [](World&) {
              return [](Tensor x, Tensor k) {
                Tensor rows = x.index({frit::arange(x.size(0)) < k});
                Tensor y = frit::layer_norm(rows, {5});
                return std::tuple(y, frit::log_softmax(rows, 1), y.transpose(0, 1) * 2);
              };
            },
            counted(true), {.tolerance = 1e-5, .because = "a derivative in another order"});

const bool two_masks = program(
    "data_sizes", "two_masks",
    [](World&) {
      return [](Tensor x) {
        Tensor a = x.masked_select(x > 0), b = x.masked_select(x > 1);
        return std::tuple(frit::cat({a * 2, b}, 0), a.sum() * b.sum());
      };
    },
    positive(true));

const bool mask_of_selected = program(
    "data_sizes", "mask_of_what_a_mask_gave",
    [](World&) {
      return [](Tensor x) {
        Tensor a = x.masked_select(x > 0);
        return a.masked_select(a < 1).relu();
      };
    },
    positive(true));

const bool classes =
    program("data_sizes", "one_hot_of_all_classes",
            [](World&) { return [](Tensor t) { return frit::one_hot(t).to(DType::f32) * 2; }; },
            {
                [](World&) { return std::tuple(randint(0, 4, {6})); },
                [](World&) { return std::tuple(randint(0, 9, {6})); },
                [](World&) { return std::tuple(randint(0, 1, {6})); },
            });

const bool drawn = program(
    "data_sizes", "random_of_a_count",
    [](World&) {
      return [](Tensor x, Tensor k) {
        Tensor r = frit::rand({k.item_int(), 5});
        return std::tuple(r, frit::rand_like(x));
      };
    },
    counted(false));

const bool trained = program(
    "data_sizes", "backward_inside",
    [](World& w) {
      Tensor weight = w.watch("weight", leaf({5}));
      return [weight](Tensor x, Tensor k) {
        Tensor rows = x.slice(0, 0, k.item_int()) * weight;
        Tensor kept = rows.masked_select(rows > 0);
        kept.square().sum().backward();
        return kept.detach();
      };
    },
    counted(false));

const bool state_written = program(
    "data_sizes", "rows_of_state_are_written",
    [](World& w) {
      Tensor state = w.watch("state", frit::zeros({20, 5}));
      return [state](Tensor x, Tensor k) {
        Tensor rows = x.slice(0, 0, k.item_int());
        state.slice(0, 0, k.item_int()).copy_(rows * 2);
        state.add_(1.0);
        return rows.exp();
      };
    },
    counted(false));

const bool then_value = program(
    "data_sizes", "a_count_then_a_condition",
    [](World&) {
      return [](Tensor x, Tensor k) {
        Tensor rows = x.slice(0, 0, k.item_int()).relu();
        if (rows.sum() > 20) return rows * 2;
        return rows - rows.size(0);
      };
    },
    counted(false));

const bool view_of_selected = program(
    "data_sizes", "views_of_what_a_mask_gave",
    [](World&) {
      return [](Tensor x) {
        Tensor a = x.masked_select(x > 0) * 2;
        return std::tuple(a.unsqueeze(0), a, frit::nonzero(x > 0).select(1, 0));
      };
    },
    positive(false));

// With no row or one, the rows as they lie are contiguous in the other order too: no copy then.
const bool rows_turned = program(
    "data_sizes", "rows_transposed_and_laid_out",
    [](World&) {
      return [](Tensor x, Tensor k) {
        Tensor rows = x.slice(0, 0, k.item_int()).exp();
        return std::tuple(rows, rows.t().contiguous(), rows.t().reshape({-1}));
      };
    },
    counted(false));

// nonzero() lays its columns out one after the other, and what is computed from it keeps that.
const bool nonzero_layout = program("data_sizes", "layout_of_what_nonzero_gave",
                                    [](World&) {
                                      return [](Tensor x) {
                                        Tensor at = frit::nonzero(x > 0);
                                        return std::tuple(at, at / 2.0, at * at);
                                      };
                                    },
                                    {
                                        [](World&) { return std::tuple(randn({20, 5})); },
                                        [](World&) { return std::tuple(randn({9, 4}).abs() + 1); },
                                    });

// How many dimensions the result has is for the data.
const bool squeezed = program(
    "data_sizes", "squeeze_of_what_nonzero_gave",
    [](World&) { return [](Tensor x) { return frit::nonzero((x > 0).flatten()).squeeze(); }; },
    positive(false), {.native = false});

// [u0, 0]: elements of none, but as many rows as there are.
const bool of_nothing = program(
    "data_sizes", "reductions_over_no_elements",
    [](World&) {
      return [](Tensor x) {
        Tensor none = frit::nonzero(x > 0).slice(1, 0, 0);
        return std::tuple(none.sum(), none.sum(IntList{0}), none.sum(IntList{1}), none.any());
      };
    },
    positive(false));

// The first element is what distances are measured from, if there is one.
const bool spread = program(
    "data_sizes", "variance_of_what_a_mask_leaves",
    [](World&) {
      return [](Tensor x) {
        Tensor left = x.masked_select(x > 0);
        return std::tuple(left.var(), left.unsqueeze(1).std(0));
      };
    },
    positive(false));

}  // namespace
}  // namespace frit::corpus
