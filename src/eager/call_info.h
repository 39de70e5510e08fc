// What is kept of a call once it has run: its record, its numbers, and the metadata of its tensors.
// Shared by the tape node of the call and by the views it made.
#pragma once
#include <memory>
#include <vector>

#include "core/intrusive.h"
#include "ops/caller.h"
#include "ops/record.h"

namespace frit::eager {

struct TensorInfo {
  bool defined = false;
  bool requires_grad = false;
  DType dtype = DType::f32;
  Dims sizes, strides;
  int64_t offset = 0;

  TensorInfo() = default;
  explicit TensorInfo(const Tensor& t);
  TensorMeta<Int> meta() const;
};

class CallInfo final : public Intrusive {
 public:
  // Before the op runs (an in-place op changes what its arguments hold). Symbolic numbers are kept
  // as the numbers they stand for; keep_symbolic() keeps the symbols beside them.
  CallInfo(const OpRecord& record, std::span<const Arg> args, SourceLocation where);
  void set_outs(std::span<const Tensor> outs);
  // Under an interceptor, after it has noted the call: symbolic numbers and sizes, valid for as
  // long as that interceptor is installed.
  void keep_symbolic(std::span<const Arg> args, std::span<const Tensor> outs);

  const OpRecord& record;
  SourceLocation where;
  SmallVector<TensorInfo, 2> outs;

  // The arguments without their tensors (None in their place; lists keep their length), with
  // symbols where the interceptor they belong to is installed now.
  const ArgList& numbers() const;
  // Metadata as a vjp sees it, with symbols where they are valid.
  SmallVector<TensorMeta<Int>, 6> arg_metas() const;
  SmallVector<TensorMeta<Int>, 2> out_metas() const;
  std::vector<std::vector<TensorMeta<Int>>> list_metas() const;

  // Calls fn(argument, element or -1) for each tensor given, in the order of the tape node's edges.
  template <class F>
  void for_each_tensor(F&& fn) const {
    for (size_t i = 0; i < args_.size(); ++i) {
      if (infos_[i].defined) fn(i, -1);
      if (i < lists_.size())
        for (size_t j = 0; j < lists_[i].size(); ++j)
          if (lists_[i][j].defined) fn(i, static_cast<int>(j));
    }
  }

 private:
  struct Symbolic;
  struct SymbolicDelete {
    void operator()(Symbolic*) const;
  };
  const Symbolic* symbolic() const;

  ArgList args_;
  SmallVector<TensorInfo, 3> infos_;            // by argument
  std::vector<std::vector<TensorInfo>> lists_;  // by argument; empty where no argument is a list
  std::unique_ptr<Symbolic, SymbolicDelete> symbolic_;
};

// Is a number of the arguments symbolic?
bool has_symbolic(std::span<const Arg> args);
// The arguments with every symbolic number replaced by what it stands for in this run.
ArgList concrete(std::span<const Arg> args);

}  // namespace frit::eager
