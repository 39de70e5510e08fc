#include "passes/interpret.h"

#include <unordered_map>

#include "eager/dispatch.h"

namespace frit::passes {
namespace {

class Interpreter {
 public:
  Interpreter(const ir::Graph& g, std::span<int64_t> symbols, PhiloxState rng) : g_(g), symbols_(symbols), rng_(rng) {}

  Interpretation run(std::span<const Tensor> inputs) {
    FRIT_INVARIANT(inputs.size() == g_.inputs().size());
    for (size_t i = 0; i < inputs.size(); ++i) values_[g_.inputs()[i]] = inputs[i];
    Interpretation result;
    for (const auto& n : g_.nodes()) {
      node(*n);
      drop_dead(*n);
    }
    for (size_t i = 0; i < g_.asserts.size() && !result.failed; ++i) {
      Bool c = g_.asserts[i].condition;
      if (c.is_constant() ? !c.known_true() : !g_.env()->evaluate(c, symbols_)) result.failed = i;
    }
    for (const ir::Output& o : g_.outputs) result.outputs.push_back(o.value ? values_.at(o.value) : Tensor());
    for (const ir::Effect& e : g_.effects) result.effects.push_back(e.value ? values_.at(e.value) : Tensor());
    return result;
  }

 private:
  int64_t number(Int i) { return i.is_constant() ? i.constant() : g_.env()->evaluate(i, symbols_); }

  Arg concrete(const Arg& a) {
    if (a.is_ref()) return Arg(values_.at(a.ref().value()));
    if (a.is_ref_list()) {
      std::vector<Ref> refs;
      for (const Ref& r : a.refs()) refs.push_back(r.defined() ? Ref(values_.at(r.value())) : Ref());
      return Arg(std::move(refs));
    }
    if (a.is<Int>()) return Arg(number(a.as<Int>()));
    if (a.is<IntList>()) {
      IntList list;
      for (Int i : a.as<IntList>()) list.push_back(Int(number(i)));
      return Arg(std::move(list));
    }
    if (a.is<Scalar>() && a.as<Scalar>().is_symbolic()) return Arg(Scalar(number(a.as<Scalar>().as_int())));
    return a;
  }

  void node(const ir::Node& n) {
    ArgList args;
    for (const Arg& a : n.args()) args.push_back(concrete(a));
    if (n.record().kind == Kind::random) {
      // A generator of its own, standing where this node's words begin.
      auto generator = std::make_shared<Generator>();
      generator->set_state({rng_.seed, rng_.offset + static_cast<uint64_t>(number(n.rng_offset()))});
      int slot = n.record().schema.find("generator");
      if (slot >= 0) {
        args[static_cast<size_t>(slot)] = Arg(generator);
        call(n, args);
        return;
      }
      PhiloxState saved = default_generator()->state();
      default_generator()->set_state(generator->state());
      try {
        call(n, args);
      } catch (...) {
        default_generator()->set_state(saved);
        throw;
      }
      default_generator()->set_state(saved);
      return;
    }
    call(n, args);
    if (n.defines().is_symbolic()) {
      const sym::Expr* e = n.defines().expr();
      Tensor t = values_.at(n.output());
      symbols_[static_cast<size_t>(e->value())] = t.item<int64_t>();
    }
  }

  void call(const ir::Node& n, const ArgList& args) {
    SourceLocation where = n.provenance().where.empty() ? SourceLocation{} : n.provenance().where.front();
    eager::EagerCaller caller(where);
    RefList results = caller.call(n.record(), args);
    FRIT_INVARIANT(results.size() == n.outputs().size(), n.record().full_name + " gave another number of results");
    for (size_t i = 0; i < results.size(); ++i) values_[n.outputs()[i]] = results[i].tensor();
  }

  // Memory as eager's: a value goes when its last reader has run.
  void drop_dead(const ir::Node& n) {
    for_each_ref(n.args(), [&](const Ref& r) {
      ir::Value* v = r.value();
      if (!v->producer()) return;
      auto [it, fresh] = reads_.emplace(v, 0);
      if (++it->second == static_cast<int>(v->users().size())) values_.erase(v);
    });
  }

  const ir::Graph& g_;
  std::span<int64_t> symbols_;
  PhiloxState rng_;
  std::unordered_map<const ir::Value*, Tensor> values_;
  std::unordered_map<const ir::Value*, int> reads_;
};

}  // namespace

Interpretation interpret(const ir::Graph& g, std::span<const Tensor> inputs, std::span<int64_t> symbols, PhiloxState rng) {
  return Interpreter(g, symbols, rng).run(inputs);
}

}  // namespace frit::passes
