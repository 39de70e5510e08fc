// Deterministic text of a Program. The parser (parse.cpp) reads it back:
//
//   loops forward {
//     symbol s0 = 64 in [2, inf] from "x.size(0)"
//     buffer x: f32[s0, 64] input 0
//     buffer %9: f32[s0, 64] output 0
//     nest n0 "mean_sub" row {
//       ops mean.dim, sub.Tensor
//       outer i0 < s0
//       row r0 < 64
//       over row {
//         #0: f32 = sum x[64*i0 + r0]
//       }
//       once {
//         %9[i0] = div:f32(#0:f32, f32(64.0))
//       }
//     }
//     k0_mean: generated forward {
//       n0(x, %9; s0, 64)
//     }
//   }
#include <fmt/format.h>

#include <algorithm>

#include "ir/text.h"
#include "loops/loop_ir.h"
#include "loops/text.h"

namespace frit::loops {

namespace {

bool plain_name(std::string_view s) {
  if (s.empty()) return false;
  for (char c : s)
    if (!(std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '%'))
      return false;
  return true;
}

std::string name_text(const std::string& s) { return plain_name(s) ? s : ir::quoted(s); }

}  // namespace

// --- Index expressions, in an order that does not depend on when symbols were made ---

std::string SymbolNames::text(Int i) const {
  return i.is_constant() ? std::to_string(i.constant()) : print(i.expr()).first;
}

std::string SymbolNames::made_text(Int i) const {
  const sym::Expr* e = i.as_made();
  return e && e->is_symbol() ? print(e).first : text(i);
}

std::string SymbolNames::made_list(std::span<const Int> sizes) const {
  std::string s;
  for (Int i : sizes) s += (s.empty() ? "" : ", ") + made_text(i);
  return "[" + s + "]";
}

std::string SymbolNames::check_text(Bool b) const {
  return b.is_constant() ? b.str() : print(b.env()->as_made(b)).first;
}

std::string SymbolNames::text(Bool b) const {
  const sym::Expr* e = b.expr();
  return e ? print(e).first : b.str();
}

std::string SymbolNames::symbol(const sym::Expr* s) const {
  for (size_t i = 0; i < symbols_.size(); ++i)
    if (symbols_[i].first == s) return symbols_[i].second;
  return s->env()->symbol(s).name;
}

int SymbolNames::rank(const sym::Expr* e) const {
  // Sizes first, then loop variables by their place.
  int r = -1;
  if (e->is_symbol()) {
    for (size_t i = 0; i < symbols_.size(); ++i)
      if (symbols_[i].first == e) return static_cast<int>(i);
    return -1;
  }
  for (const sym::Expr* a : e->args()) r = std::max(r, rank(a));
  return r;
}

std::string SymbolNames::wrapped(const sym::Expr* e) const {
  auto [text, atom] = print(e);
  return atom ? text : "(" + text + ")";
}

std::pair<std::string, bool> SymbolNames::print(const sym::Expr* e) const {
  using sym::Kind;
  auto list = [&](std::string_view between, bool wrap) {
    std::string s;
    for (const sym::Expr* a : e->args())
      s += (s.empty() ? "" : std::string(between)) + (wrap ? wrapped(a) : print(a).first);
    return s;
  };
  switch (e->kind()) {
    case Kind::constant:
      return {std::to_string(e->value()), e->value() >= 0};
    case Kind::symbol:
      return {symbol(e), true};
    case Kind::product: {
      std::vector<std::pair<int, std::string>> factors;
      for (const sym::Expr* a : e->args()) factors.emplace_back(rank(a), wrapped(a));
      std::sort(factors.begin(), factors.end());
      std::string s;
      for (auto& f : factors) s += (s.empty() ? "" : "*") + f.second;
      return {s, false};
    }
    case Kind::sum: {
      struct Term {
        int rank;
        std::string text;
        int64_t coef;
      };
      std::vector<Term> terms;
      for (size_t i = 0; i < e->args().size(); ++i) {
        const sym::Expr* a = e->arg(i);
        terms.push_back(
            {rank(a), a->kind() == Kind::product ? print(a).first : wrapped(a), e->coefs()[i]});
      }
      std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
        return a.rank != b.rank ? (a.rank < 0   ? false
                                   : b.rank < 0 ? true
                                                : a.rank < b.rank)
                                : a.text < b.text;
      });
      std::string s;
      for (const Term& t : terms) {
        int64_t c = t.coef;
        std::string term =
            c == 1 || c == -1 ? t.text : std::to_string(s.empty() || c > 0 ? c : -c) + "*" + t.text;
        if (s.empty())
          s = c == -1 ? "0 - " + t.text : term;
        else
          s += (c < 0 ? " - " : " + ") + term;
      }
      if (e->value() > 0) s += " + " + std::to_string(e->value());
      if (e->value() < 0) s += " - " + std::to_string(e->value()).substr(1);
      return {s, false};
    }
    case Kind::floordiv:
      return {wrapped(e->arg(0)) + "//" + wrapped(e->arg(1)), false};
    case Kind::mod:
      return {wrapped(e->arg(0)) + " % " + wrapped(e->arg(1)), false};
    case Kind::min:
      return {"min(" + list(", ", false) + ")", true};
    case Kind::max:
      return {"max(" + list(", ", false) + ")", true};
    case Kind::truth:
      return {e->value() ? "True" : "False", true};
    case Kind::eq:
      return {print(e->arg(0)).first + " == 0", false};
    case Kind::ne:
      return {print(e->arg(0)).first + " != 0", false};
    case Kind::ge:
      return {print(e->arg(0)).first + " >= 0", false};
    case Kind::conj:
      return {list(" and ", true), false};
    case Kind::disj:
      return {list(" or ", true), false};
  }
  return {};
}

