// The end of the tape: a leaf's gradient.
#include "base/location.h"
#include "core/layout.h"
#include "eager/autograd_meta.h"
#include "eager/dispatch.h"
#include "eager/intercept.h"

namespace frit::eager {
namespace {

// Gradients have the leaf's strides where those are dense, else are contiguous.
bool has_grad_layout(const TensorImpl& grad, const TensorImpl& leaf) {
  if (grad.strides == leaf.strides && is_contiguous(leaf.sizes, leaf.strides)) return true;
  if (!is_dense_non_overlapping(leaf.sizes, leaf.strides))
    return is_contiguous(grad.sizes, grad.strides);
  for (size_t i = 0; i < grad.sizes.size(); ++i)
    if (grad.sizes[i] != 1 && grad.strides[i] != leaf.strides[i]) return false;
  return true;
}

// Nobody else can see the gradient: it becomes the leaf's without a copy.
bool can_steal(const Tensor& grad, const TensorImpl& leaf) {
  const TensorImpl& g = *grad.impl();
  if (g.use_count() != 1 || !has_grad_layout(g, leaf) || g.dtype != leaf.dtype) return false;
  const AutogradMeta* m = meta_of(g);
  bool own_base = m && m->view && m->view->base.impl()->use_count() == 1;
  return g.storage->use_count() == (own_base ? 2u : 1u);
}

Tensor copy_for(const Tensor& grad, const TensorImpl& leaf, SourceLocation where) {
  EagerCaller c(where);
  if (is_dense_non_overlapping(leaf.sizes, leaf.strides) &&
      !is_contiguous(leaf.sizes, leaf.strides)) {
    IntList sizes(leaf.sizes.begin(), leaf.sizes.end());
    IntList strides(leaf.strides.begin(), leaf.strides.end());
    Tensor fresh = c.op<"empty_strided">(Arg(sizes), Arg(strides), Arg(leaf.dtype)).tensor();
    return c.op<"copy_">(fresh, grad).tensor();
  }
  if (is_contiguous(grad.impl()->sizes, grad.impl()->strides)) return c.op<"clone">(grad).tensor();
  return c.op<"contiguous">(grad).tensor();
}

}  // namespace

AccumulateGrad::AccumulateGrad(Tensor leaf) : TapeNode(kLeafSequence), leaf_(std::move(leaf)) {
  outputs.emplace_back(leaf_);
}

Ptr<AccumulateGrad> AccumulateGrad::again(const Tensor& leaf) {
  if (!idle_.load(std::memory_order_acquire)) return nullptr;
  idle_.store(false, std::memory_order_relaxed);
  leaf_ = leaf;
  if (outputs[0].dtype != leaf.impl()->dtype || !(outputs[0].sizes == leaf.impl()->sizes))
    outputs[0] = GradMeta(leaf);
  return Ptr<AccumulateGrad>::adopt(static_cast<AccumulateGrad*>(live_again()));
}

bool AccumulateGrad::is_unwatched() const {
  const AutogradMeta* m = meta_of(*leaf_.impl());
  return !has_hooks() && !(m && m->hooks);
}

void AccumulateGrad::run_hooks(std::span<Tensor> grads) {
  AutogradMeta& m = ensure_meta(*leaf_.impl());
  if (!grads[0].defined()) return;
  if (recording()) interceptor()->gradient_hooks_read(leaf_);
  if (!m.hooks) return;
  auto hooks = m.hooks->hooks;
  for (auto& h : hooks) {
    if (recording())
      t_state.observer->unsupported(
          *leaf_.impl(), "a hook on a gradient",
          "use the gradient after backward(), as x.grad(), or remove the hook", located({}));
    Tensor other = h.run(grads[0]);
    if (other.defined()) grads[0] = std::move(other);
  }
}

void AccumulateGrad::apply(TapeRun& run) {
  if (!run.grads[0].defined()) return;
  AutogradMeta& m = ensure_meta(*leaf_.impl());
  {
    std::lock_guard lock(mutex_);
    Tensor before = m.grad;
    if (recording()) interceptor()->grad_read(leaf_);
    Tensor grad = std::move(run.grads[0]);
    bool create_graph = t_state.word & kGradEnabled;
    if (!before.defined()) {
      if (!create_graph && can_steal(grad, *leaf_.impl())) {
        grad.impl()->autograd.reset();
        m.grad = std::move(grad);
      } else {
        m.grad = copy_for(grad, *leaf_.impl(), {});
        if (!create_graph) m.grad.impl()->autograd.reset();
      }
    } else if (!create_graph) {
      EagerCaller().op<"add_.Tensor">(before, grad, Scalar(1));
    } else {
      m.grad = EagerCaller().op<"add.Tensor">(before, grad, Scalar(1)).tensor();
    }
    if (recording() && !m.grad.is_same(before)) interceptor()->grad_changed(leaf_, m.grad);
  }
  if (m.hooks && !m.hooks->after.empty()) {
    auto hooks = m.hooks->after;
    for (auto& h : hooks) {
      if (recording())
        t_state.observer->unsupported(
            *leaf_.impl(), "a hook after accumulation",
            "use the gradient after backward(), as x.grad(), or remove the hook", located({}));
      h.run(leaf_);
    }
  }
}

}  // namespace frit::eager
