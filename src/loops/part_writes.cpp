#include "loops/part_writes.h"

#include <algorithm>

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
      if (!n || !writes_view(*n) || !alike(*v, *in)) return {};
      PartWrite w;
      w.input = input;
      w.node = n;
      w.before = n->args()[0].ref().value();
      follow(w);
      if (known_zero(w.part->numel()) || !read_before(w.before, *n)) return {};
      v = w.before;
      found.push_back(std::move(w));
    }
    std::reverse(found.begin(), found.end());
    if (!found.empty() && raises_after(*found.front().node)) return {};
    return found;
  }

 private:
  static bool alike(const ir::Value& v, const ir::Value& in) {
    return v.dtype() == in.dtype() && same_sizes(v.sizes(), in.sizes()) &&
           same_sizes(v.strides(), in.strides());
  }

  // A part of which only a part is new (a row's first elements).
  void follow(PartWrite& w) const {
    w.path = {w.node};
    w.part = w.node->args()[1].ref().value();
    while (const ir::Node* n = w.part->producer()) {
      if (!writes_view(*n) || n->output()->dtype() != w.node->output()->dtype()) return;
      ir::Value* old = n->args()[0].ref().value();
      const IntList at = fusion_.natural_index(old->sizes());
      const Access a = fusion_.resolve(old, at);
      if (a.value != w.before || !same_index(a.at, w.place(at))) return;
      w.path.insert(w.path.begin(), n);
      w.part = n->args()[1].ref().value();
    }
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
      if (stops(*n)) return true;
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
    if (!e.value->producer() || !writes_view(*e.value->producer())) continue;
    if (!finder) finder.emplace(g, f);
    for (PartWrite& w : finder->of(e.input, e.value)) all.push_back(std::move(w));
  }
  return all;
}

}  // namespace frit::loops
