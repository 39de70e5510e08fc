#include "eager/engine.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/location.h"
#include "core/layout.h"
#include "eager/autograd_meta.h"
#include "eager/dispatch.h"
#include "eager/intercept.h"

namespace frit::eager {
namespace {

[[noreturn]] void fail(std::string text, std::string hint, ErrorKind kind = ErrorKind::runtime) {
  throw UserError(kind, "backward", std::move(text), std::move(hint));
}

// What a backward pass knows of each node: an open-addressed table, for the lookups are much of
// what a pass over small tensors costs. A new node may move the states of the others: their numbers
// stay.
template <class State>
class StateTable {
 public:
  uint32_t number(const TapeNode* node) {
    if (2 * (states_.size() + 1) > count_) grow();
    Slot& s = slots_[find(node)];
    if (!s.node) {
      s = {node, static_cast<uint32_t>(states_.size())};
      states_.emplace_back();
    }
    return s.state;
  }
  State& at(uint32_t number) { return states_[number]; }

 private:
  struct Slot {
    const TapeNode* node = nullptr;
    uint32_t state = 0;
  };
  size_t find(const TapeNode* node) const {
    size_t mask = count_ - 1;
    size_t at = (reinterpret_cast<uintptr_t>(node) >> 4) * 0x9E3779B97F4A7C15u >> 32 & mask;
    while (slots_[at].node && slots_[at].node != node) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Slot> larger(2 * count_);
    std::span<const Slot> old(slots_, count_);
    slots_ = larger.data();
    count_ = larger.size();
    for (const Slot& s : old)
      if (s.node) slots_[find(s.node)] = s;
    many_ = std::move(larger);
  }
  Slot few_[32];
  std::vector<Slot> many_;
  Slot* slots_ = few_;
  size_t count_ = std::size(few_);
  SmallVector<State, 12> states_;
};

class Task {
 public:
  Task(bool retain_graph, bool create_graph) : retain_(retain_graph), create_(create_graph) {}

  void add_root(const Edge& e, Tensor grad) {
    roots_.push_back(e.node);
    add(state(e), e.index, std::move(grad));
  }
  // The gradient that arrives at the edge is wanted: given back in `into`, or, with null, left to
  // the leaf's node.
  void want(const Edge& e, Tensor* into) {
    only_wanted_ = true;
    State& s = state(e);
    s.needed = true;
    if (into)
      s.captures.push_back({e.index, into});
    else
      s.runs = true;
  }

  void run() {
    count();
    // From here on no state is made, so none moves.
    for (const Ptr<TapeNode>& r : roots_) {
      const uint32_t root = states_.number(r.get());
      if (const State& s = states_.at(root); s.waiting == 0 && !s.queued) push(root);
    }
    while (!ready_.empty()) {
      std::pop_heap(ready_.begin(), ready_.end());
      State& next = states_.at(ready_.back().state);
      ready_.pop_back();
      step(next);
    }
  }

 private:
  struct Capture {
    uint32_t index;
    Tensor* into;
  };
  struct State {
    TapeNode* node = nullptr;
    uint32_t waiting = 0;  // edges to it that have not been followed
    uint32_t next = 0;     // where the states of its edges are in next_
    bool seen = false, queued = false;
    bool needed = false;  // something wanted lies at or below it
    bool runs = false;    // and it is to be run
    SmallVector<Tensor, 2> grads;
    std::vector<Capture> captures;
  };

  struct Ready {
    uint64_t sequence;
    uint32_t state;
    bool operator<(const Ready& other) const { return sequence < other.sequence; }
  };

  State& state(const Edge& e) {
    State& s = states_.at(states_.number(e.node.get()));
    s.node = e.node.get();
    return s;
  }
  State& next_of(const State& s, size_t edge) { return states_.at(next_[s.next + edge]); }

  void push(uint32_t state) {
    State& s = states_.at(state);
    s.queued = true;
    ready_.push_back({s.node->sequence(), state});
    std::push_heap(ready_.begin(), ready_.end());
  }

