// Common subexpressions: nodes of the same op on the same arguments become one. Values are equal by
// construction since graphs are functional; random nodes differ by their offset and are left alone,
// as are nodes that define symbols.
#include <algorithm>
#include <unordered_map>

#include "ir/key.h"
#include "passes/pass.h"

namespace frit::passes {

int common_subexpressions(ir::Graph& g) {
  std::unordered_map<std::string, ir::Node*> seen;
  std::vector<ir::Node*> gone;
  for (const auto& n : g.nodes()) {
    const OpRecord& r = n->record();
    if (r.kind == Kind::random || r.has_effect || r.data_dependent || n->defines().as_made())
      continue;
    std::string key = std::to_string(r.id) + (n->provenance().grad ? ':' : '!');
    if (n->written_as()) key += name(*n->written_as());
    for (const Arg& a : n->args())
      ir::append_key(key, a, [](const ir::Value* v) { return v->id(); });
    auto [it, fresh] = seen.emplace(std::move(key), n.get());
    if (fresh) continue;
    ir::Node* first = it->second;
    for (size_t i = 0; i < n->outputs().size(); ++i)
      g.replace_all_uses(n->outputs()[i], first->outputs()[i]);
    for (const SourceLocation& where : n->provenance().where) {
      auto& all = first->provenance().where;
      if (std::find(all.begin(), all.end(), where) == all.end()) all.push_back(where);
    }
    gone.push_back(n.get());
  }
  for (ir::Node* n : gone) g.erase(n);
  return static_cast<int>(gone.size());
}

}  // namespace frit::passes
