// What may be passed and returned besides tensors; nested compiled callables.
#include "corpus/program.h"

namespace frit::corpus {
namespace {

const bool numbers = program("arguments", "numbers",
                             [](World&) {
                               return [](Tensor x, double scale, int n, bool flip) {
                                 Tensor y = x * scale + n;
                                 return flip ? -y : y;
                               };
                             },
                             {
                                 [](World&) { return std::tuple(randn({4}), 0.5, 2, true); },
                                 [](World&) { return std::tuple(randn({4}), 0.25, 2, true); },
                                 [](World&) { return std::tuple(randn({4}), 0.5, 3, false); },
                             });

const bool lists = program(
    "arguments", "vectors_of_tensors",
    [](World&) {
      return [](std::vector<Tensor> xs) {
        Tensor total = xs[0];
        for (size_t i = 1; i < xs.size(); ++i) total = total + xs[i];
        xs.push_back(total);
        return xs;
      };
    },
    {
        [](World&) { return std::tuple(std::vector<Tensor>{randn({4}), randn({4})}); },
        [](World&) { return std::tuple(std::vector<Tensor>{randn({4}), randn({4}), randn({4})}); },
    });

const bool optionals = program(
    "arguments", "optionals_and_tuples",
    [](World&) {
      return [](std::optional<Tensor> bias, std::pair<Tensor, double> p) {
        Tensor y = p.first * p.second;
        if (bias) y = y + *bias;
        return std::tuple(
            y, std::optional<Tensor>(bias ? std::optional<Tensor>(y.neg()) : std::nullopt), 3.5,
            size_t{2});
      };
    },
    {
        [](World&) { return std::tuple(std::optional<Tensor>(), std::pair(randn({3}), 2.0)); },
        [](World&) {
          return std::tuple(std::optional<Tensor>(randn({3})), std::pair(randn({3}), 2.0));
        },
    });

const bool undefined = program("arguments", "undefined_tensors",
                               [](World&) {
                                 return [](Tensor x, Tensor mask) {
                                   return std::tuple(mask.defined() ? x * mask : x + 1, Tensor());
                                 };
                               },
                               {
                                   [](World&) { return std::tuple(randn({3}), Tensor()); },
                                   [](World&) { return std::tuple(randn({3}), randn({3})); },
                               });

const bool nested = program("arguments", "compiled_calls_compiled",
                            [](World& w) {
                              auto inner = compile([](Tensor x) { return x.sin() + 1; },
                                                   CompileOptions{.backend = Backend::eager});
                              return [inner](Tensor x) { return inner(x) * inner(x.cos()); };
                            },
                            {
                                [](World&) { return std::tuple(randn({4})); },
                                [](World&) { return std::tuple(leaf({6})); },
                            });

const bool by_reference =
    program("arguments", "const_references",
            [](World&) {
              return [](const Tensor& x, const std::vector<int64_t>& dims) {
                return x.permute(dims) * 1.5;
              };
            },
            {
                [](World&) { return std::tuple(randn({2, 3, 4}), std::vector<int64_t>{2, 0, 1}); },
                [](World&) { return std::tuple(randn({5, 2, 3}), std::vector<int64_t>{0, 2, 1}); },
            });

const bool no_arguments = program("arguments", "no_arguments",
                                  [](World& w) {
                                    Tensor state = w.watch("state", frit::zeros({3}));
                                    return [state]() { return state.add_(1) * 2; };
                                  },
                                  {
                                      [](World&) { return std::tuple(); },
                                  });

const bool attention = program(
    "arguments", "attention",
    [](World&) {
      return [](Tensor q, Tensor k, Tensor v) {
        Tensor scores = frit::matmul(q, k.transpose(-2, -1)) / std::sqrt(8.0);
        return frit::matmul(frit::softmax(scores, -1), v);
      };
    },
    {
        [](World&) { return std::tuple(randn({2, 5, 8}), randn({2, 5, 8}), randn({2, 5, 8})); },
        [](World&) { return std::tuple(leaf({3, 7, 8}), randn({3, 4, 8}), leaf({3, 4, 8})); },
    },
    {.tolerance = 1e-5, .because = "matmul"});

}  // namespace
}  // namespace frit::corpus
