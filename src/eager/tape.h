// The tape: one node for each op that ran on tensors requiring gradients, linked to the nodes that
// made its inputs. The engine (engine.h) walks it backward.
#pragma once
#include <mutex>

#include "base/small_lock.h"
#include "eager/call_info.h"

namespace frit::eager {

class TapeNode;

// "Gradient number `index` of that node": the one of the index'th output of its forward call.
struct Edge {
  Ptr<TapeNode> node;
  uint32_t index = 0;
  explicit operator bool() const { return static_cast<bool>(node); }
};

// What the gradient of one forward output must look like.
struct GradMeta {
  DType dtype = DType::f32;
  Dims sizes;
  bool differentiable = true;  // false: no gradient ever comes
  GradMeta() = default;
  explicit GradMeta(const Tensor& t) : dtype(t.impl()->dtype), sizes(t.impl()->sizes) {}
};

// One run of a node.
struct TapeRun {
  std::span<Tensor> grads;       // one an output; undefined where none reached. May be moved from
  std::span<Tensor> results;     // one an edge; stays undefined where there is no gradient
  std::span<const bool> wanted;  // by edge: does anyone want it
};

using GradHook = std::function<Tensor(const Tensor&)>;

// The compiled entries' node, custom functions and the nodes of this room derive from it.
class TapeNode : public Intrusive {
 public:
  TapeNode() : sequence_(next_sequence()) {}

  virtual std::string name() const = 0;  // "MulBackward"
  // Gradients of the inputs from those of the outputs. Runs with gradients off, or on where the
  // caller asked for create_graph. At least one of run.grads is defined, unless takes_no_grads().
  virtual void apply(TapeRun& run) = 0;
  virtual bool takes_no_grads() const { return false; }
  // Frees what apply() needs; a second apply() then raises saved_freed().
  virtual void release_saved() {}
  // Runs this node's tensor hooks on gradient buffers, before apply().
  virtual void run_hooks(std::span<Tensor> grads);
  virtual SourceLocation where() const { return {}; }
  // The node of the op itself, where another stands for it.
  virtual const TapeNode& writer() const { return *this; }
  // The tensor of a leaf's node (its gradient accumulates there), else undefined.
  virtual Tensor leaf() const { return {}; }

  // Rises with every node made; backward runs later ones first. Leaves' nodes are the last number.
  uint64_t sequence() const { return sequence_; }
  static constexpr uint64_t kLeafSequence = ~uint64_t{0};

  SmallVector<Edge, 3> edges;        // one an input of the forward call; empty where none is wanted
  SmallVector<GradMeta, 1> outputs;  // one an output of it

  uint64_t add_hook(uint32_t index, GradHook hook);
  bool remove_hook(uint64_t handle);
  // Keeps the gradient number `index`, after all hooks, as t.grad().
  void retain_grad(uint32_t index, const Tensor& t);
  // Takes the retained tensor away; false if it was not there.
  bool forget_retained(const Tensor& t);

 protected:
  // The last reference is gone, but weak ones may keep the object: drops what it owns.
  virtual void dropped() {}
  explicit TapeNode(uint64_t sequence) : sequence_(sequence) {}
  bool has_hooks() const { return hooks_ != nullptr; }
  [[noreturn]] void saved_freed() const;

 private:
  struct Hooks;
  struct HooksDelete {
    void operator()(Hooks*) const;
  };
  // Long tapes are freed in a loop, not by recursion.
  void release_contents() override;
  void drop();
  Hooks& hooks();
  static uint64_t next_sequence();
  uint64_t sequence_;
  std::unique_ptr<Hooks, HooksDelete> hooks_;
};

uint64_t latest_sequence();  // of the newest node; nodes made from now on have larger ones
uint64_t next_hook_handle();

// "MulBackward" from the record of "mul".
std::string backward_name(const OpRecord&);
// The node of a tensor of which a view was written.
inline constexpr const char* kCopySlices = "CopySlices";

// Eager's refusal of a saved tensor that was written since.
struct StaleText {
  DType dtype;
  std::span<const int64_t> sizes;
  std::string maker = {};  // the node that made it; empty: none
  int maker_output = 0;
  SourceLocation made_at = {};
  int64_t version = 0, expected = 0;
};
[[noreturn]] void fail_stale(const StaleText&, const std::string& owner, SourceLocation where);

// Holds an input that nodes keep. A tensor that is written gets a history that may lead to nodes
// that keep it: it would keep itself alive, so from then on an object of its own stands in its
// place.
class SavedInput final : public Intrusive {
 public:
  explicit SavedInput(Tensor t) : tensor(std::move(t)) {}
  Tensor tensor;

 private:
  void release_contents() override { tensor = {}; }
};

// A tensor kept for the backward pass. Reading it back fails where it was written in between.
class SavedTensor {
 public:
  SavedTensor() = default;
  // output_of < 0: an input. Else output number output_of of the node that keeps it, kept without
  // its history (or the node would keep itself alive).
  explicit SavedTensor(Tensor t, int output_of = -1);
  // A tensor that nobody else has, nor ever will.
  static SavedTensor own(Tensor t);
  // UserError of the op for what was made in InferenceMode.
  static void refuse_inference(const Tensor& t, std::string_view op);

