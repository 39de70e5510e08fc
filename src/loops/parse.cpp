// Reads what print.cpp writes.
#include "sym/parse.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "loops/loop_ir.h"
#include "loops/rewrite.h"

namespace frit::loops {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text)
      : text_(text), env_(std::make_shared<sym::ShapeEnv>()), p_(std::make_unique<Program>(env_)) {}

  std::unique_ptr<Program> run() {
    expect("loops");
    p_->name = word();
    expect("{");
    while (!accept("}")) item();
    for (Buffer& b : p_->buffers)
      if (b.place == Place::input) p_->num_inputs = std::max(p_->num_inputs, b.index + 1);
    return std::move(p_);
  }

 private:
  // --- Characters ---

  [[noreturn]] void fail(const std::string& what) const {
    size_t line = 1, column = 1;
    for (size_t i = 0; i < std::min(at_, text_.size()); ++i)
      text_[i] == '\n' ? (++line, column = 1) : ++column;
    throw UserError(
        ErrorKind::value, "parse",
        "line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + what,
        "text as frit::loops::print writes it");
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  static bool word_char(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '%';
  }
  bool accept(std::string_view s) {
    skip_space();
    if (text_.substr(at_, s.size()) != s) return false;
    bool is_word = word_char(s.back());
    if (is_word && at_ + s.size() < text_.size() && word_char(text_[at_ + s.size()])) return false;
    at_ += s.size();
    return true;
  }
  void expect(std::string_view s) {
    if (!accept(s)) fail("expected '" + std::string(s) + "'");
  }
  std::string word() {
    skip_space();
    size_t begin = at_;
    while (at_ < text_.size() && word_char(text_[at_])) ++at_;
    if (at_ == begin) fail("expected a name");
    return std::string(text_.substr(begin, at_ - begin));
  }
  std::string quoted() {
    expect("\"");
    std::string s;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        ++at_;
        s += text_[at_] == 'n' ? '\n' : text_[at_];
      } else {
        s += text_[at_];
      }
      ++at_;
    }
    expect("\"");
    return s;
  }
  std::string name() { return peek() == '"' ? quoted() : word(); }
  // Up to one of the stops outside parentheses, which is not taken.
  std::string until(std::initializer_list<std::string_view> stops) {
    skip_space();
    size_t begin = at_;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      if (depth == 0)
        for (std::string_view s : stops)
          if (text_.substr(at_, s.size()) == s)
            return std::string(text_.substr(begin, at_ - begin));
      if (text_[at_] == '(') ++depth;
      if (text_[at_] == ')') --depth;
    }
    fail("unfinished text");
  }
  template <class T>
  T parsed(const std::string& s) {
    T v{};
    auto [end, ec] = std::from_chars(s.data(), s.data() + s.size(), v);
    if (ec != std::errc() || end != s.data() + s.size()) fail("'" + s + "' is not a number");
    return v;
  }
  int number() { return parsed<int>(word()); }
  double real(const std::string& s) {
    if (s == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (s == "inf") return std::numeric_limits<double>::infinity();
    if (s == "-inf") return -std::numeric_limits<double>::infinity();
    return parsed<double>(s);
  }
  DType dtype() {
    std::string w = word();
    auto t = dtype_from_name(w);
    if (!t) fail("'" + w + "' is not a dtype");
    return *t;
  }

  // --- Sizes and indices ---

  // Loops by the names that the environment has for their symbols.
  std::string in_env(const std::string& s) const {
    std::string r;
    for (size_t i = 0; i < s.size();) {
      if (!word_char(s[i])) {
        r += s[i++];
        continue;
      }
      size_t begin = i;
      while (i < s.size() && word_char(s[i])) ++i;
      std::string w = s.substr(begin, i - begin);
      auto loop = loops_.find(w);
      r += loop == loops_.end() ? w : loop->second.str();
    }
    return r;
  }
  Int integer(const std::string& s) {
    try {
      return sym::parse(*env_, in_env(s));
    } catch (const UserError& e) {
      fail(e.message());
    }
  }
  Bool truth(const std::string& s) {
    try {
      return sym::parse_bool(*env_, in_env(s));
    } catch (const UserError& e) {
      fail(e.message());
    }
  }
  IntList integers() {
    IntList list;
    expect("[");
    while (!accept("]")) {
      list.push_back(integer(until({",", "]"})));
      accept(",");
    }
    return list;
  }

  // --- Items ---

  void item() {
    if (accept("symbol")) return symbol();
    if (accept("buffer")) return buffer();
    if (accept("check")) {
      p_->checks.push_back({quoted(), {}});
      return;
    }
    if (accept("nest")) return nest();
    if (accept("output")) return output();
    if (accept("writes")) {
      do p_->written_inputs.push_back(number());
      while (accept(","));
      return;
    }
    if (accept("arena")) {
      std::string s = until({"\n"});
      if (size_t r = s.find(" random"); r != s.npos) {
        p_->uses_rng = true;
        s.resize(r);
      }
      p_->arena_bytes = integer(s);
      return;
    }
    step();
  }

  void symbol() {
    std::string w = word();
    std::optional<int64_t> hint;
    if (accept("=")) hint = parsed<int64_t>(until({" "}));
    expect("in");
    expect("[");
    auto bound = [&](const std::string& s) {
      return s == "inf" ? sym::kPlusInf : s == "-inf" ? sym::kMinusInf : parsed<int64_t>(s);
    };
    int64_t low = bound(until({","}));
    expect(",");
    int64_t high = bound(until({"]"}));
    expect("]");
    expect("from");
    std::string source = quoted();
    Int made =
        w[0] == 'u'
            ? env_->new_unbacked(source, {}, low, high, hint)
            : env_->new_symbol(hint.value_or(low), low,
                               high == sym::kPlusInf ? std::nullopt : std::optional(high), source);
    if (made.str() != w) fail("the symbol would be " + made.str() + ", not " + w);
  }

  void buffer() {
    Buffer b;
    b.name = name();
    expect(":");
    b.dtype = dtype();
    b.sizes = integers();
    b.strides = contiguous_strides<Int>(b.sizes);
    if (accept("strides")) b.strides = integers();
    b.elements = 1;
    for (size_t i = 0; i < b.sizes.size(); ++i)
      b.elements = b.elements + (b.sizes[i] - 1) * b.strides[i];
    for (Int n : b.sizes)
      if (known_zero(n)) b.elements = 0;
    if (accept("input")) {
      b.place = Place::input;
      b.index = number();
    } else if (accept("output")) {
      b.place = Place::output;
      b.index = number();
    } else if (accept("own")) {
      b.place = Place::own;
      b.index = number();
      p_->num_own = std::max(p_->num_own, b.index + 1);
    } else if (accept("row")) {
      b.place = Place::row;
    } else {
      expect("arena");
      b.offset = integer(until({"\n"}));
    }
    buffers_[b.name] = static_cast<int>(p_->buffers.size());
    p_->buffers.push_back(std::move(b));
  }
  int buffer_named(const std::string& n) {
    auto it = buffers_.find(n);
    if (it == buffers_.end()) fail("there is no buffer " + n);
    return it->second;
  }

  void output() {
    FreshOutput o;
    o.output = number();
    expect("=");
    o.buffer = buffer_named(name());
    o.dtype = p_->buffers[static_cast<size_t>(o.buffer)].dtype;
    expect(":");
    o.sizes = integers();
    o.strides = integers();
    p_->outputs.push_back(std::move(o));
  }

  // --- Nests ---

  void ranges(std::vector<Range>& into, const Nest& n, const char* letter) {
    do {
      std::string w = word();
      if (w != letter + std::to_string(into.size()))
        fail("expected " + (letter + std::to_string(into.size())));
      expect("<");
      Int size = integer(until({",", "\n"}));
      int k = 0;
      for (const std::vector<Range>* list : {&n.outer, &n.row})
        for (const Range& r : *list) k += r.size.same_as(size);
      Int symbol = p_->loop_symbol(size, k);
      into.push_back({symbol, size});
      loops_[w] = symbol;
    } while (accept(","));
  }

  void nest() {
    word();
    Nest n;
    n.name = quoted();
    if (accept("pointwise"))
      n.algorithm = Algorithm::pointwise;
    else if (accept("row"))
      n.algorithm = Algorithm::row;
    else if (accept("column"))
      n.algorithm = Algorithm::column;
    else
      fail("expected pointwise, row or column");
    n.serial = accept("serial");
    expect("{");
    if (accept("ops")) {
      do n.ops.push_back(word());
      while (accept(","));
    }
    loops_.clear();
    if (accept("outer")) ranges(n.outer, n, "i");
    if (accept("row")) ranges(n.row, n, "r");
    while (!accept("}")) stage(n);
    loops_.clear();
    list_buffers(n);
    p_->nests.push_back(std::move(n));
  }

  void stage(Nest& n) {
    Stage s;
    if (accept("over")) {
      expect("row");
      s.over_row = true;
    } else {
      expect("once");
    }
    expect("{");
    locals_.clear();
    while (!accept("}")) {
      if (peek() == '#') {
        reduction(s);
        continue;
      }
      std::string what = name();
      if (peek() != '[') {
        expect("=");
        locals_[what] = expr();
        continue;
      }
      Store st;
      st.buffer = buffer_named(what);
      access(st.index, st.indirect);
      st.accumulate = accept("+=");
      if (!st.accumulate) expect("=");
      st.value = expr();
      s.stores.push_back(std::move(st));
    }
    n.stages.push_back(std::move(s));
  }

  void reduction(Stage& s) {
    expect("#");
    number();
    expect(":");
    Reduction r;
    r.type = dtype();
    expect("=");
    static constexpr std::pair<const char*, Reduction::Op> kOps[] = {
        {"sum", Reduction::Op::sum},
        {"prod", Reduction::Op::prod},
        {"max", Reduction::Op::max},
        {"min", Reduction::Op::min},
        {"any", Reduction::Op::any},
        {"all", Reduction::Op::all},
        {"arg_max", Reduction::Op::arg_max},
        {"arg_min", Reduction::Op::arg_min},
        {"first_max", Reduction::Op::first_max},
        {"first_min", Reduction::Op::first_min}};
    std::string op = word();
    bool known = false;
    for (auto& [text, value] : kOps)
      if (op == text) r.op = value, known = true;
    if (!known) fail("there is no reduction " + op);
    r.value = expr();
    s.reductions.push_back(r);
  }

  void access(Int& index, std::vector<Indirect>& indirect) {
    expect("[");
    index = integer(until({";", "]"}));
    while (accept(";")) {
      Indirect i;
      i.value = expr();
      expect("in");
      i.size = integer(until({" by"}));
      expect("by");
      i.stride = integer(until({" wrap", " check", ";", "]"}));
      i.wrap = accept("wrap");
      if (accept("check")) i.check = number();
      indirect.push_back(i);
    }
    expect("]");
  }

  std::vector<const Expr*> arguments() {
    std::vector<const Expr*> args;
    expect("(");
    while (!accept(")")) {
      args.push_back(expr());
      accept(",");
    }
    return args;
  }

  const Expr* expr() {
    if (accept("#")) {
      int slot = number();
      expect(":");
      return p_->reduced(slot, dtype());
    }
    bool is_quoted = peek() == '"';
    std::string w = name();
    char next = at_ < text_.size() ? text_[at_] : '\0';
    if (next == '[') {
      int b = buffer_named(w);
      Int index;
      std::vector<Indirect> indirect;
      access(index, indirect);
      return p_->load(b, index, std::move(indirect));
    }
    if (is_quoted) fail("expected '['");
    if (next == ':') {
      ++at_;
      DType type = dtype();
      if (w == "tile") return p_->tile(type);
      if (accept("@")) {
        expect("[");
        Int offset = integer(until({";"}));
        expect(";");
        Int element = integer(until({"]"}));
        expect("]");
        return p_->random(intern(w), offset, element, arguments(), type);
      }
      return p_->call(intern(w), arguments(), type);
    }
    if (next != '(') {
      auto local = locals_.find(w);
      if (local == locals_.end()) fail("there is no " + w);
      return local->second;
    }
    if (w == "select") {
      expect("(");
      Bool condition = truth(until({"?"}));
      expect("?");
      const Expr* yes = expr();
      expect(":");
      const Expr* no = expr();
      expect(")");
      return p_->select(condition, yes, no);
    }
    if (w == "index") {
      expect("(");
      Int i = integer(until({")"}));
      expect(")");
      return p_->index(i);
    }
    if (w.starts_with("to_")) {
      auto to = dtype_from_name(std::string_view(w).substr(3));
      if (!to) fail("'" + w + "' names no dtype");
      return p_->convert(arguments().at(0), *to);
    }
    return constant(w);
  }

  const Expr* constant(const std::string& type_name) {
    auto type = dtype_from_name(type_name);
    if (!type) fail("'" + type_name + "' is not a dtype");
    expect("(");
    std::string s = until({")"});
    expect(")");
    if (is_bool(*type)) return p_->constant(Scalar(s == "true"), *type);
    if (is_floating(*type)) return p_->constant(Scalar(real(s)), *type);
    return p_->constant(Scalar(parsed<int64_t>(s)), *type);
  }

  // --- Steps ---

  void step() {
    Step s;
    s.name = word();
    expect(":");
    static constexpr std::pair<const char*, StepKind> kKinds[] = {
        {"generated", StepKind::generated}, {"gemm", StepKind::gemm},
        {"library", StepKind::library},     {"symbol", StepKind::symbol},
        {"allocate", StepKind::allocate},   {"check", StepKind::check}};
    std::string kind = word();
    bool known = false;
    for (auto& [text, value] : kKinds)
      if (kind == text) s.kind = value, known = true;
    if (!known) fail("there is no step of kind " + kind);
    std::string stage = word();
    s.stage = stage == "forward"    ? ir::Stage::forward
              : stage == "backward" ? ir::Stage::backward
                                    : ir::Stage::optimizer;
    switch (s.kind) {
      case StepKind::generated:
        parts(s);
        break;
      case StepKind::gemm:
        gemm(s.gemm);
        break;
      case StepKind::library:
        library(s.library);
        break;
      case StepKind::symbol:
        s.symbol = integer(until({"="}));
        expect("=");
        s.buffer = buffer_named(name());
        expect("[");
        s.index = integer(until({"]"}));
        expect("]");
        break;
      case StepKind::allocate:
        s.buffer = buffer_named(name());
        s.check = number();
        break;
      case StepKind::check:
        s.check = number();
        s.condition = truth(until({"\n"}));
        break;
    }
    p_->steps.push_back(std::move(s));
  }

  int nest_number() {
    std::string w = word();
    if (w[0] != 'n') fail("expected a nest");
    int n = parsed<int>(w.substr(1));
    if (n < 0 || n >= static_cast<int>(p_->nests.size())) fail("there is no nest " + w);
    return n;
  }

  void parts(Step& s) {
    expect("{");
    while (!accept("}")) {
      Part part;
      part.nest = nest_number();
      expect("(");
      while (!accept(";")) {
        part.buffers.push_back(buffer_named(name()));
        accept(",");
      }
      while (!accept(")")) {
        part.sizes.push_back(integer(until({",", ")"})));
        accept(",");
      }
      const Nest& n = p_->nests[static_cast<size_t>(part.nest)];
      for (const std::string& op : n.ops) s.ops.push_back(op);
      s.parts.push_back(std::move(part));
    }
  }

  Matrix matrix(bool batched) {
    Matrix m;
    m.buffer = buffer_named(name());
    expect("[");
    m.offset = integer(until({";"}));
    expect(";");
    if (batched) {
      m.batch_stride = integer(until({","}));
      expect(",");
    }
    m.row_stride = integer(until({","}));
    expect(",");
    m.col_stride = integer(until({"]"}));
    expect("]");
    return m;
  }

  void gemm(Gemm& g) {
    g.dtype = dtype();
    IntList sizes = integers();
    if (sizes.size() != 4) fail("a product has four sizes");
    g.batch = sizes[0], g.m = sizes[1], g.n = sizes[2], g.k = sizes[3];
    bool batched = !known_one(g.batch);
    g.a = matrix(batched);
    expect("*");
    g.b = matrix(batched);
    expect("->");
    if (accept("epilogue"))
      g.epilogue = nest_number();
    else
      g.c = matrix(batched);
  }

  TensorArg tensor() {
    TensorArg t;
    if (accept("none")) return t;
    t.buffer = buffer_named(name());
    expect(":");
    t.dtype = dtype();
    t.sizes = integers();
    t.strides = integers();
    if (accept("at")) t.offset = integer(until({",", ")", "}", " random", " check", "\n"}));
    return t;
  }

  void library(Library& l) {
    std::string op = word();
    l.record = registry().find(op);
    if (!l.record) fail("there is no op " + op);
    expect("(");
    while (!accept(")")) {
      argument(l.args.emplace_back());
      accept(",");
    }
    expect("->");
    if (peek() != '\n') do
        l.outs.push_back(tensor());
      while (accept(","));
    if (accept("random")) {
      l.random = true;
      l.rng_offset = integer(until({" check", "\n"}));
    }
    if (accept("check")) l.check = number();
  }

  void argument(Library::Argument& a) {
    using Kind = Library::Argument::Kind;
    if (accept("{")) {
      a.kind = Kind::tensors;
      while (!accept("}")) {
        a.tensors.push_back(tensor());
        accept(",");
      }
    } else if (accept("tensor")) {
      a.kind = Kind::tensor;
      a.tensors.push_back(tensor());
    } else if (accept("None")) {
      a.fixed = Arg();
    } else if (accept("True")) {
      a.fixed = Arg(true);
    } else if (accept("False")) {
      a.fixed = Arg(false);
    } else if (accept("generator")) {
      a.fixed = Arg();
    } else if (accept("number")) {
      a.fixed = scalar(until({",", ")"}));
    } else if (accept("real")) {
      a.fixed = Arg(real(until({",", ")"})));
    } else if (accept("dtype")) {
      a.fixed = Arg(dtype());
    } else if (accept("reals")) {
      std::vector<double> list;
      expect("[");
      while (!accept("]")) {
        list.push_back(real(until({",", "]"})));
        accept(",");
      }
      a.fixed = Arg(std::move(list));
    } else if (peek() == '[') {
      a.fixed = Arg(integers());
    } else if (peek() == '"') {
      a.fixed = Arg(intern(quoted()));
    } else {
      a.fixed = Arg(integer(until({",", ")"})));
    }
  }

  Arg scalar(const std::string& s) {
    if (s == "True") return Arg(Scalar(true));
    if (s == "False") return Arg(Scalar(false));
    if (s.find_first_of(".en") != s.npos) return Arg(Scalar(real(s)));
    return Arg(Scalar(integer(s)));
  }

  std::string_view text_;
  size_t at_ = 0;
  std::shared_ptr<sym::ShapeEnv> env_;
  std::unique_ptr<Program> p_;
  std::unordered_map<std::string, int> buffers_;
  std::unordered_map<std::string, Int> loops_;
  std::unordered_map<std::string, const Expr*> locals_;
};

}  // namespace

std::unique_ptr<Program> parse(std::string_view text) { return Parser(text).run(); }

}  // namespace frit::loops