  // Counts the edges to each node, notes the states they lead to, and finds which nodes lead to
  // something wanted.
  void count() {
    struct Frame {
      TapeNode* node;
      uint32_t state;
      uint32_t next;
      uint32_t edge;
    };
    SmallVector<Frame, 16> stack;
    auto enter = [&](TapeNode* node, uint32_t state) {
      State& s = states_.at(state);
      s.node = node;
      s.seen = true;
      s.next = static_cast<uint32_t>(next_.size());
      if (node->sequence() == TapeNode::kLeafSequence)
        in_any_order_ = in_any_order_ && is_unwatched(*node);
      next_.resize(next_.size() + node->edges.size());
      stack.push_back({node, state, s.next, 0});
    };
    auto needs = [&](uint32_t state) { states_.at(state).runs = states_.at(state).needed = true; };
    for (const Ptr<TapeNode>& r : roots_) {
      const uint32_t root = states_.number(r.get());
      if (states_.at(root).seen) continue;
      enter(r.get(), root);
      while (!stack.empty()) {
        Frame& f = stack.back();
        if (f.edge == f.node->edges.size()) {
          if (!only_wanted_) needs(f.state);
          bool needed = states_.at(f.state).needed;
          stack.pop_back();
          if (needed && !stack.empty()) needs(stack.back().state);
          continue;
        }
        const size_t edge = f.edge++;
        const Edge& e = f.node->edges[edge];
        if (!e) continue;
        const uint32_t below = states_.number(e.node.get());
        next_[f.next + edge] = below;
        State& next = states_.at(below);
        ++next.waiting;
        if (next.seen) {
          if (next.needed) needs(f.state);
          continue;
        }
        enter(e.node.get(), below);
      }
    }
  }

  void add(State& s, uint32_t index, Tensor grad) {
    const TapeNode& node = *s.node;
    if (s.grads.empty()) s.grads.resize(std::max<size_t>(node.outputs.size(), index + 1));
    Tensor& sum = s.grads[index];
    if (!sum.defined()) {
      sum = std::move(grad);
      return;
    }
    if (!grad.defined()) return;
    const TensorImpl& i = *sum.impl();
    EagerCaller c(node.where());
    // In place where nobody else can see it; not under an interceptor, whose ops must not depend on
    // who holds what.
    if (!create_ && !recording() && i.use_count() == 1 && i.storage->use_count() == 1 &&
        is_dense_non_overlapping(i.sizes, i.strides) && i.dtype == grad.dtype())
      c.op<"add_.Tensor">(sum, grad, Scalar(1));
    else
      sum = c.op<"add.Tensor">(sum, grad, Scalar(1)).tensor();
  }

  void step(State& s) {
    TapeNode& node = *s.node;
    SmallVector<Tensor, 2>& grads = s.grads;
    grads.resize(std::max<size_t>(node.outputs.size(), 1));
    const SourceLocation outer = t_location;
    LocationScope place(LocationScope::Replacing{}, node.where());
    node.run_hooks({grads.data(), grads.size()});
    for (const Capture& c : s.captures) *c.into = grads[c.index];

    const size_t edges = node.edges.size();
    SmallVector<Tensor, 8> results(edges);
    bool any = std::any_of(grads.begin(), grads.end(), [](auto& g) { return g.defined(); });
    if (s.runs && (any || node.takes_no_grads())) {
      SmallVector<bool, 8> wanted;
      for (size_t i = 0; i < edges; ++i)
        wanted.push_back(node.edges[i] && (!only_wanted_ || next_of(s, i).needed));
      TapeRun run{{grads.data(), grads.size()}, {results.data(), results.size()}, wanted};
      try {
        node.apply(run);
      } catch (const RaisedOnTheWay& raised) {
        finish_leaves(s, {results.data(), results.size()}, raised.done);
        std::rethrow_exception(raised.error);
      }
      if (!retain_) {
        node.release_saved();
        if (TapeObserver* o = tape_observer()) o->freed(node.writer());
      }
    }
    grads.clear();
    for (size_t i = 0; i < edges; ++i)  // none is given on where one does not fit
      if (results[i].defined() && node.edges[i] && next_of(s, i).needed) fit(node, i, results[i]);
    for (size_t i = 0; i < edges; ++i) {
      const Edge& e = node.edges[i];
      if (!e) continue;
      State& next = next_of(s, i);
      const bool last = --next.waiting == 0;
      if (!next.needed) continue;
      if (results[i].defined()) {
        if (last && takes_at_once(next)) {
          const SourceLocation here = std::exchange(t_location, outer);
          TapeRun run{{&results[i], 1}, {}, {}};
          static_cast<AccumulateGrad*>(next.node)->apply(run);
          t_location = here;
          continue;
        }
        add(next, e.index, std::move(results[i]));
      }
      if (last) push(next_[s.next + i]);
    }
  }

