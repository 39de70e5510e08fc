#include "loops/fusion.h"

#include <algorithm>
#include <utility>

#include "loops/part_writes.h"

namespace frit::loops {
namespace {

// Work that one question about dependences may do before the answer is "perhaps"; keeps fusion near
// linear in the size of the graph.
constexpr int kMostVisits = 512;
// What one value may cost to be computed again inside a cluster.
constexpr int kRecomputeBudget = 16;
// Passes over a row one after another, and what is worth splitting over threads instead.
constexpr int64_t kFewRows = 4, kLongRow = 65536;

int64_t hint_of(Int n, int64_t otherwise) { return n.has_hint() ? n.hint() : otherwise; }

}  // namespace

bool same_sizes(const IntList& a, const IntList& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!a[i].same_as(b[i])) return false;
  return true;
}

bool same_index(const IntList& a, const IntList& b) { return same_sizes(a, b); }

IntList unflatten(Int flat, std::span<const Int> sizes) {
  IntList at(sizes.size(), Int(0));
  size_t first = 0;
  while (first < sizes.size() && known_one(sizes[first])) ++first;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (known_one(sizes[i])) continue;
    at[i] = i == first ? flat : mod(flat, sizes[i]);
    flat = floordiv(flat, sizes[i]);
  }
  return at;
}

// Notes what a node reads.
class AccessRecorder final : public Reader {
 public:
  AccessRecorder(const Fusion& f) : fusion_(f) {}
  const Expr* read(ir::Value* v, const IntList& at) override {
    found.push_back(fusion_.resolve(v, at));
    return fusion_.program_.constant(Scalar(0), compute_type(v->dtype()));
  }
  Int data(ir::Value* v, const IntList& at, Int size, bool wrap, const ir::Node& n) override {
    found.push_back(fusion_.resolve(v, at));
    symbols.push_back(fusion_.data_.symbol(v, at, size, wrap, n));
    return symbols.back();
  }
  std::vector<Access> found;
  std::vector<Int> symbols;  // the indices from data it uses

 private:
  const Fusion& fusion_;
};

Fusion::Fusion(const ir::Graph& g, Program& p, const Options& o,
               const std::unordered_set<int>& whole)
    : graph_(g), program_(p), options_(o), data_(p) {
  part_writes_ = loops::part_writes(g, *this, whole);
}

Fusion::~Fusion() = default;

void Fusion::run() {
  for (const ir::Output& o : graph_.outputs)
    if (o.kind == ir::Output::Kind::fresh && o.value) returned_.insert(o.value);
  for (const ir::Node* n : visiting_order()) visit(*n);
  // What is shown to the caller, or written, must be stored; a view that is laid out otherwise than
  // what it shows is copied.
  auto wanted = [&](ir::Value* v) {
    if (v && v->producer() && v->producer()->record().kind == Kind::view && !same_memory(v))
      store_view(v);
  };
  for (const ir::Output& o : graph_.outputs)
    if (o.kind == ir::Output::Kind::fresh) wanted(o.value);
  for (const ir::Effect& e : graph_.effects)
    if (e.kind == ir::Effect::Kind::write_input) wanted(e.value);
}

Cluster* Fusion::live(int id) const {
  Cluster* c = clusters_[static_cast<size_t>(id)].get();
  while (c->merged_into >= 0) c = clusters_[static_cast<size_t>(c->merged_into)].get();
  return c;
}

Cluster* Fusion::home(const ir::Value* v) const {
  auto it = home_.find(v);
  return it == home_.end() ? nullptr : live(it->second);
}

const Cluster::Member* Fusion::member(const Cluster& c, const ir::Value* v) const {
  for (const Cluster::Member& m : c.members)
    if (m.value == v) return &m;
  return nullptr;
}

Access Fusion::resolve(ir::Value* v, IntList at) const {
  while (v->producer() && v->producer()->record().kind == Kind::view) {
    const ir::Node& n = *v->producer();
    auto index = viewed_index(n, at);
    if (!index) break;
    at = std::move(*index);
    v = viewed(n);
  }
  return {v, std::move(at)};
}

