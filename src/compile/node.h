// The tape node of a compiled entry: all its outputs at once.
#pragma once
#include "compile/entry.h"
#include "eager/tape.h"

namespace frit::compiler {

class CompiledNode final : public eager::TapeNode {
 public:
  // `inputs` and `fresh` are the run's; `fresh` outputs that are differentiated become this node's.
  // `before`: the inputs, copies of those that the run has written.
  CompiledNode(std::shared_ptr<const Compilation> c, std::span<const Tensor> inputs,
               std::span<const Tensor> before, std::span<const Tensor> fresh,
               std::span<const int64_t> symbols, PhiloxState rng);
  std::string name() const override { return "CompiledBackward"; }
  void apply(eager::TapeRun& run) override;
  void release_saved() override;
  // Forward outputs (by graph output) in the order of this node's outputs.
  const std::vector<int>& outputs_of() const { return output_of_; }

 private:
  // Memory that eager's tape would have kept, too, and its version when the run had ended.
  struct Memory {
    Ptr<Storage> storage;
    uint64_t version = 0;
  };
  void apply_again(eager::TapeRun& run);
  // Raises eager's error where a tensor that eager's backward would read was written since.
  void check_kept(const grad::Backward& pass, std::span<const bool> wanted) const;
  Tensor laid_out(const Tensor& gradient, size_t output, const ir::Value& as) const;

  std::shared_ptr<const Compilation> compilation_;
  std::vector<eager::SavedTensor> saved_;             // by saved value of the partition
  std::vector<eager::SavedTensor> all_inputs_;        // for double backward
  std::vector<Memory> input_memory_, output_memory_;  // by graph input; by graph output, fresh ones
  std::vector<int64_t> symbols_;
  PhiloxState rng_;
  std::vector<int> output_of_;
  bool freed_ = false;
};

}  // namespace frit::compiler