std::string SymbolNames::list(std::span<const Int> ints) const {
  std::string s = "[";
  for (size_t i = 0; i < ints.size(); ++i) s += (i ? ", " : "") + text(ints[i]);
  return s + "]";
}

SymbolNames names_of(const Nest& n) {
  SymbolNames names;
  for (size_t i = 0; i < n.outer.size(); ++i) names.add(n.outer[i].symbol, "i" + std::to_string(i));
  for (size_t i = 0; i < n.row.size(); ++i) names.add(n.row[i].symbol, "r" + std::to_string(i));
  return names;
}

// --- Expressions ---

std::string ExprPrinter::buffer(int b) const {
  return name_text(program_.buffers[static_cast<size_t>(b)].name);
}

std::string ExprPrinter::access(int b, Int index, const std::vector<Indirect>& indirect) {
  std::string s = buffer(b) + "[" + names_.text(index);
  for (const Indirect& i : indirect) {
    s += fmt::format("; {} in {} by {}", text(i.value), names_.text(i.size), names_.text(i.stride));
    if (i.wrap) s += " wrap";
    if (i.check >= 0) s += " check " + std::to_string(i.check);
  }
  return s + "]";
}

std::string ExprPrinter::text(const Expr* e) {
  auto known = locals_.find(e);
  return known == locals_.end() ? inline_text(e) : known->second;
}

std::string ExprPrinter::inline_text(const Expr* e) {
  auto type = std::string(short_name(e->type));
  auto args = [&] {
    std::string s = "(";
    for (size_t i = 0; i < e->args.size(); ++i) s += (i ? ", " : "") + text(e->args[i]);
    return s + ")";
  };
  switch (e->kind) {
    case ExprKind::load:
      return access(e->buffer, e->index, e->indirect);
    case ExprKind::constant:
      if (e->scalar.is_bool()) return type + (e->scalar.to_bool() ? "(true)" : "(false)");
      if (e->scalar.is_real()) return type + "(" + ir::real_text(e->scalar.to_double()) + ")";
      return type + "(" + std::to_string(e->scalar.to_int64()) + ")";
    case ExprKind::index:
      return "index(" + names_.text(e->index) + ")";
    case ExprKind::call:
      return std::string(e->body.str()) + ":" + type + args();
    case ExprKind::convert:
      return "to_" + std::string(short_name(e->to)) + args();
    case ExprKind::select:
      return "select(" + names_.text(e->condition) + " ? " + text(e->args[0]) + " : " +
             text(e->args[1]) + ")";
    case ExprKind::random:
      return std::string(e->body.str()) + ":" + type + "@" + "[" + names_.text(e->offset) + "; " +
             names_.text(e->index) + "]" + args();
    case ExprKind::reduced:
      return "#" + std::to_string(e->slot) + ":" + type;
    case ExprKind::tile:
      return "tile:" + type;
  }
  return {};
}