IntList Fusion::strides(const ir::Value* v) const {
  // A view that is returned has the strides it shows to the caller; another that is stored is
  // packed.
  if (v->producer() && v->producer()->record().kind == Kind::view && !returned_.count(v))
    return contiguous_strides<Int>(v->sizes());
  return v->strides();
}

Int Fusion::flat_index(const Access& a) const {
  IntList s = strides(a.value);
  Int flat = 0;
  for (size_t i = 0; i < s.size(); ++i) flat = flat + a.at[i] * s[i];
  return flat;
}

Domain Fusion::natural(std::span<const Int> sizes) const {
  Domain d;
  for (Int n : sizes) {
    if (known_one(n)) continue;
    int k = 0;
    for (Int other : d.sizes) k += other.same_as(n);
    d.symbols.push_back(program_.loop_symbol(n, k));
    d.sizes.push_back(n);
    d.reduced.push_back(false);
  }
  return d;
}

IntList Fusion::natural_index(std::span<const Int> sizes) const {
  Domain d = natural(sizes);
  IntList at;
  size_t next = 0;
  for (Int n : sizes) at.push_back(known_one(n) ? Int(0) : d.symbols[next++]);
  return at;
}

Fusion::Strided Fusion::strided(ir::Value* v) const {
  if (v->producer() && v->producer()->record().kind == Kind::view && home_.count(v))
    return {v, strides(v), 0};
  // A loop symbol for every dimension, those of size 1 too: their strides may be anything.
  Domain d = natural(v->sizes());
  Access a = resolve(v, natural_index(v->sizes()));
  auto form = affine(flat_index(a), d.symbols);
  if (!form) {
    if (reshaped(v) != a.value) return {nullptr, {}, 0};
    return {a.value, contiguous_strides<Int>(v->sizes()), 0};
  }
  IntList strides;
  size_t next = 0;
  for (Int n : v->sizes()) strides.push_back(known_one(n) ? Int(1) : form->coefs[next++]);
  return {a.value, std::move(strides), form->base};
}

// The packed value whose first elements are those of a view in their order; null where there is
// none. Where sizes are symbols the flat index alone may not show it.
ir::Value* Fusion::reshaped(ir::Value* v) const {
  while (v->producer() && v->producer()->record().kind == Kind::view) {
    const ir::Node& n = *v->producer();
    const IntList at = natural_index(v->sizes());
    auto index = viewed_index(n, at);
    if (!index) return nullptr;
    const IntList strides = contiguous_strides<Int>(v->sizes());
    Int place = 0;
    for (size_t i = 0; i < at.size(); ++i) place = place + at[i] * strides[i];
    if (!same_index(*index, unflatten(place, viewed(n)->sizes()))) return nullptr;
    v = viewed(n);
  }
  return same_sizes(strides(v), contiguous_strides<Int>(v->sizes())) ? v : nullptr;
}

ir::Value* Fusion::same_memory(ir::Value* v) const {
  if (!v->producer() || v->producer()->record().kind != Kind::view) return nullptr;
  IntList at = natural_index(v->sizes());
  Access a = resolve(v, at);
  if (!a.value->producer() || !a.value->numel().same_as(v->numel())) return nullptr;
  IntList row_major = contiguous_strides<Int>(v->sizes());
  Int flat = 0;
  for (size_t i = 0; i < at.size(); ++i) {
    if (!known_one(v->sizes()[i]) && !v->strides()[i].same_as(row_major[i])) return nullptr;
    flat = flat + at[i] * row_major[i];
  }
  return flat.same_as(flat_index(a)) ? a.value : nullptr;
}

std::vector<bool> Fusion::reduced_mask(const ir::Node& n) const {
  ir::Value* v = n.args()[0].ref().value();
  std::vector<bool> mask(v->sizes().size(), false);
  for (int64_t d : reduced_dims(n.record(), n.args(), v->dim()))
    mask[static_cast<size_t>(d)] = true;
  return mask;
}

