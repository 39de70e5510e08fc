// The cut of a joint graph. Every forward value is a node split in two, joined by an edge of its
// bytes; the minimum cut between what must come from forward and what backward reads says what is
// saved.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/fault.h"
#include "grad/joint.h"
#include "grad/min_cut.h"
#include "ir/key.h"

namespace frit::grad {
namespace {

// Cheap enough to do twice, and bit-equal when done twice.
bool recomputable(const OpRecord& r) {
  switch (r.kind) {
    case Kind::pointwise:
    case Kind::view:
    case Kind::creation:
      return !r.raises_on_data && !r.data_dependent;
    case Kind::copy:
      return true;
    case Kind::reduction:
    case Kind::matmul:
    case Kind::index:
    case Kind::random:
    case Kind::composite:
    case Kind::library:
    case Kind::host:
      return false;
  }
  return false;
}

int64_t bytes_of(const ir::Value& v) {
  int64_t n = size_of(v.dtype());
  for (Int s : v.sizes()) n *= std::max<int64_t>(s.has_hint() ? s.hint() : 1024, 1);
  return std::max<int64_t>(n, 1);
}

class Partitioner {
 public:
  explicit Partitioner(const Joint& joint) : joint_(joint), g_(*joint.graph) {
    // Passes may have run since: the gradients are the outputs that follow forward's.
    for (size_t i = static_cast<size_t>(joint_.forward_outputs); i < g_.outputs.size(); ++i)
      gradients_.push_back(g_.outputs[i].value);
  }

  Partition run() {
    Partition p;
    p.forward_outputs = joint_.forward_outputs;
    p.gradient_of = joint_.gradient_of;
    p.leads = joint_.leads;
    classify();
    find_held();
    if (!used_up(joint_.keepers)) cut();
    build_forward(p);
    std::unordered_map<const ir::Value*, uint32_t>
        numbers;  // for backward passes of fewer tangents
    if (joint_.tangent_of.size() > 1) numbers = p.numbers.of(g_, joint_.forward_inputs);
    std::vector<std::pair<ir::Value*, Backward::Read>> reads;
    for (ir::Value* v : saved_) {
      if (auto it = numbers.find(v); it != numbers.end())
        p.saved_number.emplace(it->second, static_cast<int>(reads.size()));
      reads.push_back({v, {false, static_cast<int>(reads.size())}});
    }
    p.backward = build_backward(reads);
    if (fault(Fault::saved_value)) std::reverse(p.saved.begin(), p.saved.end());
    return p;
  }

  Backward run_with(Partition& p) {
    auto numbers = p.numbers.of(g_, joint_.forward_inputs);
    std::vector<std::pair<ir::Value*, Backward::Read>> reads;
    std::unordered_set<const ir::Value*> seen;
    std::vector<ir::Value*> work(gradients_);
    while (!work.empty()) {
      ir::Value* v = work.back();
      work.pop_back();
      if (!seen.insert(v).second) continue;
      if (auto it = p.saved_number.find(numbers.at(v)); it != p.saved_number.end())
        reads.push_back({v, {false, it->second}});
      else if (v->producer())
        for_each_ref(v->producer()->args(), [&](const Ref& r) { work.push_back(r.value()); });
      else if (v->index() < joint_.forward_inputs)
        reads.push_back({v, {true, v->index()}});
    }
    return build_backward(reads);
  }

 private:
  bool is_backward(const ir::Value* v) const { return backward_.count(v) != 0; }

  // Backward: whatever depends on a tangent. Forward: the rest, though backward alone may use it.
  void classify() {
    for (size_t i = static_cast<size_t>(joint_.forward_inputs); i < g_.inputs().size(); ++i)
      backward_.insert(g_.inputs()[i]);
    for (const auto& n : g_.nodes()) {
      bool any = false;
      for_each_ref(n->args(), [&](const Ref& r) { any = any || is_backward(r.value()); });
      if (any)
        for (ir::Value* v : n->outputs()) backward_.insert(v);
      else
        for (ir::Value* v : n->outputs()) forward_values_.push_back(v);
    }
    for (const auto& n : g_.nodes()) {
      if (n->outputs().empty() || !is_backward(n->outputs()[0])) continue;
      for_each_ref(n->args(), [&](const Ref& r) {
        if (!is_backward(r.value())) read_by_backward_.insert(r.value());
      });
    }
    // A gradient that needs no tangent (a constant) is computed by backward from nothing.
    for (ir::Value* v : gradients_)
      if (!is_backward(v)) read_by_backward_.insert(v);
  }

