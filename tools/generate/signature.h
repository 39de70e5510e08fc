// A schema as a C++ signature.
#pragma once
#include <string>
#include <vector>

#include "ops/record.h"

namespace frit::generate {

struct Parameter {
  std::string type;  // as declared: "const Tensor&", "std::optional<Int>"
  std::string name;
  std::string default_text;  // "{}", "1"; empty where it has none
  size_t arg = 0;            // its place in the schema
};

struct Signature {
  const OpRecord* record = nullptr;
  std::string name;     // of the C++ function
  std::string returns;  // "Tensor", "std::tuple<Tensor, Tensor>", "TensorList"
  std::vector<Parameter> parameters;
  bool is_method = false;
  // A twin that takes braces where another overload takes an integer in the same place, so that
  // x.any({1}) is a list and x.any(1) a number.
  bool has_brace_twin = false;
};

// One for each op that C++ programs can call, in the order of registration. Defaults that would
// make a call ambiguous between overloads are left out, in the overload that comes later.
std::vector<Signature> signatures();

// "const Tensor& self, Scalar alpha = 1"; from the first-th parameter on.
std::string parameter_text(const Signature&, size_t first, bool defaults, bool brace_twin = false);

}  // namespace frit::generate
