// What the shape environment says to people: guards, symbols, and the data-dependent error.
#include <algorithm>

#include "sym/shape_env.h"

namespace frit::sym {
namespace {

void collect_symbols(const Expr* e, std::vector<const Expr*>& out) {
  if (e->is_symbol()) {
    if (std::find(out.begin(), out.end(), e) == out.end()) out.push_back(e);
    return;
  }
  for (const Expr* a : e->args()) collect_symbols(a, out);
}

std::string place(SourceLocation where) { return where ? " at " + where.short_text() : ""; }

}  // namespace

DataDependentError::DataDependentError(std::string message, std::string hint, SourceLocation where,
                                       std::vector<std::string> symbols)
    : UserError(ErrorKind::runtime, "size", std::move(message), std::move(hint), where),
      symbols_(std::move(symbols)) {}

std::string ShapeEnv::text(const Expr* e) const {
  return sym::text(e, [this](const Expr* s) { return symbol(s).name; });
}

std::string ShapeEnv::source_text(const Expr* e) const {
  return sym::text(e, [this](const Expr* s) {
    return symbol(s).source.empty() ? symbol(s).name : symbol(s).source;
  });
}

std::string ShapeEnv::guards_text(size_t most) const {
  std::string out;
  for (size_t i = 0; i < std::min(most, guards_.size()); ++i) {
    const Guard& g = guards_[i];
    out += source_text(g.condition) + "  # " + text(g.condition);
    std::vector<const Expr*> used;
    collect_symbols(g.condition, used);
    for (const Expr* s : used)
      if (symbol(s).hint) out += ", " + symbol(s).name + " = " + std::to_string(*symbol(s).hint);
    if (g.where) out += "," + place(g.where);
    out += "\n";
  }
  return out;
}

std::string ShapeEnv::failure_text(const Expr* condition, std::span<const int64_t> now) const {
  std::string out = source_text(condition);
  std::vector<const Expr*> used;
  collect_symbols(condition, used);
  const char* between = "; ";
  for (const Expr* s : used) {
    auto index = static_cast<size_t>(s->value());
    auto hint = symbol(s).hint;
    if (index >= now.size() || hint == now[index]) continue;
    out += between + source_text(s);
    if (hint) out += " was " + std::to_string(*hint) + ",";
    out += (hint ? " now " : " is ") + std::to_string(now[index]);
    between = ", ";
  }
  return out;
}

std::string ShapeEnv::facts_text() const {
  std::string out;
  for (const Symbol& s : symbols_) out += s.name + " in " + s.declared.str() + "\n";
  for (const Guard& g : guards_) out += "guard " + text(g.condition) + "\n";
  for (const RuntimeAssert& a : asserts_) out += "assert " + text(a.condition) + "\n";
  return out;
}

std::string ShapeEnv::symbols_text() const {
  Turn turn(*this);
  std::string out;
  for (const Symbol& s : symbols_) {
    out += s.name;
    if (!s.source.empty()) out += " = " + s.source;
    const Expr* now = algebra_.simplify(s.expr);
    if (now == s.expr)
      out += " in " + facts_.bounds(s.expr).str();
    else
      out += ", known to be " + text(now);
    if (s.hint) out += ", " + std::to_string(*s.hint) + " at capture";
    out += place(s.where) + "\n";
  }
  return out;
}

// "u0 is mask.sum().item_int() at net.cpp:14, known only to be in [0, inf)"
std::string ShapeEnv::unbacked_text(const Expr* e, std::vector<std::string>& names) const {
  std::vector<const Expr*> used;
  collect_symbols(e, used);
  std::string out;
  for (const Expr* u : used) {
    const Symbol& s = symbol(u);
    if (!s.unbacked) continue;
    names.push_back(s.name);
    out += (out.empty() ? "" : "; ") + s.name + " is " +
           (s.source.empty() ? "a value of the computation" : s.source) + place(s.where);
    Range r = facts_.bounds(u);
    out += r == Range{} ? ", and nothing is known about it" : ", known only to be in " + r.str();
  }
  return out;
}

DataDependentError ShapeEnv::data_dependent(const Expr* e) const {
  Turn turn(*this);
  std::vector<std::string> names;
  std::string which = unbacked_text(e, names);
  std::string what = text(e);
  if (!e->is_truth())
    return {"the value of " + what + " depends on data: " + which,
            "keep it symbolic; size arithmetic, views and frit::check work on it as it is", here(),
            names};
  return {"whether " + what + " depends on data: " + which,
          "frit::check(" + what +
              ", \"...\") before this line if it always holds, or "
              "(" +
              what + ").guard_or(false) to take the way that is right for both",
          here(), names};
}

}  // namespace frit::sym