  // What backward may read where it is: memory that eager would have kept as well, so that who
  // writes it meets eager's error, whatever tangent it comes from, and inputs that the graph itself
  // writes, of which the run keeps a copy.
  void find_held() {
    auto output = [&](int i) { return g_.outputs[static_cast<size_t>(i)].value; };
    const size_t tangents = joint_.tangent_of.size();
    std::unordered_map<const ir::Value*, std::vector<bool>> refused;  // by tangent
    auto kept = [&](const ir::Value* v, const Watch& w) {
      std::vector<bool>& by = refused[v];
      by.resize(tangents);
      for (size_t k = 0; k < w.from.size(); ++k) by[k] = by[k] || w.from[k];
    };
    for (const Watch& w : joint_.watches) {
      if (w.error || w.kept.writes != w.kept.writes_at_end) continue;
      if (w.kept.input >= 0) kept(g_.inputs()[static_cast<size_t>(w.kept.input)], w);
      if (w.kept.output >= 0) kept(output(w.kept.output), w);
    }
    std::unordered_map<const ir::Value*, std::vector<bool>> leads;  // to which outputs
    auto add = [&](const ir::Value* v, const std::vector<bool>& more) {
      std::vector<bool>& to = leads[v];
      to.resize(tangents);
      for (size_t k = 0; k < tangents; ++k) to[k] = to[k] || more[k];
    };
    for (size_t k = 0; k < tangents; ++k) {
      std::vector<bool> one(tangents);
      one[k] = true;
      add(output(joint_.tangent_of[k]), one);
    }
    for (size_t i = forward_values_.size(); i-- > 0;) {
      const ir::Value* v = forward_values_[i];
      if (auto it = leads.find(v); it != leads.end()) {
        const std::vector<bool> to = it->second;
        for_each_ref(v->producer()->args(), [&](const Ref& r) { add(r.value(), to); });
      }
    }
    for (const auto& [v, by] : refused) {
      const std::vector<bool>& to = leads[v];
      bool all = true;
      for (size_t k = 0; k < to.size(); ++k) all = all && (by[k] || !to[k]);
      if (all) held_.insert(v);
    }
    for (const ir::Effect& e : g_.effects)
      if (e.kind == ir::Effect::Kind::write_input)
        held_.insert(g_.inputs()[static_cast<size_t>(e.input)]);
  }

  void cut() {
    std::unordered_map<const ir::Value*, int> number;
    std::vector<ir::Value*> values;
    for (int i = 0; i < joint_.forward_inputs; ++i)
      values.push_back(g_.inputs()[static_cast<size_t>(i)]);
    values.insert(values.end(), forward_values_.begin(), forward_values_.end());
    for (ir::Value* v : values) number.emplace(v, static_cast<int>(number.size()));
    const int source = static_cast<int>(values.size()) * 2, sink = source + 1;
    FlowNetwork net(sink + 1);
    for (ir::Value* v : values) {
      int in = number[v] * 2, out = in + 1;
      ir::Node* n = v->producer();
      // What is held by someone already costs almost nothing to save.
      int64_t weight = bytes_of(*v);
      if (held_.count(v)) weight = n ? 1 + weight / 8 : 1;
      net.add_edge(in, out, weight);
      if (!n || !recomputable(n->record())) net.add_edge(source, in, FlowNetwork::kInfinite);
      if (n)
        for_each_ref(n->args(), [&](const Ref& r) {
          net.add_edge(number.at(r.value()) * 2 + 1, in, FlowNetwork::kInfinite);
        });
      if (read_by_backward_.count(v)) net.add_edge(out, sink, FlowNetwork::kInfinite);
    }
    net.run(source, sink);
    for (ir::Value* v : values)
      if (net.reachable(number[v] * 2) && !net.reachable(number[v] * 2 + 1)) saved_.push_back(v);
  }