bool Fusion::reduces(const ir::Node& n) const {
  ir::Value* v = n.args()[0].ref().value();
  auto mask = reduced_mask(n);
  for (size_t i = 0; i < mask.size(); ++i)
    if (mask[i] && !known_one(v->sizes()[i])) return true;
  return false;
}

std::vector<Access> Fusion::accesses(const ir::Node& n, const IntList& at) const {
  AccessRecorder recorder(*this);
  if (is_reduction(n)) {
    recorder.read(n.args()[0].ref().value(), at);
  } else {
    element(program_, n, at, recorder);
  }
  return std::move(recorder.found);
}

// --- Clusters ---

Cluster& Fusion::make(ClusterKind kind) {
  auto& c = clusters_.emplace_back(std::make_unique<Cluster>());
  c->id = static_cast<int>(clusters_.size()) - 1;
  c->kind = kind;
  visited_.push_back(0);
  return *c;
}

void Fusion::add_pred(Cluster& c, Cluster* pred) {
  if (!pred || pred == &c) return;
  if (std::find(c.preds.begin(), c.preds.end(), pred->id) != c.preds.end()) return;
  c.preds.push_back(pred->id);
  pred->succs.push_back(c.id);
  lift(c, pred->level + 1);
}

// Levels rise with dependences, so that most questions about them are answered at once.
void Fusion::lift(Cluster& c, int level) {
  std::vector<std::pair<Cluster*, int>> work{{&c, level}};
  while (!work.empty()) {
    auto [at, least] = work.back();
    work.pop_back();
    if (at->level >= least) continue;
    at->level = least;
    for (int s : at->succs) {
      Cluster* next = live(s);
      if (next != at) work.emplace_back(next, least + 1);
    }
  }
}

void Fusion::add_member(Cluster& c, ir::Value* v, IntList at, bool full) {
  c.members.push_back({v, std::move(at), full});
  home_[v] = c.id;
}

bool Fusion::depends(const Cluster& a, const Cluster& b) const {
  if (&a == &b) return true;
  if (a.level <= b.level) return false;
  ++stamp_;
  std::vector<const Cluster*> stack{&a};
  int visits = 0;
  while (!stack.empty()) {
    const Cluster* c = stack.back();
    stack.pop_back();
    for (int id : c->preds) {
      const Cluster* p = live(id);
      if (p == &b) return true;
      uint32_t& seen = visited_[static_cast<size_t>(p->id)];
      if (seen == stamp_ || p == c || p->level <= b.level) continue;
      seen = stamp_;
      if (++visits > kMostVisits) return true;
      stack.push_back(p);
    }
  }
  return false;
}

std::vector<Cluster*> Fusion::candidates(const std::vector<Access>& accesses) const {
  std::vector<Cluster*> found;
  for (const Access& a : accesses) {
    Cluster* c = home(a.value);
    if (c && std::find(found.begin(), found.end(), c) == found.end()) found.push_back(c);
  }
  // Products and rows before plain loops, which can be merged into them; then the latest first: the
  // others are more likely to come before it than after.
  auto rank = [](Cluster* c) {
    bool plain = c->kind == ClusterKind::loops && !c->domain.has_row();
    return std::pair(plain ? 1 : 0, -c->id);
  };
  std::sort(found.begin(), found.end(), [&](Cluster* a, Cluster* b) { return rank(a) < rank(b); });
  return found;
}

std::optional<IntList> Fusion::fit(const Cluster& c, std::span<const Int> sizes, bool full) const {
  IntList loop_sizes, symbols;
  for (size_t i = 0; i < c.domain.sizes.size(); ++i) {
    if (!full && c.domain.reduced[i]) continue;
    loop_sizes.push_back(c.domain.sizes[i]);
    symbols.push_back(c.domain.symbols[i]);
  }
  IntList at;
  size_t next = 0;
  bool same = true;
  for (Int n : sizes) {
    if (known_one(n)) {
      at.push_back(0);
      continue;
    }
    same = same && next < loop_sizes.size() && loop_sizes[next].same_as(n);
    if (!same) break;
    at.push_back(symbols[next++]);
  }
  if (same && next == loop_sizes.size()) return at;
  Int have = numel_of<Int>(loop_sizes), want = numel_of<Int>(sizes);
  if (!have.same_as(want) || known_zero(have)) return std::nullopt;
  Int flat = 0;
  for (size_t i = 0; i < symbols.size(); ++i) flat = flat * loop_sizes[i] + symbols[i];
  return unflatten(flat, sizes);
}

