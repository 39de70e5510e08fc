// Exact simplifications: what changes no bit of any value. Views of views, views and copies that
// change nothing, sums with a literal zero bias are NOT here when they could turn -0 into +0.
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace frit::passes {
namespace {

bool same_sizes(const ir::Value& a, const ir::Value& b) {
  if (a.sizes().size() != b.sizes().size()) return false;
  for (size_t i = 0; i < a.sizes().size(); ++i)
    if (!a.sizes()[i].same_as(b.sizes()[i])) return false;
  return true;
}

// The value that a node only repeats, or null. Inside a graph nothing aliases, so a view or a copy
// whose dtype, sizes and strides are its input's is its input.
ir::Value* repeated(const ir::Node& n) {
  const OpRecord& r = n.record();
  if (r.kind != Kind::view && r.kind != Kind::copy) return nullptr;
  if (n.outputs().size() != 1 || n.args().empty() || !n.args()[0].is_ref()) return nullptr;
  ir::Value* in = n.args()[0].ref().value();
  ir::Value* out = n.output();
  if (r.kind == Kind::view) {
    // Same layout is not enough for views that pick elements (flip-like maps, diagonals); the map
    // says.
    if (!same_layout(*in, *out) || !r.index_map) return nullptr;
    IntList index;
    for (Int s : out->sizes()) index.push_back(s);
    ShapeCtx<Int> shape(r, n.args());
    try {
      IntList shown = r.index_map(shape, index);
      for (size_t i = 0; i < shown.size(); ++i)
        if (!shown[i].same_as(index[i])) return nullptr;
      return shown.size() == index.size() ? in : nullptr;
    } catch (const UserError&) {
      return nullptr;
    }
  }
  return nullptr;
}

// view(view(x)) and the like: a reshape of a reshape is one reshape, where the inner one is read by
// nothing that needs it. The outer node is re-pointed; dead code removes the inner one.
bool merge_reshape(ir::Graph& g, ir::Node& n) {
  const OpRecord& r = n.record();
  static const OpRecord& view = find_op("view");
  if (&r != &view) return false;
  ir::Node* inner = n.args()[0].ref().value()->producer();
  if (!inner || &inner->record() != &view) return false;
  ir::Value* base = inner->args()[0].ref().value();
  g.set_arg(&n, 0, Arg(base));
  return true;
}

}  // namespace

int simplify(ir::Graph& g) {
  int changes = 0;
  std::vector<ir::Node*> nodes;
  for (const auto& n : g.nodes()) nodes.push_back(n.get());
  for (ir::Node* n : nodes) {
    while (merge_reshape(g, *n)) ++changes;
    if (ir::Value* same = repeated(*n); same &&
                                        same->sizes().size() == n->output()->sizes().size() &&
                                        same_sizes(*same, *n->output())) {
      g.replace_all_uses(n->output(), same);
      g.erase(n);
      ++changes;
    }
  }
  return changes;
}

}  // namespace frit::passes
