#include "eager/tape.h"

#include <algorithm>
#include <atomic>
#include <unordered_set>

#include "base/location.h"
#include "eager/autograd_meta.h"
#include "eager/dispatch.h"
#include "eager/engine.h"
#include "eager/intercept.h"

namespace frit::eager {
namespace {

std::atomic<uint64_t> g_sequence{0};
std::atomic<uint64_t> g_hook{1};

// Nodes whose last reference went while another was being freed on this thread.
thread_local SmallVector<WeakPtr<TapeNode>, 16>* t_dying = nullptr;

}  // namespace

struct TapeNode::Hooks {
  struct Hook {
    uint64_t handle;
    uint32_t index;
    GradHook run;
  };
  struct Retained {
    uint32_t index;
    WeakPtr<TensorImpl> tensor;
    bool kept = false;
  };
  std::vector<Hook> hooks;
  std::vector<Retained> retained;
};

void TapeNode::HooksDelete::operator()(Hooks* h) const { delete h; }

uint64_t TapeNode::next_sequence() {
  return g_sequence.fetch_add(1, std::memory_order_relaxed) + 1;
}
uint64_t latest_sequence() { return g_sequence.load(std::memory_order_relaxed); }
uint64_t next_hook_handle() { return g_hook.fetch_add(1, std::memory_order_relaxed); }

TapeNode::Hooks& TapeNode::hooks() {
  if (!hooks_) hooks_.reset(new Hooks);
  return *hooks_;
}

uint64_t TapeNode::add_hook(uint32_t index, GradHook hook) {
  uint64_t handle = next_hook_handle();
  hooks().hooks.push_back({handle, index, std::move(hook)});
  return handle;
}

bool TapeNode::remove_hook(uint64_t handle) {
  return hooks_ && std::erase_if(hooks_->hooks, [&](auto& h) { return h.handle == handle; }) > 0;
}

void TapeNode::retain_grad(uint32_t index, const Tensor& t) {
  hooks().retained.push_back({index, WeakPtr<TensorImpl>(t.ptr())});
}

bool TapeNode::forget_retained(const Tensor& t) {
  return hooks_ && std::erase_if(hooks_->retained,
                                 [&](auto& r) { return r.tensor.address() == t.impl(); }) > 0;
}

void TapeNode::run_hooks(std::span<Tensor> grads) {
  if (!hooks_) return;
  // A hook may add or remove hooks: those are for the next run.
  auto hooks = hooks_->hooks;
  for (auto& h : hooks) {
    Tensor& grad = grads[h.index];
    if (!grad.defined()) continue;
    if (recording())
      t_state.observer->unsupported(
          *grad.impl(), "a hook on a gradient",
          "use the gradient after backward(), as x.grad(), or remove the hook", located({}));
    Tensor other = h.run(grad);
    if (other.defined()) grad = std::move(other);
  }
  for (auto& r : hooks_->retained) {
    const Tensor& grad = grads[r.index];
    Ptr<TensorImpl> impl = r.tensor.lock();
    if (!grad.defined() || !impl) continue;
    AutogradMeta& meta = ensure_meta(*impl);
    Tensor before = meta.grad;
    meta.grad = before.defined() && r.kept
                    ? EagerCaller(where()).op<"add.Tensor">(before, grad, Scalar(1)).tensor()
                    : EagerCaller(where()).op<"clone">(grad).tensor();
    r.kept = true;
    if (recording()) interceptor()->grad_changed(Tensor(impl), meta.grad);
  }
}

void fail_freed(const std::string& owner, SourceLocation where) {
  throw UserError(
      ErrorKind::runtime, "backward",
      "Trying to backward through the graph a second time (or directly access saved tensors after "
      "they have already been freed). Saved intermediate values of the graph are freed when you "
      "call "
      ".backward() or autograd::grad(). The values of " +
          owner + " are gone.",
      "retain_graph = true in the first call, if you need to backward through the graph a second "
      "time "
      "or to access saved tensors after calling backward",
      where);
}

void TapeNode::saved_freed() const { fail_freed(name(), where()); }

void TapeNode::drop() {
  release_saved();
  hooks_.reset();
  edges.clear();
  dropped();
}

void TapeNode::release_contents() {
  if (t_dying) {
    if (edges.empty()) return drop();  // nothing lies below it
    t_dying->emplace_back(this);
    return;
  }
  SmallVector<WeakPtr<TapeNode>, 16> dying;
  t_dying = &dying;
  drop();
  while (!dying.empty()) {
    WeakPtr<TapeNode> next = std::move(dying.back());
    dying.pop_back();
    next.address()->drop();
  }
  t_dying = nullptr;
}

bool made_since(const Tensor& root, uint64_t sequence) {
  Ptr<TapeNode> first = grad_fn(root);
  if (!first) return true;
  std::vector<TapeNode*> stack{first.get()};
  std::unordered_set<TapeNode*> seen{first.get()};
  while (!stack.empty()) {
    TapeNode* n = stack.back();
    stack.pop_back();
    if (n->sequence() != TapeNode::kLeafSequence && n->sequence() <= sequence) return false;
    for (const Edge& e : n->edges)
      if (e && seen.insert(e.node.get()).second) stack.push_back(e.node.get());
  }
  return true;
}

}  // namespace frit::eager
