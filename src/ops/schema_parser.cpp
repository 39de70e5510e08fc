// Reads aten schema text, in the style of native_functions.yaml and in the one PyTorch prints.
#include <cctype>
#include <charconv>
#include <limits>

#include "base/error.h"
#include "ops/schema.h"

namespace frit {
namespace {

// PyTorch's numbers of dtypes, which defaults are given in.
std::optional<DType> dtype_of_code(int64_t code) {
  switch (code) {
    case 0:
      return DType::u8;
    case 1:
      return DType::i8;
    case 2:
      return DType::i16;
    case 3:
      return DType::i32;
    case 4:
      return DType::i64;
    case 5:
      return DType::f16;
    case 6:
      return DType::f32;
    case 7:
      return DType::f64;
    case 11:
      return DType::boolean;
    case 15:
      return DType::bf16;
  }
  return std::nullopt;
}

class SchemaParser {
 public:
  explicit SchemaParser(std::string_view text) : text_(text) {}

  Schema parse() {
    Schema s;
    if (text_.starts_with("aten::")) at_ = 6;
    s.name = word("the op's name");
    if (eat(".")) s.overload = word("the overload's name");
    expect("(");
    bool keyword_only = false;
    while (!eat(")")) {
      if (!s.args.empty() || keyword_only) expect(",");
      skip();
      if (eat("*")) {
        keyword_only = true;
        continue;
      }
      s.args.push_back(argument(keyword_only));
    }
    skip();
    expect("->");
    skip();
    if (eat("(")) {
      while (!eat(")")) {
        if (!s.returns.empty()) expect(",");
        skip();
        s.returns.push_back(result());
      }
    } else {
      s.returns.push_back(result());
    }
    skip();
    if (at_ != text_.size()) fail("the end");
    return s;
  }

 private:
  struct Type {
    ArgType type = ArgType::tensor;
    bool optional = false, optional_elements = false, written = false, rest = false,
         symbolic = false;
    char alias = 0;
    int size = 0;
  };

  [[noreturn]] void fail(const char* wanted) const {
    throw InternalError("schema \"" + std::string(text_) + "\": expected " + wanted +
                        " at column " + std::to_string(at_ + 1));
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool eat(std::string_view t) {
    if (!text_.substr(at_).starts_with(t)) return false;
    at_ += t.size();
    return true;
  }
  void expect(const char* t) {
    skip();
    if (!eat(t)) fail(t);
  }
  bool at_word() const {
    return at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_');
  }
  std::string word(const char* what) {
    size_t begin = at_;
    while (at_word()) ++at_;
    if (begin == at_) fail(what);
    return std::string(text_.substr(begin, at_ - begin));
  }

  Type type() {
    Type t;
    std::string base = word("a type");
    if (base == "Tensor") {
      t.type = ArgType::tensor;
      if (eat("(")) {
        t.alias = text_[at_++];
        t.written = eat("!");
        skip();
        if (eat("->")) {
          expect("*");
          t.rest = true;
        }
        expect(")");
      }
    } else if (base == "SymInt") {
      t.type = ArgType::integer, t.symbolic = true;
    } else if (base == "int") {
      t.type = ArgType::integer;
    } else if (base == "float") {
      t.type = ArgType::real;
    } else if (base == "bool") {
      t.type = ArgType::boolean;
    } else if (base == "Scalar") {
      t.type = ArgType::scalar;
    } else if (base == "ScalarType") {
      t.type = ArgType::dtype;
    } else if (base == "str") {
      t.type = ArgType::string;
    } else if (base == "Generator") {
      t.type = ArgType::generator;
    } else if (base == "Layout") {
      t.type = ArgType::layout;
    } else if (base == "Device") {
      t.type = ArgType::device;
    } else if (base == "MemoryFormat") {
      t.type = ArgType::memory_format;
    } else {
      fail("a known type");
    }
    for (;;) {
      if (eat("?")) {
        t.optional = true;
      } else if (eat("[")) {
        if (at_word()) t.size = std::stoi(word("a number"));
        expect("]");
        t.optional_elements = std::exchange(t.optional, false);
        t.type = list_of(t.type);
      } else {
        return t;
      }
    }
  }
  ArgType list_of(ArgType t) const {
    switch (t) {
      case ArgType::tensor:
        return ArgType::tensor_list;
      case ArgType::integer:
        return ArgType::integer_list;
      case ArgType::real:
        return ArgType::real_list;
      case ArgType::boolean:
        return ArgType::boolean_list;
      default:
        fail("a type that has lists");
    }
  }

  SchemaArg argument(bool keyword_only) {
    Type t = type();
    SchemaArg a;
    a.type = t.type, a.optional = t.optional, a.optional_elements = t.optional_elements;
    a.is_written = t.written, a.alias_set = t.alias, a.alias_rest = t.rest, a.symbolic = t.symbolic;
    a.list_size = t.size, a.keyword_only = keyword_only;
    skip();
    a.name = word("the argument's name");
    if (eat("=")) {
      a.has_default = true;
      a.default_value = value(a);
    }
    return a;
  }

  SchemaReturn result() {
    Type t = type();
    SchemaReturn r{t.type, t.written, t.alias, {}};
    skip();
    if (at_word()) r.name = word("the result's name");
    return r;
  }

  Arg value(const SchemaArg& a) {
    if (eat("None")) return {};
    if (eat("True")) return Arg(true);
    if (eat("False")) return Arg(false);
    if (eat("\"")) {
      size_t end = text_.find('"', at_);
      if (end == std::string_view::npos) fail("a closing quote");
      Arg s{text_.substr(at_, end - at_)};
      at_ = end + 1;
      return s;
    }
    if (eat("[")) {
      if (a.type == ArgType::real_list) {
        std::vector<double> l;
        while (!eat("]")) {
          if (!l.empty()) expect(",");
          skip();
          l.push_back(number().to_double());
        }
        return Arg(std::move(l));
      }
      IntList l;
      while (!eat("]")) {
        if (!l.empty()) expect(",");
        skip();
        l.push_back(number().to_int());
      }
      if (a.type == ArgType::tensor_list) return Arg(std::vector<Ref>());
      return Arg(std::move(l));
    }
    Arg n = number();
    switch (a.type) {
      case ArgType::real:
        return Arg(n.to_double());
      case ArgType::scalar:
        return Arg(n.to_scalar());
      case ArgType::integer_list:
        return Arg(IntList(static_cast<size_t>(std::max(a.list_size, 1)), n.to_int()));
      case ArgType::dtype: {
        auto t = dtype_of_code(n.to_int().constant());
        if (!t) fail("a dtype");
        return Arg(*t);
      }
      default:
        return n;
    }
  }
  Arg number() {
    size_t begin = at_;
    bool negative = eat("-");
    if (eat("inf"))
      return Arg(negative ? -std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::infinity());
    while (at_ < text_.size() &&
           (std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.' ||
            text_[at_] == 'e' || (text_[at_] == '-' && text_[at_ - 1] == 'e') ||
            (text_[at_] == '+' && text_[at_ - 1] == 'e')))
      ++at_;
    std::string_view t = text_.substr(begin, at_ - begin);
    if (t.empty() || t == "-") fail("a value");
    if (t.find_first_of(".e") == std::string_view::npos) {
      int64_t v = 0;
      std::from_chars(t.data(), t.data() + t.size(), v);
      return Arg(v);
    }
    return Arg(std::stod(std::string(t)));
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Schema parse_schema(std::string_view text) { return SchemaParser(text).parse(); }

}  // namespace frit