bool Fusion::loadable(const Access& a) const {
  if (!data_.any()) return true;
  Int flat = flat_index(a);
  IntList symbols;
  for (const DataIndex* d : data_.in(flat)) symbols.push_back(d->symbol);
  return symbols.empty() || affine(flat, symbols).has_value();
}

// Along a stride of 0, or a size of 1, a load does not depend on an index.
bool Fusion::all_used(std::span<const Int> symbols, const std::vector<Access>& reads) const {
  for (Int s : symbols) {
    bool used = false;
    for (const Access& r : reads) used = used || depends_on(flat_index(r), s);
    if (!used) return false;
  }
  return true;
}

bool Fusion::loses_index(const ir::Node& n, const IntList& at) const {
  AccessRecorder recorder(*this);
  element(program_, n, at, recorder);
  return !all_used(recorder.symbols, recorder.found);
}

bool Fusion::movable(const Access& a) const {
  std::vector<Int> from_data;
  for (Int i : a.at)
    for (const DataIndex* d : data_.in(i)) from_data.push_back(d->symbol);
  const ir::Node* n = a.value->producer();
  bool indexes = n && n->record().kind == Kind::index;
  if (from_data.empty() && !indexes) return true;
  if (!n || !has_elements(*n) || (!from_data.empty() && !only_reads(*n))) return false;
  auto reads = accesses(*n, a.at);
  for (const Access& read : reads)
    if (!loadable(read)) return false;
  return all_used(from_data, reads) && !(indexes && loses_index(*n, a.at));
}

bool Fusion::can_recompute(const Access& a, const Cluster& c, int& budget) const {
  const ir::Node* n = a.value->producer();
  if (!n || !has_elements(*n) || !movable(a)) return false;
  budget -= cost_of_node(*n) + 1;
  if (budget < 0) return false;
  for (const Access& read : accesses(*n, a.at)) {
    Cluster* h = home(read.value);
    if (h == &c) {
      const Cluster::Member* m = member(c, read.value);
      if (same_index(m->at, read.at)) continue;
      if (!can_recompute(read, c, budget)) return false;
    } else if (!loadable(read) || (h && depends(*h, c))) {
      return false;
    }
  }
  return true;
}

bool Fusion::mergeable(const Cluster& h, const Cluster& c, const Access& a) const {
  if (h.kind != ClusterKind::loops || h.domain.has_row()) return false;
  if (!same_sizes(h.domain.sizes, c.domain.sizes)) return false;
  const Cluster::Member* m = member(h, a.value);
  if (!m || !same_index(m->at, a.at)) return false;
  // Nobody reads it yet: not others, which would come between, and not c, at turns of its own.
  for (int s : h.succs)
    if (live(s) != &h) return false;
  return !depends(h, c);
}

bool Fusion::joinable(const Cluster& c, const std::vector<Access>& reads, bool full,
                      std::vector<Cluster*>& merge) const {
  if (c.kind != ClusterKind::loops && c.kind != ClusterKind::gemm) return false;
  bool matched = false;
  int ops = c.ops + 1;
  for (const Access& a : reads) {
    if (!loadable(a)) return false;
    Cluster* h = home(a.value);
    if (h == &c) {
      if (same_index(member(c, a.value)->at, a.at)) {
        matched = true;
        continue;
      }
      int budget = kRecomputeBudget;
      if (!can_recompute(a, c, budget)) return false;
      matched = true;
      continue;
    }
    if (!h) continue;
    if (std::find(merge.begin(), merge.end(), h) != merge.end()) continue;
    if (full && ops + h->ops <= options_.max_ops && mergeable(*h, c, a)) {
      merge.push_back(h);
      ops += h->ops;
      continue;
    }
    if (depends(*h, c)) return false;
  }
  return matched && ops <= options_.max_ops;
}

