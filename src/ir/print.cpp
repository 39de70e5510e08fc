// The printer: deterministic text that the parser reads back. Values are numbered in program order,
// so that two graphs of the same structure print the same.
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "ir/graph.h"
#include "ir/text.h"

namespace frit::ir {

std::string real_text(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  char buffer[40];
  auto [end, ec] = std::to_chars(buffer, buffer + sizeof buffer, v);
  std::string text(buffer, end);
  if (text.find_first_of(".e") == text.npos) text += ".0";
  return text;
}

std::string quoted(std::string_view s) {
  std::string text = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') text += '\\';
    if (c == '\n')
      text += "\\n";
    else
      text += c;
  }
  return text + "\"";
}

namespace {

bool is_contiguous_value(const Value& v) {
  auto expected = contiguous_strides<Int>(v.sizes());
  for (size_t i = 0; i < expected.size(); ++i)
    if (!(v.sizes()[i].is_constant() && v.sizes()[i].constant() == 1) &&
        !expected[i].same_as(v.strides()[i]))
      return false;
  return true;
}

class Printer {
 public:
  Printer(const Graph& g, PrintOptions options) : g_(g), options_(options) {}

  std::string run() {
    for (Value* in : g_.inputs()) names_[in] = std::string(in->name().str());
    text_ = "graph " + g_.name + "(";
    bool first = true;
    for (Value* in : g_.inputs()) {
      text_ += first ? "" : ", ";
      first = false;
      text_ += names_[in] + ": " + type_text(*in) + (in->requires_grad ? " grad" : "");
    }
    text_ += ") {\n";
    symbols();
    for (const auto& n : g_.nodes()) node(*n);
    for (const RuntimeAssert& a : g_.asserts)
      text_ += "  assert " + g_.env()->text(g_.env()->as_made(a.condition)) + ", " +
               ir::quoted(a.message) + location(a.where, {}) + "\n";
    for (const Effect& e : g_.effects) effect(e);
    text_ += "  return";
    for (size_t i = 0; i < g_.outputs.size(); ++i)
      text_ += (i ? ", " : " ") + output(g_.outputs[i]);
    return text_ + "\n}\n";
  }

 private:
  // In order of making: the parser makes them again in this order, and so under the same names.
  void symbols() {
    if (!g_.env()) return;
    for (const sym::Symbol& s : g_.env()->symbols()) {
      text_ += "  symbol " + s.name;
      if (s.hint) text_ += " = " + std::to_string(*s.hint);
      text_ += " in [" +
               (s.declared.lo <= sym::kMinusInf ? "-inf" : std::to_string(s.declared.lo)) + ", " +
               (s.declared.hi >= sym::kPlusInf ? "inf" : std::to_string(s.declared.hi)) +
               "] from " + ir::quoted(s.source) + "\n";
    }
  }

  std::string number(Int n) { return options_.number ? options_.number(n) : n.str(); }

  std::string ints_text(std::span<const Int> ints) {
    std::string text;
    for (Int n : ints) text += (text.empty() ? "" : ", ") + number(n);
    return "[" + text + "]";
  }

  std::string strides_text(std::span<const Int> sizes, std::span<const Int> strides) {
    std::string text;
    for (size_t i = 0; i < strides.size(); ++i) {
      const bool any = options_.number && number(sizes[i]) == "1";  // no element is a step away
      text += (text.empty() ? "" : ", ") + (any ? "_" : number(strides[i]));
    }
    return "{" + text + "}";
  }

  // Sizes that the kernel finds, whatever checks say of them.
  std::string made_text(std::span<const Int> sizes) {
    if (options_.number) return ints_text(sizes);
    std::string text;
    for (Int n : sizes) {
      const sym::Expr* e = n.as_made();
      text += (text.empty() ? "" : ", ") + (e && e->is_symbol() ? n.env()->text(e) : n.str());
    }
    return "[" + text + "]";
  }

  std::string type_text(const Value& v) {
    std::string text =
        std::string(short_name(v.dtype())) + (v.producer() && v.producer()->record().data_dependent
                                                  ? made_text(v.sizes())
                                                  : ints_text(v.sizes()));
    if (options_.strides || !is_contiguous_value(v)) {
      text += strides_text(v.sizes(), v.strides());
    }
    return text;
  }

  std::string value_text(const Ref& r) { return r.defined() ? names_.at(r.value()) : "None"; }

