#include "loops/part_writes.h"

#include <algorithm>
#include <utility>

namespace frit::loops {
namespace {

class Finder {
 public:
  Finder(const ir::Graph& g, const Fusion& f) : graph_(g), fusion_(f) {
    int at = 0;
    for (const auto& n : g.nodes()) order_[n.get()] = at++;
  }

  // The writes that make `last` of the input; none where it is anything else.
  std::vector<PartWrite> of(int input, ir::Value* last) const {
    ir::Value* in = graph_.inputs()[static_cast<size_t>(input)];
    std::vector<PartWrite> found;
    for (ir::Value* v = last; v != in;) {
      const ir::Node* n = v->producer();
      if (!n || !alike(*v, *in)) return {};
      PartWrite w;
      w.input = input;
      w.node = n;
      if (writes_view(*n)) {
        w.before = n->args()[0].ref().value();
        follow(w);
        if (!w.kernel && known_zero(w.part->numel())) return {};
      } else if (!by_kernel(w, *n, *in)) {
        return {};
      }
      if (!read_before(w.before, *n)) return {};
      v = w.before;
      found.push_back(std::move(w));
    }
    std::reverse(found.begin(), found.end());
    // What a kernel reads must not lie in the memory that it writes.
    for (const PartWrite& w : found) {
      if (!w.kernel) continue;
      bool apart = true, self = true;
      for_each_ref(w.kernel->args(), [&](const Ref& r) {
        if (!std::exchange(self, false) && r.value())
          apart = apart && !lies_in(r.value(), in, found);
      });
      if (!apart) return {};
    }
    if (!found.empty() && raises_after(*found.front().node)) return {};
    return found;
  }

 private:
  static bool alike(const ir::Value& v, const ir::Value& in) {
    return v.dtype() == in.dtype() && same_sizes(v.sizes(), in.sizes()) &&
           same_sizes(v.strides(), in.strides());
  }

  bool lies_in(ir::Value* v, const ir::Value* in, const std::vector<PartWrite>& writes) const {
    const ir::Value* base = fusion_.resolve(v, fusion_.natural_index(v->sizes())).value;
    return base == in ||
           std::ranges::any_of(writes, [&](const PartWrite& w) { return w.after() == base; });
  }

  // Fills in a write by the kernel of `n`, if it is one.
  bool by_kernel(PartWrite& w, const ir::Node& n, const ir::Value& in) const {
    w.indices = written_by_index(n);
    if (w.indices.empty() || known_zero(in.numel())) return false;
    ir::Value* self = n.args()[0].ref().value();
    const Domain d = fusion_.natural(self->sizes());
    const IntList place = w.place(fusion_.natural_index(self->sizes()));
    Int flat = 0;
    for (size_t i = 0; i < place.size(); ++i) flat = flat + place[i] * in.strides()[i];
    auto form = affine(flat, d.symbols);
    if (!form) return false;
    w.offset = form->base;
    size_t next = 0;
    for (Int size : self->sizes())
      w.strides.push_back(known_one(size) ? Int(1) : form->coefs[next++]);
    w.kernel = &n;
    if (w.path.empty()) w.before = self;
    w.part = nullptr;
    return true;
  }

  // A part of which only a part is new (a row's first elements).
  void follow(PartWrite& w) const {
    w.path = {w.node};
    w.part = w.node->args()[1].ref().value();
    while (const ir::Node* n = w.part->producer()) {
      const bool by_index = !written_by_index(*n).empty();
      if (n->outputs().size() != 1 || n->output()->dtype() != w.node->output()->dtype() ||
          !(writes_view(*n) || (by_index && read_by_path(w))))
        return;
      ir::Value* old = n->args()[0].ref().value();
      const IntList at = fusion_.natural_index(old->sizes());
      const Access a = fusion_.resolve(old, at);
      if (a.value != w.before || !same_index(a.at, w.place(at))) return;
      if (by_index) {
        by_kernel(w, *n, *w.node->output());
        return;
      }
      w.path.insert(w.path.begin(), n);
      w.part = n->args()[1].ref().value();
    }
  }

  // Does nobody else read the part, or what it is a part of?
  static bool read_by_path(const PartWrite& w) {
    if (w.part->users().size() != 1) return false;
    for (const ir::Node* n : w.path)
      if (n != w.node && n->output()->users().size() != 1) return false;
    return true;
  }

  // Does everything that reads v, itself or by views of it, come before the node?
  bool read_before(const ir::Value* v, const ir::Node& node) const {
    for (const ir::Node* n : v->users()) {
      if (!n || n == &node) continue;
      if (n->record().kind == Kind::view) {
        for (const ir::Value* out : n->outputs())
          if (!read_before(out, node)) return false;
      } else if (order_.at(n) > order_.at(&node)) {
        return false;
      }
    }
    return true;
  }

  bool raises_after(const ir::Node& first) const {
    std::unordered_set<const ir::Value*> after{first.output()};
    for (const auto& n : graph_.nodes()) {
      bool reads = false;
      for_each_ref(n->args(), [&](const Ref& r) { reads = reads || after.count(r.value()); });
      if (!reads) continue;
      // Indices that say where to write can be looked at first.
      bool early = stops(*n);
      if (auto indices = written_by_index(*n); !indices.empty())
        early = std::ranges::any_of(indices, [&](auto& i) { return after.count(i.value) > 0; });
      if (early) return true;
      for (const ir::Value* v : n->outputs()) after.insert(v);
    }
    return false;
  }

  const ir::Graph& graph_;
  const Fusion& fusion_;
  std::unordered_map<const ir::Node*, int> order_;
};

}  // namespace

bool stops(const ir::Node& n) {
  const OpRecord& r = n.record();
  return r.kind == Kind::host || r.has_effect || r.data_dependent || n.defines().as_made() ||
         may_raise(r, n.args());
}

IntList PartWrite::place(IntList at) const {
  for (const ir::Node* n : path) at = written_index(*n, at);
  return at;
}

std::vector<PartWrite> part_writes(const ir::Graph& g, const Fusion& f,
                                   const std::unordered_set<int>& whole) {
  std::vector<PartWrite> all;
  std::optional<Finder> finder;
  for (const ir::Effect& e : g.effects) {
    if (e.kind != ir::Effect::Kind::write_input || !e.value || whole.count(e.input)) continue;
    if (!e.value->producer() || e.value->producer()->record().kind != Kind::index) continue;
    if (!finder) finder.emplace(g, f);
    for (PartWrite& w : finder->of(e.input, e.value)) all.push_back(std::move(w));
  }
  return all;
}

}  // namespace frit::loops