void ExprPrinter::share(std::span<const Expr* const> roots, const std::string& indent,
                        std::string& out) {
  std::unordered_map<const Expr*, int> uses;
  std::vector<const Expr*> order;
  for (const Expr* r : roots) ++uses[r];
  for_each_expr(roots, [&](const Expr* e) {
    order.push_back(e);
    for (const Expr* a : e->args) ++uses[a];
    for (const Indirect& i : e->indirect) ++uses[i.value];
  });
  for (const Expr* e : order) {
    bool leaf = e->kind == ExprKind::constant || e->kind == ExprKind::reduced ||
                e->kind == ExprKind::tile || (e->kind == ExprKind::load && e->indirect.empty());
    if (leaf || uses[e] < 2 || locals_.count(e)) continue;
    std::string name = "t" + std::to_string(next_local_++);
    out += indent + name + " = " + inline_text(e) + "\n";
    locals_[e] = name;
  }
}

// --- Programs ---

namespace {

const char* op_name(Reduction::Op op) {
  switch (op) {
    case Reduction::Op::sum:
      return "sum";
    case Reduction::Op::prod:
      return "prod";
    case Reduction::Op::max:
      return "max";
    case Reduction::Op::min:
      return "min";
    case Reduction::Op::any:
      return "any";
    case Reduction::Op::all:
      return "all";
    case Reduction::Op::arg_max:
      return "arg_max";
    case Reduction::Op::arg_min:
      return "arg_min";
    case Reduction::Op::first_max:
      return "first_max";
    case Reduction::Op::first_min:
      return "first_min";
  }
  return "";
}

const char* part_of_step(ir::Stage s) {
  switch (s) {
    case ir::Stage::forward:
      return "forward";
    case ir::Stage::backward:
      return "backward";
    case ir::Stage::optimizer:
      return "optimizer";
  }
  return "";
}

class Printer {
 public:
  explicit Printer(const Program& p) : p_(p) {}

  std::string run() {
    out_ = "loops " + p_.name + " {\n";
    symbols();
    for (const Buffer& b : p_.buffers) buffer(b);
    for (const Check& c : p_.checks) out_ += fmt::format("  check {}\n", ir::quoted(c.text));
    for (size_t i = 0; i < p_.nests.size(); ++i) nest(p_.nests[i], static_cast<int>(i));
    for (const Step& s : p_.steps) step(s);
    for (const FreshOutput& o : p_.outputs)
      out_ += fmt::format("  output {} = {}: {} {}\n", o.output, name(o.buffer),
                          sizes_.list(o.sizes), sizes_.list(o.strides));
    if (!p_.written_inputs.empty())
      out_ += fmt::format("  writes {}\n", fmt::join(p_.written_inputs, ", "));
    out_ += "  arena " + sizes_.text(p_.arena_bytes) + (p_.uses_rng ? " random" : "") + "\n}\n";
    return std::move(out_);
  }

 private:
  std::string name(int b) const {
    return b < 0 ? "none" : name_text(p_.buffers[static_cast<size_t>(b)].name);
  }

  void symbols() {
    if (!p_.env) return;
    for (const sym::Symbol& s : p_.env->symbols()) {
      if (s.source == "loop") continue;
      out_ += "  symbol " + s.name;
      if (s.hint) out_ += " = " + std::to_string(*s.hint);
      out_ += fmt::format(" in [{}, {}] from {}\n",
                          s.declared.lo <= sym::kMinusInf ? "-inf" : std::to_string(s.declared.lo),
                          s.declared.hi >= sym::kPlusInf ? "inf" : std::to_string(s.declared.hi),
                          ir::quoted(s.source));
    }
  }

