// Exact simplifications, which change no bit of any value: views of views, and views that change
// nothing. Adding a literal zero is not among them: it turns -0 into +0.
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace frit::passes {
namespace {

const OpRecord& view_record() {
  static const OpRecord& view = find_op("view");
  return view;
}

// The value that a node only repeats, or null. Inside a graph nothing aliases, so a view whose
// dtype, sizes and strides are its input's, and that shows the same elements, is its input.
ir::Value* repeated(const ir::Node& n) {
  const OpRecord& r = n.record();
  if (r.kind != Kind::view || n.outputs().size() != 1 || n.args().empty() || !n.args()[0].is_ref())
    return nullptr;
  ir::Value* in = n.args()[0].ref().value();
  ir::Value* out = n.output();
  if (!same_layout(*in, *out)) return nullptr;
  if (&r == &view_record()) return in;  // it keeps the order of the elements
  // Others may pick elements (diagonals, windows); the map says.
  if (!r.index_map) return nullptr;
  IntList index(out->sizes().begin(), out->sizes().end());
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

// view(view(x)) and the like: a reshape of a reshape is one reshape, where the inner one is read by
// nothing that needs it. The outer node is re-pointed; dead code removes the inner one.
bool merge_reshape(ir::Graph& g, ir::Node& n) {
  if (&n.record() != &view_record()) return false;
  ir::Node* inner = n.args()[0].ref().value()->producer();
  if (!inner || &inner->record() != &view_record()) return false;
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
    if (ir::Value* same = repeated(*n)) {
      g.replace_all_uses(n->output(), same);
      g.erase(n);
      ++changes;
    }
  }
  return changes;
}

}  // namespace frit::passes
