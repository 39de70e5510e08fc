// A small network trained in C++, for the Python package to give the same: initial values, losses
// and parameters after ten steps, in tests/python/cpp_training.json (tests/python/test_training.py
// reads it).
#include <frit/frit.h>

#include <nlohmann/json.hpp>

#include "golden.h"

namespace frit {
namespace {

struct Net : nn::Module {
  nn::Embedding table{*this, "table", 10, 6};
  nn::LayerNorm norm{*this, "norm", 6};
  nn::Linear up{*this, "up", 6, 12};
  nn::Dropout drop{*this, "drop", 0.25};
  nn::Sequential tail{*this, "tail"};
  Net() {
    tail.add<nn::GELU>();
    tail.add<nn::Linear>(12, 4, nn::LinearOptions{.bias = false});
  }
  Tensor forward(const Tensor& x) { return tail(drop(up(norm(table(x))))); }
};

std::vector<double> numbers(const Tensor& t) { return t.to(kFloat64).to_vector<double>(); }

TEST(PythonReference, Training) {
  manual_seed(7);
  Net net;
  nlohmann::ordered_json text;
  for (auto& [name, value] : net.state_dict())
    text["initial"].push_back({name, numbers(value.reshape({-1}).slice(0, 0, 4))});
  optim::AdamW adam(net.parameters(), {.lr = 0.01});
  Tensor x = arange(10), y = x.remainder(4);
  for (int i = 0; i < 10; ++i) {
    adam.zero_grad();
    Tensor loss = cross_entropy(net.forward(x), y);
    loss.backward();
    adam.step();
    text["losses"].push_back(loss.item<double>());
  }
  for (const Tensor& p : net.parameters()) text["sums"].push_back(p.sum().item<double>());
  testing_golden::expect_text(std::string(FRIT_SOURCE_DIR) + "/tests/python/cpp_training.json",
                              text.dump(1) + "\n");
}

}  // namespace
}  // namespace frit
