// Tensors and the tape: who made a tensor, and how writes to tensors and views change that.
#include <atomic>

#include "base/error.h"
#include "eager/autograd_meta.h"
#include "eager/copy_slices.h"

namespace frit::eager {

AutogradMeta& ensure_meta(TensorImpl& t) {
  if (!t.autograd) t.autograd = std::make_unique<AutogradMeta>();
  return *meta_of(t);
}

SmallLock& tape_mutex(const TensorImpl& t) {
  constexpr size_t kLocks = 64;
  static constinit SmallLock locks[kLocks];
  return locks[t.id() % kLocks];
}

Tensor stand_in(const Tensor& t) {
  const TensorImpl& i = *t.impl();
  Tensor other = alias_view(t, i.sizes, i.strides, i.offset);
  if (Edge e = gradient_edge(t)) {
    AutogradMeta& m = ensure_meta(*other.impl());
    m.maker = std::move(e.node);
    m.output_index = e.index;
    m.requires_grad = true;
  }
  return other;
}

bool requires_grad(const TensorImpl& t) {
  AutogradMeta* m = meta_of(t);
  if (!m) return false;
  if (t.requires_grad()) return true;
  if (!m->view || !requires_grad(*m->view->base.impl())) return false;
  std::atomic_ref<bool>(m->requires_grad).store(true, std::memory_order_relaxed);
  return true;
}

bool any_requires_grad(std::span<const Arg> args) {
  for (const Arg& a : args) {
    if (a.is_ref()) {
      if (requires_grad(a.ref().tensor())) return true;
    } else if (a.is_ref_list()) {
      for (const Ref& r : a.refs())
        if (requires_grad(r.tensor())) return true;
    }
  }
  return false;
}

std::vector<Ptr<CallInfo>> ViewSteps::in_order(const Ptr<ViewSteps>& last) {
  std::vector<Ptr<CallInfo>> steps;
  for (const ViewSteps* s = last.get(); s; s = s->before.get()) steps.push_back(s->step);
  std::reverse(steps.begin(), steps.end());
  return steps;
}

// One after another: a chain may be longer than the stack is deep.
void ViewSteps::release_contents() {
  step = nullptr;
  Ptr<ViewSteps> next = std::move(before);
  while (next && next->use_count() == 1) next = Ptr<ViewSteps>(std::move(next->before));
}

namespace {

// The view ops from the base as it is now.
std::vector<Ptr<CallInfo>> steps_from_base(const ViewInfo& v) {
  std::vector<Ptr<CallInfo>> steps = ViewSteps::in_order(v.steps);
  const TensorImpl& now = *v.base.impl();
  const TensorInfo& was = v.base_was;
  if (now.sizes == was.sizes && now.strides == was.strides && now.offset == was.offset)
    return steps;
  static const OpRecord& as_strided = find_op("as_strided");
  ArgList args{Arg(v.base), Arg(IntList(was.sizes.begin(), was.sizes.end())),
               Arg(IntList(was.strides.begin(), was.strides.end())), Arg(Int(was.offset))};
  auto info = make_ptr<CallInfo>(as_strided, args, steps.front()->where);
  Tensor before[] = {alias_view(v.base, was.sizes, was.strides, was.offset)};
  info->set_outs(before);
  steps.insert(steps.begin(), std::move(info));
  return steps;
}

}  // namespace

void refresh_view(const Tensor& t) {
  AutogradMeta* m = meta_of(*t.impl());
  if (!m || !m->view) return;
  ViewInfo& v = *m->view;
  std::lock_guard lock(v.mutex);
  uint64_t now = t.impl()->storage->version();
  if (v.version == now || (!m->maker && !requires_grad(*v.base.impl()))) return;
  Edge edge = gradient_edge(v.base);
  if (edge) {
    for (const Ptr<CallInfo>& step : steps_from_base(v)) {
      auto node = make_ptr<OpNode>(step);
      node->edges.push_back(std::move(edge));
      GradMeta& out = node->outputs.emplace_back();
      out.dtype = step->outs[0].dtype;
      out.sizes = step->outs[0].sizes;
      edge = {Ptr<TapeNode>(node.get()), 0};
    }
    if (m->retains_grad) {
      if (m->maker) m->maker->forget_retained(t);
      edge.node->retain_grad(0, t);
    }
    m->maker = std::move(edge.node);
    m->output_index = 0;
    std::atomic_ref<bool>(m->requires_grad).store(true, std::memory_order_relaxed);
  }
  v.version = now;
}

Edge gradient_edge(const Tensor& t) {
  if (!t.defined()) return {};
  AutogradMeta* m = meta_of(*t.impl());
  if (!m) return {};
  refresh_view(t);
  if (m->maker) return {m->maker, m->output_index};
  if (!m->wants_grad) return {};
  std::lock_guard lock(tape_mutex(*t.impl()));
  Ptr<AccumulateGrad> accumulator = m->accumulator.lock();
  if (!accumulator && m->accumulator.address()) accumulator = m->accumulator.address()->again(t);
  if (!accumulator) {
    accumulator = make_ptr<AccumulateGrad>(t);
    m->accumulator = WeakPtr<AccumulateGrad>(accumulator);
  }
  return {Ptr<TapeNode>(std::move(accumulator)), 0};
}

Ptr<TapeNode> grad_fn(const Tensor& t) {
  if (!t.defined() || !meta_of(*t.impl())) return nullptr;
  refresh_view(t);
  return meta_of(*t.impl())->maker;
}

void link(TapeNode& node, std::span<const Tensor> inputs) {
  for (const Tensor& t : inputs) node.edges.push_back(gradient_edge(t));
}

namespace {

// Before a written tensor gets its new history.
void part_from_savers(const Tensor& t, AutogradMeta& m) {
  Ptr<SavedInput> saved = m.saved.lock();
  if (!saved) return;
  Tensor other = stand_in(t);
  std::lock_guard lock(tape_mutex(*t.impl()));
  saved->tensor = std::move(other);
  m.saved = {};
}

void set_maker(const Tensor& t, Ptr<TapeNode> node, uint32_t index) {
  AutogradMeta& m = ensure_meta(*t.impl());
  if (m.retains_grad) {
    if (m.maker) m.maker->forget_retained(t);
    node->retain_grad(index, t);
  }
  m.maker = std::move(node);
  m.output_index = index;
  m.requires_grad = true;
}

}  // namespace

void attach(const Ptr<TapeNode>& node, std::span<Tensor> outs) {
  for (size_t i = 0; i < outs.size(); ++i) {
    if (!outs[i].defined()) {
      node->outputs.emplace_back().differentiable = false;
      continue;
    }
    GradMeta& meta = node->outputs.emplace_back(outs[i]);
    meta.differentiable = is_floating(meta.dtype);
    if (meta.differentiable) set_maker(outs[i], node, static_cast<uint32_t>(i));
  }
}

void track_view(const Tensor& self, const Tensor& out, const Ptr<CallInfo>& info) {
  AutogradMeta& m = ensure_meta(*out.impl());
  m.view = std::make_unique<ViewInfo>();
  ViewInfo& v = *m.view;
  AutogradMeta* from = meta_of(*self.impl());
  if (from && from->view) {
    v.base = from->view->base;
    v.base_was = from->view->base_was;
    v.steps = from->view->steps;
    v.made = from->view->made;
  } else {
    v.base = self;
    v.base_was = TensorInfo(self);
  }
  v.steps = make_ptr<ViewSteps>(std::move(v.steps), info);
  if (t_state.word & kInferenceMode)
    v.made = ViewInfo::Made::in_inference;
  else if (!(t_state.word & kGradEnabled))
    v.made = ViewInfo::Made::without_grad;
  v.version = out.impl()->storage->version();
}

bool extend_view(const Tensor& self, const Ptr<CallInfo>& info) {
  AutogradMeta* m = meta_of(*self.impl());
  if (!m || !m->view) return false;
  std::lock_guard lock(m->view->mutex);
  m->view->steps = make_ptr<ViewSteps>(std::move(m->view->steps), info);
  return true;
}

void refuse_inference_write(std::string_view op) {
  throw UserError(ErrorKind::runtime, op,
                  "Inplace update to inference tensor outside InferenceMode is not allowed.",
                  "clone() it before the write, which gives a normal tensor");
}

void check_written(const Tensor& self, bool taped, std::string_view op) {
  check_inference(self, op);
  if (!taped || !(t_state.word & kGradEnabled)) return;
  AutogradMeta* m = meta_of(*self.impl());
  if (!m) return;
  auto fail = [&](std::string text, std::string hint) {
    throw UserError(ErrorKind::runtime, op, std::move(text), std::move(hint));
  };
  if (m->view) {
    const ViewInfo& v = *m->view;
    std::string made = m->maker
                           ? "Output " + std::to_string(m->output_index) + " of " +
                                 m->maker->name() + " is a view and is being modified inplace. "
                           : "A view was created in no_grad mode and is being modified inplace "
                             "with grad mode enabled. ";
    if (v.made == ViewInfo::Made::in_inference)
      fail(
          "A view was created in inference mode and is being modified inplace in normal mode. "
          "Given that this use case is ambiguous and error-prone, it is forbidden.",
          "move both the view and the inplace either inside the InferenceMode block (if you don't "
          "want the inplace to be tracked) or outside of it (if you want the inplace to be "
          "tracked)");
    if (v.made == ViewInfo::Made::without_grad)
      fail(made + "Given that this use case is ambiguous and error-prone, it is forbidden.",
           "move both the view and the inplace either inside the no_grad block (if you don't want "
           "the inplace to be tracked) or outside of it (if you want the inplace to be tracked)");
    if (requires_grad(self) && !grad_fn(v.base))
      fail("a view of a leaf Variable that requires grad is being used in an in-place operation.",
           "a NoGrad guard around the write, or write to a clone()");
  }
  if (requires_grad(self) && !grad_fn(self))
    fail("a leaf Variable that requires grad is being used in an in-place operation.",
         "a NoGrad guard around the write, or write to a clone()");
}

void rebase_history(const Tensor& self, const Ptr<TapeNode>& node, uint32_t index,
                    uint32_t self_edge) {
  AutogradMeta& m = ensure_meta(*self.impl());
  if (!m.view) {
    part_from_savers(self, m);
    set_maker(self, node, index);
    return;
  }
  const Tensor& base = m.view->base;
  if (AutogradMeta* base_meta = meta_of(*base.impl())) part_from_savers(base, *base_meta);
  auto slices = make_ptr<CopySlices>(gradient_edge(base), node, index, self_edge, base,
                                     steps_from_base(*m.view));
  slices->outputs.emplace_back(base);
  set_maker(base, Ptr<TapeNode>(slices.get()), 0);
  refresh_view(self);
}

}  // namespace frit::eager
