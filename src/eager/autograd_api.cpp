// The public functions of frit/autograd.h, and Tensor's members that are about gradients.
#include <frit/autograd.h>

#include <algorithm>

#include "base/location.h"
#include "core/layout.h"
#include "eager/autograd_meta.h"
#include "eager/dispatch.h"
#include "eager/engine.h"
#include "eager/intercept.h"

namespace frit {

using eager::AutogradMeta;

bool is_grad_enabled() { return t_state.word & kGradEnabled; }
bool is_inference_mode() { return t_state.word & kInferenceMode; }

namespace {

void set_bit(uint32_t bit, bool on) {
  t_state.word = on ? t_state.word | bit : t_state.word & ~bit;
}

void unsupported(const Tensor& t, const char* what, const char* hint, SourceLocation where) {
  if (recording() && t_state.observer)
    t_state.observer->unsupported(*t.impl(), what, hint, located(where));
}

[[noreturn]] void fail(std::string_view op, std::string text, std::string hint,
                       SourceLocation where = {}) {
  throw UserError(ErrorKind::runtime, op, std::move(text), std::move(hint), located(where));
}

// Compiled entries that have this leaf look again whether its gradient has hooks.
void hooks_changed(const TensorImpl& leaf) {
  if (leaf.watched.load(std::memory_order_relaxed)) bump_metadata_epoch();
}

const TensorImpl& defined(const Tensor& t, std::string_view op) {
  if (!t.defined()) fail(op, "the tensor is undefined", "give it a value first");
  return *t.impl();
}

}  // namespace

void set_grad_enabled(bool on) { set_bit(kGradEnabled, on); }

GradMode::GradMode(bool enabled) : saved_(is_grad_enabled()) { set_grad_enabled(enabled); }
GradMode::~GradMode() { set_grad_enabled(saved_); }

InferenceMode::InferenceMode(bool enabled)
    : inference_(is_inference_mode()), grad_(is_grad_enabled()) {
  set_bit(kInferenceMode, enabled);
  set_grad_enabled(!enabled);
}
InferenceMode::~InferenceMode() {
  set_bit(kInferenceMode, inference_);
  set_grad_enabled(grad_);
}

bool Tensor::requires_grad() const {
  const TensorImpl& t = checked();
  if (recording() && t_state.observer) t_state.observer->reading_metadata(t);
  return eager::requires_grad(t);
}

Tensor& Tensor::requires_grad_(bool value, std::source_location where) {
  const TensorImpl& t = checked(where);
  if (value && !is_floating(t.dtype))
    fail("requires_grad_",
         "only Tensors of floating point dtype can require gradients, not " +
             std::string(name(t.dtype)),
         "to(float32) first", where);
  if (!value && eager::grad_fn(*this))
    fail("requires_grad_", "you can only change requires_grad flags of leaf variables.",
         "detach(), to use a computed variable in a subgraph that doesn't require differentiation",
         where);
  if (value && t.storage->is_inference() && !is_inference_mode())
    fail("requires_grad_",
         "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.",
         "clone() it first, which gives a normal tensor", where);
  if (value == eager::requires_grad(t)) return *this;
  unsupported(*this, "requires_grad_()",
              "call it before the compiled call; detach() stops gradients inside", where);
  AutogradMeta& m = eager::ensure_meta(*impl_);
  m.wants_grad = m.requires_grad = value;
  bump_metadata_epoch();
  return *this;
}

bool Tensor::is_inference() const {
  const TensorImpl& t = checked();
  if (recording() && t_state.observer) t_state.observer->reading_metadata(t);
  return t.storage->is_inference();
}

bool Tensor::is_leaf() const {
  checked();
  return !eager::grad_fn(*this);
}

Tensor Tensor::grad() const {
  const TensorImpl& t = checked();
  const AutogradMeta* m = eager::meta_of(t);
  if (recording()) interceptor()->grad_read(*this);
  return m ? m->grad : Tensor();
}

void Tensor::set_grad(Tensor grad, std::source_location where) const {
  const TensorImpl& t = checked(where);
  if (grad.defined()) {
    if (grad.impl() == impl())
      fail("set_grad", "can't assign Variable as its own grad", "clone() it", where);
    if (grad.impl()->dtype != t.dtype)
      fail("set_grad",
           "assigned grad has data of a different type: " + std::string(name(grad.impl()->dtype)) +
               ", the tensor is " + std::string(name(t.dtype)),
           "to(" + std::string(name(t.dtype)) + ")", where);
    if (!(grad.impl()->sizes == t.sizes))
      fail("set_grad",
           "assigned grad has data of a different size: " + dims_text(grad.impl()->sizes) +
               ", the tensor is " + dims_text(t.sizes),
           "a gradient of the tensor's sizes", where);
  }
  AutogradMeta* m = eager::meta_of(t);
  if (!m && !grad.defined()) return;
  m = &eager::ensure_meta(*impl_);
  m->grad = std::move(grad);
  if (recording()) interceptor()->grad_changed(*this, m->grad);
}

void Tensor::backward(Tensor gradient, bool retain_graph, bool create_graph,
                      std::source_location where) const {
  checked(where);
  TensorList grads;
  if (gradient.defined()) grads.push_back(std::move(gradient));
  eager::run_backward(std::span<const Tensor>(this, 1), grads, {},
                      {.retain_graph = retain_graph, .create_graph = create_graph}, where);
}

void Tensor::retain_grad(std::source_location where) const {
  const TensorImpl& t = checked(where);
  if (!eager::requires_grad(t))
    fail("retain_grad", "can't retain_grad on Tensor that has requires_grad=False",
         "requires_grad_() on what it is computed from", where);
  eager::Edge e = eager::gradient_edge(*this);
  if (!e || e.node->sequence() == eager::TapeNode::kLeafSequence) return;  // leaves keep theirs
  AutogradMeta& m = *eager::meta_of(t);
  if (std::exchange(m.retains_grad, true)) return;
  unsupported(*this, "retain_grad()",
              "frit::autograd::grad({loss}, {x}) gives the gradient of any tensor", where);
  e.node->retain_grad(e.index, *this);
}

uint64_t Tensor::register_hook(std::function<Tensor(const Tensor&)> hook,
                               std::source_location where) const {
  const TensorImpl& t = checked(where);
  if (!eager::requires_grad(t))
    fail("register_hook", "cannot register a hook on a tensor that doesn't require gradient",
         "requires_grad_() on what it is computed from", where);
  unsupported(*this, "register_hook()",
              "use the gradient after backward(): frit::autograd::grad(), or x.grad()", where);
  AutogradMeta& m = *eager::meta_of(t);
  if (Ptr<eager::TapeNode> node = eager::grad_fn(*this))
    return node->add_hook(m.output_index, std::move(hook));
  if (!m.hooks) m.hooks = std::make_unique<eager::LeafHooks>();
  uint64_t handle = eager::next_hook_handle();
  m.hooks->hooks.push_back({handle, std::move(hook)});
  hooks_changed(t);
  return handle;
}

void Tensor::remove_hook(uint64_t handle, std::source_location where) const {
  const TensorImpl& t = checked(where);
  unsupported(*this, "remove_hook()", "remove it outside of the compiled callable", where);
  AutogradMeta* m = eager::meta_of(t);
  if (!m) return;
  if (m->hooks) {
    std::erase_if(m->hooks->hooks, [&](auto& h) { return h.handle == handle; });
    std::erase_if(m->hooks->after, [&](auto& h) { return h.handle == handle; });
    hooks_changed(t);
  }
  if (m->maker) m->maker->remove_hook(handle);
}

namespace autograd {

TensorList grad(const TensorList& outputs, const TensorList& inputs, const TensorList& grad_outputs,
                bool retain_graph, bool create_graph, bool allow_unused,
                std::source_location where) {
  return eager::run_backward(outputs, grad_outputs, inputs,
                             {.retain_graph = retain_graph,
                              .create_graph = create_graph,
                              .allow_unused = allow_unused,
                              .accumulate = false},
                             where);
}

void backward(const TensorList& outputs, const TensorList& grad_outputs, bool retain_graph,
              bool create_graph, const TensorList& inputs, std::source_location where) {
  eager::run_backward(outputs, grad_outputs, inputs,
                      {.retain_graph = retain_graph, .create_graph = create_graph}, where);
}

uint64_t register_post_accumulate_grad_hook(const Tensor& leaf,
                                            std::function<void(const Tensor&)> hook,
                                            std::source_location where) {
  const TensorImpl& t = defined(leaf, "register_post_accumulate_grad_hook");
  if (!eager::requires_grad(t))
    fail("register_post_accumulate_grad_hook",
         "cannot register a hook on a tensor that doesn't require gradient",
         "requires_grad_() on it", where);
  if (eager::grad_fn(leaf))
    fail("register_post_accumulate_grad_hook",
         "post accumulate grad hooks cannot be registered on non-leaf tensors", "register_hook()",
         where);
  unsupported(leaf, "register_post_accumulate_grad_hook()",
              "use the gradient after backward(): frit::autograd::grad(), or x.grad()", where);
  AutogradMeta& m = *eager::meta_of(t);
  if (!m.hooks) m.hooks = std::make_unique<eager::LeafHooks>();
  uint64_t handle = eager::next_hook_handle();
  m.hooks->after.push_back({handle, std::move(hook)});
  hooks_changed(t);
  return handle;
}

}  // namespace autograd
}  // namespace frit
