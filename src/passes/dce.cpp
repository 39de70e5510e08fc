// Dead code: nodes nobody reads go, last first. What may raise for the values it is given stays,
// because eager raises there; what has an effect or defines a symbol in use stays too.
#include <set>

#include "base/fault.h"
#include "passes/pass.h"

namespace frit::passes {
namespace {

// The symbols that sizes, offsets, effects and asserts still mention.
class UsedSymbols {
 public:
  explicit UsedSymbols(const ir::Graph& g) {
    for (const auto& n : g.nodes()) {
      if (!n->record().data_dependent) sizes(*n);  // whose own sizes are no use of them
      for (const Arg& a : n->args()) {
        if (a.is<Int>()) add(a.as<Int>());
        if (a.is<IntList>()) add(a.as<IntList>());
        if (a.is<Scalar>() && a.as<Scalar>().is_symbolic()) add(a.as<Scalar>().as_int());
      }
      add(n->rng_offset());
    }
    for (const ir::Output& o : g.outputs) {
      add(o.sizes);
      add(o.strides);
      add(o.offset);
    }
    for (const ir::Effect& e : g.effects) add(e.blocks);
    for (const ir::RuntimeAssert& a : g.asserts)
      if (!a.condition.is_constant()) add(g.env()->as_made(a.condition));
  }
  // Does the node define one of them?
  bool defined_by(const ir::Node& n) const {
    auto has = [&](Int symbol) { return symbol.is_symbolic() && used_.count(symbol.expr()); };
    if (has(n.defines())) return true;
    if (n.record().data_dependent)
      for (ir::Value* v : n.outputs())
        for (Int i : v->sizes())
          if (has(i)) return true;
    return false;
  }

 private:
  void sizes(const ir::Node& n) {
    for (ir::Value* v : n.outputs()) {
      add(v->sizes());
      add(v->strides());
    }
  }
  void add(const IntList& l) {
    for (Int i : l) add(i);
  }
  void add(Int i) {
    if (i.is_symbolic()) add(i.expr());
  }
  void add(const sym::Expr* e) {
    if (!e || !used_.insert(e).second) return;
    for (const sym::Expr* a : e->args()) add(a);
  }
  std::set<const sym::Expr*> used_;
};

}  // namespace

int dead_code(ir::Graph& g) {
  UsedSymbols used(g);
  int changes = 0;
  std::vector<ir::Node*> backwards;
  for (const auto& n : g.nodes()) backwards.push_back(n.get());
  for (size_t i = backwards.size(); i-- > 0;) {
    ir::Node* n = backwards[i];
    bool read = false;
    for (ir::Value* v : n->outputs()) read = read || !v->users().empty();
    bool raises = may_raise(n->record(), n->args()) && !fault(Fault::dead_check);
    if (read || n->record().has_effect || raises) continue;
    if (used.defined_by(*n)) continue;
    g.erase(n);
    ++changes;
  }
  return changes;
}

}  // namespace frit::passes