void Fusion::merge(Cluster& from, Cluster& into) {
  for (int p : from.preds) {
    Cluster* pred = live(p);
    if (pred != &into) add_pred(into, pred);
  }
  for (Cluster::Member& m : from.members) {
    home_[m.value] = into.id;
    into.members.push_back(std::move(m));
  }
  into.nodes.insert(into.nodes.end(), from.nodes.begin(), from.nodes.end());
  into.ops += from.ops;
  into.cost += from.cost;
  for (int id : from.succs) {
    Cluster* s = live(id);
    if (s != &into && s != &from) into.succs.push_back(s->id);
  }
  from.members.clear();
  from.nodes.clear();
  from.merged_into = into.id;
  int level = 0;
  for (int p : into.preds)
    if (live(p) != &into) level = std::max(level, live(p)->level + 1);
  lift(into, std::max(level, from.level));
}

void Fusion::join(Cluster& c, const ir::Node& n, const std::vector<Access>& reads) {
  for (const Access& a : reads) add_pred(c, home(a.value));
  c.nodes.push_back(&n);
  ++c.ops;
  c.cost += cost_of_node(n);
}

// --- Nodes ---

void Fusion::visit(const ir::Node& n) {
  bool used = false;
  for (ir::Value* v : n.outputs()) used = used || !v->users().empty();
  used = used || n.record().data_dependent;  // for its sizes
  if (n.defines().as_made()) return visit_whole(n, ClusterKind::symbol);
  if (n.outputs().size() == 1)
    if (const PartWrite* w = making(n.output())) return visit_part_write(*w);
  if (made_by(n)) return;
  if (!used && !n.record().has_effect && !n.record().raises_on_data) return;
  if (n.record().kind == Kind::view && n.record().index_map) return;
  if (n.record().kind == Kind::matmul) return visit_gemm(n);
  if (is_reduction(n)) return visit_reduction(n);
  bool raises = n.record().kind == Kind::pointwise && may_raise(n.record(), n.args());
  if (has_elements(n) && !raises) return visit_elements(n);
  visit_whole(n, ClusterKind::library);
}

// For whoever needs it in memory; elements are read through the view all the same.
void Fusion::store_view(ir::Value* v) {
  if (home_.count(v)) return;
  const ir::Node& n = *v->producer();
  // Along a stride of 0 there is one element.
  IntList sizes = v->sizes(), laid_out = strides(v);
  for (size_t i = 0; i < sizes.size(); ++i)
    if (known_zero(laid_out[i]) && !known_zero(sizes[i])) sizes[i] = 1;
  IntList at = natural_index(sizes);
  Access from = resolve(v, at);
  Cluster& c = make(ClusterKind::loops);
  c.domain = natural(sizes);
  join(c, n, {from});
  add_member(c, v, std::move(at), true);
  if (const PartWrite* w = replacing(from.value))
    if (Cluster* next = home(w->after())) add_pred(*next, &c);
}

// --- Writes of parts of inputs ---

const PartWrite* Fusion::making(const ir::Value* v) const {
  for (const PartWrite& w : part_writes_)
    if (w.after() == v) return &w;
  return nullptr;
}

const PartWrite* Fusion::replacing(const ir::Value* v) const {
  for (const PartWrite& w : part_writes_)
    if (w.before == v) return &w;
  return nullptr;
}

const PartWrite* Fusion::made_by(const ir::Node& n) const {
  for (const PartWrite& w : part_writes_)
    if (w.kernel == &n) return &w;
  return nullptr;
}

