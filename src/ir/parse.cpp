// The parser of printed graphs. Sizes in the text are expressions over the symbols the text
// declares.
#include "sym/parse.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "ir/graph.h"
#include "ir/text.h"

namespace frit::ir {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), env_(std::make_shared<sym::ShapeEnv>()) {}

  std::unique_ptr<Graph> run() {
    // Sizes of the inputs are read once the symbols are known, so the header is scanned twice.
    expect("graph");
    std::string name = word();
    graph_ = std::make_unique<Graph>(env_, name);
    expect("(");
    size_t header = at_;
    skip_header();
    expect("{");
    while (accept("symbol")) declare_symbol();
    size_t body = at_;
    at_ = header;
    inputs();
    at_ = body;
    while (true) {
      if (accept("return")) break;
      if (accept("assert")) {
        runtime_assert();
      } else if (accept("write")) {
        write_effect();
      } else if (accept("advance_rng")) {
        Effect e;
        e.kind = Effect::Kind::advance_rng;
        e.blocks = integer(rest_of_line());
        graph_->effects.push_back(e);
      } else if (accept("host_effect")) {
        Effect e;
        e.kind = Effect::Kind::host;
        e.host = static_cast<int>(number(rest_of_line()));
        graph_->effects.push_back(e);
      } else {
        node();
      }
    }
    returns();
    expect("}");
    graph_->refresh_uses();
    return std::move(graph_);
  }

 private:
  // --- characters ---
  [[noreturn]] void fail(const std::string& what) {
    size_t line = 1, column = 1;
    for (size_t i = 0; i < std::min(at_, text_.size()); ++i)
      text_[i] == '\n' ? (++line, column = 1) : ++column;
    throw UserError(
        ErrorKind::value, "parse",
        "line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + what,
        "text as frit::ir::print writes it");
  }
  void skip_space() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
        ++at_;
      } else if (text_[at_] == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else {
        return;
      }
    }
  }
  static bool word_char(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '%';
  }
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(std::string_view token) {
    skip_space();
    if (text_.substr(at_, token.size()) != token) return false;
    if (word_char(token.back()) && at_ + token.size() < text_.size() &&
        word_char(text_[at_ + token.size()]))
      return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail("expected '" + std::string(token) + "'");
  }
  std::string word() {
    skip_space();
    size_t start = at_;
    while (at_ < text_.size() && word_char(text_[at_])) ++at_;
    if (at_ == start) fail("expected a name");
    return std::string(text_.substr(start, at_ - start));
  }
  std::string rest_of_line() {
    size_t end = text_.find('\n', at_);
    if (end == text_.npos) end = text_.size();
    std::string line(text_.substr(at_, end - at_));
    at_ = end;
    if (auto hash = line.find("  #"); hash != line.npos) line.resize(hash);
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.pop_back();
    size_t first = line.find_first_not_of(' ');
    return first == line.npos ? "" : line.substr(first);
  }
  // Text up to one of `stops` at depth 0 of brackets and parentheses.
  std::string until(std::string_view stops) {
    skip_space();
    size_t start = at_;
    int depth = 0;
    bool in_string = false;
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (in_string) {
        if (c == '\\')
          ++at_;
        else if (c == '"')
          in_string = false;
      } else if (c == '"') {
        in_string = true;
      } else {
        if (depth == 0 && stops.find(c) != stops.npos) break;
        if (c == '(' || c == '[' || c == '{') ++depth;
        if (c == ')' || c == ']' || c == '}') --depth;
        if (c == '\n') break;
      }
      ++at_;
    }
    std::string s(text_.substr(start, at_ - start));
    while (!s.empty() && s.back() == ' ') s.pop_back();
    return s;
  }
  void skip_header() {
    int depth = 1;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '(') ++depth;
      if (text_[at_] == ')' && --depth == 0) {
        ++at_;
        return;
      }
    }
    fail("the list of inputs does not end");
  }

  // --- numbers ---
  Int integer(std::string_view s) {
    try {
      return sym::parse(*env_, s);
    } catch (const UserError& e) {
      fail(e.message());
    }
  }
  int64_t number(std::string_view s) {
    int64_t v = 0;
    auto [end, ec] = std::from_chars(s.data(), s.data() + s.size(), v);
    if (ec != std::errc() || end != s.data() + s.size())
      fail("expected a number, found '" + std::string(s) + "'");
    return v;
  }
  std::optional<double> real(std::string_view s) {
    if (s == "nan") return std::nan("");
    if (s == "inf") return INFINITY;
    if (s == "-inf") return -INFINITY;
    if (s.find_first_of(".e") == s.npos) return std::nullopt;
    double v = 0;
    auto [end, ec] = std::from_chars(s.data(), s.data() + s.size(), v);
    if (ec != std::errc() || end != s.data() + s.size()) return std::nullopt;
    return v;
  }
  static std::vector<std::string> split(std::string_view s) {
    std::vector<std::string> parts;
    int depth = 0;
    std::string part;
    for (char c : s) {
      if (c == '(' || c == '[') ++depth;
      if (c == ')' || c == ']') --depth;
      if (c == ',' && depth == 0) {
        parts.push_back(part);
        part.clear();
      } else if (!(c == ' ' && part.empty())) {
        part += c;
      }
    }
    if (!part.empty()) parts.push_back(part);
    return parts;
  }
  IntList ints(std::string_view s) {
    IntList list;
    for (const std::string& p : split(s)) list.push_back(integer(p));
    return list;
  }

  // --- types ---
  struct Type {
    DType dtype = DType::f32;
    IntList sizes, strides;
  };
  Type type() {
    Type t;
    skip_space();
    size_t start = at_;
    while (at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_]))) ++at_;
    std::string name(text_.substr(start, at_ - start));
    auto dtype = dtype_from_name(name);
    if (!dtype) fail("'" + name + "' is no dtype");
    t.dtype = *dtype;
    layout(t.sizes, t.strides);
    return t;
  }
  void layout(IntList& sizes, IntList& strides) {
    expect("[");
    sizes = ints(until("]"));
    expect("]");
    if (at_ < text_.size() && text_[at_] == '{') {
      ++at_;
      strides = ints(until("}"));
      expect("}");
      if (strides.size() != sizes.size()) fail("strides and sizes differ in number");
    } else {
      strides = contiguous_strides<Int>(sizes);
    }
  }

  void declare_symbol() {
    std::string name = word();
    std::optional<int64_t> hint;
    if (accept("=")) hint = number((accept("-") ? "-" : "") + word());
    auto bound = [&](std::string_view s) -> std::optional<int64_t> {
      if (s == "inf" || s == "-inf") return std::nullopt;
      return number(s);
    };
    expect("in");
    expect("[");
    auto lower = bound(until(","));
    expect(",");
    auto upper = bound(until("]"));
    expect("]");
    expect("from");
    std::string source = unquoted(rest_of_line());
    Int made = name.front() == 'u'
                   ? env_->new_unbacked(source, {}, lower.value_or(sym::kMinusInf),
                                        upper.value_or(sym::kPlusInf), hint)
                   : env_->new_symbol(hint.value_or(lower.value_or(0)),
                                      lower.value_or(sym::kMinusInf), upper, source);
    if (made.str() != name)
      fail("symbols are declared in the order of their numbers; expected " + made.str());
  }

  void inputs() {
    if (accept(")")) return;
    do {
      std::string name = until(":");
      expect(":");
      Type t = type();
      Value* v = graph_->add_input(name, t.dtype, t.sizes, t.strides, accept("grad"));
      values_[name] = v;
    } while (accept(","));
    expect(")");
  }

  Value* value(const std::string& name) {
    auto it = values_.find(name);
    if (it == values_.end()) fail("'" + name + "' is no value of the graph so far");
    return it->second;
  }

  std::string unquoted(std::string_view s) {
    if (s.size() < 2 || s.front() != '"' || s.back() != '"') fail("expected a text in quotes");
    std::string out;
    for (size_t i = 1; i + 1 < s.size(); ++i) {
      if (s[i] == '\\' && i + 2 < s.size()) {
        ++i;
        out += s[i] == 'n' ? '\n' : s[i];
      } else {
        out += s[i];
      }
    }
    return out;
  }

  Arg argument(const SchemaArg& a, const std::string& s) {
    if (s == "None" && a.type != ArgType::tensor_list) return {};
    auto inside = [&] {
      if (s.size() < 2 || s.front() != '[' || s.back() != ']')
        fail("expected a list for " + a.name);
      return std::string_view(s).substr(1, s.size() - 2);
    };
    switch (a.type) {
      case ArgType::tensor:
        return Arg(value(s));
      case ArgType::tensor_list: {
        std::vector<Ref> refs;
        for (const std::string& p : split(inside()))
          refs.push_back(p == "None" ? Ref() : Ref(value(p)));
        return Arg(std::move(refs));
      }
      case ArgType::integer:
        return Arg(integer(s));
      case ArgType::integer_list:
      case ArgType::boolean_list:
        return s.front() == '[' ? Arg(ints(inside())) : Arg(integer(s));
      case ArgType::real: {
        if (auto d = real(s)) return Arg(*d);
        return Arg(static_cast<double>(number(s)));
      }
      case ArgType::real_list: {
        std::vector<double> list;
        for (const std::string& p : split(inside())) list.push_back(real(p).value_or(0));
        return Arg(std::move(list));
      }
      case ArgType::boolean:
        return Arg(s == "true");
      case ArgType::scalar:
        if (s == "true" || s == "false") return Arg(Scalar(s == "true"));
        if (auto d = real(s)) return Arg(Scalar(*d));
        return Arg(Scalar(integer(s)));
      case ArgType::dtype: {
        auto t = dtype_from_name(s);
        if (!t) fail("'" + s + "' is no dtype");
        return Arg(*t);
      }
      case ArgType::string:
        return Arg(std::string_view(unquoted(s)));
      case ArgType::generator:
      case ArgType::layout:
      case ArgType::device:
        return {};
      case ArgType::memory_format:
        return s.starts_with('"') ? Arg(std::string_view(unquoted(s))) : Arg(integer(s));
    }
    return {};
  }

  void node() {
    std::vector<std::string> names;
    SmallVector<OutMeta<Int>, 2> outs;
    do {
      names.push_back(word());
      expect(":");
      Type t = type();
      outs.push_back({t.dtype, t.sizes, t.strides, 0, -1});
    } while (accept(","));
    expect("=");
    std::string op = word();
    const OpRecord* record = registry().find(op);
    if (!record) fail("there is no op '" + op + "'");
    const auto& schema = record->schema.args;
    ArgList args(schema.size());
    for (size_t i = 0; i < schema.size(); ++i)
      if (schema[i].has_default) args[i] = schema[i].default_value;
    expect("(");
    for (size_t i = 0; !accept(")"); ++i) {
      std::string s = until(",)");
      size_t slot = i;
      if (auto eq = s.find('=');
          eq != s.npos && s.front() != '"' && record->schema.find(s.substr(0, eq)) >= 0) {
        slot = static_cast<size_t>(record->schema.find(s.substr(0, eq)));
        s = s.substr(eq + 1);
      }
      if (slot >= schema.size())
        fail(op + " has only " + std::to_string(schema.size()) + " arguments");
      args[slot] = argument(schema[slot], s);
      accept(",");
    }
    Node* n = graph_->add_with_outputs(*record, std::move(args), outs);
    while (accept("@")) {
      if (accept("rng")) {
        expect("(");
        graph_->set_rng_offset(n, integer(until(")")));
        expect(")");
      } else if (accept("defines")) {
        expect("(");
        graph_->set_defines(n, integer(until(")")));
        expect(")");
      } else if (accept("backward")) {
        n->provenance().stage = Stage::backward;
      } else if (accept("optimizer")) {
        n->provenance().stage = Stage::optimizer;
      } else if (accept("no_grad")) {
        n->provenance().grad = false;
      } else {
        fail("unknown mark");
      }
    }
    for (size_t i = 0; i < names.size(); ++i) values_[names[i]] = n->output(static_cast<int>(i));
  }

  void runtime_assert() {
    RuntimeAssert a;
    std::string condition = until(",");
    try {
      a.condition = sym::parse_bool(*env_, condition);
    } catch (const UserError& e) {
      fail(e.message());
    }
    expect(",");
    a.message = unquoted(rest_of_line());
    // A fact, as it was where the graph was recorded: layouts follow from it.
    if (!a.condition.known_false()) env_->assume(a.condition);
    graph_->asserts.push_back(std::move(a));
  }

  int input_index(const std::string& name) {
    Value* v = value(name);
    if (v->producer()) fail("'" + name + "' is not an input");
    return v->index();
  }

  void write_effect() {
    Effect e;
    e.kind = Effect::Kind::write_input;
    e.input = input_index(until("<"));
    expect("<-");
    e.value = value(until(" \n"));
    if (accept("bumps")) e.bumps = static_cast<int>(number(rest_of_line()));
    graph_->effects.push_back(e);
  }

  void returns() {
    if (peek() == '}') return;
    do {
      Output o;
      auto read_layout = [&] {
        layout(o.sizes, o.strides);
        expect("+(");
        o.offset = integer(until(")"));
        expect(")");
      };
      if (accept("input")) {
        o.kind = Output::Kind::input;
        o.of = input_index(until(", \n}"));
      } else if (accept("view")) {
        expect("of");
        if (accept("input")) {
          o.kind = Output::Kind::view_of_input;
          o.of = input_index(until(" "));
        } else {
          expect("output");
          o.kind = Output::Kind::view_of_output;
          o.of = static_cast<int>(number(word()));
        }
        read_layout();
      } else {
        o.value = value(until(", \n}"));
      }
      o.requires_grad = accept("grad");
      if (accept("bumps")) o.bumps = static_cast<int>(number(until(", \n}")));
      graph_->outputs.push_back(std::move(o));
    } while (accept(","));
  }

  std::string_view text_;
  size_t at_ = 0;
  std::shared_ptr<sym::ShapeEnv> env_;
  std::unique_ptr<Graph> graph_;
  std::unordered_map<std::string, Value*> values_;
};

}  // namespace

std::unique_ptr<Graph> parse(std::string_view text) { return Parser(text).run(); }

}  // namespace frit::ir
