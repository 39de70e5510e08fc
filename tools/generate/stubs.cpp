// Python's view of the ops: python/frit/ops.pyi (functions), _functions.pyi (those that frit itself
// shows), _tensor_ops.pyi (methods of Tensor).
#include <fmt/format.h>

#include <map>
#include <set>
#include <vector>

#include "ops/record.h"
#include "outputs.h"

namespace frit::generate {
namespace {

// Inside of Tensor, `float` and the like are methods, so the types have names of their own.
constexpr const char* kHead =
    "# Generated from the op records by tools/generate; do not edit.\n"
    "# mypy: disable-error-code=\"overload-overlap,overload-cannot-match,misc\"\n"
    "from builtins import bool as _bool, float as _float, int as _int, str as _str\n"
    "from collections.abc import Sequence as _Sequence\n"
    "from typing import Any as _Any, NamedTuple as _NamedTuple, overload as _overload\n"
    "\n";

const std::set<std::string> kKeywords{"from", "lambda", "in", "is", "not", "and", "or", "global"};

std::string type_of(const SchemaArg& a) {
  switch (a.type) {
    case ArgType::tensor:
      return "Tensor";
    case ArgType::tensor_list:
      return a.optional_elements ? "_Sequence[Tensor | None]" : "_Sequence[Tensor]";
    case ArgType::integer:
      return "_int";
    case ArgType::integer_list:
      return a.list_size ? "_int | _Sequence[_int]" : "_Sequence[_int]";
    case ArgType::real:
      return "_float";
    case ArgType::real_list:
      return "_Sequence[_float]";
    case ArgType::boolean:
      return "_bool";
    case ArgType::boolean_list:
      return "_Sequence[_bool]";
    case ArgType::scalar:
      return "_float";  // ints and bools are floats to type checkers
    case ArgType::dtype:
      return "_dtype";
    case ArgType::string:
      return "_str";
    case ArgType::generator:
      return "_Generator";
    case ArgType::layout:
    case ArgType::device:
    case ArgType::memory_format:
      return "_Any";
  }
  return "_Any";
}

bool has_names(const OpRecord& r) {
  if (r.schema.returns.size() < 2) return false;
  for (const SchemaReturn& one : r.schema.returns)
    if (one.name.empty()) return false;
  return true;
}
std::string result_name(const OpRecord& r) { return "_" + r.functional->schema.name + "_result"; }

std::string result_of(const OpRecord& r) {
  const auto& returns = r.schema.returns;
  if (returns.empty()) return "None";
  if (returns.size() == 1)
    return returns[0].type == ArgType::tensor_list ? "tuple[Tensor, ...]" : "Tensor";
  if (has_names(*r.functional)) return result_name(r);
  std::string list;
  for (size_t i = 0; i < returns.size(); ++i) list += i ? ", Tensor" : "Tensor";
  return "tuple[" + list + "]";
}

std::string parameter(const SchemaArg& a, bool method_self) {
  if (method_self) return "self";
  std::string name = a.name == "self" ? "input" : kKeywords.count(a.name) ? a.name + "_" : a.name;
  std::string type = type_of(a);
  if (a.optional) type += " | None";
  return fmt::format("{}: {}{}", name, type, a.has_default ? " = ..." : "");
}

bool takes_loose_ints(const OpRecord& r) {
  size_t places = 0;
  for (const SchemaArg& a : r.schema.args) places += !a.keyword_only;
  size_t first = places && r.schema.args[0].type == ArgType::tensor ? 1 : 0;
  return places == first + 1 && r.schema.args[first].type == ArgType::integer_list;
}

// The parameters of one call; with the ints of its last place one by one, if asked.
std::string parameters(const OpRecord& r, bool method, bool loose) {
  std::string text;
  bool star = false, layout = false, dtype = false;
  auto add = [&](const std::string& t) { text += (text.empty() ? "" : ", ") + t; };
  for (size_t i = 0; i < r.schema.args.size(); ++i) {
    const SchemaArg& a = r.schema.args[i];
    layout = layout || a.type == ArgType::layout;
    dtype = dtype || a.type == ArgType::dtype;
    if (a.keyword_only && !star) {
      add("*");
      star = true;
    }
    if (loose && !a.keyword_only && a.type == ArgType::integer_list) {
      add("*" + a.name + ": _int");
      star = true;
    } else {
      add(parameter(a, method && i == 0));
    }
  }
  auto keyword = [&](const char* t) {
    if (!star) add("*");
    star = true;
    add(t);
  };
  if (layout && dtype) keyword("requires_grad: _bool = ...");
  if (r.out)
    keyword(r.out->schema.args.size() - r.schema.args.size() == 1
                ? "out: Tensor | None = ..."
                : "out: _Sequence[Tensor] | None = ...");
  return text;
}

using Overloads = std::map<std::string, std::vector<const OpRecord*>>;

std::string definitions(const std::string& name, const std::vector<const OpRecord*>& records,
                        bool method) {
  std::vector<std::string> signatures;
  for (const OpRecord* r : records) {
    const auto& args = r->schema.args;
    if (method && (args.empty() || args[0].type != ArgType::tensor || args[0].name != "self"))
      continue;
    signatures.push_back(parameters(*r, method, false) + ") -> " + result_of(*r));
    if (takes_loose_ints(*r))
      signatures.push_back(parameters(*r, method, true) + ") -> " + result_of(*r));
  }
  const char* indent = method ? "    " : "";
  std::string text;
  for (const std::string& s : signatures)
    text += fmt::format("{0}def {1}({2}: ...\n",
                        signatures.size() > 1 ? fmt::format("{0}@_overload\n{0}", indent) : indent,
                        name, s);
  return text;
}

}  // namespace

void write_stubs(Files& files) {
  Overloads all;
  std::vector<std::string> names;  // in the order of registration
  for (const OpRecord* r : registry().all()) {
    if (r->of_graphs || r->form == Form::out) continue;
    auto& list = all[r->schema.name];
    if (list.empty()) names.push_back(r->schema.name);
    list.push_back(r);
  }
  std::string results, methods, functions, shown, imported;
  std::set<std::string> seen;
  for (const std::string& name : names) {
    for (const OpRecord* r : all[name]) {
      if (!has_names(*r) || !seen.insert(result_name(*r)).second) continue;
      results += fmt::format("class {}(_NamedTuple):\n", result_name(*r));
      imported += ", " + result_name(*r);
      for (const SchemaReturn& one : r->schema.returns)
        results += fmt::format("    {}: Tensor\n", one.name);
      results += "\n";
    }
    // Written by hand for Tensor, in _C.pyi.
    if (name != "to" && name != "split" && name != "mT" && !name.starts_with("__"))
      methods += definitions(name, all[name], true);
    functions += definitions(name, all[name], false);
    if (!name.starts_with("_") && !name.ends_with("_"))
      shown += fmt::format("from frit.ops import {0} as {0}\n", name);
  }
  files["python/frit/_tensor_ops.pyi"] =
      std::string(kHead) +
      "from frit._C import Generator as _Generator, Tensor, dtype as _dtype\n\n" + results +
      "class TensorOps:\n" + methods;
  files["python/frit/ops.pyi"] =
      std::string(kHead) +
      "from frit._C import Generator as _Generator, Tensor as Tensor, dtype as _dtype\n"
      "from frit._tensor_ops import " +
      imported.substr(2) + "\n\n" + functions;
  files["python/frit/_functions.pyi"] =
      "# Generated from the op records by tools/generate; do not edit.\n" + shown;
}

}  // namespace frit::generate