// Program order; but what may raise comes first, with all it needs, so that nothing is fused with
// it that needs what a write leaves.
std::vector<const ir::Node*> Fusion::visiting_order() {
  std::vector<const ir::Node*> order, rest;
  std::unordered_set<const ir::Node*> first;
  const auto& nodes = graph_.nodes();
  if (!part_writes_.empty()) {
    for (auto n = nodes.rbegin(); n != nodes.rend(); ++n) {
      if (const PartWrite* w = made_by(**n)) {
        for (const IndexOperand& i : w->indices) {
          const ir::Value* v = resolve(i.value, natural_index(i.value->sizes())).value;
          for (const ir::Value* x : {static_cast<const ir::Value*>(i.value), v})
            if (x->producer()) first.insert(x->producer()), raising_.push_back(x->producer());
        }
      } else if (stops(**n)) {
        raising_.push_back(n->get());
        first.insert(n->get());
      }
      if (!first.count(n->get())) continue;
      for_each_ref((*n)->args(), [&](const Ref& r) {
        if (r.value() && r.value()->producer()) first.insert(r.value()->producer());
      });
    }
  }
  for (const auto& n : nodes)
    (first.empty() || first.count(n.get()) ? order : rest).push_back(n.get());
  order.insert(order.end(), rest.begin(), rest.end());
  return order;
}

// Who reads v comes before c.
void Fusion::add_readers(Cluster& c, const ir::Value* v) {
  for (const ir::Node* n : v->users()) {
    if (!n) continue;
    for (const ir::Value* out : n->outputs()) {
      add_pred(c, home(out));
      if (n->record().kind == Kind::view) add_readers(c, out);
    }
  }
}

void Fusion::visit_part_write(const PartWrite& w) {
  std::vector<Cluster*> operands{home(w.before)};
  if (w.kernel) {
    bool self = true;
    for_each_ref(w.kernel->args(), [&](const Ref& r) {
      if (!std::exchange(self, false) && r.value()) operands.push_back(home_in_memory(r.value()));
    });
  } else {
    if (w.part->producer() && w.part->producer()->record().kind == Kind::view) store_view(w.part);
    operands.push_back(home(w.part));
    operands.push_back(home(resolve(w.part, natural_index(w.part->sizes())).value));
  }
  Cluster& c = make(ClusterKind::part_write);
  c.domain = natural(w.kernel ? w.after()->sizes() : w.part->sizes());
  for (Cluster* o : operands) add_pred(c, o);
  add_readers(c, w.before);
  for (const ir::Node* n : raising_)
    for (const ir::Value* v : n->outputs()) add_pred(c, home(v));
  c.nodes.push_back(w.kernel ? w.kernel : w.node);
  c.cost = cost_of_node(*w.node);
  add_member(c, w.after(), natural_index(w.after()->sizes()), true);
}

void Fusion::visit_elements(const ir::Node& n) {
  ir::Value* out = n.output();
  IntList at = natural_index(out->sizes());
  std::vector<Access> reads = accesses(n, at);
  bool loads =
      std::all_of(reads.begin(), reads.end(), [&](const Access& a) { return loadable(a); });
  if (!loads || (n.record().kind == Kind::index && loses_index(n, at)))
    return visit_whole(n, ClusterKind::library);
  if (options_.fuse) {
    for (Cluster* c : candidates(reads)) {
      for (bool full : {true, false}) {
        if (!full && !c->domain.has_row()) continue;
        auto fitted = fit(*c, out->sizes(), full);
        if (!fitted) continue;
        if (full && c->domain.has_row()) {
          Int rows = 1, length = 1;
          for (size_t i = 0; i < c->domain.sizes.size(); ++i)
            (c->domain.reduced[i] ? length : rows) =
                (c->domain.reduced[i] ? length : rows) * c->domain.sizes[i];
          if (hint_of(rows, kFewRows) < kFewRows && hint_of(length, 0) > kLongRow) continue;
        }
        std::vector<Access> there = same_index(*fitted, at) ? reads : accesses(n, *fitted);
        std::vector<Cluster*> merged;
        if (!joinable(*c, there, full, merged)) continue;
        for (Cluster* m : merged) merge(*m, *c);
        join(*c, n, there);
        add_member(*c, out, std::move(*fitted), full);
        return;
      }
    }
  }
  Cluster& c = make(ClusterKind::loops);
  c.domain = natural(out->sizes());
  join(c, n, reads);
  add_member(c, out, std::move(at), true);
}

