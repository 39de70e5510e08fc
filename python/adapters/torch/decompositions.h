// Ops that torch has and Frit has no record of, as ops that have one.
#pragma once
#include "ops/caller.h"

namespace frit::torch {

struct BatchNorm {
  Ref x, weight, bias, running_mean, running_var;  // undefined: none
  bool training = false;
  double momentum = 0, eps = 0;
};
// What native_batch_norm gives first.
Ref batch_norm(Caller&, const BatchNorm&);
// The running statistics after a step of training; undefined where there are none.
struct RunningStatistics {
  Ref mean, var;
};
RunningStatistics running_statistics(Caller&, const BatchNorm&);

// Of one tensor with itself: [batch, length, width].
struct SelfAttention {
  Ref x, qkv_weight, qkv_bias, weight, bias;
  int64_t heads = 1;
};
Ref self_attention(Caller&, const SelfAttention&);

}  // namespace frit::torch
