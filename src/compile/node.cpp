#include "compile/node.h"

#include <frit/autograd.h>
#include <frit/ops.h>

#include "eager/engine.h"
#include "passes/interpret.h"

namespace frit::compiler {

CompiledNode::CompiledNode(std::shared_ptr<const Compilation> c, std::span<const Tensor> inputs,
                           std::span<const Tensor> fresh, std::span<const int64_t> symbols,
                           PhiloxState rng)
    : compilation_(std::move(c)), symbols_(symbols.begin(), symbols.end()), rng_(rng) {
  output_of_ = compilation_->settings.differentiated;
  const grad::Partition& p = compilation_->partition;
  const auto& outputs = compilation_->forward->graph().outputs;
  std::vector<int> fresh_index;
  int next = 0;
  for (const ir::Output& o : outputs)
    fresh_index.push_back(o.kind == ir::Output::Kind::fresh ? next++ : -1);
  for (const grad::Partition::Saved& s : p.saved) {
    if (s.is_input) {
      saved_.emplace_back(inputs[static_cast<size_t>(s.index)]);
      continue;
    }
    // An output of this node is kept without its history.
    int output = -1;
    for (size_t k = 0; k < output_of_.size(); ++k)
      if (output_of_[k] == s.index) output = static_cast<int>(k);
    saved_.emplace_back(fresh[static_cast<size_t>(fresh_index[static_cast<size_t>(s.index)])],
                        output);
  }
  for (const Tensor& t : inputs) all_inputs_.emplace_back(t);
  std::vector<Tensor> wanted;
  for (int i : p.gradient_of) wanted.push_back(inputs[static_cast<size_t>(i)]);
  eager::link(*this, wanted);
}

void CompiledNode::release_saved() {
  saved_.clear();
  all_inputs_.clear();
  freed_ = true;
}

void CompiledNode::apply(eager::TapeRun& run) {
  if (freed_) saved_freed();
  if (is_grad_enabled()) return apply_again(run);
  const grad::Partition& p = compilation_->partition;
  std::vector<Tensor> inputs;
  for (const eager::SavedTensor& s : saved_) inputs.push_back(s.unpack(*this));
  for (int forward_output : p.tangent_of) {
    size_t k = 0;
    while (output_of_[k] != forward_output) ++k;
    Tensor g = run.grads[k];
    const ir::Value& v = *compilation_->backward().graph().inputs()[inputs.size()];
    Dims strides;
    for (Int s : v.strides())
      strides.push_back(s.is_constant()
                            ? s.constant()
                            : compilation_->backward().graph().env()->evaluate(s, symbols_));
    if (!g.defined()) {
      g = empty_strided_cpu(outputs[k].sizes, strides, outputs[k].dtype);
      g.zero_();
    } else if (!(g.impl()->strides == strides)) {
      // Compiled code was made for the output's own layout.
      Tensor laid_out = empty_strided_cpu(outputs[k].sizes, strides, outputs[k].dtype);
      laid_out.copy_(g);
      g = laid_out;
    }
    inputs.push_back(g);
  }
  std::vector<Tensor> gradients(static_cast<size_t>(compilation_->backward().fresh_outputs()));
  std::vector<int64_t> symbols = symbols_;
  int failed = compilation_->backward().run(inputs, symbols, rng_, gradients);
  FRIT_INVARIANT(failed < 0, "a compiled backward pass failed a check");
  size_t next = 0;
  for (size_t i = 0; i < p.gradient_of.size(); ++i)
    if (p.has_gradient[i]) {
      if (run.wanted[i]) run.results[i] = gradients[next];
      ++next;
    }
}

// Gradients of gradients: the entry runs again from its inputs, on the tape.
void CompiledNode::apply_again(eager::TapeRun& run) {
  std::vector<Tensor> inputs;
  for (const eager::SavedTensor& s : all_inputs_) inputs.push_back(s.unpack(*this));
  passes::Interpreted r = passes::interpret(*compilation_->recorded, inputs, rng_, symbols_);
  std::vector<Tensor> outputs, grads, wanted;
  for (size_t k = 0; k < output_of_.size(); ++k) {
    const Tensor& out = r.outputs[static_cast<size_t>(output_of_[k])];
    if (!run.grads[k].defined() || !eager::requires_grad(out)) continue;
    outputs.push_back(out);
    grads.push_back(run.grads[k]);
  }
  const grad::Partition& p = compilation_->partition;
  for (int i : p.gradient_of) wanted.push_back(inputs[static_cast<size_t>(i)]);
  TensorList gradients = autograd::grad(outputs, wanted, grads, true, true, true);
  for (size_t i = 0; i < gradients.size(); ++i)
    if (run.wanted[i]) run.results[i] = gradients[i];
}

}  // namespace frit::compiler
