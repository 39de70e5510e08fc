// Given arguments into the form a schema asks for; errors in PyTorch's words.
#include <fmt/format.h>

#include "base/error.h"
#include "ops/schema.h"

namespace frit {
namespace {

const char* given_text(const Arg& a) {
  struct Visitor {
    const char* operator()(std::monostate) { return "NoneType"; }
    const char* operator()(const Ref&) { return "Tensor"; }
    const char* operator()(const std::vector<Ref>&) { return "list of Tensors"; }
    const char* operator()(Int) { return "int"; }
    const char* operator()(const IntList&) { return "list of ints"; }
    const char* operator()(double) { return "float"; }
    const char* operator()(bool) { return "bool"; }
    const char* operator()(const Scalar&) { return "Number"; }
    const char* operator()(DType) { return "dtype"; }
    const char* operator()(Symbol) { return "str"; }
    const char* operator()(const std::shared_ptr<Generator>&) { return "Generator"; }
    const char* operator()(const std::vector<double>&) { return "list of floats"; }
  };
  return std::visit(Visitor{}, a.storage());
}

const char* wanted_text(ArgType t) {
  switch (t) {
    case ArgType::tensor:
      return "Tensor";
    case ArgType::tensor_list:
      return "tuple of Tensors";
    case ArgType::integer:
      return "int";
    case ArgType::integer_list:
      return "tuple of ints";
    case ArgType::real:
      return "float";
    case ArgType::real_list:
      return "tuple of floats";
    case ArgType::boolean:
      return "bool";
    case ArgType::boolean_list:
      return "tuple of bools";
    case ArgType::scalar:
      return "Number";
    case ArgType::dtype:
      return "dtype";
    case ArgType::string:
      return "str";
    case ArgType::generator:
      return "Generator";
    case ArgType::layout:
      return "layout";
    case ArgType::device:
      return "device";
    case ArgType::memory_format:
      return "memory_format";
  }
  return "";
}

// The canonical form, or nothing where the given one is of another type.
std::optional<Arg> convert(const SchemaArg& a, Arg g) {
  switch (a.type) {
    case ArgType::tensor:
      if (g.is_ref()) return g;
      return std::nullopt;
    case ArgType::tensor_list:
      if (g.is_ref_list()) return g;
      if (g.is<IntList>() && g.as<IntList>().empty()) return Arg(std::vector<Ref>());
      if (g.is_ref()) return Arg(std::vector<Ref>{g.ref()});
      return std::nullopt;
    case ArgType::integer:
      if (g.is<Int>()) return g;
      if (g.is<Scalar>() && g.as<Scalar>().is_integer()) return Arg(g.to_int());
      return std::nullopt;
    case ArgType::integer_list:
      if (g.is<IntList>()) return g;
      if (g.is<Int>() && a.list_size)
        return Arg(IntList(static_cast<size_t>(a.list_size), g.as<Int>()));
      return std::nullopt;
    case ArgType::real:
      if (g.is<double>()) return g;
      if (g.is<Int>() || g.is<bool>() || g.is<Scalar>()) return Arg(g.to_double());
      return std::nullopt;
    case ArgType::real_list:
      if (g.is<std::vector<double>>()) return g;
      if (g.is<IntList>()) {
        std::vector<double> l;
        for (Int i : g.as<IntList>()) l.push_back(static_cast<double>(i.hint()));
        return Arg(std::move(l));
      }
      return std::nullopt;
    case ArgType::boolean:
      if (g.is<bool>()) return g;
      return std::nullopt;
    case ArgType::boolean_list:
      if (g.is<IntList>()) return g;
      return std::nullopt;
    case ArgType::scalar:
      if (g.is<Scalar>()) return g;
      if (g.is<Int>() || g.is<double>() || g.is<bool>()) return Arg(g.to_scalar());
      return std::nullopt;
    case ArgType::dtype:
      if (g.is<DType>()) return g;
      return std::nullopt;
    case ArgType::string:
      if (g.is<Symbol>()) return g;
      return std::nullopt;
    case ArgType::generator:
      if (g.is<std::shared_ptr<Generator>>()) return g;
      return std::nullopt;
    case ArgType::layout:
    case ArgType::device:
    case ArgType::memory_format:
      return g;  // one of each: kept as given
  }
  return std::nullopt;
}

}  // namespace

Arg canonical(const Schema& s, size_t i, Arg given) {
  const SchemaArg& a = s.args[i];
  if (given.is_none()) {
    if (a.optional || a.type == ArgType::layout || a.type == ArgType::device ||
        a.type == ArgType::memory_format)
      return given;
  } else if (std::optional<Arg> r = convert(a, given)) {
    return std::move(*r);
  }
  throw UserError(ErrorKind::type, s.name,
                  fmt::format("{}(): argument '{}' (position {}) must be {}, not {}", s.name,
                              a.name, i + 1, wanted_text(a.type), given_text(given)),
                  "its signature is " + s.str());
}

ArgList bind_arguments(const Schema& s, std::span<const Arg> positional,
                       std::span<const std::pair<std::string_view, Arg>> keywords) {
  size_t places = 0;
  while (places < s.args.size() && !s.args[places].keyword_only) ++places;
  auto fail = [&](std::string message) {
    throw UserError(ErrorKind::type, s.name, s.name + "() " + message,
                    "its signature is " + s.str());
  };
  if (positional.size() > places)
    fail(fmt::format("takes {} positional argument{} but {} {} given", places,
                     places == 1 ? "" : "s", positional.size(),
                     positional.size() == 1 ? "was" : "were"));
  ArgList bound;
  SmallVector<bool, 8> filled(s.args.size(), false);
  bound.resize(s.args.size());
  for (size_t i = 0; i < positional.size(); ++i)
    bound[i] = canonical(s, i, positional[i]), filled[i] = true;
  for (const auto& [name, value] : keywords) {
    int i = s.find(name);
    if (i < 0) fail(fmt::format("got an unexpected keyword argument '{}'", name));
    if (filled[static_cast<size_t>(i)])
      fail(fmt::format("got multiple values for argument '{}'", name));
    bound[static_cast<size_t>(i)] = canonical(s, static_cast<size_t>(i), value);
    filled[static_cast<size_t>(i)] = true;
  }
  std::string missing;
  int count = 0;
  for (size_t i = 0; i < s.args.size(); ++i) {
    if (filled[i]) continue;
    if (s.args[i].has_default) {
      bound[i] = s.args[i].default_value;
    } else {
      missing += (count++ ? ", \"" : "\"") + s.args[i].name + "\"";
    }
  }
  if (count)
    fail(fmt::format("missing {} required positional argument{}: {}", count, count == 1 ? "" : "s",
                     missing));
  return bound;
}

}  // namespace frit
