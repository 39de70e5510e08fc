#include "codegen/cpu/text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

namespace frit::codegen::cpu {
namespace {

// C++'s words, the types of the prelude, and what every generated function uses.
const char* const kReserved[] = {
    "alignas",   "and",      "auto",      "bool",    "break",    "case",      "char",    "class",
    "const",     "continue", "default",   "delete",  "do",       "double",    "else",    "enum",
    "export",    "extern",   "false",     "float",   "for",      "goto",      "if",      "inline",
    "int",       "long",     "namespace", "new",     "not",      "operator",  "or",      "private",
    "public",    "register", "return",    "short",   "signed",   "sizeof",    "static",  "struct",
    "switch",    "template", "this",      "throw",   "true",     "try",       "typedef", "union",
    "unsigned",  "using",    "virtual",   "void",    "volatile", "while",     "xor",     "asm",
    "main",      "typename", "explicit",  "friend",  "mutable",  "protected", "concept", "requires",
    "constexpr", "decltype", "noexcept",  "nullptr", "f32",      "f64",       "i8",      "i16",
    "i32",       "i64",      "u8",        "u64",     "bool_t",   "bf16_t",    "f16_t",   "vf32",
    "vf64",      "vi8",      "vi16",      "vi32",    "vi64",     "vu8",       "mask",    "L",
    "fv",        "run",      "ctx",       "begin",   "end",      "at",        "m",       "p",
    "seed",      "rng",      "tile",      "tile_ld", "unix",     "linux",     "scratch", "L2",
    "FV"};

std::string number(int64_t v) {
  if (v == INT64_MIN) return "(-9223372036854775807L - 1)";
  return v < 0 ? fmt::format("({})", v) : std::to_string(v);
}

struct Printer {
  const SymbolNames& names;

  SymbolName joined(std::span<const sym::Expr* const> args, const char* between) const {
    SymbolName r;
    for (const sym::Expr* a : args) {
      SymbolName one = print(a);
      r.vector |= one.vector;
      r.text += (r.text.empty() ? "" : between) + one.text;
    }
    r.text = "(" + r.text + ")";
    return r;
  }
  SymbolName nested(std::span<const sym::Expr* const> args, const char* function) const {
    SymbolName first = print(args[0]);
    if (args.size() == 1) return first;
    SymbolName rest = nested(args.subspan(1), function);
    return {fmt::format("{}({}, {})", function, first.text, rest.text),
            first.vector || rest.vector};
  }
  SymbolName divided(const sym::Expr* e, const char* sign, const char* function) const {
    const sym::ShapeEnv& env = *e->env();
    SymbolName a = print(e->arg(0)), b = print(e->arg(1));
    bool plain = env.bounds(e->arg(0)).lo >= 0 && env.bounds(e->arg(1)).lo > 0;
    return {plain ? fmt::format("({} {} {})", a.text, sign, b.text)
                  : fmt::format("{}({}, {})", function, a.text, b.text),
            a.vector || b.vector};
  }
  SymbolName sum(const sym::Expr* e) const {
    SymbolName r;
    auto args = e->args();
    for (size_t i = 0; i < args.size(); ++i) {
      int64_t c = e->coefs()[i];
      bool minus = c < 0 && c != INT64_MIN;
      SymbolName one = print(args[i]);
      r.vector |= one.vector;
      r.text += r.text.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
      if (minus) c = -c;
      r.text += c == 1 ? one.text : number(c) + " * " + one.text;
    }
    int64_t c = e->value();
    if (c == INT64_MIN)
      r.text += " + " + number(c);
    else if (c > 0)
      r.text += fmt::format(" + {}", c);
    else if (c < 0)
      r.text += fmt::format(" - {}", -c);
    r.text = "(" + r.text + ")";
    return r;
  }
  SymbolName compared(const sym::Expr* e, const char* sign) const {
    SymbolName a = print(e->arg(0));
    std::string text = fmt::format("({} {} 0)", a.text, sign);
    return {a.vector ? "fv::to_mask" + text : text, a.vector};
  }
  SymbolName logic(const sym::Expr* e, const char* scalar_sign, const char* vector_sign) const {
    std::vector<SymbolName> parts;
    bool vector = false;
    for (const sym::Expr* a : e->args()) {
      parts.push_back(print(a));
      vector |= parts.back().vector;
    }
    std::string text;
    for (const SymbolName& p : parts) {
      if (!text.empty()) text += vector ? vector_sign : scalar_sign;
      text += vector && !p.vector ? "fv::as_mask(" + p.text + ")" : p.text;
    }
    return {"(" + text + ")", vector};
  }

