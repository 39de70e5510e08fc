// Parts of inputs, written in the inputs' memory: rows, diagonals, and what indices name.
#include "corpus/program.h"

namespace frit::corpus {
namespace {

Tensor at(int64_t a, int64_t b) {
  return frit::stack({frit::full({}, a, DType::i64), frit::full({}, b, DType::i64)});
}

const bool swap = program("part_writes", "rows_swapped",
                          [](World&) {
                            return [](Tensor x) {
                              Tensor first = x.select(0, 0).clone();
                              x.select(0, 0).copy_(x.select(0, 1));
                              x.select(0, 1).copy_(first);
                              return x.sum();
                            };
                          },
                          {
                              [](World&) { return std::tuple(randn({3, 4})); },
                              [](World&) { return std::tuple(randn({6, 2})); },
                          },
                          {.tolerance = 1e-6, .because = "sums"});

const bool shift = program("part_writes", "rows_moved_over_each_other",
                           [](World&) {
                             return [](Tensor x) {
                               x.slice(0, 1, 4).copy_(x.slice(0, 0, 3));
                               x.slice(1, 0, 2).copy_(x.slice(1, 1, 3) * 2);
                               return x.diagonal() + 1;
                             };
                           },
                           {
                               [](World&) { return std::tuple(randn({4, 4})); },
                               [](World&) { return std::tuple(randn({7, 5})); },
                           });

const bool old_value =
    program("part_writes", "what_was_overwritten_is_read",
            [](World&) {
              return [](Tensor x, Tensor i, Tensor y) {
                Tensor before = x * 3;
                Tensor old = x.clone();
                x.select(0, 1).copy_(y.select(0, 0));
                x.index_copy_(0, i, y);
                return std::tuple(before + x, old, x - old);
              };
            },
            {
                [](World&) { return std::tuple(randn({4, 3}), at(0, 2), randn({2, 3})); },
                [](World&) { return std::tuple(randn({5, 3}), at(4, 4), randn({2, 3})); },
            });

// The second write's index is looked at before the first one is made.
const bool out_of_range = program(
    "part_writes", "index_out_of_range_after_other_writes",
    [](World&) {
      return [](Tensor x, Tensor k, Tensor v, Tensor i, Tensor y) {
        x.select(0, 0).mul_(2);
        k.index_copy_(0, i, y * x.select(0, 0));
        v.index_add_(0, i, y);
        v.scatter_(0, i.reshape({1, 2}), 5.0);
        x.index_put_({i}, y);
        return k + v;
      };
    },
    {
        [](World&) {
          return std::tuple(randn({5, 3}), randn({5, 3}), randn({5, 3}), at(3, 3), randn({2, 3}));
        },
        [](World&) {
          return std::tuple(randn({5, 3}), randn({5, 3}), randn({5, 3}), at(1, 5), randn({2, 3}));
        },
        [](World&) {
          return std::tuple(randn({6, 3}), randn({4, 3}), randn({6, 3}), at(4, 2), randn({2, 3}));
        },
        [](World&) {
          return std::tuple(randn({6, 3}), randn({6, 3}), randn({6, 3}), at(-1, 2), randn({2, 3}));
        },
    });

const bool index_written =
    program("part_writes", "the_index_is_written_too",
            [](World&) {
              return [](Tensor x, Tensor i, Tensor y) {
                i.select(0, 0).fill_(1);
                x.index_copy_(0, i, y);
                i.select(0, 1).fill_(0);
              };
            },
            {
                [](World&) { return std::tuple(randn({4, 3}), at(9, 2), randn({2, 3})); },
                [](World&) { return std::tuple(randn({4, 3}), at(2, 9), randn({2, 3})); },
            });

const bool position =
    program("part_writes", "a_position_in_data_counts_from_the_end",
            [](World&) {
              return [](Tensor x, Tensor p) {
                Int at = p.item_int();
                x.select(0, at).mul_(2);
                x.slice(1, at).add_(1);
                return x.select(0, at) * 1;
              };
            },
            {
                [](World&) { return std::tuple(randn({5, 4}), frit::full({}, 2, DType::i64)); },
                [](World&) { return std::tuple(randn({5, 4}), frit::full({}, -1, DType::i64)); },
                [](World&) { return std::tuple(randn({5, 4}), frit::full({}, 7, DType::i64)); },
            });

const bool cache =
    program("part_writes", "keys_and_values_of_layers",
            [](World&) {
              return [](Tensor keys, Tensor values, Tensor pos, Tensor x) {
                for (int64_t layer = 0; layer < 2; ++layer) {
                  Tensor k = keys.select(0, layer), v = values.select(0, layer);
                  k.index_copy_(1, pos, x);
                  v.index_copy_(1, pos, x * 2);
                  x = x + matmul(softmax(matmul(x, k.transpose(-1, -2)), -1), v);
                }
                return x;
              };
            },
            {
                [](World&) {
                  return std::tuple(randn({2, 2, 6, 4}), randn({2, 2, 6, 4}),
                                    frit::full({1}, 5, DType::i64), randn({2, 1, 4}));
                },
                [](World&) {
                  return std::tuple(randn({2, 2, 9, 4}), randn({2, 2, 9, 4}),
                                    frit::full({1}, 9, DType::i64), randn({2, 1, 4}));
                },
            },
            {.tolerance = 1e-5, .because = "matmul"});

}  // namespace
}  // namespace frit::corpus
