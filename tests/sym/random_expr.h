// Random expressions with a reference meaning that does not go through the simplifier.
#pragma once
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "sym/shape_env.h"

namespace frit::sym::random {

enum class Op { constant, symbol, add, sub, mul, floordiv, mod, min, max, ceildiv };

struct Node {
  Op op;
  int64_t value = 0;
  std::vector<std::shared_ptr<Node>> args;

  std::string str() const;
  Int build(const std::vector<Int>& symbols) const;
  // nullopt for a division by zero or a value out of the range that tests look at.
  std::optional<int64_t> evaluate(const std::vector<int64_t>& symbols) const;
};

enum class Relation { eq, ne, lt, le, gt, ge };

struct Condition {
  Relation relation;
  std::shared_ptr<Node> a, b;

  std::string str() const;
  Bool build(const std::vector<Int>& symbols) const;
  std::optional<bool> evaluate(const std::vector<int64_t>& symbols) const;
};

class Generator {
 public:
  Generator(uint64_t seed, size_t symbols) : random_(seed), symbols_(symbols) {}
  int64_t number(int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(random_);
  }
  std::shared_ptr<Node> node(int depth);
  Condition condition(int depth);

 private:
  std::mt19937_64 random_;
  size_t symbols_;
};

}  // namespace frit::sym::random
