#include "ir/graph.h"

#include <algorithm>
#include <unordered_map>

namespace frit::ir {
namespace {

// Calls fn(Value*) for each tensor argument, lists included.
template <class F>
void for_each_value(std::span<const Arg> args, F&& fn) {
  for_each_ref(args, [&](const Ref& r) {
    FRIT_INVARIANT(r.kind() == Ref::Kind::value, "a graph node may only read values");
    fn(r.value());
  });
}

void remove_one(std::vector<Node*>& users, Node* n) {
  auto it = std::find(users.begin(), users.end(), n);
  FRIT_INVARIANT(it != users.end(), "use list of a value is wrong");
  users.erase(it);
}

Arg replaced(const Arg& a, Value* from, Value* to) {
  if (a.is_ref() && a.ref().value() == from) return Arg(to);
  if (a.is_ref_list()) {
    std::vector<Ref> refs = a.refs();
    for (Ref& r : refs)
      if (r.value() == from) r = Ref(to);
    return Arg(std::move(refs));
  }
  return a;
}

}  // namespace

// Ops read a Value's metadata through this hook: they may not include this room.
[[maybe_unused]] const bool kMetaInstalled = [] {
  install_value_meta([](const Value& v) { return v.meta(); });
  return true;
}();

Graph::Graph(std::shared_ptr<sym::ShapeEnv> env, std::string name)
    : name(std::move(name)), env_(std::move(env)) {}

Value* Graph::add_input(std::string_view name, DType dtype, std::span<const Int> sizes,
                        std::span<const Int> strides, bool requires_grad) {
  FRIT_INVARIANT(sizes.size() == strides.size());
  auto v = std::make_unique<Value>();
  v->id_ = next_value_++;
  v->dtype_ = dtype;
  v->sizes_ = sizes;
  v->strides_ = strides;
  v->index_ = static_cast<int>(inputs_.size());
  v->name_ = intern(name);
  v->requires_grad = requires_grad;
  inputs_.push_back(v.get());
  owned_inputs_.push_back(std::move(v));
  return inputs_.back();
}

Node* Graph::add(const OpRecord& record, ArgList args, Provenance p, Node* before) {
  FRIT_INVARIANT(record.form == Form::functional,
                 record.full_name + " writes; graphs hold the functional form");
  ShapeCtx<Int> shape(record, args);
  shape.set_env(env_.get());
  record.shape_symbolic(shape);
  return add_with_outputs(record, std::move(args), shape.outs(), std::move(p), before);
}

Node* Graph::add_with_outputs(const OpRecord& record, ArgList args,
                              std::span<const OutMeta<Int>> outs, Provenance p, Node* before) {
  auto node = std::make_unique<Node>();
  Node* n = node.get();
  n->id_ = next_node_++;
  n->record_ = &record;
  n->args_ = std::move(args);
  n->provenance_ = std::move(p);
  for (const OutMeta<Int>& o : outs) {
    auto v = std::make_unique<Value>();
    v->id_ = next_value_++;
    v->dtype_ = o.dtype;
    v->sizes_ = o.sizes;
    // A view of a value is a value of its own here: nothing aliases inside a graph, so it is laid
    // out as the shape rule says only where that is a layout a fresh tensor can have.
    v->strides_ = o.strides;
    v->producer_ = n;
    v->index_ = static_cast<int>(n->outputs_.size());
    n->outputs_.push_back(v.get());
    n->owned_.push_back(std::move(v));
  }
  for_each_value(n->args(), [&](Value* v) { v->users_.push_back(n); });
  auto at = before ? before->position_ : nodes_.end();
  n->position_ = nodes_.insert(at, std::move(node));
  return n;
}

void Graph::set_rng_offset(Node* n, Int blocks) { n->rng_offset_ = blocks; }
void Graph::set_defines(Node* n, Int symbol) { n->defines_ = symbol; }
void Graph::set_kept(Node* n, std::vector<Kept> kept) { n->kept_ = std::move(kept); }
void Graph::set_freed(Node* n, bool freed) { n->freed_ = freed; }
void Graph::set_written_as(Node* n, std::optional<DType> dtype) { n->written_as_ = dtype; }

void Graph::set_arg(Node* n, size_t i, Arg a) {
  for_each_value(std::span(&n->args_[i], 1), [&](Value* v) { remove_one(v->users_, n); });
  n->args_[i] = std::move(a);
  for_each_value(std::span(&n->args_[i], 1), [&](Value* v) { v->users_.push_back(n); });
}

void Graph::replace_all_uses(Value* from, Value* to) {
  if (from == to) return;
  std::vector<Node*> users = from->users_;
  std::sort(users.begin(), users.end());
  users.erase(std::unique(users.begin(), users.end()), users.end());
  for (Node* n : users) {
    if (!n) continue;  // the graph's own use; below
    for (size_t i = 0; i < n->args_.size(); ++i) {
      bool reads = false;
      for_each_ref(std::span<const Arg>(&n->args_[i], 1),
                   [&](const Ref& r) { reads |= r.value() == from; });
      if (reads) set_arg(n, i, replaced(n->args_[i], from, to));
    }
  }
  for (Output& o : outputs)
    if (o.value == from) o.value = to;
  for (Effect& e : effects)
    if (e.value == from) e.value = to;
  // What is left are the graph's own uses, written as null.
  to->users_.insert(to->users_.end(), from->users_.begin(), from->users_.end());
  from->users_.clear();
}

void Graph::erase(Node* n) {
  for (Value* v : n->outputs_)
    FRIT_INVARIANT(v->users_.empty(), "erased node " + n->record_->full_name + " is still used");
  for_each_value(n->args(), [&](Value* v) { remove_one(v->users_, n); });
  nodes_.erase(n->position_);
}

std::vector<int> Graph::drop_unused_inputs(const std::function<bool(Value*)>& keep) {
  refresh_uses();
  std::vector<bool> needed(inputs_.size());
  for (size_t i = 0; i < inputs_.size(); ++i)
    needed[i] = !inputs_[i]->users_.empty() || keep(inputs_[i]);
  for (const Output& o : outputs)
    if (o.kind == Output::Kind::input || o.kind == Output::Kind::view_of_input)
      needed[static_cast<size_t>(o.of)] = true;
  for (const Effect& e : effects)
    if (e.input >= 0) needed[static_cast<size_t>(e.input)] = true;
  std::vector<int> kept, renumber(inputs_.size(), -1);
  std::vector<Value*> inputs;
  std::vector<Value*> dead;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!needed[i]) {
      dead.push_back(inputs_[i]);
      continue;
    }
    renumber[i] = static_cast<int>(inputs.size());
    inputs_[i]->index_ = renumber[i];
    inputs.push_back(inputs_[i]);
    kept.push_back(static_cast<int>(i));
  }
  inputs_ = std::move(inputs);
  std::erase_if(owned_inputs_, [&](auto& v) {
    return std::find(dead.begin(), dead.end(), v.get()) != dead.end();
  });
  for (Output& o : outputs)
    if (o.kind == Output::Kind::input || o.kind == Output::Kind::view_of_input)
      o.of = renumber[static_cast<size_t>(o.of)];
  for (Effect& e : effects)
    if (e.input >= 0) e.input = renumber[static_cast<size_t>(e.input)];
  for (const auto& n : nodes_)
    for (Kept& k : n->kept_)
      for (int* i : {&k.input, &k.object})
        if (*i >= 0) *i = renumber[static_cast<size_t>(*i)];
  return kept;
}