  std::string type(DType t, const IntList& sizes, const IntList& strides) const {
    std::string s = std::string(short_name(t)) + sizes_.list(sizes);
    IntList expected = contiguous_strides<Int>(sizes);
    for (size_t i = 0; i < strides.size(); ++i)
      if (!known_one(sizes[i]) && !strides[i].same_as(expected[i]))
        return s + " strides " + sizes_.list(strides);
    return s;
  }

  void buffer(const Buffer& b) {
    out_ += "  buffer " + name_text(b.name) + ": " + type(b.dtype, b.sizes, b.strides);
    switch (b.place) {
      case Place::input:
        out_ += " input " + std::to_string(b.index);
        break;
      case Place::output:
        out_ += " output " + std::to_string(b.index);
        break;
      case Place::arena:
        out_ += " arena " + sizes_.text(b.offset);
        break;
      case Place::own:
        out_ += " own " + std::to_string(b.index);
        break;
      case Place::row:
        out_ += " row";
        break;
    }
    out_ += "\n";
  }

  void ranges(const char* what, const std::vector<Range>& list, const char* letter) {
    if (list.empty()) return;
    out_ += std::string("    ") + what;
    for (size_t i = 0; i < list.size(); ++i)
      out_ += fmt::format("{} {}{} < {}", i ? "," : "", letter, i, sizes_.text(list[i].size));
    out_ += "\n";
  }

  void nest(const Nest& n, int number) {
    const char* algorithms[] = {"pointwise", "row", "column"};
    out_ += fmt::format("  nest n{} {} {}{} {{\n", number, ir::quoted(n.name),
                        algorithms[static_cast<int>(n.algorithm)], n.serial ? " serial" : "");
    if (!n.ops.empty()) out_ += fmt::format("    ops {}\n", fmt::join(n.ops, ", "));
    ranges("outer", n.outer, "i");
    ranges("row", n.row, "r");
    ExprPrinter e(p_, names_of(n));
    int slot = 0;
    for (const Stage& s : n.stages) {
      out_ += s.over_row ? "    over row {\n" : "    once {\n";
      std::vector<const Expr*> roots;
      for (const Reduction& r : s.reductions) roots.push_back(r.value);
      for (const Store& st : s.stores) {
        for (const Indirect& i : st.indirect) roots.push_back(i.value);
        roots.push_back(st.value);
      }
      e.share(roots, "      ", out_);
      for (const Reduction& r : s.reductions)
        out_ += fmt::format("      #{}: {} = {} {}\n", slot++, short_name(r.type), op_name(r.op),
                            e.text(r.value));
      for (const Store& st : s.stores)
        out_ += "      " + e.access(st.buffer, st.index, st.indirect) +
                (st.accumulate ? " += " : " = ") + e.text(st.value) + "\n";
      out_ += "    }\n";
      e.forget();
    }
    out_ += "  }\n";
  }

  std::string matrix(const Matrix& m, bool batched) const {
    std::string s = name(m.buffer) + "[" + sizes_.text(m.offset) + "; ";
    if (batched) s += sizes_.text(m.batch_stride) + ", ";
    return s + sizes_.text(m.row_stride) + ", " + sizes_.text(m.col_stride) + "]";
  }

  std::string tensor(const TensorArg& t, bool made = false) const {
    if (t.buffer < 0) return "none";
    std::string s = name(t.buffer) + ": " + std::string(short_name(t.dtype)) +
                    (made ? sizes_.made_list(t.sizes) : sizes_.list(t.sizes)) +
                    sizes_.list(t.strides);
    if (!known_zero(t.offset)) s += " at " + sizes_.text(t.offset);
    return s;
  }

