// Bitwise logic and shifts.
#include "ops/families.h"
#include "ops/pointwise/checks.h"
#include "ops/vjp_helpers.h"

namespace frit {
namespace {

template <class Check>
void bitwise(Registry& r, std::string name, std::string reversed, Check check, std::string doc) {
  r.op(name + ".Tensor(Tensor self, Tensor other) -> Tensor")
      .pointwise(name)
      .not_differentiable()
      .check(check)
      .inplace()
      .out()
      .doc(doc);
  r.op(name + "." + (reversed == name ? "Scalar" : "Tensor_Scalar") +
       "(Tensor self, Scalar other) -> Tensor")
      .pointwise(name)
      .promoting({"other"})
      .not_differentiable()
      .check(check)
      .inplace()
      .out();
  r.op(name + ".Scalar_Tensor(Scalar self, Tensor other) -> Tensor")
      .pointwise(reversed)
      .promoting({"self"})
      .not_differentiable()
      .check(check)
      .out();
}

// The methods behind Python's & | ^.
template <OpName tensor, OpName scalar>
void operator_names(Registry& r, std::string name) {
  r.op(name + ".Tensor(Tensor self, Tensor other) -> Tensor")
      .composite([](Caller& c, auto a) -> RefList { return {c.op<tensor>(a[0], a[1])}; });
  r.op(name + ".Scalar(Tensor self, Scalar other) -> Tensor")
      .composite([](Caller& c, auto a) -> RefList { return {c.op<scalar>(a[0], a[1])}; });
}

}  // namespace

void register_integer_ops(Registry& r) {
  bitwise(
      r, "bitwise_and", "bitwise_and", [](auto& s) { checks::integers_only(s, "bitwise_and_cpu"); },
      "And, bit by bit; of bools, logical.");
  bitwise(
      r, "bitwise_or", "bitwise_or", [](auto& s) { checks::integers_only(s, "bitwise_or_cpu"); },
      "Or, bit by bit; of bools, logical.");
  bitwise(
      r, "bitwise_xor", "bitwise_xor", [](auto& s) { checks::integers_only(s, "bitwise_xor_cpu"); },
      "Exclusive or, bit by bit; of bools, logical.");
  bitwise(
      r, "bitwise_left_shift", "rbitwise_left_shift",
      [](auto& s) { checks::integers_only(s, "lshift_cpu", false); }, "self * 2**other, as bits.");
  bitwise(
      r, "bitwise_right_shift", "rbitwise_right_shift",
      [](auto& s) { checks::integers_only(s, "rshift_cpu", false); },
      "self / 2**other rounded down.");
  r.op("bitwise_not(Tensor self) -> Tensor")
      .pointwise("bitwise_not")
      .not_differentiable()
      .check([](auto& s) { checks::integers_only(s, "bitwise_not_cpu"); })
      .inplace()
      .out()
      .doc("Every bit the other way; of bools, logical.");
  operator_names<"bitwise_and.Tensor", "bitwise_and.Scalar">(r, "__and__");
  operator_names<"bitwise_or.Tensor", "bitwise_or.Scalar">(r, "__or__");
  operator_names<"bitwise_xor.Tensor", "bitwise_xor.Scalar">(r, "__xor__");
}

}  // namespace frit
