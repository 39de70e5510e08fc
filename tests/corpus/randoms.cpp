// Random ops: the same numbers as eager's, and the generator where eager leaves it.
#include "core/generator.h"
#include "corpus/program.h"

namespace frit::corpus {
namespace {

const bool dropout =
    program("random", "dropout_and_rand",
            [](World&) {
              return [](Tensor x) {
                return frit::dropout(x, 0.5, true) + frit::rand({x.size(0), x.size(1)});
              };
            },
            {
                [](World&) { return std::tuple(randn({8, 3})); },
                [](World&) { return std::tuple(randn({5, 7})); },
            });

const bool normals = program("random", "randn_and_normal",
                             [](World&) {
                               return [](Tensor x) {
                                 Tensor n = frit::randn({x.size(0)}) * 2;
                                 x.normal_(1.0, 0.5);
                                 return n + x;
                               };
                             },
                             {
                                 [](World&) { return std::tuple(randn({7})); },
                                 [](World&) { return std::tuple(randn({12})); },
                             });

const bool bernoulli =
    program("random", "bernoulli_and_randint",
            [](World&) {
              return [](Tensor x) {
                return std::tuple(x.sigmoid().bernoulli(), frit::randint(3, 9, {x.size(0)}),
                                  frit::rand_like(x, DType::f64), x.clone().uniform_(-1, 1));
              };
            },
            {
                [](World&) { return std::tuple(randn({7})); },
                [](World&) { return std::tuple(randn({10})); },
            });

const bool unused = program("random", "unused_random_numbers",
                            [](World&) {
                              return [](Tensor x) {
                                frit::rand({x.size(0), Int(3)});
                                return x + frit::rand_like(x);
                              };
                            },
                            {
                                [](World&) { return std::tuple(randn({7})); },
                                [](World&) { return std::tuple(randn({10})); },
                            });

const bool across = program("random", "random_across_a_condition",
                            [](World&) {
                              return [](Tensor x) {
                                Tensor a = x + frit::rand_like(x);
                                if (x.sum() > 0) a = a * frit::randn_like(x);
                                return a + frit::rand_like(x);
                              };
                            },
                            {
                                [](World&) { return std::tuple(frit::ones({5})); },
                                [](World&) { return std::tuple(-frit::ones({5})); },
                                [](World&) { return std::tuple(frit::ones({9})); },
                            });

const bool own_generator =
    program("random", "generator_of_its_own",
            [](World& w) {
              auto& g = w.make<std::shared_ptr<Generator>>(std::make_shared<Generator>(7));
              return [&g](Tensor x) { return x + frit::rand({x.size(0)}, g); };
            },
            {
                [](World&) { return std::tuple(randn({5})); },
            });

const bool backward_mask =
    program("random", "dropout_gradients",
            [](World&) {
              return [](Tensor x) { return frit::dropout(x.tanh(), 0.3, true).square().sum(); };
            },
            {
                [](World&) { return std::tuple(leaf({6, 5})); },
                [](World&) { return std::tuple(leaf({4, 9})); },
            },
            {.tolerance = 1e-6, .because = "sums"});

}  // namespace
}  // namespace frit::corpus
