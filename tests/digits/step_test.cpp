// The training step of the digits program (forward, backward, optimiser) as one compiled graph: how
// many graphs and kernels, what it allocates, and that it computes what eager does.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/parallel.h"
#include "compile/callable.h"
#include "core/allocator.h"
#include "digits_net.h"
#include "golden.h"
#include "loops/lower.h"

namespace digits {
namespace {

const Data& data() {
  static const Data d = load_data(std::filesystem::path(FRIT_SOURCE_DIR) / "data/digits", 0);
  return d;
}

Tensor rows(const Tensor& t, int64_t first, int64_t count) {
  return t.slice(0, first, first + count).contiguous();
}

class Threads {
 public:
  explicit Threads(int n) : saved_(frit::num_threads()) { frit::set_num_threads(n); }
  ~Threads() { frit::set_num_threads(saved_); }

 private:
  int saved_;
};

class Step : public testing::TestWithParam<std::string> {
 protected:
  Settings settings() const { return {.optimizer = GetParam()}; }
};

TEST_P(Step, IsOneGraphWithoutBreaks) {
  Trainer trainer(settings());
  auto step = trainer.compiled_step();
  for (int64_t i = 0; i < 5; ++i)
    step(rows(data().images, i * kBatch, kBatch), rows(data().labels, i * kBatch, kBatch));
  const frit::Explanation e = frit::explain(step);
  EXPECT_EQ(e.entries.size(), 1u);
  EXPECT_TRUE(e.breaks.empty());
  EXPECT_TRUE(e.recompiles.empty());
  EXPECT_EQ(e.eager_calls, 0u);
  EXPECT_EQ(e.entries[0].runs, 4u);
  const std::string text = e.str();
  for (const char* line :
       {"graphs:       1\n", "graph breaks: 0\n", "recompiles:   0\n", "5, 0 of them eager\n"})
    EXPECT_NE(text.find(line), text.npos) << line << text;
}

// The loops of its one entry, as they were compiled.
std::unique_ptr<frit::loops::Program> lowered(const frit::compiler::Callable& c) {
  return frit::loops::lower(c.all_entries().at(0)->compilation->forward->graph());
}

// One line a kernel; a kernel is one step of the launcher's list.
std::string kernels_text(const frit::Explanation& e) {
  std::string text;
  for (const char* stage : {"forward", "backward", "optimizer"}) {
    text += fmt::format("{}: {}\n", stage, e.kernel_count(stage));
    for (const auto& entry : e.entries)
      for (const auto& k : entry.kernels)
        if (k.stage == stage)
          text += fmt::format("  {} {}: {}\n", k.kind, k.name, fmt::join(k.ops, " "));
  }
  return text;
}

TEST_P(Step, HasFewKernels) {
  Trainer trainer(settings());
  auto step = trainer.compiled_step();
  step(rows(data().images, 0, kBatch), rows(data().labels, 0, kBatch));
  const frit::Explanation e = frit::explain(step);
  EXPECT_LE(e.kernel_count("forward"), 6);
  EXPECT_LE(e.kernel_count("backward"), 14);
  EXPECT_LE(e.kernel_count("optimizer"), 2);
  EXPECT_EQ(e.kernel_count(),
            e.kernel_count("forward") + e.kernel_count("backward") + e.kernel_count("optimizer"));
  // A kernel of several bodies runs them side by side in its one parallel region.
  auto loops = lowered(*step.callable());
  EXPECT_EQ(loops->steps.size(), static_cast<size_t>(e.kernel_count()));
  for (const auto& nest : loops->nests) EXPECT_LE(nest.ops.size(), 32u) << nest.name;
  frit::testing_golden::expect_text(
      std::string(FRIT_SOURCE_DIR) + "/tests/digits/golden/kernels." + GetParam() + ".txt",
      kernels_text(e));
}

// What the arena has place for.
TEST_P(Step, HasNoBufferOfParameterSize) {
  Trainer trainer(settings());
  auto step = trainer.compiled_step();
  step(rows(data().images, 0, kBatch), rows(data().labels, 0, kBatch));
  auto loops = lowered(*step.callable());
  for (const auto& b : loops->buffers) {
    if (b.place != frit::loops::Place::arena || !b.elements.is_constant()) continue;
    for (auto& [name, p] : trainer.net.named_parameters())
      EXPECT_NE(b.elements.constant(), p.impl()->numel()) << b.name << " is as large as " << name;
  }
}

// Every allocation of this thread while it lives.
class Allocations {
 public:
  Allocations() {
    frit::set_allocation_observer(
        [](size_t bytes, void* ctx) { ++static_cast<Allocations*>(ctx)->by_size[bytes]; }, this);
  }
  ~Allocations() { frit::set_allocation_observer(nullptr, nullptr); }
  std::map<size_t, int> by_size;
};

size_t bytes_of(const Tensor& t) {
  return static_cast<size_t>(t.impl()->numel()) * static_cast<size_t>(frit::size_of(t.dtype()));
}

// Few rows, so that no activation is as large as a weight.
TEST_P(Step, AllocatesNothingOfParameterSizeButGradients) {
  Trainer trainer(settings());
  auto step = trainer.compiled_step();
  std::map<size_t, int> gradients;  // one a parameter stays visible
  for (const Tensor& p : trainer.net.parameters()) ++gradients[bytes_of(p)];
  const size_t weight = bytes_of(trainer.net.up.weight);
  step(rows(data().images, 0, kBatch), rows(data().labels, 0, kBatch));
  for (int i = 2; i <= 100; ++i) {
    const int64_t batch = 2 + i % 3;
    Tensor x = rows(data().images, i, batch), y = rows(data().labels, i, batch);
    const uint64_t before = frit::allocator_stats().allocations;
    Allocations seen;
    Tensor loss = step(x, y);
    uint64_t all = 0;
    size_t rest = 0;  // bytes: results and the arena
    for (auto [bytes, count] : seen.by_size) {
      all += static_cast<uint64_t>(count);
      rest += bytes * static_cast<size_t>(count);
    }
    ASSERT_EQ(frit::allocator_stats().allocations - before, all) << "of other threads";
    for (auto [bytes, count] : gradients) {
      ASSERT_EQ(seen.by_size[bytes], count) << "of " << bytes << " bytes in step " << i;
      rest -= bytes * static_cast<size_t>(count);
    }
    ASSERT_LT(rest, weight) << "in step " << i;
    ASSERT_EQ(all, trainer.net.parameters().size() + 2) << "the loss and the arena";
  }
  EXPECT_EQ(frit::explain(step).entries.at(0).runs, 99u);
}

// --- modes ---

// A loss, with gradients where the mode is on.
TEST(Modes, HaveOneGraphForAllSizesAndOneMoreForOne) {
  Trainer trainer({});
  auto loss = frit::compile(trainer.net, [&](Tensor x, Tensor y) {
    return frit::cross_entropy(trainer.net.forward(x), y);
  });
  auto call = [&](int64_t batch, bool gradients) {
    Tensor x = rows(data().images, batch, batch), y = rows(data().labels, batch, batch);
    frit::manual_seed(7);
    Tensor compiled = loss(x, y);
    frit::manual_seed(7);
    Tensor plain = loss.eager()(x, y);
    EXPECT_NEAR(compiled.item<double>(), plain.item<double>(), 1e-5) << "batch of " << batch;
    EXPECT_EQ(compiled.requires_grad(), gradients);
    if (!gradients) return;
    for (const Tensor& out : {compiled, plain}) {
      trainer.optimizer->zero_grad();
      out.backward();
    }
  };
  size_t known = 0;
  for (bool train : {true, false})
    for (bool gradients : {true, false}) {
      SCOPED_TRACE(fmt::format("train {}, gradients {}", train, gradients));
      trainer.net.train(train);
      frit::GradMode mode(gradients);
      for (int64_t batch : {64, 2, 3, 17, 128, 360, 2, 64}) call(batch, gradients);
      EXPECT_EQ(frit::explain(loss).entries.size(), known + 1);
      for (int64_t batch : {1, 5, 1, 64}) call(batch, gradients);
      known = frit::explain(loss).entries.size();
      EXPECT_LE(known, 2 * (2u * (train ? 0 : 1) + (gradients ? 1 : 2)));
    }
  EXPECT_TRUE(frit::explain(loss).breaks.empty());
}

TEST_P(Step, HasOneGraphForAllSizesAndOneMoreForOne) {
  Trainer trainer(settings());
  auto step = trainer.compiled_step();
  for (int64_t batch : {64, 2, 3, 17, 128, 360, 2, 64})
    step(rows(data().images, 0, batch), rows(data().labels, 0, batch));
  EXPECT_EQ(frit::explain(step).entries.size(), 1u);
  for (int64_t batch : {1, 5, 1, 64})
    step(rows(data().images, 0, batch), rows(data().labels, 0, batch));
  EXPECT_LE(frit::explain(step).entries.size(), 2u);
  EXPECT_EQ(frit::explain(step).eager_calls, 0u);
}

TEST(Modes, PredictIsOneGraphForTheRaggedLastBatch) {
  Trainer trainer({});
  trainer.net.eval();
  auto predict = trainer.compiled_predict();
  for (int64_t i = 0; i < kHeldOut; i += kBatch) {
    Tensor x = data().held_images.slice(0, i, std::min(i + kBatch, kHeldOut));
    EXPECT_EQ(predict(x).to_vector<int64_t>(), trainer.predict(x).to_vector<int64_t>());
  }
  EXPECT_EQ(frit::explain(predict).entries.size(), 1u);
  EXPECT_TRUE(frit::explain(predict).breaks.empty());
}

// --- compiled against eager ---

struct Comparison {
  std::string optimizer;
  frit::DType dtype;
  int threads;
};
class Agreement : public testing::TestWithParam<Comparison> {};

TEST_P(Agreement, OfLossesAndMasksOverAHundredSteps) {
  const auto& [optimizer, dtype, threads] = GetParam();
  Threads set(threads);
  constexpr size_t steps = 100;
  const Settings settings{.optimizer = optimizer};
  const Watched eager = watched_steps(settings, data(), dtype, false, steps),
                compiled = watched_steps(settings, data(), dtype, true, steps);
  EXPECT_GT(compiled.explanation.kernel_count(), 0);
  ASSERT_EQ(compiled.explanation.entries.size(), 1u);
  EXPECT_EQ(compiled.explanation.entries[0].runs, steps - 1);
  EXPECT_LT(eager.losses.back(), eager.losses.front() / 2);
  for (size_t i = 0; i < steps; ++i) {
    const double a = eager.losses[i], b = compiled.losses[i];
    const double allowed = dtype == frit::kFloat64 ? 1e-10 : i < 10 ? 1e-5 : 1e-3;
    ASSERT_LE(std::abs(a - b), allowed * std::abs(a)) << "step " << i;
    ASSERT_EQ(eager.masks[i].to_vector<bool>(), compiled.masks[i].to_vector<bool>())
        << "step " << i;
  }
}

std::vector<Comparison> comparisons() {
  std::vector<Comparison> all;
  for (const char* optimizer : {"adamw", "sgd"})
    for (frit::DType dtype : {frit::kFloat32, frit::kFloat64})
      for (int threads : {1, 2}) all.push_back({optimizer, dtype, threads});
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, Agreement, testing::ValuesIn(comparisons()), [](const auto& i) {
  return fmt::format("{}_{}_{}", i.param.optimizer, frit::name(i.param.dtype), i.param.threads);
});

INSTANTIATE_TEST_SUITE_P(Optimizers, Step, testing::Values("adamw", "sgd"),
                         [](const auto& i) { return i.param; });

}  // namespace
}  // namespace digits