void Fusion::visit_reduction(const ir::Node& n) {
  ir::Value* in = n.args()[0].ref().value();
  auto mask = reduced_mask(n);
  IntList at = natural_index(in->sizes());
  Domain domain = natural(in->sizes());
  size_t next = 0;
  for (size_t i = 0; i < mask.size(); ++i)
    if (!known_one(in->sizes()[i])) domain.reduced[next++] = mask[i];
  std::vector<Access> reads = accesses(n, at);
  auto outputs = [&](Cluster& c) {
    for (ir::Value* out : n.outputs()) {
      bool keep = out->sizes().size() == in->sizes().size();
      IntList where;
      for (size_t i = 0; i < mask.size(); ++i)
        if (!mask[i])
          where.push_back(at[i]);
        else if (keep)
          where.push_back(0);
      add_member(c, out, std::move(where), !c.domain.has_row());
    }
  };
  if (options_.fuse) {
    for (Cluster* c : candidates(reads)) {
      if (c->kind != ClusterKind::loops || !same_sizes(c->domain.sizes, domain.sizes)) continue;
      bool fits = c->domain.reduced == domain.reduced || !c->domain.has_row();
      // Into columns goes only what others can cheaply compute again for themselves.
      bool column = !domain.reduced.empty() && !domain.reduced.back() && domain.has_row();
      if (!fits || (column && !c->domain.has_row() && c->cost > kRecomputeBudget / 2)) continue;
      std::vector<Cluster*> merged;
      if (!joinable(*c, reads, true, merged)) continue;
      for (Cluster* m : merged) merge(*m, *c);
      c->domain.reduced = domain.reduced;
      join(*c, n, reads);
      return outputs(*c);
    }
  }
  Cluster& c = make(ClusterKind::loops);
  c.domain = std::move(domain);
  join(c, n, reads);
  outputs(c);
}

void Fusion::visit_gemm(const ir::Node& n) {
  Cluster* homes[2] = {};
  for (size_t i = 0; i < 2; ++i) homes[i] = home_in_memory(n.args()[i].ref().value());
  Cluster& c = make(ClusterKind::gemm);
  ir::Value* out = n.output();
  c.domain = natural(out->sizes());
  for (Cluster* h : homes) add_pred(c, h);
  c.nodes.push_back(&n);
  c.cost = cost_of_node(n);
  add_member(c, out, natural_index(out->sizes()), true);
}

// Of a value that a kernel reads as a strided piece of memory.
Cluster* Fusion::home_in_memory(ir::Value* v) {
  Strided s = strided(v);
  if (!s.base) {
    store_view(v);
    s = strided(v);
  }
  return home(s.base);
}

void Fusion::visit_whole(const ir::Node& n, ClusterKind kind) {
  std::vector<Cluster*> homes;
  for_each_ref(n.args(), [&](const Ref& r) {
    if (r.value()) homes.push_back(home_in_memory(r.value()));
  });
  Cluster& c = make(kind);
  for (Cluster* h : homes) add_pred(c, h);
  c.nodes.push_back(&n);
  for (ir::Value* out : n.outputs()) add_member(c, out, natural_index(out->sizes()), true);
}

std::vector<Cluster*> Fusion::in_order() const {
  std::vector<Cluster*> order;
  std::vector<char> state(clusters_.size(), 0);
  auto visit = [&](auto&& self, Cluster* c) -> void {
    char& s = state[static_cast<size_t>(c->id)];
    if (s == 2) return;
    FRIT_INVARIANT(s == 0, "fusion made a cycle");
    s = 1;
    std::vector<int> preds;
    for (int p : c->preds) preds.push_back(live(p)->id);
    std::sort(preds.begin(), preds.end());
    for (int p : preds)
      if (p != c->id) self(self, clusters_[static_cast<size_t>(p)].get());
    s = 2;
    order.push_back(c);
  };
  for (const auto& c : clusters_)
    if (c->merged_into < 0) visit(visit, c.get());
  return order;
}

}  // namespace frit::loops
