#include "passes/interpret.h"

#include <unordered_map>

#include "eager/dispatch.h"
#include "eager/tape.h"

namespace frit::passes {
namespace {

// The argument as eager takes it: Values become Tensors, expressions numbers.
template <class ValueOf>
Arg concrete(const Arg& a, const sym::ShapeEnv& env, std::span<const int64_t> symbols,
             const ValueOf& value_of) {
  auto number = [&](Int i) { return env.evaluate(i, symbols); };
  if (a.is_ref()) return Arg(a.ref().defined() ? value_of(a.ref().value()) : Tensor());
  if (a.is_ref_list()) {
    std::vector<Ref> list;
    for (const Ref& r : a.refs()) list.push_back(r.defined() ? Ref(value_of(r.value())) : Ref());
    return Arg(std::move(list));
  }
  if (a.is<Int>()) return Arg(Int(number(a.as<Int>())));
  if (a.is<IntList>()) {
    IntList list;
    for (Int i : a.as<IntList>()) list.push_back(Int(number(i)));
    return Arg(std::move(list));
  }
  if (a.is<Scalar>() && a.as<Scalar>().is_symbolic())
    return Arg(Scalar(number(a.as<Scalar>().as_int())));
  return a;
}

// Eager counts a storage offset from the storage's beginning.
void place(const OpRecord& record, ArgList& args) {
  int k = record.storage_offset_arg;
  if (k == kNoArg || args[static_cast<size_t>(k)].is_none()) return;
  Arg& offset = args[static_cast<size_t>(k)];
  offset = Arg(offset.to_int() + Int(args[0].ref().tensor().impl()->offset));
}

class Interpreter {
 public:
  Interpreter(const ir::Graph& graph, PhiloxState rng, std::vector<int64_t> symbols,
              bool free_histories)
      : graph_(graph),
        env_(*graph.env()),
        rng_(rng),
        symbols_(std::move(symbols)),
        free_histories_(free_histories) {
    symbols_.resize(env_.symbols().size(), 0);
  }

  Interpreted run(std::span<const Tensor> inputs) {
    FRIT_INVARIANT(inputs.size() == graph_.inputs().size(), "inputs of another graph");
    for (size_t i = 0; i < inputs.size(); ++i) {
      const ir::Value* v = graph_.inputs()[i];
      values_[v] = inputs[i];
      const TensorImpl& t = *inputs[i].impl();
      for (size_t d = 0; d < t.sizes.size(); ++d) {
        bind(v->sizes()[d].expr(), t.sizes[d]);
        // A stride that addresses nothing may be any number.
        if (t.sizes[d] > 1) bind(v->strides()[d].expr(), t.strides[d]);
      }
    }
    for (const auto& n : graph_.nodes()) step(*n);
    for (const ir::RuntimeAssert& a : graph_.asserts)
      if (!env_.evaluate(a.condition, symbols_))
        throw UserError(ErrorKind::runtime, "check", a.message, {}, a.where);
    Interpreted r;
    for (const ir::Output& o : graph_.outputs)
      r.outputs.push_back(o.value ? values_.at(o.value) : Tensor());
    for (const ir::Effect& e : graph_.effects)
      r.effects.push_back(e.value ? values_.at(e.value) : Tensor());
    r.symbols = std::move(symbols_);
    return r;
  }

 private:
  void bind(const sym::Expr* e, int64_t value) {
    if (e && e->is_symbol()) symbols_[static_cast<size_t>(e->value())] = value;
  }

  int64_t number(Int i) { return env_.evaluate(i, symbols_); }

  void step(const ir::Node& n) {
    const OpRecord& record = n.record();
    ArgList args;
    for (const Arg& a : n.args())
      args.push_back(
          concrete(a, env_, symbols_, [&](const ir::Value* v) { return values_.at(v); }));
    if (record.kind == Kind::random) {
      auto generator = std::make_shared<Generator>();
      generator->set_state(
          {rng_.seed, rng_.offset + static_cast<uint64_t>(number(n.rng_offset()))});
      bool taken = false;
      for (size_t i = 0; i < record.schema.args.size(); ++i)
        if (record.schema.args[i].type == ArgType::generator)
          args[i] = Arg(generator), taken = true;
      FRIT_INVARIANT(taken, "a random op without a generator: " + record.full_name);
    }
    place(record, args);
    SourceLocation where = n.provenance().place();
    // What was recorded with gradients off has none.
    WordScope mode(0, n.provenance().grad ? 0u : uint32_t{kGradEnabled});
    eager::EagerCaller caller(where);
    if (n.written_as()) args[0] = Arg(caller.op<"clone">(args[0].ref()));
    RefList made = caller.call(n.written_as() ? *record.inplace : record, args);
    if (free_histories_ && n.freed())
      for (const Ref& r : made)
        if (Ptr<eager::TapeNode> node = eager::grad_fn(r.tensor())) node->release_saved();
    for (size_t i = 0; i < n.outputs().size(); ++i) {
      const ir::Value* v = n.outputs()[i];
      values_[v] = made[i].tensor();
      if (const sym::Expr* e = n.defines().as_made(); e && i == 0)
        bind(e, made[i].tensor().item<int64_t>());
      // Sizes that only the data decides.
      if (!record.data_dependent) continue;
      for (size_t d = 0; d < v->sizes().size(); ++d)
        if (const sym::Expr* e = v->sizes()[d].as_made();
            e && e->is_symbol() && env_.symbol(e).unbacked)
          bind(e, made[i].tensor().impl()->sizes[d]);
    }
  }

  const ir::Graph& graph_;
  const sym::ShapeEnv& env_;
  PhiloxState rng_;
  std::vector<int64_t> symbols_;
  bool free_histories_;
  std::unordered_map<const ir::Value*, Tensor> values_;
};

}  // namespace

Interpreted interpret(const ir::Graph& graph, std::span<const Tensor> inputs, PhiloxState rng,
                      std::vector<int64_t> symbols, bool free_histories) {
  return Interpreter(graph, rng, std::move(symbols), free_histories).run(inputs);
}

Tensor call_view(const OpRecord& record, std::span<const Arg> given, const Tensor& self,
                 const sym::ShapeEnv& env, std::span<const int64_t> symbols) {
  ArgList args{Arg(self)};
  for (const Arg& a : given.subspan(1))
    args.push_back(concrete(a, env, symbols, [](const ir::Value*) { return Tensor(); }));
  place(record, args);
  eager::EagerCaller caller{SourceLocation{}};
  return caller.call(record, args)[0].tensor();
}

}  // namespace frit::passes
