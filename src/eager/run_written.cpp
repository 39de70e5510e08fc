// In-place and out forms: the functional op, stored into tensors that are there. Each written
// tensor's version rises once.
#include <algorithm>

#include "base/location.h"
#include "core/layout.h"
#include "eager/autograd_meta.h"
#include "eager/intercept.h"
#include "eager/run.h"
#include "kernels/cpu/kernels.h"
#include "ops/kind_rules.h"

namespace frit::eager {
namespace {

// Kinds whose kernels store into any tensor, one of their inputs included.
bool stores_anywhere(const OpRecord& f) {
  switch (f.kind) {
    case Kind::pointwise:
    case Kind::copy:
    case Kind::random:
    case Kind::creation:
      return true;
    case Kind::index:
      return f.inplace != nullptr;  // what writes, not what gathers
    case Kind::reduction:
    case Kind::view:
    case Kind::matmul:
    case Kind::composite:
    case Kind::library:
    case Kind::host:
      return false;
  }
  return false;
}

bool same_extent(const TensorImpl& a, const TensorImpl& b) {
  return a.offset == b.offset && a.dtype == b.dtype && a.sizes == b.sizes && a.strides == b.strides;
}

// An input meets what is written, without being the very same elements in the same order.
bool meets(const Tensor& input, const Tensor& written) {
  const TensorImpl &i = *input.impl(), &w = *written.impl();
  return i.storage == w.storage && !same_extent(i, w) && may_overlap(i, w);
}

// The arguments, with fn(tensor) for each tensor.
template <class F>
ArgList with_each(std::span<const Arg> args, F&& fn) {
  auto changed = [&](const Ref& r) { return r.defined() ? Ref(fn(r.tensor())) : r; };
  ArgList list;
  for (const Arg& a : args) {
    if (a.is_ref()) {
      list.push_back(Arg(changed(a.ref())));
    } else if (a.is_ref_list()) {
      std::vector<Ref> refs;
      for (const Ref& r : a.refs()) refs.push_back(changed(r));
      list.push_back(Arg(std::move(refs)));
    } else {
      list.push_back(a);
    }
  }
  return list;
}

// The arguments, with copies of those that the write would change before they are read.
std::span<const Arg> apart_from(const Tensor& written, std::span<const Arg> args, ArgList& copies) {
  bool any = false;
  for_each_ref(args, [&](const Ref& r) { any = any || meets(r.tensor(), written); });
  if (!any) return args;
  copies = with_each(args, [&](const Tensor& t) {
    if (!meets(t, written)) return t;
    Tensor copy = empty_cpu(t.impl()->sizes, t.impl()->dtype);
    kernels::copy(copy, t);
    return copy;
  });
  return copies;
}

// May the kernel store straight into `written`, whose functional result would be `result`?
bool fits(const OpRecord& f, const OutMeta<int64_t>& result, const TensorImpl& written) {
  return result.dtype == written.dtype && result.sizes == written.sizes && stores_anywhere(f) &&
         !may_overlap_itself(written.sizes, written.strides);
}

// The functional result into the written tensors: straight, or computed beside and copied.
void store(const OpRecord& f, std::span<const Arg> args, std::span<Tensor> written,
           const SourceLocation& where) {
  if (!computed_as_parts(f) && written.size() == 1) {
    ShapeCtx<int64_t> ctx(f, args);
    f.shape(ctx);
    const OutMeta<int64_t>& m = ctx.outs()[0];
    // An op that exists in place only says that its result is its first argument.
    if (f.form == Form::inplace || fits(f, m, *written[0].impl())) {
      ArgList copies;
      run_kernel(f, apart_from(written[0], args, copies), written);
      return;
    }
  }
  TensorVector results;
  compute(f, args, results, where);
  for (size_t i = 0; i < written.size(); ++i) kernels::copy(written[i], results[i]);
}

// The arguments, with views for those that are also written: a view keeps its sizes and memory when
// what is written is resized.
ArgList with_views(std::span<const Arg> args, std::span<const Tensor> written) {
  return with_each(args, [&](const Tensor& t) {
    const TensorImpl& i = *t.impl();
    bool same = std::ranges::any_of(written, [&](const Tensor& w) { return w.is_same(t); });
    return same ? alias_view(t, i.sizes, i.strides, i.offset) : t;
  });
}

// A tensor that is given in an out argument of no elements takes the result's sizes.
void resize(const Tensor& t, const OutMeta<int64_t>& m, const SourceLocation& where) {
  TensorImpl& i = *t.impl();
  if (recording()) note_resized(i, where);
  Tensor fresh = empty_strided_cpu(m.sizes, m.strides, i.dtype);
  i.storage = fresh.impl()->storage;
  i.sizes = m.sizes;
  i.strides = m.strides;
  i.offset = 0;
  i.symbolic.reset();
  bump_metadata_epoch();
}

void run_out(const OpRecord& r, std::span<const Arg> args, TensorVector& outs,
             const SourceLocation& where) {
  const OpRecord& f = *r.functional;
  if (goes_on_tape(f, args))
    throw UserError(ErrorKind::runtime, f.schema.name,
                    f.schema.name +
                        "(): functions with out=... arguments don't support automatic "
                        "differentiation, but one of the arguments requires grad.",
                    "the form that returns a new tensor, or a NoGrad guard");
  for (size_t i = 0; i < r.schema.args.size(); ++i)
    if (r.schema.args[i].is_written) {
      check_inference(args[i].ref().tensor(), f.schema.name);
      outs.push_back(args[i].ref().tensor());
    }
  std::span<const Arg> inputs = args.subspan(0, f.schema.args.size());
  ArgList as_given;
  if (f.shape) {
    ShapeCtx<int64_t> ctx(r, args);
    r.shape(ctx);
    for (size_t i = 0; i < outs.size(); ++i)
      if (!(outs[i].impl()->sizes == ctx.outs()[i].sizes)) as_given = with_views(inputs, outs);
    if (!as_given.empty()) inputs = as_given;
    for (size_t i = 0; i < outs.size(); ++i)
      if (!(outs[i].impl()->sizes == ctx.outs()[i].sizes)) resize(outs[i], ctx.outs()[i], where);
  }
  BitScope no_grad(kGradEnabled, 0);
  // What runs as its parts is watched part by part, and so is the write.
  if (recording() || !f.shape) {
    TensorVector results;
    run_parts(f, inputs, results, where);
    for (size_t i = 0; i < outs.size(); ++i) {
      const TensorImpl& made = *results[i].impl();
      if (!(outs[i].impl()->sizes == made.sizes))
        resize(outs[i], {outs[i].dtype(), made.sizes, made.strides, 0, -1}, where);
      EagerCaller(where).op<"copy_">(outs[i], results[i]);
    }
    return;
  }
  store(f, inputs, {outs.data(), outs.size()}, where);
  for (const Tensor& t : outs) t.impl()->storage->bump_version();
}

// A copy of what is about to be overwritten. Its place on the tape is that of an op of its own, so
// that a recording differentiates through it as the tape does.
Tensor copy_on_tape(const Tensor& self, const SourceLocation& where) {
  BitScope grad_mode(kGradEnabled, requires_grad(self) ? kGradEnabled : 0);
  return EagerCaller(where).op<"clone">(self).tensor();
}

// An in-place form of what runs as its parts: the result, copied by an op of its own. On the tape
// the parts run on a copy, because they may keep what they are given.
void run_inplace_parts(const OpRecord& r, std::span<const Arg> args, bool taped, TensorVector& outs,
                       const SourceLocation& where) {
  const OpRecord& f = *r.functional;
  const Tensor& self = args[0].ref().tensor();
  TensorVector results;
  if (taped && &f != &r) {
    ArgList on_copy(args);
    on_copy[0] = Arg(copy_on_tape(self, where));
    run_parts(f, on_copy, results, where);
  } else {
    run_parts(f, args, results, where);
  }
  if (!results[0].is_same(self)) {
    check_storable(r, meta(results[0]), meta(self));
    EagerCaller(where).op<"copy_">(self, results[0]);
  }
  outs.push_back(self);
}

// An in-place view: the tensor object itself takes the sizes, strides and offset of the view.
void run_inplace_view(const OpRecord& r, std::span<const Arg> args, bool taped, TensorVector& outs,
                      const SourceLocation& where, Traces* traces) {
  const OpRecord& f = *r.functional;
  const Tensor& self = args[0].ref().tensor();
  TensorImpl& i = *self.impl();
  ShapeCtx<int64_t> ctx(f, args, &r);
  f.shape(ctx);
  auto info = make_ptr<CallInfo>(f, args, located(where));
  Ptr<OpNode> node = taped ? make_node(info, args) : nullptr;
  const OutMeta<int64_t>& m = ctx.outs()[0];
  i.sizes = m.sizes;
  i.strides = m.strides;
  i.offset = m.offset;
  i.symbolic.reset();
  i.storage->bump_version();
  bump_metadata_epoch();
  outs.push_back(self);
  info->set_outs({outs.data(), outs.size()});
  if (!extend_view(self, info) && taped) {
    node->outputs.emplace_back(self);
    rebase_history(self, Ptr<TapeNode>(node.get()));
  }
  if (traces) {
    traces->info = std::move(info);
    traces->node = std::move(node);
  }
}

}  // namespace

void note_resized(const TensorImpl& out, const SourceLocation& where) {
  interceptor()->unsupported(out, "an out= tensor that is resized",
                             "give out= a tensor of the result's sizes", located(where));
}

Tensor copy_before_write(const OpRecord& r, std::span<const Arg> args, bool taped,
                         const SourceLocation& where) {
  if (!taped || r.form != Form::inplace || !(r.functional->saves_args & 1)) return {};
  return copy_on_tape(args[0].ref().tensor(), where);
}

void run_written(const OpRecord& r, std::span<const Arg> args, TensorVector& outs,
                 const SourceLocation& where, Traces* traces) {
  if (r.form == Form::out) return run_out(r, args, outs, where);
  const OpRecord& f = *r.functional;
  const Tensor& self = args[0].ref().tensor();
  bool taped = goes_on_tape(r, args);
  check_written(self, taped, r.schema.name);
  if (runs_as_parts(f, taped)) return run_inplace_parts(r, args, taped, outs, where);
  if (f.kind == Kind::view) return run_inplace_view(r, args, taped, outs, where, traces);
  if (r.shape && f.shape) {  // raises what does not fit
    ShapeCtx<int64_t> ctx(r, args);
    r.shape(ctx);
  }

  Tensor before = traces ? traces->self_copy : copy_before_write(r, args, taped, where);
  auto info = taped ? make_ptr<CallInfo>(f, args, located(where)) : nullptr;
  Ptr<OpNode> node = taped ? make_node(info, args) : nullptr;
  {
    BitScope no_grad(kGradEnabled, 0);
    if (taped) node->save_args(args, before);
    TensorVector written{self};
    UnrecordedScope quiet;
    store(f, args, {written.data(), written.size()}, where);
  }
  self.impl()->storage->bump_version();
  outs.push_back(self);
  if (taped) {
    info->set_outs({outs.data(), outs.size()});
    GradMeta& meta = node->outputs.emplace_back(self);
    meta.differentiable = is_floating(meta.dtype);
    if (meta.differentiable) rebase_history(self, Ptr<TapeNode>(node.get()));
    node->save_outs({outs.data(), outs.size()});
  }
  if (traces) {
    traces->info = std::move(info);
    traces->node = std::move(node);
  }
}

}  // namespace frit::eager
