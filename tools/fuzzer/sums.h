// Gradients that are sums. Where a leaf is read by a compiled graph and beside it too (it is also
// returned, or the call is of several graphs), eager adds what comes from each op in the order of
// the tape, while a compiled call adds what each graph's pass gives: the same terms in another
// order.
#pragma once
#include <unordered_map>
#include <vector>

#include "ops/interceptor.h"

namespace frit::fuzz {

class GradientSums final : public Interceptor {
 public:
  // Do two gradients of one leaf differ by no more than another order of adding would explain?
  // `noted` is the gradient that was made while this was installed.
  bool explains(const Tensor& noted, const Tensor& a, const Tensor& b) const;

  void note(const OpRecord&, std::span<const Arg> args, std::span<const Tensor> results,
            PhiloxState, SourceLocation) override;
  bool answer(const OpRecord&, std::span<const Arg>, std::span<Tensor>, SourceLocation) override {
    return false;
  }
  void reading_value(const Tensor&, SourceLocation) override {}
  void grad_changed(const Tensor&, const Tensor&) override {}
  void grad_read(const Tensor&) override {}
  bool backward_begins(std::span<const Tensor>, SourceLocation) override { return true; }
  std::optional<Int> symbol_for(const Tensor&, int64_t, SourceLocation) override { return {}; }
  void reading_metadata(const TensorImpl&) override {}
  void unsupported(const TensorImpl&, const char*, const char*, SourceLocation) override {}

 private:
  struct Sum {
    int terms = 1;
    std::vector<double> magnitudes;  // of the terms together, by element
  };
  Sum of(const Tensor&) const;
  std::unordered_map<uint64_t, Sum> sums_;  // by the result's identity
};

}  // namespace frit::fuzz
