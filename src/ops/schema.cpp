// Printing schemas as PyTorch prints them, and putting given arguments into schema form.
#include "ops/schema.h"

#include <fmt/format.h>

#include "base/error.h"
#include "core/layout.h"

namespace frit {
namespace {

const char* base_text(ArgType t, bool symbolic) {
  switch (t) {
    case ArgType::tensor:
    case ArgType::tensor_list:
      return "Tensor";
    case ArgType::integer:
    case ArgType::integer_list:
      return symbolic ? "SymInt" : "int";
    case ArgType::real:
    case ArgType::real_list:
      return "float";
    case ArgType::boolean:
    case ArgType::boolean_list:
      return "bool";
    case ArgType::scalar:
      return "Scalar";
    case ArgType::dtype:
      return "ScalarType";
    case ArgType::string:
      return "str";
    case ArgType::generator:
      return "Generator";
    case ArgType::layout:
      return "Layout";
    case ArgType::device:
      return "Device";
    case ArgType::memory_format:
      return "MemoryFormat";
  }
  return "";
}

bool is_list(ArgType t) {
  return t == ArgType::tensor_list || t == ArgType::integer_list || t == ArgType::real_list ||
         t == ArgType::boolean_list;
}

std::string alias_text(char set, bool written, bool rest) {
  if (!set) return "";
  return fmt::format("({}{}{})", set, written ? "!" : "", rest ? " -> *" : "");
}

int dtype_code(DType t) {
  constexpr int codes[kNumDTypes] = {6, 7, 15, 5, 1, 2, 3, 4, 0, 11};
  return codes[static_cast<int>(t)];
}

std::string real_text(double d) {
  std::string t = fmt::format("{}", d);
  return t.find_first_of(".ein") == std::string::npos ? t + "." : t;
}

std::string default_text(const Arg& a) {
  if (a.is_none()) return "None";
  if (a.is<bool>()) return a.as<bool>() ? "True" : "False";
  if (a.is<double>()) return real_text(a.as<double>());
  if (a.is<Int>()) return a.as<Int>().str();
  if (a.is<DType>()) return std::to_string(dtype_code(a.as<DType>()));
  if (a.is<Symbol>()) return fmt::format("\"{}\"", a.as<Symbol>().str());
  if (a.is<Scalar>()) {
    const Scalar& s = a.as<Scalar>();
    if (s.is_bool()) return s.to_bool() ? "True" : "False";
    return s.is_real() ? real_text(s.to_double()) : s.as_int().str();
  }
  if (a.is<IntList>()) return dims_text(a.as<IntList>());
  return "[]";
}

}  // namespace

std::string type_text(const SchemaArg& a) {
  std::string t =
      base_text(a.type, a.symbolic) + alias_text(a.alias_set, a.is_written, a.alias_rest);
  if (is_list(a.type)) {
    if (a.optional_elements) t += "?";
    t += a.list_size ? fmt::format("[{}]", a.list_size) : "[]";
  }
  return a.optional ? t + "?" : t;
}

std::string Schema::str() const {
  std::string t = full_name() + "(";
  bool keyword_only = false, first = true;
  for (const SchemaArg& a : args) {
    if (!first) t += ", ";
    first = false;
    if (a.keyword_only && !keyword_only) t += "*, ", keyword_only = true;
    t += type_text(a) + " " + a.name;
    if (!a.has_default) continue;
    // int[1] dim=0 is held as [0].
    if (a.list_size && a.default_value.is<IntList>() && !a.default_value.as<IntList>().empty())
      t += "=" + a.default_value.as<IntList>()[0].str();
    else
      t += "=" + default_text(a.default_value);
  }
  t += ") -> ";
  bool tuple = returns.size() != 1 || !returns[0].name.empty();
  if (tuple) t += "(";
  for (size_t i = 0; i < returns.size(); ++i) {
    const SchemaReturn& r = returns[i];
    t += (i ? ", " : "") + std::string(base_text(r.type, false)) +
         alias_text(r.alias_set, r.is_written, false);
    if (is_list(r.type)) t += "[]";
    if (!r.name.empty()) t += " " + r.name;
  }
  return tuple ? t + ")" : t;
}

int Schema::find(std::string_view arg) const {
  for (size_t i = 0; i < args.size(); ++i)
    if (args[i].name == arg) return static_cast<int>(i);
  return -1;
}

}  // namespace frit
