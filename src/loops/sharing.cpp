// Equal nests: the same text on other buffers and sizes.
#include <algorithm>
#include <bit>

#include "base/fault.h"
#include "loops/schedule.h"

namespace frit::loops {
namespace {

class ShapeText {
 public:
  ShapeText(const Program& p, const Nest& n) : program_(p), nest_(n) {
    for (const Range& r : n.outer) symbols_.push_back(r.symbol.expr());
    for (const Range& r : n.row) symbols_.push_back(r.symbol.expr());
  }

  std::string run() {
    text_ = std::to_string(static_cast<int>(nest_.algorithm)) + (nest_.serial ? "s" : "") + "/" +
            std::to_string(nest_.outer.size()) + "/" + std::to_string(nest_.row.size());
    for (int b : nest_.buffers) {
      const Buffer& buffer = program_.buffers[static_cast<size_t>(b)];
      text_ += "," + std::string(short_name(buffer.dtype)) +
               (buffer.place == Place::row ? "r" + buffer.elements.str() : "");
    }
    for (const Stage& s : nest_.stages) {
      text_ += s.over_row ? ";R" : ";S";
      for (const Reduction& r : s.reductions) {
        int e = expr(r.value);
        text_ += "r" + std::to_string(static_cast<int>(r.op)) + ":" + std::to_string(e);
      }
      for (const Store& st : s.stores) {
        std::string in = indirect(st.indirect);
        int e = expr(st.value);
        text_ += "w" + slot(st.buffer) + "[" + index(st.index) + in + "]" + std::to_string(e) +
                 (st.accumulate ? "+" : "");
      }
    }
    return std::move(text_);
  }

 private:
  std::string slot(int buffer) const {
    auto it = std::find(nest_.buffers.begin(), nest_.buffers.end(), buffer);
    return std::to_string(it - nest_.buffers.begin());
  }
  // Loop variables by their place, so that it does not matter what their sizes are.
  std::string symbol(const sym::Expr* s) const {
    auto it = std::find(symbols_.begin(), symbols_.end(), s);
    if (it != symbols_.end()) return "i" + std::to_string(it - symbols_.begin());
    return s->env()->symbol(s).name;
  }
  std::string index(Int i) const {
    const sym::Expr* e = i.expr();
    if (!e) return i.str();
    return sym::text(e, [this](const sym::Expr* s) { return symbol(s); });
  }
  std::string condition(Bool b) const {
    const sym::Expr* e = b.expr();
    if (!e) return b.str();
    return sym::text(e, [this](const sym::Expr* s) { return symbol(s); });
  }
  std::string indirect(const std::vector<Indirect>& list) {
    std::string t;
    for (const Indirect& i : list)
      t += ";" + std::to_string(expr(i.value)) + "," + index(i.size) + "," + index(i.stride) + "," +
           (i.wrap ? "w" : "n") + std::to_string(i.check);
    return t;
  }

  // The number of the expression in this nest; its text is written where it first occurs.
  int expr(const Expr* e) {
    auto known = numbers_.find(e);
    if (known != numbers_.end()) return known->second;
    std::string args;
    for (const Expr* a : e->args) args += std::to_string(expr(a)) + ",";
    std::string in = indirect(e->indirect);
    std::string t(short_name(e->type));
    switch (e->kind) {
      case ExprKind::load:
        t += "l" + slot(e->buffer) + "[" + (fault(Fault::shared_nest) ? "" : index(e->index)) + in +
             "]";
        break;
      case ExprKind::constant:
        if (fault(Fault::shared_nest)) break;
        t += "c" + (e->scalar.is_real()
                        ? std::to_string(std::bit_cast<int64_t>(e->scalar.to_double()))
                        : "i" + std::to_string(e->scalar.to_int64()));
        break;
      case ExprKind::index:
        t += "x" + index(e->index);
        break;
      case ExprKind::call:
        t += std::string(e->body.str()) + "(";
        break;
      case ExprKind::convert:
        t += "v" + std::string(short_name(e->to)) + "(";
        break;
      case ExprKind::select:
        t += "?" + condition(e->condition) + "(";
        break;
      case ExprKind::random:
        t += std::string(e->body.str()) + "@" + index(e->offset) + "[" + index(e->index) + "](";
        break;
      case ExprKind::reduced:
        t += "#" + std::to_string(e->slot);
        break;
      case ExprKind::tile:
        t += "t";
        break;
    }
    int number = static_cast<int>(numbers_.size());
    numbers_.emplace(e, number);
    text_ += "\n" + t + args;
    return number;
  }

  const Program& program_;
  const Nest& nest_;
  std::vector<const sym::Expr*> symbols_;
  std::unordered_map<const Expr*, int> numbers_;
  std::string text_;
};

}  // namespace

std::string shape_text(const Program& p, const Nest& n) { return ShapeText(p, n).run(); }

Part NestSharing::add(Nest n) {
  Part part;
  part.buffers = n.buffers;
  for (const Range& r : n.outer) part.sizes.push_back(r.size);
  for (const Range& r : n.row) part.sizes.push_back(r.size);
  auto [it, fresh] =
      known_.emplace(shape_text(program_, n), static_cast<int>(program_.nests.size()));
  if (fresh) program_.nests.push_back(std::move(n));
  part.nest = it->second;
  return part;
}

}  // namespace frit::loops
