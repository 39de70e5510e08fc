// Gradients: modes, grad(), hooks, and functions with a backward of their own (room eager).
#pragma once
#include <frit/tensor.h>

#include <map>
#include <typeinfo>
#include <utility>

#include "base/error.h"

namespace frit {

// --- modes, for this thread
// ------------------------------------------------------------------------

bool is_grad_enabled();
void set_grad_enabled(bool);
bool is_inference_mode();

// Ops inside a guard's scope, `if (...) NoGrad guard;` excepted, behave as it says.
class GradMode {
 public:
  explicit GradMode(bool enabled);
  ~GradMode();
  GradMode(const GradMode&) = delete;
  GradMode& operator=(const GradMode&) = delete;

 private:
  bool saved_;
};
// Results do not require gradients.
class NoGrad : GradMode {
 public:
  NoGrad() : GradMode(false) {}
};
// They do, inside a NoGrad too.
class EnableGrad : GradMode {
 public:
  EnableGrad() : GradMode(true) {}
};
// As NoGrad; and what is made inside may be written inside only, and outside is neither given
// requires_grad nor kept for a backward pass.
class InferenceMode {
 public:
  explicit InferenceMode(bool enabled = true);
  ~InferenceMode();
  InferenceMode(const InferenceMode&) = delete;
  InferenceMode& operator=(const InferenceMode&) = delete;

 private:
  bool inference_, grad_;
};

namespace autograd {

// Gradients of sum(outputs * grad_outputs) with respect to inputs, which are not changed.
// grad_outputs: empty, or one for each output; an undefined one is a one, for outputs of one
// element. retain_graph keeps what a second backward needs; create_graph makes the gradients
// differentiable (and retains). An input that is not used is a UserError, or with allow_unused an
// undefined gradient.
TensorList grad(const TensorList& outputs, const TensorList& inputs,
                const TensorList& grad_outputs = {}, bool retain_graph = false,
                bool create_graph = false, bool allow_unused = false,
                std::source_location where = std::source_location::current());

// Adds those gradients to the grad of every leaf, or of the given ones.
void backward(const TensorList& outputs, const TensorList& grad_outputs = {},
              bool retain_graph = false, bool create_graph = false, const TensorList& inputs = {},
              std::source_location where = std::source_location::current());

// Called with the leaf each time its grad has been accumulated. The handle is for remove_hook.
uint64_t register_post_accumulate_grad_hook(
    const Tensor& leaf, std::function<void(const Tensor&)> hook,
    std::source_location where = std::source_location::current());

// --- functions with a backward of their own
// --------------------------------------------------------
//
//   struct Clip : frit::autograd::Function<Clip> {
//     static Tensor forward(Context& ctx, const Tensor& x, double limit) {
//       ctx.save_for_backward({x});
//       return x.clamp(-limit, limit);
//     }
//     static TensorList backward(Context& ctx, const TensorList& grads) {
//       return {grads[0] * ctx.saved()[0].sign()};
//     }
//   };
//   Tensor y = Clip::apply(x, 0.5);
//
// forward runs without gradients and returns a Tensor or a TensorList. backward returns one
// gradient a tensor argument of forward, in order, undefined where there is none.
class FunctionNode;

class Context {
 public:
  explicit Context(FunctionNode& node) : node_(node) {}
  // In forward, at most once. Inputs or outputs of forward, or others; undefined ones may be among
  // them.
  void save_for_backward(TensorList tensors);
  // In backward: those tensors. UserError where one was written since, or after they were freed.
  TensorList saved() const;
  // In forward: these inputs were written and are returned.
  void mark_dirty(TensorList tensors);
  // In forward: these outputs never have gradients.
  void mark_non_differentiable(TensorList tensors);
  // Whether backward gets zeros for gradients that did not arrive (as at first), or undefined ones.
  void set_materialize_grads(bool);
  // Does anyone want the gradient of tensor argument i?
  bool needs_input_grad(size_t i) const;
  // Numbers that backward needs.
  std::map<std::string, Scalar> numbers;
  std::map<std::string, IntList> lists;

 private:
  FunctionNode& node_;
};

namespace detail {
// What a Function does, its types forgotten.
TensorList run_function(const char* name, const TensorList& inputs,
                        const std::function<TensorList(Context&)>& forward,
                        TensorList (*backward)(Context&, const TensorList&), SourceLocation where);
std::string type_name(const char* mangled);

inline void collect(TensorList& into, const Tensor& t) { into.push_back(t); }
inline void collect(TensorList& into, const TensorList& l) {
  into.insert(into.end(), l.begin(), l.end());
}
template <class T>
void collect(TensorList&, const T&) {}
}  // namespace detail

namespace detail {
template <class F, class... A>
auto apply(SourceLocation where, A&&... args) {
  using Result = decltype(F::forward(std::declval<Context&>(), args...));
  TensorList inputs;
  (collect(inputs, args), ...);
  TensorList outs = run_function(
      typeid(F).name(), inputs,
      [&](Context& ctx) {
        if constexpr (std::is_same_v<Result, Tensor>)
          return TensorList{F::forward(ctx, args...)};
        else
          return F::forward(ctx, args...);
      },
      [](Context& ctx, const TensorList& grads) { return F::backward(ctx, grads); }, where);
  if constexpr (std::is_same_v<Result, Tensor>)
    return outs[0];
  else
    return outs;
}

// forward's parameters are known where it is one function: then the caller's place can follow them.
template <class F, class Forward>
struct ApplyPlaced {
  static constexpr size_t kCount = SIZE_MAX;
  void operator()() const = delete;
};
template <class F, class R, class... P>
struct ApplyPlaced<F, R (*)(Context&, P...)> {
  static constexpr size_t kCount = sizeof...(P);
  auto operator()(P... args, std::source_location where = std::source_location::current()) const {
    return apply<F>(where, args...);
  }
};
struct NotOne {};
template <class F>
auto forward_of() {
  if constexpr (requires { &F::forward; })
    return &F::forward;
  else
    return NotOne();
}
template <class F>
struct Apply : ApplyPlaced<F, decltype(forward_of<F>())> {
  using Placed = ApplyPlaced<F, decltype(forward_of<F>())>;
  using Placed::operator();
  // Overloads and templates, and default arguments.
  template <class... A>
    requires(sizeof...(A) != Placed::kCount)
  auto operator()(A&&... args) const {
    return apply<F>({}, args...);
  }
};
}  // namespace detail

template <class F>
class Function {
 public:
  // Takes what forward takes behind its context.
  static const detail::Apply<F> apply;
};
template <class F>
const detail::Apply<F> Function<F>::apply{};

}  // namespace autograd
}  // namespace frit
