// Common subexpressions: nodes of the same op on the same arguments become one. Values are equal by
// construction since graphs are functional; random nodes differ by their offset and are left alone,
// as are nodes that define symbols.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "ir/text.h"
#include "passes/pass.h"

namespace frit::passes {
namespace {

// A text that is equal for equal arguments: values by id, sizes as normal-form expressions.
void append_key(std::string& key, const Arg& a) {
  struct Visitor {
    std::string& k;
    void operator()(std::monostate) { k += 'N'; }
    void operator()(const Ref& r) {
      k += 'v' + (r.defined() ? std::to_string(r.value()->id()) : "-");
    }
    void operator()(const std::vector<Ref>& l) {
      k += '[';
      for (const Ref& r : l) (*this)(r), k += ',';
      k += ']';
    }
    void operator()(Int i) { k += 'i' + i.str(); }
    void operator()(const IntList& l) {
      k += '(';
      for (Int i : l) k += i.str() + ',';
      k += ')';
    }
    void operator()(double d) { k += 'd' + ir::real_text(d) + (std::signbit(d) ? "-" : ""); }
    void operator()(const std::vector<double>& l) {
      k += 'D';
      for (double d : l) (*this)(d), k += ',';
    }
    void operator()(bool b) { k += b ? 'T' : 'F'; }
    void operator()(const Scalar& s) {
      if (s.is_real())
        (*this)(s.to_double());
      else
        k += (s.is_bool() ? 'B' : 'I') + s.as_int().str();
    }
    void operator()(DType t) { k += 't' + std::to_string(static_cast<int>(t)); }
    void operator()(Symbol s) { k += '"' + std::string(s.str()) + '"'; }
    void operator()(const std::shared_ptr<Generator>&) { k += 'G'; }
  };
  std::visit(Visitor{key}, a.storage());
  key += ';';
}

}  // namespace

int common_subexpressions(ir::Graph& g) {
  std::unordered_map<std::string, ir::Node*> seen;
  std::vector<ir::Node*> gone;
  for (const auto& n : g.nodes()) {
    const OpRecord& r = n->record();
    if (r.kind == Kind::random || r.has_effect || r.data_dependent || n->defines().is_symbolic())
      continue;
    std::string key = std::to_string(r.id) + (n->provenance().grad ? ':' : '!');
    for (const Arg& a : n->args()) append_key(key, a);
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
