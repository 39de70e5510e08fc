// In-place ops on tensors with a history against PyTorch: values, requires_grad, gradients, errors.
// inplace_reference.py wrote inplace_reference.json.
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/symbol.h"
#include "common.h"

namespace frit {
namespace {
using namespace test;
using Json = nlohmann::json;

double number(const Json& j) {
  return j.is_string() ? std::stod(j.get<std::string>()) : j.get<double>();
}
std::vector<double> numbers(const Json& j) {
  std::vector<double> list;
  for (const Json& e : j) list.push_back(number(e));
  return list;
}

Arg argument(const Json& j, ArgType type) {
  if (j.is_null()) return Arg();
  if (j.is_string()) return Arg(intern(j.get<std::string>()));
  if (j.is_boolean()) return Arg(j.get<bool>());
  if (type == ArgType::integer) return Arg(j.get<int64_t>());
  if (type == ArgType::real) return Arg(j.get<double>());
  return Arg(j.is_number_integer() ? Scalar(j.get<int64_t>()) : Scalar(j.get<double>()));
}

std::string difference(std::vector<double> given, std::vector<double> wanted) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    double a = given.at(i), b = wanted[i];
    if ((std::isnan(a) && std::isnan(b)) || a == b || std::abs(a - b) <= 1e-7 * (1 + std::abs(b)))
      continue;
    return "element " + std::to_string(i) + " is " + std::to_string(a) + ", PyTorch " +
           std::to_string(b);
  }
  return {};
}

// [op, self, arguments after it, requires_grad of self and of the others, result, its
// requires_grad, gradients of the tensors, error in backward]
std::string fault(const Json& c) {
  const OpRecord* r = registry().find(c[0].get<std::string>());
  if (!r) return "no such op";
  TensorList leaves{vec(numbers(c[1])).requires_grad_(c[3].get<bool>())};
  Tensor y = leaves[0] * 1.0;
  ArgList args{Arg(y)};
  for (size_t i = 0; i < c[2].size(); ++i) {
    if (c[2][i].is_array()) {
      leaves.push_back(vec(numbers(c[2][i])).requires_grad_(c[4].get<bool>()));
      args.push_back(Arg(leaves.back()));
    } else {
      args.push_back(argument(c[2][i], r->schema.args[i + 1].type));
    }
  }
  if (!eager::EagerCaller().call(*r, args)[0].tensor().is_same(y)) return "another tensor";
  if (std::string d = difference(values(y), numbers(c[5])); !d.empty()) return d;
  if (y.requires_grad() != c[6].get<bool>()) return "requires_grad is not as PyTorch has it";
  if (!y.requires_grad()) return {};
  std::string error;
  try {
    sum(y * vec({1, 2, -4})).backward();
  } catch (const UserError& e) {
    error = e.message();
  }
  std::string wanted = c[8];
  if (wanted.substr(0, 34) == "derivative for aten::floor_divide_") wanted.erase(33, 1);
  if (error != wanted) return "'" + error + "', PyTorch '" + wanted + "'";
  for (size_t i = 0; error.empty() && i < leaves.size(); ++i) {
    Tensor g = leaves[i].grad();
    if (g.defined() == c[7][i].is_null())
      return "gradient " + std::to_string(i) + " is defined in one only";
    if (!g.defined()) continue;
    if (std::string d = difference(values(g), numbers(c[7][i])); !d.empty())
      return "gradient " + std::to_string(i) + ": " + d;
  }
  return {};
}

Json cases() {
  std::ifstream file(std::string(FRIT_SOURCE_DIR) + "/tests/eager/inplace_reference.json");
  return Json::parse(file)["cases"];
}

TEST(InPlaceReference, AsPyTorch) {
  for (const Json& c : cases()) EXPECT_EQ(fault(c), "") << c.dump();
}

TEST(InPlaceReference, EveryElementwiseOpIsThere) {
  std::set<std::string> met{"masked_fill_.Scalar", "masked_fill_.Tensor", "fill_.Tensor"};
  for (const Json& c : cases()) met.insert(c[0].get<std::string>());
  for (const OpRecord* r : registry().all())
    if (r->form == Form::inplace && r->kind == Kind::pointwise && r->differentiable &&
        r->full_name.front() != '_')
      EXPECT_TRUE(met.count(r->full_name)) << r->full_name;
}

}  // namespace
}  // namespace frit
