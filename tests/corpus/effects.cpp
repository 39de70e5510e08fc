// Side effects in host_call, values read late, views with offsets of their own.
#include "corpus/program.h"

namespace frit::corpus {
namespace {

const bool host = program("effects", "host_call_between_ops",
                          [](World& w) {
                            return [&w](Tensor x) {
                              Int n = x.size(0);
                              Tensor y = (x + 1).sin();
                              frit::host_call([&] { w.log.push_back("between"); });
                              return y * Scalar(n);
                            };
                          },
                          {
                              [](World&) { return std::tuple(randn({4})); },
                              [](World&) { return std::tuple(randn({7})); },
                          });

const bool host_after_value = program("effects", "host_call_after_a_condition",
                                      [](World& w) {
                                        return [&w](Tensor x) {
                                          x.add_(1);
                                          if (x.sum() > 0) {
                                            frit::host_call([&] { w.log.push_back("positive"); });
                                            return x * 2;
                                          }
                                          return x - frit::rand_like(x);
                                        };
                                      },
                                      {
                                          [](World&) { return std::tuple(frit::ones({4})); },
                                          [](World&) { return std::tuple(-frit::full({4}, 3.0)); },
                                      });

const bool value_late = program("effects", "value_after_backward",
                                [](World& w) {
                                  Tensor p = w.watch("p", leaf({3}));
                                  return [p](Tensor x) {
                                    Tensor loss = (p * x).square().sum();
                                    loss.backward();
                                    if (loss > 1.0) return loss.detach() * 2;
                                    return loss.detach();
                                  };
                                },
                                {
                                    [](World&) { return std::tuple(randn({3})); },
                                    [](World&) { return std::tuple(randn({3}) * 0.01); },
                                },
                                {.tolerance = 1e-5, .because = "sums", .gradients = false});

const bool offset_as_strided =
    program("effects", "as_strided_of_a_view",
            [](World&) {
              return [](Tensor x) {
                return x.as_strided({2, 2}, {1, 2}, 1) + x.as_strided({2, 2}, {2, 1});
              };
            },
            {
                [](World&) { return std::tuple(randn({12})); },
                [](World&) { return std::tuple(randn({14}).slice(0, 2)); },
            });

const bool begins_inside =
    program("effects", "as_strided_from_where_the_tensor_begins",
            [](World&) {
              return [](Tensor x) { return frit::hardtanh(x.as_strided({x.size(0)}, {1}), -1, 1); };
            },
            {
                [](World&) { return std::tuple(randn({9})); },
                [](World&) { return std::tuple(randn({9}).slice(0, 3)); },
                [](World&) { return std::tuple(randn({7}).slice(0, 1, {}, 2)); },
                [](World&) { return std::tuple(randn({2}).slice(0, 1, {}, 2)); },
            });

const bool scattered_inside =
    program("effects", "as_strided_scatter_counts_from_the_storage",
            [](World&) {
              return [](Tensor x, Tensor y) {
                Tensor z = x * 2, inner = z.slice(0, 1);
                return std::tuple(frit::as_strided_scatter(x, y, {2}, {2}, 2),
                                  frit::as_strided_scatter(inner, y, {2}, {1}, 2),
                                  frit::as_strided_scatter(inner, y, {2}, {1}));
              };
            },
            {
                [](World&) { return std::tuple(leaf({7}), leaf({2})); },
                [](World&) { return std::tuple(randn({8}).slice(0, 1), randn({2})); },
                [](World&) { return std::tuple(randn({8}).slice(0, 2), randn({2})); },
                [](World&) { return std::tuple(randn({9}), randn({2})); },
            });

const bool scattered_before =
    program("effects", "as_strided_scatter_before_the_tensor",
            [](World&) {
              return [](Tensor x) {
                frit::as_strided_scatter(x, x, {}, {}, 0);
                return x + 1;
              };
            },
            {
                [](World&) { return std::tuple(randn({})); },
                [](World&) { return std::tuple(randn({2}).select(0, 1)); },
            });

const bool returned_offset =
    program("effects", "storage_offset_is_read",
            [](World&) {
              return [](Tensor x) { return std::pair(x + 1, x.select(0, 1).storage_offset()); };
            },
            {
                [](World&) { return std::tuple(randn({4, 3})); },
                [](World&) { return std::tuple(randn({6, 3}).slice(0, 2)); },
            });

const bool grad_read = program("effects", "grad_is_read",
                               [](World& w) {
                                 Tensor p = w.watch("p", leaf({3}));
                                 return [p](Tensor x) {
                                   Tensor before = p.grad();
                                   (p * x).sum().backward();
                                   return before.defined() ? p.grad() - before : p.grad() * 1;
                                 };
                               },
                               {
                                   [](World&) { return std::tuple(randn({3})); },
                               },
                               {.gradients = false});

}  // namespace
}  // namespace frit::corpus
