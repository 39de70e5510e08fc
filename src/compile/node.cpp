#include "compile/node.h"

#include <frit/autograd.h>
#include <frit/ops.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>

#include "eager/engine.h"
#include "kernels/cpu/kernels.h"
#include "passes/interpret.h"

namespace frit::compiler {

CompiledNode::CompiledNode(std::shared_ptr<const Compilation> c, std::span<const Tensor> inputs,
                           std::span<const Tensor> fresh, std::span<const int64_t> symbols,
                           PhiloxState rng)
    : compilation_(std::move(c)), symbols_(symbols), rng_(rng), freed_(compilation_->freed()) {
  const grad::Backward& whole = compilation_->whole_backward();
  all_freed_ = !freed_.empty() && freed_.size() == whole.keepers.size();
  keeps_inputs_ = !all_freed_ || !whole.keeps_all_ways;
  for (int i : compilation_->watched_outputs()) {
    if (all_freed_) break;
    const Tensor& t = fresh[static_cast<size_t>(i)];
    output_memory_.push_back({t.impl()->storage, t.version()});
  }
  // An input that no output depends on does not wait for this node's pass.
  const std::vector<int>& of = compilation_->gradient_of();
  edges.reserve(of.size());
  for (size_t k = 0; k < of.size(); ++k)
    edges.push_back(compilation_->leads()[k]
                        ? eager::gradient_edge(inputs[static_cast<size_t>(of[k])])
                        : eager::Edge{});
}

void CompiledNode::keep_inputs(std::span<Tensor> inputs, std::span<Tensor> before) {
  if (!keeps_inputs_) return;
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i].is_same(inputs[i])) continue;
    written_.resize(inputs.size());
    written_[i] = eager::SavedTensor(std::move(inputs[i]));
  }
  std::span<Tensor> kept = before.empty() ? inputs : before;
  inputs_.reserve(kept.size());
  for (Tensor& t : kept) inputs_.emplace_back(std::move(t));
}

void CompiledNode::save(std::span<Tensor> fresh) {
  saved_.reserve(compilation_->saved().size());
  for (const grad::Partition::Saved& s : compilation_->saved()) {
    eager::SavedTensor& saved = saved_.emplace_back();
    if (s.is_input) continue;
    Tensor& t = fresh[static_cast<size_t>(
        compilation_->forward->fresh_number(static_cast<size_t>(s.index)))];
    // An output of this node is kept without its history; what is only saved is nobody else's.
    auto output = std::ranges::find(outputs_of(), s.index) - outputs_of().begin();
    if (s.index >= compilation_->original_outputs())
      saved = eager::SavedTensor::own(std::move(t));
    else if (static_cast<size_t>(output) < outputs_of().size())
      saved = eager::SavedTensor(t, static_cast<int>(output));
    else
      saved = eager::SavedTensor(t);
  }
}

namespace {

// Does a backward pass that wants these gradients come to it?
bool reached(const std::vector<bool>& reaches, std::span<const bool> wanted) {
  for (size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] && reaches[i]) return true;
  return false;
}

}  // namespace

void CompiledNode::release_saved() {
  if (all_freed_.load(std::memory_order_acquire)) return;  // as most are, once they are dropped
  std::lock_guard lock(mutex_);
  const grad::Backward& whole = compilation_->whole_backward();
  if (!last_ || all_freed_ || whole.keepers.empty()) return;
  if (last_ == &whole && std::ranges::all_of(last_wanted_, std::identity{})) {
    all_freed_ = true;
  } else {
    std::vector<int> came_to, all;
    for (const grad::Keeper& k : last_->keepers)
      if (reached(k.reaches, {last_wanted_.data(), last_wanted_.size()})) came_to.push_back(k.node);
    std::ranges::sort(came_to);
    std::ranges::set_union(freed_, came_to, std::back_inserter(all));
    freed_ = std::move(all);
    all_freed_ = freed_.size() == whole.keepers.size();
  }
  last_ = nullptr;
  if (!all_freed_) return;
  // Who still may come here, past no keeper, runs the entry again.
  saved_.clear();
  written_.clear();
  output_memory_.clear();
  if (whole.keeps_all_ways) inputs_.clear();
}

void CompiledNode::dropped() {
  saved_.clear();
  inputs_.clear();
  written_.clear();
  output_memory_.clear();
}

