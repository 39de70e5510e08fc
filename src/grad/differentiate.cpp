#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "grad/joint.h"

namespace frit::grad {
namespace {

class Differentiator {
 public:
  Differentiator(const ir::Graph& forward, std::span<const int> differentiated)
      : forward_(forward), differentiated_(differentiated.begin(), differentiated.end()) {}

  Joint run() {
    joint_.graph = ir::clone(forward_);
    g_ = joint_.graph.get();
    g_->name = "joint";
    joint_.forward_inputs = static_cast<int>(g_->inputs().size());
    joint_.forward_outputs = static_cast<int>(g_->outputs.size());
    find_differentiable();
    std::vector<ir::Node*> nodes;
    for (const auto& n : g_->nodes()) nodes.push_back(n.get());
    for (int i : differentiated_) {
      ir::Value* v = g_->outputs[static_cast<size_t>(i)].value;
      if (!v || !requires_grad_.count(v)) continue;
      ir::Value* tangent = g_->add_input("tangent" + std::to_string(joint_.tangent_of.size()),
                                         v->dtype(), v->sizes(), v->strides());
      joint_.tangent_of.push_back(i);
      accumulate(v, Ref(tangent), *g_, {});
    }
    for (size_t i = nodes.size(); i-- > 0;) step(*nodes[i]);
    for (int i = 0; i < joint_.forward_inputs; ++i) {
      ir::Value* in = g_->inputs()[static_cast<size_t>(i)];
      if (!in->requires_grad) continue;
      ir::Value* gradient = nullptr;
      if (auto it = gradients_.find(in); it != gradients_.end()) gradient = it->second.value();
      joint_.gradient_of.push_back(i);
      joint_.gradients.push_back(gradient);
      if (!gradient) continue;
      ir::Output o;
      o.value = gradient;
      o.sizes = gradient->sizes();
      o.strides = gradient->strides();
      g_->outputs.push_back(o);
    }
    g_->refresh_uses();
    ir::verify(*g_);
    return std::move(joint_);
  }

 private:
  // Which values depend on an input that wants a gradient.
  void find_differentiable() {
    for (ir::Value* in : g_->inputs())
      if (in->requires_grad && is_floating(in->dtype())) requires_grad_.insert(in);
    for (const auto& n : g_->nodes()) {
      if (!n->record().differentiable || !n->provenance().grad) continue;
      bool any = false;
      for_each_ref(n->args(), [&](const Ref& r) { any = any || requires_grad_.count(r.value()); });
      if (!any) continue;
      for (ir::Value* v : n->outputs())
        if (is_floating(v->dtype())) requires_grad_.insert(v);
    }
  }

  void accumulate(ir::Value* v, const Ref& gradient, ir::Graph& g, const ir::Provenance& from) {
    auto [it, fresh] = gradients_.emplace(v, gradient);
    if (fresh) return;
    ir::BuilderCaller builder(g, from);
    it->second = builder.op<"add.Tensor">(it->second, gradient);
  }

  void step(const ir::Node& n) {
    SmallVector<Ref, 2> grads;
    bool reached = false;
    for (ir::Value* v : n.outputs()) {
      auto it = gradients_.find(v);
      grads.push_back(it == gradients_.end() ? Ref() : it->second);
      reached = reached || it != gradients_.end();
    }
    if (!reached || !n.record().differentiable || !n.provenance().grad) return;
    const OpRecord& r = n.record();
    size_t count = n.args().size();
    SmallVector<bool, 8> wanted(count, false);
    SmallVector<TensorMeta<Int>, 6> metas(count);
    SmallVector<TensorMeta<Int>, 2> out_metas;
    std::vector<std::vector<TensorMeta<Int>>> list_metas(count);
    bool any = false;
    for (size_t i = 0; i < count; ++i) {
      const Arg& a = n.args()[i];
      if (a.is_ref()) {
        metas[i] = a.ref().value()->meta();
        wanted[i] = requires_grad_.count(a.ref().value()) != 0;
      } else if (a.is_ref_list()) {
        for (const Ref& t : a.refs()) {
          list_metas[i].push_back(t.defined() ? t.value()->meta() : TensorMeta<Int>{});
          wanted[i] = wanted[i] || (t.defined() && requires_grad_.count(t.value()));
        }
      }
      any = any || wanted[i];
    }
    if (!any) return;
    FRIT_INVARIANT(r.vjp, r.full_name + " has no derivative rule");
    SmallVector<Ref, 2> outs;
    for (ir::Value* v : n.outputs()) {
      outs.push_back(Ref(v));
      out_metas.push_back(v->meta());
    }
    ir::Provenance from = n.provenance();
    from.stage = ir::Stage::backward;
    from.pass = "differentiate";
    from.from = n.id();
    ir::BuilderCaller builder(*g_, from);
    VjpCtx v{builder,   r,          grads,
             n.args(),  outs,       metas,
             out_metas, list_metas, std::span<const bool>(wanted.data(), wanted.size())};
    GradList result = r.vjp(v);
    for (size_t i = 0; i < result.size() && i < count; ++i) {
      if (!wanted[i]) continue;
      const Arg& a = n.args()[i];
      if (a.is_ref() && result[i].is_ref()) {
        accumulate(a.ref().value(), result[i].ref(), *g_, from);
      } else if (a.is_ref_list() && result[i].is_ref_list()) {
        const auto& refs = a.refs();
        const auto& gs = result[i].refs();
        for (size_t k = 0; k < refs.size() && k < gs.size(); ++k)
          if (refs[k].defined() && gs[k].defined() && requires_grad_.count(refs[k].value()))
            accumulate(refs[k].value(), gs[k], *g_, from);
      }
    }
  }

  const ir::Graph& forward_;
  std::vector<int> differentiated_;
  Joint joint_;
  ir::Graph* g_ = nullptr;
  std::unordered_set<ir::Value*> requires_grad_;
  std::unordered_map<ir::Value*, Ref> gradients_;
};

}  // namespace

Joint differentiate(const ir::Graph& forward, std::span<const int> differentiated) {
  return Differentiator(forward, differentiated).run();
}

}  // namespace frit::grad
