// Running a cached entry: check guards and gather, compute, commit, give back.
#pragma once
#include <span>

#include "compile/entry.h"

namespace frit::compiler {

// Tensor arguments of a front end that knows which of them are those of the last call it gathered.
struct SettledArguments {
  std::span<const Tensor* const> tensors;  // all of them, in place of the call's
  std::span<const int> live;               // those that may be others
  uint64_t metadata = 0;  // epoch at which the rest was looked at; 0: they are to be looked at
};

// What entries of one call see.
struct CallState {
  const Leaves& args;
  nn::Module* module = nullptr;
  SmallVector<Tensor, 8> prefix;     // live tensors of the entries that have run, in order
  SmallVector<int64_t, 12> symbols;  // values of the symbols those entries know
  const SettledArguments* settled = nullptr;
};

struct Gathered {
  SmallVector<Tensor, 12> inputs;
  SmallVector<int64_t, 12> symbols;
};

// True where every guard holds; then inputs and symbol values are there.
bool gather(Entry&, const CallState&, Gathered&);
// How little an entry fits: the first guard that does not hold, in the user's words, with both
// values ("" where all hold), and how many do not.
struct Misfit {
  std::string first;
  int guards = 0;
};
Misfit misfit(Entry&, const CallState&);
std::string why_not(Entry&, const CallState&);
// The same of the entry that lacks least.
std::string why_none(std::span<const std::shared_ptr<Entry>>, const CallState&);

// The value of a tensor of one element.
Scalar read_value(const Tensor&);

// Computes and commits. False: a check of the graph failed and nothing was done; eager raises
// there. `kept` has one tensor for each of entry.kept. The gathered inputs are used up.
using Kept = SmallVector<Tensor, 8>;
bool run_entry(const Entry&, Gathered&, Kept& kept);

}  // namespace frit::compiler