  using Map = std::unordered_map<const ir::Value*, ir::Value*>;

  static Arg mapped(const Arg& a, const Map& map) {
    if (a.is_ref()) return Arg(map.at(a.ref().value()));
    if (a.is_ref_list()) {
      std::vector<Ref> refs;
      for (const Ref& r : a.refs()) refs.push_back(r.defined() ? Ref(map.at(r.value())) : Ref());
      return Arg(std::move(refs));
    }
    return a;
  }

  static void copy_node(const ir::Node& n, ir::Graph& to, Map& map, ir::Stage stage) {
    ArgList args;
    for (const Arg& a : n.args()) args.push_back(mapped(a, map));
    SmallVector<OutMeta<Int>, 2> outs;
    for (ir::Value* v : n.outputs()) outs.push_back({v->dtype(), v->sizes(), v->strides(), 0, -1});
    ir::Provenance from = n.provenance();
    from.stage = stage;
    ir::Node* m = to.add_with_outputs(n.record(), std::move(args), outs, std::move(from));
    to.set_rng_offset(m, n.rng_offset());
    to.set_defines(m, n.defines());
    for (size_t i = 0; i < outs.size(); ++i) map[n.outputs()[i]] = m->output(static_cast<int>(i));
  }

  void build_forward(Partition& p) {
    p.forward = std::make_unique<ir::Graph>(g_.env(), "forward");
    Map map;
    for (int i = 0; i < joint_.forward_inputs; ++i) {
      ir::Value* v = g_.inputs()[static_cast<size_t>(i)];
      map[v] = p.forward->add_input(v->name().str(), v->dtype(), v->sizes(), v->strides(),
                                    v->requires_grad);
    }
    // What outputs, effects and saved values need; everything that may raise or defines a symbol
    // too.
    std::unordered_set<const ir::Node*> needed;
    std::vector<const ir::Value*> work;
    auto need = [&](const ir::Value* v) {
      if (v && v->producer() && needed.insert(v->producer()).second) work.push_back(v);
    };
    for (int i = 0; i < joint_.forward_outputs; ++i) need(g_.outputs[static_cast<size_t>(i)].value);
    for (const ir::Effect& e : g_.effects) need(e.value);
    for (ir::Value* v : saved_) need(v);
    for (const auto& n : g_.nodes())
      if (((n->provenance().stage == ir::Stage::forward && may_raise(n->record(), n->args())) ||
           n->defines().as_made() || n->record().data_dependent) &&
          !n->outputs().empty() && !is_backward(n->outputs()[0]))
        need(n->outputs()[0]);
    while (!work.empty()) {
      const ir::Value* v = work.back();
      work.pop_back();
      for_each_ref(v->producer()->args(), [&](const Ref& r) { need(r.value()); });
    }
    for (const auto& n : g_.nodes())
      if (needed.count(n.get())) copy_node(*n, *p.forward, map, n->provenance().stage);
    for (int i = 0; i < joint_.forward_outputs; ++i) {
      ir::Output o = g_.outputs[static_cast<size_t>(i)];
      if (o.value) o.value = map.at(o.value);
      p.forward->outputs.push_back(o);
    }
    for (ir::Effect e : g_.effects) {
      if (e.value) e.value = map.at(e.value);
      p.forward->effects.push_back(e);
    }
    p.forward->asserts = g_.asserts;
    std::unordered_map<const ir::Value*, int> already;  // fresh outputs that are saved as they are
    for (int i = 0; i < joint_.forward_outputs; ++i)
      if (g_.outputs[static_cast<size_t>(i)].kind == ir::Output::Kind::fresh &&
          held_.count(g_.outputs[static_cast<size_t>(i)].value))
        already.emplace(g_.outputs[static_cast<size_t>(i)].value, i);
    for (ir::Value* v : saved_) {
      if (!v->producer() && held_.count(v)) {
        p.saved.push_back({true, v->index()});
        continue;
      }
      if (auto it = already.find(v); it != already.end()) {
        p.saved.push_back({false, it->second});
        continue;
      }
      ir::Output o;
      o.value = map.at(v);
      o.sizes = v->sizes();
      o.strides = v->strides();
      p.saved.push_back({false, static_cast<int>(p.forward->outputs.size())});
      p.forward->outputs.push_back(o);
    }
    p.forward->refresh_uses();
    ir::verify(*p.forward);
  }

