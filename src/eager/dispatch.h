// Calling an op now. Public ops, decompositions, the backward pass and operators all come through
// dispatch(): shape rule, tape, kernel, notes to the interceptor, in that order of nothing-to-do
// first.
#pragma once
#include <span>

#include "base/small_vector.h"
#include "ops/caller.h"
#include "ops/record.h"

namespace frit::eager {

using TensorVector = SmallVector<Tensor, 2>;

// Runs `record` on complete arguments (defaults filled). `outs` has one slot a return of the schema
// and is filled in their order; an in-place or out form gives back the very tensor it wrote.
// A UserError without a place gets `where`, or the place of an enclosing LocationScope.
void dispatch(const OpRecord& record, std::span<const Arg> args, std::span<Tensor> outs,
              SourceLocation where);

// The same for an op that returns Tensor[]: as many tensors as there are.
TensorList dispatch_list(const OpRecord& record, std::span<const Arg> args, SourceLocation where);

// Runs ops through dispatch, so that the tape and the interceptor see them: what decompositions,
// vjps, modules and optimisers are given.
class EagerCaller final : public Caller {
 public:
  explicit EagerCaller(SourceLocation where = {}) : where_(where) {}
  RefList call(const OpRecord& record, std::span<const Arg> args) override;
  int64_t item(const Ref& r) override;
  Ref expanded(const Ref& t, std::span<const Int> sizes) override;
  bool on_tape() const override { return t_state.word & kGradEnabled; }

 private:
  SourceLocation where_;
};

}  // namespace frit::eager
