// The reduction argument of losses: 0 none, 1 mean, 2 sum.
#pragma once
#include "ops/vjp_helpers.h"

namespace frit {

enum class LossReduction : uint8_t { none, mean, sum };

inline LossReduction loss_reduction(const Arg& a, std::string_view op) {
  int64_t code = a.to_int().hint();
  if (code < 0 || code > 2)
    throw UserError(ErrorKind::value, op,
                    std::to_string(code) + " is not a valid value for reduction",
                    "0 (none), 1 (mean) or 2 (sum)");
  return static_cast<LossReduction>(code);
}

inline Term reduced(const Term& loss, LossReduction reduction) {
  switch (reduction) {
    case LossReduction::none:
      return loss;
    case LossReduction::mean:
      return loss.op<"mean">();
    case LossReduction::sum:
      return loss.op<"sum">();
  }
  return loss;
}

}  // namespace frit
