#include "loops/build.h"

#include <fmt/format.h>

#include <algorithm>

#include "loops/part_writes.h"
#include "loops/rewrite.h"

namespace frit::loops {
namespace {

constexpr int kMostRecomputed = 24;  // cost above which a value with one reader is stored after all
constexpr int kStoring = 16;         // what it costs to store another value instead

int64_t hint_of(Int n) { return n.has_hint() ? n.hint() : 4096; }

// Where in memory the element lies. An index that a view took apart is one number again where the
// memory has no gaps.
Int place_of(const IntList& at, const IntList& sizes, const IntList& strides) {
  size_t last = at.size();
  while (last > 0 && known_one(sizes[last - 1])) --last;
  const sym::Expr* e = last > 1 ? at[last - 1].expr() : nullptr;
  if (e && e->kind() == sym::Kind::mod && same_sizes(strides, contiguous_strides<Int>(sizes))) {
    const Int whole = Int(e->arg(0));
    if (same_index(unflatten(whole, sizes), at)) return whole;
  }
  Int flat = 0;
  for (size_t i = 0; i < strides.size(); ++i) flat = flat + at[i] * strides[i];
  return flat;
}

Int extent(const IntList& sizes, const IntList& strides) {
  Int last = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (known_zero(sizes[i])) return 0;
    last = last + (sizes[i] - 1) * strides[i];
  }
  return last;
}

class Builder {
 public:
  Builder(const ir::Graph& g, Program& p, Fusion& f, const Options& o)
      : graph_(g), program_(p), fusion_(f), options_(o) {}

  Built run() {
    declare_inputs();
    declare_part_writes();
    declare_outputs();
    for (const ir::Effect& e : graph_.effects)
      if (e.kind == ir::Effect::Kind::write_input && e.value) store(stored_as(e.value));
    store_operands();
    auto order = fusion_.in_order();
    // From the last on: by the time a cluster is built it is known which of its values others load.
    for (size_t i = order.size(); i-- > 0;) build_cluster(*order[i]);
    std::reverse(built_.units.begin(), built_.units.end());
    for (Unit& u : built_.units) note_buffers(u);
    return std::move(built_);
  }

 private:
  // --- Buffers ---

  int add_buffer(Buffer b) {
    std::string name = b.name;
    for (int k = 1; !names_.insert(b.name).second; ++k) b.name = name + "." + std::to_string(k);
    program_.buffers.push_back(std::move(b));
    return static_cast<int>(program_.buffers.size()) - 1;
  }

  // What an input holds after a part of it was written is in its own memory.
  void declare_part_writes() {
    for (const PartWrite& w : fusion_.part_writes()) {
      Buffer b =
          program_.buffers[static_cast<size_t>(built_.input_buffers[static_cast<size_t>(w.input)])];
      b.name = name_of(w.after());
      built_.buffers[w.after()] = add_buffer(std::move(b));
      store(w.after());
    }
  }

  void declare_inputs() {
    program_.num_inputs = static_cast<int>(graph_.inputs().size());
    for (ir::Value* v : graph_.inputs()) {
      Buffer b{.name = std::string(v->name().str())};
      if (b.name.empty()) b.name = "input" + std::to_string(v->index());
      b.dtype = v->dtype();
      b.sizes = v->sizes();
      b.strides = v->strides();
      b.elements = extent(b.sizes, b.strides);
      b.place = Place::input;
      b.index = v->index();
      int id = add_buffer(std::move(b));
      built_.buffers[v] = id;
      built_.input_buffers.push_back(id);
    }
  }

  // The value whose memory is v's.
  ir::Value* stored_as(ir::Value* v) const {
    ir::Value* base = fusion_.same_memory(v);
    return base ? base : v;
  }

  // Products, library kernels and symbols read memory.
  void store_operands() {
    for (const auto& c : fusion_.clusters()) {
      if (c->kind == ClusterKind::loops || c->nodes.empty()) continue;
      if (c->kind == ClusterKind::part_write) {
        const PartWrite& w = *fusion_.making(c->members.front().value);
        if (w.kernel)
          for_each_ref(std::span(w.kernel->args()).subspan(1), [&](const Ref& r) {
            if (r.value()) store(fusion_.strided(r.value()).base);
          });
        continue;
      }
      for_each_ref(c->nodes.front()->args(), [&](const Ref& r) {
        if (r.value()) store(fusion_.strided(r.value()).base);
      });
    }
  }

