// The tape node of a compiled entry: all its outputs at once.
#pragma once
#include "compile/entry.h"
#include "eager/tape.h"

namespace frit::compiler {

class CompiledNode final : public eager::TapeNode {
 public:
  // `inputs` and `fresh` are the run's; `fresh` outputs that are differentiated become this node's.
  CompiledNode(std::shared_ptr<const Compilation> c, std::span<const Tensor> inputs,
               std::span<const Tensor> fresh, std::span<const int64_t> symbols, PhiloxState rng);
  std::string name() const override { return "CompiledBackward"; }
  void apply(eager::TapeRun& run) override;
  void release_saved() override;
  // Forward outputs (by graph output) in the order of this node's outputs.
  const std::vector<int>& outputs_of() const { return output_of_; }

 private:
  void apply_again(eager::TapeRun& run);
  std::shared_ptr<const Compilation> compilation_;
  std::vector<eager::SavedTensor> saved_;       // by saved value of the partition
  std::vector<eager::SavedTensor> all_inputs_;  // for double backward
  std::vector<int64_t> symbols_;
  PhiloxState rng_;
  std::vector<int> output_of_;
  bool freed_ = false;
};

}  // namespace frit::compiler
