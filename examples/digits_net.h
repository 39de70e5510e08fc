// The network of the digits program, its data and its training step: shared with the benchmarks and
// the tests, so that what they say holds for the program itself.
#pragma once
#include <frit/frit.h>

#include <filesystem>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace digits {

namespace nn = frit::nn;
using frit::Tensor;

struct Net : nn::Module {
  nn::LayerNorm norm{*this, "norm", 64};
  nn::Linear up{*this, "up", 64, 256}, down{*this, "down", 256, 64}, head{*this, "head", 64, 10};
  nn::Dropout drop{*this, "drop", 0.1};

  Tensor forward(Tensor x) {
    Tensor h = frit::relu(up(norm(x))).square();
    return head(x + drop(down(h)));
  }
};

// --- the data ---

constexpr int64_t kBatch = 64, kHeldOut = 360;

struct Data {
  Tensor images, labels;            // [n, 64] of 0 to 1, [n]
  Tensor held_images, held_labels;  // [360, 64], [360]
  int64_t count() const { return labels.impl()->numel(); }
};

inline Tensor shuffled(int64_t n, uint64_t seed) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(seed);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  const std::vector<int64_t> sizes{n};
  return frit::tensor_from<int64_t>(order, sizes);
}

inline Data load_data(const std::filesystem::path& folder, uint64_t seed) {
  Tensor images = frit::load_npy(folder / "images.npy"),
         labels = frit::load_npy(folder / "labels.npy");
  const int64_t n = labels.impl()->numel(), first_held = n - kHeldOut;
  Tensor order = shuffled(n, seed);
  images = images.index_select(0, order).to(frit::kFloat32) / 16;
  labels = labels.index_select(0, order).to(frit::kInt64);
  return {images.slice(0, 0, first_held), labels.slice(0, 0, first_held),
          images.slice(0, first_held, n).contiguous(), labels.slice(0, first_held, n).contiguous()};
}

// Calls fn(x, y) with the full batches of one epoch in a new order.
template <class F>
void for_batches(const Data& data, uint64_t seed, F&& fn) {
  Tensor order = shuffled(data.count(), seed);
  for (int64_t i = 0; i + kBatch <= data.count(); i += kBatch) {
    Tensor rows = order.slice(0, i, i + kBatch);
    fn(data.images.index_select(0, rows), data.labels.index_select(0, rows));
  }
}

// --- training ---

struct Settings {
  std::string optimizer = "adamw";  // or "sgd", with momentum
  int epochs = 20;
  uint64_t seed = 0;
};

struct Trainer {
  explicit Trainer(const Settings& settings, frit::DType dtype = frit::kFloat32)
      : seed(settings.seed) {
    net.to(dtype);
    if (settings.optimizer == "sgd")
      optimizer = std::make_unique<frit::optim::SGD>(
          net.parameters(), frit::optim::SGDOptions{.lr = 0.05, .momentum = 0.9});
    else
      optimizer = std::make_unique<frit::optim::AdamW>(net.parameters(),
                                                       frit::optim::AdamWOptions{.lr = 1e-3});
  }

  Tensor step(const Tensor& x, const Tensor& y) {
    optimizer->zero_grad();
    Tensor loss = frit::cross_entropy(net.forward(x), y);
    loss.backward();
    optimizer->step();
    return loss.detach();
  }
  Tensor predict(const Tensor& x) {
    frit::NoGrad guard;
    return net.forward(x).argmax(1);
  }
  auto compiled_step() {
    return frit::compile(net, [this](Tensor x, Tensor y) { return step(x, y); });
  }
  auto compiled_predict() {
    return frit::compile(net, [this](Tensor x) { return predict(x); });
  }

  // First, so that the weights are drawn from it.
  struct Seed {
    explicit Seed(uint64_t value) { frit::manual_seed(value); }
  } seed;
  Net net;
  std::unique_ptr<frit::optim::Optimizer> optimizer;
};

// --- what compiled and eager are compared by ---

// The steps of one training, with what dropout has let through.
struct Watched {
  std::vector<double> losses;
  std::vector<Tensor> masks;
  frit::Explanation explanation;
};

// The first `steps` steps of a training.
inline Watched watched_steps(const Settings& settings, const Data& data, frit::DType dtype,
                             bool compiled, size_t steps) {
  Trainer trainer(settings, dtype);
  Tensor mask;
  trainer.net.drop.register_forward_hook([&](nn::Module&, const Tensor&, const Tensor& out) {
    mask = out.detach() != 0;
    return Tensor();
  });
  auto body = [&](Tensor x, Tensor y) {
    Tensor loss = trainer.step(x, y);
    return std::pair<Tensor, Tensor>(loss, mask);
  };
  auto step = frit::compile(trainer.net, body);
  Watched seen;
  for (uint64_t epoch = 1; seen.losses.size() < steps; ++epoch)
    for_batches(data, settings.seed + epoch, [&](const Tensor& x, const Tensor& y) {
      if (seen.losses.size() == steps) return;
      Tensor input = x.to(dtype);
      auto [loss, kept] = compiled ? step(input, y) : body(input, y);
      seen.losses.push_back(loss.item<double>());
      seen.masks.push_back(kept);
    });
  seen.explanation = frit::explain(step);
  return seen;
}

}  // namespace digits
