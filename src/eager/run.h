// The parts of dispatch(). Private to this room.
#pragma once
#include "eager/dispatch.h"
#include "eager/tape.h"

namespace frit::eager {

// What a watched call left on the tape, for the interceptor's symbols; and what was made for it
// before.
struct Traces {
  Ptr<CallInfo> info;
  Ptr<OpNode> node;
  Tensor self_copy;  // of an in-place op whose vjp needs what it overwrites
};

// Does this call put a node on the tape, if gradients are on?
inline bool goes_on_tape(const OpRecord& r, std::span<const Arg> args) {
  return (t_state.word & (kGradEnabled | kInferenceMode)) == kGradEnabled && r.differentiable &&
         any_requires_grad(args);
}
// Does it run as its parts, which tape and interceptor see instead of it?
inline bool runs_as_parts(const OpRecord& r, bool taped) {
  return r.decomp && !r.vjp && (taped || (r.kind == Kind::composite && !r.kernel));
}

// Is it computed by its decomposition? Some reductions (var, logsumexp) have one and no loops.
inline bool computed_as_parts(const OpRecord& r) {
  return !r.kernel && (r.kind == Kind::composite || (r.kind == Kind::reduction && r.decomp));
}

// Shape rule, outputs, kernel or decomposition; no tape. For a functional form.
void compute(const OpRecord& r, std::span<const Arg> args, TensorVector& outs,
             const SourceLocation& where);
// The kernel alone, on outputs that are there.
void run_kernel(const OpRecord& r, std::span<const Arg> args, std::span<Tensor> outs);
// The decomposition, through dispatch.
void run_parts(const OpRecord& r, std::span<const Arg> args, TensorVector& outs,
               const SourceLocation& where);
// Any form, with its tape; nothing is noted or answered but the parts of what runs as its parts.
void run_taped(const OpRecord& r, std::span<const Arg> args, TensorVector& outs,
               const SourceLocation& where, Traces* traces);
// In-place and out forms.
void run_written(const OpRecord& r, std::span<const Arg> args, TensorVector& outs,
                 const SourceLocation& where, Traces* traces);

// Tells the interceptor of an out= tensor that takes other memory, which no graph can hold.
void note_resized(const TensorImpl& out, const SourceLocation& where);

// The tensor that an in-place op with a place on the tape is about to overwrite, where its vjp
// needs it; else undefined. An op of its own, which the interceptor sees.
Tensor copy_before_write(const OpRecord& r, std::span<const Arg> args, bool taped,
                         const SourceLocation& where);

Ptr<OpNode> make_node(const Ptr<CallInfo>& info, std::span<const Arg> args);
// The generator argument's, else the default one.
Generator& generator_of(const OpRecord& r, std::span<const Arg> args);

}  // namespace frit::eager
