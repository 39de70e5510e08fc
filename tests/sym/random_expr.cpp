#include "sym/random_expr.h"

namespace frit::sym::random {
namespace {

constexpr const char* kRelations[] = {"==", "!=", "<", "<=", ">", ">="};

std::optional<int64_t> small(__int128 v) {
  constexpr int64_t kMost = int64_t{1} << 40;
  if (v < -kMost || v > kMost) return std::nullopt;
  return static_cast<int64_t>(v);
}

int64_t down(int64_t a, int64_t b) {
  int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

}  // namespace

std::string Node::str() const {
  auto infix = [&](const char* sign) { return "(" + args[0]->str() + sign + args[1]->str() + ")"; };
  auto call = [&](const char* f) {
    return f + ("(" + args[0]->str()) + ", " + args[1]->str() + ")";
  };
  switch (op) {
    case Op::constant:
      return std::to_string(value);
    case Op::symbol:
      return "s" + std::to_string(value);
    case Op::add:
      return infix(" + ");
    case Op::sub:
      return infix(" - ");
    case Op::mul:
      return infix("*");
    case Op::floordiv:
      return infix("//");
    case Op::mod:
      return infix(" % ");
    case Op::min:
      return call("min");
    case Op::max:
      return call("max");
    case Op::ceildiv:
      return call("ceildiv");
  }
  return {};
}

Int Node::build(const std::vector<Int>& symbols) const {
  if (op == Op::constant) return value;
  if (op == Op::symbol) return symbols[static_cast<size_t>(value)];
  Int a = args[0]->build(symbols), b = args[1]->build(symbols);
  switch (op) {
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
      return a * b;
    case Op::floordiv:
      return floordiv(a, b);
    case Op::mod:
      return mod(a, b);
    case Op::min:
      return min(a, b);
    case Op::max:
      return max(a, b);
    default:
      return ceildiv(a, b);
  }
}

std::optional<int64_t> Node::evaluate(const std::vector<int64_t>& symbols) const {
  if (op == Op::constant) return value;
  if (op == Op::symbol) return symbols[static_cast<size_t>(value)];
  auto a = args[0]->evaluate(symbols), b = args[1]->evaluate(symbols);
  if (!a || !b) return std::nullopt;
  bool divides = op == Op::floordiv || op == Op::mod || op == Op::ceildiv;
  if (divides && *b == 0) return std::nullopt;
  switch (op) {
    case Op::add:
      return small(__int128(*a) + *b);
    case Op::sub:
      return small(__int128(*a) - *b);
    case Op::mul:
      return small(__int128(*a) * *b);
    case Op::floordiv:
      return down(*a, *b);
    case Op::mod:
      return *a - *b * down(*a, *b);
    case Op::min:
      return std::min(*a, *b);
    case Op::max:
      return std::max(*a, *b);
    default:
      return -down(-*a, *b);
  }
}

std::string Condition::str() const {
  return a->str() + " " + kRelations[static_cast<size_t>(relation)] + " " + b->str();
}

Bool Condition::build(const std::vector<Int>& symbols) const {
  Int x = a->build(symbols), y = b->build(symbols);
  switch (relation) {
    case Relation::eq:
      return x == y;
    case Relation::ne:
      return x != y;
    case Relation::lt:
      return x < y;
    case Relation::le:
      return x <= y;
    case Relation::gt:
      return x > y;
    case Relation::ge:
      return x >= y;
  }
  return false;
}

std::optional<bool> Condition::evaluate(const std::vector<int64_t>& symbols) const {
  auto x = a->evaluate(symbols), y = b->evaluate(symbols);
  if (!x || !y) return std::nullopt;
  switch (relation) {
    case Relation::eq:
      return *x == *y;
    case Relation::ne:
      return *x != *y;
    case Relation::lt:
      return *x < *y;
    case Relation::le:
      return *x <= *y;
    case Relation::gt:
      return *x > *y;
    case Relation::ge:
      return *x >= *y;
  }
  return std::nullopt;
}

std::shared_ptr<Node> Generator::node(int depth) {
  auto n = std::make_shared<Node>();
  if (depth == 0 || number(0, 9) == 0) {
    if (number(0, 2) == 0) {
      n->op = Op::constant;
      n->value = number(0, 3) == 0 ? number(-9, 9) : number(1, 4);
    } else {
      n->op = Op::symbol;
      n->value = number(0, static_cast<int64_t>(symbols_) - 1);
    }
    return n;
  }
  n->op = static_cast<Op>(number(static_cast<int>(Op::add), static_cast<int>(Op::ceildiv)));
  n->args = {node(depth - 1), node(depth - 1)};
  bool divides = n->op == Op::floordiv || n->op == Op::mod || n->op == Op::ceildiv;
  if (divides && number(0, 2) != 0) {  // mostly by numbers, as sizes are
    n->args[1]->op = Op::constant;
    n->args[1]->args.clear();
    n->args[1]->value = number(0, 5) == 0 ? number(-6, -1) : number(1, 8);
  }
  return n;
}

Condition Generator::condition(int depth) {
  return {static_cast<Relation>(number(0, 5)), node(depth), node(number(0, depth))};
}

}  // namespace frit::sym::random
