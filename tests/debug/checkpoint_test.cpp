// A program's checkpoint, with the one header that programs include.
#include <frit/frit.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace frit::test {
namespace {

struct Net : nn::Module {
  nn::Linear up{*this, "up", 3, 8}, down{*this, "down", 8, 1};
  Tensor forward(Tensor x) { return down(relu(up(x))); }
};

TEST(Checkpoint, ACompiledModuleSeesWhatWasLoaded) {
  TempDir folder("frit_checkpoint");
  Net trained, fresh;
  optim::AdamW adam(trained.parameters(), {.lr = 0.1});
  Tensor x = rand({4, 3});
  trained.forward(x).sum().backward();
  adam.step();
  save(trained.state_dict(), folder / "net.safetensors", {{"epoch", "1"}});
  save(adam.state_dict(), folder / "adam.safetensors");

  auto forward = compile(fresh);
  for (int i = 0; i < 2; ++i) forward(x);
  EXPECT_FALSE((forward(x) == trained.forward(x)).all().item<bool>());
  fresh.load_state_dict(load(folder / "net.safetensors"));
  EXPECT_TRUE((forward(x) == trained.forward(x)).all().item<bool>());
  EXPECT_EQ(load_metadata(folder / "net.safetensors").at("epoch"), "1");

  optim::AdamW other(fresh.parameters());
  other.load_state_dict(load(folder / "adam.safetensors"));
  EXPECT_EQ(other.step_count(), 1);
  EXPECT_EQ(other.lr().item<double>(), 0.1);
  EXPECT_EQ(explain(forward).entries.size(), 1u);
}

}  // namespace
}  // namespace frit::test
