// The tape's part of a tensor.
#pragma once
#include <atomic>
#include <vector>

#include "eager/tape.h"

namespace frit::eager {

// The view ops from a base to a view of it, the last one first. Shared: a view of a view has one
// more, in front of its own.
struct ViewSteps final : Intrusive {
  ViewSteps(Ptr<ViewSteps> b, Ptr<CallInfo> s) : before(std::move(b)), step(std::move(s)) {}
  Ptr<ViewSteps> before;
  Ptr<CallInfo> step;
  // In the order in which they are taken.
  static std::vector<Ptr<CallInfo>> in_order(const Ptr<ViewSteps>& last);

 protected:
  void release_contents() override;
};

// A view that gradients flow through: where it comes from, so that a write to it or to its base can
// be followed.
struct ViewInfo {
  static void* operator new(size_t bytes) { return allocate_object(bytes); }
  static void operator delete(void* object, size_t bytes) noexcept { free_object(object, bytes); }

  enum class Made : uint8_t { normally, without_grad, in_inference };
  Tensor base;           // not itself such a view
  TensorInfo base_was;   // when it was made: an in-place view of the base changes it
  Ptr<ViewSteps> steps;  // from base, as it was, to it
  Made made = Made::normally;
  uint64_t version = 0;  // of the storage, when the view's maker was looked up
  SmallLock mutex;       // threads that share a view may look at once
};

struct LeafHooks {
  struct Hook {
    uint64_t handle;
    GradHook run;
  };
  struct PostHook {
    uint64_t handle;
    std::function<void(const Tensor&)> run;
  };
  std::vector<Hook> hooks;      // on the gradient, before it is accumulated
  std::vector<PostHook> after;  // on the leaf, once it is
};

class AutogradMeta final : public AutogradMetaBase {
 public:
  static void* operator new(size_t bytes) { return allocate_object(bytes); }
  static void operator delete(void* object, size_t bytes) noexcept { free_object(object, bytes); }

  // The base's requires_grad is what holds now. This is what the program asked of a leaf.
  bool wants_grad = false;
  bool retains_grad = false;
  uint32_t output_index = 0;  // among the maker's
  // How often another tensor took its place in a module.
  std::atomic<uint32_t> replaced{0};
  Ptr<TapeNode> maker;
  WeakPtr<AccumulateGrad> accumulator;
  Tensor grad;
  WeakPtr<SavedInput> saved;  // how nodes keep it
  std::unique_ptr<ViewInfo> view;
  std::unique_ptr<LeafHooks> hooks;
};

// Whether a leaf's gradient has hooks: bit 0 before it is accumulated, bit 1 after.
inline unsigned gradient_hooks(const AutogradMeta* m) {
  if (!m || !m->hooks) return 0;
  return (m->hooks->hooks.empty() ? 0u : 1u) | (m->hooks->after.empty() ? 0u : 2u);
}

inline AutogradMeta* meta_of(const TensorImpl& t) {
  return static_cast<AutogradMeta*>(t.autograd.get());
}
AutogradMeta& ensure_meta(TensorImpl& t);

// Brings a view's maker up to date with writes to its base.
void refresh_view(const Tensor& t);

// Guards what threads that share a tensor make of it: accumulators, saved inputs.
SmallLock& tape_mutex(const TensorImpl&);
// The same tensor as another object, with the place on the tape that it has now.
Tensor stand_in(const Tensor& t);

}  // namespace frit::eager
