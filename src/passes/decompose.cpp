// Composites become primitives: what has a decomposition and is not lowered by its kind is replaced
// by it. A decomposition may use other composites; they are inserted before the node and met again.
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace frit::passes {
namespace {

int run(ir::Graph& g, bool only_without_vjp) {
  int changes = 0;
  for (bool again = true; again;) {
    again = false;
    std::vector<ir::Node*> work;
    for (const auto& n : g.nodes()) {
      const OpRecord& r = n->record();
      if (r.decomp && !(only_without_vjp && (r.vjp || !r.differentiable))) work.push_back(n.get());
    }
    for (ir::Node* n : work) {
      ir::BuilderCaller builder(g, derived(*n, "decompose"), n);
      RefList parts = n->record().decomp(builder, n->args());
      FRIT_INVARIANT(parts.size() >= n->outputs().size(),
                     n->record().full_name + ": its decomposition gives too few results");
      for (size_t i = 0; i < n->outputs().size(); ++i) {
        ir::Value* v = parts[i].value();
        // Of no elements, the parts may have other strides than the whole.
        if (v && known_zero(v->numel()) && !same_layout(*v, *n->outputs()[i]))
          v = builder
                  .op<"empty_strided">(n->outputs()[i]->sizes(), n->outputs()[i]->strides(),
                                       v->dtype())
                  .value();
        if (v) g.replace_all_uses(n->outputs()[i], v);
      }
      g.erase(n);
      ++changes;
      again = true;
    }
  }
  return changes;
}

}  // namespace

int decompose(ir::Graph& g) { return run(g, false); }
int decompose_for_grad(ir::Graph& g) { return run(g, true); }

}  // namespace frit::passes