  void step(const Step& s) {
    out_ += "  " + s.name + ": ";
    switch (s.kind) {
      case StepKind::generated: {
        out_ += fmt::format("generated {} {{\n", part_of_step(s.stage));
        for (const Part& part : s.parts) {
          out_ += fmt::format("    n{}(", part.nest);
          for (size_t i = 0; i < part.buffers.size(); ++i)
            out_ += (i ? ", " : "") + name(part.buffers[i]);
          out_ += ";";
          for (size_t i = 0; i < part.sizes.size(); ++i)
            out_ += (i ? ", " : " ") + sizes_.text(part.sizes[i]);
          out_ += ")\n";
        }
        out_ += "  }\n";
        break;
      }
      case StepKind::gemm: {
        const Gemm& g = s.gemm;
        bool batched = !known_one(g.batch);
        out_ += fmt::format("gemm {} {}[{}, {}, {}, {}] {} * {} -> ", part_of_step(s.stage),
                            short_name(g.dtype), sizes_.text(g.batch), sizes_.text(g.m),
                            sizes_.text(g.n), sizes_.text(g.k), matrix(g.a, batched),
                            matrix(g.b, batched));
        out_ += g.epilogue >= 0 ? "epilogue n" + std::to_string(g.epilogue) : matrix(g.c, batched);
        out_ += "\n";
        break;
      }
      case StepKind::library:
        library(s);
        break;
      case StepKind::symbol:
        out_ += fmt::format("symbol {} {} = {}[{}]\n", part_of_step(s.stage),
                            sizes_.made_text(s.symbol), name(s.buffer), sizes_.text(s.index));
        break;
      case StepKind::allocate:
        out_ += fmt::format("allocate {} {} {}\n", part_of_step(s.stage), name(s.buffer), s.check);
        break;
      case StepKind::check:
        out_ += fmt::format("check {} {} {}\n", part_of_step(s.stage), s.check,
                            sizes_.check_text(s.condition));
        break;
    }
  }

  void library(const Step& s) {
    const Library& l = s.library;
    out_ += fmt::format("library {} {}(", part_of_step(s.stage), l.record->full_name);
    for (size_t i = 0; i < l.args.size(); ++i) {
      const Library::Argument& a = l.args[i];
      out_ += i ? ", " : "";
      switch (a.kind) {
        case Library::Argument::Kind::tensor:
          out_ += "tensor " + tensor(a.tensors[0]);
          break;
        case Library::Argument::Kind::tensors:
          out_ += "{";
          for (size_t k = 0; k < a.tensors.size(); ++k)
            out_ += (k ? ", " : "") + tensor(a.tensors[k]);
          out_ += "}";
          break;
        case Library::Argument::Kind::fixed:
          out_ += fixed_text(a.fixed, sizes_);
          break;
      }
    }
    out_ += ") -> ";
    for (size_t i = 0; i < l.outs.size(); ++i)
      out_ += (i ? ", " : "") + tensor(l.outs[i], l.record->data_dependent);
    if (l.random) out_ += " random " + sizes_.text(l.rng_offset);
    if (l.check >= 0) out_ += " check " + std::to_string(l.check);
    out_ += "\n";
  }

  const Program& p_;
  SymbolNames sizes_;
  std::string out_;
};

}  // namespace

std::string fixed_text(const Arg& a, const SymbolNames& names) {
  if (a.is_none()) return "None";
  if (a.is<Int>()) return names.text(a.as<Int>());
  if (a.is<IntList>()) return names.list(a.as<IntList>());
  if (a.is<double>()) return "real " + ir::real_text(a.as<double>());
  if (a.is<bool>()) return a.as<bool>() ? "True" : "False";
  if (a.is<DType>()) return "dtype " + std::string(short_name(a.as<DType>()));
  if (a.is<Symbol>()) return ir::quoted(a.as<Symbol>().str());
  if (a.is<Scalar>()) {
    const Scalar& s = a.as<Scalar>();
    std::string t = s.is_bool()       ? (s.to_bool() ? "True" : "False")
                    : s.is_real()     ? ir::real_text(s.to_double())
                    : s.is_symbolic() ? names.text(s.as_int())
                                      : std::to_string(s.to_int64());
    return "number " + t;
  }
  if (a.is<std::vector<double>>()) {
    std::string t;
    for (double d : a.as<std::vector<double>>()) t += (t.empty() ? "" : ", ") + ir::real_text(d);
    return "reals [" + t + "]";
  }
  return "generator";
}

std::string print(const Program& p) { return Printer(p).run(); }

std::string print(const Program& p, const Expr* e) { return ExprPrinter(p, SymbolNames()).text(e); }

}  // namespace frit::loops
