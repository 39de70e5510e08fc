// Training steps: forward, backward and optimiser in one callable.
#include "corpus/program.h"

namespace frit::corpus {
namespace {

struct Net : nn::Module {
  nn::Linear up{*this, "up", 6, 8}, down{*this, "down", 8, 3};
  Tensor forward(Tensor x) { return down(frit::gelu(up(x))); }
};

constexpr Traits kTrained{
    .tolerance = 1e-4, .because = "matmul, and a step after another", .gradients = false};

template <class Optimizer>
void watch(World& w, Optimizer& o) {
  for (auto& [name, t] : o.state_dict()) w.watch(name, t);
}

auto batch(int64_t n) {
  return [n](World&) { return std::tuple(randn({n, 6}), randint(0, 3, {n})); };
}

const bool sgd = program(
    "training", "sgd_with_momentum",
    [](World& w) {
      Net& net = w.module<Net>();
      auto& o = w.make<optim::SGD>(net.parameters(), optim::SGDOptions{.lr = 0.1, .momentum = 0.9});
      watch(w, o);
      return [&](Tensor x, Tensor y) {
        o.zero_grad();
        Tensor loss = frit::cross_entropy(net.forward(x), y);
        loss.backward();
        o.step();
        return loss.detach();
      };
    },
    {batch(8), batch(5), batch(1)}, kTrained);

const bool adamw = program(
    "training", "adamw_with_a_schedule",
    [](World& w) {
      Net& net = w.module<Net>();
      auto& o = w.make<optim::AdamW>(net.parameters(), optim::AdamWOptions{.lr = 0.01});
      watch(w, o);
      return [&](Tensor x, Tensor y) {
        o.zero_grad();
        Tensor loss = frit::cross_entropy(net.forward(x), y);
        loss.backward();
        o.step();
        o.lr().mul_(0.95);
        return loss.detach();
      };
    },
    {batch(8), batch(5)}, kTrained);

const bool accumulation = program(
    "training", "gradients_accumulate",
    [](World& w) {
      Net& net = w.module<Net>();
      return [&](Tensor x, Tensor y) {
        Tensor loss = frit::cross_entropy(net.forward(x), y);
        loss.backward();
        return loss.detach();
      };
    },
    {batch(8), batch(5)}, kTrained);

const bool clipping = program(
    "training", "gradient_clipping",
    [](World& w) {
      Net& net = w.module<Net>();
      auto& o = w.make<optim::SGD>(net.parameters(), optim::SGDOptions{.lr = 0.1});
      return [&](Tensor x, Tensor y) {
        o.zero_grad();
        frit::cross_entropy(net.forward(x), y).backward();
        Tensor norm = optim::clip_grad_norm_(net.parameters(), 0.5);
        o.step();
        return norm;
      };
    },
    {batch(8), batch(5)}, kTrained);

const bool two_losses = program(
    "training", "two_backward_passes",
    [](World& w) {
      Net& net = w.module<Net>();
      auto& o = w.make<optim::Adam>(net.parameters(), optim::AdamOptions{.lr = 0.01});
      return [&](Tensor x, Tensor y) {
        o.zero_grad();
        Tensor scores = net.forward(x);
        Tensor a = frit::cross_entropy(scores, y), b = scores.square().mean();
        a.backward({}, true);
        b.backward();
        o.step();
        return std::pair(a.detach(), b.detach());
      };
    },
    {batch(8), batch(5)}, kTrained);

const bool forward_only =
    program("training", "backward_outside",
            [](World& w) {
              Net& net = w.module<Net>();
              return [&](Tensor x, Tensor y) { return frit::cross_entropy(net.forward(x), y); };
            },
            {batch(8), batch(5)}, {.tolerance = 1e-5, .because = "matmul"});

const bool by_hand = program(
    "training", "update_by_hand",
    [](World& w) {
      Net& net = w.module<Net>();
      return [&](Tensor x, Tensor y) {
        Tensor loss = frit::cross_entropy(net.forward(x), y);
        auto params = net.parameters();
        TensorList grads = autograd::grad({loss}, params);
        NoGrad quiet;
        for (size_t i = 0; i < params.size(); ++i) params[i].sub_(grads[i], 0.1);
        return loss.detach();
      };
    },
    {batch(8), batch(5)}, kTrained);

}  // namespace
}  // namespace frit::corpus