  // Leaves come before whatever else is ready. Where no hook tells in which order, one of which
  // this is the whole gradient need not wait for the others.
  bool takes_at_once(const State& s) const {
    return in_any_order_ && s.node->sequence() == TapeNode::kLeafSequence && s.runs &&
           s.grads.empty() && s.captures.empty() && !recording() && is_unwatched(*s.node);
  }
  static bool is_unwatched(const TapeNode& leaf) {
    return static_cast<const AccumulateGrad&>(leaf).is_unwatched();
  }

  void finish_leaves(const State& s, std::span<Tensor> results, const std::vector<bool>& done) {
    const TapeNode& from = *s.node;
    std::vector<State*> complete;
    for (size_t i = 0; i < from.edges.size(); ++i) {
      const Edge& e = from.edges[i];
      if (!done[i] || !e || e.node->sequence() != TapeNode::kLeafSequence) continue;
      State& next = next_of(s, i);
      if (!next.needed) continue;
      if (results[i].defined()) {
        fit(from, i, results[i]);
        add(next, e.index, std::move(results[i]));
      }
      if (--next.waiting == 0) complete.push_back(&next);
    }
    for (State* leaf : complete) step(*leaf);
  }

  // Gives the gradient the sizes and dtype of what it is the gradient of.
  void fit(const TapeNode& from, size_t i, Tensor& grad) {
    const Edge& e = from.edges[i];
    if (e.index >= e.node->outputs.size()) return;
    const GradMeta& meta = e.node->outputs[e.index];
    if (!(grad.impl()->sizes == meta.sizes)) {
      if (!sums_to(grad.impl()->sizes, meta.sizes))
        fail("Function " + from.name() + " returned an invalid gradient at index " +
                 std::to_string(i) + " - got " + dims_text(grad.impl()->sizes) +
                 " but expected shape compatible with " + dims_text(meta.sizes),
             "return a gradient of the input's sizes from its backward");
      grad = EagerCaller(from.where())
                 .op<"sum_to_size">(grad, Arg(IntList(meta.sizes.begin(), meta.sizes.end())))
                 .tensor();
    }
    if (grad.impl()->dtype != meta.dtype)
      grad = EagerCaller(from.where()).op<"_to_copy">(grad, Arg(meta.dtype)).tensor();
  }

  static bool sums_to(std::span<const int64_t> from, std::span<const int64_t> to) {
    if (to.size() > from.size()) return false;
    size_t shift = from.size() - to.size();
    for (size_t i = 0; i < to.size(); ++i)
      if (to[i] != from[shift + i] && to[i] != 1) return false;
    return true;
  }

