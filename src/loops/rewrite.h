// Rewriting expressions and nests: other symbols, slots or buffers in the same expressions.
#pragma once
#include <unordered_map>
#include <vector>

#include "loops/loop_ir.h"

namespace frit::loops {

class Rewriter {
 public:
  explicit Rewriter(Program& p) : program_(p) {}
  void symbol(Int from, Int to) {
    from_.push_back(from);
    to_.push_back(to);
  }
  void slot(int from, int to) { slots_[from] = to; }
  void buffer(int from, int to) { buffers_[from] = to; }
  void replace(const Expr* from, const Expr* to) { done_[from] = to; }

  Int apply(Int i) const { return from_.empty() ? i : substitute(i, from_, to_); }
  const Expr* apply(const Expr*);
  void apply(Store&);
  void apply(Nest&);

 private:
  Program& program_;
  std::vector<Int> from_, to_;
  std::unordered_map<int, int> slots_, buffers_;
  std::unordered_map<const Expr*, const Expr*> done_;
};

// Every expression of a nest: values and indices of its stores, values of its reductions.
std::vector<const Expr*> roots(const Nest&);
std::vector<const Expr*> roots(const Stage&);
// Does the value differ between turns of any of these loops?
bool varies(const Expr*, std::span<const Int> symbols);
int phase_of(const Expr* e, const std::unordered_map<int, int>& slot_phases,
             std::unordered_map<const Expr*, int>& memo);

// Brings a nest, as built, into the form that loop_ir.h promises: ranges collapsed, what is costly
// and used again in a later pass over the row kept, buffers listed, operations counted. joined[i]:
// row range i is the next dimension after row range i - 1, and eager reduces both as one.
void finish_nest(Program&, Nest&, std::span<const char> joined = {});

// Sets the nest's buffers and number of operations.
void list_buffers(Nest&);

}  // namespace frit::loops
