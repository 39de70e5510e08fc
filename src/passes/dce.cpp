// Dead code: nodes nobody reads go, last first. What may raise for the values it is given stays,
// because eager raises there; what has an effect stays too, and what defines a symbol: the program
// may go on with it beyond the graph, where another entry follows or it is returned.

#include "base/fault.h"
#include "passes/pass.h"

namespace frit::passes {

int dead_code(ir::Graph& g) {
  int changes = 0;
  std::vector<ir::Node*> backwards;
  for (const auto& n : g.nodes()) backwards.push_back(n.get());
  for (size_t i = backwards.size(); i-- > 0;) {
    ir::Node* n = backwards[i];
    bool read = false;
    for (ir::Value* v : n->outputs()) read = read || !v->users().empty();
    bool raises = may_raise(n->record(), n->args()) && !fault(Fault::dead_check);
    bool defines = n->defines().as_made() != nullptr || n->record().data_dependent;
    if (read || n->record().has_effect || raises || defines) continue;
    g.erase(n);
    ++changes;
  }
  return changes;
}

}  // namespace frit::passes
