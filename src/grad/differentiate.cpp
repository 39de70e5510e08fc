#include <algorithm>
#include <bit>
#include <unordered_map>
#include <unordered_set>

#include "base/fault.h"
#include "grad/joint.h"

namespace frit::grad {
namespace {

// What a derivative rule reads of what eager would have kept: eager checks at the use.
class WatchingCaller final : public Caller {
 public:
  // `outs`: the node's results, as the tape has them.
  WatchingCaller(ir::Graph& g, const ir::Provenance& p, const ir::Node& n,
                 std::span<const Ref> outs)
      : builder_(g, p) {
    for (const ir::Kept& k : n.kept()) kept_.push_back({&k, kept_value(n, outs, k), false});
  }
  RefList call(const OpRecord& record, std::span<const Arg> args) override {
    for_each_ref(args, [&](const Ref& r) { read(r); });
    return builder_.call(record, args);
  }
  void read(const Ref& r) {
    for (Kept& k : kept_) {
      if (k.read || !r.defined() || k.value != r.value()) continue;
      k.read = true;
      order_.push_back(&k);
    }
  }
  // In the order in which eager would meet them.
  template <class F>
  void for_each_read(F&& fn) const {
    for (const Kept* k : order_) fn(*k->kept, k->value);
  }

 private:
  struct Kept {
    const ir::Kept* kept;
    const ir::Value* value;
    bool read;
  };
  static const ir::Value* kept_value(const ir::Node& n, std::span<const Ref> outs,
                                     const ir::Kept& k) {
    if (k.arg < 0) return outs[static_cast<size_t>(k.element)].value();
    const Arg& a = n.args()[static_cast<size_t>(k.arg)];
    return k.element < 0 ? a.ref().value() : a.refs()[static_cast<size_t>(k.element)].value();
  }
  ir::BuilderCaller builder_;
  std::vector<Kept> kept_;
  std::vector<const Kept*> order_;  // those that were read
};

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
      accumulate(v, Ref(tangent), {});
    }
    find_leading(nodes);
    for (size_t i = nodes.size(); i-- > 0;) step(*nodes[i], static_cast<int>(i));
    for (int i = 0; i < joint_.forward_inputs; ++i) {
      ir::Value* in = g_->inputs()[static_cast<size_t>(i)];
      if (!in->requires_grad) continue;
      ir::Value* gradient = nullptr;
      if (auto it = gradients_.find(in); it != gradients_.end()) gradient = it->second.value();
      joint_.gradient_of.push_back(i);
      joint_.gradients.push_back(gradient);
      joint_.leads.push_back(leading_.count(in) != 0);
      if (!gradient) continue;
      ir::Output o;
      o.value = gradient;
      o.sizes = gradient->sizes();
      o.strides = gradient->strides();
      g_->outputs.push_back(o);
    }
    find_reached();
    find_ways(nodes);
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
      if (!followed(*n)) continue;
      bool any = false;
      for_each_ref(n->args(), [&](const Ref& r) { any = any || requires_grad_.count(r.value()); });
      if (!any) continue;
      for (ir::Value* v : n->outputs())
        if (is_floating(v->dtype())) requires_grad_.insert(v);
    }
  }

  // The values that the tape would lead to from the differentiated outputs.
  void find_leading(const std::vector<ir::Node*>& nodes) {
    for (int i : differentiated_) leading_.insert(g_->outputs[static_cast<size_t>(i)].value);
    for (size_t i = nodes.size(); i-- > 0;)
      if (on_tape(*nodes[i]))
        for_each_ref(nodes[i]->args(), [&](const Ref& r) {
          if (requires_grad_.count(r.value())) leading_.insert(r.value());
        });
  }

  // Would backward come by it?
  bool on_tape(const ir::Node& n) const {
    return followed(n) && std::ranges::any_of(n.outputs(), [&](const ir::Value* v) {
             return leading_.count(v) && requires_grad_.count(v);
           });
  }

  // Do gradients flow through it?
  static bool followed(const ir::Node& n) {
    return n.record().differentiable && (n.provenance().grad || fault(Fault::no_grad_region));
  }

  // Adds to the gradient of v, with v's own sizes and dtype.
  void accumulate(ir::Value* v, Ref gradient, const ir::Provenance& from) {
    ir::BuilderCaller builder(*g_, from);
    gradient = sum_to_sizes(builder, gradient, v->sizes());
    if (gradient.value()->dtype() != v->dtype())
      gradient = builder.op<"_to_copy">(gradient, v->dtype());
    auto [it, fresh] = gradients_.emplace(v, gradient);
    if (fresh) return;
    it->second = fault(Fault::gradient_accumulation)
                     ? gradient
                     : builder.op<"add.Tensor">(it->second, gradient);
  }

  // Which gradients each watched op's backward leads to.
  void find_reached() {
    if (joint_.watches.empty() && joint_.keepers.empty()) return;
    size_t count = joint_.gradient_of.size();
    using Row = std::vector<uint64_t>;  // a bit for each gradient
    const size_t words = (count + 63) / 64;
    std::unordered_map<const ir::Value*, Row> reached;
    for (size_t i = 0; i < count; ++i) {
      Row& row = reached[g_->inputs()[static_cast<size_t>(joint_.gradient_of[i])]];
      row.resize(words);
      row[i / 64] |= uint64_t{1} << i % 64;
    }
    std::unordered_map<const ir::Node*, Row> of_node;
    for (const ir::Node* n : watched_) of_node[n];
    for (const ir::Node* n : keeping_) of_node[n];
    for (const auto& n : g_->nodes()) {
      if (n->outputs().empty() || !requires_grad_.count(n->output())) continue;
      Row all(words);
      for_each_ref(n->args(), [&](const Ref& r) {
        auto it = reached.find(r.value());
        if (it == reached.end()) return;
        for (size_t w = 0; w < words; ++w) all[w] |= it->second[w];
      });
      if (auto it = of_node.find(n.get()); it != of_node.end()) it->second = all;
      for (ir::Value* v : n->outputs()) reached[v] = all;
    }
    auto bits = [&](const ir::Node* n) {
      std::vector<bool> of;
      const Row& row = of_node[n];
      if (row.empty()) return of;
      of.resize(count);
      for (size_t w = 0; w < words; ++w)
        for (uint64_t left = row[w]; left; left &= left - 1)
          of[w * 64 + static_cast<size_t>(std::countr_zero(left))] = true;
      return of;
    };
    for (size_t i = 0; i < watched_.size(); ++i) joint_.watches[i].reaches = bits(watched_[i]);
    for (size_t i = 0; i < keeping_.size(); ++i) joint_.keepers[i].reaches = bits(keeping_[i]);
    find_done();
  }

  // Backward comes to a gradient last by the first op that reads the input.
  void find_done() {
    if (watched_.empty()) return;
    std::unordered_map<const ir::Value*, std::vector<size_t>> gradients;
    size_t count = joint_.gradient_of.size();
    for (size_t i = 0; i < count; ++i)
      gradients[g_->inputs()[static_cast<size_t>(joint_.gradient_of[i])]].push_back(i);
    std::vector<bool> done(count, true);
    const auto watches = watches_of();
    for (const auto& n : g_->nodes()) {
      if (n->outputs().empty() || !on_tape(*n)) continue;
      for_each_ref(n->args(), [&](const Ref& r) {
        if (auto it = gradients.find(r.value()); it != gradients.end())
          for (size_t i : it->second) done[i] = false;
      });
      if (auto it = watches.find(n.get()); it != watches.end())
        for (size_t i : it->second) joint_.watches[i].done = done;
    }
  }

  std::unordered_map<const ir::Node*, std::vector<size_t>> watches_of() const {
    std::unordered_map<const ir::Node*, std::vector<size_t>> of;
    for (size_t i = 0; i < watched_.size(); ++i) of[watched_[i]].push_back(i);
    return of;
  }

  // From which tangents each watched op is come to; whether some tangent leads to a gradient past
  // no keeper.
  void find_ways(const std::vector<ir::Node*>& nodes) {
    const size_t tangents = joint_.tangent_of.size(), gradients = joint_.gradient_of.size();
    std::unordered_map<const ir::Value*, std::vector<bool>> from;  // which tangents
    for (size_t k = 0; k < tangents; ++k) {
      auto& of = from[g_->outputs[static_cast<size_t>(joint_.tangent_of[k])].value];
      of.resize(tangents);
      of[k] = true;
    }
    const auto watches = watches_of();
    std::unordered_map<const ir::Node*, const Keeper*> keepers;
    for (size_t i = 0; i < keeping_.size(); ++i) keepers[keeping_[i]] = &joint_.keepers[i];
    std::vector<std::vector<bool>> kept(tangents, std::vector<bool>(gradients));
    for (size_t i = nodes.size(); i-- > 0;) {
      const ir::Node& n = *nodes[i];
      std::vector<bool> all(tangents);
      for (ir::Value* v : n.outputs())
        if (auto it = from.find(v); it != from.end())
          for (size_t k = 0; k < tangents; ++k) all[k] = all[k] || it->second[k];
      if (auto it = watches.find(&n); it != watches.end())
        for (size_t w : it->second) joint_.watches[w].from = all;
      if (auto it = keepers.find(&n); it != keepers.end())
        for (size_t k = 0; k < tangents; ++k)
          for (size_t j = 0; j < gradients; ++j)
            kept[k][j] = kept[k][j] || (all[k] && it->second->reaches[j]);
      for_each_ref(n.args(), [&](const Ref& r) {
        if (!requires_grad_.count(r.value())) return;
        auto& of = from[r.value()];
        of.resize(tangents);
        for (size_t k = 0; k < tangents; ++k) of[k] = of[k] || all[k];
      });
    }
    for (size_t j = 0; j < gradients; ++j) {
      auto it = from.find(g_->inputs()[static_cast<size_t>(joint_.gradient_of[j])]);
      if (it == from.end()) continue;
      for (size_t k = 0; k < tangents; ++k)
        joint_.keeps_all_ways = joint_.keeps_all_ways && (!it->second[k] || kept[k][j]);
    }
  }

  // Would eager's node for it keep a tensor?
  static bool keeps(const ir::Node& n) {
    const OpRecord& r = n.record();
    bool any = r.saves_outs != 0;
    for (size_t i = 0; i < n.args().size(); ++i) {
      if (!(r.saves_args >> i & 1)) continue;
      const Arg& a = n.args()[i];
      any = any || a.is_ref();
      if (a.is_ref_list())
        for (const Ref& t : a.refs()) any = any || t.defined();
    }
    return any;
  }

  // The arguments, where eager keeps one of two that are the same value and a copy of the other:
  // the copy under another name, for reading it is not reading what was kept.
  ArgList apart_from_kept(const ir::Node& n, const ir::Provenance& from) {
    ArgList args = n.args();
    for (size_t i = 0; i < args.size(); ++i) {
      if (!args[i].is_ref()) continue;
      bool itself = false, same = false;
      for (const ir::Kept& k : n.kept()) {
        if (k.arg < 0 || k.element >= 0) continue;
        auto at = static_cast<size_t>(k.arg);
        itself = itself || at == i;
        same = same || n.args()[at].ref().value() == n.args()[i].ref().value();
      }
      if (!same || itself) continue;
      ir::BuilderCaller builder(*g_, from);
      args[i] = Arg(builder.op<"_history">(args[i].ref(), Arg(), Arg(std::vector<Ref>{})));
    }
    return args;
  }

  void step(const ir::Node& n, int place) {
    SmallVector<Ref, 2> grads;
    bool reached = false;
    for (ir::Value* v : n.outputs()) {
      auto it = gradients_.find(v);
      grads.push_back(it == gradients_.end() ? Ref() : it->second);
      reached = reached || it != gradients_.end();
    }
    if (!reached || !followed(n)) return;
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
    if (keeps(n)) {
      joint_.keepers.push_back({place, &r, n.provenance().place(), {}, n.freed()});
      keeping_.push_back(&n);
    }
    ir::Provenance from = n.provenance();
    from.stage = ir::Stage::backward;
    from.pass = "differentiate";
    from.from = n.id();
    SmallVector<Ref, 2> outs;
    for (ir::Value* v : n.outputs()) outs.push_back(Ref(v));
    if (n.written_as()) {
      ir::BuilderCaller cast(*g_, from);
      for (SmallVector<Ref, 2>* refs : {&grads, &outs})
        for (Ref& r : *refs)
          if (r.defined()) r = cast.op<"_to_copy">(r, *n.written_as());
    }
    for (const Ref& r : outs) out_metas.push_back(r.value()->meta());
    WatchingCaller builder(*g_, from, n, {outs.data(), outs.size()});
    const ArgList args = apart_from_kept(n, from);
    VjpCtx v{builder,   r,          grads,
             args,      outs,       metas,
             out_metas, list_metas, std::span<const bool>(wanted.data(), wanted.size())};
    GradList result;
    std::shared_ptr<const UserError> error;
    try {
      result = r.vjp(v);
    } catch (const UserError& e) {
      error = std::make_shared<const UserError>(e);
    }
    for (size_t i = 0; i < result.size() && i < count; ++i) {
      if (!wanted[i]) continue;
      const Arg& a = n.args()[i];
      if (a.is_ref() && result[i].is_ref()) {
        if (!result[i].ref().defined()) continue;
        builder.read(result[i].ref());
        accumulate(a.ref().value(), result[i].ref(), from);
      } else if (a.is_ref_list() && result[i].is_ref_list()) {
        const auto& refs = a.refs();
        const auto& gs = result[i].refs();
        for (size_t k = 0; k < refs.size() && k < gs.size(); ++k)
          if (refs[k].defined() && gs[k].defined() && requires_grad_.count(refs[k].value())) {
            builder.read(gs[k]);
            accumulate(refs[k].value(), gs[k], from);
          }
      }
    }
    builder.for_each_read([&](const ir::Kept& k, const ir::Value* value) {
      joint_.watches.push_back({{},
                                k,
                                &r,
                                n.provenance().place(),
                                value->dtype(),
                                k.shown_sizes.value_or(value->sizes()),
                                requires_grad_.count(k.arg < 0 ? n.output(k.element) : value) != 0,
                                {},
                                place});
      watched_.push_back(&n);
    });
    if (error) {
      joint_.watches.push_back(
          {error, {}, &r, n.provenance().place(), DType::f32, {}, false, {}, place});
      watched_.push_back(&n);
    }
  }

  const ir::Graph& forward_;
  std::vector<int> differentiated_;
  Joint joint_;
  ir::Graph* g_ = nullptr;
  std::unordered_set<const ir::Value*> requires_grad_;
  std::unordered_set<const ir::Value*> leading_;
  std::unordered_map<ir::Value*, Ref> gradients_;
  std::vector<const ir::Node*> watched_, keeping_;  // parallel to the watches, the keepers
};

}  // namespace

bool used_up(std::span<const Keeper> keepers) {
  return !keepers.empty() && std::ranges::all_of(keepers, &Keeper::freed);
}

Joint differentiate(const ir::Graph& forward, std::span<const int> differentiated) {
  return Differentiator(forward, differentiated).run();
}

}  // namespace frit::grad