void Graph::refresh_uses() {
  for (Value* v : inputs_) std::erase(v->users_, nullptr);
  for (auto& n : nodes_)
    for (Value* v : n->outputs_) std::erase(v->users_, nullptr);
  for (const Output& o : outputs)
    if (o.value) o.value->users_.push_back(nullptr);
  for (const Effect& e : effects)
    if (e.value) e.value->users_.push_back(nullptr);
}

std::unique_ptr<Graph> clone(const Graph& g) {
  auto copy = std::make_unique<Graph>(g.env(), g.name);
  std::unordered_map<const Value*, Value*> map;
  for (Value* in : g.inputs())
    map[in] = copy->add_input(in->name().str(), in->dtype(), in->sizes(), in->strides(),
                              in->requires_grad);
  auto mapped = [&](const Arg& a) -> Arg {
    if (a.is_ref()) return Arg(map.at(a.ref().value()));
    if (a.is_ref_list()) {
      std::vector<Ref> refs;
      for (const Ref& r : a.refs()) refs.push_back(r.defined() ? Ref(map.at(r.value())) : Ref());
      return Arg(std::move(refs));
    }
    return a;
  };
  for (const auto& n : g.nodes()) {
    ArgList args;
    for (const Arg& a : n->args()) args.push_back(mapped(a));
    SmallVector<OutMeta<Int>, 2> outs;
    for (Value* v : n->outputs()) outs.push_back({v->dtype(), v->sizes(), v->strides(), 0, -1});
    Node* m = copy->add_with_outputs(n->record(), std::move(args), outs, n->provenance());
    copy->set_rng_offset(m, n->rng_offset());
    copy->set_defines(m, n->defines());
    copy->set_kept(m, n->kept());
    copy->set_written_as(m, n->written_as());
    copy->set_freed(m, n->freed());
    for (size_t i = 0; i < outs.size(); ++i) map[n->outputs()[i]] = m->output(static_cast<int>(i));
  }
  copy->outputs = g.outputs;
  for (Output& o : copy->outputs)
    if (o.value) o.value = map.at(o.value);
  copy->effects = g.effects;
  for (Effect& e : copy->effects)
    if (e.value) e.value = map.at(e.value);
  copy->asserts = g.asserts;
  copy->refresh_uses();
  return copy;
}

RefList BuilderCaller::call(const OpRecord& record, std::span<const Arg> args) {
  if (record.is_implicit()) return record.decomp(*this, args);
  Node* n = graph_.add(record, ArgList(args.begin(), args.end()), provenance_, before_);
  RefList out;
  for (Value* v : n->outputs()) out.push_back(Ref(v));
  return out;
}

}  // namespace frit::ir
