// From a recorded graph to something that runs: the driver, in one readable function.
#pragma once
#include <frit/compile.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "grad/joint.h"
#include "ir/graph.h"
#include "passes/pass.h"
#include "runtime/compiled_graph.h"

namespace frit::compiler {

struct CompileSettings {
  Backend backend = Backend::frit;
  bool fuse = true;
  std::vector<std::string> disabled_passes;
  std::string name;  // of the callable, for logs and files
  bool needs_grad = false;
  std::vector<int> differentiated;  // outputs that may receive a gradient
};

// One graph made runnable: by compiled code, or by eager kernels where the backend says so or where
// compiling failed.
class Runnable {
 public:
  // `taped`: eager kernels run under the caller's grad mode, so that outputs have eager's own
  // history.
  Runnable(std::unique_ptr<ir::Graph> graph, std::shared_ptr<runtime::CompiledGraph> code,
           bool taped = false);
  // Can the memory a run needs be counted at all? False where sizes multiply beyond 64 bits.
  bool sizes_hold(std::span<const int64_t> symbols) const;
  // Fresh outputs in order. `symbols`: by index of the shape environment's symbols. -1, or the
  // failed check.
  int run(std::span<const Tensor> inputs, std::span<int64_t> symbols, PhiloxState rng,
          std::span<Tensor> outputs) const;
  const ir::Graph& graph() const { return *graph_; }
  const runtime::CompiledGraph* code() const { return code_.get(); }
  int fresh_outputs() const { return fresh_; }
  // The number of a graph output among the fresh ones, -1 where it is none of them.
  int fresh_number(size_t output) const { return fresh_numbers_[output]; }

 private:
  std::unique_ptr<ir::Graph> graph_;
  std::shared_ptr<runtime::CompiledGraph> code_;
  int fresh_ = 0;
  std::vector<int> fresh_numbers_;
  bool taped_ = false;
  std::vector<int> symbol_slots_;  // by symbol of the plan: index in the environment
};

// A backward pass, made runnable when it is first reached.
struct CompiledBackward {
  grad::Backward pass;  // its graph is moved out
  std::unique_ptr<Runnable> run;
  // What making it asked of sizes that the entry does not check.
  std::vector<sym::Program> conditions;
  bool holds(std::span<const int64_t> symbols) const;
};

struct Compilation {
  std::unique_ptr<ir::Graph> recorded;  // as captured, for people and for double backward
  std::unique_ptr<Runnable> forward;
  bool needs_grad = false;
  std::vector<passes::PassTime> times;
  std::string debug_folder;
  double ms = 0;
  CompileSettings settings;
  size_t guards = 0;  // of the shape environment, that the entry checks

  // Where gradients are needed: what forward saves, and the inputs that get one.
  const std::vector<grad::Partition::Saved>& saved() const { return partition_.saved; }
  // Forward's outputs from this number on are saved values that only backward sees.
  int original_outputs() const { return partition_.forward_outputs; }
  const std::vector<int>& gradient_of() const { return partition_.gradient_of; }
  const std::vector<bool>& leads() const { return partition_.leads; }
  // The backward pass for the differentiated outputs (numbers in settings.differentiated) that
  // received a gradient. What can only refuse cannot run.
  const CompiledBackward& backward(std::span<const bool> received) const;
  // The one where all of them did.
  const grad::Backward& whole_backward() const { return *whole_pass_; }
  // Outputs, by fresh output, whose memory eager's tape keeps: backward refuses to read them where
  // they were written since. And the place among them of what was kept, or -1.
  const std::vector<int>& watched_outputs() const { return watched_outputs_; }
  int watched_number(const ir::Kept& kept) const {
    return kept.output < 0 ? -1 : watched_numbers_[static_cast<size_t>(kept.output)];
  }
  // Its keepers that the entry itself went backward through, by their places, sorted.
  const std::vector<int>& freed() const { return freed_; }
  // The first that was reached, or null.
  const Runnable* backward_if_ready() const;

 private:
  friend std::shared_ptr<Compilation> compile_graph(std::unique_ptr<ir::Graph>,
                                                    const CompileSettings&);
  mutable std::mutex mutex_;
  mutable std::unique_ptr<ir::Graph> differentiable_;  // where some outputs may receive none
  mutable grad::Partition partition_;
  mutable std::map<std::vector<bool>, CompiledBackward> backwards_;
  // The one where every output received a gradient, once it can run: found without the lock.
  mutable std::atomic<const CompiledBackward*> whole_{nullptr};
  const grad::Backward* whole_pass_ = nullptr;  // the same, from the beginning
  std::vector<int> watched_outputs_, watched_numbers_, freed_;
  void watch_outputs();
};

// Never fails for a graph that verifies: what cannot be compiled runs on eager kernels, with a
// notice and a reproducer.
std::shared_ptr<Compilation> compile_graph(std::unique_ptr<ir::Graph> recorded,
                                           const CompileSettings&);

}  // namespace frit::compiler
