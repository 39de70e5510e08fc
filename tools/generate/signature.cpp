#include "signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace frit::generate {
namespace {

// The C++ type of an argument; nothing for those that Frit has one of each of.
std::optional<std::string> parameter_type(const SchemaArg& a) {
  if (a.name == "pin_memory") return std::nullopt;
  auto optional = [&](std::string t) { return a.optional ? "std::optional<" + t + ">" : t; };
  switch (a.type) {
    case ArgType::tensor:
      return "const Tensor&";
    case ArgType::tensor_list:
      return "const TensorList&";
    case ArgType::integer:
      return optional("Int");
    case ArgType::integer_list: {
      std::string base = a.list_size ? "DimsRef" : "IntListRef";
      return a.optional ? "Optional" + base : base;
    }
    case ArgType::real:
      return optional("double");
    case ArgType::real_list:
      return optional("std::vector<double>");
    case ArgType::boolean:
      return optional("bool");
    case ArgType::boolean_list:
      return fmt::format("std::array<bool, {}>", a.list_size);
    case ArgType::scalar:
      return optional("Scalar");
    case ArgType::dtype:
      return optional("DType");
    case ArgType::string:
      return optional("std::string_view");
    case ArgType::generator:
      return "std::shared_ptr<Generator>";
    case ArgType::layout:
    case ArgType::device:
    case ArgType::memory_format:
      return std::nullopt;
  }
  return std::nullopt;
}

std::string default_text(const SchemaArg& a) {
  const Arg& d = a.default_value;
  if (d.is_none()) return "{}";
  if (d.is<bool>()) return d.as<bool>() ? "true" : "false";
  if (d.is<double>()) return fmt::format("{}", d.as<double>());
  if (d.is<Int>()) return d.as<Int>().str();
  if (d.is<DType>()) return fmt::format("DType::{}", short_name(d.as<DType>()));
  if (d.is<Symbol>()) return fmt::format("\"{}\"", d.as<Symbol>().str());
  if (d.is<Scalar>()) {
    const Scalar& s = d.as<Scalar>();
    if (s.is_bool()) return s.to_bool() ? "true" : "false";
    return s.is_real() ? fmt::format("{}", s.to_double()) : s.as_int().str();
  }
  if (d.is<IntList>()) {
    std::string t = "{";
    for (Int i : d.as<IntList>()) t += (t.size() > 1 ? ", " : "") + i.str();
    return t + "}";
  }
  return "{}";
}

std::optional<std::string> return_type(const Schema& s) {
  for (const SchemaReturn& r : s.returns)
    if (r.type != ArgType::tensor && r.type != ArgType::tensor_list) return std::nullopt;
  if (s.returns.empty()) return "void";
  if (s.returns.size() == 1) return s.returns[0].type == ArgType::tensor ? "Tensor" : "TensorList";
  std::string t = "std::tuple<";
  for (size_t i = 0; i < s.returns.size(); ++i) t += i ? ", Tensor" : "Tensor";
  return t + ">";
}

// Members that tensor.h declares by hand.
const std::set<std::string> kTensorMembers = {"index", "index_put_", "item", "data",
                                              "size",  "stride",     "dim"};

// Methods are what a user calls on a tensor: not the gradients that only vjps call.
bool wants_method(const OpRecord& r) {
  const Schema& s = r.schema;
  return r.form != Form::out && !s.args.empty() && s.args[0].name == "self" &&
         s.args[0].type == ArgType::tensor && !s.name.starts_with('_') &&
         s.name.find("_backward") == std::string::npos && !kTensorMembers.contains(s.name);
}

std::optional<Signature> signature_of(const OpRecord& r) {
  auto returns = return_type(r.schema);
  if (!returns || r.schema.name.starts_with("__")) return std::nullopt;
  Signature sig{&r, r.schema.name, *returns, {}, wants_method(r), false};
  if (r.form == Form::out) sig.name += "_out";
  std::vector<Parameter> outs;
  for (size_t i = 0; i < r.schema.args.size(); ++i) {
    const SchemaArg& a = r.schema.args[i];
    auto type = parameter_type(a);
    if (!type) {
      if (!a.has_default) return std::nullopt;  // an overload that only tells devices apart
      continue;
    }
    Parameter p{*type, a.name, a.has_default ? default_text(a) : "", i};
    (r.form == Form::out && a.is_written ? outs : sig.parameters).push_back(std::move(p));
  }
  sig.parameters.insert(sig.parameters.begin(), outs.begin(), outs.end());
  bool required = false;  // C++ wants defaults at the end
  for (size_t i = sig.parameters.size(); i-- > 0;) {
    required |= sig.parameters[i].default_text.empty();
    if (required) sig.parameters[i].default_text.clear();
  }
  return sig;
}

size_t required_count(const Signature& s) {
  size_t n = 0;
  while (n < s.parameters.size() && s.parameters[n].default_text.empty()) ++n;
  return n;
}

bool same_types(const Signature& a, const Signature& b, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (a.parameters[i].type != b.parameters[i].type) return false;
  return true;
}

// Takes defaults from `later` until no number of arguments fits both; false where the two are the
// same signature.
bool tell_apart(const Signature& earlier, Signature& later) {
  size_t most = std::min(earlier.parameters.size(), later.parameters.size());
  for (size_t k = std::max(required_count(earlier), required_count(later)); k <= most; ++k) {
    if (!same_types(earlier, later, k)) return true;
    if (k >= later.parameters.size()) return false;
    later.parameters[k].default_text.clear();
  }
  return true;
}

bool is_integer(const std::string& type) { return type == "Int" || type == "std::optional<Int>"; }
bool is_scalar(const std::string& type) { return type.find("Scalar") != std::string::npos; }
bool is_bool(const std::string& type) {
  return type == "bool" || type == "std::optional<bool>" ||
         type.find("ExactBool") != std::string::npos;
}
std::string exact(const std::string& type, const std::string& plain, const std::string& name) {
  if (type == plain) return name;
  return type == "std::optional<" + plain + ">" ? "std::optional<" + name + ">" : type;
}
bool is_list(const std::string& type) {
  return type.ends_with("IntListRef") || type.ends_with("DimsRef");
}

}  // namespace

