// Custom functions: a node whose backward is the program's.
#include <cxxabi.h>
#include <frit/autograd.h>

#include <algorithm>
#include <cstdlib>

#include "base/location.h"
#include "core/layout.h"
#include "eager/autograd_meta.h"
#include "eager/dispatch.h"
#include "eager/intercept.h"

namespace frit::autograd {

using eager::GradMeta;
using eager::SavedTensor;
using eager::TapeRun;

class FunctionNode final : public eager::TapeNode {
 public:
  FunctionNode(std::string name, TensorList (*backward)(Context&, const TensorList&),
               SourceLocation where)
      : context(*this), name_(std::move(name)), backward_(backward), where_(where) {}

  std::string name() const override { return name_ + "Backward"; }
  SourceLocation where() const override { return where_; }
  void release_saved() override {
    if (!saved.empty()) freed = true;
    saved.clear();
  }
  void apply(TapeRun& run) override;
  [[noreturn]] void fail_freed() const { saved_freed(); }

  Context context;
  TensorList to_save, dirty, non_differentiable;
  std::vector<SavedTensor> saved;
  bool materialize = true, freed = false;
  const TapeRun* running = nullptr;

 private:
  std::string name_;
  TensorList (*backward_)(Context&, const TensorList&);
  SourceLocation where_;
};

void FunctionNode::apply(TapeRun& run) {
  TensorList grads(run.grads.begin(), run.grads.end());
  if (materialize)
    for (size_t i = 0; i < grads.size(); ++i) {
      if (grads[i].defined() || !outputs[i].differentiable) continue;
      IntList sizes(outputs[i].sizes.begin(), outputs[i].sizes.end());
      grads[i] = eager::EagerCaller(where_).op<"zeros">(Arg(sizes), Arg(outputs[i].dtype)).tensor();
    }
  running = &run;
  TensorList results;
  try {
    results = backward_(context, grads);
  } catch (...) {
    running = nullptr;
    throw;
  }
  running = nullptr;
  // More gradients than inputs are fine where they are undefined.
  while (results.size() > edges.size() && !results.back().defined()) results.pop_back();
  if (results.size() != edges.size())
    throw UserError(
        ErrorKind::runtime, name_,
        "function " + name() + " returned an incorrect number of gradients (expected " +
            std::to_string(edges.size()) + ", got " + std::to_string(results.size()) + ")",
        "one gradient for each tensor argument of forward, undefined where there is none", where_);
  for (size_t i = 0; i < results.size(); ++i)
    if (run.wanted[i]) run.results[i] = std::move(results[i]);
}

void Context::save_for_backward(TensorList tensors) { node_.to_save = std::move(tensors); }

TensorList Context::saved() const {
  if (node_.freed) node_.fail_freed();
  TensorList list;
  for (const SavedTensor& s : node_.saved) list.push_back(s.unpack(node_));
  return list;
}

void Context::mark_dirty(TensorList tensors) { node_.dirty = std::move(tensors); }
void Context::mark_non_differentiable(TensorList tensors) {
  node_.non_differentiable = std::move(tensors);
}
void Context::set_materialize_grads(bool on) { node_.materialize = on; }
bool Context::needs_input_grad(size_t i) const {
  if (node_.running) return i < node_.running->wanted.size() && node_.running->wanted[i];
  return i < node_.edges.size() && node_.edges[i];
}

namespace detail {
namespace {

int index_of(const TensorList& list, const Tensor& t) {
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].is_same(t)) return static_cast<int>(i);
  return -1;
}

Tensor alias_of(const Tensor& t) {
  const TensorImpl& i = *t.impl();
  return alias_view(t, i.sizes, i.strides, i.offset);
}

}  // namespace

std::string type_name(const char* mangled) {
  int status = 0;
  char* text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string name = status == 0 ? text : mangled;
  std::free(text);
  if (auto colon = name.rfind("::"); colon != name.npos) name = name.substr(colon + 2);
  return name;
}

TensorList run_function(const char* mangled, const TensorList& inputs,
                        const std::function<TensorList(Context&)>& forward,
                        TensorList (*backward)(Context&, const TensorList&), SourceLocation where) {
  if (recording() && t_state.observer && !inputs.empty() && inputs[0].defined())
    t_state.observer->unsupported(
        *inputs[0].impl(), "a frit::autograd::Function",
        "call it outside of the compiled callable, or write it with ops that have gradients",
        located(where));
  auto node = make_ptr<FunctionNode>(type_name(mangled), backward, located(where));
  bool taped = is_grad_enabled() && !is_inference_mode() &&
               std::any_of(inputs.begin(), inputs.end(),
                           [](const Tensor& t) { return eager::requires_grad(t); });
  if (taped) eager::link(*node, inputs);
  TensorList outs;
  {
    NoGrad guard;
    outs = forward(node->context);
  }
  for (const Tensor& t : node->dirty)
    if (index_of(outs, t) < 0)
      throw UserError(ErrorKind::runtime, node->name(),
                      "a tensor that was marked dirty is not an output of the function",
                      "return every tensor given to mark_dirty()", located(where));
  if (!taped) return outs;

  Ptr<eager::TapeNode> base(node.get());
  for (size_t i = 0; i < outs.size(); ++i) {
    Tensor& out = outs[i];
    if (!out.defined()) {
      node->outputs.emplace_back().differentiable = false;
      continue;
    }
    GradMeta& meta = node->outputs.emplace_back(out);
    meta.differentiable = is_floating(meta.dtype) && index_of(node->non_differentiable, out) < 0;
    int input = index_of(inputs, out);
    if (index_of(node->dirty, out) >= 0 && input >= 0) {
      eager::check_written(out, true, node->name());
      if (meta.differentiable)
        eager::rebase_history(out, base, static_cast<uint32_t>(i), static_cast<uint32_t>(input));
      continue;
    }
    // An input that comes back unwritten, or a view of one, is another tensor to the tape.
    bool aliased = input >= 0 || eager::meta_of(*out.impl());
    Tensor saved_as = out;
    if (aliased) out = alias_of(out);
    for (Tensor& t : node->to_save)
      if (input < 0 && t.is_same(saved_as)) t = out;
    if (!meta.differentiable) continue;
    eager::AutogradMeta& m = eager::ensure_meta(*out.impl());
    m.maker = base;
    m.output_index = static_cast<uint32_t>(i);
    m.requires_grad = true;
  }
  for (const Tensor& t : node->to_save) {
    SavedTensor::refuse_inference(t, node->name());
    node->saved.emplace_back(t, index_of(outs, t));
  }
  node->to_save.clear();
  node->dirty.clear();
  node->non_differentiable.clear();
  return outs;
}

}  // namespace detail
}  // namespace frit::autograd
