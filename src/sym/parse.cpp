#include "sym/parse.h"

#include <cctype>
#include <variant>

namespace frit::sym {
namespace {

using Value = std::variant<Int, Bool>;

class Parser {
 public:
  Parser(ShapeEnv& env, std::string_view text) : env_(env), text_(text) {}

  Value whole() {
    Value v = disjunction();
    skip();
    if (at_ != text_.size()) fail("the end");
    return v;
  }

  Int integer(const Value& v) {
    if (auto* i = std::get_if<Int>(&v)) return *i;
    fail("an integer, not a condition,");
  }

  Bool condition(const Value& v) {
    if (auto* b = std::get_if<Bool>(&v)) return *b;
    fail("a condition, not an integer,");
  }

 private:
  // Every level of nesting makes one of these; malformed text must not exhaust the stack.
  struct Level {
    Parser& parser;
    explicit Level(Parser& p) : parser(p) {
      if (++p.depth_ > kDeepest) p.fail("less nesting");
    }
    ~Level() { --parser.depth_; }
  };

  Value disjunction() {
    Value v = conjunction();
    while (word("or") || sign("||")) v = condition(v) || condition(conjunction());
    return v;
  }

  Value conjunction() {
    Value v = inversion();
    while (word("and") || sign("&&")) v = condition(v) && condition(inversion());
    return v;
  }

  Value inversion() {
    skip();
    if (!word("not") && !(text_.substr(at_, 2) != "!=" && sign("!"))) return comparison();
    Level level(*this);
    return !condition(inversion());
  }

  Value comparison() {
    Value v = sum();
    if (sign("==")) return integer(v) == integer(sum());
    if (sign("!=")) return integer(v) != integer(sum());
    if (sign(">=")) return integer(v) >= integer(sum());
    if (sign("<=")) return integer(v) <= integer(sum());
    if (sign(">")) return integer(v) > integer(sum());
    if (sign("<")) return integer(v) < integer(sum());
    return v;
  }

  Value sum() {
    Value v = product();
    for (;;) {
      if (sign("+"))
        v = integer(v) + integer(product());
      else if (sign("-"))
        v = integer(v) - integer(product());
      else
        return v;
    }
  }

  Value product() {
    Value v = factor();
    for (;;) {
      if (sign("*"))
        v = integer(v) * integer(factor());
      else if (sign("//"))
        v = floordiv(integer(v), integer(factor()));
      else if (sign("%"))
        v = mod(integer(v), integer(factor()));
      else
        return v;
    }
  }

  Value factor() {
    Level level(*this);
    skip();
    if (sign("-")) {
      skip();
      if (std::isdigit(static_cast<unsigned char>(peek()))) return number("-");
      return -integer(factor());
    }
    if (sign("(")) {
      Value v = disjunction();
      if (!sign(")")) fail("\")\"");
      return v;
    }
    if (std::isdigit(static_cast<unsigned char>(peek()))) return number("");
    std::string_view name = identifier();
    if (name.empty()) fail("a size");
    if (name == "True" || name == "true") return Bool(true);
    if (name == "False" || name == "false") return Bool(false);
    if (name == "min" || name == "max") return extremum(name == "min");
    if (auto s = env_.find_symbol(name)) return *s;
    at_ -= name.size();
    fail("a symbol of this graph");
  }

  Value extremum(bool is_min) {
    if (!sign("(")) fail("\"(\"");
    Int v = integer(disjunction());
    while (sign(",")) {
      Int next = integer(disjunction());
      v = is_min ? min(v, next) : max(v, next);
    }
    if (!sign(")")) fail("\")\"");
    return v;
  }

  Int number(const char* sign) {
    size_t start = at_;
    while (std::isdigit(static_cast<unsigned char>(peek()))) ++at_;
    std::string digits = sign + std::string(text_.substr(start, at_ - start));
    errno = 0;
    long long v = std::strtoll(digits.c_str(), nullptr, 10);
    if (errno != 0 || v < Int::kLowest) {
      at_ = start;
      fail("an integer in [-2^62, 2^63)");
    }
    return Int(static_cast<int64_t>(v));
  }

  std::string_view identifier() {
    size_t start = at_;
    while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '_') ++at_;
    return text_.substr(start, at_ - start);
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }

  bool sign(std::string_view s) {
    skip();
    if (text_.substr(at_, s.size()) != s) return false;
    at_ += s.size();
    return true;
  }

  bool word(std::string_view w) {
    skip();
    size_t start = at_;
    if (identifier() == w) return true;
    at_ = start;
    return false;
  }

  [[noreturn]] void fail(const std::string& expected) const {
    throw UserError(ErrorKind::value, "parse",
                    "\"" + std::string(text_) + "\" at column " + std::to_string(at_ + 1) +
                        ": expected " + expected + " here");
  }

  static constexpr int kDeepest = 200;
  ShapeEnv& env_;
  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Int parse(ShapeEnv& env, std::string_view text) {
  Parser p(env, text);
  return p.integer(p.whole());
}

Bool parse_bool(ShapeEnv& env, std::string_view text) {
  Parser p(env, text);
  return p.condition(p.whole());
}

}  // namespace frit::sym