void CompiledNode::check_kept(const grad::Backward& pass, std::span<const bool> wanted,
                              const grad::Watch*& at) const {
  // Both are in the order in which eager comes to them.
  auto watch = pass.watches.begin();
  auto check_before = [&](int node) {
    for (; watch != pass.watches.end() && watch->node > node; ++watch) {
      if (!reached(watch->reaches, wanted)) continue;
      at = &*watch;
      check_written(*watch);
    }
    at = nullptr;
  };
  for (const grad::Keeper& k : pass.keepers) {
    if (!all_freed_ && freed_.empty()) break;
    if (!all_freed_ && !std::ranges::binary_search(freed_, k.node)) continue;
    if (!reached(k.reaches, wanted)) continue;
    check_before(k.node);
    eager::fail_freed(eager::backward_name(*k.owner), k.where);
  }
  check_before(-1);
}

void CompiledNode::check_written(const grad::Watch& w) const {
  const sym::ShapeEnv& env = *compilation_->recorded->env();
  if (w.error) throw *w.error;
  int64_t now = w.kept.writes_at_end, before_run = 0;
  if (w.kept.input >= 0) {
    // An input's versions go on from where they were.
    const eager::SavedTensor& in = input(w.kept.input);
    before_run = static_cast<int64_t>(in.version()) - now;
    now = static_cast<int64_t>(in.kept().version()) - before_run;
  } else if (const int watched = compilation_->watched_number(w.kept); watched >= 0) {
    const Memory& m = output_memory_[static_cast<size_t>(watched)];
    now += static_cast<int64_t>(m.storage->version() - m.version);
  }
  if (now == w.kept.writes) return;
  Dims sizes;
  for (Int s : w.sizes) sizes.push_back(env.evaluate(s, symbols_));
  eager::StaleText text{w.dtype, sizes};
  const ir::Maker& maker = w.kept.maker;
  if (w.kept.object >= 0) {
    text = input(w.kept.object).stale_text();
  } else if (!w.made_on_tape) {
  } else if (w.kept.arg < 0) {
    text.maker = eager::backward_name(*w.owner);
    text.maker_output = w.kept.element;
  } else if (maker.op) {
    text.maker = maker.by_slices ? eager::kCopySlices : eager::backward_name(*maker.op);
    text.maker_output = maker.output;
    text.made_at = maker.where;
  }
  text.version = before_run + now;
  text.expected = before_run + w.kept.writes;
  eager::fail_stale(text, eager::backward_name(*w.owner), w.where);
}

namespace {

template <class Bits>
void fill_bytes(void* to, const void* from, size_t bytes) {
  Bits one;
  std::memcpy(&one, from, sizeof one);
  std::fill_n(static_cast<Bits*>(to), bytes / sizeof one, one);
}

// The gradient of a sum is one number everywhere: a few of them are had without a kernel.
bool fill_with(const Tensor& t, const TensorImpl& from) {
  constexpr size_t kBytes = 4096;
  const Storage& to = *t.impl()->storage;
  if (to.bytes() > kBytes || from.numel() == 0 || from.dtype != t.impl()->dtype ||
      std::ranges::any_of(from.strides, [](int64_t s) { return s != 0; }))
    return false;
  switch (size_of(from.dtype)) {
    case 4:
      fill_bytes<uint32_t>(to.data(), from.data(), to.bytes());
      return true;
    case 8:
      fill_bytes<uint64_t>(to.data(), from.data(), to.bytes());
      return true;
    default:
      return false;
  }
}

}  // namespace

// Compiled code was made for the output's own layout.
Tensor CompiledNode::laid_out(const Tensor& gradient, size_t output, const ir::Value& as) const {
  const sym::ShapeEnv& env = *compilation_->recorded->env();
  Dims strides;
  for (Int s : as.strides()) strides.push_back(env.evaluate(s, symbols_));
  if (gradient.impl()->strides == strides) return gradient;
  const eager::GradMeta& meta = outputs[output];
  Tensor t = empty_strided_cpu(meta.sizes, strides, meta.dtype);
  if (!fill_with(t, *gradient.impl())) kernels::copy(t, gradient);
  return t;
}

const eager::SavedTensor& CompiledNode::saved(const grad::Backward::Read& read) const {
  if (read.is_input) return inputs_[static_cast<size_t>(read.index)];
  const grad::Partition::Saved& s = compilation_->saved()[static_cast<size_t>(read.index)];
  return s.is_input ? inputs_[static_cast<size_t>(s.index)]
                    : saved_[static_cast<size_t>(read.index)];
}

const eager::SavedTensor& CompiledNode::input(int i) const {
  auto at = static_cast<size_t>(i);
  return written_.empty() || !written_[at].defined() ? inputs_[at] : written_[at];
}