  bool retain_, create_;
  bool only_wanted_ = false;
  bool in_any_order_ = true;  // no hook sees when leaves get their gradients
  SmallVector<Ptr<TapeNode>, 2> roots_;
  StateTable<State> states_;
  SmallVector<uint32_t, 32> next_;  // by node and edge: the state it leads to
  SmallVector<Ready, 16> ready_;
};

// A number 1, where no interceptor wants to see the op that makes it.
Tensor unwatched_one(DType dtype) {
  static const auto ones = [] {
    std::array<Tensor, kNumDTypes> made;
    for (size_t i = 0; i < made.size(); ++i)
      made[i] = EagerCaller().op<"full">(IntList{}, Scalar(1), Arg(static_cast<DType>(i))).tensor();
    return made;
  }();
  Tensor one = empty_strided_cpu({}, {}, dtype);
  std::memcpy(one.impl()->data(), ones[static_cast<size_t>(dtype)].impl()->data(),
              static_cast<size_t>(size_of(dtype)));
  return one;
}

Tensor root_grad(const Tensor& out, const Tensor& given, size_t i, bool create_graph) {
  const TensorImpl& o = *out.impl();
  if (!given.defined()) {
    if (o.numel() != 1)
      fail("grad can be implicitly created only for scalar outputs",
           "sum() or mean() first, or give the gradient of " + dims_text(o.sizes));
    if (o.dim() == 0 && !create_graph && !recording()) return unwatched_one(o.dtype);
    return EagerCaller().op<"ones_like">(out).tensor();
  }
  const std::string n = std::to_string(i);
  if (!(given.impl()->sizes == o.sizes))
    fail("Mismatch in shape: grad_output[" + n + "] has a shape of " +
             dims_text(given.impl()->sizes) + " and output[" + n + "] has a shape of " +
             dims_text(o.sizes) + ".",
         "a gradient of the output's sizes");
  if (!is_floating(given.dtype()))
    fail("For floating point outputs, grad_output[" + n +
             "] must be of floating point dtype, not " + std::string(name(given.dtype())),
         "to(" + std::string(name(o.dtype)) + ")", ErrorKind::type);
  if (given.dtype() != o.dtype) return EagerCaller().op<"_to_copy">(given, Arg(o.dtype)).tensor();
  return given;
}

TensorList backward(std::span<const Tensor> outputs, std::span<const Tensor> grad_outputs,
                    std::span<const Tensor> inputs, const BackwardOptions& options) {
  BitScope grad_mode(kGradEnabled, options.create_graph ? kGradEnabled : 0);
  Task task(options.retain_graph || options.create_graph, options.create_graph);
  TensorList results(inputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].defined()) fail("output " + std::to_string(i) + " is an undefined tensor", "");
    Edge e = gradient_edge(outputs[i]);
    if (!e)
      fail("element " + std::to_string(i) +
               " of tensors does not require grad and does not have a grad_fn",
           "requires_grad_() on what it is computed from, outside of NoGrad");
    task.add_root(e, root_grad(outputs[i], i < grad_outputs.size() ? grad_outputs[i] : Tensor(), i,
                               options.create_graph));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    Edge e = gradient_edge(inputs[i]);
    if (!e)
      fail("One of the differentiated Tensors does not require grad (input " + std::to_string(i) +
               ")",
           "requires_grad_() on it before it is used");
    if (options.accumulate && e.node->sequence() != TapeNode::kLeafSequence)
      fail("gradients accumulate in leaves only, input " + std::to_string(i) +
               " is the output of " + e.node->name(),
           "autograd::grad(), or retain_grad()");
    task.want(e, options.accumulate ? nullptr : &results[i]);
  }
  task.run();
  if (options.accumulate) return {};
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!results[i].defined() && !options.allow_unused)
      fail("One of the differentiated Tensors appears to not have been used in the graph (input " +
               std::to_string(i) + ").",
           "allow_unused = true if this is the desired behavior");
  return results;
}

}  // namespace

TensorList run_backward(std::span<const Tensor> outputs, std::span<const Tensor> grad_outputs,
                        std::span<const Tensor> inputs, BackwardOptions options,
                        SourceLocation where) {
  try {
    if (grad_outputs.size() > outputs.size() ||
        (!grad_outputs.empty() && grad_outputs.size() != outputs.size()))
      fail("got " + std::to_string(outputs.size()) + " tensors and " +
               std::to_string(grad_outputs.size()) + " gradients",
           "one gradient for each tensor, undefined where it is one");
    // A place of its own for what is not a forward op's: the first gradient, sums.
    LocationScope place(where);
    StageScope stage(Stage::backward);
    if (recording() && !outputs.empty() && outputs[0].defined()) {
      if (options.create_graph)
        t_state.observer->unsupported(*outputs[0].impl(), "a backward pass with create_graph",
                                      "compute higher gradients outside of the compiled callable",
                                      located(where));
      if (recording() && !interceptor()->backward_begins(outputs, where)) {
        UnrecordedScope quiet;
        return backward(outputs, grad_outputs, inputs, options);
      }
    }
    return backward(outputs, grad_outputs, inputs, options);
  } catch (const UserError& e) {
    throw e.at(located(where));
  }
}

}  // namespace frit::eager
