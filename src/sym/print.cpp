#include "sym/print.h"

#include "sym/poly.h"
#include "sym/shape_env.h"

namespace frit::sym {
namespace {

// From loosest to tightest.
enum Level { kDisj, kConj, kCompare, kSum, kProduct, kAtom };

struct Printer {
  const SymbolText& symbol;

  std::string at(const Expr* e, Level level) const {
    auto [text, own] = print(e);
    return own < level ? "(" + text + ")" : text;
  }

  std::pair<std::string, Level> print(const Expr* e) const {
    auto args = e->args();
    switch (e->kind()) {
      case Kind::constant:
        return {std::to_string(e->value()), e->value() < 0 ? kSum : kAtom};
      case Kind::symbol:
        return {symbol(e), kAtom};
      case Kind::product:
        return {product(e), kProduct};
      case Kind::sum:
        return sum(Poly::of(e));
      case Kind::floordiv:
        return {at(args[0], kAtom) + "//" + at(args[1], kAtom), kProduct};
      case Kind::mod:
        return {at(args[0], kAtom) + " % " + at(args[1], kAtom), kProduct};
      case Kind::min:
        return {"min(" + list(args, ", ", kDisj) + ")", kAtom};
      case Kind::max:
        return {"max(" + list(args, ", ", kDisj) + ")", kAtom};
      case Kind::truth:
        return {e->value() ? "True" : "False", kAtom};
      case Kind::eq:
        return {equation(e->arg(0), " == "), kCompare};
      case Kind::ne:
        return {equation(e->arg(0), " != "), kCompare};
      case Kind::ge:
        return {inequality(e->arg(0)), kCompare};
      case Kind::conj:
        return {list(args, " and ", kCompare), kConj};
      case Kind::disj:
        return {list(args, " or ", kConj), kDisj};
    }
    return {};
  }

  std::string list(std::span<const Expr* const> args, const char* between, Level level) const {
    std::string s;
    for (const Expr* a : args) s += (s.empty() ? "" : between) + at(a, level);
    return s;
  }

  std::string product(const Expr* monomial) const { return list(factors(monomial), "*", kAtom); }

  // The magnitude of a term; its sign is written by the caller. A minus in front would bind tighter
  // than // and %.
  std::string term(const Term& t, bool after_leading_minus = false) const {
    std::string magnitude = std::to_string(t.coef);
    if (t.coef < 0) magnitude.erase(0, 1);
    if (magnitude != "1") return magnitude + "*" + product(t.monomial);
    if (t.monomial->kind() == Kind::product) return product(t.monomial);
    return at(t.monomial, after_leading_minus ? kAtom : kProduct);
  }

  // "4 - s0" rather than "-s0 + 4": what is positive comes first.
  std::pair<std::string, Level> sum(const Poly& p) const {
    if (p.terms.empty()) return {std::to_string(p.constant), p.constant < 0 ? kSum : kAtom};
    if (p.terms.size() == 1 && p.constant == 0 && p.terms[0].coef > 0)
      return {term(p.terms[0]),
              p.terms[0].coef == 1 ? print(p.terms[0].monomial).second : kProduct};
    size_t first = 0;
    while (first < p.terms.size() && p.terms[first].coef < 0) ++first;
    bool constant_first = first == p.terms.size() && p.constant > 0;
    if (first == p.terms.size()) first = 0;
    std::string s;
    if (constant_first) {
      s = std::to_string(p.constant);
    } else {
      bool minus = p.terms[first].coef < 0;
      s = (minus ? "-" : "") + term(p.terms[first], minus);
    }
    for (size_t i = 0; i < p.terms.size(); ++i)
      if (constant_first || i != first)
        s += (p.terms[i].coef < 0 ? " - " : " + ") + term(p.terms[i]);
    if (!constant_first && p.constant != 0) {
      std::string c = std::to_string(p.constant);
      s += p.constant < 0 ? " - " + c.substr(1) : " + " + c;
    }
    return {s, kSum};
  }

  // What is added stands on its own side: s0 - s1 - 3 compared with zero is s0 and s1 + 3.
  static std::pair<Poly, Poly> sides(const Poly& p) {
    Poly left, right;
    for (const Term& t : p.terms) {
      if (t.coef > 0)
        left.terms.push_back(t);
      else
        right.terms.push_back({-t.coef, t.monomial});
    }
    return {left, right};
  }

  std::string equation(const Expr* e, const char* sign) const {
    Poly p = Poly::of(e);
    if (p.constant == kMinusInf) return sum(p).first + sign + "0";  // has no negative
    auto [left, right] = sides(p);
    // A positive number goes with the left side only where the right has something else.
    if (p.constant <= 0 || right.terms.empty())
      right.constant = -p.constant;
    else
      left.constant = p.constant;
    return sum(left).first + sign + sum(right).first;
  }

  std::string inequality(const Expr* e) const {
    Poly p = Poly::of(e);
    if (p.constant == kMinusInf) return sum(p).first + " >= 0";
    auto [left, right] = sides(p);
    if (left.terms.empty()) return sum(right).first + " <= " + std::to_string(p.constant);
    if (right.terms.empty()) {
      right.constant = -p.constant;
      return sum(left).first + " >= " + sum(right).first;
    }
    // The side with the first term is written first.
    bool left_first = p.terms[0].coef > 0;
    bool strict = p.constant == -1;
    if (!strict)
      (p.constant > 0 ? left : right).constant = p.constant > 0 ? p.constant : -p.constant;
    if (left_first) return sum(left).first + (strict ? " > " : " >= ") + sum(right).first;
    return sum(right).first + (strict ? " < " : " <= ") + sum(left).first;
  }
};

}  // namespace

std::string text(const Expr* e, const SymbolText& symbol) { return Printer{symbol}.print(e).first; }

std::string text(const Expr* e) {
  return text(e, [](const Expr* s) { return s->env()->symbol(s).name; });
}

}  // namespace frit::sym