void CompiledNode::apply(eager::TapeRun& run) {
  // What the outputs without a gradient would have led to is undefined, as eager has it.
  SmallVector<bool, 8> received;
  for (size_t k = 0; k < outputs_of().size(); ++k) received.push_back(run.grads[k].defined());
  const CompiledBackward& b = compilation_->backward({received.data(), received.size()});
  const grad::Watch* refused = nullptr;
  std::exception_ptr error;
  {
    std::lock_guard lock(mutex_);
    try {
      check_kept(b.pass, run.wanted, refused);
      last_ = &b.pass;
      last_wanted_ = run.wanted;
    } catch (const UserError&) {
      error = std::current_exception();
    }
  }
  if (!error) return differentiate(b, run);
  // What eager comes by before it has the leaves' gradients, too.
  std::vector<bool> done(run.wanted.size());
  for (size_t i = 0; refused && i < done.size(); ++i) done[i] = run.wanted[i] && refused->done[i];
  if (std::ranges::find(done, true) == done.end()) std::rethrow_exception(error);
  try {
    differentiate(b, run);
  } catch (const UserError&) {  // it cannot be had: what it is made of was written, too
    std::rethrow_exception(error);
  }
  for (size_t i = 0; i < done.size(); ++i)
    if (!done[i]) run.results[i] = {};
  throw eager::RaisedOnTheWay{error, std::move(done)};
}

void CompiledNode::differentiate(const CompiledBackward& b, eager::TapeRun& run) {
  if (is_grad_enabled()) return apply_again(run, true);
  if (all_freed_ || !b.holds({symbols_.data(), symbols_.size()})) return apply_again(run, false);
  SmallVector<Tensor, 16> inputs;
  for (const grad::Backward::Read& r : b.pass.reads) inputs.push_back(saved(r).unpack(*this));
  for (int forward_output : b.pass.tangent_of) {
    size_t k = 0;
    while (outputs_of()[k] != forward_output) ++k;
    inputs.push_back(laid_out(run.grads[k], k, *b.run->graph().inputs()[inputs.size()]));
  }
  // Where every edge has a gradient that is wanted, the run's outputs are the results.
  const auto fresh = static_cast<size_t>(b.run->fresh_outputs());
  const bool direct =
      fresh == run.results.size() && std::ranges::all_of(run.wanted, std::identity{});
  SmallVector<Tensor, 16> gradients(direct ? 0 : fresh);
  SmallVector<int64_t, 6> symbols = symbols_;
  // What forward could count, and its gradients are no larger.
  FRIT_INVARIANT(b.run->sizes_hold({symbols.data(), symbols.size()}),
                 "a compiled backward pass is too large to count");
  int failed = b.run->run({inputs.data(), inputs.size()}, {symbols.data(), symbols.size()}, rng_,
                          direct ? run.results : std::span(gradients.data(), fresh));
  FRIT_INVARIANT(failed < 0, "a compiled backward pass failed a check");
  if (direct) return;
  size_t next = 0;
  for (size_t i = 0; i < b.pass.has_gradient.size(); ++i)
    if (b.pass.has_gradient[i]) {
      if (run.wanted[i]) run.results[i] = std::move(gradients[next]);
      ++next;
    }
}

// Gradients of gradients, sizes that the compiled pass is not for, and what was saved no longer
// there: the entry runs again from its inputs, on the tape.
void CompiledNode::apply_again(eager::TapeRun& run, bool create_graph) {
  GradMode on(true);
  std::vector<Tensor> inputs;
  for (const eager::SavedTensor& s : inputs_) inputs.push_back(s.unpack(*this));
  passes::Interpreted r =
      passes::interpret(*compilation_->recorded, inputs, rng_, {symbols_.begin(), symbols_.end()});
  std::vector<Tensor> outputs, grads, wanted;
  for (size_t k = 0; k < outputs_of().size(); ++k) {
    const Tensor& out = r.outputs[static_cast<size_t>(outputs_of()[k])];
    if (!run.grads[k].defined() || !eager::requires_grad(out)) continue;
    outputs.push_back(out);
    grads.push_back(run.grads[k]);
  }
  for (int i : compilation_->gradient_of()) wanted.push_back(inputs[static_cast<size_t>(i)]);
  TensorList gradients = autograd::grad(outputs, wanted, grads, true, create_graph, true);
  for (size_t i = 0; i < gradients.size(); ++i)
    if (run.wanted[i]) run.results[i] = gradients[i];
}

}  // namespace frit::compiler