  SymbolName print(const sym::Expr* e) const {
    using sym::Kind;
    switch (e->kind()) {
      case Kind::constant:
        return {number(e->value()), false};
      case Kind::symbol:
        return names(e);
      case Kind::product:
        return joined(e->args(), " * ");
      case Kind::sum:
        return sum(e);
      case Kind::floordiv:
        return divided(e, "/", "fv::floordiv");
      case Kind::mod:
        return divided(e, "%", "fv::floormod");
      case Kind::min:
        return nested(e->args(), "fv::smaller");
      case Kind::max:
        return nested(e->args(), "fv::larger");
      case Kind::truth:
        return {e->value() ? "true" : "false", false};
      case Kind::eq:
        return compared(e, "==");
      case Kind::ne:
        return compared(e, "!=");
      case Kind::ge:
        return compared(e, ">=");
      case Kind::conj:
        return logic(e, " && ", " & ");
      case Kind::disj:
        return logic(e, " || ", " | ");
    }
    return {};
  }
};

}  // namespace

std::string Names::take(std::string_view wish) {
  static const std::set<std::string_view> reserved(std::begin(kReserved), std::end(kReserved));
  std::string base;
  for (char c : wish) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    bool digit = c >= '0' && c <= '9';
    if (c == '%')
      base += 'v';
    else if (letter || digit)
      base += c;
    else if (!base.empty() && base.back() != '_')
      base += '_';
  }
  while (!base.empty() && base.back() == '_') base.pop_back();
  if (base.empty() || (base[0] >= '0' && base[0] <= '9')) base = "v" + base;
  if (base.size() > 40) base.resize(40);
  std::string name = base;
  for (int i = 2; reserved.contains(name) || taken_.contains(name); ++i)
    name = fmt::format("{}_{}", base, i);
  taken_.insert(name);
  return name;
}

const char* storage_type(DType t) {
  switch (t) {
    case DType::f32:
      return "f32";
    case DType::f64:
      return "f64";
    case DType::bf16:
      return "bf16_t";
    case DType::f16:
      return "f16_t";
    case DType::i8:
      return "i8";
    case DType::i16:
      return "i16";
    case DType::i32:
      return "i32";
    case DType::i64:
      return "i64";
    case DType::u8:
      return "u8";
    case DType::boolean:
      return "bool_t";
  }
  return "";
}
const char* scalar_type(DType t) { return t == DType::boolean ? "bool" : storage_type(t); }
const char* convert_type(DType t) { return scalar_type(t); }
const char* vector_type(DType t) {
  switch (t) {
    case DType::f32:
    case DType::bf16:
    case DType::f16:
      return "vf32";
    case DType::f64:
      return "vf64";
    case DType::i8:
      return "vi8";
    case DType::i16:
      return "vi16";
    case DType::i32:
      return "vi32";
    case DType::i64:
      return "vi64";
    case DType::u8:
      return "vu8";
    case DType::boolean:
      return "mask";
  }
  return "";
}

std::string literal(const Scalar& s, DType t) {
  if (t == DType::boolean) return s.to_bool() ? "true" : "false";
  if (!is_floating(t)) {
    int64_t v = s.to_int64();
    if (t == DType::i64)
      return v == INT64_MIN ? "(-9223372036854775807L - 1)"
             : v < 0        ? fmt::format("({}L)", v)
                            : fmt::format("{}L", v);
    return fmt::format("({}){}", scalar_type(t), number(v));
  }
  const char* suffix = t == DType::f64 ? "" : "f";
  double v = s.to_double();
  std::string text;
  if (std::isnan(v))
    text = t == DType::f64 ? "__builtin_nan(\"\")" : "__builtin_nanf(\"\")";
  else if (std::isinf(v))
    text = t == DType::f64 ? "__builtin_inf()" : "__builtin_inff()";
  else if (v == std::floor(v) && std::abs(v) < 1e6)
    text = fmt::format("{:.1f}{}", std::abs(v), suffix);
  else {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%a", std::abs(v));
    text = buffer;
    std::snprintf(buffer, sizeof buffer, "%.6g", std::abs(v));
    text += fmt::format("{} /* {} */", suffix, buffer);
  }
  return std::signbit(v) ? "(-" + text + ")" : text;
}

SymbolName index_text(Int index, const SymbolNames& names) {
  if (index.is_constant()) return {number(index.constant()), false};
  return Printer{names}.print(index.expr());
}

SymbolName condition_text(Bool condition, const SymbolNames& names) {
  const sym::Expr* e = condition.expr();
  if (!e) return {condition.known_true() ? "true" : "false", false};
  return Printer{names}.print(e);
}

SymbolName check_text(Bool condition, const SymbolNames& names) {
  if (condition.is_constant()) return {condition.known_true() ? "true" : "false", false};
  return Printer{names}.print(condition.env()->as_made(condition));
}

std::string indented(std::string_view text, int by) {
  std::string out;
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (!line.empty()) out.append(static_cast<size_t>(by), ' ');
    out.append(line).push_back('\n');
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace frit::codegen::cpu
