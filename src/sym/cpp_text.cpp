// Expressions as C++ text. C++'s division rounds toward zero, so it is written only where both
// sides are known not to be negative.
#include "sym/program.h"
#include "sym/shape_env.h"

namespace frit::sym {
namespace {

struct CppPrinter {
  const SymbolText& symbol;

  std::string list(std::span<const Expr* const> args, const char* between) const {
    std::string s;
    for (const Expr* a : args) s += (s.empty() ? "" : between) + print(a);
    return "(" + s + ")";
  }

  // min(a, b, c) is sym_min(a, sym_min(b, c)).
  std::string nested(std::span<const Expr* const> args, const char* function) const {
    if (args.size() == 1) return print(args[0]);
    return std::string(function) + "(" + print(args[0]) + ", " + nested(args.subspan(1), function) +
           ")";
  }

  static std::string number(int64_t v) {
    if (v == kMinusInf) return "(-9223372036854775807 - 1)";
    return v < 0 ? "(" + std::to_string(v) + ")" : std::to_string(v);
  }

  std::string divide(const Expr* e, const char* sign, const char* function) const {
    const ShapeEnv& env = *e->env();
    const Expr *a = e->arg(0), *b = e->arg(1);
    if (env.bounds(a).lo >= 0 && env.bounds(b).lo > 0)
      return "(" + print(a) + sign + print(b) + ")";
    return std::string(function) + "(" + print(a) + ", " + print(b) + ")";
  }

  std::string sum(const Expr* e) const {
    std::string s;
    auto args = e->args();
    for (size_t i = 0; i < args.size(); ++i) {
      int64_t c = e->coefs()[i];
      bool minus = c < 0 && c != kMinusInf;
      s += s.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
      if (minus) c = -c;
      s += c == 1 ? print(args[i]) : number(c) + " * " + print(args[i]);
    }
    int64_t c = e->value();
    if (c > 0 || c == kMinusInf)
      s += " + " + number(c);
    else if (c < 0)
      s += " - " + std::to_string(-c);
    return "(" + s + ")";
  }

  std::string print(const Expr* e) const {
    switch (e->kind()) {
      case Kind::constant:
        return number(e->value());
      case Kind::symbol:
        return symbol(e);
      case Kind::product:
        return list(e->args(), " * ");
      case Kind::sum:
        return sum(e);
      case Kind::floordiv:
        return divide(e, " / ", "sym_floordiv");
      case Kind::mod:
        return divide(e, " % ", "sym_mod");
      case Kind::min:
        return nested(e->args(), "sym_min");
      case Kind::max:
        return nested(e->args(), "sym_max");
      case Kind::truth:
        return e->value() ? "true" : "false";
      case Kind::eq:
        return "(" + print(e->arg(0)) + " == 0)";
      case Kind::ne:
        return "(" + print(e->arg(0)) + " != 0)";
      case Kind::ge:
        return "(" + print(e->arg(0)) + " >= 0)";
      case Kind::conj:
        return list(e->args(), " && ");
      case Kind::disj:
        return list(e->args(), " || ");
    }
    return {};
  }
};

}  // namespace

std::string cpp_text(const Expr* e, const SymbolText& symbol) {
  return CppPrinter{symbol}.print(e);
}

// Of what has no elements sizes may divide by 0, and come to nothing.
std::string cpp_helpers(const std::string& integer) {
  const std::string head = "static inline " + integer + " sym_";
  const std::string args = "(" + integer + " a, " + integer + " b) { ";
  return head + "floordiv" + args +
         "return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0)); }\n" + head + "mod" +
         args + integer +
         " r = b == 0 ? 0 : a % b; return r + (r != 0 && (r < 0) != (b < 0) ? b : 0); }\n" + head +
         "min" + args + "return a < b ? a : b; }\n" + head + "max" + args +
         "return a > b ? a : b; }\n";
}

}  // namespace frit::sym