  // Every fresh output has memory of its own; where two are one value, or one is an input, the
  // scheduler copies.
  void declare_outputs() {
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      const ir::Output& o = graph_.outputs[i];
      if (o.kind != ir::Output::Kind::fresh || !o.value) continue;
      ir::Value* v = stored_as(o.value);
      bool first = v->producer() && !built_.buffers.count(v);
      // A kernel that makes its result itself makes it in its own sizes.
      if (v != o.value && v->producer() && v->producer()->record().data_dependent) first = false;
      ir::Value* shown = first ? v : o.value;
      Buffer b{.name = first ? name_of(v) : "out" + std::to_string(i)};
      b.dtype = v->dtype();
      b.sizes = shown->sizes();
      // A copy of an input (kept for the backward pass) is laid out as the input is.
      b.strides = shown->producer() ? fusion_.strides(shown) : shown->strides();
      b.elements = extent(b.sizes, b.strides);
      b.place = Place::output;
      b.index = static_cast<int>(program_.outputs.size());
      IntList strides = o.value->producer() ? fusion_.strides(o.value) : b.strides;
      int id = add_buffer(std::move(b));
      if (first) built_.buffers[v] = id;
      program_.outputs.push_back({static_cast<int>(i), id, v->dtype(), o.value->sizes(), strides});
      store(v);
    }
  }

  std::string name_of(const ir::Value* v) const { return "%" + std::to_string(v->id()); }

  void store(const ir::Value* v) {
    if (v->producer()) stored_.insert(v);
  }

  int buffer_of(ir::Value* v) {
    auto it = built_.buffers.find(v);
    if (it != built_.buffers.end()) return it->second;
    Buffer b{.name = name_of(v)};
    b.dtype = v->dtype();
    b.sizes = v->sizes();
    b.strides = fusion_.strides(v);
    b.elements = extent(b.sizes, b.strides);
    int id = add_buffer(std::move(b));
    built_.buffers[v] = id;
    return id;
  }

  // --- Elements inside the cluster being built ---

  class ElementReader final : public Reader {
   public:
    explicit ElementReader(Builder& b) : b_(b) {}
    const Expr* read(ir::Value* v, const IntList& at) override { return b_.value(v, at); }
    Int data(ir::Value* v, const IntList& at, Int size, bool wrap, const ir::Node& n) override {
      return b_.fusion_.data().symbol(v, at, size, wrap, n);
    }

   private:
    Builder& b_;
  };

  const Expr* value(ir::Value* asked, const IntList& index) {
    Access a = fusion_.resolve(asked, index);
    ir::Value* v = a.value;
    if (known_zero(v->numel())) return program_.constant(Scalar(0), compute_type(v->dtype()));
    if (!v->producer()) return load(a);
    auto& memo = elements_[v];
    for (auto& [at, e] : memo)
      if (same_index(at, a.at)) return e;
    Cluster* h = fusion_.home(v);
    FRIT_INVARIANT(h, "a value that no cluster computes: " + name_of(v));
    const Expr* e = nullptr;
    if (h == cluster_) {
      const Cluster::Member* m = fusion_.member(*h, v);
      e = same_index(m->at, a.at) ? member_value(*m) : recompute(a);
    } else {
      e = worth_recomputing(a) && fusion_.movable(a) ? recompute(a) : load(a);
    }
    elements_[v].emplace_back(a.at, e);
    return e;
  }

  const Expr* recompute(const Access& a) {
    ElementReader reader(*this);
    return element(program_, *a.value->producer(), a.at, reader);
  }

  const Expr* load(const Access& a) {
    int buffer = buffer_of(a.value);
    store(a.value);
    const Buffer& b = program_.buffers[static_cast<size_t>(buffer)];
    const Int flat = place_of(a.at, b.sizes, b.strides);
    auto data = fusion_.data().in(flat);
    if (data.empty()) return program_.load(buffer, flat);
    IntList symbols;
    for (const DataIndex* d : data) symbols.push_back(d->symbol);
    auto form = affine(flat, symbols);
    FRIT_INVARIANT(form, "an index from data that no load can make");
    std::vector<Indirect> indirect;
    for (size_t i = 0; i < data.size(); ++i) {
      Indirect in;
      in.value = program_.convert(value(data[i]->value, data[i]->at), DType::i64);
      in.size = data[i]->size;
      in.stride = form->coefs[i];
      in.wrap = data[i]->wrap;
      in.check = check_of(*data[i]);
      indirect.push_back(in);
    }
    return program_.load(buffer, form->base, std::move(indirect));
  }

