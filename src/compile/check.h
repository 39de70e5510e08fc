// FRIT_CHECK=replay: after a compiled call the callable runs eagerly too, from the same state, and
// the first difference is named. What the caller gets is eager's.
#pragma once
#include "compile/capture.h"
#include "compile/run_entry.h"

namespace frit::compiler {

// Whether FRIT_CHECK has this word.
bool check_enabled(std::string_view word);

// Contents of everything entries reach, to be put back.
class Snapshot {
 public:
  Snapshot(const Leaves& args, nn::Module* module, std::span<const std::shared_ptr<Entry>> entries);
  void restore() const;

 private:
  void add(const Tensor&);
  struct Contents {
    Tensor flat, copy;  // a view of the whole storage
    uint64_t version;
  };
  std::vector<Contents> contents_;
  std::vector<std::pair<Tensor, Tensor>> grads_;  // leaf, its grad
  PhiloxState rng_;
};

// Has the stretch the graph that the entry was made of, with the same inputs?
bool same_recording(const Entry&, const Stretch& now);

// UserError that names the first difference between the entries that ran and what was recorded now,
// or between the results.
void check_same(const std::string& name, std::span<const std::shared_ptr<Entry>> ran,
                const Leaves& compiled, Capture& now, const Leaves& eager, SourceLocation where);

}  // namespace frit::compiler
