// What vjps and decompositions of reductions do with dims.
#pragma once
#include "ops/vjp_helpers.h"

namespace frit {

// A reduced tensor with its reduced dims back as sizes of 1, so that it broadcasts with the input;
// those ahead of every dim that was kept do so by themselves.
inline Term restore_dims(const VjpCtx& v, const Term& reduced) {
  const OpRecord& r = v.record;
  int64_t rank = v.meta(0).dim();
  bool kept = r.keepdim_arg != kNoArg && v.args[static_cast<size_t>(r.keepdim_arg)].to_bool();
  if (kept || rank == 0) return reduced;
  Term t = reduced;
  int64_t leading = 0;
  for (int64_t d : reduced_dims(r, v.args, rank)) {
    if (d == leading)
      ++leading;
    else
      t = t.op<"unsqueeze">(Int(d - leading));
  }
  return t;
}

inline IntList dims_list(const OpRecord& r, std::span<const Arg> args, int64_t rank) {
  IntList list;
  for (int64_t d : reduced_dims(r, args, rank)) list.push_back(Int(d));
  return list;
}
inline IntList dims_list(const VjpCtx& v) { return dims_list(v.record, v.args, v.meta(0).dim()); }

// How many elements are combined into one.
inline Int reduced_count(const OpRecord& r, std::span<const Arg> args,
                         const TensorMeta<Int>& self) {
  Int n = 1;
  for (int64_t d : reduced_dims(r, args, self.dim())) n = n * self.size(d);
  return n;
}
inline Int reduced_count(const VjpCtx& v) { return reduced_count(v.record, v.args, v.meta(0)); }

// The gradient spread over the input's sizes.
inline Term expand_to_input(const VjpCtx& v, const Term& g) {
  return {v.c, v.c.expanded(restore_dims(v, g), v.meta(0).sizes)};
}

}  // namespace frit