  int check_of(const DataIndex& d) {
    auto [it, fresh] = checks_.emplace(d.symbol.expr(), static_cast<int>(program_.checks.size()));
    if (fresh) {
      program_.checks.push_back({fmt::format("{}: an index out of range for a dimension of size {}",
                                             d.node->record().schema.name, d.size.str()),
                                 d.node->provenance().place()});
    }
    return it->second;
  }

  // --- Other clusters' values: load, or compute again ---

  int recompute_cost(const ir::Value* v, const ir::Value* like, int limit) {
    const ir::Node* n = v->producer();
    if (!n || stored_.count(v)) return 0;
    auto known = costs_.find(v);
    if (known != costs_.end()) return known->second;
    // It would have to be stored for this; one of a few elements is no matter.
    bool large = hint_of(v->numel()) * 8 > hint_of(like->numel());
    if (!has_elements(*n)) return large ? kMostRecomputed + 1 : 1;
    int cost = cost_of_node(*n);
    for (const Access& a : fusion_.accesses(*n, fusion_.natural_index(v->sizes()))) {
      if (cost > limit) break;
      int c = recompute_cost(a.value, like, limit - cost);
      // What is dear is stored, and loaded here; so one of them costs as much memory as v would.
      cost += c > kMostRecomputed ? kStoring : c;
    }
    if (cost <= limit) costs_[v] = cost;
    return cost;
  }

  // How many other clusters compute something directly from v.
  int readers_of(const ir::Value* v) const {
    std::vector<const Cluster*> found;
    auto visit = [&](auto&& self, const ir::Value* x) -> void {
      for (const ir::Node* n : x->users()) {
        if (!n) continue;
        if (n->record().kind == Kind::view) {
          self(self, n->output());
          continue;
        }
        const Cluster* c = n->outputs().empty() ? nullptr : fusion_.home(n->outputs()[0]);
        if (c && c != fusion_.home(v) && std::find(found.begin(), found.end(), c) == found.end())
          found.push_back(c);
      }
    };
    visit(visit, v);
    return static_cast<int>(found.size());
  }

  // How often an element at this index is asked for, in turns of the cluster's loops.
  int64_t turns(const IntList& at) const {
    const Domain& d = cluster_->domain;
    bool in_row = false;
    for (size_t i = 0; i < d.symbols.size(); ++i)
      for (Int x : at) in_row = in_row || (d.reduced[i] && depends_on(x, d.symbols[i]));
    Int n = 1;
    for (size_t i = 0; i < d.sizes.size(); ++i)
      if (in_row || !d.reduced[i]) n = n * d.sizes[i];
    return hint_of(n);
  }

  bool worth_recomputing(const Access& a) {
    const ir::Value* v = a.value;
    const ir::Node& n = *v->producer();
    if (!options_.fuse || !has_elements(n)) return false;
    if (stored_.count(v)) return cost_of_node(n) == 0 && n.record().kind == Kind::creation;
    int readers = readers_of(v);
    int limit = turns(a.at) > hint_of(v->numel()) ? 2
                : readers <= 1                    ? kMostRecomputed
                : readers == 2                    ? 8
                                                  : 4;
    return recompute_cost(v, v, limit) <= limit && !comes_late(v);
  }

  // Would v, computed again in this cluster, read what was overwritten by then, or fail after a
  // part of an input was written?
  bool comes_late(const ir::Value* v) const {
    if (fusion_.part_writes().empty()) return false;
    auto after = [&](const PartWrite& w) {
      const Cluster* c = fusion_.home(w.after());
      return c && c != cluster_ && fusion_.depends(*cluster_, *c);
    };
    const bool writes = cluster_->kind == ClusterKind::part_write ||
                        std::ranges::any_of(fusion_.part_writes(), after);
    std::unordered_set<const ir::Value*> seen;
    auto late = [&](auto&& self, const ir::Value* x) -> bool {
      if (!seen.insert(x).second) return false;
      if (const PartWrite* w = fusion_.replacing(x); w && after(*w)) return true;
      const ir::Node* n = x->producer();
      if (!n || (x != v && stored_.count(x)) || !has_elements(*n)) return false;
      if (writes && stops(*n)) return true;
      bool found = false;
      for_each_ref(n->args(), [&](const Ref& r) {
        if (r.value()) found = found || self(self, r.value());
      });
      return found;
    };
    return late(late, v);
  }

  const Expr* member_value(const Cluster::Member& m) {
    const ir::Node& n = *m.value->producer();
    DType t = m.value->dtype();
    if (n.record().kind == Kind::matmul) return program_.convert(program_.tile(compute_type(t)), t);
    if (is_reduction(n)) return reduced_value(n, m.value->index());
    ElementReader reader(*this);
    return element(program_, n, m.at, reader);
  }

