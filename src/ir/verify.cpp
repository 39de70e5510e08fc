// The verifier: what must hold of every graph after every pass.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/graph.h"

namespace frit::ir {
namespace {

class Verifier {
 public:
  Verifier(const Graph& g, bool rules) : g_(g), rules_(rules) {}

  void run() {
    for (size_t i = 0; i < g_.inputs().size(); ++i) {
      Value* v = g_.inputs()[i];
      require(!v->producer() && v->index() == static_cast<int>(i), nullptr,
              "an input's index is wrong");
      require(v->sizes().size() == v->strides().size(), nullptr,
              "an input's strides do not match its rank");
      known_.insert(v);
    }
    for (const auto& n : g_.nodes()) check_node(*n);
    check_ends();
    check_uses();
  }

 private:
  void require(bool ok, const Node* n, const char* rule) {
    if (!ok) [[unlikely]]
      invalid(n, rule);
  }
  [[noreturn]] void invalid(const Node* n, const std::string& rule) {
    std::string where =
        n ? "node " + std::to_string(n->id()) + " " + n->record().full_name : "graph";
    throw InternalError("graph '" + g_.name + "' is not valid: " + where + ": " + rule);
  }

  void check_node(const Node& n) {
    require(n.record().form == Form::functional, &n, "a written form inside a graph");
    require(!n.record().is_implicit(), &n, "a composite that should have run as its parts");
    require(n.args().size() == n.record().schema.args.size(), &n, "wrong number of arguments");
    for_each_ref(n.args(), [&](const Ref& r) {
      require(r.kind() == Ref::Kind::value, &n, "an argument is no value of a graph");
      require(known_.count(r.value()), &n, "reads a value before it is made, or of another graph");
      ++uses_[r.value()];
    });
    for (size_t i = 0; i < n.outputs().size(); ++i) {
      Value* v = n.outputs()[i];
      require(v->producer() == &n && v->index() == static_cast<int>(i), &n,
              "an output does not know its node");
      require(v->sizes().size() == v->strides().size(), &n,
              "an output's strides do not match its rank");
      known_.insert(v);
    }
    if (rules_) check_metadata(n);
  }

  // The outputs agree with the shape rule in number, dtype and rank, and no size contradicts it.
  void check_metadata(const Node& n) {
    if (n.record().data_dependent || !n.record().shape_symbolic) return;
    ShapeCtx<Int> shape(n.record(), n.args());
    n.record().shape_symbolic(shape);
    auto& outs = shape.outs();
    require(outs.size() == n.outputs().size(), &n, "wrong number of outputs");
    for (size_t i = 0; i < outs.size(); ++i) {
      Value* v = n.outputs()[i];
      auto output = [&] { return "output " + std::to_string(i); };
      if (outs[i].dtype != v->dtype())
        invalid(&n, output() + " is " + std::string(short_name(v->dtype())) + ", its rule says " +
                        std::string(short_name(outs[i].dtype)));
      if (outs[i].sizes.size() != v->sizes().size()) invalid(&n, output() + " has the wrong rank");
      for (size_t d = 0; d < outs[i].sizes.size(); ++d)
        if ((outs[i].sizes[d] == v->sizes()[d]).known_false())
          invalid(&n, output() + " has size " + v->sizes()[d].str() + " in dimension " +
                          std::to_string(d) + ", its rule says " + outs[i].sizes[d].str());
    }
  }

  void check_ends() {
    auto valid_input = [&](int i) { return i >= 0 && i < static_cast<int>(g_.inputs().size()); };
    for (const Output& o : g_.outputs) {
      require(!o.value || known_.count(o.value), nullptr, "an output is no value of this graph");
      require(o.kind != Output::Kind::fresh || o.value, nullptr, "a fresh output without a value");
      if (o.kind == Output::Kind::input || o.kind == Output::Kind::view_of_input)
        require(valid_input(o.of), nullptr, "an output aliases an input that does not exist");
      if (o.kind == Output::Kind::view_of_output)
        require(o.of >= 0 && o.of < static_cast<int>(g_.outputs.size()) &&
                    g_.outputs[static_cast<size_t>(o.of)].kind == Output::Kind::fresh,
                nullptr, "an output is a view of an output that is not fresh");
      if (o.value) ++uses_[o.value];
    }
    for (const Effect& e : g_.effects) {
      if (e.value) ++uses_[e.value];
      if (e.kind != Effect::Kind::write_input) continue;
      require(valid_input(e.input), nullptr, "a write to an input that does not exist");
      require(e.value && known_.count(e.value), nullptr, "a write of no value of this graph");
      Value* in = g_.inputs()[static_cast<size_t>(e.input)];
      if (e.value->dtype() != in->dtype() || e.value->dim() != in->dim())
        invalid(nullptr,
                "a write to " + std::string(in->name().str()) + " of another dtype or rank");
    }
  }

  void check_uses() {
    auto check = [&](Value* v, const Node* n) {
      require(static_cast<int>(v->users().size()) == uses_[v], n,
              "the use list of a value is wrong");
    };
    for (Value* v : g_.inputs()) check(v, nullptr);
    for (const auto& n : g_.nodes())
      for (Value* v : n->outputs()) check(v, n.get());
  }

  const Graph& g_;
  const bool rules_;
  std::unordered_set<const Value*> known_;
  std::unordered_map<const Value*, int> uses_;
};

}  // namespace

void verify(const Graph& g) { Verifier(g, true).run(); }
void verify_structure(const Graph& g) { Verifier(g, false).run(); }

}  // namespace frit::ir