std::vector<Signature> signatures() {
  std::vector<Signature> all;
  std::map<std::string, std::vector<size_t>> by_name;
  for (const OpRecord* r : registry().all()) {
    if (r->of_graphs) continue;
    auto sig = signature_of(*r);
    if (!sig) continue;
    bool distinct = true;
    for (int round = 0; round < 2; ++round)  // a default taken for one may free another
      for (size_t i : by_name[sig->name]) distinct = distinct && tell_apart(all[i], *sig);
    if (!distinct) continue;
    by_name[sig->name].push_back(all.size());
    all.push_back(std::move(*sig));
  }
  for (auto& [name, group] : by_name)
    for (size_t a : group)
      for (size_t b : group)
        for (size_t i = 0; i < std::min(all[a].parameters.size(), all[b].parameters.size()); ++i) {
          Parameter& p = all[a].parameters[i];
          const std::string& other = all[b].parameters[i].type;
          if (is_list(p.type) && is_integer(other)) all[a].has_brace_twin = true;
          // A number must not become a bool only because that conversion is built in; and where
          // both are taken, a bool is not a number.
          if (is_list(other) || is_integer(other) || is_scalar(other))
            p.type = exact(p.type, "bool", "ExactBool");
          if (is_bool(other)) p.type = exact(p.type, "Scalar", "ExactScalar");
        }
  return all;
}

std::string parameter_text(const Signature& s, size_t first, bool defaults, bool brace_twin) {
  std::string text;
  for (size_t i = first; i < s.parameters.size(); ++i) {
    const Parameter& p = s.parameters[i];
    bool braces = brace_twin && is_list(p.type);
    text += (braces ? "std::initializer_list<Int>" : p.type) + " " + p.name;
    if (defaults && !p.default_text.empty() && !braces) text += " = " + p.default_text;
    text += ", ";
  }
  return text + (defaults ? "std::source_location where = std::source_location::current()"
                          : "std::source_location where");
}

}  // namespace frit::generate
