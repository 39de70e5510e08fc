// Comparisons and logic: bool results, no gradients. In place on floats comparisons have gradients
// of 0, and logic leaves the history as it was, as in PyTorch.
#include "ops/families.h"
#include "ops/pointwise/checks.h"
#include "ops/vjp_helpers.h"

namespace frit {
namespace {

void comparison(Registry& r, std::string name, std::string doc) {
  r.op(name + ".Tensor(Tensor self, Tensor other) -> Tensor")
      .pointwise(name, Promotion::comparison)
      .flat_in_place()
      .inplace()
      .out()
      .doc(doc);
  r.op(name + ".Scalar(Tensor self, Scalar other) -> Tensor")
      .pointwise(name, Promotion::comparison)
      .promoting({"other"})
      .flat_in_place()
      .inplace()
      .out();
}

}  // namespace

void register_comparisons(Registry& r) {
  comparison(r, "eq", "Equal? A NaN equals nothing.");
  comparison(r, "ne", "Different?");
  comparison(r, "lt", "Is self less?");
  comparison(r, "le", "Is self less or equal?");
  comparison(r, "gt", "Is self greater?");
  comparison(r, "ge", "Is self greater or equal?");
  for (std::string name : {"logical_and", "logical_or", "logical_xor"})
    r.op(name + "(Tensor self, Tensor other) -> Tensor")
        .pointwise(name, Promotion::comparison)
        .not_differentiable()
        .inplace()
        .out()
        .doc("Logic on truth values: not 0 is true, so is NaN.");
  r.op("logical_not(Tensor self) -> Tensor")
      .pointwise("logical_not", Promotion::to_bool)
      .not_differentiable()
      .inplace()
      .out()
      .doc("Is it 0?");
}

}  // namespace frit
