// Modules: shared and replaced parameters, modes, requires_grad.
#include "corpus/program.h"

namespace frit::corpus {
namespace {

struct Mlp : nn::Module {
  nn::Linear up{*this, "up", 6, 10}, down{*this, "down", 10, 4};
  nn::Dropout drop{*this, "drop", 0.25};
  nn::LayerNorm norm{*this, "norm", 6};
  Tensor forward(Tensor x) { return down(drop(frit::relu(up(norm(x))))); }
};

struct Tied : nn::Module {
  nn::Linear in{*this, "in", 5, 5}, out{*this, "out", 5, 5};
  Tied() { out.weight = in.weight.tensor(); }
  Tensor forward(Tensor x) { return out(frit::tanh(in(x))); }
};

constexpr Traits kMatmul{.tolerance = 1e-5, .because = "matmul"};

const bool forward = program(
    "modules", "mlp_forward",
    [](World& w) {
      Mlp& m = w.module<Mlp>();
      return [&m](Tensor x) { return m.forward(x); };
    },
    {
        [](World&) { return std::tuple(randn({8, 6})); },
        [](World&) { return std::tuple(randn({3, 6})); },
        [](World&) { return std::tuple(randn({1, 6})); },
    },
    kMatmul);

const bool modes = program(
    "modules", "train_and_eval",
    [](World& w) {
      Mlp& m = w.module<Mlp>();
      return [&m](Tensor x) { return m.forward(x); };
    },
    {
        [](World& w) {
          w.module()->train();
          return std::tuple(randn({8, 6}));
        },
        [](World& w) {
          w.module()->eval();
          return std::tuple(randn({8, 6}));
        },
    },
    kMatmul);

const bool shared = program(
    "modules", "shared_parameter",
    [](World& w) {
      Tied& m = w.module<Tied>();
      return [&m](Tensor x) { return m.forward(x).sum(); };
    },
    {
        [](World&) { return std::tuple(randn({4, 5})); },
        [](World&) { return std::tuple(randn({7, 5})); },
    },
    kMatmul);

// The same names, now one tensor, now two, with an optimiser's writes and gradients in the graph.
const bool untied = program(
    "modules", "tied_and_untied",
    [](World& w) {
      Tied& m = w.module<Tied>();
      return [&m](Tensor x) {
        for (const Tensor& p : m.parameters()) p.set_grad({});
        Tensor loss = m.forward(x).square().mean();
        loss.backward();
        NoGrad guard;
        for (Tensor& p : m.parameters()) p.sub_(p.grad(), 0.1);
        return loss.detach();
      };
    },
    {
        [](World&) { return std::tuple(randn({4, 5})); },
        [](World& w) {
          static_cast<Tied*>(w.module())->out.weight = randn({5, 5}).requires_grad_();
          return std::tuple(randn({4, 5}));
        },
        [](World& w) {
          auto* m = static_cast<Tied*>(w.module());
          m->out.weight = m->in.weight.tensor();
          return std::tuple(randn({4, 5}));
        },
    },
    kMatmul);

const bool converted = program(
    "modules", "converted",
    [](World& w) {
      Tied& m = w.module<Tied>();
      return [&m](Tensor x) {
        for (const Tensor& p : m.parameters()) p.set_grad({});
        Tensor loss = m.forward(x.to(m.in.weight->dtype())).square().mean();
        loss.backward();
        return loss.detach();
      };
    },
    {
        [](World& w) {
          w.module()->to(kFloat32);
          return std::tuple(randn({4, 5}));
        },
        [](World& w) {
          w.module()->to(kFloat64);
          return std::tuple(randn({4, 5}));
        },
    },
    kMatmul);

const bool replaced = program(
    "modules", "replaced_parameter",
    [](World& w) {
      Mlp& m = w.module<Mlp>();
      return [&m](Tensor x) { return m.up(x); };
    },
    {
        [](World&) { return std::tuple(randn({4, 6})); },
        [](World& w) {
          auto& up = static_cast<Mlp*>(w.module())->up;
          up.weight = randn({10, 6}).requires_grad_();
          return std::tuple(randn({4, 6}));
        },
        [](World& w) {
          auto& up = static_cast<Mlp*>(w.module())->up;
          up.weight = randn({12, 6}).requires_grad_();
          up.bias = randn({12});
          return std::tuple(randn({4, 6}));
        },
    },
    kMatmul);

const bool toggled = program(
    "modules", "requires_grad_toggles",
    [](World& w) {
      Mlp& m = w.module<Mlp>();
      m.eval();
      return [&m](Tensor x) { return m.forward(x).sum(); };
    },
    {
        [](World& w) {
          w.module()->requires_grad_(true);
          return std::tuple(randn({4, 6}));
        },
        [](World& w) {
          w.module()->requires_grad_(false);
          return std::tuple(randn({4, 6}));
        },
        [](World& w) {
          static_cast<Mlp*>(w.module())->down.requires_grad_(true);
          return std::tuple(randn({4, 6}));
        },
    },
    kMatmul);

const bool embedding = program("modules", "embedding_rows",
                               [](World& w) {
                                 auto& m = w.module<nn::Embedding>(12, 5);
                                 return [&m](Tensor i) { return m(i).square().sum({1}); };
                               },
                               {
                                   [](World&) { return std::tuple(randint(0, 12, {4})); },
                                   [](World&) { return std::tuple(randint(0, 12, {9})); },
                               },
                               {.tolerance = 1e-5, .because = "sums"});

const bool without_module = program(
    "modules", "module_captured_by_reference",
    [](World& w) {
      auto& m = w.make<Mlp>();
      m.eval();
      for (auto& [name, t] : m.named_parameters()) w.watch(name, t);
      return [&m](Tensor x) { return m.forward(x); };
    },
    {
        [](World&) { return std::tuple(randn({4, 6})); },
        [](World&) { return std::tuple(randn({9, 6})); },
    },
    kMatmul);

const bool buffer = program("modules", "buffer_is_updated",
                            [](World& w) {
                              struct Mean : nn::Module {
                                nn::Parameter mean;
                                Mean() { register_buffer("mean", mean, frit::zeros({4})); }
                                Tensor forward(Tensor x) {
                                  NoGrad quiet;
                                  mean->mul_(0.9).add_(x.mean({0}), 0.1);
                                  return x - mean.tensor();
                                }
                              };
                              Mean& m = w.module<Mean>();
                              return [&m](Tensor x) { return m.forward(x); };
                            },
                            {
                                [](World&) { return std::tuple(randn({8, 4})); },
                                [](World&) { return std::tuple(randn({5, 4})); },
                            },
                            {.tolerance = 1e-6, .because = "means"});

}  // namespace
}  // namespace frit::corpus