  const Expr* reduced_value(const ir::Node& n, int output) {
    auto known = reduced_.find(&n);
    if (known == reduced_.end()) {
      ir::Value* in = n.args()[0].ref().value();
      const Expr* operand = value(in, fusion_.natural_index(in->sizes()));
      Int count = 1;
      auto mask = fusion_.reduced_mask(n);
      for (size_t i = 0; i < mask.size(); ++i)
        if (mask[i]) count = count * in->sizes()[i];
      ReductionParts parts = reduction_parts(program_, n, operand, count, fusion_.reduces(n));
      // Where nobody asks at which element it was found, that is not looked for.
      auto asked = [&](const ir::Value* v) { return !v->users().empty() || stored_.count(v); };
      while (parts.reductions.size() > 1 && !asked(n.outputs()[parts.reductions.size() - 1]))
        parts.reductions.pop_back();
      std::vector<const Expr*> slots;
      for (Reduction& r : parts.reductions) {
        std::unordered_map<const Expr*, int> memo;
        int slot = static_cast<int>(reductions_.size());
        slot_phases_[slot] = phase_of(r.value, slot_phases_, memo);
        reductions_.push_back(r);
        slots.push_back(program_.reduced(slot, r.type));
      }
      std::vector<const Expr*> results;
      for (size_t i = 0; i < n.outputs().size(); ++i)
        results.push_back(fusion_.reduces(n) && i >= slots.size()
                              ? nullptr
                              : parts.finish(program_, static_cast<int>(i), slots));
      known = reduced_.emplace(&n, std::move(results)).first;
    }
    return known->second[static_cast<size_t>(output)];
  }

  // --- Clusters ---

  void build_cluster(Cluster& c) {
    cluster_ = &c;
    elements_.clear();
    reduced_.clear();
    reductions_.clear();
    slot_phases_.clear();
    switch (c.kind) {
      case ClusterKind::loops:
        return build_loops(c);
      case ClusterKind::gemm:
        return build_gemm(c);
      case ClusterKind::library:
        return build_library(c);
      case ClusterKind::symbol:
        return build_symbol(c);
      case ClusterKind::part_write:
        return build_part_write(c);
    }
  }

  std::vector<const Cluster::Member*> stored_members(const Cluster& c) const {
    std::vector<const Cluster::Member*> found;
    for (const Cluster::Member& m : c.members)
      if (stored_.count(m.value) && !known_zero(m.value->numel())) found.push_back(&m);
    std::sort(found.begin(), found.end(),
              [](auto* a, auto* b) { return a->value->id() < b->value->id(); });
    return found;
  }

  // What may raise is computed for every element, whether or not anything reads them all.
  std::vector<const Cluster::Member*> unchecked_members(const Cluster& c,
                                                        std::span<const Store> full,
                                                        std::span<const Store> outer) {
    std::vector<const Cluster::Member*> found;
    std::unordered_set<const Expr*> computed;
    for (const Cluster::Member& m : c.members) {
      const ir::Node& n = *m.value->producer();
      if (!may_raise(n.record(), n.args()) || stored_.count(m.value) ||
          known_zero(m.value->numel()))
        continue;
      if (computed.empty()) {
        for (const Store& s : full) note_computed(s.value, computed);
        for (const Store& s : outer) note_computed(s.value, computed);
        for (const Reduction& r : reductions_) note_computed(r.value, computed);
      }
      if (computed.count(value(m.value, m.at))) continue;
      store(m.value);
      found.push_back(&m);
    }
    return found;
  }

  // Neither side of a selection is computed everywhere.
  static void note_computed(const Expr* e, std::unordered_set<const Expr*>& seen) {
    if (!seen.insert(e).second || e->kind == ExprKind::select) return;
    for (const Expr* a : e->args) note_computed(a, seen);
    for (const Indirect& i : e->indirect) note_computed(i.value, seen);
  }

  Store store_of(const Cluster::Member& m) {
    Store s;
    s.value = value(m.value, m.at);
    s.buffer = buffer_of(m.value);
    const IntList& strides = program_.buffers[static_cast<size_t>(s.buffer)].strides;
    for (size_t i = 0; i < strides.size(); ++i) s.index = s.index + m.at[i] * strides[i];
    return s;
  }