  std::string arg_text(const Arg& a) {
    struct Visitor {
      Printer& p;
      std::string operator()(std::monostate) { return "None"; }
      std::string operator()(const Ref& r) { return p.value_text(r); }
      std::string operator()(const std::vector<Ref>& refs) {
        std::string text = "[";
        for (size_t i = 0; i < refs.size(); ++i) text += (i ? ", " : "") + p.value_text(refs[i]);
        return text + "]";
      }
      std::string operator()(Int i) { return p.number(i); }
      std::string operator()(const IntList& l) { return p.ints_text(l); }
      std::string operator()(double d) { return real_text(d); }
      std::string operator()(const std::vector<double>& l) {
        std::string text = "[";
        for (size_t i = 0; i < l.size(); ++i) text += (i ? ", " : "") + real_text(l[i]);
        return text + "]";
      }
      std::string operator()(bool b) { return b ? "true" : "false"; }
      std::string operator()(const Scalar& s) {
        if (s.is_bool()) return s.to_bool() ? "true" : "false";
        if (s.is_real()) return real_text(s.to_double());
        return s.is_symbolic() ? p.number(s.as_int()) : std::to_string(s.to_int64());
      }
      std::string operator()(DType t) { return std::string(short_name(t)); }
      std::string operator()(Symbol s) { return ir::quoted(s.str()); }
      std::string operator()(const std::shared_ptr<Generator>&) { return "None"; }
    };
    return std::visit(Visitor{*this}, a.storage());
  }

  // Positional arguments, keyword-only ones by name; trailing defaults are left out.
  std::string args_text(const Node& n) {
    const auto& schema = n.record().schema.args;
    std::string text;
    size_t last = 0;  // one past the last positional argument that must be printed
    auto is_default = [&](size_t i) {
      return schema[i].has_default && arg_text(n.args()[i]) == arg_text(schema[i].default_value);
    };
    for (size_t i = 0; i < schema.size(); ++i)
      if (!schema[i].keyword_only && !is_default(i)) last = i + 1;
    for (size_t i = 0; i < last; ++i) text += (text.empty() ? "" : ", ") + arg_text(n.args()[i]);
    for (size_t i = 0; i < schema.size(); ++i)
      if (schema[i].keyword_only && !is_default(i))
        text += (text.empty() ? "" : ", ") + schema[i].name + "=" + arg_text(n.args()[i]);
    return text;
  }

  std::string location(SourceLocation where, Symbol module) {
    if (!options_.locations) return {};
    std::string text = where.short_text();
    if (!module.str().empty()) text += (text.empty() ? "" : " ") + std::string(module.str());
    return text.empty() ? text : "  # " + text;
  }

  void node(const Node& n) {
    text_ += "  ";
    for (size_t i = 0; i < n.outputs().size(); ++i) {
      Value* v = n.outputs()[i];
      names_[v] = "%" + std::to_string(next_++);
      text_ += (i ? ", " : "") + names_[v] + ": " + type_text(*v);
    }
    text_ += " = " + n.record().full_name + "(" + args_text(n) + ")";
    if (n.record().kind == Kind::random) text_ += " @rng(" + number(n.rng_offset()) + ")";
    if (const sym::Expr* s = n.defines().as_made()) text_ += " @defines(" + g_.env()->text(s) + ")";
    const Provenance& p = n.provenance();
    if (p.stage == Stage::backward) text_ += " @backward";
    if (p.stage == Stage::optimizer) text_ += " @optimizer";
    if (p.stage == Stage::forward && !p.grad) text_ += " @no_grad";
    text_ += location(p.place(), p.module_path) + "\n";
  }

  void effect(const Effect& e) {
    switch (e.kind) {
      case Effect::Kind::write_input:
        text_ += "  write " + names_.at(g_.inputs()[static_cast<size_t>(e.input)]) + " <- " +
                 names_.at(e.value) + (e.bumps != 1 ? " bumps " + std::to_string(e.bumps) : "") +
                 "\n";
        return;
      case Effect::Kind::advance_rng:
        text_ += "  advance_rng " + number(e.blocks) + "\n";
        return;
      case Effect::Kind::host:
        text_ += "  host_effect " + std::to_string(e.host) + "\n";
        return;
    }
  }

  std::string output(const Output& o) {
    auto layout = [&] {
      return " " + ints_text(o.sizes) + strides_text(o.sizes, o.strides) + "+(" + number(o.offset) +
             ")";
    };
    std::string text;
    switch (o.kind) {
      case Output::Kind::fresh:
        text = names_.at(o.value);
        break;
      case Output::Kind::input:
        text = "input " + names_.at(g_.inputs()[static_cast<size_t>(o.of)]);
        break;
      case Output::Kind::view_of_input:
        text = "view of input " + names_.at(g_.inputs()[static_cast<size_t>(o.of)]) + layout();
        break;
      case Output::Kind::view_of_output:
        text = "view of output " + std::to_string(o.of) + layout();
        break;
    }
    if (o.requires_grad) text += " grad";
    return text + (o.bumps ? " bumps " + std::to_string(o.bumps) : "");
  }

  const Graph& g_;
  PrintOptions options_;
  std::string text_;
  std::unordered_map<const Value*, std::string> names_;
  int next_ = 0;
};

}  // namespace

std::string print(const Graph& g) { return print(g, PrintOptions{}); }
std::string print(const Graph& g, PrintOptions options) { return Printer(g, options).run(); }

}  // namespace frit::ir