  bool defined() const { return kept().defined(); }
  bool stale() const { return defined() && kept().version() != version_; }
  // The tensor, with its place in the tape. `owner` is the node that keeps it.
  Tensor unpack(const TapeNode& owner) const;  // UserError if stale
  Tensor unpack_unchecked(const TapeNode& owner) const;
  [[noreturn]] void fail_stale(const TapeNode& owner) const;
  uint64_t version() const { return version_; }  // when it was kept
  StaleText stale_text() const;
  // The object that is kept: another one than was given for outputs and views.
  const Tensor& kept() const { return input_ ? input_->tensor : data_; }

 private:
  Tensor data_;
  Ptr<SavedInput> input_;
  WeakPtr<TensorImpl> original_;  // of an output
  uint64_t version_ = 0;
  int output_of_ = -1;
};

// The node of an op with a record: runs the record's vjp.
class OpNode final : public TapeNode {
 public:
  explicit OpNode(Ptr<CallInfo> info) : info_(std::move(info)) {}
  std::string name() const override;
  void apply(TapeRun& run) override;
  void release_saved() override;
  SourceLocation where() const override { return info_->where; }
  const Ptr<CallInfo>& info() const { return info_; }
  // What the record's vjp needs, `self_copy` in place of argument 0 where an in-place op is about
  // to overwrite it.
  void save_args(std::span<const Arg> args, const Tensor& self_copy);
  void save_outs(std::span<const Tensor> outs);
  // Tells the interceptor of the objects that were made to keep tensors.
  void tell_aliases(std::span<const Arg> args, std::span<const Tensor> outs) const;

 private:
  struct Saved {
    int16_t arg, element;  // element -1: not of a list. arg -1: output number `element`
    SavedTensor tensor;
  };
  Ptr<CallInfo> info_;
  SmallVector<Saved, 2> saved_;
  bool freed_ = false;
};

// The end of the tape: adds to a leaf's grad.
class AccumulateGrad final : public TapeNode {
 public:
  explicit AccumulateGrad(Tensor leaf);
  std::string name() const override { return "AccumulateGrad"; }
  void apply(TapeRun& run) override;
  bool takes_no_grads() const override { return true; }
  void run_hooks(std::span<Tensor> grads) override;
  Tensor leaf() const override { return leaf_; }
  // Does no hook see the gradient, or that it was accumulated?
  bool is_unwatched() const;
  // The node once more, after its last reference went; null while that is still being done. One
  // thread at a time, which has a weak reference to it.
  Ptr<AccumulateGrad> again(const Tensor& leaf);

 private:
  // The leaf knows its accumulator weakly.
  void dropped() override {
    leaf_ = {};
    idle_.store(true, std::memory_order_release);
  }
  Tensor leaf_;
  SmallLock mutex_;
  std::atomic<bool> idle_{false};
};

// --- tensors and the tape
// --------------------------------------------------------------------------

// Does the tensor require a gradient now? A view of a tensor that was given a history does.
bool requires_grad(const TensorImpl&);
inline bool requires_grad(const Tensor& t) {
  return t.defined() && t.impl()->autograd && requires_grad(*t.impl());
}
bool any_requires_grad(std::span<const Arg> args);

// Where the tensor's gradient goes: its maker, or the accumulator of a leaf; empty if neither.
Edge gradient_edge(const Tensor&);
// The node that made it, null for a leaf.
Ptr<TapeNode> grad_fn(const Tensor&);

// Makes `node` the maker of outs: outs[i] becomes its output i (integer tensors do not). The node's
// edges are the callers' affair: link(). An out that is one of the inputs is the caller's error.
void attach(const Ptr<TapeNode>& node, std::span<Tensor> outs);
// The node's edges: one for each input, in order, empty where it needs no gradient.
void link(TapeNode& node, std::span<const Tensor> inputs);

// `self` was written by the call of `node`, whose output number `index` and edge number `self_edge`
// it is. Where self is a view, its base and all other views of it see the write.
void rebase_history(const Tensor& self, const Ptr<TapeNode>& node, uint32_t index = 0,
                    uint32_t self_edge = 0);
// UserError where gradients are on, `taped`, and `self` is a leaf, a view of one, or a view that
// may not be written.
void check_written(const Tensor& self, bool taped, std::string_view op);
// What was made in InferenceMode is written there only.
[[noreturn]] void refuse_inference_write(std::string_view op);
inline void check_inference(const Tensor& written, std::string_view op) {
  if (written.impl()->storage->is_inference() && !(t_state.word & kInferenceMode)) [[unlikely]]
    refuse_inference_write(op);
}

// `out` shows part of `self` by the view op of `info`.
void track_view(const Tensor& self, const Tensor& out, const Ptr<CallInfo>& info);

// `self` has become another view of what it is a view of, by the op of `info`. False where it is no
// view.
bool extend_view(const Tensor& self, const Ptr<CallInfo>& info);

// Were all tape nodes from `root` to the leaves made after the node of number `sequence`?
bool made_since(const Tensor& root, uint64_t sequence);

}  // namespace frit::eager