  void describe(Unit& u, const Cluster& c) const {
    std::vector<const ir::Node*> nodes(c.nodes);
    std::sort(nodes.begin(), nodes.end(),
              [](auto* a, auto* b) { return a->outputs()[0]->id() < b->outputs()[0]->id(); });
    u.stage = nodes.front()->provenance().stage;
    for (const ir::Node* n : nodes) {
      u.stage = std::min(u.stage, n->provenance().stage);
      u.ops.push_back(n->record().full_name);
      for (const SourceLocation& l : n->provenance().where)
        if (std::find(u.where.begin(), u.where.end(), l) == u.where.end()) u.where.push_back(l);
    }
    std::vector<std::string> names;
    for (const ir::Node* n : nodes) {
      std::string name = n->record().schema.name;
      name.erase(0, std::min(name.find_first_not_of('_'), name.size()));
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    for (size_t i = 0; i < names.size() && i < 4; ++i) u.nest.name += (i ? "_" : "") + names[i];
    u.nest.ops = u.ops;
    u.nest.where = u.where;
  }

  void build_loops(Cluster& c) {
    std::vector<Store> full, outer;
    for (const Cluster::Member* m : stored_members(c))
      (m->full ? full : outer).push_back(store_of(*m));
    for (const Cluster::Member* m : unchecked_members(c, full, outer))
      (m->full ? full : outer).push_back(store_of(*m));
    if (full.empty() && outer.empty()) return;
    if (reductions_.empty()) {
      // No reduction is needed after all: two plain loops at most.
      if (!outer.empty()) add_pointwise(c, std::move(outer), false);
      if (!full.empty()) add_pointwise(c, std::move(full), true);
      return;
    }
    Unit u;
    describe(u, c);
    Nest& n = u.nest;
    n.algorithm = c.domain.reduced.back() ? Algorithm::row : Algorithm::column;
    std::vector<char> joined;
    for (size_t i = 0; i < c.domain.sizes.size(); ++i) {
      bool in_row = c.domain.reduced[i];
      (in_row ? n.row : n.outer).push_back({c.domain.symbols[i], c.domain.sizes[i]});
      if (in_row) joined.push_back(i > 0 && c.domain.reduced[i - 1]);
    }
    std::unordered_map<const Expr*, int> memo;
    int last = 0;
    for (auto& [slot, phase] : slot_phases_) last = std::max(last, phase);
    for (const Store& s : full) last = std::max(last, phase_of(s.value, slot_phases_, memo));
    Rewriter renumber(program_);
    int next = 0;
    for (int phase = 0; phase <= last; ++phase) {
      Stage stage{.over_row = true};
      for (size_t k = 0; k < reductions_.size(); ++k) {
        if (slot_phases_[static_cast<int>(k)] != phase) continue;
        stage.reductions.push_back(reductions_[k]);
        renumber.slot(static_cast<int>(k), next++);
      }
      for (const Store& s : full)
        if (phase_of(s.value, slot_phases_, memo) == phase) stage.stores.push_back(s);
      if (!stage.reductions.empty() || !stage.stores.empty()) n.stages.push_back(std::move(stage));
    }
    if (!outer.empty())
      n.stages.push_back({.over_row = false, .reductions = {}, .stores = std::move(outer)});
    renumber.apply(n);
    finish_nest(program_, n, joined);
    built_.units.push_back(std::move(u));
  }

  void add_pointwise(Cluster& c, std::vector<Store> stores, bool full) {
    Unit u;
    describe(u, c);
    for (size_t i = 0; i < c.domain.sizes.size(); ++i)
      if (full || !c.domain.reduced[i])
        u.nest.outer.push_back({c.domain.symbols[i], c.domain.sizes[i]});
    u.nest.stages.push_back({.over_row = false, .reductions = {}, .stores = std::move(stores)});
    finish_nest(program_, u.nest);
    built_.units.push_back(std::move(u));
  }

  // The part's elements are made where they are stored, if what they are made of is not written
  // before it is read and nothing can fail; else they are made first.
  void build_part_write(Cluster& c) {
    const PartWrite& w = *fusion_.making(c.members.front().value);
    if (w.kernel) return build_kernel_write(c, w);
    const IntList at = fusion_.natural_index(w.part->sizes());
    const auto stored = stored_;
    Unit u;
    describe(u, c);
    Store s;
    s.buffer = buffer_of(w.after());
    const Buffer to = program_.buffers[static_cast<size_t>(s.buffer)];
    const IntList place = w.place(at);
    for (size_t i = 0; i < place.size(); ++i) s.index = s.index + place[i] * to.strides[i];
    auto give = [&](const Expr* e) { s.value = program_.convert(e, to.dtype); };
    give(value(w.part, at));
    if (!in_turn(s, w)) {
      stored_ = stored;
      elements_.clear();
      give(load({w.part, at}));
    }
    u.nest.stages.push_back({.over_row = false, .reductions = {}, .stores = {s}});
    for (size_t i = 0; i < c.domain.sizes.size(); ++i)
      u.nest.outer.push_back({c.domain.symbols[i], c.domain.sizes[i]});
    finish_nest(program_, u.nest);
    u.needs.push_back(buffer_of(w.before));
    built_.units.push_back(std::move(u));
  }

  // The kernel's own look at the indices would come too late, after other writes.
  void build_kernel_write(Cluster& c, const PartWrite& w) {
    Unit u;
    u.kind = StepKind::library;
    describe(u, c);
    Library& l = u.library;
    l.record = &w.kernel->record();
    const ir::Value* self = w.kernel->args()[0].ref().value();
    TensorArg t;
    t.buffer = buffer_of(w.before);
    t.dtype = self->dtype();
    t.sizes = self->sizes();
    t.strides = w.strides;
    t.offset = w.offset;
    l.args.push_back({.kind = Library::Argument::Kind::tensor, .tensors = {t}, .fixed = {}});
    for (size_t i = 1; i < w.kernel->args().size(); ++i)
      l.args.push_back(library_argument(w.kernel->args()[i]));
    t.buffer = buffer_of(w.after());
    l.outs.push_back(std::move(t));
    built_.units.push_back(std::move(u));
    // Built from the last on: the checks come before it.
    for (const IndexOperand& i : w.indices) check_indices(c, w, i);
  }

  // A loop over the indices that loads what they name, and fails where there is nothing.
  void check_indices(const Cluster& c, const PartWrite& w, const IndexOperand& i) {
    if (known_zero(i.value->numel())) return;
    Unit u;
    describe(u, c);
    u.nest.name += "_check";
    const Domain d = fusion_.natural(i.value->sizes());
    const IntList at = fusion_.natural_index(i.value->sizes());
    const int in = built_.input_buffers[static_cast<size_t>(w.input)];
    const ir::Value* self = w.kernel->args()[0].ref().value();
    Indirect index;
    index.value = program_.convert(load_apart(i.value, at), DType::i64);
    index.size = self->sizes()[i.dim];
    index.stride = known_one(index.size) ? Int(0) : w.strides[i.dim];
    index.wrap = i.wrap;
    index.check = static_cast<int>(program_.checks.size());
    program_.checks.push_back({fmt::format("{}: an index out of range for a dimension of size {}",
                                           w.kernel->record().schema.name, index.size.str()),
                               w.kernel->provenance().place()});
    Buffer b{.name = name_of(w.after()) + ".looked_at"};
    b.dtype = self->dtype();
    b.sizes = i.value->sizes();
    b.strides = contiguous_strides<Int>(b.sizes);
    b.elements = numel_of<Int>(b.sizes);
    Store s;
    for (size_t k = 0; k < at.size(); ++k) s.index = s.index + at[k] * b.strides[k];
    s.buffer = add_buffer(std::move(b));
    s.value = program_.load(in, w.offset, {index});
    u.nest.stages.push_back({.over_row = false, .reductions = {}, .stores = {s}});
    for (size_t k = 0; k < d.sizes.size(); ++k) u.nest.outer.push_back({d.symbols[k], d.sizes[k]});
    finish_nest(program_, u.nest);
    built_.units.push_back(std::move(u));
  }

  // The operand as the kernel finds it in memory.
  const Expr* load_apart(ir::Value* v, const IntList& at) {
    Fusion::Strided s = fusion_.strided(v);
    store(s.base);
    Int flat = s.offset;
    for (size_t i = 0; i < at.size(); ++i) flat = flat + at[i] * s.strides[i];
    return program_.load(buffer_of(s.base), flat);
  }

  // Does the store read the input's memory at its own element only, and can it not fail?
  bool in_turn(const Store& s, const PartWrite& w) {
    bool safe = true;
    const int before = buffer_of(w.before);
    const Expr* root[] = {s.value};
    for_each_expr(root, [&](const Expr* e) {
      for (const Indirect& i : e->indirect) safe = safe && i.check < 0;
      if (e->kind != ExprKind::load) return;
      const Buffer& b = program_.buffers[static_cast<size_t>(e->buffer)];
      if (b.place != Place::input || b.index != w.input) return;
      safe = safe && e->buffer == before && e->indirect.empty() && e->index.same_as(s.index);
    });
    return safe;
  }

  // The matrix (or batch of them) that an operand is, in its buffer.
  Matrix matrix(ir::Value* v) {
    Fusion::Strided s = fusion_.strided(v);
    FRIT_INVARIANT(s.base, "a matrix that is not strided");
    Matrix m;
    m.buffer = buffer_of(s.base);
    store(s.base);
    m.offset = s.offset;
    size_t r = s.strides.size();
    m.batch_stride = r == 3 ? s.strides[0] : Int(0);
    m.row_stride = s.strides[r - 2];
    m.col_stride = s.strides[r - 1];
    return m;
  }

  // Only what was fused with the product may be needed, and not the product.
  static bool uses_tile(std::span<const Expr* const> roots) {
    bool found = false;
    for_each_expr(roots, [&](const Expr* e) { found = found || e->kind == ExprKind::tile; });
    return found;
  }

  void build_gemm(Cluster& c) {
    auto members = stored_members(c);
    for (const Cluster::Member& m : c.members) {
      // An epilogue is not run for what nobody reads.
      const ir::Node& n = *m.value->producer();
      if (may_raise(n.record(), n.args()) && !stored_.count(m.value) &&
          !known_zero(m.value->numel())) {
        store(m.value);
        members.push_back(&m);
      }
    }
    if (members.empty()) return;
    const ir::Node& n = *c.nodes.front();
    ir::Value *a = n.args()[0].ref().value(), *b = n.args()[1].ref().value(), *out = n.output();
    Unit u;
    u.kind = StepKind::gemm;
    describe(u, c);
    Gemm& g = u.gemm;
    g.dtype = out->dtype();
    size_t r = out->sizes().size();
    g.batch = r == 3 ? out->sizes()[0] : Int(1);
    g.m = out->sizes()[r - 2];
    g.n = out->sizes()[r - 1];
    g.k = a->sizes()[r - 1];
    g.a = matrix(a);
    g.b = matrix(b);
    bool plain = members.size() == 1 && members[0]->value == out;
    if (plain) {
      g.c.buffer = buffer_of(out);
      const Buffer& to = program_.buffers[static_cast<size_t>(g.c.buffer)];
      g.c.batch_stride = r == 3 ? to.strides[0] : Int(0);
      g.c.row_stride = to.strides[r - 2];
      g.c.col_stride = known_one(g.n) ? Int(1) : to.strides[r - 1];
      plain = known_one(g.c.col_stride);
    }
    if (!plain) {
      g.c = {};
      u.has_epilogue = true;
      Stage stage;
      for (const Cluster::Member* m : members) stage.stores.push_back(store_of(*m));
      if (!uses_tile(roots(stage))) return add_pointwise(c, std::move(stage.stores), true);
      u.nest.stages.push_back(std::move(stage));
      size_t next = 0;
      for (Int size : {g.batch, g.m, g.n}) {
        bool loop = !known_one(size);
        u.nest.outer.push_back(
            {loop ? c.domain.symbols[next++]
                  : program_.loop_symbol(1, static_cast<int>(u.nest.outer.size())),
             size});
      }
      finish_nest(program_, u.nest);
    }
    built_.units.push_back(std::move(u));
  }

  TensorArg tensor_arg(ir::Value* v) {
    Fusion::Strided s = fusion_.strided(v);
    FRIT_INVARIANT(s.base, "a library argument that is not strided");
    TensorArg t;
    t.buffer = buffer_of(s.base);
    store(s.base);
    t.dtype = v->dtype();
    t.sizes = v->sizes();
    t.strides = s.strides;
    t.offset = s.offset;
    return t;
  }

  Library::Argument library_argument(const Arg& a) {
    Library::Argument arg;
    if (a.is_ref()) {
      arg.kind = Library::Argument::Kind::tensor;
      arg.tensors.push_back(tensor_arg(a.ref().value()));
    } else if (a.is_ref_list()) {
      arg.kind = Library::Argument::Kind::tensors;
      for (const Ref& r : a.refs())
        arg.tensors.push_back(r.defined() ? tensor_arg(r.value()) : TensorArg{});
    } else {
      arg.fixed = a;
    }
    return arg;
  }

  void build_library(Cluster& c) {
    const ir::Node& n = *c.nodes.front();
    Unit u;
    u.kind = StepKind::library;
    describe(u, c);
    Library& l = u.library;
    l.record = &n.record();
    for (const Arg& a : n.args()) l.args.push_back(library_argument(a));
    for (ir::Value* v : n.outputs()) {
      TensorArg t;
      t.buffer = buffer_of(v);
      t.dtype = v->dtype();
      t.sizes = v->sizes();
      t.strides = program_.buffers[static_cast<size_t>(t.buffer)].strides;
      l.outs.push_back(std::move(t));
    }
    l.random = n.record().kind == Kind::random;
    l.rng_offset = n.rng_offset();
    if (n.record().kind == Kind::host || n.record().has_effect || may_raise(n.record(), n.args())) {
      u.raises = true;
      l.check = static_cast<int>(program_.checks.size());
      program_.checks.push_back({n.record().schema.name + " raises",
                                 u.where.empty() ? SourceLocation() : u.where.front()});
    }
    built_.units.push_back(std::move(u));
  }

  void build_symbol(Cluster& c) {
    const ir::Node& n = *c.nodes.front();
    Unit u;
    u.kind = StepKind::symbol;
    describe(u, c);
    TensorArg t = tensor_arg(n.args()[0].ref().value());
    u.buffer = t.buffer;
    u.index = t.offset;
    u.symbol = n.defines();
    built_.units.push_back(std::move(u));
  }

  const ir::Graph& graph_;
  Program& program_;
  Fusion& fusion_;
  const Options& options_;
  Built built_;
  std::unordered_set<std::string> names_;
  std::unordered_set<const ir::Value*> stored_;
  std::unordered_map<const sym::Expr*, int> checks_;
  std::unordered_map<const ir::Value*, int> costs_;

  // Of the cluster being built.
  Cluster* cluster_ = nullptr;
  std::unordered_map<const ir::Value*, std::vector<std::pair<IntList, const Expr*>>> elements_;
  std::unordered_map<const ir::Node*, std::vector<const Expr*>> reduced_;
  std::vector<Reduction> reductions_;
  std::unordered_map<int, int> slot_phases_;
};

}  // namespace

