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
  // What backward reads of the run's outputs, once those know that they are this node's: the node
  // keeps them without their history, or it would keep itself alive. Takes what only backward sees.
  void save(std::span<Tensor> fresh);
  // Takes the inputs. `before`: the same as they were before the run, where it has written some.
  void keep_inputs(std::span<Tensor> inputs, std::span<Tensor> before);
  std::string name() const override { return "CompiledBackward"; }
  void apply(eager::TapeRun& run) override;
  // Of what the last apply() came to, as eager's nodes do.
  void release_saved() override;
  // Forward outputs (by graph output) in the order of this node's outputs.
  const std::vector<int>& outputs_of() const { return compilation_->settings.differentiated; }

 protected:
  void dropped() override;

 private:
  // A result that eager's tape would have kept, too, and its version when the run had ended.
  struct Memory {
    Ptr<Storage> storage;
    uint64_t version = 0;
  };
  void apply_again(eager::TapeRun& run, bool create_graph);
  void differentiate(const CompiledBackward& pass, eager::TapeRun& run);
  // Raises eager's error where its backward would come to a node that was freed, or would read a
  // tensor that was written since: that of the watch `at`.
  void check_kept(const grad::Backward& pass, std::span<const bool> wanted,
                  const grad::Watch*& at) const;
  void check_written(const grad::Watch&) const;
  Tensor laid_out(const Tensor& gradient, size_t output, const ir::Value& as) const;
  const eager::SavedTensor& saved(const grad::Backward::Read& read) const;
  // The graph input itself, also where the run wrote it.
  const eager::SavedTensor& input(int) const;

  std::shared_ptr<const Compilation> compilation_;
  SmallVector<eager::SavedTensor, 8> inputs_;  // all of them, for double backward
  SmallVector<eager::SavedTensor, 8> saved_;   // by saved value of the partition, unless an input
  std::vector<eager::SavedTensor> written_;    // by graph input, those that the run wrote; or empty
  SmallVector<Memory, 4> output_memory_;       // by the compilation's watched outputs
  SmallVector<int64_t, 6> symbols_;
  PhiloxState rng_;
  std::mutex mutex_;                      // threads may go backward through it at once
  const grad::Backward* last_ = nullptr;  // what the last apply() ran
  SmallVector<bool, 8> last_wanted_;      // and for which inputs
  std::atomic<bool> all_freed_{false};    // for good
  bool keeps_inputs_ = true;
  std::vector<int> freed_;  // keepers by their place in the forward graph, sorted
};

}  // namespace frit::compiler
