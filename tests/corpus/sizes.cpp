// Branches and arithmetic on sizes; one entry for all of them where nothing was asked.
#include "corpus/program.h"

namespace frit::corpus {
namespace {

const bool one_entry =
    program("sizes", "pointwise_any_size",
            [](World&) { return [](Tensor x, Tensor y) { return frit::relu(x * y + 1.0); }; },
            {
                [](World&) { return std::tuple(randn({4, 3}), randn({4, 3})); },
                [](World&) { return std::tuple(randn({7, 5}), randn({7, 5})); },
                [](World&) { return std::tuple(randn({33, 17}), randn({33, 17})); },
            });

const bool parity = program("sizes", "branch_on_parity",
                            [](World&) {
                              return [](Tensor x) {
                                if (x.size(0) % 2 == 0)
                                  return x.view({x.size(0) / 2, 2, -1}).amax({1});
                                return x * 2;
                              };
                            },
                            {
                                [](World&) { return std::tuple(randn({4, 3})); },
                                [](World&) { return std::tuple(randn({5, 3})); },
                                [](World&) { return std::tuple(randn({8, 3})); },
                            });

const bool compare_two =
    program("sizes", "branch_on_two_sizes",
            [](World&) {
              return [](Tensor x, Tensor y) {
                if (x.size(0) < y.size(0)) return x.sin() + y.slice(0, 0, x.size(0));
                return x.slice(0, 0, y.size(0)).cos() - y;
              };
            },
            {
                [](World&) { return std::tuple(randn({3, 2}), randn({5, 2})); },
                [](World&) { return std::tuple(randn({6, 2}), randn({4, 2})); },
                [](World&) { return std::tuple(randn({4, 2}), randn({9, 2})); },
            });

const bool batch_of_one = program(
    "sizes", "batch_of_one", [](World&) { return [](Tensor x) { return x - x.amax({0}, true); }; },
    {
        [](World&) { return std::tuple(randn({8, 4})); },
        [](World&) { return std::tuple(randn({1, 4})); },
        [](World&) { return std::tuple(randn({3, 4})); },
    });

const bool broadcast_one =
    program("sizes", "broadcast_against_one",
            [](World&) { return [](Tensor x, Tensor y) { return x * y; }; },
            {
                [](World&) { return std::tuple(randn({4, 5}), randn({4, 1})); },
                [](World&) { return std::tuple(randn({4, 5}), randn({1, 5})); },
                [](World&) { return std::tuple(randn({6, 2}), randn({6, 1})); },
                [](World&) { return std::tuple(randn({4, 5}), randn({4, 5})); },
            });

const bool empty_tensors =
    program("sizes", "empty_tensors",
            [](World&) {
              return [](Tensor x) { return std::tuple(x * 2, x.sum(), frit::cat({x, x}, 0)); };
            },
            {
                [](World&) { return std::tuple(randn({0, 4})); },
                [](World&) { return std::tuple(randn({3, 0})); },
                [](World&) { return std::tuple(randn({3, 4})); },
            });

const bool size_as_number =
    program("sizes", "size_used_as_number",
            [](World&) {
              return [](Tensor x) {
                return x.sum({0}) / x.size(0) + frit::full({x.size(1)}, Scalar(x.size(0)));
              };
            },
            {
                [](World&) { return std::tuple(randn({4, 3})); },
                [](World&) { return std::tuple(randn({9, 6})); },
            });

const bool returned_size = program(
    "sizes", "size_is_returned",
    [](World&) { return [](Tensor x) { return std::pair(x.neg(), x.size(0) * 2 + x.size(1)); }; },
    {
        [](World&) { return std::tuple(randn({4, 3})); },
        [](World&) { return std::tuple(randn({5, 7})); },
    });

const bool loop_over_size = program("sizes", "loop_over_a_size",
                                    [](World&) {
                                      return [](Tensor x) {
                                        Tensor h = frit::zeros({x.size(1)});
                                        for (Int i = 0; i < x.size(0); i = i + 1)
                                          h = (h + x.select(0, i)).tanh();
                                        return h;
                                      };
                                    },
                                    {
                                        [](World&) { return std::tuple(randn({3, 4})); },
                                        [](World&) { return std::tuple(randn({5, 4})); },
                                    });

const bool strides = program(
    "sizes", "non_contiguous_inputs",
    [](World&) { return [](Tensor x) { return std::tuple(x + 1, x.sum({1}), x.contiguous()); }; },
    {
        [](World&) { return std::tuple(randn({4, 6})); },
        [](World&) { return std::tuple(randn({6, 4}).t()); },
        [](World&) { return std::tuple(randn({4, 12}).slice(1, 0, 12, 2)); },
        [](World&) { return std::tuple(randn({6}).expand({4, 6})); },
    },
    {.tolerance = 1e-6,
     .because = "the order of a sum depends on the layout, which the graph knows in other terms"});

const bool reshape_by_stride =
    program("sizes", "reshape_copies_or_views",
            [](World&) { return [](Tensor x) { return x.reshape({-1}); }; },
            {
                [](World&) { return std::tuple(randn({4, 6})); },
                [](World&) { return std::tuple(randn({6, 4}).t()); },
                [](World&) { return std::tuple(randn({3, 5})); },
            });

const bool ranks = program(
    "sizes", "rank_decides",
    [](World&) { return [](Tensor x) { return x.dim() == 2 ? x.t() + 1 : x.unsqueeze(0) - 1; }; },
    {
        [](World&) { return std::tuple(randn({4, 6})); },
        [](World&) { return std::tuple(randn({4})); },
        [](World&) { return std::tuple(randn({2, 3, 4})); },
    });

// A tensor that is filled with a size is no constant.
const bool filled_with_size =
    program("sizes", "filled_with_a_size",
            [](World&) {
              return [](Tensor x) {
                return std::tuple(x.sum({0}) / (frit::full({}, Scalar(x.size(0)), kFloat32) - 0.5),
                                  frit::var(x, IntList{0}, Scalar(0.5), false));
              };
            },
            {
                [](World&) { return std::tuple(randn({4, 3})); },
                [](World&) { return std::tuple(randn({7, 3})); },
            },
            {.tolerance = 1e-6, .because = "sums"});

// The stride of the dimension of size 1 is s0 in the first call, 1 in the second.
const bool stride_of_nothing = program(
    "sizes", "stride_of_a_size_of_1",
    [](World&) { return [](Tensor x, Tensor y) { return std::tuple(x + y, x * x.size(0)); }; },
    {
        [](World&) { return std::tuple(randn({1, 4}).t(), randn({3})); },
        [](World&) { return std::tuple(randn({4, 1}), randn({3})); },
        [](World&) { return std::tuple(randn({6, 1}), randn({3})); },
    });

// What the backward pass asks of sizes holds for the entry: the stride of the middle is that of
// nothing.
const bool asked_by_backward =
    program("sizes", "backward_asks_for_a_size",
            [](World&) { return [](Tensor x) { return frit::asin(x * 0.1); }; },
            {
                [](World&) {
                  return std::tuple(randn({2, 1, 2}).permute({2, 1, 0}).detach().requires_grad_());
                },
                [](World&) {
                  return std::tuple(randn({2, 1, 5}).permute({2, 1, 0}).detach().requires_grad_());
                },
            });

// What is asked after a value was read is known to the code before it.
const bool asked_after_a_value =
    program("sizes", "a_size_is_asked_for_after_a_value",
            [](World&) {
              return [](Tensor x, Tensor y) {
                x.add_(1);
                Tensor z = y.item<double>() > 0 ? y * 2 : y;
                return std::tuple(z, frit::sum_to_size(x, {2}));
              };
            },
            {
                [](World&) { return std::tuple(randn({2}), frit::ones({1})); },
                [](World&) { return std::tuple(randn({5}), frit::ones({1})); },
                [](World&) { return std::tuple(randn({2}), frit::ones({1})); },
            });

// One function for rows of several lengths, of which some fill the vectors and some do not; what
// lies behind them is no part of them.
const bool rows_of_parameters =
    program("sizes", "rows_of_several_known_lengths",
            [](World& w) {
              std::vector<Tensor> rows;
              for (int64_t n : {32, 12, 48, 1, 64, 7})
                rows.push_back(w.watch("row" + std::to_string(n),
                                       frit::full({80}, 1000.0).slice(0, 8, 8 + n)));
              return [rows](Tensor x) {
                std::vector<Tensor> sums;
                for (const Tensor& r : rows) {
                  sums.push_back(r.square().sum());
                  sums.push_back((r * x).amax());
                  r.mul_(0.5);
                }
                return frit::stack(sums);
              };
            },
            {
                [](World&) { return std::tuple(frit::full({}, 3.0)); },
                [](World&) { return std::tuple(frit::full({1}, 5.0)); },
            },
            {.tolerance = 1e-6, .because = "sums"});

// Loads whose lanes lie far apart go through blocks; pieces of work begin and end within rows.
const bool across =
    program("sizes", "layouts_across_each_other",
            [](World&) {
              return [](Tensor x, Tensor y) {
                Tensor t = x.t();
                return std::tuple(t.contiguous(), t + y, (t > 0).contiguous(), t.to(kBFloat16) * 2,
                                  (y * 10).to(kInt64).t().contiguous(), frit::where(t > 0, t, y));
              };
            },
            {
                [](World&) { return std::tuple(randn({70, 50}), randn({50, 70})); },
                [](World&) { return std::tuple(randn({400, 350}), randn({350, 400})); },
                [](World&) { return std::tuple(randn({3, 129}), randn({129, 3})); },
                [](World&) {
                  return std::tuple(randn({400, 70}).slice(0, 0, 400, 2),
                                    randn({200, 70}).t().contiguous());
                },
            });

const bool heads =
    program("sizes", "heads_of_attention",
            [](World&) {
              return [](Tensor x) {
                auto split = x.view({x.size(0), x.size(1), 4, -1});
                Tensor by_head = split.transpose(1, 2);
                return std::tuple(by_head.contiguous(), by_head.transpose(2, 3).contiguous(),
                                  by_head.transpose(1, 2).reshape(x.sizes()),
                                  split.permute({3, 1, 0, 2}).contiguous() + 1);
              };
            },
            {
                [](World&) { return std::tuple(randn({2, 65, 48})); },
                [](World&) { return std::tuple(randn({5, 7, 64})); },
                [](World&) { return std::tuple(randn({5, 64, 64})); },
            });

const bool rolled =
    program("sizes", "gone_round",
            [](World&) {
              return [](Tensor x) {
                return std::tuple(x.roll({3}, {1}), x.roll({-5, 1}, {0, 1}), x.roll({2}),
                                  (x * 2).roll({100}, {0}), x.sin().roll({1}, {1}).roll({1}, {1}));
              };
            },
            {
                [](World&) { return std::tuple(randn({6, 40})); },
                [](World&) { return std::tuple(randn({9, 2})); },
                [](World&) { return std::tuple(randn({33, 20}).t()); },
            });

const bool columns =
    program("sizes", "softmax_over_columns",
            [](World&) {
              return [](Tensor x) {
                return std::tuple(x.softmax(0), x.transpose(0, 1).softmax(0), x.log_softmax(1));
              };
            },
            {
                [](World&) { return std::tuple(leaf({20, 33, 5})); },
                [](World&) { return std::tuple(randn({70, 6, 17})); },
            },
            {.tolerance = 1e-5, .because = "sums"});

}  // namespace
}  // namespace frit::corpus