Built build(const ir::Graph& g, Program& p, Fusion& f, const Options& o) {
  return Builder(g, p, f, o).run();
}

Unit copy_unit(Program& p, const Fusion& f, int from, int to, bool packed) {
  Unit u;
  const Buffer src = p.buffers[static_cast<size_t>(from)], dst = p.buffers[static_cast<size_t>(to)];
  Domain d = f.natural(dst.sizes);
  IntList at = f.natural_index(dst.sizes);
  IntList strides = packed ? contiguous_strides<Int>(dst.sizes) : src.strides;
  Int read = 0, write = 0;
  for (size_t i = 0; i < at.size(); ++i) {
    read = read + at[i] * strides[i];
    write = write + at[i] * dst.strides[i];
  }
  Stage stage;
  Store s;
  s.buffer = to;
  s.index = write;
  s.value = p.convert(p.load(from, read), compute_type(dst.dtype));
  stage.stores.push_back(s);
  u.nest.stages.push_back(std::move(stage));
  for (size_t i = 0; i < d.sizes.size(); ++i) u.nest.outer.push_back({d.symbols[i], d.sizes[i]});
  u.nest.name = "copy";
  finish_nest(p, u.nest);
  note_buffers(u);
  return u;
}

void note_buffers(Unit& u) {
  u.reads.clear();
  u.writes.clear();
  auto add = [](std::vector<int>& list, int b) {
    if (b >= 0 && std::find(list.begin(), list.end(), b) == list.end()) list.push_back(b);
  };
  for (const Stage& s : u.nest.stages) {
    for (const Store& st : s.stores) {
      add(u.writes, st.buffer);
      for (const Indirect& i : st.indirect) u.raises = u.raises || i.check >= 0;
    }
  }
  auto all = roots(u.nest);
  for_each_expr(all, [&](const Expr* e) {
    if (e->kind == ExprKind::load) add(u.reads, e->buffer);
    for (const Indirect& i : e->indirect) u.raises = u.raises || i.check >= 0;
  });
  switch (u.kind) {
    case StepKind::generated:
      break;
    case StepKind::gemm:
      add(u.reads, u.gemm.a.buffer);
      add(u.reads, u.gemm.b.buffer);
      add(u.writes, u.gemm.c.buffer);
      break;
    case StepKind::library:
      for (const Library::Argument& a : u.library.args)
        for (const TensorArg& t : a.tensors) add(u.reads, t.buffer);
      for (const TensorArg& t : u.library.outs) add(u.writes, t.buffer);
      break;
    case StepKind::symbol:
      add(u.reads, u.buffer);
      break;
    case StepKind::allocate:
    case StepKind::check:
      u.raises = true;
      break;
  }
}

}  // namespace frit::loops
