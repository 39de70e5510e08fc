// What is learned of sizes once a graph has ended. All graphs of a run are on one shape environment
// and are compiled when it is over, so what later graphs learned has gone into the earlier ones,
// and so has what derivative rules and passes asked: it has to hold wherever those are used.
#include <algorithm>

#include "compile/capture.h"

namespace frit::compiler {
namespace {

// Symbols of data in an expression, by index.
void add_unbacked(const sym::ShapeEnv& env, const sym::Expr* e, std::vector<int>& found) {
  if (!e) return;
  if (e->kind() == sym::Kind::symbol) {
    if (!env.symbol(e).unbacked) return;
    const int index = static_cast<int>(e->value());
    if (std::find(found.begin(), found.end(), index) == found.end()) found.push_back(index);
    return;
  }
  for (const sym::Expr* a : e->args()) add_unbacked(env, a, found);
}

}  // namespace

std::vector<int> Capture::data_sizes_in(const ir::Graph& graph) const {
  std::vector<int> found;
  auto add = [&](Int v) {
    if (v.is_symbolic()) add_unbacked(*env_, v.expr(), found);
  };
  auto add_all = [&](const IntList& list) {
    for (Int v : list) add(v);
  };
  for (const auto& n : graph.nodes()) {
    for (const Arg& a : n->args()) {
      if (a.is<Int>()) add(a.as<Int>());
      if (a.is<IntList>()) add_all(a.as<IntList>());
      if (a.is<Scalar>() && a.as<Scalar>().is_symbolic()) add(a.as<Scalar>().as_int());
    }
    for (const ir::Value* v : n->outputs()) {
      add_all(v->sizes());
      add_all(v->strides());
    }
  }
  return found;
}

void Capture::refuse_late_checks() {
  for (Stretch& s : stretches_) {
    // A check in a later graph comes too late for what this one has computed.
    std::vector<int> checked;
    const auto asserts = env_->runtime_asserts();
    for (size_t i = s.asserts; i < asserts.size(); ++i) {
      checked.clear();
      add_unbacked(*env_, asserts[i].condition, checked);
      if (std::ranges::none_of(checked, [&](int u) {
            return std::find(s.data_sizes.begin(), s.data_sizes.end(), u) != s.data_sizes.end();
          }))
        continue;
      drop({"late_check",
            "a size that data decides is checked (" + env_->source_text(asserts[i].condition) +
                ") after the graph that computes with it has ended",
            "read values after the ops that use the size", asserts[i].where, false});
      return;
    }
  }
}

void fill_conditions(std::span<Stretch> run) {
  auto constant = [](const DimGuard& d) { return d.kind == DimGuard::Kind::constant; };
  for (Stretch& s : run) {
    Entry& e = *s.entry;
    for (size_t i = 0; i < e.inputs.size(); ++i) {
      const InputGuard& g = e.inputs[i];
      e.constant_layout.push_back(std::ranges::all_of(g.sizes, constant) &&
                                  std::ranges::all_of(g.strides, constant));
      if (!g.source.is_fixed() || !e.constant_layout[i]) e.open_inputs.push_back(i);
    }
    for (const sym::Expr* c : s.env->entry_conditions()) {
      if (c->has_unbacked()) continue;
      sym::Program p = s.env->compile(c);
      if (p.symbols_needed() > e.symbol_count) continue;  // of sizes that only later graphs meet
      e.conditions.push_back(std::move(p));
      e.condition_of.push_back(c);
    }
    e.env = s.env;
    e.compilation->guards = s.env->guards().size();
  }
}

}  // namespace frit::compiler
