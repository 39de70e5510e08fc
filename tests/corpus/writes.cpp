// In-place ops on inputs, views and other aliases.
#include "corpus/program.h"

namespace frit::corpus {
namespace {

const bool input = program("writes", "write_an_input",
                           [](World&) {
                             return [](Tensor x) {
                               x.add_(1).mul_(2);
                               return x.amax();
                             };
                           },
                           {
                               [](World&) { return std::tuple(randn({3, 4})); },
                               [](World&) { return std::tuple(randn({5, 4})); },
                           });

const bool row = program("writes", "write_a_row",
                         [](World&) {
                           return [](Tensor x) {
                             x.select(0, 1).mul_(2);
                             return x + 0.5;
                           };
                         },
                         {
                             [](World&) { return std::tuple(randn({3, 4})); },
                             [](World&) { return std::tuple(randn({6, 2})); },
                         });

const bool chained = program("writes", "write_through_chained_views",
                             [](World&) {
                               return [](Tensor x) {
                                 Tensor v = x.transpose(0, 1).slice(0, 1, 3).select(1, 0);
                                 v.fill_(7);
                                 Tensor d = x.diagonal();
                                 d.neg_();
                                 return std::tuple(v, x.slice(1, 0, 2) * 1);
                               };
                             },
                             {
                                 [](World&) { return std::tuple(randn({4, 4})); },
                                 [](World&) { return std::tuple(randn({5, 6})); },
                             });

const bool strided = program("writes", "write_through_as_strided",
                             [](World&) {
                               return [](Tensor x) {
                                 Tensor v = x.as_strided({2, 2}, {1, 2}, 1);
                                 v.add_(10);
                                 return x * 2;
                               };
                             },
                             {
                                 [](World&) { return std::tuple(randn({3, 4})); },
                                 [](World&) { return std::tuple(randn({4, 4})); },
                             });

const bool alias_read = program("writes", "write_one_alias_read_another",
                                [](World&) {
                                  return [](Tensor x) {
                                    Tensor y = x * 1;
                                    Tensor a = y.view({-1}), b = y.t();
                                    a.add_(1);
                                    Tensor c = b * 2;
                                    b.select(0, 0).zero_();
                                    return std::tuple(a, c, y.sum({0}));
                                  };
                                },
                                {
                                    [](World&) { return std::tuple(randn({3, 4})); },
                                    [](World&) { return std::tuple(randn({2, 5})); },
                                },
                                {.tolerance = 1e-6, .because = "sums of another layout"});

const bool local_views = program("writes", "views_of_a_local_are_returned",
                                 [](World&) {
                                   return [](Tensor x) {
                                     Tensor y = x + 1;
                                     Tensor top = y.slice(0, 0, 2), rest = y.slice(0, 2);
                                     rest.mul_(-1);
                                     return std::tuple(top, rest);
                                   };
                                 },
                                 {
                                     [](World&) { return std::tuple(randn({4, 3})); },
                                     [](World&) { return std::tuple(randn({7, 3})); },
                                 });

const bool same_twice = program("writes", "same_tensor_twice_one_written",
                                [](World&) {
                                  return [](Tensor x, Tensor y) {
                                    x.add_(1);
                                    return y * 2;
                                  };
                                },
                                {
                                    [](World&) {
                                      Tensor t = randn({3, 4});
                                      return std::tuple(t, t);
                                    },
                                    [](World&) { return std::tuple(randn({3, 4}), randn({3, 4})); },
                                    [](World&) {
                                      Tensor t = randn({5, 4});
                                      return std::tuple(t, t);
                                    },
                                });

const bool two_views = program("writes", "two_views_of_one_base_one_written",
                               [](World&) {
                                 return [](Tensor x, Tensor y) {
                                   x.mul_(3);
                                   Tensor z = y + 1;
                                   y.select(0, 0).zero_();
                                   return std::tuple(z, x * 1);
                                 };
                               },
                               {
                                   [](World&) {
                                     Tensor t = randn({4, 6});
                                     return std::tuple(t.slice(0, 0, 3), t.slice(0, 1, 4));
                                   },
                                   [](World&) {
                                     Tensor t = randn({6, 4});
                                     return std::tuple(t.slice(0, 0, 3), t.slice(0, 2, 5));
                                   },
                                   [](World&) { return std::tuple(randn({3, 4}), randn({3, 4})); },
                                   [](World&) {
                                     Tensor t = randn({8, 4});
                                     return std::tuple(t.slice(0, 0, 3), t.slice(0, 4, 7));
                                   },
                               });

// The same layouts and offsets: only whose memory it is tells them apart.
const bool one_base_or_two = program(
    "writes", "views_of_one_base_then_of_two",
    [](World&) {
      return [](Tensor x, Tensor y) {
        x.add_(1);
        return y * 2;
      };
    },
    {
        [](World&) {
          Tensor t = randn({8});
          return std::tuple(t.slice(0, 0, 4), t.slice(0, 2, 6));
        },
        [](World&) { return std::tuple(randn({8}).slice(0, 0, 4), randn({8}).slice(0, 2, 6)); },
        [](World&) {
          Tensor t = randn({8});
          return std::tuple(t.slice(0, 0, 2), t.slice(0, 2, 6));
        },
    });

const bool one_base_only_read =
    program("writes", "returned_views_of_one_base_then_of_two",
            [](World&) {
              return [](Tensor x, Tensor y, Tensor z) {
                y.add_(1);
                return std::tuple(x, x + z);
              };
            },
            {
                [](World&) {
                  Tensor t = randn({8});
                  return std::tuple(t.slice(0, 0, 4), t.slice(0, 1, 5), t.slice(0, 2, 6));
                },
                [](World&) {
                  Tensor t = randn({8}), u = randn({8});
                  return std::tuple(t.slice(0, 0, 4), t.slice(0, 1, 5), u.slice(0, 2, 6));
                },
                [](World&) {
                  Tensor t = randn({8}), u = randn({8});
                  return std::tuple(t.slice(0, 0, 4), u.slice(0, 1, 5), t.slice(0, 2, 6));
                },
            });

const bool overlap_read =
    program("writes", "overlapping_inputs_only_read",
            [](World&) { return [](Tensor x, Tensor y) { return x * y; }; },
            {
                [](World&) {
                  Tensor t = randn({5, 4});
                  return std::tuple(t.slice(0, 0, 4), t.slice(0, 1, 5));
                },
                [](World&) { return std::tuple(randn({4, 4}), randn({4, 4})); },
                [](World&) {
                  Tensor t = randn({4, 4});
                  return std::tuple(t, t.t());
                },
            });

const bool captured = program("writes", "captured_tensor_is_written",
                              [](World& w) {
                                Tensor total = w.watch("total", frit::zeros({4}));
                                return [total](Tensor x) {
                                  total.add_(x.sum({0}));
                                  return total * 2;
                                };
                              },
                              {
                                  [](World&) { return std::tuple(randn({3, 4})); },
                                  [](World&) { return std::tuple(randn({6, 4})); },
                              },
                              {.tolerance = 1e-6, .because = "sums"});

const bool captured_outside = program("writes", "captured_tensor_changes_outside",
                                      [](World& w) {
                                        Tensor scale = w.watch("scale", frit::ones({4}));
                                        return [scale](Tensor x) { return x * scale; };
                                      },
                                      {
                                          [](World& w) {
                                            w.watched()[0].second.add_(1);
                                            return std::tuple(randn({3, 4}));
                                          },
                                          [](World& w) {
                                            w.watched()[0].second.mul_(3);
                                            return std::tuple(randn({2, 4}));
                                          },
                                      });

const bool index_put =
    program("writes", "indexed_write",
            [](World&) {
              return [](Tensor x, Tensor i) {
                x.index_put_({i}, frit::full({2, 3}, -1.0));
                return x.index({indexing::Slice{0, 2}, 1});
              };
            },
            {
                [](World&) { return std::tuple(randn({5, 3}), randint(0, 5, {2})); },
                [](World&) { return std::tuple(randn({8, 3}), randint(0, 8, {2})); },
            });

const bool copy_into =
    program("writes", "copy_with_another_dtype",
            [](World&) {
              return [](Tensor x, Tensor y) {
                x.copy_(y);
                return x.view({-1}).slice(0, 1);
              };
            },
            {
                [](World&) { return std::tuple(randn({2, 3}), randint(0, 9, {2, 3})); },
                [](World&) { return std::tuple(randn({2, 3}, DType::bf16), randn({2, 3})); },
                [](World&) { return std::tuple(randn({4, 3}), randint(0, 9, {3})); },
            });

const bool swap_rows = program("writes", "swap_through_a_copy",
                               [](World&) {
                                 return [](Tensor x) {
                                   Tensor first = x.select(0, 0).clone();
                                   x.select(0, 0).copy_(x.select(0, 1));
                                   x.select(0, 1).copy_(first);
                                 };
                               },
                               {
                                   [](World&) { return std::tuple(randn({2, 3})); },
                                   [](World&) { return std::tuple(randn({4, 5})); },
                               });

// Backward must see what the input held before it was written.
const bool read_by_backward =
    program("writes", "input_that_backward_reads",
            [](World&) {
              return [](Tensor x, Tensor mask, Tensor v) {
                mask.logical_not_();
                v.expm1_();
                return frit::where(mask, x, 0.5) * (v + x).exp();
              };
            },
            {
                [](World&) { return std::tuple(leaf({3, 4}), randn({3, 4}) > 0, randn({3, 4})); },
                [](World&) { return std::tuple(leaf({5, 2}), randn({5, 2}) > 0, randn({5, 2})); },
            },
            {.tolerance = 1e-6, .because = "exp is of a sum that is computed again"});

const bool empty_view = program("writes", "empty_expanded_view",
                                [](World&) {
                                  return [](Tensor x) {
                                    x.expand({1, 0}).gt_(2);
                                    return x + 1;
                                  };
                                },
                                {
                                    [](World&) { return std::tuple(randn({})); },
                                    [](World&) { return std::tuple(randn({1})); },
                                });

// All repeats of an element are one place.
const bool one_repeat = program("writes", "one_repeat_of_an_expanded_tensor",
                                [](World&) {
                                  return [](Tensor x) {
                                    Tensor all = x.expand({4, 3}),
                                           two = all.select(0, 1).slice(0, 0, 2);
                                    two.mul_(2);
                                    return std::tuple(x * 3, all + 1, two);
                                  };
                                },
                                {
                                    [](World&) { return std::tuple(randn({3})); },
                                    [](World&) { return std::tuple(randn({1, 3})); },
                                    [](World&) { return std::tuple(randn({6}).slice(0, 0, 6, 2)); },
                                });

const bool one_window = program("writes", "one_of_overlapping_windows",
                                [](World&) {
                                  return [](Tensor x) {
                                    Tensor y = x * 2;
                                    Tensor windows = y.unfold(0, 3, 1);
                                    windows.select(0, 1).add_(10);
                                    return std::tuple(y, windows * 1);
                                  };
                                },
                                {
                                    [](World&) { return std::tuple(randn({6})); },
                                    [](World&) { return std::tuple(randn({9})); },
                                    [](World&) { return std::tuple(leaf({7})); },
                                });

// Left to eager: no graph says where these elements lie.
const bool expanded_input =
    program("writes", "row_of_an_expanded_input",
            [](World&) {
              return [](Tensor x) {
                Tensor row = x.select(0, 0);
                row.mul_(row);
                return row * 1;
              };
            },
            {
                [](World&) { return std::tuple(randn({4}).expand({3, 4})); },
                [](World&) { return std::tuple(randn({2}).expand({5, 2})); },
            },
            {.native = false});

const bool gaps = program("writes", "new_tensor_with_gaps",
                          [](World&) {
                            return [](Tensor x) {
                              Tensor y = frit::empty_strided({3, 2}, {3, 2}).zero_();
                              y.add_(x);
                              return y;
                            };
                          },
                          {
                              [](World&) { return std::tuple(randn({2})); },
                              [](World&) { return std::tuple(randn({1})); },
                          },
                          {.native = false});

// The result is of what the tensor was before it was resized.
const bool resized_operand =
    program("writes", "out_is_the_operand_and_is_resized",
            [](World&) {
              return [](Tensor x) {
                Tensor y = x * 2;
                return std::tuple(frit::sum_out(y, y, IntList{1}, false), y);
              };
            },
            {
                [](World&) { return std::tuple(randn({3, 4})); },
                [](World&) { return std::tuple(randn({2, 0})); },
            },
            {.native = false});

// The tape does not see the new sizes.
const bool unseen_sizes = program("writes", "an_in_place_view_without_gradients",
                                  [](World&) {
                                    return [](Tensor x) {
                                      Tensor y = x.exp();
                                      NoGrad off;
                                      y.unsqueeze_(0);
                                      return y;
                                    };
                                  },
                                  {
                                      [](World&) { return std::tuple(leaf({3, 4})); },
                                  },
                                  {.native = false});

// The graph after the branch is made later than the one before it, and knows other things of sizes.
const bool state_around_a_branch =
    program("writes", "state_before_and_after_a_branch",
            [](World& w) {
              Tensor state = w.watch("state", frit::ones({2}));
              return [state](Tensor x) {
                state.add_(1);
                Tensor z = x * 2;
                if (bool(z.sum() > 0))
                  z = z + 1;
                else
                  z = z - 1;
                state.mul_(2);
                return z * state;
              };
            },
            {
                [](World&) { return std::tuple(frit::full({2}, 1.0)); },
                [](World&) { return std::tuple(frit::full({2}, -1.0)); },
            });

}  // namespace
}  // namespace frit::corpus