  Backward build_backward(const std::vector<std::pair<ir::Value*, Backward::Read>>& reads) {
    Backward b;
    b.tangent_of = joint_.tangent_of;
    b.watches = joint_.watches;
    b.keepers = joint_.keepers;
    b.keeps_all_ways = joint_.keeps_all_ways;
    for (ir::Value* v : joint_.gradients) b.has_gradient.push_back(v != nullptr);
    if (used_up(joint_.keepers)) return b;
    b.graph = std::make_unique<ir::Graph>(g_.env(), "backward");
    Map map;
    for (auto& [v, read] : reads) {
      std::string name =
          v->producer() ? "saved" + std::to_string(v->id()) : std::string(v->name().str());
      map[v] = b.graph->add_input(name, v->dtype(), v->sizes(), v->strides());
      b.reads.push_back(read);
    }
    for (size_t i = static_cast<size_t>(joint_.forward_inputs); i < g_.inputs().size(); ++i) {
      ir::Value* v = g_.inputs()[i];
      map[v] = b.graph->add_input(v->name().str(), v->dtype(), v->sizes(), v->strides());
    }
    std::unordered_set<const ir::Node*> needed;
    std::vector<const ir::Value*> work;
    auto need = [&](const ir::Value* v) {
      if (v && v->producer() && !map.count(v) && needed.insert(v->producer()).second)
        work.push_back(v);
    };
    for (ir::Value* v : gradients_) need(v);
    while (!work.empty()) {
      const ir::Value* v = work.back();
      work.pop_back();
      for_each_ref(v->producer()->args(), [&](const Ref& r) { need(r.value()); });
    }
    Map fresh = map;
    for (const auto& n : g_.nodes()) {
      if (!needed.count(n.get())) continue;
      copy_node(*n, *b.graph, fresh, ir::Stage::backward);
      for (ir::Value* v : n->outputs())  // a saved value stays the saved one
        if (auto it = map.find(v); it != map.end()) fresh[v] = it->second;
    }
    for (ir::Value* v : gradients_) {
      ir::Output o;
      o.value = fresh.at(v);
      o.sizes = v->sizes();
      o.strides = v->strides();
      b.graph->outputs.push_back(o);
    }
    b.graph->refresh_uses();
    ir::verify(*b.graph);
    return b;
  }

  const Joint& joint_;
  const ir::Graph& g_;
  std::unordered_set<const ir::Value*> backward_, read_by_backward_, held_;
  std::vector<ir::Value*> forward_values_, saved_, gradients_;
};

}  // namespace

std::unordered_map<const ir::Value*, uint32_t> ValueNumbers::of(const ir::Graph& g, int inputs) {
  std::unordered_map<const ir::Value*, uint32_t> numbers;
  auto number = [&](const std::string& key) {
    auto [it, fresh] = known_.emplace(key, next_);
    next_ += fresh;
    return it->second;
  };
  for (ir::Value* v : g.inputs())
    numbers[v] = v->index() < inputs ? number("input" + std::to_string(v->index())) : next_++;
  for (const auto& n : g.nodes()) {
    std::string key =
        std::to_string(n->record().id) + '@' + n->rng_offset().str() + '@' + n->defines().str();
    for (const Arg& a : n->args())
      ir::append_key(key, a, [&](const ir::Value* v) { return numbers.at(v); });
    for (ir::Value* v : n->outputs()) numbers[v] = number(key + std::to_string(v->index()));
  }
  return numbers;
}

Partition partition(const Joint& joint) { return Partitioner(joint).run(); }

Backward backward_of(const Joint& joint, Partition& p) { return Partitioner(joint).run_with(p); }

}  // namespace frit::grad
