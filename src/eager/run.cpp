// Running one call of a functional form: shape rule, outputs, kernel, tape.
#include "eager/run.h"

#include "base/location.h"
#include "core/layout.h"
#include "eager/intercept.h"
#include "kernels/cpu/kernels.h"

namespace frit::eager {

Generator& generator_of(const OpRecord& r, std::span<const Arg> args) {
  for (const Arg& a : args)
    if (a.is<std::shared_ptr<Generator>>()) return *a.as<std::shared_ptr<Generator>>();
  return *default_generator();
}

namespace {

// Takes the words the op will use from its generator.
PhiloxState take_words(const OpRecord& r, std::span<const Arg> args, std::span<const Tensor> outs) {
  ShapeCtx<Int> ctx(r, args);
  for (const Tensor& t : outs) {
    IntList sizes(t.impl()->sizes.begin(), t.impl()->sizes.end());
    ctx.out(t.impl()->dtype, sizes);
  }
  return generator_of(r, args).take(static_cast<uint64_t>(r.words(ctx).hint()));
}

Tensor output_for(const OutMeta<int64_t>& m, std::span<const Arg> args) {
  if (m.alias_of < 0) return empty_strided_cpu(m.sizes, m.strides, m.dtype);
  return alias_view(args[static_cast<size_t>(m.alias_of)].ref().tensor(), m.sizes, m.strides,
                    m.offset);
}

// Parts take it that what the op's own rule refuses was refused. Where they are watched, so is what
// the rule asks of sizes that may change.
void check_shape(const OpRecord& r, std::span<const Arg> args) {
  if (!r.shape || r.data_dependent) return;
  if (recording()) {
    ShapeCtx<Int> ctx(r, args);
    r.shape_symbolic(ctx);
  } else {
    ShapeCtx<int64_t> ctx(r, args);
    r.shape(ctx);
  }
}

// An op may give back one of its arguments (to() the dtype it has). Where the op gets a place on
// the tape of its own, the result must be an object of its own.
void separate_from_args(std::span<const Arg> args, TensorVector& outs) {
  for (Tensor& out : outs)
    for_each_ref(args, [&](const Ref& r) {
      if (!out.is_same(r.tensor())) return;
      const TensorImpl& i = *out.impl();
      out = alias_view(out, i.sizes, i.strides, i.offset);
    });
}

}  // namespace

void run_kernel(const OpRecord& r, std::span<const Arg> args, std::span<Tensor> outs) {
  KernelCall call{r, args, outs, {}};
  if (r.words) [[unlikely]]
    call.rng = take_words(r, args, outs);
  if (recording()) [[unlikely]] {
    UnrecordedScope quiet;  // a host op's kernel calls the program
    kernels::run(call);
  } else {
    kernels::run(call);
  }
  if (r.has_effect) [[unlikely]]
    for (size_t i = 0; i < r.schema.args.size(); ++i)
      if (r.schema.args[i].is_written && args[i].is_ref())
        args[i].ref().tensor().impl()->storage->bump_version();
}

void run_parts(const OpRecord& r, std::span<const Arg> args, TensorVector& outs,
               const SourceLocation& where) {
  EagerCaller caller(where);
  try {
    for (const Ref& ref : r.decomp(caller, args)) outs.push_back(ref.tensor());
  } catch (const UserError& e) {
    if (e.op() == r.schema.name) throw;
    throw e.of(r.schema.name);  // the program called the op, not its parts
  }
}

void compute(const OpRecord& r, std::span<const Arg> args, TensorVector& outs,
             const SourceLocation& where) {
  bool by_parts = computed_as_parts(r);
  ShapeCtx<int64_t> ctx(r, args);
  if (!by_parts || r.shape) r.shape(ctx);  // its errors name the op, not a part of it
  if (by_parts) {
    // Its results are its own, whichever of its parts made them: views of nothing that is seen.
    BitScope views(kViewsUnseen, kViewsUnseen);
    run_parts(r, args, outs, where);
    return;
  }
  for (const OutMeta<int64_t>& m : ctx.outs()) outs.push_back(output_for(m, args));
  if (r.kind == Kind::view) return;
  if (r.data_dependent && outs.empty()) outs.resize(r.schema.returns.size());
  run_kernel(r, args, {outs.data(), outs.size()});
}

void refuse_gradients(const OpRecord& r, std::span<const Arg> args) {
  for (size_t i = 0; i < args.size(); ++i)
    if (r.not_differentiable_args >> i & 1 && args[i].is_ref() &&
        requires_grad(args[i].ref().tensor()))
      throw UserError(ErrorKind::runtime, r.full_name,
                      "The function '" + r.full_name +
                          "' is not differentiable with respect to "
                          "argument '" +
                          r.schema.args[i].name + "'. This input cannot have requires_grad True.",
                      r.schema.args[i].name + ".detach()");
}

Ptr<OpNode> make_node(const Ptr<CallInfo>& info, std::span<const Arg> args) {
  auto node = make_ptr<OpNode>(info);
  for_each_ref(args, [&](const Ref& r) { node->edges.push_back(gradient_edge(r.tensor())); });
  return node;
}

void run_taped(const OpRecord& r, std::span<const Arg> args, TensorVector& outs,
               const SourceLocation& where, Traces* traces) {
  if (r.form != Form::functional) return run_written(r, args, outs, where, traces);
  bool taped = goes_on_tape(r, args);
  if (runs_as_parts(r, taped)) {
    check_shape(r, args);
    return run_parts(r, args, outs, where);
  }
  bool tracked = r.kind == Kind::view && r.differentiable && !(t_state.word & kViewsUnseen) &&
                 !args[0].ref().tensor().impl()->storage->is_inference();
  if (!taped && !tracked) {
    compute(r, args, outs, where);
    return;
  }

  if (taped && r.not_differentiable_args) refuse_gradients(r, args);
  auto info = make_ptr<CallInfo>(r, args, located(where));
  Ptr<OpNode> node = taped ? make_node(info, args) : nullptr;
  {
    // The parts of an op that has its own place on the tape have none.
    BitScope grad_mode(kGradEnabled, taped ? 0 : t_state.word & kGradEnabled);
    UnrecordedScope quiet;
    compute(r, args, outs, where);
  }
  if (taped && r.kind == Kind::composite) separate_from_args(args, outs);
  info->set_outs({outs.data(), outs.size()});
  if (tracked)
    for (Tensor& out : outs) track_view(args[0].ref().tensor(), out, info);
  if (taped) {
    node->save_args(args, {});
    attach(Ptr<TapeNode>(node.get()), {outs.data(), outs.size()});
    node->save_outs({outs.data(), outs.size()});
  }
  if (traces) {
    traces->info = std::move(info);
    traces->node = std::move(node);
  }
}

}  // namespace frit::eager
